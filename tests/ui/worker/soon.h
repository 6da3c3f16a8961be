// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTest>

// What another thread is about to do. The machine may be busy: only a hang takes as long as this.
#define SOON_COMPARE(actual, expected) QTRY_COMPARE_WITH_TIMEOUT(actual, expected, 30000)
#define SOON_VERIFY(statement) QTRY_VERIFY_WITH_TIMEOUT(statement, 30000)
