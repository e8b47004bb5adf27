// Reading text messages. The expected results of the vectors were made by the eventdispatcher library itself. Then
// limits, the texts of refusals, and no allocations.
#include "tests/unit/protocol/support.h"
#include "wire/text.h"

namespace fastjournal::protocol {

using namespace test;

namespace {

Status status_of_line(std::string_view line) {
  Message message;
  return parse_line(line, message);
}

std::string text_of(std::string_view line, std::string_view name) {
  Message message;
  Status const status = parse_line(line, message);
  BOOST_TEST_INFO(status.message());
  BOOST_REQUIRE(status.ok());
  return std::string{message.text(name)};
}

bool within(std::string_view part, std::string_view whole) {
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

std::string numbered_params(std::size_t count) {
  std::string out = "CMD ";
  for (std::size_t i = 0; i < count; ++i) out += "p" + std::to_string(i) + "=" + std::to_string(i) + ";";
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(text_reader)

BOOST_AUTO_TEST_CASE(every_line_is_read_as_the_eventdispatcher_library_reads_it) {
  Message message;  // one for all vectors: clear() must leave nothing behind
  for (nlohmann::json const& vector : load_vectors("parse-vectors.jsonl")) {
    std::string const line = hex_field(vector, "in_hex");
    BOOST_TEST_CONTEXT(line) {
      Status const status = parse_line(line, message);
      // The library refuses a line of blanks; here it is a message without a command, which the caller ignores.
      bool const accepted = status.ok() && !message.command.empty();
      BOOST_TEST_INFO(status.message());
      BOOST_TEST(accepted == vector.at("ok").get<bool>());
      if (!accepted) continue;
      BOOST_TEST(message.from_server == hex_field(vector, "from_server_hex"));
      BOOST_TEST(message.from_service == hex_field(vector, "from_service_hex"));
      BOOST_TEST(message.server == hex_field(vector, "server_hex"));
      BOOST_TEST(message.service == hex_field(vector, "service_hex"));
      BOOST_TEST(message.command == hex_field(vector, "command_hex"));
      BOOST_TEST((texts_of(message) == params_of(vector)));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_whole_line_gives_all_its_parts) {
  Message message;
  BOOST_REQUIRE(
      parse_line("<alpha:pages beta:fastjournal/INSERT table=pages;uri=\"a;b\\\"c\";note=x\\ny;empty=;\r", message)
          .ok());
  BOOST_TEST(message.from_server == "alpha");
  BOOST_TEST(message.from_service == "pages");
  BOOST_TEST(message.server == "beta");
  BOOST_TEST(message.service == "fastjournal");
  BOOST_TEST(message.command == "INSERT");
  BOOST_TEST(message.text("table") == "pages");
  BOOST_TEST(message.text("uri") == "a;b\"c");
  BOOST_TEST(message.text("note") == "x\ny");
  BOOST_TEST(message.has("empty"));
  BOOST_TEST(message.params().size() == 4U);
}

BOOST_AUTO_TEST_CASE(blank_lines_are_ok_and_have_no_command) {
  for (std::string_view const line : {"", " ", "\r", "\t \r", "\v\f"}) {
    Message message{"LEFT"};
    BOOST_TEST(parse_line(line, message).ok());
    BOOST_TEST(message.command.empty());
  }
}

BOOST_AUTO_TEST_CASE(values_without_escapes_are_views_into_the_line) {
  std::string const line = "INSERT table=pages;uri=http://example.com/a/b;quoted=\"x;y\";escaped=a\\nb;after=plain";
  Message message;
  BOOST_REQUIRE(parse_line(line, message).ok());
  for (char const* name : {"table", "uri", "quoted", "after"}) BOOST_TEST(within(message.text(name), line), name);
  BOOST_TEST(!within(message.text("escaped"), line));
  BOOST_TEST(message.text("escaped") == "a\nb");
}

BOOST_AUTO_TEST_CASE(escapes_are_undone_and_other_backslashes_stay) {
  BOOST_TEST(text_of("C a=\\\\n\\n\\r\\t\\\"\\", "a") == "\\n\n\r\\t\\\"\\");
  BOOST_TEST(text_of("C a=\"\\\\n\\n\\r\\t\\\"\"", "a") == "\\n\n\r\\t\"");
  BOOST_TEST(text_of("C a=\"\";b=1", "b") == "1");
}

BOOST_AUTO_TEST_CASE(a_quote_behind_any_backslash_does_not_close) {
  BOOST_TEST(!status_of_line("C a=\"v;ends\\\\\"").ok());
  BOOST_TEST(text_of("C a=\"v\\\\\";b\"", "a") == "v\\\";b");
}

BOOST_AUTO_TEST_CASE(the_last_of_a_name_wins) { BOOST_TEST(text_of("C a=1;b=2;a=3", "a") == "3"); }

BOOST_AUTO_TEST_CASE(a_nul_ends_the_message) {
  std::string line = "C a=1;b=2";
  line += '\0';
  line += ";c=\"";
  BOOST_TEST(text_of(line, "b") == "2");
  BOOST_TEST(status_of_line(std::string_view{"\0C", 2}).ok());
}

BOOST_AUTO_TEST_CASE(a_256th_parameter_is_taken_and_a_257th_refused) {
  Message message;
  BOOST_TEST(parse_line(numbered_params(256), message).ok());
  BOOST_TEST(message.params().size() == 256U);
  std::string const again = numbered_params(256) + "p7=again";  // not a 257th parameter: p7 is there already
  BOOST_TEST(parse_line(again, message).ok());
  BOOST_TEST(message.text("p7") == "again");
  Status const status = parse_line(numbered_params(257), message);
  BOOST_TEST((status.code() == Code::too_large));
}

BOOST_AUTO_TEST_CASE(an_error_says_what_and_at_which_column) {
  std::pair<std::string_view, std::string_view> const cases[] = {
      {"CMD a", "column 5: the parameter \"a\" has no '='"},
      {"CMD a=1;b-c=2",
       "column 10: a parameter's name is letters, digits and '_', begins with no digit and ends in '='; this begins "
       "with \"b-c=2\""},
      {"CMD 1a=2",
       "column 5: a parameter's name is letters, digits and '_', begins with no digit and ends in '='; this begins "
       "with \"1a=2\""},
      {"CMD  a=1",
       "column 5: a parameter's name is letters, digits and '_', begins with no digit and ends in '='; this begins "
       "with \" a=1\""},
      {"CMD a=\"x", "column 7: this quote is not closed"},
      {"CMD a=\"x\"y", "column 10: after a closing quote there must be ';' or the end of the line"},
      {"  svc/", "column 7: there is no command"},
      {"/CMD", "column 1: the service before '/' is empty"},
      {"a/b/CMD", "column 4: a second '/' before the command"},
      {":CMD", "column 1: the server before ':' is empty"},
      {"a:b:CMD", "column 4: this ':' can stand for nothing: it is \"server:service/COMMAND\""},
      {"<a:b", "column 1: after the sender (\"<server:service\") a space and a command must follow"},
      {"<ab CMD", "column 2: the sender has no ':' between server and service"},
      {"<a:b:c CMD", "column 5: a second ':' in the sender"}};
  for (auto const& [line, sentence] : cases) {
    Status const status = status_of_line(line);
    BOOST_TEST((status.code() == Code::invalid));
    BOOST_TEST(status.message() == sentence);
  }
}

BOOST_AUTO_TEST_CASE(an_error_shows_no_more_than_a_printable_piece_of_the_line) {
  Status const status = status_of_line("CMD \x01\x80" + std::string(100'000, 'x'));
  BOOST_TEST(status.message().size() < 250U);
  for (char const c : status.message()) BOOST_REQUIRE((c >= ' ' && c <= '~'));
}

BOOST_AUTO_TEST_CASE(random_bytes_are_read_or_refused_and_what_is_read_lies_in_line_or_arena) {
  Random random{seed()};
  Message message;
  for (int round = 0; round < 20'000; ++round) {
    std::string const line = random.text(std::string_view{"<>:/ ;=\"\\nrab1_{}\r\t\0\n\xc3\x80", 24}, 60);
    BOOST_TEST_CONTEXT("FJ_SEED=" << seed() << " round " << round) {
      if (!parse_line(line, message).ok()) continue;
      std::size_t total = message.command.size();
      for (Param const& param : message.params()) total += param.name.size() + param.value.bytes.size();
      BOOST_REQUIRE(total <= line.size());
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::protocol
