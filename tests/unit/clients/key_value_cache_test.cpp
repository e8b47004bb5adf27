// The cache of a key/value table before a scripted daemon: what memory answers, and each reason why it must not. An
// ALIVE between two reads makes sure that the notices before its answer have arrived.
#include "clients/cpp/key_value_cache.h"

#include <array>

#include "tests/unit/clients/fake_server.h"

using namespace fastjournal;
using namespace fastjournal::client;

namespace {

struct KeyValueCacheTalk {
  // The connection lives on behind the end of the script, until the client ends.
  explicit KeyValueCacheTalk(FakeServer::Script script, CacheOptions options = {},
                             Options to = {.back_off = {Milliseconds{1}}})
      : server([run = std::move(script)](Peer& peer) {
          run(peer);
          if (peer.is_open()) peer.wait_for_end();
        }) {
    to.server = server.address();
    auto opened = value_of(Connection::open(std::move(to)));
    connection = opened.get();
    // No test is so slow that it would ask because of the silence.
    if (options.silence_max == CacheOptions{}.silence_max) options.silence_max = kForever;
    cache.emplace(std::move(opened), "values", std::move(options));
  }

  // The text under the key, "-" for none, or the error.
  std::string get(std::string_view key) {
    Result<std::shared_ptr<CachedValue const>> const found = cache->get(key);
    if (!found.ok()) return found.status().text();
    return found.value() == nullptr ? "-" : std::get<std::string>(found.value()->value);
  }
  void meet() { BOOST_TEST(connection->call("ALIVE").ok()); }
  // How many of its reads the daemon was asked.
  [[nodiscard]] std::uint64_t asked() const { return cache->figures().misses; }

