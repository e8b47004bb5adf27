// The typed calls of a key/value table: the messages that they send, and how they read the answers, in both framings.
#include "clients/cpp/key_value.h"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "clients/cpp/key_text.h"
#include "tests/unit/clients/talk.h"

using namespace fastjournal;
using namespace fastjournal::client;

namespace {

constexpr std::array kKeyValueFramings{Framing::msgpack, Framing::text};

struct KeyValueTalk {
  explicit KeyValueTalk(FakeServer::Script script, Framing framing = Framing::msgpack)
      : server(std::move(script)),
        connection(connected(
            {.server = server.address(), .framing = framing, .back_off = {Milliseconds{1}}, .client = "writer"})) {}
  FakeServer server;
  std::unique_ptr<Connection> connection;
  KeyValue values{*connection, "values"};
};

void pair(Peer& peer, Message const& about, std::string_view key, Value value, std::string_view type,
          std::int64_t left = 0, std::vector<Param> more = {}) {
  std::vector<Param> params{text("table", "values"), text("key", key),       text("type", type),
                            {"value", value},        number("timestamp", 7), number("left", left)};
  params.insert(params.end(), more.begin(), more.end());
  peer.answer(about, "PAIR", params);
}

void stored(Peer& peer, Message const& about, std::string_view result = "stored") {
  peer.answer(about, "STORED", {text("table", "values"), text("result", result), number("timestamp", 9)});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(client_key_value)

BOOST_AUTO_TEST_CASE(values_of_all_types_are_sent_and_read_in_both_framings) {
  std::string const bytes{"\x00\xff\x01", 3};
  std::vector<TypedValue> const all{TypedValue{}, Buffer{bytes}, "text", std::int64_t{-5}, 2.0,
                                    0.25,         true,          false,  Buffer{},         ""};
  for (Framing const framing : kKeyValueFramings) {
    KeyValueTalk talk(
        [&](Peer& peer) {
          for (TypedValue const& one : all) {
            Message const set = peer.expect("SET");
            want(set.text("table") == "values" && set.text("key") == "k", "table and key");
            want(set.text("type") == name_of(type_of(one)), "the type");
            want(set.has("value") != (type_of(one) == ValueType::nothing), "a value");
            stored(peer, set);
            Message const get = peer.expect("GET");
            // It comes back as it came, as from the daemon.
            std::vector<Param> params{text("key", "k"), text("type", set.text("type"))};
            if (Value const* const value = set.find("value")) params.push_back({"value", *value});
            peer.answer(get, "PAIR", params);
          }
        },
        framing);
    for (TypedValue const& one : all) {
      Stored const set = value_of(talk.values.set("k", one));
      BOOST_TEST((set.result == SetResult::stored));
      BOOST_TEST(set.timestamp == 9U);
      std::optional<Pair> const got = value_of(talk.values.get("k"));
      BOOST_REQUIRE(got.has_value());
      BOOST_TEST((got.value().value == one), name_of(type_of(one)));
      BOOST_TEST((got.value().type == type_of(one)));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_key_that_is_no_text_is_bytes) {
  std::string const key{"\xff\x00k", 3};
  for (Framing const framing : kKeyValueFramings) {
    KeyValueTalk talk(
        [&](Peer& peer) {
          Message const set = peer.expect("SET");
          want(!set.has("key") && set.text("key_binary") == (framing == Framing::text ? "/wBr" : key), "key_binary");
          stored(peer, set);
          Message const get = peer.expect("GET");
          peer.answer(get, "PAIR",
                      {{"key_binary", *get.find("key_binary")}, text("type", "string"), text("value", "v")});
          Message const rename = peer.expect("RENAME");
          want(rename.has("key_binary") && rename.text("new_key") == "plain" && !rename.has("overwrite"), "RENAME");
          stored(peer, rename);
        },
        framing);
    BOOST_TEST(talk.values.set(key, "v").ok());
    BOOST_TEST(talk.values.get(key).value()->key == key);
    BOOST_TEST(talk.values.rename(key, "plain").ok());
  }
}

BOOST_AUTO_TEST_CASE(a_set_says_all_that_was_asked_and_learns_what_became_of_it) {
  KeyValueTalk talk([](Peer& peer) {
    Message const full = peer.expect("SET");
    want(full.integer("overwrite") == 0 && full.integer("if_timestamp") == 0 && full.text("if_value") == "old" &&
             full.integer("timestamp") == 55 && full.text("expiration_date") == "+1000" &&
             full.integer("persist") == 0 && full.text("client") == "c" && full.integer("sequence") == 4,
         "the options");
    stored(peer, full, "exists");
    Message const bare = peer.expect("SET");
    for (std::string_view const name :
         {"overwrite", "if_timestamp", "if_value", "timestamp", "expiration_date", "ttl", "persist", "listen"})
      want(!bare.has(name), "defaults are the daemon's");
    stored(peer, bare, "of a later version");
    for (char const* const result : {"mismatch", "stale", "duplicate"}) {
      Message const next = peer.expect("SET");
      want(next.integer("ttl") == 30, "ttl");
      stored(peer, next, result);
    }
  });
  Stored const full = value_of(talk.values.set("k", "v",
                                               {.overwrite = false,
                                                .if_timestamp = 0,
                                                .if_value = "old",
                                                .timestamp = 55,
                                                .expires = Date::in(DurationMs{1000}),
                                                .persist = false,
                                                .client = "c",
                                                .sequence = 4}));
  BOOST_TEST((full.result == SetResult::exists));
  BOOST_TEST((talk.values.set("k", "v").status().code() == Code::invalid));
  for (SetResult const result : {SetResult::mismatch, SetResult::stale, SetResult::duplicate})
    BOOST_TEST((talk.values.set("k", "v", {.ttl = DurationMs{30}})->result == result));
}

BOOST_AUTO_TEST_CASE(many_pairs_are_one_command) {
  KeyValueTalk talk([](Peer& peer) {
    Message const set = peer.expect("SET");
    want(set.text("pairs") == R"({"a \"q\"":"x\u000ay","b":-7,"c":2.0,"d":1e+20,"e":true,"f":null,"ü":""})",
         "the JSON");
    want(!set.has("key") && !set.has("type") && set.integer("overwrite") == 0, "SET");
    want(!set.has("client") && !set.has("sequence"), "a condition is not repeated");
    peer.answer(set, "STORED", {text("table", "values"), text("result", "stored"), number("count", 7)});
    Message const again = peer.expect("SET");
    want(again.text("client") == "writer" && again.integer("sequence") == 1, "numbered");
    peer.answer(again, "STORED", {text("table", "values"), text("result", "exists"), text("key", "b")});
  });
  std::vector<std::pair<std::string, TypedValue>> const pairs{
      {"a \"q\"", "x\ny"}, {"b", std::int64_t{-7}}, {"c", 2.0}, {"d", 1e20}, {"e", true}, {"f", {}}, {"ü", ""}};
  Stored const many = value_of(talk.values.set_many(pairs, {.overwrite = false}));
  BOOST_TEST(many.count == 7U);
  Result<Stored> const again = talk.values.set_many(pairs);
  BOOST_TEST((again->result == SetResult::exists));
  BOOST_TEST(again->key == "b");
  // Nothing is sent of what JSON cannot hold.
  std::vector<std::pair<std::string, TypedValue>> const bad[] = {
      {{"a", Buffer{"b"}}}, {{"\xff", "v"}}, {{"a", "\xff"}}, {{"a", std::numeric_limits<double>::infinity()}}};
  for (auto const& one : bad) BOOST_TEST((talk.values.set_many(one).status().code() == Code::bad_parameter));
}

// Another writer of JSON than ours has to read it.
BOOST_AUTO_TEST_CASE(keys_and_values_with_any_characters_are_json) {
  std::vector<std::pair<std::string, TypedValue>> pairs{{"\xf0\x9f\x90\x98", "gr\xc3\xbc\xc3\x9f"}, {"", ""}};
  for (int c = 0; c < 0x80; ++c) {
    std::string const text = std::string("k") + static_cast<char>(c) + "\\";
    pairs.emplace_back(text, text);
  }
  for (double const real : {0.1, -0.0, 1e300, 5e-324, 1e15, -123456789.0}) pairs.emplace_back(real_text(real), real);
  pairs.emplace_back("min", std::int64_t{INT64_MIN});
  auto const read = nlohmann::json::parse(json_object(pairs).value());
  BOOST_TEST(read.size() == pairs.size());
  std::vector<std::string_view> keys;
  for (auto const& [key, value] : pairs) {
    keys.push_back(key);
    auto const& one = read.at(key);
    switch (type_of(value)) {
      case ValueType::string: BOOST_TEST(one.get<std::string>() == std::get<std::string>(value)); break;
      case ValueType::real: BOOST_TEST((one.is_number_float() && one.get<double>() == std::get<double>(value))); break;
      default: BOOST_TEST((one.is_number_integer() && one.get<std::int64_t>() == INT64_MIN));
    }
  }
  auto const array = nlohmann::json::parse(json_array(keys)).get<std::vector<std::string>>();
  BOOST_TEST((std::equal(array.begin(), array.end(), keys.begin(), keys.end())));
  BOOST_TEST(json_array({}) == "[]");
}

BOOST_AUTO_TEST_CASE(many_keys_are_asked_for_at_once_and_again_where_a_page_is_full) {
  for (Framing const framing : kKeyValueFramings) {
    KeyValueTalk talk(
        [](Peer& peer) {
          Message const first = peer.expect("GET");
          want(first.text("keys") == R"(["a","none","b","c"])" && first.integer("data") == 0 && !first.has("key"),
               "GET");
          pair(peer, first, "a", Value::of_text("1"), "string", 1);
          peer.answer(first, "NOTHING", {text("table", "values"), text("key", "none"), number("left", 0)});
          Message const rest = peer.expect("GET");
          want(rest.text("keys") == R"(["b","c"])", "the rest");
          pair(peer, rest, "b", Value::of_text("2"), "string", 1);
          pair(peer, rest, "c", Value::of_text("3"), "string", 0);
          Message const binary = peer.expect("GET");
          want(binary.has("key_binary") && !binary.has("keys"), "a key that JSON cannot hold");
          peer.answer(binary, "NOTHING", {text("table", "values")});
          Message const last = peer.expect("GET");
          want(last.text("keys") == R"(["d"])", "the one behind it");
          pair(peer, last, "d", Value::of_text("4"), "string", 0);
          pair(peer, peer.expect("GET"), "another", Value::of_text("1"), "string", 0);
        },
        framing);
    std::vector<std::string> const keys{"a", "none", "b", "c", "\xff", "d"};
    auto const found = value_of(talk.values.get_many(keys, {.data = false}));
    BOOST_REQUIRE(found.size() == 6U);
    std::string all;
    for (std::optional<Pair> const& one : found) all += one ? std::get<std::string>(one->value) : "-";
    BOOST_TEST(all == "1-23-4");
    BOOST_TEST((talk.values.get_many(std::vector<std::string>{"x"}).status().code() == Code::invalid));
  }
}

BOOST_AUTO_TEST_CASE(a_range_is_read_page_by_page_also_over_empty_ones_and_a_loss) {
  for (Framing const framing : kKeyValueFramings) {
    KeyValueTalk talk(
        [](Peer& peer) {
          Message const first = peer.expect("GET");
          want(first.text("prefix") == "p" && first.text("from") == "pa" && first.text("to") == "q" &&
                   first.text("regex") == "x$" && first.integer("count") == 2 && first.integer("facts") == 1 &&
                   !first.has("after"),
               "the range");
          pair(peer, first, "p1", Value::of_integer(1), "integer", 1);
          pair(peer, first, "p2", Value::of_integer(2), "integer", 0, {text("after", "p2")});
          Message const empty = peer.expect("GET");
          want(empty.text("after") == "p2" && empty.text("regex") == "x$", "behind it");
          peer.answer(empty, "NOTHING", {text("table", "values"), {"after_binary", Value::of_binary("p\xff")}});
          Message const lost = peer.expect("GET");
          want(lost.has("after_binary"), "an end that is no text");
          peer.accept();
          pair(peer, peer.expect("GET"), "px", Value::of_integer(3), "integer");
        },
        framing);
    Scan scan = talk.values.scan({.prefix = "p", .from = "pa", .to = "q", .regex = "x$", .page = 2, .facts = true});
    std::string keys;
    for (auto next = scan.next(); next.ok() && next->has_value(); next = scan.next()) {
      keys += next->value().key + " ";
      if (next->value().key == "p1") BOOST_TEST(scan.after() == "p2");
    }
    BOOST_TEST(keys == "p1 p2 px ");
    BOOST_TEST(scan.has_ended());
    BOOST_TEST(scan.after() == "");
    BOOST_TEST(!scan.next()->has_value());
  }
}

// Of a daemon that says the same `after` for ever.
BOOST_AUTO_TEST_CASE(a_range_ends) {
  KeyValueTalk talk([](Peer& peer) {
    for (int i = 0; i < 2; ++i) peer.answer(peer.expect("GET"), "NOTHING", {text("after", "k")});
  });
  Scan scan = talk.values.scan({});
  BOOST_TEST(scan.next_page()->empty());
}

BOOST_AUTO_TEST_CASE(facts_are_read) {
  KeyValueTalk talk([](Peer& peer) {
    Message const get = peer.expect("GET");
    want(get.integer("facts") == 1 && get.integer("worked_on") == 500 && get.integer("skip_worked_on") == 1 &&
             get.integer("ttl") == 0,
         "GET");
    pair(peer, get, "k", Value::of_text("v"), "string", 0,
         {number("expiration_date", 11), number("locked", 1), number("lock_end", 12), number("worked_on", 1),
          number("worked_on_end", 13), number("ttl", 14), number("persist", 1), number("creation_date", 15),
          number("modification_date", 16), number("access_date", 17000), number("size", 1), text("main_key", "m")});
    peer.answer(peer.expect("GET"), "PAIR",
                {text("key", "k"), text("type", "string"), {"value_binary", Value::of_binary("\xc3")}});
    peer.answer(peer.expect("GET"), "PAIR", {text("key", "k"), text("type", "of a later version")});
    peer.answer(peer.expect("GET"), "PAIR", {text("key", "k"), text("type", "integer"), text("value", "x")});
  });
  auto const found = value_of(talk.values.get(
      "k", {.facts = true, .skip_worked_on = true, .worked_on = DurationMs{500}, .ttl = DurationMs{0}}));
  Pair const& one = found.value();
  BOOST_TEST(one.table == "values");
  BOOST_TEST(one.timestamp == 7U);
  BOOST_TEST(one.expires->value == 11);
  BOOST_TEST(one.locked);
  BOOST_TEST(one.lock_end->value == 12);
  BOOST_TEST(one.worked_on);
  BOOST_TEST(one.worked_on_end->value == 13);
  BOOST_TEST(one.ttl->value == 14);
  BOOST_TEST(one.persist);
  BOOST_TEST(one.created.value == 15);
  BOOST_TEST(one.modified.value == 16);
  BOOST_TEST(one.accessed.value == 17000);
  BOOST_TEST(one.size == 1U);
  BOOST_TEST(one.main_key == "m");
  BOOST_TEST((talk.values.get("k").value()->value == TypedValue{"\xc3"}));
  for (int i = 0; i < 2; ++i) BOOST_TEST((talk.values.get("k").status().code() == Code::invalid));
}

BOOST_AUTO_TEST_CASE(an_add_whose_answer_was_lost_is_sent_again_under_its_number) {
  KeyValueTalk talk([](Peer& peer) {
    Message const first = peer.expect("ADD");
    want(first.integer("by") == 5 && first.text("client") == "writer" && first.integer("sequence") == 1, "the first");
    peer.accept();
    Message const again = peer.expect("ADD");
    want(again.text("client") == "writer" && again.integer("sequence") == 1, "the same number");
    peer.answer(again, "STORED", {text("result", "duplicate"), text("type", "integer"), number("value", 5)});
    Message const real = peer.expect("ADD");
    want(real.integer("sequence") == 2 && real.text("by") == "2.0", "a float has a point");
    peer.answer(real, "STORED", {text("result", "stored"), text("type", "float"), {"value", Value::of_real(7)}});
  });
  Stored const sum = value_of(talk.values.add("visits", 5));
  BOOST_TEST((sum.result == SetResult::duplicate));
  BOOST_TEST(sum.resent);
  BOOST_TEST((sum.value == TypedValue{std::int64_t{5}}));
  BOOST_TEST((talk.values.add_real("f", 2)->value == TypedValue{7.0}));
}

BOOST_AUTO_TEST_CASE(a_change_with_a_condition_is_not_sent_twice) {
  KeyValueTalk talk([](Peer& peer) {
    static_cast<void>(peer.expect("SET"));
    peer.accept();
    peer.answer(peer.expect("GET"), "NOTHING", {text("table", "values")});
  });
  BOOST_TEST((talk.values.set("visits", "1", {.if_timestamp = 0}).status().code() == Code::closed));
  BOOST_TEST(!talk.values.get("visits")->has_value());
}

BOOST_AUTO_TEST_CASE(the_other_changes_say_what_they_want) {
  KeyValueTalk talk([](Peer& peer) {
    Message const invert = peer.expect("NOT");
    peer.answer(invert, "STORED",
                {text("result", "stored"), text("type", "boolean"), {"value", Value::of_boolean(true)}});
    Message const truncate = peer.expect("TRUNCATE");
    want(truncate.integer("size") == 12, "TRUNCATE");
    stored(peer, truncate);
    Message const rename = peer.expect("RENAME");
    want(rename.text("new_key") == "n" && rename.integer("overwrite") == 1, "RENAME");
    stored(peer, rename);
    Message const alias = peer.expect("ALIAS");
    want(alias.text("new_key") == "a", "ALIAS");
    stored(peer, alias, "exists");
    Message const lock = peer.expect("LOCK");
    want(lock.integer("lock") == 1500, "LOCK");
    peer.answer(lock, "LOCKED", {number("lock_end", 77)});
    peer.answer(peer.expect("UNLOCK"), "UNLOCKED");
    Message const erase = peer.expect("DELETE");
    want(erase.integer("if_timestamp") == 3 && erase.integer("complete") == 1 && erase.integer("timestamp") == 4,
         "DELETE");
    peer.answer(erase, "DELETED", {text("result", "mismatch")});
    peer.answer(peer.expect("DELETE"), "DELETED", {text("result", "absent")});
  });
  BOOST_TEST((talk.values.invert("k")->value == TypedValue{true}));
  BOOST_TEST(talk.values.truncate("k", 12).ok());
  BOOST_TEST(talk.values.rename("k", "n", true).ok());
  BOOST_TEST((talk.values.alias("k", "a")->result == SetResult::exists));
  BOOST_TEST(talk.values.lock("k", DurationMs{1500})->value == 77);
  BOOST_TEST(talk.values.unlock("k").ok());
  BOOST_TEST(
      (talk.values.erase("k", {.if_timestamp = 3, .timestamp = 4, .complete = true}).value() == EraseResult::mismatch));
  BOOST_TEST((talk.values.erase("k").value() == EraseResult::absent));
}

BOOST_AUTO_TEST_CASE(changes_are_told_and_after_a_loss_that_some_were_missed) {
  for (Framing const framing : kKeyValueFramings) {
    KeyValueTalk talk(
        [](Peer& peer) {
          auto const listen = [&](std::string_view command) {
            Message const one = peer.expect(command);
            want(one.text("table") == "values", "the table");
            std::vector<Param> params{text("table", "values")};
            for (std::string_view const name : {"key", "key_binary", "prefix"})
              if (Value const* const value = one.find(name)) params.push_back({name, *value});
            peer.answer(one, command == "LISTEN" ? "LISTENING" : "UNLISTENED", params);
            return std::string(one.text("key")) + std::string(one.text("prefix"));
          };
          want(listen("LISTEN") == "a" && listen("LISTEN") == "b" && listen("LISTEN") == "site:", "three watches");
          Message const get = peer.expect("GET");
          want(get.integer("listen") == 1, "a read that watches");
          pair(peer, get, "g", Value::of_text("v"), "string");
          want(listen("UNLISTEN") == "b", "one less");
          peer.push("CHANGED", {text("table", "values"), text("key", "a"), text("result", "stored"),
                                number("timestamp", 5), number("listener", 1)});
          peer.push("CHANGED", {text("table", "values"), text("key", "site:1"), text("result", "absent")});
          peer.push("CHANGED", {text("table", "values"), text("prefix", "site:"), number("missed", 1)});
          peer.push("CHANGED", {text("table", "values"), text("key", "g"), text("result", "unlistened")});
          peer.accept();
          want(listen("LISTEN") == "a" && listen("LISTEN") == "site:" && listen("LISTEN") == "g", "again");
          peer.answer(peer.expect("ALIVE"), "ABSOLUTELY");
        },
        framing);
    BOOST_TEST(talk.values.watch("a").ok());
    BOOST_TEST(talk.values.watch("b").ok());
    BOOST_TEST(talk.values.watch_prefix("site:").ok());
    BOOST_TEST(talk.values.get("g", {.watch = true}).ok());
    BOOST_TEST(talk.values.unwatch("b").ok());
    auto const next = [&] {
      Change const change = value_of(wait_change(*talk.connection, Milliseconds{kScriptLimitMs}));
      BOOST_TEST(change.table == "values");
      static constexpr std::array kKinds{"stored", "absent", "missed", "unwatched"};
      return std::string(kKinds[static_cast<std::size_t>(change.kind)]) + (change.is_prefix ? " all " : " ") +
             change.key;
    };
    BOOST_TEST(next() == "stored a");
    BOOST_TEST(next() == "absent site:1");
    BOOST_TEST(next() == "missed all site:");
    BOOST_TEST(next() == "unwatched g");
    // The loss.
    BOOST_TEST(next() == "missed a");
    BOOST_TEST(next() == "missed all site:");
    BOOST_TEST(next() == "missed g");
    BOOST_TEST(talk.connection->call("ALIVE").ok());
  }
}

BOOST_AUTO_TEST_SUITE_END()
