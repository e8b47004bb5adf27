// The commands `kv ...`: the messages that they send, what they print, and their exit codes.
#include <fstream>

#include "clients/cpp/value_text.h"
#include "clients/programs/fastjournal/pair_values.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/clients/run_line.h"

using namespace fastjournal;
using namespace fastjournal::cli;
using client::Buffer;
using namespace fastjournal::test;
using client::TypedValue;
using client::ValueType;

namespace {

void pair(Peer& peer, Message const& about, std::string_view key, Value value, std::string_view type,
          std::int64_t left = 0) {
  std::vector<Param> params{text("table", "values"), text("key", key),       text("type", type),
                            {"value", value},        number("timestamp", 7), number("left", left)};
  peer.answer(about, "PAIR", params);
}

void nothing(Peer& peer, Message const& about) { peer.answer(about, "NOTHING", {text("table", "values")}); }

void cli_pairs_stored(Peer& peer, Message const& about, std::string_view result = "stored") {
  peer.answer(about, "STORED",
              {text("table", "values"), text("key", "k"), text("result", result), number("timestamp", 9)});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cli_pairs)

BOOST_AUTO_TEST_CASE(mistakes_are_refused_with_what_was_expected) {
  BOOST_TEST(says(refused({"dance"}, "kv"), "there is no command 'kv dance'"));
  BOOST_TEST(says(refused({"get", "values"}, "kv"), "KEYS is required"));
  BOOST_TEST(says(refused({"set", "values", "k"}, "kv"), "kv set needs a value for k"));
  BOOST_TEST(says(refused({"set", "values", "k", "v", "w"}, "kv"), "'k' has no ="));
  BOOST_TEST(says(refused({"set", "values", "a=1", "b"}, "kv"), "'b' has no ="));
  BOOST_TEST(says(refused({"set", "values", "k", "v", "--file", "x"}, "kv"), "--file takes one KEY"));
  BOOST_TEST(says(refused({"set", "values", "k", "v", "--type", "void"}, "kv"), "takes a KEY and no value"));
  BOOST_TEST(says(refused({"set", "values", "k", "v", "--type", "text"}, "kv"), "text"));
  BOOST_TEST(says(refused({"set", "values", "k", "v", "--ttl", "1h", "--expires", "+1h"}, "kv"), "exclude each other"));
  BOOST_TEST(says(refused({"set", "values", "k", "v", "--ttl", "1w"}, "kv"), "'1w' is no duration"));
  BOOST_TEST(says(refused({"set", "values", "k", "v", "--expires", "soon"}, "kv"), "'soon' is no date"));
  BOOST_TEST(says(refused({"set", "values", "k", "v", "--if-timestamp", "x"}, "kv"), "expected a whole number"));
  BOOST_TEST(says(refused({"set", "values", "k", "v", "--client", "c"}, "kv"), "belong together"));
  BOOST_TEST(says(refused({"set", "values", "k", "v", "--persist", "--no-persist"}, "kv"), "--no-persist"));
  BOOST_TEST(says(refused({"set", "values", "a=1", "b=2", "--if-timestamp", "0"}, "kv"), "are for one key"));
  BOOST_TEST(says(refused({"set", "values", "a=1", "b=2", "--type", "buffer"}, "kv"), "is for one key"));
  BOOST_TEST(says(refused({"watch", "values"}, "kv"), "needs a KEY, or else --prefix"));
  BOOST_TEST(says(refused({"watch", "values", "k", "--prefix", "p"}, "kv"), "needs a KEY, or else --prefix"));
  BOOST_TEST(says(refused({"lock", "values", "k"}, "kv"), "-- COMMAND"));
  BOOST_TEST(says(refused({"get", "values", "k", "--", "x"}, "kv"), "`work` and `kv lock` only"));
}

BOOST_AUTO_TEST_CASE(values_are_read_by_their_types) {
  auto const parsed = [](ValueType type, std::string_view given) { return parse_value(type, given).value(); };
  BOOST_TEST((parsed(ValueType::integer, "-5") == TypedValue{std::int64_t{-5}}));
  BOOST_TEST((parsed(ValueType::real, "2") == TypedValue{2.0}));
  BOOST_TEST((parsed(ValueType::boolean, "true") == TypedValue{true}));
  BOOST_TEST((parsed(ValueType::boolean, "0") == TypedValue{false}));
  BOOST_TEST((parsed(ValueType::buffer, "base64:AP8=") == TypedValue{Buffer{std::string("\x00\xff", 2)}}));
  BOOST_TEST((parsed(ValueType::buffer, "plain") == TypedValue{Buffer{"plain"}}));
  BOOST_TEST((parsed(ValueType::string, "base64:AP8=") == TypedValue{"base64:AP8="}));
  BOOST_TEST((parsed(ValueType::nothing, "") == TypedValue{}));
  std::pair<ValueType, std::string_view> const bad[] = {
      {ValueType::integer, "1.5"}, {ValueType::integer, ""},          {ValueType::integer, "9223372036854775808"},
      {ValueType::real, "x"},      {ValueType::real, "inf"},          {ValueType::boolean, "yes"},
      {ValueType::string, "\xff"}, {ValueType::buffer, "base64:AP8"}, {ValueType::nothing, "x"}};
  for (auto const& [type, given] : bad)
    BOOST_TEST((parse_value(type, given).status().code() == Code::bad_parameter), given);
  BOOST_TEST((value_of_bytes("text") == TypedValue{"text"}));
  BOOST_TEST((value_of_bytes("\xff") == TypedValue{Buffer{"\xff"}}));
  BOOST_TEST((parse_sum("-3").value() == TypedValue{std::int64_t{-3}}));
  BOOST_TEST((parse_sum("3.0").value() == TypedValue{3.0}));
  BOOST_TEST(says(parse_sum("three").status().message(), "BY is 'three'"));
}

BOOST_AUTO_TEST_CASE(a_value_is_printed_bare) {
  BOOST_TEST(bare("two\nlines", false, false) == "two\nlines\n");
  BOOST_TEST(bare("two\nlines", true, false) == "two\nlines");
  BOOST_TEST(bare("\x1b[2J\n", false, true) == "\\x1b[2J\n\n");
  BOOST_TEST(bare(Buffer{"\xff"}, false, false) == "\xff");
  BOOST_TEST(bare(Buffer{"\xff"}, false, true) == "\\xff\n");
  BOOST_TEST(bare(TypedValue{}, false, false) == "\n");
  BOOST_TEST(bare(2.0, false, false) == "2.0\n");
  BOOST_TEST(bare(true, false, false) == "true\n");
  BOOST_TEST(line_of(Buffer{"abc"}) == "(3 bytes)");
  BOOST_TEST(line_of("a\tb") == "a\\tb");
}

BOOST_AUTO_TEST_CASE(get_prints_the_value_of_one_key_in_both_framings) {
  for (bool const is_text : {false, true}) {
    auto const script = [](Peer& peer) {
      Message const get = peer.expect("GET");
      want(get.text("table") == "values" && get.text("key") == "n", "GET");
      pair(peer, get, "n", Value::of_integer(-5), "integer");
    };
    std::vector<std::string> words{"kv", "get", "values", "n"};
    if (is_text) words.emplace_back("--text");
    BOOST_TEST(talk(script, words).out == "-5\n");
    words.emplace_back("--json");
    BOOST_TEST(talk(script, words).out ==
               "{\"table\":\"values\",\"key\":\"n\",\"type\":\"integer\",\"value\":-5,\"timestamp\":7}\n");
  }
  Said const none = talk([](Peer& peer) { nothing(peer, peer.expect("GET")); }, {"kv", "get", "values", "k"});
  BOOST_TEST((none.code == ExitCode::nothing));
  BOOST_TEST(none.out == "");
  BOOST_TEST(none.err == "no value under k\n");
}

BOOST_AUTO_TEST_CASE(get_shows_many_keys_and_says_which_are_not_there) {
  auto const script = [](Peer& peer) {
    Message const get = peer.expect("GET");
    want(get.text("keys") == R"(["a","none","b"])", "keys");
    pair(peer, get, "a", Value::of_text("x"), "string", 2);
    peer.answer(get, "NOTHING", {text("table", "values"), text("key", "none"), number("left", 1)});
    pair(peer, get, "b", Value::of_boolean(true), "boolean", 0);
  };
  Said const said = talk(script, {"kv", "get", "values", "a", "none", "b"});
  BOOST_TEST((said.code == ExitCode::nothing));
  BOOST_TEST(said.out == "key  value\na    x\nb    true\n");
  BOOST_TEST(said.err == "no value under none\n");
  BOOST_TEST(says(talk(script, {"kv", "get", "values", "a", "none", "b", "--json"}).out, "\"key\":\"b\""));
}

BOOST_AUTO_TEST_CASE(set_takes_its_value_from_a_word_a_file_or_the_input) {
  test::TemporaryFolder folder;
  std::ofstream{folder.path() / "binary", std::ios::binary} << std::string("\x00\xff", 2);
  std::ofstream{folder.path() / "number"} << "12\n";
  struct Case {
    std::vector<std::string> words;
    std::string_view type;
    Value value;
  };
  Case const cases[] = {
      {{"k", "hello"}, "string", Value::of_text("hello")},
      {{"k", "a=b"}, "string", Value::of_text("a=b")},
      {{"k=hello"}, "string", Value::of_text("hello")},
      {{"k", "-"}, "string", Value::of_text("from the input\n")},
      {{"k", "--file", "-"}, "string", Value::of_text("from the input\n")},
      {{"k", "5", "--type", "integer"}, "integer", Value::of_integer(5)},
      {{"k", "--file", folder / "number", "--type", "integer"}, "integer", Value::of_integer(12)},
      {{"k", "--file", folder / "binary"}, "buffer", Value::of_binary(std::string_view("\x00\xff", 2))},
      {{"k", "base64:AA==", "--type", "buffer"}, "buffer", Value::of_binary(std::string_view("\x00", 1))},
  };
  for (Case const& one : cases) {
    std::vector<std::string> words{"kv", "set", "values"};
    words.insert(words.end(), one.words.begin(), one.words.end());
    Said const said = talk(
        [&](Peer& peer) {
          Message const set = peer.expect("SET");
          want(set.text("key") == "k" && set.text("type") == one.type, "key and type");
          want(set.find("value")->kind == one.value.kind || one.type == "integer", "the kind");
          want(set.find("value")->bytes == one.value.bytes && set.integer("value") == one.value.as_integer(), "value");
          want(set.has("client") && set.integer("sequence") == 1, "its number");
          cli_pairs_stored(peer, set);
        },
        words, "from the input\n");
    BOOST_TEST((said.code == ExitCode::ok));
    BOOST_TEST(said.out == "stored k\n");
  }
  auto const no_daemon = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"kv", "set", "values"});
    return talk([](Peer&) {}, std::move(words));
  };
  Said const bad = no_daemon({"k", "abc", "--type", "integer"});
  BOOST_TEST((bad.code == ExitCode::usage));
  BOOST_TEST(says(bad.err, "'abc' is no integer: expected a whole number of 64 bits"));
  BOOST_TEST(says(no_daemon({"k", "--file", folder / "none"}).err, "cannot read the file"));
}

