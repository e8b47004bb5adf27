// Frames: what is written is read, in any pieces, and what lies is told.
#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

#include "base/bytes.h"
#include "wire/fj/frame.h"

namespace fastjournal::fj {
namespace {

std::uint64_t seed() {
  char const* const text = std::getenv("FJ_SEED");
  return text != nullptr ? std::stoull(text) : std::random_device{}();
}

// Sizes around those where the width changes.
std::string drawn_text(std::mt19937_64& chance) {
  constexpr std::size_t kSizes[] = {0, 1, 7, 254, 255, 256, 257, 4000};
  return std::string(kSizes[chance() % std::size(kSizes)], static_cast<char>(chance()));
}
std::string drawn_value(std::mt19937_64& chance) {
  constexpr std::size_t kSizes[] = {0, 1, 253, 254, 255, 65'533, 65'534, 65'535, 65'536};
  return std::string(kSizes[chance() % std::size(kSizes)], static_cast<char>(chance()));
}

template <typename Frame>
void check_pieces(std::string const& bytes, std::mt19937_64& chance) {
  Frame out;
  BOOST_TEST((read(bytes, bytes.size(), out).kind == Cut::Kind::whole));
  for (int i = 0; i < 20; ++i) {
    std::size_t const there = chance() % bytes.size();
    Cut const cut = read(std::string_view{bytes}.substr(0, there), bytes.size(), out);
    BOOST_TEST((cut.kind == Cut::Kind::need_more));
    BOOST_TEST(cut.bytes > there);
    BOOST_TEST(cut.bytes <= bytes.size());
  }
  Cut const small = read(bytes, bytes.size() - 1, out);
  BOOST_TEST((small.kind == Cut::Kind::broken));
  BOOST_TEST(small.bytes == bytes.size());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fj_frames)

BOOST_AUTO_TEST_CASE(a_request_is_read_as_it_was_written) {
  std::uint64_t const drawn = seed();
  BOOST_TEST_MESSAGE("FJ_SEED=" << drawn);
  std::mt19937_64 chance{drawn};
  for (int i = 0; i < 2'000; ++i) {
    std::string const key = drawn_text(chance);
    std::string const upper = drawn_text(chance);
    std::string const value = drawn_value(chance);
    Request request;
    request.function = static_cast<std::uint16_t>(chance() % kFunctions);
    request.identifier = static_cast<std::uint16_t>(chance());
    request.flags = static_cast<std::uint16_t>(chance() & 0x3FF0U);
    request.timestamp = chance();
    if (chance() % 2 == 0) request.timeout = chance();
    if (request.query() == Query::range) request.count = static_cast<std::uint16_t>(chance());
    request.key = key;
    if (request.has_upper()) request.upper = upper;
    if (chance() % 2 == 0) request.value = TypedValue{static_cast<std::uint8_t>(chance()), value};
    std::string bytes;
    write(request, bytes);
    Request back;
    std::string const longer = bytes + "more";
    Cut const cut = read(longer, bytes.size(), back);
    BOOST_REQUIRE_MESSAGE(cut.kind == Cut::Kind::whole, cut.problem << " FJ_SEED=" << drawn);
    BOOST_TEST(cut.bytes == bytes.size());
    BOOST_TEST(back.function == request.function);
    BOOST_TEST(back.identifier == request.identifier);
    BOOST_TEST((back.flags & 0x3FF0U) == request.flags);
    BOOST_TEST(back.timestamp == request.timestamp);
    BOOST_TEST((back.timeout == request.timeout));
    BOOST_TEST(back.count == request.count);
    BOOST_TEST(back.key == key);
    BOOST_TEST(back.upper == request.upper);
    BOOST_TEST(back.value.has_value() == request.value.has_value());
    if (back.value) BOOST_TEST((back.value->type == request.value->type && back.value->bytes == value));
    std::string again;
    write(back, again);
    BOOST_TEST((again == bytes));
    if (i % 10 == 0) check_pieces<Request>(bytes, chance);
  }
}

BOOST_AUTO_TEST_CASE(a_reply_is_read_as_it_was_written) {
  std::uint64_t const drawn = seed();
  BOOST_TEST_MESSAGE("FJ_SEED=" << drawn);
  std::mt19937_64 chance{drawn};
  for (int i = 0; i < 1'000; ++i) {
    std::string const error = drawn_text(chance);
    std::string const cursor = drawn_text(chance);
    std::vector<std::string> texts;
    for (int k = 0; k < 10; ++k) texts.push_back(drawn_text(chance));
    Reply reply;
    reply.identifier = static_cast<std::uint16_t>(chance());
    reply.flags = static_cast<std::uint16_t>(chance() & 0x03C0U);
    reply.timestamp = chance();
    if (chance() % 2 == 0) reply.timeout = chance();
    if (chance() % 2 == 0) reply.error = error;
    bool const has_values = chance() % 2 == 0;
    std::size_t pairs = 0;
    if (chance() % 2 == 0) {
      reply.cursor = cursor;
      pairs = chance() % 5;
    } else if (has_values) {
      pairs = 1;
    }
    for (std::size_t k = 0; k < pairs; ++k) {
      reply.pairs.push_back({texts[2 * k], std::nullopt});
      if (has_values) reply.pairs.back().value = TypedValue{static_cast<std::uint8_t>(chance()), texts[2 * k + 1]};
    }
    std::string bytes;
    write(reply, bytes);
    Reply back;
    std::string const longer = bytes + "more";
    Cut const cut = read(longer, bytes.size(), back);
    BOOST_REQUIRE_MESSAGE(cut.kind == Cut::Kind::whole, cut.problem << " FJ_SEED=" << drawn);
    BOOST_TEST(cut.bytes == bytes.size());
    BOOST_TEST(back.identifier == reply.identifier);
    BOOST_TEST((back.timeout == reply.timeout && back.error == reply.error && back.cursor == reply.cursor));
    BOOST_REQUIRE_EQUAL(back.pairs.size(), pairs);
    for (std::size_t k = 0; k < pairs; ++k) BOOST_TEST(back.pairs[k].key == reply.pairs[k].key);
    std::string again;
    write(back, again);
    BOOST_TEST((again == bytes));
    if (i % 10 == 0) check_pieces<Reply>(bytes, chance);
  }
}

BOOST_AUTO_TEST_CASE(a_list_is_a_reply) {
  std::string pairs;
  append_pair({"a", TypedValue{2, "1"}}, pairs);
  append_pair({"b", std::nullopt}, pairs);
  std::string bytes;
  write(List{.identifier = 5, .cursor = "go on", .count = 2, .pairs = pairs}, bytes);
  Reply reply;
  BOOST_REQUIRE((read(bytes, bytes.size(), reply).kind == Cut::Kind::whole));
  BOOST_TEST(*reply.cursor == "go on");
  BOOST_REQUIRE_EQUAL(reply.pairs.size(), 2U);
  BOOST_TEST(reply.pairs[0].value->bytes == "1");
  BOOST_TEST(reply.pairs[1].value->type == 0U);
}

BOOST_AUTO_TEST_CASE(a_head_that_is_none_is_told_at_once) {
  Request request;
  for (auto const& [bytes, why] : {std::pair<std::string, std::string>{"G", "begins with \"G\""},
                                   {"FX", "begins with \"FX\""},
                                   {std::string("F\0", 2), "\"F\\x00\""},
                                   {std::string("FJ\0\2", 4), "version is 2; expected 1"},
                                   {std::string("FJ\0\1\0\x0c", 6) + std::string(12, '\0'), "function is 12"}}) {
    Cut const cut = read(bytes, 1'000, request);
    BOOST_TEST((cut.kind == Cut::Kind::broken));
    BOOST_TEST(cut.bytes == 0U);
    BOOST_TEST(cut.problem.find(why) != std::string::npos, cut.problem);
  }
  BOOST_TEST((read("F", 1'000, request).kind == Cut::Kind::need_more));
  BOOST_TEST((read("", 1'000, request).kind == Cut::Kind::need_more));
}

BOOST_AUTO_TEST_CASE(a_size_that_lies_is_told_before_its_bytes_come) {
  Request request;
  request.function = static_cast<std::uint16_t>(Function::set);
  request.identifier = 9;
  request.key = "k";
  std::string const large(70'000, 'x');
  request.value = TypedValue{2, large};
  std::string bytes;
  write(request, bytes);
  store_big(bytes.data() + kRequestHeadBytes + 2, std::uint32_t{UINT32_MAX});
  Request back;
  Cut const cut = read(std::string_view{bytes}.substr(0, kRequestHeadBytes + 6), 1U << 20U, back);
  BOOST_TEST((cut.kind == Cut::Kind::broken));
  BOOST_TEST(cut.identifier == 9U);
  BOOST_TEST(cut.bytes == kRequestHeadBytes + 6 + std::uint64_t{UINT32_MAX});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::fj
