// Documents on their way to their destinations: found, handed out, sent, failed, in doubt.
#include <boost/test/unit_test.hpp>

#include "tests/unit/pipeline/harness.h"

namespace fastjournal::pipeline::test {

BOOST_AUTO_TEST_SUITE(pipeline_documents)

BOOST_AUTO_TEST_CASE(what_is_found_is_new_unchanged_resumed_or_changed) {
  Harness table;
  Reply const first = table.found("u");
  BOOST_TEST(first.get("change") == "new");
  BOOST_TEST(first.get("destinations") == "a b");
  BOOST_TEST(table.found("u").get("change") == "processing");
  BOOST_TEST(table.deliver(first, "a").get("status") == "sent");
  table.of("RELEASE", first);
  Reply const second = table.found("u");
  BOOST_TEST(second.get("change") == "resume");
  BOOST_TEST(second.get("destinations") == "b");
  table.deliver(second, "b");
  Reply const third = table.found("u");
  BOOST_TEST(third.get("change") == "unchanged");
  BOOST_TEST(third.get("token") == "-");
  Reply const fourth = table.found("u", "2");
  BOOST_TEST(fourth.get("change") == "changed");
  BOOST_TEST(fourth.get("destinations") == "a b");
  BOOST_TEST(fourth.get("document") == first.get("document"));
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(two_sources_that_read_one_place_have_two_documents) {
  Harness table{
      PlanText{}.source("s", kAll).source("t", kAll).idempotent("a", "0,1").potent("b", "0,1").potent("c", "1").text};
  Reply const one = table.found("u");
  Reply const two = table.found("u", "1", {{"source", "t"}});
  BOOST_TEST(one.get("document") != two.get("document"));
  BOOST_TEST(one.get("destinations") == "a b");
  BOOST_TEST(two.get("destinations") == "a b c");
}

BOOST_AUTO_TEST_CASE(what_is_left_to_others_is_handed_out_with_all_that_is_missing) {
  Harness table;
  BOOST_TEST(table.next().name() == "NOTHING");
  table.found("u", "1", {{"hand_out", "0"}});
  BOOST_TEST(table.table->available("s") > 0U);
  Reply const got = table.next({{"source", "s"}}, 2);
  BOOST_TEST(got.get("uri") == "u");
  BOOST_TEST(got.get("destinations") == "a b");
  BOOST_TEST(table.next().name() == "NOTHING");
  BOOST_TEST(table.table->available("s") == 0U);
  table.found("v", "1", {{"hand_out", "0"}});
  Reply const part = table.next({{"destination", "b"}}, 2);
  BOOST_TEST(part.get("destinations") == "b");
  BOOST_TEST(table.next().get("destinations") == "a");
}

BOOST_AUTO_TEST_CASE(a_token_is_of_one_lease) {
  Harness table;
  Reply const first = table.found("u");
  table.of("RELEASE", first);
  Reply const second = table.next();
  BOOST_TEST(second.get("token") != first.get("token"));
  BOOST_TEST(table.sending(first, "a").name() == "CANCELLED");
  BOOST_TEST(table.sending(first, "a").get("reason") == "stale");
  BOOST_TEST(table.sent(first, "a").error() == "stale_epoch");
  BOOST_TEST(table.failed(first, "a").error() == "stale_epoch");
  BOOST_TEST(table.of("HEARTBEAT", first).name() == "CANCELLED");
  BOOST_TEST(table.deliver(second, "a").get("status") == "sent");
  // Said again, as the answer was lost.
  BOOST_TEST(table.sent(second, "a").get("status") == "sent");
  BOOST_TEST(table.sending(second, "a").name() == "SKIP");
}

BOOST_AUTO_TEST_CASE(a_changed_document_fences_who_has_the_old_one) {
  Harness table;
  Reply const first = table.found("u");
  table.sending(first, "b");
  Reply const second = table.found("u", "2", {}, 2);
  BOOST_TEST(second.get("destinations") == "a b");
  BOOST_TEST(table.sent(first, "b").error() == "stale_epoch");
  BOOST_TEST(table.states(first) == "a=processing b=processing");
}

BOOST_AUTO_TEST_CASE(at_most_once_is_on_disk_before_it_is_sent) {
  Harness table;
  Reply const document = table.found("u");
  BOOST_TEST(table.sent(document, "b").error() == "wrong_state");
  Reply const b = table.sending(document, "b");
  BOOST_TEST((b.durability == Durability::synced));
  BOOST_TEST(b.get("guarantee") == "at-most-once");
  BOOST_TEST(b.get("attempt") == "1");
  BOOST_TEST(b.get("key").size() == 32U);
  Reply const a = table.sending(document, "a");
  BOOST_TEST((a.durability == Durability::written));
  BOOST_TEST(a.get("key") != b.get("key"));
  BOOST_TEST((table.sent(document, "a").durability == Durability::synced));
}

BOOST_AUTO_TEST_CASE(a_lost_worker_leaves_doubt_where_it_may_be_sent_once_at_most) {
  Harness table;
  Reply const document = table.found("u", "1", {}, 7);
  table.sending(document, "a", 7);
  table.sending(document, "b", 7);
  table.close(7);
  table.pass(9'999);
  BOOST_TEST(table.next().name() == "NOTHING");
  table.pass(2);
  BOOST_TEST(table.states(document) == "a=processing b=in_doubt");
  BOOST_TEST(table.alerts.raised.contains("document-in-doubt"));
  BOOST_TEST(table.of_destination("b", "in_doubt") == "1");
  Reply const again = table.next();
  BOOST_TEST(again.get("destinations") == "a");
  BOOST_TEST(table.deliver(again, "a").get("status") == "sent");
  BOOST_TEST(table.next().name() == "NOTHING");
  BOOST_TEST(table.count("in_doubt") == 1U);
  // Nobody else began, so what the first one says is what happened.
  BOOST_TEST(table.sent(document, "b").get("status") == "sent");
  BOOST_TEST(table.found("u").get("change") == "unchanged");
  BOOST_TEST(!table.alerts.raised.contains("document-in-doubt"));
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(doubt_is_resolved_by_a_person) {
  for (bool const was_sent : {true, false}) {
    Harness table;
    Reply const document = table.found("u");
    table.sending(document, "b");
    table.close(1);
    table.pass(20'000);
    BOOST_TEST(table.run("RESOLVE", {{"outcome", "sent"}, {"all", "1"}, {"dry_run", "1"}}).get("count") == "1");
    Reply const resolved =
        table.run("RESOLVE", {{"document", document.get("document")}, {"outcome", was_sent ? "sent" : "failed"}});
    BOOST_TEST(resolved.get("count") == "1");
    BOOST_TEST(table.states(document) == (was_sent ? "a=processing b=sent" : "a=processing b=restart"));
    BOOST_TEST(table.next().get("destinations") == (was_sent ? "a" : "a b"));
    BOOST_TEST(table.sent(document, "b").error() == (was_sent ? "" : "stale_epoch"));
    BOOST_TEST(table.replays());
  }
}

BOOST_AUTO_TEST_CASE(failures_of_one_class_rest_longer_each_time_and_end_dead) {
  Harness table;
  Reply document = table.found("u");
  table.deliver(document, "b");
  BOOST_TEST(table.failed(document, "a").get("status") == "error");
  table.pass(999);
  BOOST_TEST(table.next().name() == "NOTHING");
  table.pass(1);
  document = table.next();
  BOOST_TEST(table.sending(document, "a").get("attempt") == "2");
  table.failed(document, "a");
  table.pass(1'999);
  BOOST_TEST(table.next().name() == "NOTHING");
  table.pass(1);
  document = table.next();
  BOOST_TEST(table.failed(document, "a").get("status") == "dead");
  BOOST_TEST(table.alerts.raised.contains("document-failed"));
  table.pass(1'000'000);
  BOOST_TEST(table.next().name() == "NOTHING");
  BOOST_TEST(table.states(document) == "a=dead b=sent");
  // It is done, and found again as it was it stays dead.
  BOOST_TEST(table.found("u").get("change") == "unchanged");
  BOOST_TEST(table.run("RETRY", {{"class", "other"}}).get("count") == "0");
  BOOST_TEST(table.run("RETRY", {{"class", "k"}}).get("count") == "1");
  BOOST_TEST(!table.alerts.raised.contains("document-failed"));
  document = table.next();
  BOOST_TEST(table.sending(document, "a").get("attempt") == "1");
  BOOST_TEST(table.sent(document, "a").get("status") == "sent");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(the_trace_of_a_failure_stays_until_the_next_one_or_the_arrival) {
  Harness table;
  Reply document = table.found("u");
  auto const fail = [&](std::string const& destination, std::string const& trace) {
    Texts with{{"document", document.get("document")},
               {"destination", destination},
               {"token", document.get("token")},
               {"error", "no room"}};
    if (!trace.empty()) with["error_trace"] = trace;
    return table.run("FAILED", with).get("status");
  };
  auto const why = [&] { return table.run("WHY", {{"document", document.get("document")}}); };
  BOOST_TEST(fail("a", std::string(80'000, 't')) == "error");
  BOOST_TEST(fail("b", "at line 7") == "error");
  BOOST_TEST(why().get("error_trace") == "a:\n" + std::string(65'536, 't') + "\nb:\nat line 7");
  BOOST_TEST(why().get("text").find("ttt") == std::string::npos);
  Reply const history = table.run("HISTORY", {});
  BOOST_TEST(history.get("error", history.messages.size() - 1) == "no room");
  BOOST_TEST(table.replays());
  // Who gives it back says nothing of the failure.
  table.pass(1'000);
  document = table.next();
  BOOST_TEST(table.run("RELEASE", {{"document", document.get("document")}, {"token", document.get("token")}}).name() ==
             "RECORDED");
  BOOST_TEST(why().get("error_trace").size() == 65'536U + 16);
  BOOST_TEST(table.replays());
  document = table.next();
  BOOST_TEST(fail("a", "") == "error");
  table.deliver(document, "b");
  BOOST_TEST(table.states(document) == "a=error b=sent");
  BOOST_TEST(why().get("error_trace") == "-");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(failures_of_different_classes_are_counted_apart) {
  Harness table;
  Reply document = table.found("u");
  for (int at = 0; at < 11; ++at) {
    BOOST_TEST(table.failed(document, "a", at % 2 == 0 ? "x" : "y").get("status") == "error", at);
    table.pass(2'000);
    document = table.next();
  }
  // Four times as many as of one class are too many.
  BOOST_TEST(table.failed(document, "a", "z").get("status") == "dead");
}

BOOST_AUTO_TEST_CASE(a_permanent_failure_is_not_tried_again) {
  Harness table;
  Reply const document = table.found("u");
  BOOST_TEST(table.failed(document, "a", "encrypted", true).get("status") == "error_doc");
  BOOST_TEST(table.deliver(document, "b").get("status") == "sent");
  BOOST_TEST(table.count("failed") == 1U);
  BOOST_TEST(table.count("stranded") == 0U);
  // A new version is tried.
  BOOST_TEST(table.found("u", "2").get("destinations") == "a b");
}

BOOST_AUTO_TEST_CASE(a_worker_who_does_not_answer_in_time_is_told_to_stop_before_its_failure_is_written) {
  Harness table;
  Reply const document = table.found("u");
  Reply const run = table.sending(document, "a");
  table.pass(50'000);
  BOOST_TEST(table.of("HEARTBEAT", document).name() == "RECORDED");
  table.pass(59'999);
  BOOST_TEST(table.of("HEARTBEAT", document).name() == "RECORDED");
  table.pass(60'000);
  BOOST_TEST(table.of("HEARTBEAT", document).get("reason") == "timed_out");
  BOOST_TEST(table.states(document) == "a=sending b=processing");
  table.pass(5'000);
  BOOST_TEST(table.states(document) == "a=error b=processing");
  BOOST_TEST(table.sent(document, "a").error() == "stale_epoch");
  BOOST_TEST(std::stoll(run.get("deadline")) + 5'000 == std::stoll(run.get("lease_end")));
}

BOOST_AUTO_TEST_CASE(a_document_that_loses_every_worker_is_dead_at_last) {
  Harness table;
  table.found("u", "1", {{"hand_out", "0"}});
  for (int at = 0; at < 20; ++at) {
    BOOST_TEST(table.next({}, 5).name() == "DOCUMENT", at);
    table.close(5);
    table.pass(10'000);
  }
  BOOST_TEST(table.next().name() == "NOTHING");
  BOOST_TEST(table.count("dead") == 1U);
}

BOOST_AUTO_TEST_CASE(what_a_crash_left_comes_before_what_is_new) {
  Harness table;
  table.found("new1", "1", {{"hand_out", "0"}});
  Reply const lost = table.found("lost", "1", {}, 3);
  table.found("new2", "1", {{"hand_out", "0"}});
  table.restart();
  table.pass(9'999);
  BOOST_TEST(table.next({{"count", "10"}}).messages.size() == 2U);
  table.close(1);
  table.pass(10'000);
  Reply const all = table.next({{"count", "10"}});
  BOOST_REQUIRE(all.messages.size() == 3U);
  BOOST_TEST(table.table->shared().store().size() == 3U);
  BOOST_TEST(table.states(lost) == "a=processing b=processing");
}

BOOST_AUTO_TEST_CASE(leases_outlive_a_restart) {
  Harness table;
  Reply const document = table.found("u");
  table.sending(document, "b");
  table.restart();
  BOOST_TEST(table.next().name() == "NOTHING");
  BOOST_TEST(table.of("HEARTBEAT", document).name() == "RECORDED");
  table.pass(20'000);
  BOOST_TEST(table.sent(document, "b").get("status") == "sent");
  BOOST_TEST(table.deliver(document, "a").get("status") == "sent");
}

// Its lease ends with the grace, which may be shorter than the time to stop.
BOOST_AUTO_TEST_CASE(a_worker_that_is_connected_again_is_not_late) {
  Harness table{two_outputs(), {{"grace", "4s"}}};
  Reply const document = table.found("u");
  table.sending(document, "a");
  table.restart();
  BOOST_TEST(table.of("HEARTBEAT", document, {}, 2).name() == "RECORDED");
  table.close(2);
  table.pass(3'999);
  BOOST_TEST(table.of("HEARTBEAT", document, {}, 3).name() == "RECORDED");
  table.pass(59'999);
  BOOST_TEST(table.of("HEARTBEAT", document, {}, 3).name() == "RECORDED");
  table.pass(60'000);
  BOOST_TEST(table.of("HEARTBEAT", document, {}, 3).get("reason") == "timed_out");
  BOOST_TEST(table.sent(document, "a").get("status") == "sent");
}

BOOST_AUTO_TEST_CASE(dropped_is_where_it_should_be) {
  Harness table;
  Reply const document = table.found("u");
  BOOST_TEST(table.of("DROPPED", document, {{"destination", "a"}, {"reason", "a test page"}}).get("status") ==
             "dropped");
  BOOST_TEST(table.why(document).find("a test page") != std::string::npos);
  BOOST_TEST(table.of("DROPPED", document).get("dropped_at") == "b");
  BOOST_TEST(table.found("u").get("change") == "unchanged");
  BOOST_TEST(table.of("DROPPED", document).error() == "stale_epoch");
}

// More than one step of a command has room for.
BOOST_AUTO_TEST_CASE(a_document_with_many_destinations_is_changed_whole) {
  PlanText plan;
  plan.source("s", kAll, 250);
  for (int at = 0; at < 250; ++at) plan.potent("d" + std::to_string(at), "0");
  Harness table{plan.text};
  Reply const document = table.found("u");
  std::string const id = document.get("document");
  BOOST_TEST(table.of("RELEASE", document).error() == "");
  Reply const dropped = table.run("DROP", {{"document", id}});
  BOOST_TEST(dropped.get("count") == "250", dropped.get("count") << dropped.error() << table.why(document));
  BOOST_TEST(table.run("FORCE", {{"document", id}, {"count", "40"}}).get("after") != "-");
  BOOST_TEST(table.run("FORCE", {{"document", id}}).get("count") == "150");
  BOOST_TEST(table.run("FORCE", {{"document", id}}).get("count") == "0");
  table.restart();
  BOOST_TEST(table.run("DROP", {{"document", id}, {"dry_run", "1"}}).get("count") == "250");
}

BOOST_AUTO_TEST_CASE(what_has_arrived_is_sent_again_by_force_or_if_it_has_changed) {
  Harness table;
  Reply const document = table.found("u");
  table.deliver(document, "a");
  table.deliver(document, "b");
  BOOST_TEST(table.run("FORCE", {{"document", document.get("document")}, {"destination", "a"}}).get("count") == "1");
  Reply const forced = table.next();
  BOOST_TEST(forced.get("destinations") == "a");
  BOOST_TEST(forced.get("check") == "-");
  table.deliver(forced, "a");
  BOOST_TEST(table.run("RETRY", {{"document", document.get("document")}, {"if_changed", "1"}}).get("count") == "2");
  BOOST_TEST(table.states(document) == "a=dirty b=dirty");
  Reply const to_check = table.next();
  BOOST_TEST(to_check.get("check") == "1");
  table.of("RELEASE", to_check);
  BOOST_TEST(table.found("u").get("change") == "unchanged");
  BOOST_TEST(table.states(document) == "a=sent b=sent");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(batches_are_not_sent_so_far) {
  Harness table;
  Reply const document = table.found("u");
  BOOST_TEST(table.of("SENDING", document, {{"destination", "b"}, {"batched", "1"}}).name() == "RUN");
  BOOST_TEST(table.states(document) == "a=processing b=batched");
  table.close(1);
  table.pass(20'000);
  // It is known that it was not sent.
  BOOST_TEST(table.states(document) == "a=processing b=processing");
}

BOOST_AUTO_TEST_CASE(a_source_that_does_not_remember_knows_no_document_twice) {
  Harness table{PlanText{}.source("s", 0, 1, false).potent("a", "0").text};
  Reply const one = table.found("u");
  Reply const two = table.found("u");
  BOOST_TEST(one.get("document") != two.get("document"));
  table.deliver(one, "a");
  table.pass(0);
  BOOST_TEST(table.run("WHY", {{"document", one.get("document")}}).error() == "unknown_row");
  BOOST_TEST(table.table->shared().store().size() == 1U);
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(a_source_without_hashes_brings_each_document_once) {
  Harness table{PlanText{}.source("s", 0, 1, true, 2).potent("a", "0").text};
  table.deliver(table.found("u", "1"), "a");
  BOOST_TEST(table.found("u", "2").get("change") == "unchanged");
}

BOOST_AUTO_TEST_CASE(a_document_is_taken_back_from_its_workers) {
  Harness table;
  Reply const first = table.found("u");
  Texts const its{{"document", first.get("document")}};
  table.sending(first, "a");
  Reply const kicked = table.run("KICK", its);
  BOOST_TEST(kicked.name() == "KICKED");
  BOOST_TEST(kicked.get("count") == "2");
  BOOST_TEST(kicked.get("in_doubt") == "-");
  BOOST_TEST(table.states(first) == "a=processing b=processing");
  BOOST_TEST(table.replays());
  // Nothing is counted, and its former worker is fenced.
  BOOST_TEST(table.sent(first, "a").error() == "stale_epoch");
  BOOST_TEST(table.of("RELEASE", first).error() == "stale_epoch");
  BOOST_TEST(table.of("HEARTBEAT", first).name() == "CANCELLED");
  BOOST_TEST(table.sending(first, "b").name() == "CANCELLED");
  Reply const second = table.next({}, 2);
  BOOST_TEST(second.get("destinations") == "a b");
  // Once at most: nobody knows whether it was sent; whoever sent it may still say so.
  table.sending(second, "b", 2);
  BOOST_TEST(table.run("KICK", {{"document", second.get("document")}, {"destination", "b"}}).get("in_doubt") == "1");
  BOOST_TEST(table.states(first) == "a=processing b=in_doubt");
  BOOST_TEST(table.alerts.raised.contains("document-in-doubt"));
  BOOST_TEST(table.next().name() == "NOTHING");
  Reply const again = table.run("KICK", {{"document", second.get("document")}, {"destination", "b"}});
  BOOST_TEST(again.error() == "wrong_state");
  BOOST_TEST(again.status.message().find("a=processing b=in_doubt") != std::string::npos);
  BOOST_TEST(table.sent(second, "b").name() == "RECORDED");
  BOOST_TEST(table.run("KICK", its).get("count") == "1");
  BOOST_TEST(table.next().get("destinations") == "a");
  BOOST_TEST(table.run("KICK", {{"document", first.get("document")}, {"destination", "x"}}).error() == "not_found");
  BOOST_TEST(table.run("KICK", {{"document", "8"}}).error() == "unknown_row");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_CASE(refusals_say_what_was_expected) {
  Harness table;
  BOOST_TEST(table.found("u", "1", {{"source", "x"}}).error() == "not_found");
  BOOST_TEST(table.found("", "1").error() == "bad_parameter");
  BOOST_TEST(table.found(std::string(4097, 'u')).error() == "too_large");
  BOOST_TEST(table.found("u", std::string(129, 'h')).error() == "too_large");
  Reply const document = table.found("u");
  BOOST_TEST(table.sending(document, "c").error() == "not_found");
  BOOST_TEST(table.of("ROUTED", document, {{"router", "a"}, {"chosen", "b"}}).error() == "bad_parameter");
  BOOST_TEST(table.run("WHY", {{"document", "8"}}).error() == "unknown_row");
  BOOST_TEST(table.run("RETRY", {}).error() == "missing_parameter");
  BOOST_TEST(table.run("RETRY", {{"status", "x"}}).error() == "bad_parameter");
  BOOST_TEST(table.run("RESOLVE", {{"all", "1"}, {"outcome", "x"}}).error() == "bad_parameter");
  BOOST_TEST(table.run("DOCUMENTS", {{"status", "x"}}).error() == "bad_parameter");
  BOOST_TEST(table.run("PAUSE", {{"destination", "x"}}).error() == "not_found");
  BOOST_TEST(table.next({{"wait", "10"}}).error() == "missing_parameter");
  table.sending(document, "b");
  // All but what is being sent.
  BOOST_TEST(table.of("RELEASE", document).name() == "RECORDED");
  BOOST_TEST(table.states(document) == "a=processing b=sending");
  BOOST_TEST(table.of("RELEASE", document).error() == "wrong_state");
  BOOST_TEST(table.run("FORGET", {{"document", document.get("document")}}).error() == "in_use");
  Harness small{two_outputs(), {{"documents-max", "1"}}};
  small.found("u");
  BOOST_TEST(small.found("v").error() == "over_limit");
  BOOST_TEST(small.found("u").get("change") == "processing");
}

BOOST_AUTO_TEST_CASE(a_document_that_failed_twice_is_shown_once_also_between_pages) {
  Harness table;
  for (std::string const uri : {"u", "v"}) {
    Reply const document = table.found(uri);
    for (std::string const destination : {"a", "b"}) table.failed(document, destination, "bad", true);
  }
  std::string after = "0";
  for (std::string const uri : {"u", "v"}) {
    Reply const page = table.run("DOCUMENTS", {{"status", "failed"}, {"count", "1"}, {"after", after}});
    BOOST_TEST(page.messages.size() == 1U);
    BOOST_TEST(page.get("uri") == uri);
    after = page.get("after");
  }
  BOOST_TEST(after == "-");
}

BOOST_AUTO_TEST_CASE(forgotten_documents_are_new_when_they_are_found) {
  Harness table;
  Reply const document = table.found("u");
  table.deliver(document, "a");
  table.deliver(document, "b");
  BOOST_TEST(table.run("FORGET", {{"document", document.get("document")}}).get("count") == "1");
  BOOST_TEST(table.found("u").get("change") == "new");
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::pipeline::test
