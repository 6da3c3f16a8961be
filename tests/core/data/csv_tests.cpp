// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <QTest>

#include "core/data/csv.h"
#include "core/data/csv_summary.h"
#include "core/data/file_bytes.h"
#include "data_test_files.h"
#include "gzip_text.h"

using namespace mantissa;
using namespace mantissa::data;
using namespace std::string_literals;

namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(const std::string& path) {
  CsvReader reader(path);
  Rows rows;
  CsvRow row;
  while (reader.next(row)) rows.emplace_back(row.cells.begin(), row.cells.end());
  return rows;
}

}  // namespace

class CsvTests : public QObject {
  Q_OBJECT

 private:
  ErrorFacts refusal(std::string_view bytes) {
    const std::string path = files_.write("bad.csv", bytes);
    return facts_of(ErrorKind::DataProblem, [&path] { rows_of(path); });
  }

  TestFiles files_;

 private Q_SLOTS:
  void good_files_read_alike_data() {
    QTest::addColumn<QByteArray>("bytes");
    const auto row = [](const char* name, const std::string& bytes) {
      QTest::newRow(name) << QByteArray(bytes.data(), static_cast<int>(bytes.size()));
    };
    row("plain", "x,y\n1.5,a\n-2,b\n");
    row("without a last line end", "x,y\n1.5,a\n-2,b");
    row("CRLF", "x,y\r\n1.5,a\r\n-2,b\r\n");
    row("CR alone", "x,y\r1.5,a\r-2,b\r");
    row("byte order mark", "\xEF\xBB\xBFx,y\n1.5,a\n-2,b\n");
    row("byte order mark before a quote", "\xEF\xBB\xBF\"x\",y\n1.5,a\n-2,b\n");
    row("quoted", "\"x\",\"y\"\n\"1.5\",\"a\"\n-2,\"b\"\n");
    row("blank lines at the end", "x,y\n1.5,a\n-2,b\n\n\r\n  \n");
    row("gzip", gzip("x,y\n1.5,a\n-2,b\n"));
    row("two gzip members", gzip("x,y\n1.5,") + gzip("a\n-2,b\n"));
  }
  void good_files_read_alike() {
    QFETCH(QByteArray, bytes);
    const std::string path =
        files_.write("good.csv", std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
    CsvReader reader(path);
    QVERIFY(reader.has_header());
    QCOMPARE(reader.columns(), (std::vector<std::string>{"x", "y"}));
    QCOMPARE(rows_of(path), (Rows{{"1.5", "a"}, {"-2", "b"}}));
  }

  void a_quoted_cell_may_hold_commas_quotes_and_line_ends() {
    QCOMPARE(rows_of(files_.write("q.csv", "a,b\n\"1,5\",\"say \"\"no\"\"\"\n\"two\r\nlines\",\"\"\n")),
             (Rows{{"1,5", "say \"no\""}, {"two\r\nlines", ""}}));
  }

  void lines_are_counted_through_quoted_line_ends() {
    CsvReader reader(files_.write("l.csv", "a,b\n\"two\nlines\",1\n3,4\n"));
    CsvRow row;
    QVERIFY(reader.next(row));
    QCOMPARE(row.line, 2);
    QVERIFY(reader.next(row));
    QCOMPARE(row.line, 4);
  }

  void a_first_row_of_numbers_is_data() {
    const std::string path = files_.write("n.csv", "1,2.5,-3e2\n4,5,6\n");
    CsvReader reader(path);
    QVERIFY(!reader.has_header());
    QCOMPARE(reader.columns(), (std::vector<std::string>{"column1", "column2", "column3"}));
    QCOMPARE(rows_of(path), (Rows{{"1", "2.5", "-3e2"}, {"4", "5", "6"}}));
  }

  void a_first_row_of_numbers_and_missing_values_is_data() {
    CsvReader reader(files_.write("m.csv", "1,,3\n4,5,6\n"));
    QVERIFY(!reader.has_header());
  }

  void a_header_may_hold_numbers_beside_a_name() {
    CsvReader reader(files_.write("h.csv", "2019,2020,target\n1,2,3\n"));
    QVERIFY(reader.has_header());
  }

  void an_unnamed_column_is_called_by_its_position() {
    CsvReader reader(files_.write("u.csv", ",x\n0,1\n"));  // what pandas writes with its row index
    QCOMPARE(reader.columns(), (std::vector<std::string>{"column1", "x"}));
    QCOMPARE(reader.unnamed_columns(), std::vector<std::size_t>{0});
  }

  void a_blank_line_is_a_missing_value_where_there_is_one_column() {
    QCOMPARE(rows_of(files_.write("o.csv", "x\n1\n\n3\n\n")), (Rows{{"1"}, {""}, {"3"}}));
  }

  void cells_longer_than_the_buffer_stay_whole() {
    const std::string text(700'000, 'x');  // the reader takes 256 KiB at a time
    const Rows rows = rows_of(files_.write("long.csv", "a,b\n\"" + text + "\"," + text + "\n1,2\n"));
    QVERIFY(rows == (Rows{{text, text}, {"1", "2"}}));
  }

  void a_ragged_row_is_refused_with_its_line() {
    const ErrorFacts facts = refusal("a,b\n1,2\n3\n4,5\n");
    QCOMPARE(facts.line, 3);
    QCOMPARE(facts.found, "1 cell"s);
    QCOMPARE(facts.expected, "2 cells as in line 1"s);
    QCOMPARE(refusal("a,b\n1,2,3\n").found, "3 cells"s);
  }

  void a_blank_line_between_rows_is_refused_with_its_line() { QCOMPARE(refusal("a,b\n1,2\n\n3,4\n").line, 3); }

  void a_file_with_semicolons_gets_the_right_advice() {
    const ErrorFacts facts = refusal("x;y\n1,5;2,5\n");
    QCOMPARE(facts.line, 2);
    QVERIFY(facts.remedy.find("semicolons") != std::string::npos);
  }

  void an_unterminated_quote_is_refused_where_it_opens() {
    const ErrorFacts facts = refusal("a,b\n1,2\n3,\"open\n4,5\n6,7\n");
    QCOMPARE(facts.line, 3);
    QCOMPARE(facts.subject, "column b"s);
    QVERIFY(facts.problem.find("never closed") != std::string::npos);
  }

  void stray_quotes_are_refused() {
    QCOMPARE(refusal("a,b\n1,x\"y\n").line, 2);
    QCOMPARE(refusal("a,b\n1,2\n\"x\"y,2\n").line, 3);
  }

  void a_nul_byte_is_refused_with_line_and_column() {
    const ErrorFacts facts = refusal("a,b\n1,2\n3,4\0005\n"s);
    QCOMPARE(facts.line, 3);
    QCOMPARE(facts.column, 2);
    QCOMPARE(facts.found, "a NUL byte"s);
    QCOMPARE(refusal("a,b\n1,\"4\0005\"\n"s).found, "a NUL byte"s);
  }

  void text_that_is_not_utf8_is_refused() {
    QCOMPARE(refusal("a,b\n1,Gr\xF6\xDF"
                     "e\n")
                 .line,
             2);                                     // "Größe" in Latin-1
    QCOMPARE(refusal("a,b\n1,\xC0\x80\n").line, 2);  // an overlong NUL
    QCOMPARE(rows_of(files_.write("utf8.csv", "a\nGröße €😀\n")), (Rows{{"Größe €😀"}}));
  }

  void utf16_is_refused_by_name() { QCOMPARE(refusal("\xFF\xFEx\0,\0y\0"s).found, "text in UTF-16"s); }

  void an_empty_file_is_refused() {
    QCOMPARE(refusal("").problem, "the file is empty"s);
    QCOMPARE(refusal("\xEF\xBB\xBF").problem, "the file is empty"s);
    QCOMPARE(refusal(gzip("")).problem, "the file is empty"s);
    QCOMPARE(refusal("\n\n").found, "a blank line"s);
  }

  void two_columns_of_one_name_are_refused() {
    const ErrorFacts facts = refusal("x,y,x\n1,2,3\n");
    QCOMPARE(facts.line, 1);
    QCOMPARE(facts.found, "'x' as columns 1 and 3"s);
  }

  void a_pipe_or_a_device_is_refused_unopened() {
    const std::string pipe = files_.folder() + "/pipe";
    QCOMPARE(mkfifo(pipe.c_str(), 0600), 0);
    for (const std::string& path : {pipe, "/dev/zero"s}) {
      const ErrorFacts facts = facts_of(ErrorKind::FileProblem, [&path] { CsvReader reader(path); });
      QCOMPARE(facts.problem, "this is a pipe, a socket or a device, not a file"s);
      QCOMPARE(facts.file, path);
    }
  }

  void a_missing_file_and_a_folder_are_refused() {
    const std::string missing = files_.folder() + "/missing.csv";
    const ErrorFacts facts = facts_of(ErrorKind::FileProblem, [&missing] { CsvReader reader(missing); });
    QCOMPARE(facts.file, missing);
    QCOMPARE(facts.problem, "there is no such file"s);
    const ErrorFacts folder = facts_of(ErrorKind::FileProblem, [this] { CsvReader reader(files_.folder()); });
    QCOMPARE(folder.problem, "this is a folder, not a file"s);
  }

  void a_gzip_file_that_unpacks_out_of_proportion_is_refused_early() {
    // 300 MiB of one letter are about 300 KiB: a thousand to one, where 250 are allowed beyond 64 MiB.
    const std::string path = files_.write("bomb.csv.gz", gzip(std::string(std::size_t{300} << 20U, 'a')));
    FileBytes bytes(path);
    std::uint64_t unpacked = 0;
    const ErrorFacts facts = facts_of(ErrorKind::FileProblem, [&] {
      for (auto piece = bytes.next(); !piece.empty(); piece = bytes.next()) unpacked += piece.size();
    });
    QCOMPARE(facts.file, path);
    QVERIFY(facts.problem.find("far more than data do") != std::string::npos);
    QVERIFY(facts.remedy.find("gunzip") != std::string::npos);
    QVERIFY(unpacked <= std::uint64_t{65} << 20U);
  }

  void a_truncated_gzip_file_is_refused() {
    std::string text = "x,y\n";
    for (int i = 0; i < 20'000; ++i) text += std::to_string(i * 7919 % 10007) + ",1\n";
    const std::string packed = gzip(text);
    for (const std::size_t size : {packed.size() / 2, packed.size() - 4}) {
      const std::string path = files_.write("cut.csv.gz", packed.substr(0, size));
      const ErrorFacts facts = facts_of(ErrorKind::FileProblem, [&path] { rows_of(path); });
      QVERIFY2(facts.problem.find("cut short") != std::string::npos, facts.problem.c_str());
    }
  }

  void a_damaged_gzip_file_is_refused() {
    std::string packed = gzip("x,y\n1,2\n3,4\n5,6\n7,8\n");
    packed[packed.size() - 6] =
        static_cast<char>(packed[packed.size() - 6] ^ 1);  // within the CRC-32 (RFC 1952, 2.3.1)
    const std::string path = files_.write("damaged.csv.gz", packed);
    const ErrorFacts facts = facts_of(ErrorKind::FileProblem, [&path] { rows_of(path); });
    QVERIFY2(facts.problem.find("damaged") != std::string::npos, facts.problem.c_str());
  }

  void files_of_other_kinds_are_not_yet_available() {
    for (const std::string& start : {"\x93NUMPY\x01\x00"s, "PK\x03\x04"s, "\0\0\x08\x03\0\0\0\x03"s}) {
      const std::string path = files_.write("other.csv", start);
      const ErrorFacts facts = facts_of(ErrorKind::NotYetAvailable, [&path] { CsvReader reader(path); });
      QVERIFY(!facts.found.empty());
    }
  }

  void whatever_the_bytes_every_row_is_whole_or_refused() {
    // Texts over the characters that mean something to a reader; seeded, so a failure comes again.
    static constexpr char kAlphabet[] = {'a', '1', ',', '"', '\n', '\r', ' ', '\xC3', '\xA4', '.', '\0', ';'};
    std::mt19937 random(47);
    int refused = 0;
    int rows = 0;
    for (int trial = 0; trial < 600; ++trial) {
      std::string bytes;
      const auto size = random() % 40;
      for (std::size_t i = 0; i < size; ++i) bytes += kAlphabet[random() % (trial % 2 == 0 ? 8 : sizeof kAlphabet)];
      const std::string path = files_.write("random.csv", "a,b\n" + bytes);
      std::int64_t line = 1;
      try {
        CsvReader reader(path);
        for (CsvRow row; reader.next(row); ++rows) {
          QCOMPARE(row.cells.size(), std::size_t{2});
          QVERIFY(row.line > line);
          line = row.line;
        }
      } catch (const Error& error) {
        ++refused;
        QCOMPARE(error.kind(), ErrorKind::DataProblem);
        QVERIFY2(error.facts().line >= line, error.what());
      }
    }
    QVERIFY(refused > 150 && rows > 15);  // both happen
  }

  void cells_are_told_apart() {
    QVERIFY(value_of_cell("").kind == CellKind::Missing);
    QVERIFY(value_of_cell(" ").kind == CellKind::Missing);
    QVERIFY(value_of_cell("NA").kind == CellKind::Missing);
    QVERIFY(value_of_cell("n/a").kind == CellKind::Missing);
    QVERIFY(value_of_cell("nan").kind == CellKind::Nan);
    QVERIFY(value_of_cell("NaN").kind == CellKind::Nan);
    QVERIFY(value_of_cell("-inf").kind == CellKind::Infinite);
    QVERIFY(value_of_cell("1e400").kind == CellKind::Infinite);
    QVERIFY(value_of_cell("0x10").kind == CellKind::Text);
    QVERIFY(value_of_cell("1,5").kind == CellKind::Text);
    QCOMPARE(value_of_cell(" 1.5\t").number, 1.5);
  }

  void numbers_read_alike_under_a_german_locale() {
    // shared case "decimal comma": strtod("9.8e-2") is 9 there.
    const GermanLocale german(files_.folder());
    if (!german.in_force()) QSKIP("no localedef or no German locale source on this system");
    const double read = value_of_cell("9.8e-2").number;
    const CsvSummary summary = summarize_csv(files_.write("lr.csv", "x,y\n1.5,-2.25\n"));
    QCOMPARE(read, 0.098);
    QCOMPARE(summary.columns[0].maximum, 1.5);
    QCOMPARE(summary.columns[1].minimum, -2.25);
  }

  void a_summary_counts_what_a_column_holds() {
    const std::string path = files_.write("s.csv",
                                          "i,x,mixed,area\n"
                                          "1,0.5,3,100\n"
                                          "2.0,nan,a,70000\n"
                                          "2,,4,-65504\n"
                                          "7,-inf,4,65505\n");
    const CsvSummary summary = summarize_csv(path);
    QCOMPARE(summary.rows, 4);
    QVERIFY(summary.header);
    const auto& i = summary.columns[0];
    QCOMPARE(i.kind, "integer"s);
    QCOMPARE(i.minimum, 1.0);
    QCOMPARE(i.maximum, 7.0);
    QCOMPARE(i.distinct, 3);
    const auto& x = summary.columns[1];
    QCOMPARE(x.kind, "number"s);
    QCOMPARE(x.missing, 1);
    QCOMPARE(x.non_finite, 2);
    QCOMPARE(x.distinct, 1);
    QCOMPARE(summary.columns[2].kind, "text"s);
    QCOMPARE(summary.columns[2].distinct, 3);
    QCOMPARE(summary.columns[3].beyond_float16, 2);  // 70000 and 65505
    QCOMPARE(summary.problems.size(), std::size_t{4});
    QCOMPARE(summary.problems[0], path +
                                      ", line 4, column x: the first of 1 missing value; data.missing = \"drop\" "
                                      "leaves such rows out.");
    QCOMPARE(summary.problems[1],
             path + ", line 3, column x: 'nan' is the first of 2 non-finite values already in the data.");
    QCOMPARE(summary.problems[2], path + ", line 3, column mixed: 'a' is the first of 1 text among 3 numbers.");
  }

  void a_summary_goes_up_to_the_row_that_cannot_be_read() {
    const CsvSummary summary = summarize_csv(files_.write("r.csv", "a,b\n1,2\n3,4\n5\n"));
    QCOMPARE(summary.rows, 2);
    QCOMPARE(summary.columns[1].maximum, 4.0);
    QVERIFY(summary.problems[0].find("line 4") != std::string::npos);
  }

  void a_summary_counts_distinct_values_up_to_a_limit() {
    std::string text = "x\n";
    for (std::int64_t i = 0; i <= kMostDistinct; ++i) text += std::to_string(i) + '\n';
    const CsvSummary summary = summarize_csv(files_.write("d.csv", text));
    QCOMPARE(summary.columns[0].distinct, kMostDistinct);
    QVERIFY(summary.columns[0].distinct_is_at_least);
  }
};

QTEST_GUILESS_MAIN(CsvTests)
#include "csv_tests.moc"
