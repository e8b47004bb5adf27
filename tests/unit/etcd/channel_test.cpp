// gRPC on a channel of bytes, against a server in memory: bytes in pieces of any size, what is wrong with them, limits,
// and for each way in which a call can end without a status whether it may have been done.
#include "log/etcd/client/channel.h"

#include <boost/test/unit_test.hpp>

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <random>

#include "tests/support/seed.h"
#include "tests/unit/etcd/grpc_server.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::etcd;

constexpr std::string_view kPath = "/etcdserverpb.KV/Txn";

struct ChannelFixture {
  test::GrpcServer server;
  Channel channel{{.authority = "127.0.0.1:2379", .message_bytes_max = 1U << 20U, .partial_bytes_max = 2U << 20U}};
  std::vector<CallEvent> events;

  CallId start(std::string_view message, bool more = false) {
    Result<CallId> const call = channel.start(kPath, {}, message, more);
    BOOST_REQUIRE(call.ok());
    return call.value();
  }
  void to_server() {
    for (std::string_view out = channel.output(); !out.empty(); out = channel.output()) {
      BOOST_REQUIRE(server.receive(out));
      channel.sent(out.size());
    }
  }
  void take() {
    for (CallEvent& event : channel.take_events()) events.push_back(std::move(event));
  }
  void to_channel() {
    BOOST_TEST(channel.receive(server.output()).ok());
    take();
  }
  void exchange() {
    for (int round = 0; round < 4; ++round) {
      to_server();
      to_channel();
    }
  }
  // Of this call; it must have ended.
  CallEnd const& end_of(CallId id) {
    auto const found = std::find_if(events.begin(), events.end(),
                                    [id](CallEvent const& event) { return event.call == id && event.has_ended; });
    BOOST_REQUIRE(found != events.end());
    return found->end;
  }
  std::vector<std::string> messages_of(CallId id) const {
    std::vector<std::string> out;
    for (CallEvent const& event : events)
      if (event.call == id && !event.has_ended) out.push_back(event.message);
    return out;
  }
  std::size_t ends_of(CallId id) const {
    return static_cast<std::size_t>(std::count_if(
        events.begin(), events.end(), [id](CallEvent const& event) { return event.call == id && event.has_ended; }));
  }
};

std::int32_t stream_of(CallId id) { return static_cast<std::int32_t>(id); }

}  // namespace

BOOST_FIXTURE_TEST_SUITE(etcd_channel, ChannelFixture)

BOOST_AUTO_TEST_CASE(a_call_has_path_metadata_one_request_and_one_answer) {
  std::vector<Metadata> const metadata{{"token", "secret.1"}, {"hasleader", "true"}};
  Result<CallId> const call = channel.start(kPath, metadata, "request");
  BOOST_REQUIRE(call.ok());
  to_server();
  test::GrpcServer::Call const& seen = server.calls().at(stream_of(call.value()));
  BOOST_TEST(seen.path == kPath);
  BOOST_TEST(seen.headers.at(":method") == "POST");
  BOOST_TEST(seen.headers.at(":authority") == "127.0.0.1:2379");
  BOOST_TEST(seen.headers.at("content-type") == "application/grpc");
  BOOST_TEST(seen.headers.at("te") == "trailers");
  BOOST_TEST(seen.headers.at("token") == "secret.1");
  BOOST_TEST(seen.headers.at("hasleader") == "true");
  BOOST_TEST(seen.requests == std::vector<std::string>{"request"});
  BOOST_TEST(seen.has_ended);
  server.answer(stream_of(call.value()), "answer");
  to_channel();
  BOOST_TEST(messages_of(call.value()) == std::vector<std::string>{"answer"});
  BOOST_TEST(end_of(call.value()).status == 0);
  BOOST_TEST(channel.calls() == 0U);
  BOOST_TEST(channel.request_bytes() == 0U);
}