BOOST_AUTO_TEST_CASE(set_hands_on_its_options_and_says_what_became_of_it) {
  auto const said = [](std::string_view result, bool json = false) {
    std::vector<std::string> words{"kv", "set",        "values", "k",          "v",   "--if-absent",  "--if-timestamp",
                                   "8",  "--if-value", "x",      "--expires",  "+1h", "--no-persist", "--timestamp",
                                   "5",  "--client",   "c",      "--sequence", "3"};
    if (json) words.emplace_back("--json");
    return talk(
        [&](Peer& peer) {
          Message const set = peer.expect("SET");
          want(set.integer("overwrite") == 0 && set.integer("if_timestamp") == 8 && set.text("if_value") == "x" &&
                   set.text("expiration_date") == "+3600000" && set.integer("persist") == 0 &&
                   set.integer("timestamp") == 5 && set.text("client") == "c" && set.integer("sequence") == 3,
               "options");
          cli_pairs_stored(peer, set, result);
        },
        words);
  };
  BOOST_TEST(said("stored").out == "stored k\n");
  BOOST_TEST((said("stored").code == ExitCode::ok));
  BOOST_TEST(says(said("duplicate").out, "done before"));
  BOOST_TEST((said("duplicate").code == ExitCode::ok));
  for (char const* const result : {"exists", "mismatch", "stale"}) {
    Said const one = said(result);
    BOOST_TEST((one.code == ExitCode::nothing));
    BOOST_TEST(one.out == "");
    BOOST_TEST(says(one.err, "nothing was changed"));
  }
  BOOST_TEST(said("exists", true).out ==
             "{\"table\":\"values\",\"key\":\"k\",\"result\":\"exists\",\"timestamp\":9}\n");
}

