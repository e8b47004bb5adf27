// Requests of the client, and its connections: which answer each gets when connections are refused, lost at any point,
// full or silent, and which member is tried next.
#include "log/etcd/client/client.h"

#include <boost/test/unit_test.hpp>

#include "tests/unit/etcd/client_harness.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::etcd;
using test::ClientHarness;

constexpr std::int64_t kClientMs = ClientHarness::kMs;

struct ClientFixture : ClientHarness {
  // The member says nothing more.
  void until_over(ConnectionId silent) {
    for (std::int64_t const end = now + 20'000 * kClientMs; now < end; now = std::max(client.next_us(), now + 1)) {
      turn();
      network.sent[silent].clear();
      if (is_over(silent)) return;
    }
  }
};

std::int64_t attempts(ClientHarness const& harness) { return static_cast<std::int64_t>(harness.network.last); }

}  // namespace

BOOST_FIXTURE_TEST_SUITE(etcd_client, ClientFixture)

BOOST_AUTO_TEST_CASE(it_looks_at_the_member_and_then_sends_what_waited) {
  RequestId const first = put("a");
  settle();
  BOOST_TEST(is(first, Outcome::done));
  BOOST_TEST(answer(first).header.revision == 2);
  BOOST_TEST(answer(first).header.cluster == 77U);
  BOOST_TEST(client.state().ok());
  BOOST_TEST(client.endpoint() == "10.0.0.1:2379");
  BOOST_TEST(client.version() == "3.4.23");
  RequestId const second = put("b");
  settle();
  BOOST_TEST(is(second, Outcome::done));
  BOOST_TEST(etcd.headers.at("/etcdserverpb.KV/Put").at("hasleader") == "true");
  BOOST_TEST(!etcd.headers.at("/etcdserverpb.Maintenance/Status").contains("hasleader"));
  BOOST_TEST(client.counters().done == 2U);
  BOOST_TEST(client.counters().connected == 1U);
}

