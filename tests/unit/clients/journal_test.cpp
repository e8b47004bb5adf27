// The typed calls: the messages that they send, and how they read the answers.
#include "clients/cpp/journal.h"
#include "clients/cpp/numbers.h"
#include "tests/unit/clients/talk.h"

using namespace fastjournal;
using namespace fastjournal::client;

BOOST_AUTO_TEST_SUITE(client_journal)

BOOST_AUTO_TEST_CASE(a_put_says_all_that_was_asked_and_learns_what_became_of_it) {
  Talk talk([](Peer& peer) {
    Message const full = peer.expect("INSERT");
    want(full.text("table") == "pages" && full.text("uri") == "a", "table and column");
    want(full.integer("priority") == 20 && full.text("process_date") == "+10000", "priority and date");
    want(full.integer("expiration_date") == 0 && full.text("client") == "c" && full.integer("sequence") == 9,
         "the rest");
    peer.answer(full, "INSERTED",
                {number("row", 812), text("result", "merged"), number("merges", 3), number("process_date", 1234)});
    Message const bare = peer.expect("INSERT");
    want(!bare.has("priority") && !bare.has("process_date"), "defaults are the daemon's");
    peer.answer(bare, "INSERTED", {number("row", 1), text("result", "of a later version")});
  });
  Journal pages(*talk.connection, "pages");
  Put const put = value_of(pages.put({text("uri", "a")}, {.priority = 20,
                                                          .process_date = Date::in(DurationMs{10'000}),
                                                          .expiration_date = Date::never(),
                                                          .client = "c",
                                                          .sequence = 9}));
  BOOST_TEST(put.row == 812U);
  BOOST_TEST((put.result == PutResult::merged));
  BOOST_TEST(put.merges == 3U);
  BOOST_TEST(put.process_date.value == 1234);
  BOOST_TEST((pages.put({text("uri", "b")}).status().code() == Code::invalid));
}

BOOST_AUTO_TEST_CASE(numbered_puts_survive_a_loss) {
  Talk talk([](Peer& peer) {
    peer.answer(peer.expect("INSERT"), "INSERTED", {number("row", 1), text("result", "inserted")});
    static_cast<void>(peer.expect("INSERT"));
    peer.accept();
    Message const again = peer.expect("INSERT");
    want(again.text("client") == "producer-7" && again.integer("sequence") == 2, "the same number");
    peer.answer(again, "INSERTED", {number("row", 2), text("result", "duplicate")});
  });
  Journal pages(*talk.connection, "pages");
  BOOST_TEST(pages.put({text("uri", "a")}).ok());
  Put const second = value_of(pages.put({text("uri", "b")}));
  BOOST_TEST((second.result == PutResult::duplicate));
}

BOOST_AUTO_TEST_CASE(a_name_for_numbered_puts_is_drawn_of_128_bits) {
  std::string const one = drawn_name();
  BOOST_TEST(one.size() == std::string{"client-"}.size() + 32);
  BOOST_TEST(one.starts_with("client-"));
  BOOST_TEST(one != drawn_name());
}

BOOST_AUTO_TEST_CASE(rows_bring_their_columns_and_nothing_else_as_columns) {
  Talk talk([](Peer& peer) {
    Message const next = peer.expect("NEXT");
    want(next.integer("count") == 2 && next.integer("lease") == 5000 && next.integer("wait") == 100, "the options");
    std::vector<Param> row{
        text("table", "pages"),  number("row", 5),           {"epoch", Value::of_unsigned(1ULL << 40U | 3U)},
        text("uri", "a"),        number("size", -4),         {"weight", Value::of_real(0.5)},
        number("priority", 7),   number("process_date", 11), number("insertion_date", 10),
        number("timeouts", 2),   number("attempts", 3),      text("omitted", "data"),
        number("lease_end", 99), number("left", 1)};
    peer.answer(next, "ROW", row);
    row[1] = number("row", 6);
    row.back() = number("left", 0);
    peer.answer(next, "ROW", row);
    Message const nothing = peer.expect("NEXT");
    peer.answer(nothing, "NOTHING", {text("table", "pages"), number("next_date", 777)});
  });
  Journal pages(*talk.connection, "pages");
  client::Work const work = value_of(pages.next({.count = 2, .lease = DurationMs{5000}, .wait = DurationMs{100}}));
  BOOST_REQUIRE(work.rows.size() == 2U);
  Row const& row = work.rows[0];
  BOOST_TEST(row.epoch == (1ULL << 40U | 3U));
  BOOST_TEST(row.columns.size() == 3U);
  BOOST_TEST(row.columns.at("uri") == "a");
  BOOST_TEST(row.columns.at("size") == "-4");
  BOOST_TEST(row.columns.at("weight") == "0.5");
  BOOST_TEST(int{row.priority} == 7);
  BOOST_TEST(row.timeouts == 2U);
  BOOST_TEST(row.attempts == 3U);
  BOOST_TEST(row.omitted == "data");
  BOOST_TEST(!row.columns.contains("attempts"));
  BOOST_TEST(row.lease_end.value == 99);
  client::Work const nothing = value_of(pages.next());
  BOOST_TEST(nothing.rows.empty());
  BOOST_TEST(nothing.next_date.value().value == 777);
}

BOOST_AUTO_TEST_CASE(every_end_of_a_lease_names_row_and_epoch) {
  Talk talk([](Peer& peer) {
    auto const named = [](Message const& message) {
      return message.integer("row") == 5 && message.integer("epoch") == 6 && message.text("table") == "pages";
    };
    Message const touch = peer.expect("TOUCH");
    want(named(touch) && touch.integer("lease") == 70, "TOUCH");
    peer.answer(touch, "TOUCHED", {number("lease_end", 171)});
    Message const release = peer.expect("RELEASE");
    want(named(release) && release.text("process_date") == "+30" && release.text("error") == "busy", "RELEASE");
    peer.answer(release, "RELEASED", {number("process_date", 1030)});
    for (char const* const answer : {"RELEASED", "PARKED", "DELETED", "COMPLETED"}) {
      Message const plain = peer.expect("RELEASE");
      want(named(plain) && !plain.has("process_date") && !plain.has("error"), "RELEASE alone");
      peer.answer(plain, answer);
    }
    Message const fail = peer.expect("FAIL");
    want(named(fail) && fail.text("error") == "no such file", "FAIL");
    peer.answer(fail, "DELETED");
    Message const done = peer.expect("DONE");
    want(named(done) && done.integer("next") == 1, "DONE next=1");
    peer.answer(done, "COMPLETED", {number("left", 1)});
    peer.answer(done, "ROW", {number("row", 8), number("epoch", 9), number("left", 0)});
    Message const last = peer.expect("DONE");
    want(!last.has("next"), "DONE");
    peer.answer(last, "COMPLETED");
  });
  Journal pages(*talk.connection, "pages");
  Row const row{.table = "pages", .row = 5, .epoch = 6, .columns = {}};
  BOOST_TEST(pages.touch(row, DurationMs{70})->value == 171);
  Result<Returned> const returned = pages.release(row, {.process_date = Date::in(DurationMs{30}), .error = "busy"});
  BOOST_TEST((returned->fate == Returned::Fate::released));
  BOOST_TEST(returned->process_date.value().value == 1030);
  BOOST_TEST(!pages.release(row)->process_date.has_value());
  BOOST_TEST((pages.release(row)->fate == Returned::Fate::parked));
  BOOST_TEST((pages.release(row)->fate == Returned::Fate::deleted));
  BOOST_TEST((pages.release(row).status().code() == Code::invalid));
  BOOST_TEST((pages.fail(row, "no such file")->fate == Returned::Fate::deleted));
  client::Work const next = value_of(pages.done_and_next(row));
  BOOST_REQUIRE(next.rows.size() == 1U);
  BOOST_TEST(next.rows[0].row == 8U);
  BOOST_TEST(pages.done(row).ok());
}

BOOST_AUTO_TEST_CASE(pages_go_on_behind_what_was_shown) {
  Talk talk([](Peer& peer) {
    Message const first = peer.expect("LIST");
    want(first.integer("count") == 3 && !first.has("after") && first.text("status") == "parked", "no more than wanted");
    peer.answer(first, "ROW", {number("row", 4), text("status", "parked"), number("left", 1)});
    peer.answer(first, "ROW", {number("row", 5), number("after", 5), number("left", 0)});
    Message const second = peer.expect("LIST");
    want(second.integer("count") == 1 && second.text("after") == "5", "the rest");
    peer.answer(second, "ROW", {number("row", 9), number("after", 9)});
    Message const empty = peer.expect("LIST");
    peer.answer(empty, "NOTHING", {number("after", 1000)});
    Message const last = peer.expect("LIST");
    want(last.text("after") == "1000", "behind a page of none");
    peer.answer(last, "NOTHING");
    Message const timeline = peer.expect("TIMELINE");
    want(!timeline.has("count") && !timeline.has("now"), "what it does not take");
    peer.answer(timeline, "DUE", {number("to", 5), number("rows", 2), number("now", 5), number("after", 1)});
    Message const more = peer.expect("TIMELINE");
    want(more.integer("now") == 5 && more.text("after") == "1", "the same beginning");
    peer.answer(more, "DUE", {number("from", 5), number("to", 9), number("rows", 1), number("now", 5)});
    Message const erase = peer.expect("DELETE");
    want(erase.integer("count") == 1000 && erase.text("prefix") == "a", "a page");
    peer.answer(erase, "DELETED", {number("count", 2), number("after", 7)});
    Message const rest = peer.expect("DELETE");
    want(rest.integer("after") == 7, "behind what was looked at");
    peer.answer(rest, "DELETED", {number("count", 1)});
    Message const kick = peer.expect("KICK");
    want(kick.text("uri") == "a" && !kick.has("row"), "a key");
    peer.answer(kick, "DELETED", {number("row", 7)});
  });
  Journal pages(*talk.connection, "pages");
  std::vector<Row> const rows = value_of(pages.list({.status = "parked", .count = 3}));
  BOOST_REQUIRE(rows.size() == 3U);
  BOOST_TEST(rows[0].status == "parked");
  BOOST_TEST(rows[2].row == 9U);
  BOOST_TEST(value_of(pages.list()).empty());
  std::vector<DueRows> const due = value_of(pages.timeline());
  BOOST_REQUIRE(due.size() == 2U);
  BOOST_TEST(due[1].from.value == 5);
  BOOST_TEST(pages.erase_matching({.prefix = "a"}).value() == 3U);
  BOOST_TEST(!value_of(pages.kick({.columns = {text("uri", "a")}})).has_value());
}

BOOST_AUTO_TEST_CASE(a_listener_is_told_in_every_mode_and_listens_again_after_a_loss) {
  Talk talk([](Peer& peer) {
    Message const deliver = peer.expect("LISTEN");
    want(deliver.text("mode") == "deliver" && deliver.integer("credit") == 64 && deliver.text("domain") == "a" &&
             deliver.text("worker") == "w",
         "what was asked");
    peer.answer(deliver, "LISTENING", {text("table", "pages")});
    peer.push("ROW", {text("table", "pages"), number("row", 5), number("epoch", 9), text("uri", "u")});
    peer.push("LISTEN", {text("table", "pages"), number("row", 6), text("uri", "v"), number("process_date", 77)});
    peer.push("LISTEN", {text("table", "pages"), text("domain", "a"), number("missed", 3)});
    peer.push("LISTEN", {text("table", "pages"), number("ready", 2), number("date", 78)});
    peer.accept();
    Message const again = peer.expect("LISTEN");
    want(again.text("mode") == "deliver" && again.integer("credit") == 64, "the same again");
    peer.answer(again, "ERROR", {text("code", "over_limit"), text("message", "full")});
  });
  Journal pages(*talk.connection, "pages");
  BOOST_REQUIRE(pages.listen({.mode = ListenMode::deliver, .domain = "a", .credit = 64, .worker = "w"}).ok());
  auto const next = [&] { return wait_notice(*talk.connection, Milliseconds{kScriptLimitMs}); };
  Result<Notice> notice = next();
  BOOST_REQUIRE(notice.ok());
  BOOST_TEST((notice->kind == Notice::Kind::delivered));
  BOOST_TEST(notice->row.epoch == 9U);
  notice = next();
  BOOST_REQUIRE(notice.ok());
  BOOST_TEST((notice->kind == Notice::Kind::due));
  BOOST_TEST(notice->row.columns.at("uri") == "v");
  BOOST_TEST(notice->row.process_date.value == 77);
  notice = next();
  BOOST_REQUIRE(notice.ok());
  BOOST_TEST((notice->kind == Notice::Kind::missed));
  BOOST_TEST(notice->missed == 3U);
  BOOST_TEST(notice->domain == "a");
  notice = next();
  BOOST_REQUIRE(notice.ok());
  BOOST_TEST((notice->kind == Notice::Kind::work));
  BOOST_TEST(notice->ready == 2U);
  BOOST_TEST((next().status().code() == Code::over_limit));
}

BOOST_AUTO_TEST_SUITE_END()