BOOST_AUTO_TEST_CASE(many_pairs_are_set_in_one_command) {
  Said const said = talk(
      [](Peer& peer) {
        Message const set = peer.expect("SET");
        want(set.text("pairs") == R"({"a":1,"b":2})", "pairs");
        want(set.integer("ttl") == 1000, "ttl");
        peer.answer(set, "STORED", {text("table", "values"), text("result", "stored"), number("count", 2)});
      },
      {"kv", "set", "values", "a=1", "b=2", "--type", "integer", "--ttl", "1s"});
  BOOST_TEST(said.out == "stored 2 pairs\n");
  Said const taken = talk(
      [](Peer& peer) {
        peer.answer(peer.expect("SET"), "STORED",
                    {text("table", "values"), text("result", "exists"), text("key", "b")});
      },
      {"kv", "set", "values", "a=1", "b=2", "--if-absent"});
  BOOST_TEST((taken.code == ExitCode::nothing));
  BOOST_TEST(taken.err == "b has a value already: nothing was changed\n");
}

BOOST_AUTO_TEST_CASE(scan_lists_a_range_and_says_how_to_go_on) {
  auto const script = [](Peer& peer) {
    Message const get = peer.expect("GET");
    want(get.text("prefix") == "site:" && get.text("to") == "site:9" && get.text("regex") == "x" &&
             get.integer("count") == 2 && !get.has("data"),
         "the range");
    pair(peer, get, "site:1", Value::of_text("one"), "string", 1);
    peer.answer(get, "PAIR",
                {text("key", "site:2"),
                 text("type", "buffer"),
                 {"value", Value::of_binary("\xff")},
                 text("after", "site:2"),
                 number("left", 0)});
  };
  std::vector<std::string> const words{"kv",     "scan",    "values", "--prefix", "site:", "--to",
                                       "site:9", "--regex", "x",      "--count",  "2"};
  Said const said = talk(script, words);
  BOOST_TEST(said.out == "key     value\nsite:1  one\nsite:2  (1 bytes)\n");
  BOOST_TEST(said.err == "there may be more: --count, or --after 'site:2'\n");
  Said const none = talk([](Peer& peer) { nothing(peer, peer.expect("GET")); }, {"kv", "scan", "values"});
  BOOST_TEST((none.code == ExitCode::ok));
  BOOST_TEST(none.err == "no key of table values fits\n");
}