BOOST_AUTO_TEST_CASE(tls_is_asked_for_with_every_connection_and_said_in_calls) {
  settle();
  BOOST_TEST(!network.connect_options.at(0).tls);
  BOOST_TEST(network.connect_options.at(0).protocol == "");
  BOOST_TEST(etcd.headers.at("/etcdserverpb.Maintenance/Status").at(":scheme") == "http");
  ClientHarness secure{{.tls = true, .certificates = 7, .server_name = "etcd.example"}};
  secure.settle();
  secure.lose(secure.made());
  secure.run(1'100 * kClientMs);
  BOOST_TEST(secure.client.state().ok());
  BOOST_REQUIRE(secure.network.connect_options.size() == 2U);
  for (env::ConnectOptions const& one : secure.network.connect_options) {
    BOOST_TEST(one.tls);
    BOOST_TEST(one.certificates == 7U);
    BOOST_TEST(one.name == "etcd.example");
    BOOST_TEST(one.protocol == "h2");
  }
  BOOST_TEST(secure.etcd.headers.at("/etcdserverpb.Maintenance/Status").at(":scheme") == "https");
}

BOOST_AUTO_TEST_CASE(other_connections_are_not_its) {
  settle();
  ConnectionId const other{99};
  BOOST_TEST(!client.opened(other));
  BOOST_TEST(!client.received(other, "x"));
  BOOST_TEST(!client.writable(other));
  BOOST_TEST(!client.closed(other, "x"));
  BOOST_TEST(!client.closed(ConnectionId::none, "x"));
}

BOOST_AUTO_TEST_CASE(a_request_waits_for_a_connection_up_to_its_timeout) {
  network.connects = false;
  RequestId const id = put("a", 500 * kClientMs);
  run(499 * kClientMs);
  BOOST_TEST(answers.empty());
  run(2 * kClientMs);
  BOOST_TEST(is(id, Outcome::unavailable));
  BOOST_TEST(answer(id).why ==
             "Put waited 500 ms for a connection (etcd at 10.0.0.3:2379: connect 10.0.0.3:2379: refused)");
  network.connects = true;
  RequestId const later = put("b", 5'000 * kClientMs);
  run(1'100 * kClientMs);
  BOOST_TEST(is(later, Outcome::done));
}

BOOST_AUTO_TEST_CASE(attempts_wait_100_ms_up_to_a_second_and_go_round) {
  network.connects = false;
  std::vector<std::int64_t> gaps;
  std::int64_t last = 0;
  std::uint64_t failed = 0;
  for (std::int64_t const begin = now; now < begin + 6'000 * kClientMs; now += 10 * kClientMs) {
    turn();
    if (client.counters().failed == failed) continue;
    failed = client.counters().failed;
    if (last != 0) gaps.push_back((now - last) / kClientMs);
    last = now;
  }
  BOOST_TEST(gaps == (std::vector<std::int64_t>{100, 200, 400, 800, 1000, 1000, 1000, 1000}));
}

BOOST_AUTO_TEST_CASE(requests_that_wait_have_a_limit_of_bytes) {
  ClientHarness narrow{{.waiting_bytes_max = 1000}};
  narrow.network.connects = false;
  RequestId const small = narrow.client.send(Put{"k", std::string(900, 'x')}, 10'000 * kClientMs);
  RequestId const more = narrow.client.send(Put{"k", std::string(900, 'x')}, 10'000 * kClientMs);
  narrow.turn();
  BOOST_TEST(!narrow.answers.contains(small));
  BOOST_TEST(narrow.is(more, Outcome::unavailable));
  narrow.network.connects = true;
  narrow.run(200 * kClientMs);
  BOOST_TEST(narrow.is(small, Outcome::done));
  // It is free again, also of those that waited in vain.
  narrow.lose(narrow.made());
  narrow.network.connects = false;
  RequestId const late = narrow.client.send(Put{"k", std::string(900, 'x')}, 300 * kClientMs);
  narrow.run(2'000 * kClientMs);
  BOOST_TEST(narrow.is(late, Outcome::unavailable));
  RequestId const patient = narrow.client.send(Put{"k", std::string(900, 'x')}, 10'000 * kClientMs);
  narrow.network.connects = true;
  narrow.run(1'100 * kClientMs);
  BOOST_TEST(narrow.is(patient, Outcome::done));
  narrow.lose(narrow.made());
  RequestId const again = narrow.client.send(Put{"k", std::string(900, 'x')}, 10'000 * kClientMs);
  narrow.run(1'100 * kClientMs);
  BOOST_TEST(narrow.is(again, Outcome::done));
}

BOOST_AUTO_TEST_CASE(requests_without_an_answer_have_a_limit) {
  ClientHarness narrow{{.requests_max = 2, .request_bytes_max = 100}};
  narrow.settle();
  narrow.etcd.held = {"/etcdserverpb.KV/Put"};
  std::vector<RequestId> const ids{narrow.put("a"), narrow.put("b"), narrow.put("c")};
  RequestId const large = narrow.client.send(Range{std::string(200, 'k')}, 1000);
  narrow.settle();
  BOOST_TEST(narrow.is(ids[2], Outcome::unavailable));
  BOOST_TEST(narrow.is(large, Outcome::unavailable));
  narrow.etcd.held.clear();
  narrow.settle();
  BOOST_TEST(narrow.is(ids[0], Outcome::done));
  BOOST_TEST(narrow.is(ids[1], Outcome::done));
  RequestId const too_large = narrow.client.send(Range{std::string(200, 'k')}, 1000);
  narrow.settle();
  BOOST_TEST(narrow.is(too_large, Outcome::refused));
  BOOST_TEST((narrow.answer(too_large).refusal == Refusal::too_large));
}

// ---------------------------------------------------------------------------
// Which member

BOOST_AUTO_TEST_CASE(members_of_no_use_are_told_and_passed_over) {
  RequestId const id = put("a", 60'000 * kClientMs);
  etcd.version = "3.5.3";
  settle();
  BOOST_TEST(
      client.state().text() ==
      "not_supported: etcd at 10.0.0.1:2379: version 3.5.3 has known faults that can damage data; expected is 3.5.6 or "
      "later, or 3.4 from 3.4.22 on");
  BOOST_TEST((made() == ConnectionId::none));
  etcd.version = "3.4.23";
  etcd.is_learner = true;
  pass(100 * kClientMs);
  BOOST_TEST(client.state().message() == "etcd at 10.0.0.2:2379: it is a learner, which takes no requests");
  etcd.is_learner = false;
  etcd.leader = 0;
  pass(200 * kClientMs);
  BOOST_TEST(client.state().message() == "etcd at 10.0.0.3:2379: it knows of no leader");
  // While there is no leader attempts wait 100 ms.
  for (int i = 0; i < 5; ++i) pass(100 * kClientMs);
  BOOST_TEST(attempts(*this) == 8);
  etcd.leader = 5;
  pass(100 * kClientMs);
  BOOST_TEST(is(id, Outcome::done));
  // One of another cluster, after the first.
  lose(made());
  etcd.cluster = 78;
  pass(1'000 * kClientMs);
  BOOST_TEST(client.state().text().starts_with("bad_configuration: etcd at 10.0.0.1:2379: it is of the cluster 78"));
  etcd.cluster = 77;
  pass(1'000 * kClientMs);
  BOOST_TEST(client.state().ok());
}

// It is another history, even if it has the same id.
BOOST_AUTO_TEST_CASE(a_cluster_that_went_back_is_used_no_more) {
  settle();
  RequestId const first = put("a");
  settle();
  BOOST_TEST(is(first, Outcome::done));
  etcd.put({"b", "c"});
  etcd.put({"d"});
  RequestId const second = put("e");
  settle();
  BOOST_TEST(answer(second).header.revision == 5);
  lose(made());
  etcd.revision = 3;
  settle();
  RequestId const third = put("f");
  run(200 * kClientMs);
  BOOST_TEST(is(third, Outcome::unknown));
  std::string const why =
      "the cluster is at revision 4, and was at 5 before: it was restored from a snapshot, or lost data; start this "
      "daemon anew";
  BOOST_TEST(answer(third).why == "Put at 10.0.0.2:2379: " + why);
  // No member is used any more, also when there are later revisions.
  for (int i = 0; i < 5; ++i) etcd.put({"g"});
  RequestId const fourth = put("h");
  run(5'000 * kClientMs);
  BOOST_TEST(is(fourth, Outcome::unavailable));
  BOOST_TEST(client.state().message().ends_with(": " + why), client.state().message());
  BOOST_TEST(etcd.puts["h"] == 0);
}

BOOST_AUTO_TEST_CASE(a_cluster_that_went_back_is_noticed_by_what_a_watch_told) {
  settle();
  client.watch({.key = "a", .end = "z", .revision = 2});
  settle();
  etcd.put({"b"});
  etcd.put({"c"});
  settle();
  BOOST_TEST(!news.empty());
  etcd.revision = 1;
  RequestId const id = put("d");
  settle();
  BOOST_TEST(is(id, Outcome::unknown));
  BOOST_TEST(answer(id).why.find("it was restored from a snapshot") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_connection_that_does_not_open_is_given_up_after_its_limit) {
  opens = false;
  settle();
  run(1'999 * kClientMs);
  BOOST_TEST(attempts(*this) == 1);
  BOOST_TEST(network.closed.empty());
  run(2 * kClientMs);
  BOOST_TEST(network.closed.size() == 1U);
  BOOST_TEST(client.state().message() == "etcd at 10.0.0.1:2379: no connection within 2000 ms");
  opens = true;
  run(200 * kClientMs);
  BOOST_TEST(client.state().ok());
}

BOOST_AUTO_TEST_CASE(a_member_that_says_nothing_or_rubbish_is_given_up) {
  etcd.held = {"/etcdserverpb.Maintenance/Status"};
  settle();
  ConnectionId const silent = made();
  run(2'100 * kClientMs);
  BOOST_TEST(is_over(silent));
  settle();
  ConnectionId const strange = made();
  BOOST_TEST((strange != silent));
  BOOST_TEST(client.received(strange, "HTTP/1.1 400 Bad Request\r\n\r\n"));
  BOOST_TEST(is_over(strange));
  BOOST_TEST(client.state().message().find("is no gRPC over HTTP/2") != std::string::npos);
}

// ---------------------------------------------------------------------------
// Lost connections

BOOST_AUTO_TEST_CASE(a_lost_connection_leaves_unknown_what_was_sent_and_the_next_is_tried_at_once) {
  settle();
  pass(1'000 * kClientMs);
  etcd.unanswered = {"/etcdserverpb.KV/Put"};
  RequestId const done_unanswered = put("a");
  settle();
  etcd.unanswered.clear();
  network.room[made()] = 0;
  RequestId const not_sent = put("b");
  turn();
  ConnectionId const lost = made();
  lose(lost);
  BOOST_TEST(is(done_unanswered, Outcome::unknown));
  BOOST_TEST(answer(done_unanswered).why == "Put at 10.0.0.1:2379: etcd at 10.0.0.1:2379: Connection reset by peer");
  BOOST_TEST(is(not_sent, Outcome::unavailable));
  BOOST_TEST(etcd.puts.at("a") == 1);
  BOOST_TEST(!etcd.puts.contains("b"));
  BOOST_TEST((made() != lost));  // in the same turn
  settle();
  BOOST_TEST(client.endpoint() == "10.0.0.2:2379");
  BOOST_TEST(client.counters().lost == 1U);
  // This one did not serve a second: the next has to wait.
  lose(made());
  settle();
  BOOST_TEST((made() == ConnectionId::none));
  pass(100 * kClientMs);
  BOOST_TEST(client.endpoint() == "10.0.0.3:2379");
}

BOOST_AUTO_TEST_CASE(a_request_cut_at_any_byte_is_unknown_only_if_it_went_out_whole) {
  settle();
  RequestId const probe = put("probe");
  turn();
  std::size_t const bytes = network.sent[made()].size();
  settle();
  BOOST_TEST(is(probe, Outcome::done));
  for (std::size_t cut = 0; cut <= bytes + 4; ++cut) {
    pass(1'000 * kClientMs);
    network.room[made()] = cut;
    RequestId const id = put("key" + std::to_string(cut));
    turn();
    serve();
    lose(made());
    settle();
    bool const was_done = etcd.puts.contains("key" + std::to_string(cut));
    BOOST_TEST_CONTEXT("cut at " << cut) BOOST_TEST(is(id, was_done ? Outcome::unknown : Outcome::unavailable));
  }
  BOOST_TEST(etcd.puts.contains("key" + std::to_string(bytes + 4)));
  BOOST_TEST(!etcd.puts.contains("key0"));
}

BOOST_AUTO_TEST_CASE(the_end_of_input_is_the_end_of_the_connection) {
  settle();
  etcd.held = {"/etcdserverpb.KV/Put"};
  RequestId const id = put("a");
  settle();
  ConnectionId const first = made();
  BOOST_TEST(client.ended(first));
  turn();
  BOOST_TEST(is_over(first));
  BOOST_TEST(is(id, Outcome::unknown));
  BOOST_TEST(client.state().message() == "etcd at 10.0.0.1:2379: it closed the connection");
  BOOST_TEST(!client.ended(first));
}

BOOST_AUTO_TEST_CASE(a_full_network_is_sent_the_rest_when_it_has_room) {
  settle();
  network.room[made()] = 10;
  RequestId const id = put("a");
  settle();
  BOOST_TEST(answers.empty());
  network.room.erase(made());
  settle();
  BOOST_TEST(answers.empty());  // it was not told so far
  BOOST_TEST(client.writable(made()));
  settle();
  BOOST_TEST(is(id, Outcome::done));
}

// ---------------------------------------------------------------------------
// Time

BOOST_AUTO_TEST_CASE(no_answer_in_time_is_unknown_and_a_late_one_is_dropped) {
  settle();
  etcd.held = {"/etcdserverpb.KV/Put"};
  RequestId const late = put("a", 300 * kClientMs);
  RequestId const later = put("b", 400 * kClientMs);
  settle();
  run(299 * kClientMs);
  BOOST_TEST(answers.empty());
  now += kClientMs;
  turn();
  BOOST_TEST(is(late, Outcome::unknown));
  BOOST_TEST(answer(late).why == "Put at 10.0.0.1:2379: no answer within 300 ms");
  etcd.held.clear();
  settle();
  BOOST_TEST(is(later, Outcome::done));
  BOOST_TEST(answers.size() == 2U);
  BOOST_TEST(!etcd.puts.contains("a"));  // it was reset in time
}

BOOST_AUTO_TEST_CASE(what_did_not_leave_in_time_is_unavailable_and_never_leaves) {
  settle();
  std::string const value(300'000, 'x');  // more than the windows
  RequestId const large = client.send(Put{"large", value}, 200 * kClientMs);
  turn();
  network.sent[made()].clear();  // the server hears nothing
  now += 200 * kClientMs;
  turn();
  BOOST_TEST(is(large, Outcome::unavailable));
}

BOOST_AUTO_TEST_CASE(bytes_that_arrived_while_nobody_looked_are_read_before_anything_is_late) {
  settle();
  RequestId const id = put("a", 100 * kClientMs);
  turn();
  serve();
  // The process is stopped for a minute; its first turn begins with the input.
  now += 60'000 * kClientMs;
  hear();
  turn();
  BOOST_TEST(is(id, Outcome::done));
  BOOST_TEST(client.state().ok());
}

BOOST_AUTO_TEST_CASE(a_silent_connection_with_calls_is_pinged_and_lost_without_an_answer) {
  settle();
  BOOST_TEST(client.next_us() == INT64_MAX);  // without calls it is left alone
  pass(60'000 * kClientMs);
  BOOST_TEST(client.counters().lost == 0U);
  client.watch({.key = "k"});
  settle();
  // A server that lives answers pings.
  run(30'000 * kClientMs);
  BOOST_TEST(client.counters().lost == 0U);
  ConnectionId const silent = made();
  network.room[silent] = SIZE_MAX;
  std::int64_t const begin = now;
  until_over(silent);
  BOOST_TEST(now - begin >= Client::kPingLimitUs);
  BOOST_TEST(now - begin <= Client::kPingGapUs + Client::kPingLimitUs + 2);
  BOOST_TEST(client.counters().lost == 1U);
  settle();
  BOOST_TEST(client.endpoint() == "10.0.0.2:2379");
}

BOOST_AUTO_TEST_CASE(a_ping_of_which_nobody_needs_the_answer_is_forgotten) {
  WatchId const watch = client.watch({.key = "k"});
  settle();
  ConnectionId const id = made();
  now += Client::kPingGapUs;
  turn();
  BOOST_TEST(network.sent[id].size() == 17U);
  network.sent[id].clear();
  client.unwatch(watch);
  now += Client::kPingLimitUs;
  turn();
  BOOST_TEST(!is_over(id));
}

// ---------------------------------------------------------------------------
// Leaders, and members that are shut down

BOOST_AUTO_TEST_CASE(a_member_without_a_leader_is_left) {
  settle();
  pass(1'000 * kClientMs);
  etcd.held = {"/etcdserverpb.Lease/LeaseKeepAlive"};
  RequestId const under_way = client.send(KeepAlive{3}, 10'000 * kClientMs);
  settle();
  etcd.status = 14;
  etcd.text = "etcdserver: no leader";
  RequestId const id = put("a");
  settle();
  BOOST_TEST(is(id, Outcome::unavailable));
  BOOST_TEST(is(under_way, Outcome::unknown));
  BOOST_TEST((made() == ConnectionId::none));
  etcd.status = 0;
  etcd.held.clear();
  pass(100 * kClientMs);
  BOOST_TEST(client.endpoint() == "10.0.0.2:2379");
}

BOOST_AUTO_TEST_CASE(without_answers_the_member_is_asked_for_its_leader) {
  settle();
  pass(1'000 * kClientMs);
  etcd.held = {"/etcdserverpb.KV/Put"};
  RequestId const lost = put("a", 7'000 * kClientMs);
  run(190 * kClientMs);
  etcd.headers.clear();
  run(20 * kClientMs);
  BOOST_TEST(etcd.headers.contains("/etcdserverpb.Maintenance/Status"));
  BOOST_TEST(answers.empty());  // the same leader: it is slow
  RequestId const later = put("b", 7'000 * kClientMs);
  // Another one: what was sent before is lost, or not; nobody will say. What is sent after the question is not.
  etcd.term = 2;
  etcd.held.insert("/etcdserverpb.Maintenance/Status");
  run(200 * kClientMs);
  RequestId const after = put("c", 7'000 * kClientMs);
  settle();
  etcd.held.erase("/etcdserverpb.Maintenance/Status");
  settle();
  BOOST_TEST(is(lost, Outcome::unknown));
  BOOST_TEST(answer(lost).why == "Put at 10.0.0.1:2379: the leader changed while it was under way");
  BOOST_TEST(is(later, Outcome::unknown));
  BOOST_TEST(!answers.contains(after));
  BOOST_TEST(client.counters().lost == 0U);
  // None: it is left.
  etcd.leader = 0;
  run(400 * kClientMs);
  BOOST_TEST(is(after, Outcome::unknown));
  BOOST_TEST(client.counters().lost == 1U);
  BOOST_TEST(client.state().message().ends_with("it knows of no leader"));
}

// Its network is gone: the lease of an owner must not end meanwhile.
BOOST_AUTO_TEST_CASE(a_member_that_does_not_say_either_who_leads_is_left) {
  settle();
  pass(1'000 * kClientMs);
  ConnectionId const silent = made();
  RequestId const id = put("a", 1'000 * kClientMs);
  std::int64_t const begin = now;
  until_over(silent);
  BOOST_TEST(now - begin >= Client::kSilenceUs);
  BOOST_TEST(now - begin <= Client::kQuietUs + Client::kSilenceUs + 2 * kClientMs);
  BOOST_TEST(is(id, Outcome::unknown));
  BOOST_TEST(client.state().message() == "etcd at 10.0.0.1:2379: it has said nothing for 500 ms");
  settle();
  BOOST_TEST(client.endpoint() == "10.0.0.2:2379");
}

BOOST_AUTO_TEST_CASE(the_answer_of_a_member_that_is_shut_down_meanwhile_is_of_no_use) {
  settle();
  etcd.held = {"/etcdserverpb.KV/Put", "/etcdserverpb.Maintenance/Status"};
  RequestId const slow = put("a", 7'000 * kClientMs);
  run(300 * kClientMs);  // it is asked for its leader
  ConnectionId const first = made();
  servers.at(first)->go_away();
  hear();
  RequestId const waits = put("b", 7'000 * kClientMs);
  etcd.held = {"/etcdserverpb.KV/Put"};
  opens = false;
  settle();
  BOOST_TEST(answers.empty());
  BOOST_TEST(!client.state().ok());
  etcd.held.clear();
  settle();
  BOOST_TEST(is(slow, Outcome::done));
  opens = true;
  settle();
  BOOST_TEST(is(waits, Outcome::done));
}

BOOST_AUTO_TEST_CASE(a_term_that_an_answer_told_is_no_news) {
  settle();
  etcd.term = 3;
  RequestId const first = put("a");
  settle();
  BOOST_TEST(is(first, Outcome::done));
  etcd.held = {"/etcdserverpb.KV/Put"};
  RequestId const slow = put("b", 7'000 * kClientMs);
  run(1'000 * kClientMs);
  BOOST_TEST(!answers.contains(slow));
}

BOOST_AUTO_TEST_CASE(a_member_that_is_shut_down_ends_its_calls_while_new_ones_go_to_the_next) {
  WatchId const watch = client.watch({.key = "a", .end = "z", .revision = 2});
  settle();
  etcd.held = {"/etcdserverpb.KV/Put"};
  RequestId const old = put("a", 5'000 * kClientMs);
  settle();
  ConnectionId const first = made();
  servers.at(first)->go_away();
  hear();
  settle();
  ConnectionId const second = made();
  BOOST_TEST((second != first));
  BOOST_TEST(!is_over(first));
  BOOST_TEST(client.endpoint() == "10.0.0.2:2379");
  etcd.held.clear();
  RequestId const next = put("b");
  settle();
  BOOST_TEST(is(old, Outcome::done));
  BOOST_TEST(is(next, Outcome::done));
  BOOST_TEST(is_over(first));
  BOOST_TEST(etcd.puts.at("a") == 1);
  BOOST_TEST(told(watch).size() == 7U);  // both, on the second connection
  // Calls that do not end are given up.
  etcd.held = {"/etcdserverpb.KV/Put"};
  RequestId const stuck = put("c", 60'000 * kClientMs);
  settle();
  servers.at(second)->go_away();
  hear();
  run(999 * kClientMs);
  BOOST_TEST(!is_over(second));
  run(2 * kClientMs);
  BOOST_TEST(is_over(second));
  BOOST_TEST(is(stuck, Outcome::unknown));
}

// ---------------------------------------------------------------------------
// Answers

BOOST_AUTO_TEST_CASE(errors_become_outcomes_with_their_text) {
  settle();
  etcd.status = 8;
  etcd.text = "etcdserver: mvcc: database space exceeded";
  RequestId const full = put("a");
  etcd.held = {};
  settle();
  BOOST_TEST(is(full, Outcome::unknown));
  BOOST_TEST((answer(full).refusal == Refusal::no_space));
  BOOST_TEST(answer(full).why == "Put at 10.0.0.1:2379: etcdserver: mvcc: database space exceeded (status 8)");
  etcd.status = 5;
  etcd.text = "etcdserver: requested lease not found";
  RequestId const no_lease = put("a");
  settle();
  BOOST_TEST(is(no_lease, Outcome::refused));
  BOOST_TEST((answer(no_lease).refusal == Refusal::no_lease));
  etcd.status = 0;
  RequestId const unimplemented = client.send(Compact{1}, 1000 * kClientMs);
  settle();
  BOOST_TEST(is(unimplemented, Outcome::refused));
  BOOST_TEST(client.state().ok());
}

BOOST_AUTO_TEST_CASE(a_renewal_is_a_call_and_tells_the_end_of_a_lease) {
  settle();
  RequestId const alive = client.send(KeepAlive{3}, 1000 * kClientMs);
  RequestId const over = client.send(KeepAlive{404}, 1000 * kClientMs);
  settle();
  BOOST_TEST(std::get<LeaseAnswer>(answer(alive).body).lease == 3);
  BOOST_TEST(std::get<LeaseAnswer>(answer(alive).body).ttl_s == 10);
  BOOST_TEST(is(over, Outcome::done));
  BOOST_TEST(std::get<LeaseAnswer>(answer(over).body).ttl_s == 0);
}

BOOST_AUTO_TEST_CASE(an_answer_that_cannot_be_read_is_unknown) {
  settle();
  etcd.held = {"/etcdserverpb.KV/Put"};
  std::vector<RequestId> const ids{put("rubbish"), put("none"), put("two")};
  settle();
  std::vector<std::int32_t> streams;
  for (auto const& [stream, call] : server().calls())
    if (call.path == "/etcdserverpb.KV/Put") streams.push_back(stream);
  BOOST_REQUIRE(streams.size() == 3U);
  server().answer(streams[0], "\xFF\xFF");
  server().finish(streams[1]);
  server().message(streams[2], "");
  server().answer(streams[2], "");
  hear();
  turn();
  for (RequestId const id : ids) BOOST_TEST(is(id, Outcome::unknown));
}

BOOST_AUTO_TEST_CASE(reading_stops_while_answers_are_not_taken) {
  ClientHarness narrow{{.untaken_bytes_max = 10'000}};
  narrow.settle();
  ConnectionId const id = narrow.made();
  WatchId const watch = narrow.client.watch({.key = "k", .end = "l", .revision = 2});
  narrow.settle();
  for (int i = 0; i < 200; ++i) narrow.etcd.put({"k" + std::to_string(i)});
  narrow.serve();
  narrow.hear();
  BOOST_TEST(narrow.network.paused.contains(id));
  // Time passes, and nobody is late for it.
  narrow.now += 60'000 * kClientMs;
  narrow.client.tick(narrow.now);
  narrow.client.end_turn();
  BOOST_TEST(narrow.client.state().ok());
  narrow.take();
  BOOST_TEST(!narrow.network.paused.contains(id));
  BOOST_TEST(narrow.told(watch).starts_with("2:k0 3:k1 "));
}

BOOST_AUTO_TEST_SUITE_END()
