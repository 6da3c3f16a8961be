// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/drawing_budget.h"

#include <QCoreApplication>
#include <QEvent>

#include <algorithm>
#include <ctime>

namespace mantissa::ui::run {
namespace {

constexpr double kNewestWeight = 0.3;  // of the newest frame in the cost of one: single dear frames do not count much

double milliseconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

}  // namespace

void DrawingBudget::begin(double now, double computed) {
  m_began = now;
  m_computed = computed;
}

bool DrawingBudget::isDue(double now, double computed, bool personInteracts) {
  if (m_computed) {
    const double cost = std::max(0.0, computed - *m_computed);
    m_cost = m_cost ? (1 - kNewestWeight) * *m_cost + kNewestWeight * cost : cost;
    m_computed.reset();
  }
  if (personInteracts || !m_began) return true;
  return now - *m_began >= std::min(frameMilliseconds() / m_share, kLongestPause);
}

PersonWatch::PersonWatch(QObject* parent) : QObject(parent) { QCoreApplication::instance()->installEventFilter(this); }

double PersonWatch::now() { return milliseconds(CLOCK_MONOTONIC); }

double PersonWatch::computed() { return milliseconds(CLOCK_THREAD_CPUTIME_ID); }

bool PersonWatch::eventFilter(QObject* /*object*/, QEvent* event) {
  switch (event->type()) {
    case QEvent::MouseMove:
    case QEvent::MouseButtonPress:
    case QEvent::MouseButtonRelease:
    case QEvent::MouseButtonDblClick:
    case QEvent::Wheel:
    case QEvent::KeyPress: {
      const bool isNew = !interacts();
      m_last.start();
      if (isNew) Q_EMIT began();
      break;
    }
    default:
      break;
  }
  return false;
}

}  // namespace mantissa::ui::run
