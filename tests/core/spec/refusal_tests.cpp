// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "tests/core/spec/examples.h"

using namespace mantissa;
using namespace mantissa::spec::tests;

class SpecRefusalTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void unknown_key_is_refused_with_its_line_and_the_nearest_known_one() {
    VERIFY_REFUSED(std::string(least_example) + "[training]\nbach = 3\n", InvalidSetting, 7, "training.bach",
                   "unknown key. Did you mean training.batch.");
  }
};

QTEST_APPLESS_MAIN(SpecRefusalTests)
#include "refusal_tests.moc"
