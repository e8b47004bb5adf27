// Blobs beside a scripted table, over real sockets and files: both versions, many in flight, the 60 s rule, files that are
// swapped while a client reads, descriptors, and what a daemon may do wrong.
#include "clients/cpp/blob.h"

#include <sys/stat.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/support/seed.h"
#include "tests/support/value_of.h"
#include "tests/unit/blob_client/fake_table.h"

namespace fastjournal::client {
namespace {

using bcdb::Frame;
using bcdb::Op;
using bcdb::Outcome;
using test::value_of;
using Told = bcdb::Reply;

bcdb::Key const kKey = bcdb::make_key(std::string_view{"http://example.com/"});

std::unique_ptr<Blobs> opened(FakeTable const& table, BlobOptions options = {}) {
  options.read = table.port();
  options.write = "unix:" + table.port();
  options.datagrams = table.datagrams();
  options.data_file = table.link();
  return value_of(Blobs::open(std::move(options)));
}

// Of a result that is ok: the value, or "(none)"; else its status.
std::string shown(Result<std::optional<std::string>> const& result) {
  if (!result.ok()) return result.status().text();
  return result.value().value_or("(none)");
}
template <typename T>
std::string_view code_of(Result<T> const& result) {
  return row_of(result.status().code()).wire_name;
}

Told refused(Outcome outcome, std::string text) { return {.outcome = outcome, .text = std::move(text)}; }

std::string response(std::uint32_t echo, Told const& place) {
  std::string out;
  bcdb::write(bcdb::Response{.echo = echo, .entry_time = place.entry_time, .begin = place.begin, .end = place.end},
              false, out);
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(blob_client)

// ---------------------------------------------------------------------------
// Version 2

BOOST_AUTO_TEST_CASE(a_blob_is_put_found_and_read_from_its_file) {
  FakeTable table{[&](Peer& peer) {
    DataFile file = table.current_file(7);
    peer.meet(7);
    Frame const put = peer.frame(Op::put);
    BOOST_TEST((put.key == kKey && put.length == 9 && put.hash == hash128("the bytes") && put.zero == 0));
    Told const place = file.add(peer.read(9));
    peer.answer(put, place);
    Peer reading{table.listening(), -1};
    reading.meet(7);
    for (int i = 0; i < 2; ++i) reading.answer(reading.frame(Op::query), place);
    reading.answer(reading.frame(Op::query), {.outcome = Outcome::absent});
  }};
  std::unique_ptr<Blobs> const blobs = opened(table);
  BlobPlace const put = value_of(blobs->put(kKey, "the bytes"));
  BOOST_TEST((put.size() == 9 && put.begin == 4096 && put.file == 7));
  BOOST_TEST(shown(blobs->get(kKey)) == "the bytes");
  Result<std::optional<BlobPlace>> const place = blobs->find(kKey);
  BOOST_REQUIRE((place.ok() && place.value()));
  BOOST_TEST((place.value()->key == kKey && place.value()->entry_time == 1'700'000'000 && !place.value()->newer));
  BOOST_TEST(shown(blobs->read(*place.value())) == "the bytes");
  Result<std::optional<BlobView>> const view = blobs->view(*place.value());
  BOOST_TEST((view.ok() && view.value()->bytes() == "the bytes"));
  BOOST_TEST(shown(blobs->get(bcdb::make_key(std::string_view{"other"}))) == "(none)");
  BOOST_TEST(blobs->connects() == 1U);
}

BOOST_AUTO_TEST_CASE(many_puts_and_queries_in_flight_are_answered_in_order) {
  std::uint64_t const drawn = fastjournal::test::seed_or(std::random_device{}());
  BOOST_TEST_MESSAGE("FJ_SEED=" << drawn);
  constexpr std::size_t kPuts = 600;
  constexpr std::size_t kLarge = 3U << 20U;  // more than a socket takes
  auto const blob = [](std::size_t i) {
    return std::string(i % 97 == 96 ? kLarge : i, static_cast<char>('a' + i % 26));
  };
  auto const key = [](std::size_t i) { return bcdb::make_key(std::string_view{std::to_string(i)}); };
  FakeTable table{[&](Peer& peer) {
    std::mt19937_64 chance{drawn};
    DataFile file = table.current_file(1);
    std::map<bcdb::Key, Told> places;
    std::string out;  // replies leave in pieces of any size
    for (int connection = 0; connection < 2; ++connection) {
      peer.meet(1);
      Frame frame;
      for (std::size_t i = 0; i < kPuts && peer.read_frame(frame); ++i) {
        Told reply{.outcome = Outcome::absent};
        if (frame.op == Op::put) {
          std::string const bytes = peer.read(static_cast<std::size_t>(frame.length));
          if (hash128(bytes) != frame.hash) throw std::runtime_error("another hash");
          reply = i % 50 == 49 ? refused(Outcome::no_space, "over_limit: full") : file.add(bytes);
          if (i % 50 != 49) places[frame.key] = reply;
        } else if (places.contains(frame.key)) {
          reply = places[frame.key];
        }
        reply.op = frame.op;
        reply.echo = frame.echo;
        bcdb::write(reply, out);
        std::size_t const leaves = i + 1 == kPuts ? out.size() : chance() % (out.size() + 1);
        peer.send(std::string_view{out}.substr(0, leaves));
        out.erase(0, leaves);
      }
    }
  }};
  std::unique_ptr<Blobs> const blobs = opened(table);
  for (std::size_t i = 0; i < kPuts; ++i) BOOST_REQUIRE(blobs->send_put(key(i), blob(i)).ok());
  BOOST_TEST(code_of(blobs->put(kKey, "x")) == "wrong_state");
  for (std::size_t i = 0; i < kPuts; ++i) {
    Result<BlobPlace> const put = blobs->receive_put();
    if (i % 50 == 49)
      BOOST_TEST((put.status().code() == Code::over_limit && put.status().message() == "full"));
    else
      BOOST_REQUIRE_MESSAGE(put.ok() && put.value().key == key(i) && put.value().size() == blob(i).size(),
                            i << ": " << put.status().text());
  }
  BOOST_TEST(code_of(blobs->receive_put()) == "wrong_state");
  for (std::size_t i = 0; i < kPuts; ++i) BOOST_REQUIRE(blobs->send_find(key(i)).ok());
  BOOST_TEST(code_of(blobs->find(kKey)) == "wrong_state");
  for (std::size_t i = 0; i < kPuts; ++i) {
    std::optional<BlobPlace> const place = value_of(blobs->receive_find());
    BOOST_REQUIRE(place.has_value() == (i % 50 != 49));
    if (place && i % 20 == 0) BOOST_TEST((shown(blobs->read(*place)) == blob(i)));
  }
}

BOOST_AUTO_TEST_CASE(what_the_daemon_refuses_has_its_code_and_sentence) {
  FakeTable table{[&](Peer& peer) {
    peer.meet();
    Frame put = peer.frame(Op::put);
    peer.answer(put, refused(Outcome::refused, "stale_sequence: it is too late"));
    static_cast<void>(peer.read(3));
    static_cast<void>(peer.frame(Op::put));
    peer.read(3);
    put.echo += 1;
    peer.answer(put, refused(Outcome::unavailable, "no name: for people"));
  }};
  std::unique_ptr<Blobs> const blobs = opened(table);
  Result<BlobPlace> put = blobs->put(kKey, "abc");
  BOOST_TEST(put.status().text() == "stale_sequence: it is too late");
  put = blobs->put(kKey, "abc");
  BOOST_TEST(put.status().text() == "unavailable: no name: for people");
}

// A put may be sent twice: it stores the same.
BOOST_AUTO_TEST_CASE(a_put_is_sent_again_when_the_connection_was_lost) {
  FakeTable table{[&](Peer& peer) {
    peer.meet();
    static_cast<void>(peer.frame(Op::put));
    peer.meet();
    Frame const put = peer.frame(Op::put);
    BOOST_TEST(peer.read(3) == "abc");
    peer.answer(put, {.begin = 4096, .end = 4099});
  }};
  BOOST_TEST(opened(table)->put(kKey, "abc").ok());
}

// The daemon refuses while bytes are under way, and ends the connection: what it said is not lost with it.
BOOST_AUTO_TEST_CASE(the_reason_of_a_put_that_is_cut_off_is_told) {
  FakeTable table{[&](Peer& peer) {
    peer.meet();
    Frame const put = peer.frame(Op::put);
    peer.answer(put, refused(Outcome::too_large, "too_large: at most 1 MiB"));
    peer.close();
  }};
  std::unique_ptr<Blobs> const blobs = opened(table);
  Result<BlobPlace> const put = blobs->put(kKey, std::string(16U << 20U, 'x'));
  BOOST_TEST(put.status().text() == "too_large: at most 1 MiB");
}

BOOST_AUTO_TEST_CASE(a_large_put_does_not_wait_for_the_result_of_another_one) {
  FakeTable table{[&](Peer& peer) {
    peer.meet();
    std::vector<Frame> puts;
    for (int i = 0; i < 3; ++i) {
      puts.push_back(peer.frame(Op::put));
      static_cast<void>(peer.read(static_cast<std::size_t>(puts.back().length)));
    }
    for (Frame const& put : puts) peer.answer(put, {.begin = 4096, .end = 4097});
  }};
  std::unique_ptr<Blobs> const blobs = opened(table);
  for (int i = 0; i < 3; ++i) BOOST_REQUIRE(blobs->send_put(kKey, std::string(2U << 20U, 'x')).ok());
  for (int i = 0; i < 3; ++i) BOOST_TEST(blobs->receive_put().ok());
}

BOOST_AUTO_TEST_CASE(an_answer_that_came_is_not_lost_with_its_connection) {
  FakeTable table{[&](Peer& peer) {
    peer.meet();
    Frame const put = peer.frame(Op::put);
    static_cast<void>(peer.read(static_cast<std::size_t>(put.length)));
    peer.answer(put, {.begin = 4096, .end = 4097});
  }};
  std::unique_ptr<Blobs> const blobs = opened(table);
  BOOST_REQUIRE(blobs->send_put(kKey, std::string(100'000, 'x')).ok());
  table.finish();  // it has answered, and is gone
  BOOST_REQUIRE(blobs->send_put(kKey, "small").ok());
  BOOST_TEST(blobs->receive_put().ok());
  BOOST_TEST(code_of(blobs->receive_put()) == "closed");
}

BOOST_AUTO_TEST_CASE(a_lost_connection_ends_all_that_is_in_flight) {
  FakeTable table{[&](Peer& peer) {
    peer.meet();
    peer.answer(peer.frame(Op::put), {.begin = 4096, .end = 4096});
    static_cast<void>(peer.frame(Op::put));
    peer.meet();
    peer.answer(peer.frame(Op::put), {.begin = 4096, .end = 4096});
  }};
  std::unique_ptr<Blobs> const blobs = opened(table);
  for (int i = 0; i < 3; ++i) BOOST_REQUIRE(blobs->send_put(kKey, "").ok());
  BOOST_TEST(blobs->receive_put().ok());
  BOOST_TEST(code_of(blobs->receive_put()) == "closed");
  BOOST_TEST(code_of(blobs->receive_put()) == "wrong_state");
  BOOST_TEST(blobs->put(kKey, "").ok());
}

BOOST_AUTO_TEST_CASE(a_fetch_brings_a_part_and_needs_no_file) {
  std::string const large(5U << 20U, 'L');
  FakeTable table{[&](Peer& peer) {
    peer.meet(3);
    Frame fetch = peer.frame(Op::fetch);
    BOOST_TEST((fetch.offset == 4 && fetch.length == 3 && fetch.key == kKey));
    peer.answer(fetch, {.begin = 4100, .end = 4103}, "456");
    fetch = peer.frame(Op::fetch);
    BOOST_TEST((fetch.offset == 0 && fetch.length == bcdb::kToItsEnd));
    peer.answer(fetch, {.begin = 4096, .end = 4096 + large.size()}, large);
    peer.answer(peer.frame(Op::fetch), {.outcome = Outcome::absent});
    peer.answer(peer.frame(Op::fetch), refused(Outcome::damaged, "damaged: a sector"));
    peer.answer(peer.frame(Op::fetch), {.begin = 4096, .end = 4096 + (std::uint64_t{1} << 40U)});
  }};
  std::unique_ptr<Blobs> const blobs = opened(table, {.bytes = BlobBytes::relay, .blob_bytes_max = 8U << 20U});
  BOOST_TEST(shown(blobs->fetch(kKey, 4, 3)) == "456");
  BOOST_TEST((shown(blobs->get(kKey)) == large));
  BOOST_TEST(shown(blobs->get(kKey)) == "(none)");
  BOOST_TEST(shown(blobs->get(kKey)) == "damaged: a sector");
  BOOST_TEST(code_of(blobs->get(kKey)) == "too_large");
}

BOOST_AUTO_TEST_CASE(a_descriptor_is_passed_and_read) {
  FakeTable table{[&](Peer& peer) {
    DataFile first{table.file(1), 1};
    DataFile second{table.file(2), 2};
    Told place = first.add("of the first");
    auto const pass = [&](DataFile const& file, std::uint32_t number, int copies) {
      Frame const attach = peer.frame(Op::attach);
      int const fd = ::open(file.path().c_str(), O_RDONLY | O_CLOEXEC);
      std::string const reply = bytes_of(Told{.op = attach.op, .echo = attach.echo, .file = number});
      if (copies == 1)
        peer.send(reply, fd);
      else
        peer.send(reply);
      ::close(fd);
    };
    peer.meet(1);
    peer.answer(peer.frame(Op::query), place);
    pass(first, 1, 1);
    peer.answer(peer.frame(Op::query), place);  // the file is known
    // It is swapped: the old one is passed once more, then the new one.
    place = second.add("of the second");
    peer.answer(peer.frame(Op::query), place);
    pass(first, 1, 1);
    peer.answer(peer.frame(Op::query), place);
    pass(second, 2, 1);
    pass(second, 2, 0);
    Frame const query = peer.frame(Op::query);
    peer.send(bytes_of(Told{.op = Op::query, .echo = query.echo, .outcome = Outcome::absent}),
              ::open("/dev/null", O_RDONLY | O_CLOEXEC));
  }};
  std::unique_ptr<Blobs> const blobs = opened(table, {.bytes = BlobBytes::descriptor});
  BOOST_TEST(shown(blobs->get(kKey)) == "of the first");
  BOOST_TEST(shown(blobs->get(kKey)) == "of the first");
  BOOST_TEST(shown(blobs->get(kKey)) == "of the second");
  BOOST_TEST(code_of(blobs->attach()) == "not_supported");
  BOOST_TEST(shown(blobs->get(kKey)) == "(none)");
}

BOOST_AUTO_TEST_CASE(a_file_that_was_swapped_is_opened_again) {
  FakeTable table{[&](Peer& peer) {
    DataFile first = table.current_file(1);
    DataFile second{table.file(2), 2};
    Told const old = first.add("old");
    Told const young = second.add("new");
    peer.meet(1);
    peer.answer(peer.frame(Op::query), old);
    Frame const query = peer.frame(Op::query);
    second.link_as(table.link());
    peer.answer(query, young);
    // Of a file that the link does not lead to so far.
    DataFile third{table.file(3), 3};
    peer.answer(peer.frame(Op::query), third.add("newest"));
    // A file that was taken away meanwhile is asked for again.
    peer.answer(peer.frame(Op::query), {.begin = 4096, .end = 4097, .file = 4});
    peer.answer(peer.frame(Op::query), third.add("moved"));
    // A file that never comes.
    for (int i = 0; i < 3; ++i) peer.answer(peer.frame(Op::query), {.begin = 4096, .end = 4097, .file = 9});
  }};
  std::unique_ptr<Blobs> const blobs = opened(table);
  BOOST_TEST(shown(blobs->get(kKey)) == "old");
  BOOST_TEST(shown(blobs->get(kKey)) == "new");
  BOOST_TEST(shown(blobs->get(kKey)) == "newest");
  BOOST_TEST(shown(blobs->get(kKey)) == "moved");
  BOOST_TEST(shown(blobs->get(kKey)) == "unavailable: the blob is in the file 9, and the file is 2");
}

BOOST_AUTO_TEST_CASE(a_table_with_two_files_says_which_one) {
  for (bool const version_1 : {false, true}) {
    FakeTable table{[&](Peer& peer) {
      DataFile old = table.current_file(1);
      DataFile young{table.file(2), 2};
      young.link_as(table.link() + ".new");
      std::array<Told, 2> places{old.add("old"), young.add("new")};
      places[1].flags = bcdb::kNewer;
      peer.accept();
      if (!version_1) peer.greet(1);
      for (int i = 0; i < 4; ++i) {
        Told const& place = places[static_cast<std::size_t>(i % 2)];
        if (version_1) {
          std::string out;
          bcdb::write(bcdb::Response{.echo = bcdb::read_ask(peer.read(bcdb::kAskBytes)).echo,
                                     .entry_time = place.entry_time,
                                     .begin = place.begin,
                                     .end = place.end,
                                     .flags = place.flags},
                      true, out);
          peer.send(out);
        } else {
          peer.answer(peer.frame(Op::query), place);
        }
      }
    }};
    std::unique_ptr<Blobs> const blobs = opened(table, {.version = version_1 ? 1U : 2U, .two_files = version_1});
    for (int i = 0; i < 2; ++i) {
      BOOST_TEST(shown(blobs->get(kKey)) == "old");
      BOOST_TEST(shown(blobs->get(kKey)) == "new");
    }
  }
}

// ---------------------------------------------------------------------------
// The 60 s rule

BOOST_AUTO_TEST_CASE(a_place_that_is_too_old_is_asked_for_again) {
  for (int const limit_ms : {0, 60'000}) {
    FakeTable table{[&](Peer& peer) {
      DataFile file = table.current_file(1);
      Told const first = file.add("first");
      Told const second = file.add("second");
      peer.meet(1);
      peer.answer(peer.frame(Op::query), first);
      if (limit_ms == 0) peer.answer(peer.frame(Op::query), second);
      if (limit_ms == 0) peer.answer(peer.frame(Op::query), {.outcome = Outcome::absent});
    }};
    std::unique_ptr<Blobs> const blobs = opened(table, {.place_limit = Milliseconds{limit_ms}});
    Result<std::optional<BlobPlace>> const place = blobs->find(kKey);
    BOOST_REQUIRE((place.ok() && place.value()));
    BOOST_TEST(shown(blobs->read(*place.value())) == (limit_ms == 0 ? "second" : "first"));
    if (limit_ms == 0) BOOST_TEST(shown(blobs->read(*place.value())) == "(none)");
  }
}

// The signal of version 1 (doc/blob.md): the stream was ended, so the file may be another one.
BOOST_AUTO_TEST_CASE(a_stream_that_was_ended_means_that_the_file_is_opened_again) {
  FakeTable table{[&](Peer& peer) {
    DataFile first = table.current_file(1);
    Told const old = first.add("old");
    peer.accept();
    peer.send(response(bcdb::read_ask(peer.read(bcdb::kAskBytes)).echo, old));
    static_cast<void>(peer.read(bcdb::kAskBytes));
    DataFile second{table.file(2), 2};
    Told const young = second.add("new");
    second.link_as(table.link());
    peer.accept();
    for (int i = 0; i < 2; ++i) peer.send(response(bcdb::read_ask(peer.read(bcdb::kAskBytes)).echo, young));
  }};
  std::unique_ptr<Blobs> const blobs = opened(table, {.version = 1});
  Result<std::optional<BlobPlace>> const old = blobs->find(kKey);
  BOOST_REQUIRE((old.ok() && old.value()));
  BOOST_TEST(shown(blobs->read(*old.value())) == "old");
  BOOST_TEST(shown(blobs->get(kKey)) == "new");
  BOOST_TEST(blobs->connects() == 2U);
  // A place of the connection before: of the file before.
  BOOST_TEST(shown(blobs->read(*old.value())) == "new");
}

// ---------------------------------------------------------------------------
// Version 1

BOOST_AUTO_TEST_CASE(a_write_of_version_1_waits_for_its_echo_and_ends_with_the_connection) {
  std::string const large(9U << 20U, 'v');
  FakeTable table{[&](Peer& peer) {
    for (std::string const& expected : {std::string{"abc"}, std::string{}, large}) {
      peer.accept();
      bcdb::Ask const ask = bcdb::read_ask(peer.read(bcdb::kAskBytes));
      BOOST_TEST((ask.key == kKey));
      std::string echo;
      bcdb::write_echo(ask.echo, echo);
      for (char const one : echo) peer.send({&one, 1});
      peer.half_close();
      BOOST_TEST((peer.read_to_end() == expected));
    }
    peer.accept();
    static_cast<void>(peer.read(bcdb::kAskBytes));
    peer.accept();
    static_cast<void>(peer.read(bcdb::kAskBytes));
    peer.send("\xff\xff\xff\xff");
    static_cast<void>(peer.read_to_end());
  }};
  std::unique_ptr<Blobs> const blobs = opened(table, {.version = 1});
  for (std::string const& bytes : {std::string{"abc"}, std::string{}, large}) {
    Result<BlobPlace> const put = blobs->put(kKey, bytes);
    BOOST_TEST((put.ok() && put.value().key == kKey && put.value().file == 0));
  }
  BOOST_TEST(code_of(blobs->put(kKey, "refused")) == "closed");
  BOOST_TEST(code_of(blobs->put(kKey, "another echo")) == "invalid");
  BOOST_TEST((blobs->send_put(kKey, "x").code() == Code::not_supported));
  BOOST_TEST(code_of(blobs->fetch(kKey)) == "not_supported");
}

BOOST_AUTO_TEST_CASE(a_query_of_version_1_is_answered_by_a_place_or_zeros) {
  FakeTable table{[&](Peer& peer) {
    DataFile file = table.current_file(1);
    Told const place = file.add("one");
    peer.accept();
    for (int i = 0; i < 40; ++i) {
      bcdb::Ask const ask = bcdb::read_ask(peer.read(bcdb::kAskBytes));
      peer.send(response(ask.echo, i % 2 == 0 ? place : Told{}));
    }
    bcdb::Ask const ask = bcdb::read_ask(peer.read(bcdb::kAskBytes));
    peer.send(response(ask.echo, {.entry_time = 1, .begin = 9, .end = 8}));
    // Another echo.
    peer.accept();
    bcdb::Ask const other = bcdb::read_ask(peer.read(bcdb::kAskBytes));
    peer.send(response(other.echo + 1, place));
    static_cast<void>(peer.read_to_end());
  }};
  std::unique_ptr<Blobs> const blobs = opened(table, {.version = 1});
  for (int i = 0; i < 40; ++i) BOOST_REQUIRE(blobs->send_find(kKey).ok());
  for (int i = 0; i < 40; ++i) {
    std::optional<BlobPlace> const place = value_of(blobs->receive_find());
    BOOST_TEST(place.has_value() == (i % 2 == 0));
    if (place) BOOST_TEST(shown(blobs->read(*place)) == "one");
  }
  BOOST_TEST(blobs->send_find(kKey).ok());
  BOOST_TEST(code_of(blobs->receive_find()) == "invalid");
  BOOST_TEST(code_of(blobs->find(kKey)) == "invalid");
}

BOOST_AUTO_TEST_CASE(a_datagram_asks_once) {
  FakeTable table{[&](Peer& peer) {
    DataFile file = table.current_file(1);
    Told const place = file.add("one");
    auto const told = [&](std::string_view query) {
      BOOST_TEST(query.size() == bcdb::kAskBytes);
      BOOST_TEST((bcdb::read_ask(query).key == kKey));
      return response(bcdb::read_ask(query).echo, place);
    };
    peer.on_datagram(told);
    peer.on_datagram([](std::string_view query) { return response(bcdb::read_ask(query).echo, {}); });
    peer.on_datagram(told);
    peer.on_datagram([&](std::string_view query) {
      std::string out = told(query);
      append_little(out, bcdb::kNewer);
      return out;
    });
    peer.on_datagram([](std::string_view) { return std::string{}; });
    peer.on_datagram([&](std::string_view query) { return told(query) + "longer than any"; });
  }};
  std::unique_ptr<Blobs> const blobs = opened(table);
  Result<std::optional<BlobPlace>> place = blobs->find_once(kKey);
  BOOST_REQUIRE_MESSAGE(place.ok() && place.value(), place.status().text());
  BOOST_TEST(shown(blobs->read(*place.value())) == "one");
  place = blobs->find_once(kKey);
  BOOST_TEST((place.ok() && !place.value()));
  std::string const own = table.folder() / "mine";
  std::unique_ptr<Blobs> const with_path = opened(table, {.own_path = own});
  place = with_path->find_once(kKey);
  BOOST_TEST((place.ok() && place.value() && !place.value()->newer));
  BOOST_TEST(!std::filesystem::exists(own));
  place = with_path->find_once(kKey);
  BOOST_TEST((place.ok() && place.value() && place.value()->newer));
  std::ofstream{own} << "somebody's";
  BOOST_TEST(code_of(with_path->find_once(kKey)) == "in_use");
  BOOST_TEST(std::filesystem::exists(own));
  std::unique_ptr<Blobs> const hasty = opened(table, {.time_limit = Milliseconds{30}});
  BOOST_TEST(code_of(hasty->find_once(kKey)) == "timed_out");
  BOOST_TEST(code_of(hasty->find_once(kKey)) == "timed_out");
}

// ---------------------------------------------------------------------------
// What goes wrong

BOOST_AUTO_TEST_CASE(another_protocol_is_told) {
  FakeTable table{[&](Peer& peer) {
    peer.accept();
    peer.send("INVALID code=invalid;message=no\n");
    static_cast<void>(peer.read_to_end());
    peer.accept();
    static_cast<void>(peer.read(bcdb::kHelloBytes));
    peer.send(bytes_of(bcdb::Hello{.version = 3}));
    static_cast<void>(peer.read_to_end());
    peer.meet();
    Frame const query = peer.frame(Op::query);
    peer.send(bytes_of(Told{.op = Op::put, .echo = query.echo}));
    static_cast<void>(peer.read_to_end());
  }};
  std::unique_ptr<Blobs> const blobs = opened(table);
  Result<std::optional<BlobPlace>> place = blobs->find(kKey);
  BOOST_TEST(place.status().message().find("is that a listener with protocol=\"blobread\"") != std::string::npos);
  place = blobs->find(kKey);
  BOOST_TEST(code_of(place) == "not_supported");
  place = blobs->find(kKey);
  BOOST_TEST(place.status().message().find("another frame") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_silent_daemon_is_not_waited_for_beyond_the_limit) {
  FakeTable table{[&](Peer& peer) {
    peer.accept();
    static_cast<void>(peer.read_to_end());
    peer.meet();
    static_cast<void>(peer.read_to_end());
    peer.meet();
    // It takes nothing of a large put: the client ends.
    static_cast<void>(peer.frame(Op::put));
    peer.wait_for_end();
  }};
  std::unique_ptr<Blobs> const blobs = opened(table, {.time_limit = Milliseconds{50}});
  BOOST_TEST(code_of(blobs->find(kKey)) == "timed_out");
  BOOST_TEST(code_of(blobs->find(kKey)) == "timed_out");
  BOOST_TEST(code_of(blobs->put(kKey, std::string(32U << 20U, 'x'))) == "timed_out");
}

BOOST_AUTO_TEST_CASE(nobody_there_and_contradictions_are_told) {
  fastjournal::test::TemporaryFolder const folder;
  std::unique_ptr<Blobs> const blobs =
      std::move(Blobs::open({.read = folder / "none", .datagrams = folder / "none"})).value();
  BOOST_TEST(code_of(blobs->find(kKey)) == "unavailable");
  BOOST_TEST(code_of(blobs->find_once(kKey)) == "unavailable");
  BOOST_TEST(code_of(blobs->put(kKey, "x")) == "bad_parameter");
  BOOST_TEST(code_of(Blobs::open({.version = 3})) == "bad_parameter");
  BOOST_TEST(code_of(Blobs::open({.version = 1, .bytes = BlobBytes::relay})) == "bad_parameter");
  BOOST_TEST(code_of(Blobs::open({.two_files = true})) == "bad_parameter");
}

BOOST_AUTO_TEST_CASE(what_is_no_data_file_is_not_read) {
  fastjournal::test::TemporaryFolder const folder;
  DataFile file{folder / "data", 5};
  Told const place = file.add("bytes");
  BlobFile opened = value_of(BlobFile::open(folder / "data"));
  BOOST_TEST(opened.number() == 5U);
  BOOST_TEST(opened.read(place.begin, place.end, 5).value() == "bytes");
  BOOST_TEST(opened.view(place.begin + 1, place.end - 1, 5).value().bytes() == "yte");
  BOOST_TEST(opened.view(place.begin, place.begin, 5).value().bytes().empty());
  BOOST_TEST(opened.read(place.end, place.end, 0).value().empty());
  // An empty blob behind it is at a multiple of 8, where the file does not reach to.
  std::uint64_t const behind = std::filesystem::file_size(folder / "data") + 3;
  BOOST_TEST(opened.read(behind, behind, 5).ok());
  BOOST_TEST(opened.view(behind, behind, 5).ok());
  BOOST_TEST(code_of(opened.read(place.begin, place.end, 4)) == "too_large");
  BOOST_TEST(code_of(opened.read(place.begin, place.end + 1, 99)) == "damaged");
  BOOST_TEST(code_of(opened.view(place.begin, place.end + 1, 99)) == "damaged");
  BOOST_TEST(code_of(opened.read(0, 4, 99)) == "damaged");
  BOOST_TEST(code_of(opened.read(place.end, place.begin, 99)) == "damaged");
  BOOST_TEST(code_of(opened.read(4096, UINT64_MAX, UINT64_MAX)) == "damaged");

  std::ofstream{folder / "short"} << "FJBYTES\n";
  std::ofstream{folder / "other"} << std::string(8192, 'x');
  std::ofstream{folder / "newer"} << "FJBYTES\n" << std::string{"\2\0\0\0\1\0\0\0", 8} << std::string(4096, 'x');
  for (char const* const name : {"short", "other", "newer"})
    BOOST_TEST(code_of(BlobFile::open(folder / name)) == "damaged");
  BOOST_TEST(code_of(BlobFile::open(folder.path().string())) == "damaged");
  BOOST_REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  BOOST_TEST(code_of(BlobFile::open(folder / "pipe")) == "damaged");
  BOOST_TEST(code_of(BlobFile::open(folder / "none")) == "unavailable");
}

BOOST_AUTO_TEST_CASE(a_view_outlives_its_file) {
  fastjournal::test::TemporaryFolder const folder;
  DataFile file{folder / "data", 5};
  Told const place = file.add(std::string(10'000, 'm'));
  BlobView view;
  {
    BlobFile opened = value_of(BlobFile::open(folder / "data"));
    view = std::move(opened.view(place.begin + 5'000, place.end, 10'000)).value();
  }
  std::filesystem::remove(folder / "data");
  BOOST_TEST(view.bytes() == std::string(5'000, 'm'));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::client
