// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <QTest>

#include "core/base/error.h"
#include "core/memory/size_text.h"

using namespace mantissa;
using namespace mantissa::memory;

namespace {

std::int64_t up(const char* text) { return size_from_text("field", text, Rounding::Up); }
std::int64_t down(const char* text) { return size_from_text("field", text, Rounding::Down); }

/// Runs `read` and compares the facts of its refusal.
template <class Read>
void refused(const Read& read, const std::string& found, const std::string& expected) {
  try {
    read();
  } catch (const Error& error) {
    QCOMPARE(error.kind(), ErrorKind::InvalidSetting);
    QCOMPARE(error.facts().subject, std::string("field"));
    QCOMPARE(error.facts().found, found);
    QVERIFY2(error.facts().expected.find(expected) != std::string::npos, error.facts().expected.c_str());
    return;
  }
  QFAIL((found + " was accepted").c_str());
}

}  // namespace

class SizeTextTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void decimal_and_binary_units_are_told_apart() {
    QCOMPARE(up("24 GB"), 24'000'000'000);
    QCOMPARE(up("24 GiB"), 25'769'803'776);  // 24 * 2^30
    QCOMPARE(up("1 MB"), 1'000'000);
    QCOMPARE(up("1MiB"), 1'048'576);
    QCOMPARE(up("7 B"), 7);
  }

  void decimals_are_read_exactly() {
    QCOMPARE(up("0.34 GB"), 340'000'000);
    QCOMPARE(down("0.34 GB"), 340'000'000);
    QCOMPARE(up("1.1 kB"), 1'100);
    QCOMPARE(up("3.2e0 GB"), 3'200'000'000);
    QCOMPARE(up("32e-1 GB"), 3'200'000'000);
    QCOMPARE(up(".5 GiB"), 536'870'912);                          // 2^29
    QCOMPARE(up("0.0009765625 GiB"), 1'048'576);                  // 2^30 / 1024
    QCOMPARE(up("9007199.254740993 GB"), 9'007'199'254'740'993);  // 2^53 + 1: no double
  }

  void half_a_byte_is_needed_whole_and_never_available() {
    QCOMPARE(up("0.3333 KiB"), 342);  // 341.2992
    QCOMPARE(down("0.3333 KiB"), 341);
    QCOMPARE(up("1e-30 B"), 1);
    QCOMPARE(down("1e-30 B"), 0);
    QCOMPARE(up("0.1 B"), 1);
    QCOMPARE(up("1.00000000000000000001 B"), 2);
  }

  void the_largest_size_has_64_bits() {
    QCOMPARE(up("9223372036854775807 B"), INT64_MAX);
    QCOMPARE(down("9223372036854775807.9 B"), INT64_MAX);
    for (const char* const text : {"9223372036854775808 B", "9223372036854775807.1 B", "9223372036.854775808 GB",
                                   "8388608 TiB", "1e300 B", "1e999999999999999999999 B"}) {
      refused([text] { up(text); }, "'" + std::string(text) + "'", "64 bits");
    }
    QCOMPARE(up("0e999999999999 GB"), 0);
  }

  void what_is_no_size_is_refused_with_what_was_found() {
    for (const char* const text : {"", " ", "GB", "nan GB", "inf GB", "3,2 GB", "1.2.3 GB", "1e GB", "--1 GB", "+-1 GB",
                                   "1e5.5 GB", ".", " 1 GB", "0x10 B"}) {
      const std::string found = "'" + std::string(text) + "'";
      QVERIFY_THROWS_EXCEPTION(Error, up(text));
      try {
        up(text);
      } catch (const Error& error) {
        QCOMPARE(error.facts().found, found);
      }
    }
    refused([] { up("-1 GB"); }, "'-1 GB'", "at least 0 B");
    refused([] { up("-nan GB"); }, "'-nan GB'", "at least 0 B");
    for (const char* const text : {"24", "24 ", "24 Gb", "24 gb", "24 GB "}) {
      refused([text] { up(text); }, "'" + std::string(text) + "'", "powers of 1024");
    }
  }

  void counts_of_elements_take_their_dtype() {
    QCOMPARE(held_size_from_text("field", "25557032:float32"), 102'228'128);  // 4 * 25,557,032
    QCOMPARE(held_size_from_text("field", "3:bfloat16"), 6);
    QCOMPARE(held_size_from_text("field", "3:float64"), 24);
    QCOMPARE(held_size_from_text("field", "0:float16"), 0);
    QCOMPARE(held_size_from_text("field", "1.5 kB"), 1500);
    refused([] { held_size_from_text("field", "3:float"); }, "'3:float'", "bfloat16");
    refused([] { held_size_from_text("field", "-3:float32"); }, "'-3:float32'", "from 0");
    refused([] { held_size_from_text("field", "1.5:float32"); }, "'1.5:float32'", "whole number");
    refused([] { held_size_from_text("field", "2305843009213693952:float32"); }, "'2305843009213693952:float32'",
            "64 bits");  // 2^61 * 4 = 2^63
  }

  void a_reserve_is_a_share_or_a_percentage() {
    QCOMPARE(reserve_from_text("field", "0.10"), 100'000'000);
    QCOMPARE(reserve_from_text("field", "10 %"), 100'000'000);
    QCOMPARE(reserve_from_text("field", "12.5%"), 125'000'000);
    QCOMPARE(reserve_from_text("field", "0"), 0);
    QCOMPARE(reserve_from_text("field", "0.0000000001"), 1);  // up: never less than asked for
    for (const char* const text : {"1", "100 %", "1e300", "-0.1", "nan", "", "%", "0.1 GB", "0.1 ", "0.9999999999"}) {
      refused([text] { reserve_from_text("field", text); }, "'" + std::string(text) + "'", "below 1");
    }
  }

  void counts_begin_at_one() {
    QCOMPARE(count_from_text("field", "16"), 16);
    for (const char* const text : {"0", "-1", "1.5", "", "nan", "9223372036854775808"}) {
      refused([text] { count_from_text("field", text); }, "'" + std::string(text) + "'", "a whole number from 1");
    }
  }
};

QTEST_APPLESS_MAIN(SizeTextTests)
#include "size_text_tests.moc"
