// Rows of a file: how the input is cut into records, which format it is taken for, and what each format says. The bytes
// come in pieces of every size, as from a pipe. What becomes of the rows: cli_put_many_test.cpp.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <sstream>
#include <streambuf>
#include <string>
#include <vector>

#include "clients/programs/fastjournal/record_reader.h"
#include "clients/programs/fastjournal/row_parser.h"

using namespace fastjournal;
using namespace fastjournal::cli;

namespace {

// Gives so many bytes at a time, and says that nothing else is there so far.
class Pieces : public std::streambuf {
 public:
  Pieces(std::string text, std::size_t bytes) : text_(std::move(text)), bytes_(bytes) {}

 protected:
  int_type underflow() override {
    if (at_ == text_.size()) return traits_type::eof();
    std::size_t const size = std::min(bytes_, text_.size() - at_);
    setg(text_.data() + at_, text_.data() + at_, text_.data() + at_ + size);
    at_ += size;
    return traits_type::to_int_type(*gptr());
  }

 private:
  std::string text_;
  std::size_t bytes_;
  std::size_t at_{0};
};

struct Cut {
  std::vector<std::string> records;
  std::vector<std::uint64_t> lines;
  std::string header;
  RowFormat format{};
  std::uint64_t lines_read{0};
};

Cut cut(std::string const& text, std::size_t bytes, std::optional<RowFormat> format = {}) {
  Pieces pieces{text, bytes};
  std::istream in{&pieces};
  RecordReader reader{InputBytes{in}, format};
  BOOST_REQUIRE(reader.begin().ok());
  Cut out;
  out.header = reader.header();
  out.format = reader.format();
  while (true) {
    static_cast<void>(reader.is_ready());
    Result<std::optional<Record>> const record = reader.next();
    BOOST_REQUIRE(record.ok());
    if (!record.value()) break;
    out.records.emplace_back(record.value()->text);
    out.lines.push_back(record.value()->line);
  }
  out.lines_read = reader.lines();
  return out;
}

// The same, however the bytes come.
Cut cut_anyhow(std::string const& text, std::optional<RowFormat> format = {}) {
  Cut const whole = cut(text, text.size() + 1, format);
  for (std::size_t bytes = 1; bytes < 9; ++bytes) {
    Cut const pieces = cut(text, bytes, format);
    BOOST_TEST(pieces.records == whole.records, boost::test_tools::per_element());
    BOOST_TEST(pieces.lines == whole.lines, boost::test_tools::per_element());
    BOOST_TEST(pieces.header == whole.header);
    BOOST_TEST((pieces.format == whole.format));
  }
  return whole;
}

using RowTexts = std::vector<std::string>;
using RowNumbers = std::vector<std::uint64_t>;

// "name=value" of each parameter, in order; numbers as they are, with their kind before them.
std::string shown(Message const& insert) {
  std::string out;
  for (Param const& param : insert.params()) {
    std::string value{param.value.bytes};
    if (param.value.kind == Value::Kind::integer) value = "i" + std::to_string(param.value.integer);
    if (param.value.kind == Value::Kind::unsigned_integer) value = "u" + std::to_string(param.value.unsigned_integer);
    if (param.value.kind == Value::Kind::real) value = "r" + std::to_string(param.value.real);
    if (param.value.kind == Value::Kind::boolean) value = param.value.boolean ? "true" : "false";
    out += std::string{param.name} + "=" + value + "|";
  }
  return out;
}

struct ParsedInput {
  Status status;
  std::string insert;
};

ParsedInput parse(RowFormat format, std::string const& record, std::string const& header = {}) {
  RowParser parser{format};
  if (!header.empty()) BOOST_REQUIRE(parser.set_header(header).ok());
  Message insert{"INSERT"};
  insert.set("table", "t");
  ParsedInput out{parser.parse(record, insert), {}};
  if (out.status.ok()) out.insert = shown(insert);
  return out;
}

std::string json(std::string const& record) { return parse(RowFormat::json, record).insert; }
std::string lines(std::string const& record) { return parse(RowFormat::lines, record).insert; }
std::string csv(std::string const& record, std::string const& header) {
  return parse(RowFormat::csv, record, header).insert;
}

bool cli_row_input_says(Status const& status, std::string_view part) {
  return status.code() == Code::bad_parameter && status.message().find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cli_row_input)

BOOST_AUTO_TEST_CASE(lines_are_records_with_their_numbers_also_blank_ones_and_the_last_without_newline) {
  Cut const got = cut_anyhow("{\"a\":1}\n\n{\"a\":2}\r\n{\"a\":3}");
  BOOST_TEST(got.records == (RowTexts{"{\"a\":1}", "", "{\"a\":2}\r", "{\"a\":3}"}), boost::test_tools::per_element());
  BOOST_TEST(got.lines == (RowNumbers{1, 2, 3, 4}), boost::test_tools::per_element());
  BOOST_TEST((got.format == RowFormat::json));
  BOOST_TEST(got.header == "");
  BOOST_TEST(cut_anyhow("").records.empty());
}

BOOST_AUTO_TEST_CASE(csv_values_in_quotes_may_have_newlines_quotes_and_commas) {
  Cut const got = cut_anyhow("\xEF\xBB\xBFuri,\"title\"\r\na,\"one\r\ntwo\"\r\n\"q\"\"\n\"\"\",b\n\"\",\n");
  BOOST_TEST((got.format == RowFormat::csv));
  BOOST_TEST(got.header == "uri,\"title\"\r\n");
  BOOST_TEST(got.records == (RowTexts{"a,\"one\r\ntwo\"\r", "\"q\"\"\n\"\"\",b", "\"\","}),
             boost::test_tools::per_element());
  BOOST_TEST(got.lines == (RowNumbers{2, 4, 6}), boost::test_tools::per_element());
  BOOST_TEST(got.lines_read == 6U);
}

BOOST_AUTO_TEST_CASE(a_stray_quote_does_not_swallow_the_rows_behind_it) {
  Cut const got = cut_anyhow("a,b\n5\" disk,1\nc,d\n\"x\"y,\nlast,\"not closed\n");
  BOOST_TEST(got.records == (RowTexts{"5\" disk,1", "c,d", "\"x\"y,", "last,\"not closed\n"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_first_line_that_is_not_blank_decides_which_format_it_is) {
  for (auto const& [text, format] : {std::pair{"\n \n {\"a\":1}\n", RowFormat::json},
                                     {"a=1,2\n", RowFormat::lines},
                                     {"a\n1\n", RowFormat::csv},
                                     {"a,b=\n", RowFormat::csv},
                                     {"\xEF\xBB\xBF{\"a\":1}\n", RowFormat::json},
                                     {"a=1;b={\n{}\n", RowFormat::lines}})
    BOOST_TEST_CONTEXT(text) { BOOST_TEST((cut_anyhow(text).format == format)); }
  BOOST_TEST((cut_anyhow("{a=1\n", RowFormat::lines).format == RowFormat::lines));
  BOOST_TEST(cut_anyhow("\n\na\n1\n").lines == (RowNumbers{4}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_row_without_end_ends_the_input_instead_of_filling_memory) {
  class Endless : public std::streambuf {
    int_type underflow() override {
      setg(block_.data(), block_.data(), block_.data() + block_.size());
      return 'x';
    }
    std::string block_ = std::string(std::size_t{1} << 20U, 'x');
  } endless;
  std::istream in{&endless};
  RecordReader reader{InputBytes{in}, RowFormat::lines};
  Status const status = reader.begin();
  BOOST_TEST((status.code() == Code::too_large));
  BOOST_TEST(status.message().find("line 1: a row of more than 64 MiB") == 0U, status.message());
}

BOOST_AUTO_TEST_CASE(json_keeps_the_kind_of_values_and_null_is_absent) {
  BOOST_TEST(json(R"({"uri":"a\u00e9","size":-3,"big":18446744073709551615,"w":0.5,"ok":true,"none":null})") ==
             "table=t|uri=a\xc3\xa9|size=i-3|big=u18446744073709551615|w=r0.500000|ok=true|");
  BOOST_TEST(json(R"({"process_date":"+10s","expiration_date":"never","insertion_date":5,"a":1,"a":2})") ==
             "table=t|process_date=+10000|expiration_date=i0|insertion_date=u5|a=u2|");
  for (char const* const record :
       {"", "{", "[]", "1", "null", "\"a\"", R"({"a":[1]})", R"({"a":{}})", R"({"table":"x"})",
        R"({"process_date":"soon"})", R"({"process_date":"never"})", "{\"a\":\"\xff\"}", "{\"a\":1}x"})
    BOOST_TEST_CONTEXT(record) { BOOST_TEST((parse(RowFormat::json, record).status.code() == Code::bad_parameter)); }
  std::string many = "{";
  for (int i = 0; i < 300; ++i) many += (i == 0 ? "\"c" : ",\"c") + std::to_string(i) + "\":1";
  BOOST_TEST((parse(RowFormat::json, many + "}").status.code() == Code::too_large));
}

BOOST_AUTO_TEST_CASE(what_only_describes_a_shown_row_is_left_out_and_nothing_else) {
  BOOST_TEST(json(R"({"table":"other","row":7,"uri":"a","priority":3,"process_date":5,"insertion_date":4,)"
                  R"("expiration_date":9,"status":"parked","error":"e","domain":"d","attempts":2,"timeouts":1,)"
                  R"("merges":1,"epoch":5,"lease_end":6,"worker":"w"})") ==
             "table=t|uri=a|priority=u3|process_date=u5|insertion_date=u4|expiration_date=u9|");
  BOOST_TEST(json(R"({"uri":"a","status":"parked"})") == "table=t|uri=a|status=parked|");
  BOOST_TEST(cli_row_input_says(parse(RowFormat::json, R"({"row":7,"uri":"a","omitted":"payload"})").status,
                                "without its columns payload"));
  BOOST_TEST(lines("row=7;table=other;uri=a;attempts=0;") == "table=t|uri=a|");
}

BOOST_AUTO_TEST_CASE(an_empty_csv_value_is_absent_unless_it_stands_in_quotes) {
  BOOST_TEST(csv("a,,\"\"\r", "uri,size,title\r\n") == "table=t|uri=a|title=|");
  BOOST_TEST(csv("\"say \"\"hi\"\",\r\nbye\",20,+1h", "uri,priority,process_date\n") ==
             "table=t|uri=say \"hi\",\r\nbye|priority=20|process_date=+3600000|");
  std::string const header = "a,b\n";
  BOOST_TEST(
      cli_row_input_says(parse(RowFormat::csv, "1", header).status, "found 1 values, expected 2 as in the header"));
  BOOST_TEST(cli_row_input_says(parse(RowFormat::csv, "1,2,3", header).status, "found 3 values, expected 2"));
  BOOST_TEST(cli_row_input_says(parse(RowFormat::csv, "5\" disk,1", header).status, "a value with a quote in it"));
  BOOST_TEST(cli_row_input_says(parse(RowFormat::csv, "\"x\"y,1", header).status,
                                "a comma or the end of the line is expected"));
  BOOST_TEST(cli_row_input_says(parse(RowFormat::csv, "1,\"open", header).status, "has none at its end"));
  BOOST_TEST(cli_row_input_says(parse(RowFormat::csv, "1,\"\"\"", header).status, "has none at its end"));
  BOOST_TEST(cli_row_input_says(parse(RowFormat::csv, "soon", "process_date\n").status, "'soon' is no date"));
}

BOOST_AUTO_TEST_CASE(a_header_names_columns_each_once) {
  RowParser parser{RowFormat::csv};
  BOOST_TEST(cli_row_input_says(parser.set_header("uri;priority\n"), "is no name of a column"));
  BOOST_TEST(cli_row_input_says(parser.set_header("uri,uri\n"), "has uri twice"));
  BOOST_TEST(cli_row_input_says(parser.set_header("uri,\n"), "is no name of a column"));
  BOOST_TEST(cli_row_input_says(parser.set_header("\"uri\n"), "the header: "));
  BOOST_TEST(cli_row_input_says(parser.set_header("[{\"a\":1},\n"), "jq -c"));
}

BOOST_AUTO_TEST_CASE(lines_are_read_as_text_messages_write_parameters) {
  BOOST_TEST(lines(" uri=http://x/?a=1&b;title=\"one; two\";text=a\\nb;size=3; ") ==
             "table=t|uri=http://x/?a=1&b|title=one; two|text=a\nb|size=3|");
  BOOST_TEST(lines("a=1;process_date=+10s;expiration_date=0\r") ==
             "table=t|a=1|process_date=+10000|expiration_date=i0|");
  BOOST_TEST((parse(RowFormat::lines, "a").status.code() == Code::invalid));
  BOOST_TEST((parse(RowFormat::lines, "a=\"b").status.code() == Code::invalid));
  BOOST_TEST((parse(RowFormat::lines, "INSERT a=1").status.code() == Code::invalid));
  BOOST_TEST(cli_row_input_says(parse(RowFormat::lines, "table=x;a=1").status, "stands on the command line"));
  BOOST_TEST(cli_row_input_says(parse(RowFormat::lines, std::string("a=1\0;b=2", 8)).status, "NUL"));
}

BOOST_AUTO_TEST_SUITE_END()
