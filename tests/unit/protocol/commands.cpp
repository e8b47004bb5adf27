// The commands of a TRANSACTION in one value: JSON, frames, frames in base64; and what is refused, with the number of the
// command.
#include "wire/commands.h"

#include "base/base64.h"
#include "tests/unit/protocol/support.h"
#include "wire/http_json.h"
#include "wire/msgpack.h"

namespace fastjournal::protocol {

using namespace test;

namespace {

struct Got {
  Status status;
  std::string decoded{};
  std::vector<Message> commands{};
};

Got read(Value const& value, std::size_t most = 10) {
  Got out;
  out.status = read_commands(value, most, out.decoded, out.commands);
  return out;
}

Got read(std::string_view json) { return read(Value::of_text(json)); }

std::string fact(Status const& status, std::string_view name) {
  for (auto const& [one, value] : status.facts())
    if (one == name) return value;
  return {};
}

bool says(Status const& status, Code code, std::string_view text) {
  BOOST_TEST_INFO(status.text());
  return status.code() == code && status.message().find(text) != std::string::npos;
}

std::string frames() {
  std::string out;
  std::vector<Param> const set{{"key", Value::of_text("k")},
                               {"value", Value::of_binary(std::string_view("\0\xFF", 2))}};
  append_frame({.command = "SET", .params = set}, out);
  append_frame({.command = "DONE"}, out);
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(commands)

BOOST_AUTO_TEST_CASE(a_json_array_has_an_object_for_each) {
  Got const got = read(
      R"( [ {"command":"SET","key":"a","n":1,"r":1.5,"t":true}, {"row":18446744073709551615,"command":"DONE"} ] )");
  BOOST_REQUIRE(got.status.ok());
  BOOST_REQUIRE_EQUAL(got.commands.size(), 2U);
  BOOST_TEST(got.commands[0].command == "SET");
  BOOST_TEST(got.commands[0].params().size() == 4U);
  BOOST_TEST(got.commands[0].text("key") == "a");
  BOOST_TEST(got.commands[0].integer("n").value() == 1);
  BOOST_TEST(got.commands[0].find("t")->boolean);
  BOOST_TEST(got.commands[1].command == "DONE");
  BOOST_TEST(got.commands[1].find("row")->as_unsigned().value() == UINT64_MAX);
}

BOOST_AUTO_TEST_CASE(frames_are_read_as_they_are_and_in_base64) {
  std::string const bytes = frames();
  std::string text;
  append_base64(bytes, text);
  for (Value const& value : {Value::of_binary(bytes), Value::of_text(text)}) {
    Got const got = read(value);
    BOOST_REQUIRE(got.status.ok());
    BOOST_REQUIRE_EQUAL(got.commands.size(), 2U);
    BOOST_TEST(got.commands[0].text("value") == std::string_view("\0\xFF", 2));
    BOOST_TEST((got.commands[0].find("value")->kind == Value::Kind::binary));
    BOOST_TEST(got.commands[1].command == "DONE");
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_list_of_commands_is_refused_with_the_number_of_the_command) {
  for (std::string_view const json :
       {"", " ", "x", "7", "\"a\"", "{}", "{\"command\":\"DONE\"}", "[1]", "[[]]", "[null]", "[\"DONE\"]"}) {
    BOOST_TEST_CONTEXT(json) { BOOST_TEST(says(read(json).status, Code::invalid, "commands is no JSON")); }
  }
  BOOST_TEST(says(read("[{\"command\":\"DONE\"").status, Code::invalid, "see its byte 19"));
  BOOST_TEST(says(read("[]").status, Code::bad_parameter, "empty"));
  struct Case {
    std::string_view json;
    std::string_view text;
  };
  for (Case const& one : {Case{R"([{"command":"DONE"},{"row":1}])", "commands is no JSON array"},
                          Case{R"([{"command":"DONE"},{"command":"DONE","row":null}])", "null"},
                          Case{R"([{"command":"DONE"},{"command":"DONE","row":[1]}])", "an array"},
                          Case{R"([{"command":"DONE"},{"command":"DONE","row":{}}])", "an object"},
                          Case{R"([{"command":"DONE"},{"command":"DONE","commands":[]}])", "an array"},
                          Case{R"([{"command":"DONE"},{"command":"DONE","row":1,"row":2}])", "given twice"}}) {
    BOOST_TEST_CONTEXT(one.json) {
      Status const status = read(one.json).status;
      BOOST_TEST(says(status, Code::invalid, one.text));
      BOOST_TEST(fact(status, "op") == "2");
    }
  }
  std::string const whole = frames();
  for (std::size_t end = 1; end < whole.size(); ++end) {
    if (end == whole.find("FJM", 4)) continue;
    BOOST_TEST(
        says(read(Value::of_binary(std::string_view{whole}.substr(0, end))).status, Code::invalid, "whole frames"));
  }
  BOOST_TEST(says(read(Value::of_binary({})).status, Code::bad_parameter, "empty"));
  BOOST_TEST(says(read(Value::of_integer(7)).status, Code::invalid, "commands"));
}

BOOST_AUTO_TEST_CASE(their_number_is_limited) {
  BOOST_TEST(read(Value::of_text(R"([{"command":"A"},{"command":"B"}])"), 2).status.ok());
  BOOST_TEST(
      says(read(Value::of_text(R"([{"command":"A"},{"command":"B"}])"), 1).status, Code::over_limit, "at most 1"));
  BOOST_TEST(says(read(Value::of_binary(frames()), 1).status, Code::over_limit, "at most 1"));
}

BOOST_AUTO_TEST_CASE(in_a_body_of_http_the_array_is_taken_as_its_text) {
  Message message;
  std::string_view const body =
      R"({"a":1,"commands":[{"command":"SET","n":[1,2.5,null,true,"x\"y"],"o":{}},{"command":"DONE"}],"b":2})";
  BOOST_REQUIRE(parse_parameters(body, message).ok());
  BOOST_TEST(message.text("commands") ==
             R"([{"command":"SET","n":[1,2.5,null,true,"x\"y"],"o":{}},{"command":"DONE"}])");
  BOOST_TEST(message.integer("b").value() == 2);
  Message deep;
  BOOST_TEST(says(parse_parameters(R"({"commands":)" + std::string(100, '['), deep), Code::invalid, "nested too deep"));
  Message other;
  BOOST_TEST(says(parse_parameters(R"({"command":[1]})", other), Code::invalid, "an array"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::protocol