BOOST_AUTO_TEST_CASE(a_status_comes_with_its_text) {
  CallId const first = start("1");
  CallId const second = start("2");
  to_server();
  server.finish(stream_of(first), 14, "etcdserver: no leader");
  server.message(stream_of(second), "part");
  server.finish(stream_of(second), 9, "100%25 of r%C3%A9ponse%0A%zz%4");
  to_channel();
  BOOST_TEST(end_of(first).status == 14);
  BOOST_TEST(end_of(first).text == "etcdserver: no leader");
  BOOST_TEST(end_of(second).status == 9);
  BOOST_TEST(end_of(second).text == "100% of r\xC3\xA9ponse\n%zz%4");
}

BOOST_AUTO_TEST_CASE(a_text_is_cut_at_its_limit) {
  CallId const call = start("1");
  to_server();
  server.finish(stream_of(call), 2, std::string(5000, 'x'));
  to_channel();
  BOOST_TEST(end_of(call).text.size() == CallEnd::kTextBytesMax);
}

BOOST_AUTO_TEST_CASE(a_stream_has_many_messages_both_ways) {
  CallId const call = start("first", true);
  to_server();
  BOOST_TEST(!server.calls().at(stream_of(call)).has_ended);
  BOOST_TEST(channel.send(call, "second").ok());
  to_server();
  BOOST_TEST(server.calls().at(stream_of(call)).requests == (std::vector<std::string>{"first", "second"}));
  server.message(stream_of(call), "");
  server.message(stream_of(call), "two");
  to_channel();
  server.message(stream_of(call), "three");
  to_channel();
  BOOST_TEST(messages_of(call) == (std::vector<std::string>{"", "two", "three"}));
  channel.finish(call);
  to_server();
  BOOST_TEST(server.calls().at(stream_of(call)).has_ended);
  BOOST_TEST(!channel.send(call, "late").ok());
  server.finish(stream_of(call));
  to_channel();
  BOOST_TEST(end_of(call).status == 0);
}

BOOST_AUTO_TEST_CASE(a_server_may_end_an_open_stream) {
  CallId const call = start("first", true);
  to_server();
  server.message(stream_of(call), "one");
  server.finish(stream_of(call), 14, "etcdserver: no leader");
  exchange();
  BOOST_TEST(end_of(call).status == 14);
  BOOST_TEST(ends_of(call) == 1U);
  BOOST_TEST(channel.calls() == 0U);
}

BOOST_AUTO_TEST_CASE(bytes_may_come_one_at_a_time) {
  CallId const call = start(std::string(3000, 'q'));
  to_server();
  server.message(stream_of(call), std::string(70, 'a'));
  server.message(stream_of(call), "b");
  server.finish(stream_of(call));
  for (char const byte : server.output()) BOOST_REQUIRE(channel.receive({&byte, 1}).ok());
  take();
  BOOST_TEST(messages_of(call) == (std::vector<std::string>{std::string(70, 'a'), "b"}));
  BOOST_TEST(end_of(call).status == 0);
}