BOOST_AUTO_TEST_CASE(scan_prints_all_keys_for_programs_page_by_page) {
  Said const said = talk(
      [](Peer& peer) {
        Message const first = peer.expect("GET");
        want(first.integer("count") == 1000 && first.integer("data") == 0 && first.text("after") == "a", "first page");
        peer.answer(first, "PAIR", {text("key", "b"), text("type", "string"), number("size", 1), text("after", "b")});
        Message const second = peer.expect("GET");
        want(second.text("after") == "b", "second page");
        peer.answer(second, "PAIR", {text("key", "c"), text("type", "string"), number("size", 1)});
      },
      {"kv", "scan", "values", "--keys-only", "--after", "a"});
  BOOST_TEST(said.out == "b\nc\n");
  BOOST_TEST(said.err == "");
}

BOOST_AUTO_TEST_CASE(the_other_changes_are_sent_and_told) {
  auto const sum = [](std::string_view by) {
    return [by](Peer& peer) {
      Message const add = peer.expect("ADD");
      want(add.text("key") == "n" && client::text_of(*add.find("by")) == by, "ADD");
      peer.answer(add, "STORED", {text("result", "stored"), text("type", "integer"), number("value", 6)});
    };
  };
  BOOST_TEST(talk(sum("1"), {"kv", "add", "values", "n"}).out == "6\n");
  BOOST_TEST(talk(sum("-5"), {"kv", "add", "values", "n", "-5"}).out == "6\n");
  BOOST_TEST(talk(sum("2.0"), {"kv", "add", "values", "n", "2.0"}).out == "6\n");
  Said const bad = talk([](Peer&) {}, {"kv", "add", "values", "n", "five"});
  BOOST_TEST((bad.code == ExitCode::usage));
  BOOST_TEST(says(bad.err, "BY is 'five'"));
  BOOST_TEST(
      talk([](Peer& peer) { cli_pairs_stored(peer, peer.expect("TRUNCATE")); }, {"kv", "truncate", "values", "k", "4"})
          .out == "k has 4 bytes now\n");
  auto const rename = [](Peer& peer) {
    Message const one = peer.expect("RENAME");
    want(one.text("new_key") == "n" && one.integer("overwrite") == 1, "RENAME");
    cli_pairs_stored(peer, one);
  };
  BOOST_TEST(talk(rename, {"kv", "rename", "values", "k", "n", "--overwrite"}).out == "k is n now\n");
  Said const taken = talk([](Peer& peer) { cli_pairs_stored(peer, peer.expect("ALIAS"), "exists"); },
                          {"kv", "alias", "values", "k", "n"});
  BOOST_TEST((taken.code == ExitCode::nothing));
  BOOST_TEST(taken.err == "n has a value already: nothing was changed\n");
  Said const deleted = talk(
      [](Peer& peer) {
        Message const first = peer.expect("DELETE");
        want(first.text("key") == "a" && first.integer("complete") == 1, "DELETE");
        peer.answer(first, "DELETED", {text("result", "deleted")});
        peer.answer(peer.expect("DELETE"), "DELETED", {text("result", "absent")});
      },
      {"kv", "del", "values", "a", "b", "--complete"});
  BOOST_TEST((deleted.code == ExitCode::nothing));
  BOOST_TEST(deleted.out == "deleted a\n");
  BOOST_TEST(deleted.err == "no value under b\n");
}

