// The typed calls of a pipeline table: the messages that they send, and how they read the answers.
#include "clients/cpp/documents.h"

#include "tests/unit/clients/talk.h"

using namespace fastjournal;
using namespace fastjournal::client;

namespace {

Document mine() { return {.document = 8, .token = 9, .source = "pages", .uri = "/a"}; }

}  // namespace

BOOST_AUTO_TEST_SUITE(client_documents)

BOOST_AUTO_TEST_CASE(a_document_is_found_with_what_is_missing) {
  Talk talk([](Peer& peer) {
    Message const found = peer.expect("FOUND");
    want(found.text("table") == "docs" && found.text("source") == "pages" && found.text("uri") == "/a", "what");
    want(found.text("hash") == "5e1f" && !found.has("hand_out") && found.integer("lease") == 1000, "and how");
    peer.answer(found, "DOCUMENT",
                {number("document", 8), number("token", 9), text("source", "pages"), text("uri", "/a"),
                 text("change", "changed"), text("destinations", "index publish"), number("lease_end", 77)});
    Message const left = peer.expect("FOUND");
    want(left.integer("hand_out") == 0 && !left.has("hash"), "left to others");
    peer.answer(left, "DOCUMENT", {number("document", 8), text("change", "unchanged")});
    peer.answer(peer.expect("FOUND"), "DOCUMENT", {number("document", 8), text("change", "of a later version")});
  });
  Documents docs(*talk.connection, "docs");
  Document const found = value_of(docs.found("pages", "/a", "5e1f", {.lease = DurationMs{1'000}}));
  BOOST_TEST((found.change == Document::Change::changed));
  BOOST_TEST(found.is_mine());
  BOOST_TEST(found.destinations.size() == 2U);
  BOOST_TEST(found.lease_end.value == 77);
  Document const known = value_of(docs.found("pages", "/a", "", {.hand_out = false}));
  BOOST_TEST(!known.is_mine());
  BOOST_TEST((docs.found("pages", "/a", "").status().code() == Code::invalid));
}

BOOST_AUTO_TEST_CASE(deliver_says_before_and_after_and_sends_once) {
  Talk talk([](Peer& peer) {
    Message const sending = peer.expect("SENDING");
    want(sending.integer("document") == 8 && sending.integer("token") == 9 && sending.text("destination") == "index",
         "which");
    peer.answer(sending, "RUN", {number("attempt", 2), text("key", "k"), number("deadline", 5)});
    peer.answer(peer.expect("SENT"), "RECORDED", {text("status", "sent")});
    peer.answer(peer.expect("SENDING"), "RUN", {number("attempt", 1)});
    Message const failed = peer.expect("FAILED");
    want(failed.text("class") == "full" && failed.text("error") == "no room" && failed.integer("permanent") == 1,
         "why");
    peer.answer(failed, "RECORDED", {text("status", "error_doc")});
    peer.answer(peer.expect("SENDING"), "SKIP", {text("status", "sent")});
    peer.answer(peer.expect("SENDING"), "CANCELLED", {text("reason", "stale")});
    peer.answer(peer.expect("SENDING"), "LATER", {});
  });
  Documents docs(*talk.connection, "docs");
  int sends = 0;
  auto const send = [&](Sending const& sending) -> std::optional<NotSent> {
    ++sends;
    if (sending.attempt == 2 && sending.key == "k" && sending.deadline.value == 5) return std::nullopt;
    return NotSent{.kind = "full", .error = "no room", .permanent = true};
  };
  BOOST_TEST(docs.deliver(mine(), "index", send)->state == "sent");
  BOOST_TEST(docs.deliver(mine(), "index", send)->state == "error_doc");
  BOOST_TEST((docs.deliver(mine(), "index", send)->verdict == Sending::Verdict::skip));
  BOOST_TEST(docs.deliver(mine(), "index", send)->state == "stale");
  BOOST_TEST((docs.deliver(mine(), "index", send).status().code() == Code::invalid));
  BOOST_TEST(sends == 2);
}

// What is to be brought elsewhere has a lease of the connection that is gone.
BOOST_AUTO_TEST_CASE(deliver_keeps_the_other_destinations_after_a_loss) {
  Talk talk([](Peer& peer) {
    peer.answer(
        peer.expect("FOUND"), "DOCUMENT",
        {number("document", 8), number("token", 9), text("change", "new"), text("destinations", "index publish")});
    peer.accept();
    peer.answer(peer.expect("SENDING"), "RUN", {number("attempt", 1)});
    want(peer.expect("HEARTBEAT").integer("token") == 9, "before the function");
    peer.accept();
    peer.answer(peer.expect("HEARTBEAT"), "RECORDED", {});
    // Lost while the function runs.
    peer.accept();
    peer.answer(peer.expect("SENT"), "RECORDED", {text("status", "sent")});
    peer.answer(peer.expect("HEARTBEAT"), "RECORDED", {});
    // Of one destination nothing is left.
    peer.answer(peer.expect("SENDING"), "RUN", {number("attempt", 1)});
    peer.answer(peer.expect("SENT"), "RECORDED", {text("status", "sent")});
  });
  Documents docs(*talk.connection, "docs");
  Document found = value_of(docs.found("pages", "/a", "5e1f"));
  auto const send = [](Sending const&) -> std::optional<NotSent> { return std::nullopt; };
  for (int left = 2; left > 0; --left) {
    Delivery const done = value_of(docs.deliver(found, "index", send));
    BOOST_TEST(done.state == "sent");
    found.destinations.pop_back();
  }
}

// At most once: a report of a failure would send it again.
BOOST_AUTO_TEST_CASE(deliver_says_nothing_of_what_may_have_arrived_and_must_not_arrive_twice) {
  Talk talk([](Peer& peer) {
    peer.answer(peer.expect("SENDING"), "RUN", {text("guarantee", "at-most-once")});
    peer.answer(peer.expect("SENDING"), "RUN", {text("guarantee", "at-least-once")});
    peer.answer(peer.expect("FAILED"), "RECORDED", {text("status", "error")});
  });
  Documents docs(*talk.connection, "docs");
  auto const send = [](Sending const&) { return std::optional{NotSent{.kind = "timeout", .may_have_arrived = true}}; };
  BOOST_TEST(docs.deliver(mine(), "index", send)->state == "sending");
  BOOST_TEST(docs.deliver(mine(), "index", send)->state == "error");
}

BOOST_AUTO_TEST_CASE(children_routes_and_the_rest) {
  Talk talk([](Peer& peer) {
    Message const child = peer.expect("CHILD");
    want(child.text("child") == "7" && child.text("step") == "split", "which child");
    peer.answer(child, "DOCUMENT",
                {number("document", 16), number("token", 9), number("parent", 8), number("original", 8),
                 text("child", "7"), text("change", "new"), text("destinations", "index")});
    peer.answer(peer.expect("CHILD"), "SKIP", {number("document", 24), number("subtree", 1)});
    want(peer.expect("CHILDREN_DONE").integer("count") == 2, "how many");
  });
  Documents docs(*talk.connection, "docs");
  Child const child = value_of(docs.begin_child(mine(), "7", "split"));
  BOOST_TEST(child.document.parent == 8U);
  BOOST_TEST(child.document.child == "7");
  Child const done = value_of(docs.begin_child(mine(), "8"));
  BOOST_TEST(!done.document.is_mine());
  BOOST_TEST(done.is_subtree_done);
  BOOST_TEST(!docs.children_done(mine(), 2).ok());
  talk.server.finish();

  Talk more([](Peer& peer) {
    Message const routed = peer.expect("ROUTED");
    want(routed.text("router") == "x" && routed.text("chosen") == "a b", "what it chose");
    peer.answer(routed, "RECORDED", {text("dropped_at", "c d")});
    peer.answer(peer.expect("HEARTBEAT"), "CANCELLED", {text("reason", "timed_out")});
    Message const dropped = peer.expect("DROPPED");
    want(!dropped.has("destination") && dropped.text("reason") == "a draft", "nowhere");
    peer.answer(dropped, "RECORDED", {});
    peer.answer(peer.expect("RELEASE"), "RECORDED", {});
    Message const next = peer.expect("NEXT");
    want(next.text("source") == "pages" && next.integer("count") == 2 && next.integer("wait") == 50, "next");
    peer.answer(next, "NOTHING", {number("left", 0)});
  });
  Documents other(*more.connection, "docs");
  BOOST_TEST(other.routed(mine(), "x", {"a", "b"})->size() == 2U);
  BOOST_TEST(!other.heartbeat(mine()).value());
  BOOST_TEST(other.dropped(mine(), {}, "a draft").ok());
  BOOST_TEST(other.release(mine()).ok());
  BOOST_TEST(other.next({.source = "pages", .count = 2, .wait = DurationMs{50}})->empty());
}

BOOST_AUTO_TEST_SUITE_END()