BOOST_AUTO_TEST_CASE(bytes_may_be_split_anywhere_in_both_directions) {
  std::uint64_t const seed = fastjournal::test::seed_or(20251128);
  BOOST_TEST_MESSAGE("seed " << seed);
  BOOST_TEST_CONTEXT("FJ_SEED=" << seed) {
    std::mt19937_64 chance{seed};
    auto const up_to = [&chance](std::size_t most) {
      return std::uniform_int_distribution<std::size_t>{0, most}(chance);
    };
    std::map<CallId, std::string> asked;
    std::string to_client;
    std::size_t answered = 0;
    for (int step = 0; step < 4000 || answered < asked.size(); ++step) {
      if (step < 2000 && up_to(3) == 0) {
        std::string request(up_to(up_to(20) == 0 ? 100'000 : 300), static_cast<char>('a' + up_to(25)));
        CallId const call = start(request);
        asked.emplace(call, std::move(request));
      }
      std::string_view const out = channel.output();
      std::size_t const taken = std::min(out.size(), up_to(up_to(5) == 0 ? 50'000 : 40));
      BOOST_REQUIRE(server.receive(out.substr(0, taken)));
      channel.sent(taken);
      for (auto& [stream, call] : server.calls())
        if (call.has_ended && !call.output_ended) server.answer(stream, call.requests.at(0) + "!");
      to_client += server.output();
      std::size_t const given = std::min(to_client.size(), up_to(up_to(5) == 0 ? 50'000 : 40));
      BOOST_REQUIRE(channel.receive(std::string_view{to_client}.substr(0, given)).ok());
      to_client.erase(0, given);
      for (CallEvent const& event : channel.take_events()) {
        if (event.has_ended) {
          BOOST_TEST(event.end.status == 0);
          ++answered;
        } else {
          BOOST_TEST((event.message == asked.at(event.call) + "!"));
        }
      }
      BOOST_REQUIRE(step < 4'000'000);
    }
    BOOST_TEST(asked.size() > 300U);
    BOOST_TEST(channel.request_bytes() == 0U);
  }
}

BOOST_AUTO_TEST_CASE(a_large_request_goes_through_small_windows) {
  std::string const request(1'500'000, 'r');
  CallId const call = start(request);
  to_server();
  BOOST_TEST(channel.request_bytes() > 1'000'000U);  // the server has to give room first
  for (int round = 0; round < 200 && !server.calls().at(stream_of(call)).has_ended; ++round) exchange();
  BOOST_TEST((server.calls().at(stream_of(call)).requests.at(0) == request));
  BOOST_TEST(channel.request_bytes() == 0U);
}

BOOST_AUTO_TEST_CASE(large_answers_come_without_waiting_for_room) {
  std::vector<CallId> calls;
  for (int i = 0; i < 12; ++i) calls.push_back(start("x"));
  exchange();
  for (CallId const call : calls) server.answer(stream_of(call), std::string(150'000, 'y'));
  // At once: the windows are larger than that.
  BOOST_TEST(channel.receive(server.output()).ok());
  take();
  for (CallId const call : calls) BOOST_TEST(end_of(call).status == 0);
}

BOOST_AUTO_TEST_CASE(calls_beyond_the_streams_of_the_server_wait) {
  test::GrpcServer narrow{2};
  BOOST_REQUIRE(channel.receive(narrow.output()).ok());
  std::vector<CallId> calls;
  for (int i = 0; i < 5; ++i) calls.push_back(start("x"));
  std::size_t answered = 0;
  for (int round = 0; round < 10; ++round) {
    std::string_view const out = channel.output();
    BOOST_REQUIRE(narrow.receive(out));
    channel.sent(out.size());
    std::size_t open = 0;
    for (auto& [stream, call] : narrow.calls()) open += call.output_ended ? 0U : 1U;
    BOOST_TEST(open <= 2U);
    for (auto& [stream, call] : narrow.calls())
      if (call.has_ended && !call.output_ended) {
        narrow.answer(stream, "y");
        break;
      }
    BOOST_REQUIRE(channel.receive(narrow.output()).ok());
    for (CallEvent const& event : channel.take_events()) answered += event.has_ended ? 1U : 0U;
  }
  BOOST_TEST(answered == 5U);
}

// ---------------------------------------------------------------------------
// May it have been done?

BOOST_AUTO_TEST_CASE(a_lost_connection_leaves_open_what_was_sent_whole_and_nothing_else) {
  CallId const first = start("first");
  CallId const second = start("second");
  std::string const all{channel.output()};
  // Cut at each byte: the server sees what came up to there.
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    Channel one{{.authority = "127.0.0.1:2379"}};
    BOOST_REQUIRE(one.start(kPath, {}, "first").ok());
    BOOST_REQUIRE(one.start(kPath, {}, "second").ok());
    BOOST_REQUIRE(one.output() == all);
    test::GrpcServer peer;
    BOOST_REQUIRE(peer.receive(std::string_view{all}.substr(0, cut)));
    one.sent(cut);
    one.lose("cut");
    std::vector<CallEvent> const ends = one.take_events();
    BOOST_REQUIRE(ends.size() == 2U);
    for (CallEvent const& event : ends) {
      auto const seen = peer.calls().find(stream_of(event.call));
      bool const was_whole = seen != peer.calls().end() && seen->second.has_ended;
      BOOST_TEST_CONTEXT("cut at " << cut) BOOST_TEST(event.end.may_be_done == was_whole);
      BOOST_TEST(event.end.text == "cut");
      BOOST_TEST(event.end.status == -1);
    }
  }
  BOOST_TEST(channel.cancel(first));
  BOOST_TEST(channel.cancel(second));
}

BOOST_AUTO_TEST_CASE(a_canceled_call_was_not_done_if_its_request_is_not_in_the_output) {
  CallId const small = start("x");
  CallId const large = start(std::string(200'000, 'y'));  // more than the window
  to_server();
  CallId const queued = start("z");
  BOOST_TEST(channel.cancel(small));
  BOOST_TEST(!channel.cancel(large));
  BOOST_TEST(!channel.cancel(queued));
  exchange();
  BOOST_TEST(channel.request_bytes() == 0U);
  BOOST_TEST(!server.calls().at(stream_of(large)).has_ended);
  BOOST_TEST(server.calls().at(stream_of(large)).is_reset);
  auto const never = server.calls().find(stream_of(queued));
  BOOST_TEST((never == server.calls().end() || !never->second.has_ended));
  BOOST_TEST(events.empty());
  BOOST_TEST(channel.cancel(small));  // over: nothing is certain
}

BOOST_AUTO_TEST_CASE(an_answer_after_the_cancellation_is_dropped) {
  CallId const call = start("x");
  to_server();
  server.answer(stream_of(call), "late");
  std::string const late = server.output();
  BOOST_TEST(channel.cancel(call));
  BOOST_TEST(channel.receive(late).ok());
  take();
  BOOST_TEST(events.empty());
  // And one that was received, but not taken.
  CallId const other = start("x");
  to_server();
  server.answer(stream_of(other), "late");
  BOOST_TEST(channel.receive(server.output()).ok());
  BOOST_TEST(channel.cancel(other));
  take();
  BOOST_TEST(events.empty());
}

BOOST_AUTO_TEST_CASE(a_refused_stream_was_not_done_and_another_reset_leaves_it_open) {
  CallId const refused = start("1");
  CallId const reset = start("2");
  to_server();
  server.reset(stream_of(refused), NGHTTP2_REFUSED_STREAM);
  server.reset(stream_of(reset), NGHTTP2_INTERNAL_ERROR);
  to_channel();
  BOOST_TEST(end_of(refused).status == -1);
  BOOST_TEST(!end_of(refused).may_be_done);
  BOOST_TEST(end_of(reset).status == -1);
  BOOST_TEST(end_of(reset).may_be_done);
  BOOST_TEST(end_of(reset).text == "the stream was reset: INTERNAL_ERROR");
}

BOOST_AUTO_TEST_CASE(after_goaway_calls_go_on_and_those_behind_it_were_not_done) {
  CallId const first = start("1");
  CallId const second = start("2");
  CallId const third = start("3");
  to_server();
  server.go_away(stream_of(second));
  to_channel();
  BOOST_TEST(!channel.takes_calls());
  BOOST_TEST(!channel.start(kPath, {}, "4").ok());
  BOOST_TEST(!end_of(third).may_be_done);
  BOOST_TEST(channel.calls() == 2U);
  server.answer(stream_of(second), "two");
  server.answer(stream_of(first), "one");
  exchange();
  BOOST_TEST(messages_of(first) == std::vector<std::string>{"one"});
  BOOST_TEST(messages_of(second) == std::vector<std::string>{"two"});
  BOOST_TEST(ends_of(first) + ends_of(second) + ends_of(third) == 3U);
}

BOOST_AUTO_TEST_CASE(goaway_while_calls_wait_for_a_stream_ends_those_undone) {
  test::GrpcServer narrow{1};
  BOOST_REQUIRE(channel.receive(narrow.output()).ok());
  CallId const first = start("1");
  CallId const waiting = start("2");
  std::string_view const out = channel.output();
  BOOST_REQUIRE(narrow.receive(out));
  channel.sent(out.size());
  narrow.go_away();
  BOOST_REQUIRE(channel.receive(narrow.output()).ok());
  narrow.answer(stream_of(first), "one");
  BOOST_REQUIRE(channel.receive(narrow.output()).ok());
  take();
  BOOST_TEST(end_of(first).status == 0);
  static_cast<void>(channel.output());
  take();
  BOOST_TEST(!end_of(waiting).may_be_done);
}

BOOST_AUTO_TEST_CASE(answers_that_are_incomplete_leave_it_open) {
  CallId const without_status = start("1");
  CallId const http = start("2");
  CallId const cut_message = start("3");
  CallId const strange = start("4");
  to_server();
  server.message(stream_of(without_status), "answer");
  server.finish(stream_of(without_status), -1);
  server.http_status(stream_of(http), "503");
  server.raw(stream_of(cut_message), test::framed("message").substr(0, 8));
  server.finish(stream_of(cut_message));
  server.message(stream_of(strange), "answer");
  server.calls().at(stream_of(strange)).status = -1;
  server.finish(stream_of(strange), -1, "no status");
  to_channel();
  for (CallId const call : {without_status, http, cut_message, strange}) {
    BOOST_TEST(end_of(call).status == -1);
    BOOST_TEST(end_of(call).may_be_done);
  }
  BOOST_TEST(end_of(http).text == "HTTP status 503 instead of 200, and no grpc-status");
  BOOST_TEST(end_of(cut_message).text == "the answer ends within a message");
}

// ---------------------------------------------------------------------------
// What is wrong, and limits

BOOST_AUTO_TEST_CASE(bytes_that_are_no_http2_end_the_connection_with_a_reason) {
  CallId const call = start("x");
  to_server();
  Status const status = channel.receive("HTTP/1.1 400 Bad Request\r\n\r\n");
  BOOST_TEST(!status.ok());
  BOOST_TEST(status.message().starts_with("what came from 127.0.0.1:2379 is no gRPC over HTTP/2: "));
  take();
  BOOST_TEST(end_of(call).may_be_done);
  BOOST_TEST(!channel.takes_calls());
  BOOST_TEST(!channel.receive("more").ok());
  BOOST_TEST(!channel.start(kPath, {}, "y").ok());
  BOOST_TEST(channel.output().empty() == false);  // what was made before: nobody need send it
}

BOOST_AUTO_TEST_CASE(broken_frames_never_leave_a_call_without_an_end) {
  std::uint64_t const seed = fastjournal::test::seed_or(7);
  BOOST_TEST_MESSAGE("seed " << seed);
  std::mt19937_64 chance{seed};
  std::size_t broken = 0;
  for (int run = 0; run < 2000; ++run) {
    test::GrpcServer peer;
    Channel one{{.message_bytes_max = 1000}};
    for (char const* const text : {"a", "b", "c"}) BOOST_REQUIRE(one.start(kPath, {}, text).ok());
    std::string_view const out = one.output();
    BOOST_REQUIRE(peer.receive(out));
    one.sent(out.size());
    for (auto& [stream, call] : peer.calls()) peer.answer(stream, "answer");
    std::string bytes = peer.output();
    for (int flips = 0; flips < 3; ++flips) bytes[chance() % bytes.size()] = static_cast<char>(chance());
    broken += one.receive(bytes).ok() ? 0U : 1U;
    one.lose("gone");
    std::map<CallId, int> ends;
    for (CallEvent const& event : one.take_events()) {
      BOOST_REQUIRE(ends[event.call] == 0);  // nothing after the end
      if (event.has_ended) ++ends[event.call];
    }
    BOOST_TEST_CONTEXT("FJ_SEED=" << seed << ", run " << run) BOOST_REQUIRE(ends.size() == 3U);
  }
  BOOST_TEST(broken > 200U);
}

BOOST_AUTO_TEST_CASE(an_answer_above_the_limit_ends_its_call_only) {
  CallId const large = start("1");
  CallId const compressed = start("2");
  CallId const good = start("3");
  to_server();
  server.raw(stream_of(large), test::framed(std::string((1U << 20U) + 1, 'x')).substr(0, 100));
  std::string packed = test::framed("x");
  packed[0] = 1;
  server.raw(stream_of(compressed), packed);
  server.answer(stream_of(good), "y");
  exchange();
  BOOST_TEST(end_of(large).text == "the answer has 1048577 bytes; at most 1048576");
  BOOST_TEST(end_of(large).may_be_done);
  BOOST_TEST(end_of(compressed).text == "the answer is compressed, which was not asked for");
  BOOST_TEST(end_of(good).status == 0);
  BOOST_TEST(server.calls().at(stream_of(large)).is_reset);
}

BOOST_AUTO_TEST_CASE(answers_in_part_have_a_limit_all_together) {
  std::vector<CallId> calls;
  for (int i = 0; i < 4; ++i) calls.push_back(start("x"));
  to_server();
  for (CallId const call : calls)
    server.raw(stream_of(call), test::framed(std::string(900'000, 'x')).substr(0, 800'000));
  exchange();
  std::size_t ended = 0;
  for (CallEvent const& event : events)
    if (event.has_ended) {
      BOOST_TEST(event.end.text == "answers that arrived in part have more than 2097152 bytes");
      ++ended;
    }
  BOOST_TEST(ended == 2U);
}

BOOST_AUTO_TEST_CASE(answers_that_arrived_whole_do_not_count_as_parts) {
  CallId const call = start("x", true);
  to_server();
  for (int i = 0; i < 5; ++i) {
    server.message(stream_of(call), std::string(900'000, 'x'));
    exchange();
  }
  BOOST_TEST(messages_of(call).size() == 5U);
  BOOST_TEST(ends_of(call) == 0U);
}

BOOST_AUTO_TEST_CASE(requests_that_wait_have_a_limit_of_bytes) {
  Channel narrow{{.request_bytes_max = 1000}};
  BOOST_TEST(narrow.start(kPath, {}, std::string(900, 'x')).ok());
  Result<CallId> const refused = narrow.start(kPath, {}, std::string(200, 'x'));
  BOOST_TEST((refused.status().code() == Code::over_limit));
  static_cast<void>(narrow.output());
  BOOST_TEST(narrow.start(kPath, {}, std::string(200, 'x')).ok());
}

BOOST_AUTO_TEST_CASE(output_is_made_in_bounded_pieces) {
  test::GrpcServer wide{1000, 1U << 30U};
  BOOST_REQUIRE(channel.receive(wide.output()).ok());
  for (int i = 0; i < 100; ++i) static_cast<void>(start(std::string(10'000, 'x')));
  std::size_t const pieces = channel.output().size();
  BOOST_TEST(pieces >= Channel::kOutputBytes);
  BOOST_TEST(pieces < Channel::kOutputBytes + 20'000);
}

BOOST_AUTO_TEST_CASE(a_ping_is_answered_and_pings_are_answered) {
  exchange();
  channel.ping();
  BOOST_TEST(channel.output().size() == 17U);
  to_server();
  BOOST_TEST(server.output().size() == 17U);
}

BOOST_AUTO_TEST_SUITE_END()