BOOST_AUTO_TEST_CASE(watch_prints_each_change_with_its_value) {
  auto const script = [](Peer& peer) {
    Message const listen = peer.expect("LISTEN");
    want(listen.text("prefix") == "p" && !listen.has("key"), "LISTEN");
    peer.answer(listen, "LISTENING", {text("table", "values"), text("prefix", "p")});
    Message const all = peer.expect("GET");
    want(all.text("prefix") == "p", "what is there");
    pair(peer, all, "p0", Value::of_text("first"), "string");
    peer.push("CHANGED", {text("table", "values"), text("key", "p1"), text("result", "stored")});
    Message const get = peer.expect("GET");
    want(get.text("key") == "p1", "the value");
    pair(peer, get, "p1", Value::of_integer(5), "integer");
    peer.push("CHANGED", {text("table", "values"), text("key", "p2"), text("result", "absent")});
    peer.push("CHANGED", {text("table", "values"), text("prefix", "p"), number("missed", 1)});
    pair(peer, peer.expect("GET"), "p3", Value::of_text("again"), "string");
  };
  std::vector<std::string> words{"kv", "watch", "values", "--prefix", "p", "--initial", "--count", "4"};
  Said const said = talk(script, words);
  BOOST_TEST((said.code == ExitCode::ok));
  BOOST_TEST(said.out == "p0 = first\np1 = 5\np2 is gone\np3 = again\n");
  BOOST_TEST(says(said.err, "changes were missed"));
  words.emplace_back("--json");
  std::string const json = talk(script, words).out;
  BOOST_TEST(says(json, "\"key\":\"p1\",\"type\":\"integer\",\"value\":5,\"timestamp\":7,\"result\":\"stored\"}\n"));
  BOOST_TEST(says(json, "{\"table\":\"values\",\"key\":\"p2\",\"result\":\"absent\"}\n"));
}

BOOST_AUTO_TEST_CASE(watch_ends_when_nothing_comes_or_the_daemon_gives_up) {
  auto const answer = [](Peer& peer) {
    Message const listen = peer.expect("LISTEN");
    want(listen.text("key") == "k", "LISTEN");
    peer.answer(listen, "LISTENING", {text("table", "values"), text("key", "k")});
  };
  Said const quiet = talk(
      [&](Peer& peer) {
        answer(peer);
        peer.wait_for_end();
      },
      {"kv", "watch", "values", "k", "--wait", "10ms"});
  BOOST_TEST((quiet.code == ExitCode::nothing));
  Said const given_up = talk(
      [&](Peer& peer) {
        answer(peer);
        peer.push("CHANGED", {text("table", "values"), text("key", "k"), text("result", "unlistened")});
        peer.wait_for_end();
      },
      {"kv", "watch", "values", "k"});
  BOOST_TEST((given_up.code == ExitCode::refused));
  BOOST_TEST(says(given_up.err, "gave up this watch"));
}

