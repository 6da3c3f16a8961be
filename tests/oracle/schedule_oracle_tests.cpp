// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <QTest>

#include "core/base/number_text.h"
#include "core/train/schedule.h"

using namespace mantissa;

/// Learning rates of torch.optim.lr_scheduler (make_schedules.py), all bits, up to the horizon and far past it.
class ScheduleOracleTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void every_rate_equals_pytorchs_bit_by_bit() {
    std::ifstream file(MANTISSA_SOURCE_DIR "/tests/oracle/fixtures/schedules.txt");
    const std::map<std::string, spec::ScheduleKind> kinds = {{"constant", spec::ScheduleKind::Constant},
                                                             {"step", spec::ScheduleKind::Step},
                                                             {"exponential", spec::ScheduleKind::Exponential},
                                                             {"cosine", spec::ScheduleKind::Cosine},
                                                             {"linear", spec::ScheduleKind::Linear}};
    int schedules = 0;
    for (std::string line; std::getline(file, line); ++schedules) {
      std::istringstream words(line);
      std::string kind, gamma, every, min_lr, end_factor, warmup, total, lr;
      words >> kind >> gamma >> every >> min_lr >> end_factor >> warmup >> total >> lr;
      spec::Schedule settings;
      settings.kind = kinds.at(kind);
      settings.gamma = number_from_text(gamma).value();
      settings.every = integer_from_text(every).value();
      settings.min_lr = number_from_text(min_lr).value();
      settings.end_factor = number_from_text(end_factor).value();
      settings.warmup = integer_from_text(warmup).value();
      settings.total = integer_from_text(total).value();
      train::Schedule schedule(settings, number_from_text(lr).value());
      std::int64_t count = 0;
      for (std::string rate; words >> rate; ++count) {
        QVERIFY2(schedule.learning_rate() == number_from_text(rate).value(),
                 qPrintable(QString("line %1, %2, count %3: expected %4, found %5")
                                .arg(schedules + 1)
                                .arg(QString::fromStdString(kind))
                                .arg(count)
                                .arg(QString::fromStdString(rate),
                                     QString::fromStdString(to_text(schedule.learning_rate())))));
        if (count == 100) {  // as a checkpoint does: a new one goes on from the saved state
          const train::Schedule::State state = schedule.state();
          schedule = train::Schedule(settings, number_from_text(lr).value());
          schedule.load(state);
        }
        schedule.after_step(true, 1);
      }
      QCOMPARE(count, std::int64_t{260});
    }
    QCOMPARE(schedules, 30);
  }
};

QTEST_APPLESS_MAIN(ScheduleOracleTests)
#include "schedule_oracle_tests.moc"
