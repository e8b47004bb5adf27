// JSON messages: the members that eventdispatcher uses, strings that are unescaped twice, and limits of depth, size and
// content against hostile peers.
#include "wire/json.h"

#include "tests/unit/protocol/support.h"
#include "wire/text.h"

namespace fastjournal::protocol {

using namespace test;

namespace {

Status status_of(std::string_view line) {
  Message message;
  return parse_json(line, message);
}

constexpr std::string_view kWhole =
    R"({"sent-from-server":"alpha","sent-from-service":"pages","server":"beta","service":"fastjournal","command":"INSERT",)"
    R"("parameters":{"table":"pages","n":-7,"u":18446744073709551615,"r":1.5,"t":true,"f":false,"empty":""},"version":[1,{"a":[null]}]})";

}  // namespace

BOOST_AUTO_TEST_SUITE(json)

BOOST_AUTO_TEST_CASE(a_whole_message_gives_all_its_parts) {
  Message message;
  Status const status = parse_json(kWhole, message);
  BOOST_TEST_INFO(status.message());
  BOOST_REQUIRE(status.ok());
  BOOST_TEST(message.from_server == "alpha");
  BOOST_TEST(message.from_service == "pages");
  BOOST_TEST(message.server == "beta");
  BOOST_TEST(message.service == "fastjournal");
  BOOST_TEST(message.command == "INSERT");
  BOOST_TEST(message.params().size() == 7U);
  BOOST_TEST(message.text("table") == "pages");
  BOOST_TEST(message.integer("n").value() == -7);
  BOOST_TEST(message.find("u")->as_unsigned().value() == UINT64_MAX);
  BOOST_TEST(message.find("r")->as_real().value() == 1.5);
  BOOST_TEST((message.find("t")->kind == Value::Kind::boolean));
  BOOST_TEST(message.find("t")->boolean);
  BOOST_TEST(!message.find("f")->boolean);
  BOOST_TEST(message.has("empty"));
}

BOOST_AUTO_TEST_CASE(a_line_that_begins_with_a_brace_is_read_as_json) {
  Message message;
  BOOST_REQUIRE(parse_line("  {\"command\":\"PING\"}\r", message).ok());
  BOOST_TEST(message.command == "PING");
}

BOOST_AUTO_TEST_CASE(strings_of_parameters_are_unescaped_twice) {
  Message message;
  BOOST_REQUIRE(
      parse_json(R"({"command":"PING","parameters":{"a":"q\"w\\n\n;","b":"\\\\n","c":"\u00e9"}})", message).ok());
  BOOST_TEST(message.text("a") == "q\"w\n\n;");
  BOOST_TEST(message.text("b") == "\\n");
  BOOST_TEST(message.text("c") == "\xc3\xa9");
}

BOOST_AUTO_TEST_CASE(a_backslash_at_the_end_of_a_value_stays) {
  Message message;
  // The unescaped copy follows directly in the arena. It begins with "n", with which the backslash would be an escape.
  BOOST_REQUIRE(parse_json(R"({"command":"A","parameters":{"a":"n\\"}})", message).ok());
  BOOST_TEST(message.text("a") == "n\\");
}

BOOST_AUTO_TEST_CASE(null_is_an_empty_value) {
  Message message;
  BOOST_REQUIRE(parse_json(R"({"command":"A","service":null,"x":null,"parameters":{"a":null,"b":"1"}})", message).ok());
  BOOST_REQUIRE(message.has("a"));
  BOOST_TEST(message.text("a") == "");
  BOOST_TEST(message.text("b") == "1");
  BOOST_TEST(message.service == "");
  BOOST_REQUIRE(parse_json(R"({"parameters":null,"command":"A"})", message).ok());
  BOOST_TEST(message.params().empty());
}

BOOST_AUTO_TEST_CASE(nothing_points_into_the_line) {
  std::string line{kWhole};
  Message message;
  BOOST_REQUIRE(parse_json(line, message).ok());
  std::fill(line.begin(), line.end(), '#');
  BOOST_TEST(message.command == "INSERT");
  BOOST_TEST(message.text("table") == "pages");
}