BOOST_AUTO_TEST_CASE(lock_runs_its_command_while_the_value_is_locked) {
  test::TemporaryFolder folder;
  auto const run = [&](client::FakeServer::Script script, std::string const& shell,
                       std::vector<std::string> options = {}) {
    std::vector<std::string> words{"kv", "lock", "values", "k"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", "sh", "-c", shell});
    return talk(std::move(script), std::move(words));
  };
  auto const locked = [](Peer& peer, std::int64_t ms) {
    Message const lock = peer.expect("LOCK");
    want(lock.text("key") == "k" && lock.integer("lock") == ms, "LOCK");
    peer.answer(lock, "LOCKED", {number("lock_end", 1)});
  };
  Said const ran = run(
      [&](Peer& peer) {
        locked(peer, 60'000);
        peer.answer(peer.expect("UNLOCK"), "UNLOCKED");
      },
      "exit 7");
  BOOST_TEST(static_cast<int>(ran.code) == 7);
  // It is renewed until the command ends, which is when the second renewal has come.
  std::string const mark = folder / "mark";
  Said const renewed = run(
      [&](Peer& peer) {
        for (int i = 0; i < 3; ++i) locked(peer, 40);
        std::ofstream{mark} << "x";
        Message next = peer.next();
        for (; next.command == "LOCK"; next = peer.next()) peer.answer(next, "LOCKED", {number("lock_end", 1)});
        want(next.command == "UNLOCK", "UNLOCK");
        peer.answer(next, "UNLOCKED");
      },
      "while [ ! -e " + mark + " ]; do sleep 0.01; done", {"--lock", "40ms"});
  BOOST_TEST((renewed.code == ExitCode::ok));
  Said const killed = run(
      [&](Peer& peer) {
        locked(peer, 60'000);
        peer.answer(peer.expect("UNLOCK"), "UNLOCKED");
      },
      "kill -TERM $$");
  BOOST_TEST(static_cast<int>(killed.code) == 128 + SIGTERM);
}

BOOST_AUTO_TEST_CASE(lock_waits_makes_a_value_and_says_who_is_in_the_way) {
  auto const in_use = [](Peer& peer) {
    peer.answer(peer.expect("LOCK"), "ERROR",
                {text("code", "in_use"), text("message", "locked"), number("lock_end", 5)});
  };
  Said const taken = talk(in_use, {"kv", "lock", "values", "k", "--", "true"});
  BOOST_TEST((taken.code == ExitCode::nothing));
  BOOST_TEST(says(taken.err, "in_use: locked (lock_end=5)"));
  Said const waited = talk(
      [&](Peer& peer) {
        in_use(peer);
        peer.answer(peer.expect("LOCK"), "LOCKED", {number("lock_end", 1)});
        peer.answer(peer.expect("UNLOCK"), "UNLOCKED");
      },
      {"kv", "lock", "values", "k", "--wait", "1m", "--", "true"});
  BOOST_TEST((waited.code == ExitCode::ok));
  auto const absent = [](Peer& peer) {
    peer.answer(peer.expect("LOCK"), "ERROR", {text("code", "not_found"), text("message", "no value")});
  };
  Said const none = talk(absent, {"kv", "lock", "values", "k", "--", "true"});
  BOOST_TEST((none.code == ExitCode::refused));
  BOOST_TEST(says(none.err, "--create makes one"));
  Said const created = talk(
      [&](Peer& peer) {
        absent(peer);
        Message const set = peer.expect("SET");
        want(set.text("type") == "void" && set.integer("overwrite") == 0, "SET");
        cli_pairs_stored(peer, set);
        peer.answer(peer.expect("LOCK"), "LOCKED", {number("lock_end", 1)});
        peer.answer(peer.expect("UNLOCK"), "UNLOCKED");
      },
      {"kv", "lock", "values", "k", "--create", "--", "true"});
  BOOST_TEST((created.code == ExitCode::ok));
  // Before anything is locked: nobody listens there.
  Said const no_command = run_line("127.0.0.1:1", {"kv", "lock", "values", "k", "--", "/no/such/command"});
  BOOST_TEST((no_command.code == ExitCode::usage));
}

// Its lock is gone with the connection, so it must not go on as if it had it.
BOOST_AUTO_TEST_CASE(a_lost_lock_ends_the_command) {
  for (bool const cuts : {true, false}) {
    Said const lost = talk(
        [&](Peer& peer) {
          peer.answer(peer.expect("LOCK"), "LOCKED", {number("lock_end", 1)});
          if (cuts) return peer.close();
          peer.answer(peer.expect("LOCK"), "ERROR", {text("code", "in_use"), text("message", "somebody else has it")});
          peer.wait_for_end();
        },
        {"kv", "lock", "values", "k", "--lock", cuts ? "1m" : "20ms", "--", "sleep", "1000"});
    BOOST_TEST((lost.code == ExitCode::refused));
    BOOST_TEST(says(lost.err, cuts ? "the lock is lost: the connection to" : "the lock is lost: somebody else has it"));
  }
}

BOOST_AUTO_TEST_SUITE_END()
