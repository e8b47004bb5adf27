// msgpack messages: round trips, values as views and not as copies, and damage at every byte.
#include "wire/msgpack.h"

#include "tests/unit/protocol/support.h"
#include "wire/framer.h"

#include <cmath>

namespace fastjournal::protocol {

using namespace test;

namespace {

std::string body_of(Outgoing const& message) {
  std::string out;
  append_frame(message, out);
  Framer framer{FrameLimits{}};
  Framer::Piece const piece = framer.next(out);
  BOOST_REQUIRE((piece.kind == Framer::Kind::frame));
  BOOST_REQUIRE(piece.consumed == out.size());
  return std::string{piece.bytes};
}

Status status_of_body(std::string_view body) {
  Message message;
  return parse_frame(body, message);
}

// A msgpack string of less than 32 bytes.
std::string str(std::string_view text) { return static_cast<char>(0xa0 + text.size()) + std::string{text}; }
std::string map(std::size_t entries) { return std::string(1, static_cast<char>(0x80 + entries)); }
std::string command(std::string_view name) { return str("command") + str(name); }

std::vector<Param> const kParams = {{"text", Value::of_text("a;b\"c\\\n")},
                                    {"bin", Value::of_binary(std::string_view{"\0\xff\x01", 3})},
                                    {"small", Value::of_integer(5)},
                                    {"negative", Value::of_integer(INT64_MIN)},
                                    {"big", Value::of_unsigned(UINT64_MAX)},
                                    {"real", Value::of_real(0.1)},
                                    {"yes", Value::of_boolean(true)},
                                    {"no", Value::of_boolean(false)},
                                    {"empty", Value::of_text("")}};

}  // namespace

BOOST_AUTO_TEST_SUITE(msgpack_form)

BOOST_AUTO_TEST_CASE(a_frame_is_these_bytes) {
  Param const params[] = {{"n", Value::of_integer(7)}};
  std::string out;
  append_frame({.command = "A", .params = params}, out);
  BOOST_TEST(out == (std::string{"FJM\x01\0\0\0\x1a", 8} + map(2) + command("A") + str("parameters") + map(1) +
                     str("n") + "\x07"));
}

BOOST_AUTO_TEST_CASE(a_whole_message_comes_back_and_its_strings_are_views_into_the_body) {
  std::string const body = body_of({.from_server = "alpha",
                                    .from_service = "pages",
                                    .server = "beta",
                                    .service = "fastjournal",
                                    .command = "INSERT",
                                    .params = kParams});
  Message message;
  Status const status = parse_frame(body, message);
  BOOST_TEST_INFO(status.message());
  BOOST_REQUIRE(status.ok());
  BOOST_TEST(message.from_server == "alpha");
  BOOST_TEST(message.from_service == "pages");
  BOOST_TEST(message.server == "beta");
  BOOST_TEST(message.service == "fastjournal");
  BOOST_TEST(message.command == "INSERT");
  BOOST_REQUIRE(message.params().size() == kParams.size());
  for (std::size_t i = 0; i < kParams.size(); ++i) {
    BOOST_TEST_INFO(kParams[i].name);
    BOOST_TEST(message.params()[i].name == kParams[i].name);
    BOOST_TEST(same(message.params()[i].value, kParams[i].value));
  }
  char const* const text = message.text("text").data();
  BOOST_TEST((text > body.data() && text < body.data() + body.size()));
}

BOOST_AUTO_TEST_CASE(an_unsigned_number_that_fits_comes_back_signed) {
  Param const params[] = {{"n", Value::of_unsigned(7)}};
  std::string const body = body_of({.command = "A", .params = params});
  Message message;
  BOOST_REQUIRE(parse_frame(body, message).ok());
  BOOST_TEST((message.find("n")->kind == Value::Kind::integer));
  BOOST_TEST(message.integer("n").value() == 7);
}

BOOST_AUTO_TEST_CASE(values_of_every_size_class_come_back) {
  for (std::size_t size : {0U, 31U, 32U, 255U, 256U, 65'535U, 65'536U}) {
    std::string const bytes(size, 'x');
    Param const params[] = {{"t", Value::of_text(bytes)}, {"b", Value::of_binary(bytes)}};
    std::string const body = body_of({.command = "A", .params = params});
    Message message;
    BOOST_REQUIRE(parse_frame(body, message).ok());
    for (Param const& param : params) BOOST_TEST(same(*message.find(param.name), param.value));
  }
}

BOOST_AUTO_TEST_CASE(keys_that_no_message_has_are_passed_over_with_all_they_hold) {
  std::string const nested =
      map(1) + str("command") + std::string("\x93\x01\xc0", 3) + map(1) + str("parameters") + "\x01";
  std::string const body = map(3) + str("x") + nested + command("A") + str("y") + std::string("\xd4\x01\x02", 3);
  Message message;
  BOOST_REQUIRE(parse_frame(body, message).ok());
  BOOST_TEST(message.command == "A");
  BOOST_TEST(message.params().empty());
}

BOOST_AUTO_TEST_CASE(the_last_of_a_name_wins) {
  std::string const body = map(2) + command("A") + str("parameters") + map(2) + str("a") + "\x01" + str("a") + "\x02";
  Message message;
  BOOST_REQUIRE(parse_frame(body, message).ok());
  BOOST_TEST(message.params().size() == 1U);
  BOOST_TEST(message.integer("a").value() == 2);
}

BOOST_AUTO_TEST_CASE(what_is_no_message_is_refused_with_offset_and_reason) {
  std::string const head = map(2) + command("A") + str("parameters");
  std::pair<std::string, std::string_view> const cases[] = {
      {"", "at byte 0: it ends in the middle of a value"},
      {map(1), "at byte 1: it ends in the middle of a value"},
      {map(0), "there is no command"},
      {map(1) + command(""), "there is no command"},
      {map(1) + command("A B"), "the command \"A B\" holds a blank"},
      {map(1) + command("A") + "\xc0", "at byte 11"},
      {"\x07", "a message is a map"},
      {str("PING"), "a message is a map"},
      {"\x90", "an array is no value of a message"},
      {"\xc0", "nil is no value of a message"},
      {"\xc1", "a byte that msgpack does not use"},
      {map(1) + "\x07" + str("A"), "a key must be a string"},
      {map(1) + map(0) + str("A"), "a key must be a string"},
      {map(1) + "\x90" + str("A"), "a key must be a string"},
      {map(1) + str("command") + "\x07", "the other values strings"},
      {map(1) + str("command") + map(0), "a map is no value"},
      {map(1) + str("command") + "\x90", "an array is no value"},
      {head + "\x07", "\"parameters\" must be a map"},
      {head + str("x"), "\"parameters\" must be a map"},
      {head + map(1) + "\x07\x07", "a key must be a string"},
      {head + map(1) + str("a-b") + "\x07", "this is \"a-b\""},
      {head + map(1) + str("a") + "\xc0", "parameter \"a\": nil is no value"},
      {head + map(1) + str("a") + "\x90", "parameter \"a\": an array is no value"},
      {head + map(1) + str("a") + map(0), "parameter \"a\": a map is no value"},
      {head + map(1) + str("a") + std::string("\xd4\x01\x02", 3), "parameter \"a\": an extension type is no value"}};
  for (auto const& [body, reason] : cases) {
    Status const status = status_of_body(body);
    BOOST_TEST_CONTEXT(reason) {
      BOOST_TEST((status.code() == Code::invalid));
      BOOST_TEST_INFO(status.message());
      BOOST_TEST(status.message().find(reason) != std::string::npos);
    }
  }
}

BOOST_AUTO_TEST_CASE(depth_and_number_of_parameters_are_bounded) {
  std::string const arrays(1'000'000, '\x91');
  std::string maps;
  for (int i = 0; i < 1'000'000; ++i) maps += "\x81\x07";
  for (std::string const& inside : {arrays, maps})
    BOOST_TEST(status_of_body(map(1) + str("x") + inside).message().find("nested more than 16 deep") !=
               std::string::npos);
  std::vector<std::string> names;
  for (int i = 0; i < 257; ++i) names.push_back("p" + std::to_string(i));
  std::vector<Param> params;
  for (std::string const& name : names) params.push_back({name, Value::of_integer(1)});
  BOOST_TEST((status_of_body(body_of({.command = "A", .params = params})).code() == Code::too_large));
  params.pop_back();
  BOOST_TEST(status_of_body(body_of({.command = "A", .params = params})).ok());
  // A map that claims 4 G entries and has none.
  BOOST_TEST((status_of_body("\xdf\xff\xff\xff\xff").code() == Code::invalid));
}

BOOST_AUTO_TEST_CASE(damage_at_any_byte_is_read_or_refused) {
  std::string const body =
      body_of({.from_server = "a", .service = "fastjournal", .command = "INSERT", .params = kParams});
  for (std::size_t at = 0; at < body.size(); ++at) {
    // Exactly as long as the message, so that a sanitizer sees any byte that is read beyond it.
    std::vector<char> const cut(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(at));
    BOOST_TEST((status_of_body({cut.data(), cut.size()}).code() == Code::invalid));
    for (int bit = 0; bit < 8; ++bit) {
      std::vector<char> damaged(body.begin(), body.end());
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      Message message;
      if (!parse_frame({damaged.data(), damaged.size()}, message).ok()) continue;
      std::size_t total = message.command.size();
      for (Param const& param : message.params()) total += param.name.size() + param.value.bytes.size();
      BOOST_REQUIRE(total <= damaged.size());
    }
  }
}

BOOST_AUTO_TEST_CASE(random_messages_come_back_the_same) {
  Random random{seed()};
  constexpr std::string_view kBytes{"ab;\"\\nr \t\r\n\0=\xc3\xff", 16};
  for (int round = 0; round < 5'000; ++round) {
    BOOST_TEST_CONTEXT("FJ_SEED=" << seed() << " round " << round) {
      std::string names[6];
      std::string texts[6];
      std::vector<Param> params;
      for (std::size_t i = 0; i < 6 && !random.one_in(5); ++i) {
        names[i] = "n" + std::to_string(i);
        texts[i] = random.text(kBytes, 300);
        auto const word = static_cast<std::int64_t>(random.word() >> random.below(64));
        Value const values[] = {Value::of_text(texts[i]),
                                Value::of_binary(texts[i]),
                                Value::of_integer(random.one_in(2) ? word : -1 - (word & INT64_MAX)),
                                Value::of_boolean(word % 2 == 0),
                                Value::of_real(std::ldexp(static_cast<double>(word), -20)),
                                Value::of_unsigned(random.word() | 1ULL << 63U)};
        params.push_back({names[i], values[random.below(6)]});
      }
      std::string const body = body_of({.service = "s", .command = "CMD", .params = params});
      Message message;
      BOOST_REQUIRE(parse_frame(body, message).ok());
      BOOST_REQUIRE(message.params().size() == params.size());
      for (std::size_t i = 0; i < params.size(); ++i) {
        BOOST_TEST(message.params()[i].name == params[i].name);
        BOOST_TEST(same(message.params()[i].value, params[i].value));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(random_bytes_are_read_or_refused) {
  Random random{seed()};
  for (int round = 0; round < 20'000; ++round) {
    std::vector<char> bytes(random.below(60));
    for (char& c : bytes) c = static_cast<char>(random.word());
    if (!bytes.empty() && random.one_in(2)) bytes[0] = '\x82';
    BOOST_TEST_CONTEXT("FJ_SEED=" << seed() << " round " << round) {
      Status const status = status_of_body({bytes.data(), bytes.size()});
      BOOST_REQUIRE((status.ok() || status.code() == Code::invalid));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::protocol
