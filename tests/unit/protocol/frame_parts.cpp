// What spares a forwarder of many rows the whole way through a Message: parameters added to a body as it is, and the head
// of an answer.
#include <boost/test/unit_test.hpp>

#include <random>
#include <string>
#include <vector>

#include "wire/framer.h"
#include "wire/msgpack.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::protocol;

std::string body_of(std::string_view command, std::vector<Param> const& params) {
  std::string out;
  append_frame({.command = command, .params = params}, out);
  return out.substr(kFrameHeaderBytes);
}

std::vector<Param> numbered(std::vector<std::string> const& names) {
  std::vector<Param> out;
  for (std::string const& name : names) out.push_back({name, Value::of_text(name)});
  return out;
}

std::vector<std::string> names(std::size_t count) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back("column_" + std::to_string(i));
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(parts_of_frames)

BOOST_AUTO_TEST_CASE(more_parameters_give_the_frame_that_would_be_written_anew) {
  std::vector<Param> const more{{"client", Value::of_text("spool-1")},
                                {"sequence", Value::of_integer(70'000)},
                                {"request", Value::of_unsigned(5)}};
  for (std::size_t const count : {1U, 2U, 11U, 12U, 13U, 15U, 16U, 100U, 200U}) {
    std::vector<std::string> const all = names(count);
    std::vector<Param> params = numbered(all);
    std::string const body = body_of("INSERT", params);
    params.insert(params.end(), more.begin(), more.end());
    std::string whole;
    append_frame({.command = "INSERT", .params = params}, whole);
    std::string out{"before"};
    BOOST_REQUIRE(append_frame_with(body, more, out));
    BOOST_TEST((out == "before" + whole), count << " parameters");
  }
}

BOOST_AUTO_TEST_CASE(a_body_of_another_form_is_left_alone) {
  std::vector<Param> const more{{"request", Value::of_unsigned(5)}};
  std::vector<std::string> const full = names(Message::kParamsMax);
  std::string with_service;
  append_frame({.service = "x", .command = "INSERT", .params = more}, with_service);
  std::string const whole = body_of("INSERT", numbered(names(2)));
  std::vector<std::string> bodies{"",
                                  "\x82",
                                  "\x80",
                                  body_of("INSERT", {}),
                                  with_service.substr(kFrameHeaderBytes),
                                  body_of("INSERT", numbered(full)),
                                  body_of(std::string(32, 'A'), numbered(names(1)))};
  for (std::size_t size = 0; size < 27; ++size) bodies.push_back(whole.substr(0, size));
  for (std::string const& body : bodies) {
    std::string out{"before"};
    BOOST_TEST(!append_frame_with(body, more, out));
    BOOST_TEST(out == "before");
  }
}

BOOST_AUTO_TEST_CASE(the_head_of_an_answer_is_what_the_whole_message_says) {
  std::mt19937_64 random{1};
  std::vector<Param> const params{{"table", Value::of_text("request")},
                                  {"row", Value::of_integer(9)},
                                  {"real", Value::of_real(1.5)},
                                  {"request", Value::of_unsigned(77)},
                                  {"blob", Value::of_binary("\xa7request\x01")}};
  std::string const body = body_of("INSERTED", params);
  AnswerHead head;
  BOOST_REQUIRE(parse_answer_head(body, head));
  BOOST_TEST(head.command == "INSERTED");
  BOOST_TEST(head.request == 77U);
  for (std::string const& bad : {std::string{}, body.substr(1), body + "x", body_of("INSERTED", {params[0]}),
                                 std::string{"\x91\x01"}, std::string{"\xc1"}})
    BOOST_TEST(!parse_answer_head(bad, head));
  // Whatever the bytes are, it says nothing that parse_frame would not.
  for (int i = 0; i < 20'000; ++i) {
    std::string damaged = body;
    for (std::uint64_t flips = 1 + random() % 3; flips > 0; --flips)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    damaged.resize(random() % 8 == 0 ? random() % damaged.size() : damaged.size());
    AnswerHead seen;
    Message message;
    if (!parse_answer_head(damaged, seen) || !parse_frame(damaged, message).ok()) continue;
    BOOST_TEST(message.command == seen.command);
    Value const* const request = message.find("request");
    BOOST_REQUIRE(request != nullptr);
    BOOST_TEST(request->as_unsigned().value_or(0) == seen.request);
  }
}

BOOST_AUTO_TEST_SUITE_END()
