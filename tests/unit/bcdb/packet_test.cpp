// Packets: their bytes as other clients write them, one byte at a time, and what lies about its size.
#include "wire/bcdb/packet.h"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/seed.h"

namespace fastjournal::bcdb {
namespace {

Key const kKey{0x04030201U, 0x0c0b0a0908070605ULL};
constexpr std::string_view kKeyText = "01020304 0506070809 0a0b0c";

// "01 02": bytes by their digits; spaces are for people.
std::string bytes_of(std::string_view digits) {
  std::string out;
  std::string pair;
  for (char const one : digits) {
    if (one == ' ') continue;
    pair += one;
    if (pair.size() < 2) continue;
    out += static_cast<char>(std::stoi(pair, nullptr, 16));
    pair.clear();
  }
  return out;
}

template <typename Packet>
std::string written(Packet const& packet) {
  std::string out = "x";  // it is appended
  write(packet, out);
  return out.substr(1);
}

// Every front of it needs more, and never more than there is.
template <typename Packet>
void check_fronts(std::string const& bytes) {
  Packet out;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Cut const cut = read(std::string_view{bytes}.substr(0, size), out);
    BOOST_TEST((cut.kind == Cut::Kind::need_more));
    BOOST_TEST((cut.bytes > size && cut.bytes <= bytes.size()));
  }
  Cut const cut = read(bytes + "more", out);
  BOOST_TEST((cut.kind == Cut::Kind::whole));
  BOOST_TEST(cut.bytes == bytes.size());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(bcdb_packets)

BOOST_AUTO_TEST_CASE(packets_of_version_1_have_these_bytes) {
  Ask const ask{.echo = 0xa4a3a2a1U, .key = kKey};
  std::string const asked = bytes_of("a1a2a3a4" + std::string{kKeyText});
  BOOST_TEST((written(ask) == asked));
  BOOST_TEST((read_ask(asked) == ask));
  Response const response{
      .echo = 1, .entry_time = 0x60000002U, .begin = 0x1003, .end = 0x0102030405060708ULL, .flags = kNewer};
  std::string const told = bytes_of("01000000 02000060 0310000000000000 0807060504030201");
  std::string out;
  write(response, false, out);
  BOOST_TEST((out == told));
  out.clear();
  write(response, true, out);
  BOOST_TEST((out == told + bytes_of("01000000")));
  BOOST_TEST((read_response(out) == response));
  BOOST_TEST(read_response(told).flags == 0U);
  BOOST_TEST(read_response(told).end == response.end);
  out.clear();
  write_echo(0xa4a3a2a1U, out);
  BOOST_TEST((out == bytes_of("a1a2a3a4")));
}

BOOST_AUTO_TEST_CASE(packets_of_version_2_have_these_bytes) {
  std::string const hello = bytes_of("464a424c4f420d0a 02000000 07000000");
  BOOST_TEST((written(Hello{.file = 7}) == hello));
  BOOST_TEST(is_hello(hello));
  BOOST_TEST((read_hello(hello) == Hello{.version = 2, .file = 7}));
  for (std::size_t i = 0; i < 8; ++i) {
    std::string wrong = hello;
    wrong[i] = static_cast<char>(wrong[i] ^ 1);
    BOOST_TEST(!is_hello(wrong));
  }
  std::string const key{kKeyText};
  BOOST_TEST(
      (written(Frame{.op = Op::query, .echo = 9, .key = kKey}) == bytes_of("01000000 09000000" + key + "00000000")));
  BOOST_TEST((written(Frame{.op = Op::put,
                            .echo = 9,
                            .key = kKey,
                            .length = 0x1122,
                            .hash = {.low = 0x6001c324468d497fULL, .high = 0x99aa06d3014798d8ULL}}) ==
              bytes_of("02000000 09000000" + key + "00000000 2211000000000000 99aa06d3014798d8 6001c324468d497f")));
  BOOST_TEST((written(Frame{.op = Op::attach, .echo = 9}) == bytes_of("03000000 09000000")));
  BOOST_TEST((written(Frame{.op = Op::fetch, .echo = 9, .key = kKey, .offset = 0x10, .length = kToItsEnd}) ==
              bytes_of("04000000 09000000" + key + "00000000 1000000000000000 ffffffffffffffff")));
  Reply const reply{
      .op = Op::put, .echo = 9, .entry_time = 0x0a, .begin = 0x1000, .end = 0x2000, .file = 3, .flags = kNewer};
  std::string const head = "02000000 09000000 00000000 0a000000 0010000000000000 0020000000000000 03000000 01000000";
  BOOST_TEST((written(reply) == bytes_of(head)));
  BOOST_TEST((written(Reply{.op = Op::query, .echo = 9, .outcome = Outcome::no_space, .text = "full"}) ==
              bytes_of("01000000 09000000 03000000 00000000 0000000000000000 0000000000000000 00000000 00000000"
                       "04000000 66756c6c")));
}

BOOST_AUTO_TEST_CASE(what_is_written_is_read_in_any_pieces) {
  std::uint64_t const drawn = fastjournal::test::seed_or(std::random_device{}());
  BOOST_TEST_MESSAGE("FJ_SEED=" << drawn);
  std::mt19937_64 chance{drawn};
  for (int i = 0; i < 300; ++i) {
    Frame frame{.op = static_cast<Op>(1 + chance() % 4), .echo = static_cast<std::uint32_t>(chance())};
    if (frame.op != Op::attach) {
      frame.key = {static_cast<std::uint32_t>(chance()), chance()};
      frame.zero = static_cast<std::uint32_t>(chance());
    }
    if (frame.op == Op::put) frame.hash = {chance(), chance()};
    if (frame.op == Op::put) frame.length = chance() % 3 == 0 ? kBlobBytesMax : chance() >> 1U;
    if (frame.op == Op::fetch) frame.offset = chance();
    if (frame.op == Op::fetch) frame.length = chance();
    std::string const bytes = written(frame);
    Frame back;
    BOOST_REQUIRE_MESSAGE(read(bytes, back).kind == Cut::Kind::whole, "FJ_SEED=" << drawn);
    BOOST_TEST((back == frame));
    check_fronts<Frame>(bytes);

    Reply reply{.op = static_cast<Op>(1 + chance() % 4),
                .echo = static_cast<std::uint32_t>(chance()),
                .outcome = static_cast<Outcome>(chance() % kOutcomes),
                .entry_time = static_cast<std::uint32_t>(chance()),
                .begin = chance() >> 2U,
                .file = static_cast<std::uint32_t>(chance()),
                .flags = static_cast<std::uint32_t>(chance())};
    reply.end = reply.begin + chance() % 1'000;
    if (reply.has_text()) reply.text.assign(chance() % 8 == 0 ? kTextBytesMax : chance() % 20, 't');
    std::string const told = written(reply);
    Reply heard;
    BOOST_REQUIRE_MESSAGE(read(told, heard).kind == Cut::Kind::whole, "FJ_SEED=" << drawn);
    BOOST_TEST((heard == reply));
    check_fronts<Reply>(told);
  }
}

BOOST_AUTO_TEST_CASE(a_wrong_op_or_length_is_broken_as_soon_as_it_is_there) {
  Frame frame;
  for (std::string_view const op : {"00000000", "05000000", "ffffffff", "01000001"})
    BOOST_TEST((read(bytes_of(std::string{op} + "09000000"), frame).kind == Cut::Kind::broken));
  std::string put = written(Frame{.op = Op::put, .length = kBlobBytesMax});
  BOOST_TEST((read(put, frame).kind == Cut::Kind::whole));
  put = written(Frame{.op = Op::put, .length = kBlobBytesMax + 1});
  Cut const cut = read(put, frame);
  BOOST_TEST((cut.kind == Cut::Kind::broken));
  BOOST_TEST(cut.problem == "length is 9223372036854775808; expected at most 9223372036854775807");
}

BOOST_AUTO_TEST_CASE(a_reply_that_lies_is_broken) {
  Reply reply;
  std::string const refused = written(Reply{.op = Op::query, .outcome = Outcome::refused, .text = "no"});
  std::string long_text = refused;
  long_text[kReplyBytes + 1] = 4;  // 1026
  BOOST_TEST((read(long_text, reply).kind == Cut::Kind::broken));
  long_text[kReplyBytes + 3] = '\xff';
  BOOST_TEST((read(long_text, reply).kind == Cut::Kind::broken));
  std::string turned = written(Reply{.op = Op::fetch, .begin = 2, .end = 2});
  BOOST_TEST((read(turned, reply).kind == Cut::Kind::whole));
  turned[16] = 3;
  BOOST_TEST((read(turned, reply).kind == Cut::Kind::broken));
  turned[31] = '\x80';  // an end that no file has
  BOOST_TEST((read(turned, reply).kind == Cut::Kind::broken));
  std::string const wrong_op = bytes_of("05000000") + std::string(kReplyBytes - 4, '\0');
  BOOST_TEST((read(wrong_op, reply).kind == Cut::Kind::broken));
  std::string unknown = refused;
  unknown[8] = 100;
  BOOST_TEST((read(unknown, reply).kind == Cut::Kind::whole));
  BOOST_TEST((reply.outcome == Outcome::refused && reply.text == "no"));
}

BOOST_AUTO_TEST_CASE(a_long_text_is_cut_between_two_characters) {
  std::string text(kTextBytesMax - 1, 'a');
  text += "\xc3\xa9";
  Reply reply;
  BOOST_TEST((read(written(Reply{.op = Op::query, .outcome = Outcome::refused, .text = text}), reply).kind ==
              Cut::Kind::whole));
  BOOST_TEST(reply.text == std::string(kTextBytesMax - 1, 'a'));
}

BOOST_AUTO_TEST_CASE(only_a_fetch_that_succeeded_is_followed_by_bytes) {
  BOOST_TEST((Reply{.op = Op::fetch, .begin = 5, .end = 12}.content_bytes()) == 7U);
  BOOST_TEST((Reply{.op = Op::query, .begin = 5, .end = 12}.content_bytes()) == 0U);
  BOOST_TEST((Reply{.op = Op::fetch, .outcome = Outcome::damaged, .begin = 5, .end = 12}.content_bytes()) == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::bcdb
