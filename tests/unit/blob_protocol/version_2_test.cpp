// Version 2 of the ports of blob tables: frames of all kinds, pipelined, in any pieces; refusals; what is no frame.
#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fastjournal/extent.h"
#include "plugins/blob/parameters.h"
#include "tests/unit/blob_protocol/harness.h"

namespace fastjournal::blob {
namespace {

using bcdb::Frame;
using bcdb::Op;
using bcdb::Outcome;
using bcdb::Reply;

std::string query(std::uint32_t echo) { return bytes_of(Frame{.op = Op::query, .echo = echo, .key = kKey}); }
std::string put(std::uint32_t echo, std::string_view bytes) {
  return bytes_of(Frame{.op = Op::put, .echo = echo, .key = kKey, .length = bytes.size(), .hash = hash128(bytes)})
      .append(bytes);
}
std::string attach(std::uint32_t echo) { return bytes_of(Frame{.op = Op::attach, .echo = echo}); }
std::string fetch(std::uint32_t echo, std::uint64_t offset = 0, std::uint64_t length = bcdb::kToItsEnd) {
  return bytes_of(Frame{.op = Op::fetch, .echo = echo, .key = kKey, .offset = offset, .length = length});
}

Reply place(Op op, std::uint32_t echo) {
  return {.op = op, .echo = echo, .entry_time = 1'700'000'000, .begin = 4096, .end = 4106, .file = 3};
}

// Connected: the hellos are over.
Line greeted(Port port) {
  Line line{port};
  line.serve = serve_one;
  line.send(hello());
  line.out.clear();
  line.seen.clear();
  return line;
}

// More than a record carries: it comes in pieces.
std::string const kLong(kCarriedBytesMax + 1, 'x');

// A put that is whole in its frame.
std::string put_of(std::string const& bytes) {
  Hash128 const hash = hash128(bytes);
  return "PUT hash=0102030405060708090a0b0c data=" + bytes + " content_hash=" + digits_of(hash.high) +
         digits_of(hash.low);
}

constexpr char kVersion2Begin[] = "begin PUT hash=0102030405060708090a0b0c data=";
constexpr char kVersion2Get[] = "GET hash=0102030405060708090a0b0c";

}  // namespace

BOOST_AUTO_TEST_SUITE(blob_version_2)

BOOST_AUTO_TEST_CASE(frames_are_answered_in_order_however_they_come) {
  std::string const bytes = hello() + query(1) + put(2, "ten bytes!") + put(3, "") + attach(4) + fetch(5) + query(6);
  for (Port const port : {Port::read, Port::write}) {
    for (std::size_t step = 1; step <= bytes.size() + 6; step += step < 60 ? 1 : 50) {
      Line line{port};
      line.serve = serve_one;
      line.send(bytes, step);
      std::vector<std::string> const expected{"ATTACH",    kVersion2Get,          put_of("ten bytes!"),
                                              put_of(""),  "ATTACH descriptor=1", std::string{kVersion2Get} + " data=1",
                                              kVersion2Get};
      BOOST_REQUIRE_EQUAL_COLLECTIONS(line.seen.begin(), line.seen.end(), expected.begin(), expected.end());
      BOOST_TEST((line.out.substr(0, bcdb::kHelloBytes) == bytes_of(bcdb::Hello{.file = 3})));
      line.out.erase(0, bcdb::kHelloBytes);
      BOOST_TEST((line.reply() == place(Op::query, 1)));
      BOOST_TEST((line.reply() == place(Op::put, 2)));
      BOOST_TEST((line.reply() == place(Op::put, 3)));
      BOOST_TEST((line.reply() == Reply{.op = Op::attach, .echo = 4, .file = 3}));
      std::string data;
      BOOST_TEST((line.reply(&data) == place(Op::fetch, 5)));
      BOOST_TEST(data == "0123456789");
      BOOST_TEST((line.reply() == place(Op::query, 6)));
      BOOST_TEST((line.out.empty() && !line.ended && !line.protocol.ends_output()));
      line.end_input();
      BOOST_TEST(line.seen.size() == expected.size());
    }
  }
}

BOOST_AUTO_TEST_CASE(a_long_put_comes_in_pieces_between_others) {
  std::string const bytes = query(1) + put(2, kLong) + put(3, "short") + query(4);
  for (std::size_t const step : {std::size_t{999}, std::size_t{50'000}, SIZE_MAX}) {
    Line line = greeted(Port::write);
    line.send(bytes, step);
    std::vector<std::string> const expected{kVersion2Get, kVersion2Begin + std::to_string(kLong.size()), "end " + kLong,
                                            put_of("short"), kVersion2Get};
    BOOST_TEST((line.seen == expected));
    for (std::uint32_t echo = 1; echo <= 4; ++echo) BOOST_TEST(line.reply().echo == echo);
  }
}

BOOST_AUTO_TEST_CASE(a_put_names_its_size_and_hash) {
  StreamProtocol protocol{Port::write};
  Message message;
  std::string out;
  static_cast<void>(protocol.read(hello(), message, out));
  Param const attached[] = {{"file", Value::of_unsigned(3)}};
  protocol.write({.command = "ATTACHED", .params = attached}, out);
  std::string const bytes = put(1, kLong);
  Protocol::Piece piece = protocol.read(bytes, message, out);
  Hash128 const hash = hash128(kLong);
  BOOST_TEST((piece.kind == Protocol::Kind::begin && piece.value_bytes == kLong.size()));
  BOOST_TEST((piece.value_hash == std::array{hash.low, hash.high}));
  piece = protocol.read(kLong, message, out);
  BOOST_TEST((piece.kind == Protocol::Kind::content && piece.content == kLong));
  piece = protocol.read("", message, out);
  BOOST_TEST((piece.kind == Protocol::Kind::end));
  BOOST_TEST((piece.value_hash == std::array{hash.low, hash.high}));
}

BOOST_AUTO_TEST_CASE(the_next_frame_waits_for_the_answer) {
  Line line{Port::read};
  line.send(hello() + query(1) + query(2));
  BOOST_TEST((line.seen == std::vector<std::string>{"ATTACH"}));
  line.answer("ATTACHED", {{"file", Value::of_unsigned(1)}});
  line.read();
  BOOST_TEST((line.seen == std::vector<std::string>{"ATTACH", kVersion2Get}));
  serve_one(line, Message{"GET"});
  line.read();
  BOOST_TEST(line.seen.size() == 3U);
  Line writer = greeted(Port::write);
  writer.serve = [](Line&, Message const&) { return false; };
  writer.send(put(1, "abc") + query(2));
  BOOST_TEST((writer.seen.size() == 1 && writer.protocol.is_answering()));
  BOOST_TEST(writer.unread == query(2));
  Line longer = greeted(Port::write);
  longer.serve = [](Line&, Message const&) { return false; };
  longer.send(put(1, kLong) + query(2));
  BOOST_TEST((longer.seen.size() == 2 && longer.protocol.is_answering()));
  BOOST_TEST(longer.unread == query(2));
}

BOOST_AUTO_TEST_CASE(a_hello_is_answered_without_a_number_where_it_cannot_be_told) {
  Line line{Port::write};
  line.serve = [](Line& at, Message const&) {
    at.error("not_allowed", "this port adds only");
    return true;
  };
  line.send(hello());
  BOOST_TEST((line.out == bytes_of(bcdb::Hello{.file = 0})));
  BOOST_TEST(!line.ended);
}

BOOST_AUTO_TEST_CASE(another_version_is_told_ours_and_closed) {
  for (bcdb::Hello const& odd : {bcdb::Hello{.version = 3}, bcdb::Hello{.version = 0}, bcdb::Hello{.file = 1}}) {
    Line line{Port::read};
    line.serve = serve_one;
    line.send(bytes_of(odd) + query(1));
    BOOST_TEST(line.seen.size() == 1U);
    BOOST_TEST(line.seen.front().starts_with("bad not_supported: hello with version"));
    BOOST_TEST((line.ended && line.out == hello()));
  }
}

BOOST_AUTO_TEST_CASE(a_wrong_magic_is_a_packet_of_version_1) {
  std::string odd = hello();
  odd[7] = '\r';
  Line line{Port::read};
  line.serve = serve_one;
  line.send(odd, 1);
  BOOST_TEST(line.seen.front().starts_with("GET hash="));
  BOOST_TEST(line.out.size() == bcdb::kResponseBytes);
}

BOOST_AUTO_TEST_CASE(a_frame_without_an_end_is_told_and_closed) {
  for (std::string const& odd : {std::string{"\5\0\0\0\7\0\0\0", 8}, std::string{"\0\0\0\0\7\0\0\0", 8},
                                 bytes_of(Frame{.op = Op::put, .echo = 7, .length = UINT64_MAX}),
                                 bytes_of(Frame{.op = Op::put, .echo = 7, .length = std::uint64_t{1} << 63U})}) {
    Line line = greeted(Port::write);
    line.send(odd + query(8), 1);
    BOOST_TEST((line.seen.size() == 1 && line.seen.front().starts_with("bad bad_parameter")));
    BOOST_TEST(line.ended);
    BOOST_TEST((line.out.substr(4, 8) == std::string{"\7\0\0\0\2\0\0\0", 8}));  // echo, refused
    BOOST_TEST(line.out.ends_with("closed"));
  }
}

BOOST_AUTO_TEST_CASE(a_frame_with_bits_that_mean_nothing_is_refused_and_the_next_one_is_read) {
  std::string odd_put = bytes_of(Frame{.op = Op::put, .echo = 1, .key = kKey, .zero = 1, .length = 100});
  odd_put.append(100, '\1');
  std::string const bytes = odd_put + bytes_of(Frame{.op = Op::query, .echo = 2, .key = kKey, .zero = 9}) +
                            bytes_of(Frame{.op = Op::fetch, .echo = 3, .key = kKey, .zero = 9}) + query(4);
  for (std::size_t const step : {std::size_t{1}, std::size_t{13}, SIZE_MAX}) {
    Line line = greeted(Port::write);
    line.send(bytes, step);
    for (std::uint32_t echo = 1; echo <= 3; ++echo) {
      Reply const told = line.reply();
      BOOST_TEST((told.outcome == Outcome::refused && told.echo == echo && told.text.starts_with("bad_parameter: ")));
    }
    BOOST_TEST((line.reply() == place(Op::query, 4)));
    BOOST_TEST(!line.ended);
  }
}

BOOST_AUTO_TEST_CASE(a_refused_put_is_answered_at_once_and_its_bytes_are_passed_over) {
  for (std::size_t const step : {std::size_t{99}, std::size_t{5000}, SIZE_MAX}) {
    Line line = greeted(Port::write);
    line.accept = [](Message const&) { return Status{Code::too_large, "at most 4 bytes"}; };
    line.send(put(1, kLong).substr(0, 50), step);
    Reply const told = line.reply();
    BOOST_TEST((told.outcome == Outcome::too_large && told.echo == 1 && told.text == "too_large: at most 4 bytes"));
    line.send(put(1, kLong).substr(50) + query(2), step);
    BOOST_TEST(line.seen.at(1) == "end " + kLong);
    BOOST_TEST((line.reply() == place(Op::query, 2)));
    BOOST_TEST((line.out.empty() && !line.ended));
  }
}

BOOST_AUTO_TEST_CASE(a_put_that_fails_on_its_way_is_answered_then) {
  Line line = greeted(Port::write);
  line.send(put(1, kLong).substr(0, 50));
  line.error("io_error", "sync /x: Input/output error");
  BOOST_TEST((line.reply().outcome == Outcome::damaged));
  line.is_refused = true;
  line.send(put(1, kLong).substr(50) + query(2));
  BOOST_TEST((line.reply() == place(Op::query, 2)));
}

BOOST_AUTO_TEST_CASE(an_end_within_a_put_is_broken_and_elsewhere_nothing) {
  for (std::string const& bytes : {std::string{"many bytes"}, kLong}) {
    std::string const whole = put(1, bytes);
    for (std::size_t size = 0; size < whole.size(); size += size < 200 ? 1 : 5'000) {
      Line line = greeted(Port::write);
      line.send(whole.substr(0, size));
      line.end_input();
      bool const began = size >= bcdb::kFrameBytesMax && bytes.size() > kCarriedBytesMax;
      BOOST_TEST(line.seen.size() == (began ? 2U : 0U));
      if (began) BOOST_TEST(line.seen.back() == "broken");
      BOOST_TEST((line.out.empty() && !line.protocol.is_answering()));
    }
    Line line = greeted(Port::write);
    line.send(whole);
    line.end_input();
    BOOST_TEST(line.seen.back() == (bytes == kLong ? "end " + kLong : put_of(bytes)));
    BOOST_TEST((line.reply() == place(Op::put, 1)));
  }
}

BOOST_AUTO_TEST_CASE(each_error_has_its_status_and_says_its_name) {
  std::pair<char const*, Outcome> const cases[] = {
      {"no_space", Outcome::no_space},       {"over_limit", Outcome::no_space},   {"damaged", Outcome::damaged},
      {"io_error", Outcome::damaged},        {"too_large", Outcome::too_large},   {"not_allowed", Outcome::not_allowed},
      {"unavailable", Outcome::unavailable}, {"paused", Outcome::unavailable},    {"timed_out", Outcome::unavailable},
      {"bad_parameter", Outcome::refused},   {"stale_sequence", Outcome::refused}};
  for (auto const& [code, outcome] : cases) {
    Line line = greeted(Port::read);
    line.serve = [code = code](Line& at, Message const&) {
      at.error(code, "why");
      return true;
    };
    line.send(query(1));
    BOOST_TEST(
        (line.reply() == Reply{.op = Op::query, .echo = 1, .outcome = outcome, .text = std::string{code} + ": why"}));
    BOOST_TEST(!line.ended);
  }
}

BOOST_AUTO_TEST_CASE(what_has_no_form_is_refused) {
  Line line = greeted(Port::read);
  line.serve = [](Line& at, Message const&) {
    at.answer("UNKNOWN", {});
    return true;
  };
  line.send(query(1));
  BOOST_TEST(line.reply().text == "not_supported: UNKNOWN has no form in this protocol");
}

BOOST_AUTO_TEST_CASE(an_error_while_nothing_is_asked_ends_the_connection_and_other_messages_are_dropped) {
  Line line = greeted(Port::read);
  line.answer("STORED", {});
  line.protocol.write({.command = "ERROR", .is_push = true}, line.out);
  BOOST_TEST((!line.protocol.ends() && line.out.empty()));
  line.error("closed", "the daemon ends");
  BOOST_TEST((line.protocol.ends() && line.out.empty()));
}

BOOST_AUTO_TEST_CASE(a_fetch_names_its_part_and_tells_the_coordinates_of_what_follows) {
  Line line = greeted(Port::read);
  line.serve = [](Line& at, Message const& message) {
    BOOST_TEST(message.integer("offset").value_or(0) == 4);
    BOOST_TEST(message.integer("length").value_or(0) == 3);
    at.answer("BLOB", {{"result", Value::of_text("found")},
                       {"begin", Value::of_unsigned(4096)},
                       {"end", Value::of_unsigned(4106)},
                       {"data", Value::of_binary("456")}});
    return true;
  };
  line.send(fetch(1, 4, 3));
  std::string data;
  BOOST_TEST((line.reply(&data) == Reply{.op = Op::fetch, .echo = 1, .begin = 4100, .end = 4103}));
  BOOST_TEST(data == "456");
  // Behind its end there is nothing.
  line.serve = [](Line& at, Message const&) {
    at.answer(
        "BLOB",
        {{"result", Value::of_text("found")}, {"begin", Value::of_unsigned(4096)}, {"end", Value::of_unsigned(4106)}});
    return true;
  };
  line.send(fetch(2, UINT64_MAX, 3));
  BOOST_TEST((line.reply(&data) == Reply{.op = Op::fetch, .echo = 2, .begin = 4106, .end = 4106}));
}

BOOST_AUTO_TEST_CASE(bytes_in_their_file_are_left_to_the_server) {
  Line line = greeted(Port::read);
  BOOST_TEST(line.protocol.sends_stored());
  StoredValue const stored{.extent = {.file = 3, .begin = 5000, .end = 9000}};
  line.serve = [&](Line& at, Message const&) {
    at.answer("BLOB", {{"result", Value::of_text("found")},
                       {"begin", Value::of_unsigned(4096)},
                       {"end", Value::of_unsigned(9000)},
                       {"file", Value::of_unsigned(3)},
                       {"data", Value::of_stored(stored)}});
    return true;
  };
  line.send(fetch(1, 904));
  Reply told;
  BOOST_TEST(bcdb::read(line.out, told).bytes == line.out.size());
  BOOST_TEST((told == Reply{.op = Op::fetch, .echo = 1, .begin = 5000, .end = 9000, .file = 3}));
  BOOST_TEST(told.content_bytes() == 4000U);
  BOOST_TEST(line.protocol.stored_part().offset == 0U);
  BOOST_TEST(line.protocol.stored_part().bytes == 4000U);
  // Of what has no bytes, none follow.
  line.serve = [](Line& at, Message const&) {
    at.answer("BLOB", {{"result", Value::of_text("absent")}});
    return true;
  };
  line.send(fetch(2));
  BOOST_TEST(line.protocol.stored_part().bytes == 0U);
}

BOOST_AUTO_TEST_CASE(a_fetch_of_what_is_absent_is_zeros) {
  Line line = greeted(Port::read);
  line.serve = [](Line& at, Message const&) {
    at.answer("BLOB", {{"result", Value::of_text("absent")}, {"file", Value::of_unsigned(3)}});
    return true;
  };
  line.send(fetch(1));
  BOOST_TEST((line.reply() == Reply{.op = Op::fetch, .echo = 1, .outcome = Outcome::absent, .file = 3}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::blob
