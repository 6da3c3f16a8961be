// SPDX-License-Identifier: Apache-2.0
// Steps and cases as CSV and JSON, weights as safetensors.
#include <clocale>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/report/case_export.h"
#include "core/report/golden_export.h"
#include "core/report/memory_table.h"
#include "core/report/safetensors.h"
#include "core/report/step_export.h"

using namespace mantissa;
using report::TableFormat;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string exported(TableFormat format, const std::vector<record::StepRecord>& steps) {
  std::string text;
  report::StepExport table(format, [&text](std::string_view bytes) { text += bytes; });
  for (const record::StepRecord& step : steps) table.add(step);
  table.finish();
  return text;
}

std::string exported(TableFormat format, const std::vector<record::CaseRow>& cases) {
  std::string text;
  report::export_cases(format, cases, [&text](std::string_view bytes) { text += bytes; });
  return text;
}

record::StepRecord sample_step() {
  record::StepRecord step;
  step.trial = 9;  // not a column
  step.step = 1;
  step.iteration = 2;
  step.applied_updates = 0;
  step.samples = 128;
  step.epoch = 1;
  step.wall_seconds = 0.25;
  step.loss = kNan;
  step.loss_reference = 0.1;
  step.scale_before = 65536;
  step.scale_after = 32768;
  step.growth_tracker = 0;
  step.skipped = true;
  step.skip_cause = record::SkipCause::Calibration;
  step.overflow_optimizer = 0;
  step.overflow_parameter = "a,\"b\"\nß";
  step.lr = 9.8e-2;
  step.grad_norm_scaled = kInfinity;
  step.grad_norm = -kInfinity;
  step.weight_change = -0.0;
  step.live_bytes = 9007199254740993;  // 2^53 + 1: no double holds it
  step.deviation_output_max = 1e22;
  step.shadow_weight_relative = 5e-324;
  step.largest_finite_gradient = 3.5;
  return step;
}

// The documented columns, written out again so that an exchange in the declaration shows.
constexpr char kStepHeader[] =
    "step,iteration,applied_updates,samples,epoch,wall_seconds,loss,loss_reference,scale_before,scale_after,"
    "growth_tracker,skipped,skip_cause,overflow_optimizer,overflow_parameter,lr,grad_norm_scaled,grad_norm,"
    "grad_norm_clipped,clipped,weight_change,live_bytes,peak_bytes,step_seconds,"
    "deviation_output_max,deviation_output_rmse,deviation_output_relative,deviation_output_cosine,"
    "deviation_output_ulp,deviation_loss,deviation_gradient_relative,deviation_gradient_cosine,"
    "deviation_weight_relative,"
    "shadow_output_max,shadow_output_rmse,shadow_output_relative,shadow_output_cosine,shadow_output_ulp,shadow_loss,"
    "shadow_gradient_relative,shadow_gradient_cosine,shadow_weight_relative,largest_finite_gradient\n";
constexpr char kStepLine[] =
    "1,2,0,128,1,0.25,NaN,0.1,65536,32768,0,1,calibration,0,\"a,\"\"b\"\"\nß\",0.098,Infinity,-Infinity,,0,-0,"
    "9007199254740993,,,1e+22,,,,,,,,,,,,,,,,,5e-324,3.5\n";

}  // namespace

class ExportsTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void steps_as_csv_have_the_columns_of_the_contract_in_order() {
    QCOMPARE(QString::fromStdString(exported(TableFormat::Csv, {sample_step()})),
             QString::fromUtf8(kStepHeader) + QString::fromUtf8(kStepLine));
    QCOMPARE(exported(TableFormat::Csv, std::vector<record::StepRecord>{}), std::string(kStepHeader));
  }

  void golden_outputs_keep_every_bit() {
    record::CaseRow row;
    row.id = "a";
    row.slice = "north";
    row.target = {2};
    row.golden = record::GoldenOutputs{{0.1 + 0.2, -0.0}, {kNan, 5e-324}, {}};
    record::CaseRow other;  // of which no outputs are kept
    other.id = "b";
    std::string text;
    QCOMPARE(report::export_golden(TableFormat::Csv, {row, other}, [&text](std::string_view bytes) { text += bytes; }),
             std::int64_t{1});
    QCOMPARE(text, std::string("case,kind,slice,target,output_reference[0],output_reference[1],output_same_weights[0],"
                               "output_same_weights[1],output[0],output[1]\n"
                               "a,ordinary,north,2,0.30000000000000004,-0,,,NaN,5e-324\n"));
  }

  void columns_of_several_optimizers_follow_with_their_index() {
    record::StepRecord step = sample_step();
    step.optimizers.resize(2);
    step.optimizers[0] = {4, false, record::SkipCause::None, "", 0.5, 8.0, 2.0, 1.0, true, std::nullopt};
    step.optimizers[1] = {3, true, record::SkipCause::Overflow, "b", 0.25, kInfinity, kNan, std::nullopt, false, 7.0};
    QString names;
    for (const char* index : {"[0]", "[1]"}) {
      for (const char* name :
           {"applied_updates", "skipped", "skip_cause", "overflow_parameter", "lr", "grad_norm_scaled", "grad_norm",
            "grad_norm_clipped", "clipped", "largest_finite_gradient"}) {
        names += QStringLiteral(",") + name + index;
      }
    }
    const QStringList lines = QString::fromStdString(exported(TableFormat::Csv, {step})).split('\n');
    QCOMPARE(lines[0], QString::fromUtf8(kStepHeader).trimmed() + names);
    QVERIFY(lines[2].endsWith(",3.5,4,0,,,0.5,8,2,1,1,,3,1,overflow,b,0.25,Infinity,NaN,,0,7"));
    QVERIFY(exported(TableFormat::Json, {step}).find("\"lr[1]\":0.25,") != std::string::npos);
  }

  void steps_as_json_are_strict_json_with_words_for_non_finite_numbers() {
    const std::string text = exported(TableFormat::Json, {sample_step(), record::StepRecord{}});
    QJsonParseError error;
    const QJsonArray rows = QJsonDocument::fromJson(QByteArray::fromStdString(text), &error).array();
    QCOMPARE(error.error, QJsonParseError::NoError);
    QCOMPARE(rows.size(), 2);
    const QJsonObject row = rows[0].toObject();
    QCOMPARE(row.keys().size(), QString::fromUtf8(kStepHeader).count(',') + 1);
    QCOMPARE(row["loss"].toString(), QStringLiteral("NaN"));
    QCOMPARE(row["grad_norm_scaled"].toString(), QStringLiteral("Infinity"));
    QCOMPARE(row["grad_norm"].toString(), QStringLiteral("-Infinity"));
    QVERIFY(row["grad_norm_clipped"].isNull());
    QVERIFY(row["peak_bytes"].isNull());
    QCOMPARE(row["skipped"], QJsonValue(true));
    QCOMPARE(row["clipped"], QJsonValue(false));
    QCOMPARE(row["skip_cause"].toString(), QStringLiteral("calibration"));
    QCOMPARE(row["overflow_parameter"].toString(), QString::fromUtf8("a,\"b\"\nß"));
    QCOMPARE(row["lr"].toDouble(), 0.098);
    QCOMPARE(row["live_bytes"].toInteger(), qint64{9007199254740993});
    QVERIFY(text.find("\"weight_change\":-0.0,") != std::string::npos);
    QVERIFY(text.find("\"step\":1,\"iteration\":2,") != std::string::npos);
    QVERIFY(QJsonDocument::fromJson(
                QByteArray::fromStdString(exported(TableFormat::Json, std::vector<record::StepRecord>{})), &error)
                .array()
                .isEmpty());
    QCOMPARE(error.error, QJsonParseError::NoError);
  }

  void names_that_look_like_numbers_or_are_no_utf8_stay_names() {
    // shared/cases 35: a name that contains the words for non-finite numbers.
    record::StepRecord step;
    step.overflow_parameter = "BaNaNa_Infinity_-Infinity";
    record::StepRecord broken;
    broken.overflow_parameter = "a\xff";
    const std::string json = exported(TableFormat::Json, {step, broken});
    const QJsonArray rows = QJsonDocument::fromJson(QByteArray::fromStdString(json)).array();
    QCOMPARE(rows.size(), 2);
    QCOMPARE(rows[0].toObject()["overflow_parameter"].toString(), QStringLiteral("BaNaNa_Infinity_-Infinity"));
    QVERIFY(exported(TableFormat::Csv, {step}).find(",BaNaNa_Infinity_-Infinity,") != std::string::npos);
    QVERIFY(exported(TableFormat::Csv, {broken}).find("a\xff") != std::string::npos);
  }

  void numbers_read_back_equal() {
    std::vector<record::StepRecord> steps;
    for (const double value : {1.0 / 3.0, 0.1, 123456789.123456789, 5e-324, 1.7976931348623157e308, -2.5e-9, 1e15}) {
      steps.emplace_back().loss = value;
    }
    const QStringList lines = QString::fromStdString(exported(TableFormat::Csv, steps)).split('\n');
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::string cell = lines[static_cast<qsizetype>(i) + 1].split(',')[6].toStdString();
      QCOMPARE(number_from_text(cell).value(), steps[i].loss.value());
    }
  }

  void a_decimal_comma_in_the_locale_changes_nothing() {
    // shared/cases 39: the C library in German, as a desktop program finds it.
    QTemporaryDir folder;
    QProcess localedef;
    localedef.start("localedef", {"-i", "de_DE", "-f", "UTF-8", folder.filePath("de_DE.UTF-8")});
    localedef.waitForFinished();
    qputenv("LOCPATH", folder.path().toLocal8Bit());
    if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr) QSKIP("no German locale can be made on this machine");
    QCOMPARE(std::string(std::localeconv()->decimal_point), std::string(","));
    const std::string csv = exported(TableFormat::Csv, {sample_step()});
    const std::string json = exported(TableFormat::Json, {sample_step()});
    std::setlocale(LC_ALL, "C");
    QCOMPARE(csv, exported(TableFormat::Csv, {sample_step()}));
    QCOMPARE(json, exported(TableFormat::Json, {sample_step()}));
    QVERIFY(json.find("\"lr\":0.098,") != std::string::npos);
  }

  void cases_have_a_column_for_every_output() {
    record::CaseRow first;
    first.id = "17";
    first.kind = record::CaseKind::Edge;
    first.slice = "kitchen, south";
    first.target = {2};
    first.output = {0.5, kNan, -1};
    first.output_reference = {0.5, 0.25, -1};
    first.output_same_weights = {0.5, 0.25, -kInfinity};
    first.decision_reference = 0;
    first.decision_same_weights = 0;
    first.tie_reference = true;
    first.margin_reference = 0.25;
    first.flip = true;
    first.abs_error = kNan;
    first.ulp_error = 3;
    first.abs_error_same_weights = kInfinity;
    first.correct_reference = false;
    record::CaseRow second;
    second.id = "18";
    second.output = {1};
    second.correct = true;
    QCOMPARE(QString::fromStdString(exported(TableFormat::Csv, {first, second})),
             QString::fromUtf8(
                 "case,kind,slice,target,output[0],output[1],output[2],output_reference[0],output_reference[1],"
                 "output_reference[2],output_same_weights[0],output_same_weights[1],output_same_weights[2],"
                 "decision,decision_reference,decision_same_weights,tie,tie_reference,margin,margin_reference,"
                 "flip,flip_same_weights,abs_error,rel_error,case_relative,ulp_error,abs_error_same_weights,"
                 "rel_error_same_weights,case_relative_same_weights,ulp_error_same_weights,correct,correct_reference\n"
                 "17,edge,\"kitchen, south\",2,0.5,NaN,-1,0.5,0.25,-1,0.5,0.25,-Infinity,,0,0,0,1,,0.25,1,0,NaN,0,0,3,"
                 "Infinity,0,0,0,,0\n"
                 "18,ordinary,,,1,,,,,,,,,,,,0,0,,,0,0,0,0,0,0,0,0,0,0,1,\n"));
    const QJsonArray rows =
        QJsonDocument::fromJson(QByteArray::fromStdString(exported(TableFormat::Json, {first, second}))).array();
    QCOMPARE(rows[0].toObject()["output[1]"].toString(), QStringLiteral("NaN"));
    QVERIFY(rows[1].toObject()["output[1]"].isNull());
    QVERIFY(rows[0].toObject()["correct"].isNull());
    QCOMPARE(rows[0].toObject()["correct_reference"], QJsonValue(false));
    QCOMPARE(rows[1].toObject()["case"].toString(), QStringLiteral("18"));
  }

  void a_target_of_several_elements_has_a_column_for_each() {
    record::CaseRow row;
    row.target = {1.5, 2.5};
    const std::string text = exported(TableFormat::Csv, {row});
    QVERIFY(text.rfind("case,kind,slice,target[0],target[1],decision,", 0) == 0);
    QVERIFY(text.find("\n,ordinary,,1.5,2.5,,") != std::string::npos);
  }

  void memory_has_the_peak_and_every_category_but_the_data() {
    record::MemoryComparison memory;
    memory.microbatch = 16;
    memory.accumulation = 2;
    memory.predicted = record::MemoryPeak{150, {40, 0, 80, 20, 0, 10, 0, 0}};
    memory.predicted_from = "8, 12";
    memory.measured = record::MemoryPeak{116, {40, 0, 64, 0, 0, 8, 0, 4}};
    memory.measured_step = 2;
    memory.peak_bytes = 120;
    std::string csv;
    report::export_memory(report::TableFormat::Csv, memory, [&csv](std::string_view bytes) { csv += bytes; });
    // 150 / 120 - 1, 80 / 64 - 1, 10 / 8 - 1; of nothing there is no share.
    QCOMPARE(csv, std::string("category,predicted,measured,error\npeak,150,120,0.25\nparameters,40,40,0\nbuffers,0,0,\n"
                              "optimizer_state,80,64,0.25\ngradients,20,0,\nsaved_activations,10,8,0.25\n"
                              "cast_copies,0,0,\ntemporaries,0,4,-1\n"));
    const QString page = QString::fromStdString(report::memory_section(memory));
    QVERIFY2(page.contains(QRegularExpression("optimizer state +80 B +64 B +\\+25 %")), qPrintable(page));
    QVERIFY2(page.contains(QRegularExpression("temporaries +0 B +4 B +−100 %")), qPrintable(page));
    QVERIFY2(page.contains(QRegularExpression("all +150 B +120 B +\\+25 %")), qPrintable(page));
    QVERIFY2(page.contains("of a step of 2 × 16 samples"), qPrintable(page));
  }

  void memory_that_nobody_looked_at_is_not_measured() {
    QVERIFY(report::memory_section(std::nullopt).find("not measured") != std::string::npos);
    std::string json;
    report::export_memory(report::TableFormat::Json, {}, [&json](std::string_view bytes) { json += bytes; });
    const QJsonArray rows = QJsonDocument::fromJson(QByteArray::fromStdString(json)).array();
    QCOMPARE(rows.size(), 8);
    QVERIFY(rows[0].toObject()["predicted"].isNull() && rows[0].toObject()["error"].isNull());
  }

  void a_long_table_reaches_the_sink_in_pieces() {
    std::size_t largest = 0, total = 0;
    report::StepExport table(TableFormat::Csv, [&](std::string_view bytes) {
      largest = std::max(largest, bytes.size());
      total += bytes.size();
    });
    for (int i = 0; i < 20000; ++i) table.add(sample_step());
    table.finish();
    QCOMPARE(total, sizeof(kStepHeader) - 1 + 20000 * (sizeof(kStepLine) - 1));
    QVERIFY(largest < 100000);
  }

  void weights_are_laid_out_as_the_official_package_does() {
    // safetensors.torch.save of safetensors 0.8.0 with metadata {"format": "pt"} of
    // {"b.weight": [[1, -2.5], [inf, 0.1]], "a.bias": bf16 [1, 2, 3], "n": int64 7, "a.weight": [0.5],
    //  "empty": zeros(0, 3), "h": fp16 [1.5], "d": float64 [2], "flag": [True, False]}.
    const auto bytes = [](const char* hex) { return QByteArray::fromHex(hex).toStdString(); };
    const std::vector<record::TensorBytes> tensors = {
        {"b.weight", "F32", {2, 2}, bytes("0000803f000020c00000807fcdcccc3d")},
        {"a.bias", "BF16", {3}, bytes("803f00404040")},
        {"n", "I64", {}, bytes("0700000000000000")},
        {"a.weight", "F32", {1}, bytes("0000003f")},
        {"empty", "F32", {0, 3}, ""},
        {"h", "F16", {1}, bytes("003e")},
        {"d", "F64", {1}, bytes("0000000000000040")},
        {"flag", "BOOL", {2}, bytes("0100")}};
    std::string file;
    report::write_safetensors(tensors, [&file](std::string_view part) { file += part; });
    const std::string expected =
        bytes("f801000000000000") +
        R"({"__metadata__":{"format":"pt"},"n":{"dtype":"I64","shape":[],"data_offsets":[0,8]},)"
        R"("d":{"dtype":"F64","shape":[1],"data_offsets":[8,16]},)"
        R"("a.weight":{"dtype":"F32","shape":[1],"data_offsets":[16,20]},)"
        R"("b.weight":{"dtype":"F32","shape":[2,2],"data_offsets":[20,36]},)"
        R"("empty":{"dtype":"F32","shape":[0,3],"data_offsets":[36,36]},)"
        R"("a.bias":{"dtype":"BF16","shape":[3],"data_offsets":[36,42]},)"
        R"("h":{"dtype":"F16","shape":[1],"data_offsets":[42,44]},)"
        R"("flag":{"dtype":"BOOL","shape":[2],"data_offsets":[44,46]}}    )" +
        bytes("070000000000000000000000000000400000003f0000803f000020c00000807fcdcccc3d803f00404040003e0100");
    QCOMPARE(QByteArray::fromStdString(file).toPercentEncoding(),
             QByteArray::fromStdString(expected).toPercentEncoding());
  }

  void weights_that_make_no_file_are_refused() {
    const auto refused = [](const std::vector<record::TensorBytes>& tensors) {
      bool wrote = false;
      try {
        report::write_safetensors(tensors, [&wrote](std::string_view) { wrote = true; });
      } catch (const Error& error) {
        return error.kind() == ErrorKind::CallOrder && !wrote;
      }
      return false;
    };
    QVERIFY(refused({{"w", "F32", {1}, "1234"}, {"w", "F32", {1}, "1234"}}));
    QVERIFY(refused({{"w", "F32", {2}, "1234"}}));
    QVERIFY(refused({{"w", "Q4", {1}, "1234"}}));
  }
};

QTEST_GUILESS_MAIN(ExportsTests)
#include "exports_tests.moc"