BOOST_AUTO_TEST_CASE(what_is_no_message_is_refused_with_a_reason) {
  std::pair<std::string_view, std::string_view> const cases[] = {
      {"", "this is no JSON"},
      {"{", "this is no JSON"},
      {"{\"command\":\"X\"}x", "this is no JSON"},
      {"{\"command\":\"X\",}", "this is no JSON"},
      {"{\"command\":\"\xff\"}", "this is no JSON"},
      {"{}", "there is no command"},
      {"{\"command\":\"\"}", "there is no command"},
      {"[]", "an array is no value of a message"},
      {"7", "must be an object"},
      {"{\"command\":7}", "the other members strings"},
      {"{\"command\":null}", "there is no command"},
      {"null", "must be an object"},
      {"{\"command\":{}}", "an object is no value"},
      {"{\"command\":\"A B\"}", "the command \"A B\" holds a blank"},
      {"{\"command\":\"A\\u0000\"}", "the command \"A?\" holds a blank"},
      {"{\"command\":\"A\",\"service\":\"a/b\"}", "the service \"a/b\" holds"},
      {"{\"command\":\"A\",\"parameters\":[]}", "an array is no value"},
      {"{\"command\":\"A\",\"parameters\":1}", "\"parameters\" must be an object"},
      {"{\"command\":\"A\",\"parameters\":\"x\"}", "\"parameters\" must be an object"},
      {"{\"command\":\"A\",\"parameters\":{\"a\":[1]}}", "parameter \"a\": an array is no value"},
      {"{\"command\":\"A\",\"parameters\":{\"a\":{}}}", "parameter \"a\": an object is no value"},
      {"{\"command\":\"A\",\"parameters\":{\"a-b\":1}}", "this is \"a-b\""},
      {"{\"command\":\"A\",\"parameters\":{\"a\":1e999}}", "this is no JSON"}};
  for (auto const& [line, reason] : cases) {
    Status const status = status_of(line);
    BOOST_TEST_CONTEXT(line) {
      BOOST_TEST((status.code() == Code::invalid));
      BOOST_TEST_INFO(status.message());
      BOOST_TEST(status.message().find(reason) != std::string::npos);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_nested_member_is_passed_over_unless_it_is_too_deep) {
  std::string const some = std::string(16, '[') + std::string(16, ']');
  BOOST_TEST(status_of("{\"x\":" + some + ",\"command\":\"A\"}").ok());
  BOOST_TEST(status_of("{\"x\":{\"command\":\"B\",\"parameters\":{\"a\":1}},\"command\":\"A\"}").ok());
  BOOST_TEST(status_of("{\"x\":" + std::string(100'000, '[')).message() == "nested more than 16 deep");
}

BOOST_AUTO_TEST_CASE(a_257th_parameter_is_refused) {
  std::string line = "{\"command\":\"A\",\"parameters\":{";
  for (int i = 0; i < 257; ++i) line += (i == 0 ? "\"p" : ",\"p") + std::to_string(i) + "\":1";
  BOOST_TEST((status_of(line + "}}").code() == Code::too_large));
}

BOOST_AUTO_TEST_CASE(damage_at_any_byte_is_read_or_refused) {
  Random random{seed()};
  for (std::size_t at = 0; at < kWhole.size(); ++at) {
    BOOST_TEST((status_of(kWhole.substr(0, at)).code() == Code::invalid));
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged{kWhole};
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      Status const status = status_of(damaged);
      for (char const c : status.message()) BOOST_REQUIRE((c >= ' ' && c <= '~'));
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_written_is_valid_json_in_one_line) {
  Param const params[] = {
      {"text", Value::of_text("a\"b\\\n\xff")}, {"n", Value::of_integer(-7)},
      {"u", Value::of_unsigned(UINT64_MAX)},    {"bin", Value::of_binary(std::string_view{"\0", 1})},
      {"t", Value::of_boolean(true)},           {"r", Value::of_real(1.5)}};
  std::string out = "before\n";
  append_json(
      {.from_server = "a", .from_service = "b", .server = "c", .service = "d", .command = "ROW", .params = params},
      out);
  BOOST_TEST(out ==
             "before\n{\"sent-from-server\":\"a\",\"sent-from-service\":\"b\",\"server\":\"c\",\"service\":\"d\","
             "\"command\":\"ROW\",\"parameters\":"
             "{\"text\":\"a\\\"b\\\\\\n\xef\xbf\xbd\",\"n\":-7,\"u\":18446744073709551615,\"bin\":\"AA==\",\"t\":true,"
             "\"r\":1.5}}\n");
  out.clear();
  append_json({.command = "PING"}, out);
  BOOST_TEST(out == "{\"command\":\"PING\"}\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::protocol
