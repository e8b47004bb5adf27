// Version 1 of the ports of blob tables: 16 bytes in, 24 or 28 out; a write that has no result; a query by datagram.
#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "plugins/blob/datagrams.h"
#include "tests/unit/blob_protocol/harness.h"

namespace fastjournal::blob {
namespace {

std::string ask(std::uint32_t echo) { return bytes_of(bcdb::Ask{.echo = echo, .key = kKey}); }

constexpr char kGet[] = "GET hash=0102030405060708090a0b0c by_name=1";
constexpr char kBegin[] = "begin PUT hash=0102030405060708090a0b0c data";

}  // namespace

BOOST_AUTO_TEST_SUITE(blob_version_1)

BOOST_AUTO_TEST_CASE(queries_are_answered_one_after_the_other_however_they_come) {
  for (std::size_t const step : {std::size_t{1}, std::size_t{7}, std::size_t{16}, std::size_t{23}, SIZE_MAX}) {
    Line line{Port::read};
    line.serve = serve_one;
    line.send(ask(1) + ask(2) + ask(3), step);
    BOOST_TEST(line.seen == std::vector<std::string>(3, kGet), boost::test_tools::per_element());
    BOOST_REQUIRE(line.out.size() == 3 * bcdb::kResponseBytes);
    for (std::uint32_t i = 0; i < 3; ++i) {
      bcdb::Response const told =
          bcdb::read_response(std::string_view{line.out}.substr(i * bcdb::kResponseBytes, bcdb::kResponseBytes));
      BOOST_TEST((told == bcdb::Response{.echo = i + 1, .entry_time = 1'700'000'000, .begin = 4096, .end = 4106}));
    }
    BOOST_TEST((!line.ended && !line.protocol.ends_output()));
    line.end_input();
    BOOST_TEST(line.seen.size() == 3U);
  }
}

// A blob of it would be stored otherwise.
BOOST_AUTO_TEST_CASE(whoever_speaks_something_else_is_told_what_is_spoken_here) {
  for (Port const port : {Port::read, Port::write}) {
    for (std::string_view const text : {"INSERT table=blobs;name=a\n", "GET /metrics HTTP/1.1\r\n\r\n",
                                        "CONNECT\naccept-version:1.2\n\n", "HELP\n"}) {
      Line line{port};
      line.send(text);
      BOOST_REQUIRE(line.seen.size() == 1U);
      BOOST_TEST(line.seen.front().starts_with("bad "), line.seen.front());
      BOOST_TEST(line.out.starts_with("this port speaks packets of blobs ("), line.out);
      BOOST_TEST(line.out.ends_with("\n"));
      BOOST_TEST(line.ended);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_handshake_of_tls_is_told_however_it_is_cut_and_no_packet_is_taken_for_one) {
  using std::string_view_literals::operator""sv;
  constexpr std::string_view kHello = "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\x11\x22\x33\x44\x55"sv;
  for (Port const port : {Port::read, Port::write})
    for (std::size_t step = 1; step <= kHello.size(); ++step) {
      Line line{port};
      line.send(kHello, step);
      BOOST_TEST_CONTEXT("by " << step) {
        BOOST_REQUIRE(line.seen.size() == 1U);
        BOOST_TEST(line.out.find("a handshake of TLS") != std::string::npos, line.out);
        BOOST_TEST(line.ended);
      }
    }
  // A query with this number: its first bytes are those of a record of TLS.
  std::string const query = ask(0x0201'0316U);
  BOOST_REQUIRE(query.starts_with("\x16\x03\x01\x02"));
  for (std::size_t step = 1; step <= query.size(); ++step) {
    Line line{Port::read};
    line.send(query, step);
    BOOST_REQUIRE(line.seen.size() == 1U);
    BOOST_TEST(line.seen.front().starts_with("GET "), line.seen.front() << " by " << step);
  }
}

BOOST_AUTO_TEST_CASE(the_next_query_waits_for_the_answer) {
  Line line{Port::read};
  line.send(ask(1) + ask(2));
  BOOST_TEST((line.seen.size() == 1 && line.waits == 1 && line.protocol.is_answering()));
  line.serve = serve_one;
  serve_one(line, Message{"GET"});
  BOOST_TEST(!line.protocol.is_answering());
  line.read();
  BOOST_TEST(line.seen.size() == 2U);
  BOOST_TEST(line.out.size() == 2 * bcdb::kResponseBytes);
}

BOOST_AUTO_TEST_CASE(absent_is_zeros) {
  Line line{Port::read};
  line.serve = [](Line& at, Message const&) {
    at.answer("BLOB", {{"result", Value::of_text("absent")},
                       {"begin", Value::of_unsigned(0)},
                       {"file", Value::of_unsigned(9)},
                       {"newer", Value::of_unsigned(0)}});
    return true;
  };
  line.send(ask(5));
  BOOST_TEST((line.out == ask(5).substr(0, 4) + std::string(20, '\0')));
}

// The table's option was changed meanwhile.
BOOST_AUTO_TEST_CASE(a_stream_whose_responses_would_get_another_length_ends) {
  for (int const first : {1, 2}) {
    Line line{Port::read};
    int files = first;
    line.serve = [&files](Line& at, Message const&) {
      at.answer(
          "BLOB",
          {{"result", Value::of_text("found")}, {"end", Value::of_unsigned(7)}, {"files", Value::of_integer(files)}});
      return true;
    };
    line.send(ask(5) + ask(6));
    std::size_t const bytes = line.out.size();
    BOOST_TEST(bytes == 2 * (first == 2 ? bcdb::kResponseWithFlagsBytes : bcdb::kResponseBytes));
    BOOST_TEST(!line.protocol.ends());
    files = 3 - first;
    line.send(ask(7));
    BOOST_TEST(line.out.size() == bytes);
    BOOST_TEST(line.protocol.ends());
  }
}

BOOST_AUTO_TEST_CASE(a_table_with_two_files_says_which_one_in_28_bytes) {
  for (int const newer : {0, 1}) {
    Line line{Port::read};
    line.serve = [newer](Line& at, Message const&) {
      at.answer("BLOB", {{"result", Value::of_text("found")},
                         {"end", Value::of_unsigned(7)},
                         {"files", Value::of_integer(2)},
                         {"newer", Value::of_integer(newer)}});
      return true;
    };
    line.send(ask(5));
    BOOST_REQUIRE(line.out.size() == bcdb::kResponseWithFlagsBytes);
    BOOST_TEST(
        (bcdb::read_response(line.out) == bcdb::Response{.echo = 5, .end = 7, .flags = newer == 1 ? bcdb::kNewer : 0}));
  }
}

// Zeros would say that there is no such blob.
BOOST_AUTO_TEST_CASE(a_refused_query_ends_the_connection_without_an_answer) {
  for (char const* const code : {"not_allowed", "unavailable", "over_limit", "bad_parameter", "what_is_this"}) {
    Line line{Port::read};
    line.serve = [code](Line& at, Message const&) {
      at.error(code, "no");
      return true;
    };
    line.send(ask(1) + ask(2));
    BOOST_TEST((line.seen.size() == 1 && line.out.empty() && line.ended));
  }
}

BOOST_AUTO_TEST_CASE(a_write_is_echoed_once_accepted_and_ends_with_its_stream) {
  for (std::size_t const step : {std::size_t{1}, std::size_t{17}, SIZE_MAX}) {
    Line line{Port::write};
    line.send(ask(0x01020304U) + "the bytes", step);
    BOOST_TEST(line.seen == std::vector<std::string>{kBegin}, boost::test_tools::per_element());
    BOOST_TEST(line.out == "\4\3\2\1");
    BOOST_TEST(line.protocol.ends_output());
    BOOST_TEST(line.content == "the bytes");
    BOOST_TEST((!line.protocol.is_answering() && !line.ended));
    line.end_input();
    BOOST_TEST(line.seen.back() == "end the bytes");
    BOOST_TEST((line.protocol.is_answering() && !line.protocol.ends()));
    serve_one(line, Message{"PUT"});
    BOOST_TEST((!line.protocol.is_answering() && line.protocol.ends()));
    BOOST_TEST(line.out == "\4\3\2\1");
  }
}

BOOST_AUTO_TEST_CASE(a_blob_may_be_empty_and_may_look_like_a_hello) {
  Line empty{Port::write};
  empty.send(ask(1));
  empty.end_input();
  BOOST_TEST(empty.seen.back() == "end ");
  Line odd{Port::write};
  odd.send(ask(1) + hello(), 5);
  odd.end_input();
  BOOST_TEST(odd.seen.back() == "end " + hello());
}

BOOST_AUTO_TEST_CASE(a_refused_write_has_no_echo) {
  Line line{Port::write};
  line.accept = [](Message const&) { return Status{Code::no_space, "full"}; };
  line.send(ask(1) + "the bytes", 1);
  BOOST_TEST((line.seen.size() == 1 && line.out.empty()));
  BOOST_TEST((line.ended && !line.protocol.ends_output()));
}

BOOST_AUTO_TEST_CASE(a_write_that_fails_later_ends_the_connection) {
  Line line{Port::write};
  line.send(ask(1) + "the");
  line.error("too_large", "no");
  BOOST_TEST((line.protocol.ends() && line.out.size() == bcdb::kEchoBytes));
}

BOOST_AUTO_TEST_CASE(an_end_before_the_key_is_whole_is_nothing) {
  for (Port const port : {Port::read, Port::write}) {
    Line line{port};
    line.send(ask(1).substr(0, 15), 1);
    line.end_input();
    BOOST_TEST((line.seen.empty() && line.out.empty() && !line.ended));
  }
}

BOOST_AUTO_TEST_CASE(a_datagram_is_one_query_of_16_bytes) {
  DatagramProtocol protocol;
  Message message;
  std::string out;
  Param const blob[] = {
      {"result", Value::of_text("found")}, {"entry_time", Value::of_integer(7)}, {"end", Value::of_unsigned(9)}};
  // The magic of version 2 is a key here like any other.
  for (std::string const& datagram : {ask(1), hello()}) {
    Protocol::Piece const piece = protocol.read(datagram, message, out);
    BOOST_TEST((piece.kind == Protocol::Kind::message && piece.consumed == 16));
    BOOST_TEST(message.command == "GET");
    BOOST_TEST(protocol.is_answering());
    protocol.write({.command = "BLOB", .params = blob}, out);
    BOOST_TEST(
        (bcdb::read_response(out) == bcdb::Response{.echo = bcdb::read_ask(datagram).echo, .entry_time = 7, .end = 9}));
    BOOST_TEST((out.size() == bcdb::kResponseBytes && !protocol.is_answering()));
    out.clear();
  }
  for (std::size_t const size : {0U, 1U, 15U, 17U, 32U, 1000U}) {
    Protocol::Piece const piece = protocol.read(std::string(size, 'x'), message, out);
    BOOST_TEST((piece.kind == Protocol::Kind::nothing && piece.consumed == size && !protocol.is_answering()));
  }
  Param const error[] = {{"code", Value::of_text("unavailable")}, {"message", Value::of_text("not now")}};
  static_cast<void>(protocol.read(ask(1), message, out));
  protocol.write({.command = "ERROR", .params = error}, out);
  BOOST_TEST((out.empty() && !protocol.is_answering()));
  static_cast<void>(protocol.read(ask(1), message, out));
  protocol.refuse({Code::no_space, "no memory"}, out);
  BOOST_TEST((out.empty() && !protocol.is_answering()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::blob