  FakeServer server;
  Connection* connection{nullptr};
  std::optional<KeyValueCache> cache;
};

void listening(Peer& peer, std::string_view prefix = "") {
  Message const listen = peer.expect("LISTEN");
  want(listen.text("table") == "values" && listen.has("prefix") && listen.text("prefix") == prefix, "the watch");
  peer.answer(listen, "LISTENING", {text("table", "values"), text("prefix", prefix)});
}

std::vector<Param> pair_of(Message const& get, std::string_view value, std::vector<Param> const& more = {}) {
  std::vector<Param> out{text("table", "values"),
                         {"key", *get.find("key")},
                         text("type", "string"),
                         text("value", value),
                         number("timestamp", 7)};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

void answer(Peer& peer, std::string_view key, std::string_view value, std::vector<Param> const& more = {}) {
  Message const get = peer.expect("GET");
  want(get.text("key") == key, "the key");
  peer.answer(get, "PAIR", pair_of(get, value, more));
}

void changed(Peer& peer, std::string_view key, std::string_view result = "stored") {
  peer.push("CHANGED", {text("table", "values"), text("key", key), text("result", result), number("timestamp", 7)});
}

// What `push` sends has arrived when the client goes on, and not before it waits.
template <typename Push>
void meet(Peer& peer, Push const& push) {
  Message const alive = peer.expect("ALIVE");
  push();
  peer.answer(alive, "ABSOLUTELY");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(client_key_value_cache)

BOOST_AUTO_TEST_CASE(memory_answers_until_a_notice_of_the_key) {
  for (Framing const framing : {Framing::msgpack, Framing::text}) {
    KeyValueCacheTalk talk(
        [](Peer& peer) {
          listening(peer, "k");
          answer(peer, "k1", "one");
          Message const none = peer.expect("GET");
          peer.answer(none, "NOTHING", {text("table", "values")});
          meet(peer, [&] { changed(peer, "k3"); });
          meet(peer, [&] {
            changed(peer, "k2");
            changed(peer, "k1", "absent");
          });
          answer(peer, "k1", "two");
          answer(peer, "k2", "there");
        },
        {.prefix = "k"}, {.framing = framing, .back_off = {}});
    for (int i = 0; i < 3; ++i) {
      BOOST_TEST(talk.get("k1") == "one");
      BOOST_TEST(talk.get("k2") == "-");
    }
    talk.meet();
    BOOST_TEST(talk.get("k1") == "one");
    BOOST_TEST(talk.get("k2") == "-");
    BOOST_TEST(talk.asked() == 2U);
    BOOST_TEST(talk.cache->figures().hits == 6U);
    talk.meet();
    for (int i = 0; i < 3; ++i) {
      BOOST_TEST(talk.get("k1") == "two");
      BOOST_TEST(talk.get("k2") == "there");
    }
    BOOST_TEST(talk.asked() == 4U);
  }
}

// The notice is here before the answer is in memory: it came with it, in one piece, behind it or before it.
BOOST_AUTO_TEST_CASE(an_answer_whose_notice_came_with_it_is_not_kept) {
  for (bool const is_behind : {true, false}) {
    KeyValueCacheTalk talk([&](Peer& peer) {
      listening(peer);
      Message const get = peer.expect("GET");
      std::string const pair = peer.bytes("PAIR", pair_of(get, "one"), &get);
      std::string const notice = peer.bytes(
          "CHANGED", {text("table", "values"), text("key", "k"), text("result", "stored"), number("timestamp", 7)});
      peer.send(is_behind ? pair + notice : notice + pair);
      answer(peer, "k", "two");
    });
    BOOST_TEST(talk.get("k") == "one");
    BOOST_TEST(talk.get("k") == "two");
    BOOST_TEST(talk.get("k") == "two");
    BOOST_TEST(talk.asked() == 2U);
  }
}

BOOST_AUTO_TEST_CASE(a_value_stays_as_it_is_while_it_is_held) {
  KeyValueCacheTalk talk([](Peer& peer) {
    listening(peer);
    answer(peer, "k", "one");
    meet(peer, [&] { changed(peer, "k"); });
    answer(peer, "k", "two");
  });
  auto const held = talk.cache->get("k").value();
  talk.meet();
  BOOST_TEST(talk.get("k") == "two");
  BOOST_TEST(std::get<std::string>(held->value) == "one");
  BOOST_TEST(held->timestamp == 7U);
}

BOOST_AUTO_TEST_CASE(a_lost_connection_empties_memory) {
  KeyValueCacheTalk talk([](Peer& peer) {
    listening(peer);
    answer(peer, "a", "one");
    answer(peer, "b", "one");
    static_cast<void>(peer.expect("ALIVE"));
    peer.accept();
    listening(peer);
    meet(peer, [] {});
    answer(peer, "a", "two");
    answer(peer, "b", "two");
    // In the middle of a read: its answer is of the new connection.
    Message const cut = peer.expect("GET");
    want(cut.text("key") == "c", "the third key");
    peer.accept();
    listening(peer);
    answer(peer, "c", "three");
    answer(peer, "a", "three");
  });
  BOOST_TEST(talk.get("a") == "one");
  BOOST_TEST(talk.get("b") == "one");
  talk.meet();
  BOOST_TEST(talk.get("a") == "two");
  BOOST_TEST(talk.get("b") == "two");
  BOOST_TEST(talk.get("a") == "two");
  BOOST_TEST(talk.asked() == 4U);
  BOOST_TEST(talk.get("c") == "three");
  BOOST_TEST(talk.get("a") == "three");
  BOOST_TEST(talk.asked() == 6U);
}

BOOST_AUTO_TEST_CASE(without_a_connection_memory_does_not_answer) {
  KeyValueCacheTalk talk(
      [](Peer& peer) {
        listening(peer);
        answer(peer, "k", "one");
        peer.close();
      },
      {}, {.back_off = {}});
  BOOST_TEST(talk.get("k") == "one");
  // The loss is noticed.
  BOOST_TEST(!talk.connection->wait_push(Milliseconds{kScriptLimitMs}).ok());
  BOOST_TEST(!talk.cache->get("k").ok());
  BOOST_TEST(talk.cache->figures().pairs == 0U);
}

BOOST_AUTO_TEST_CASE(missed_changes_and_a_watch_that_was_given_up_empty_memory) {
  KeyValueCacheTalk talk(
      [](Peer& peer) {
        listening(peer, "k");
        answer(peer, "k1", "one");
        answer(peer, "k2", "one");
        meet(peer, [&] { peer.push("CHANGED", {text("table", "values"), text("prefix", "k"), number("missed", 1)}); });
        answer(peer, "k1", "two");
        answer(peer, "k2", "two");
        meet(peer, [&] {
          peer.push("CHANGED", {text("table", "values"), text("prefix", "k"), text("result", "unlistened")});
        });
        listening(peer, "k");
        answer(peer, "k1", "three");
        answer(peer, "k2", "three");
      },
      {.prefix = "k"});
  for (char const* const value : {"one", "two", "three"}) {
    for (int i = 0; i < 2; ++i) {
      BOOST_TEST(talk.get("k1") == value);
      BOOST_TEST(talk.get("k2") == value);
    }
    if (value != std::string_view{"three"}) talk.meet();
  }
  BOOST_TEST(talk.asked() == 6U);
}

BOOST_AUTO_TEST_CASE(without_its_watch_nothing_is_read_and_nothing_kept) {
  KeyValueCacheTalk talk([](Peer& peer) {
    Message const first = peer.expect("LISTEN");
    peer.answer(first, "ERROR", {text("code", "not_allowed"), text("message", "no")});
    listening(peer);
    answer(peer, "k", "one");
    static_cast<void>(peer.expect("ALIVE"));
    peer.accept();
    Message const again = peer.expect("LISTEN");
    peer.answer(again, "ERROR", {text("code", "over_limit"), text("message", "too many")});
    meet(peer, [] {});
    listening(peer);
    answer(peer, "k", "two");
  });
  BOOST_TEST((talk.cache->get("k").status().code() == Code::not_allowed));
  BOOST_TEST(talk.get("k") == "one");
  talk.meet();
  BOOST_TEST(talk.get("k") == "two");
  BOOST_TEST(talk.get("k") == "two");
}

BOOST_AUTO_TEST_CASE(notices_that_found_no_place_empty_memory) {
  KeyValueCacheTalk talk(
      [](Peer& peer) {
        listening(peer);
        answer(peer, "a", "one");
        answer(peer, "b", "one");
        meet(peer, [&] {
          changed(peer, "x");
          changed(peer, "b");
        });
        answer(peer, "b", "two");
      },
      {}, {.back_off = {}, .pushes_max = 1});
  BOOST_TEST(talk.get("a") == "one");
  BOOST_TEST(talk.get("b") == "one");
  talk.meet();
  BOOST_TEST(talk.connection->pushes_dropped() == 1U);
  BOOST_TEST(talk.get("b") == "two");
  BOOST_TEST(talk.get("b") == "two");
}

BOOST_AUTO_TEST_CASE(a_connection_that_was_silent_for_long_is_asked) {
  KeyValueCacheTalk talk(
      [](Peer& peer) {
        listening(peer);
        answer(peer, "k", "one");
        answer(peer, "k", "two");
        // No notice and no answer: the client gives up.
        static_cast<void>(peer.expect("GET"));
        answer(peer, "k", "three");
      },
      {.silence_max = Milliseconds{0}}, {.time_limit = Milliseconds{50}, .back_off = {}});
  BOOST_TEST(talk.get("k") == "one");
  BOOST_TEST(talk.get("k") == "two");
  BOOST_TEST((talk.cache->get("k").status().code() == Code::timed_out));
  BOOST_TEST(talk.get("k") == "three");
  BOOST_TEST(talk.cache->figures().hits == 0U);
}

BOOST_AUTO_TEST_CASE(values_end_here_as_they_do_there) {
  TimeMs date{1'000};
  KeyValueCacheTalk talk(
      [](Peer& peer) {
        listening(peer);
        answer(peer, "date", "one", {number("expiration_date", 2'000)});
        answer(peer, "ttl", "one", {number("expiration_date", 2'000), number("ttl", 1'000)});
        answer(peer, "ttl", "two", {number("expiration_date", 1'110), number("ttl", 1'000)});
        answer(peer, "ttl", "three", {number("expiration_date", 2'110), number("ttl", 1'000)});
        peer.answer(peer.expect("GET"), "NOTHING", {text("table", "values")});
      },
      {.date = [&] { return date; }});
  for (int i = 0; i < 2; ++i) BOOST_TEST(talk.get("date") == "one");
  BOOST_TEST((talk.cache->get("date").value()->expires == TimeMs{2'000}));
  // Read anew after a tenth, so that the daemon moves its end.
  BOOST_TEST(talk.get("ttl") == "one");
  date = TimeMs{1'099};
  BOOST_TEST(talk.get("ttl") == "one");
  date = TimeMs{1'100};
  BOOST_TEST(talk.get("ttl") == "two");
  date = TimeMs{1'109};
  BOOST_TEST(talk.get("ttl") == "two");
  // Its end comes first.
  date = TimeMs{1'110};
  BOOST_TEST(talk.get("ttl") == "three");
  date = TimeMs{1'999};
  BOOST_TEST(talk.get("date") == "one");
  date = TimeMs{2'000};
  BOOST_TEST(talk.get("date") == "-");
  BOOST_TEST(talk.get("date") == "-");
  BOOST_TEST(talk.asked() == 5U);
}

BOOST_AUTO_TEST_CASE(own_changes_drop_the_key_whatever_becomes_of_them) {
  KeyValueCacheTalk talk(
      [](Peer& peer) {
        listening(peer);
        answer(peer, "k", "one");
        answer(peer, "other", "one");
        peer.answer(peer.expect("SET"), "STORED", {text("table", "values"), text("result", "stored")});
        answer(peer, "k", "two");
        // Nobody answers: whether it was carried out is not known.
        static_cast<void>(peer.expect("SET"));
        answer(peer, "k", "three");
        peer.answer(peer.expect("DELETE"), "DELETED", {text("table", "values"), text("result", "deleted")});
        answer(peer, "k", "four");
        answer(peer, "k", "five");
      },
      {}, {.time_limit = Milliseconds{200}, .back_off = {}});
  BOOST_TEST(talk.get("k") == "one");
  BOOST_TEST(talk.get("other") == "one");
  BOOST_TEST((talk.cache->set("k", "two").value().result == SetResult::stored));
  BOOST_TEST(talk.get("k") == "two");
  BOOST_TEST((talk.cache->set("k", "three").status().code() == Code::timed_out));
  BOOST_TEST(talk.get("k") == "three");
  BOOST_TEST((talk.cache->erase("k").value() == EraseResult::deleted));
  BOOST_TEST(talk.get("k") == "four");
  talk.cache->forget("k");
  talk.cache->forget("unknown");
  BOOST_TEST(talk.get("k") == "five");
  BOOST_TEST(talk.get("k") == "five");
  BOOST_TEST(talk.get("other") == "one");
}

// Answers every GET with the key as the value.
void echo(Peer& peer, std::string_view prefix, int many) {
  listening(peer, prefix);
  for (int i = 0; i < many; ++i) {
    Message const get = peer.expect("GET");
    peer.answer(get, "PAIR", pair_of(get, get.text("key")));
  }
}

BOOST_AUTO_TEST_CASE(beyond_the_number_of_pairs_the_one_not_used_for_longest_goes) {
  KeyValueCacheTalk talk([](Peer& peer) { echo(peer, "", 5); }, {.pairs_max = 2});
  // asked: a, b, c in place of b, b in place of c, c
  for (char const* const key : {"a", "b", "a", "c", "a", "b", "a", "c"}) BOOST_TEST(talk.get(key) == key);
  BOOST_TEST(talk.asked() == 5U);
  BOOST_TEST(talk.cache->figures().pairs == 2U);
  talk.cache->clear();
  BOOST_TEST(talk.cache->figures().pairs == 0U);
  BOOST_TEST(talk.cache->figures().bytes == 0U);
}

BOOST_AUTO_TEST_CASE(memory_holds_so_many_bytes_and_no_value_above_them) {
  std::string const large(700, 'x');
  // A pair of one byte counts 258, one of 700 bytes 1656.
  KeyValueCacheTalk talk([](Peer& peer) { echo(peer, "", 8); }, {.bytes_max = 3 * 258});
  for (char const* const key : {"a", "b", "c", "a", "b", "c"}) BOOST_TEST(talk.get(key) == key);
  BOOST_TEST(talk.cache->figures().bytes == 3U * 258U);
  for (int i = 0; i < 2; ++i) BOOST_TEST(talk.get(large) == large);
  BOOST_TEST(talk.cache->figures().pairs == 3U);
  for (char const* const key : {"dd", "dd", "c", "b", "a"}) BOOST_TEST(talk.get(key) == key);
  BOOST_TEST(talk.cache->figures().bytes <= 3U * 258U);
  BOOST_TEST(talk.asked() == 8U);
}

BOOST_AUTO_TEST_CASE(keys_without_the_prefix_are_read_and_not_kept) {
  KeyValueCacheTalk talk([](Peer& peer) { echo(peer, "site:", 4); }, {.prefix = "site:"});
  for (char const* const key : {"site:1", "site", "site", "site:1", "other"}) BOOST_TEST(talk.get(key) == key);
  BOOST_TEST(talk.asked() == 4U);
}

BOOST_AUTO_TEST_SUITE_END()
