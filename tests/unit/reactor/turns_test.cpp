// Turns, the timer, signals and the end of the loop. Tests that need no peer run the loop in their own thread.
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "platform/reactor/posix.h"
#include "tests/unit/reactor/fixture.h"

namespace fastjournal::reactor {

BOOST_AUTO_TEST_SUITE(turns)

BOOST_AUTO_TEST_CASE(turn_again_gives_one_more_turn_each_time) {
  Server server;
  server.handler.turn_end_hook = [&] {
    if (server.handler.turns < 10)
      server.reactor->turn_again();
    else
      server.reactor->stop();
  };
  server.reactor->turn_again();
  BOOST_TEST(server.reactor->run().ok());
  BOOST_TEST(server.handler.turns == 10U);
  BOOST_TEST(server.reactor->counters().turns == 10U);
}

BOOST_AUTO_TEST_CASE(a_turn_is_ended_once_after_everything_that_was_readable) {
  Server server;
  std::string const address = server.listen();
  int got = 0;
  std::vector<int> got_in_turn;
  server.handler.bytes_hook = [&](ConnectionId, std::string_view) { ++got; };
  server.handler.turn_end_hook = [&] {
    got_in_turn.push_back(std::exchange(got, 0));
    if (got_in_turn.back() == 5) server.reactor->stop();
  };
  // All of them are readable when the loop looks again: they are accepted in one turn.
  std::vector<LineClient> clients;
  for (int i = 0; i < 5; ++i) {
    clients.emplace_back(address);
    clients.back().send("x\n");
  }
  BOOST_TEST(server.reactor->run().ok());
  BOOST_TEST(std::count(got_in_turn.begin(), got_in_turn.end(), 5) == 1);
  BOOST_TEST(got_in_turn.size() <= 2U);
}

// The handler makes another connection readable during the turn.
BOOST_AUTO_TEST_CASE(gathering_takes_what_arrives_during_the_turn_into_it) {
  for (bool const gather : {false, true}) {
    BOOST_TEST_CONTEXT("gather " << gather) {
      TemporaryFolder const folder;
      ReactorOptions options;
      options.gather = gather;
      Server server{options};
      std::string const address = server.listen(folder / "a.sock");
      LineClient first{address};
      LineClient second{address};
      std::vector<std::string> order;
      server.handler.bytes_hook = [&](ConnectionId, std::string_view bytes) {
        order.emplace_back(bytes.substr(0, bytes.size() - 1));
        if (bytes == "first\n") second.send("second\n");
        if (bytes == "second\n") server.reactor->stop();
      };
      server.handler.turn_end_hook = [&] {
        if (server.handler.opened.size() == 2 && order.empty())
          first.send("first\n");
        else
          order.emplace_back("end");
      };
      BOOST_TEST(server.reactor->run().ok());
      std::vector<std::string> const expected = gather ? std::vector<std::string>{"first", "second", "end"}
                                                       : std::vector<std::string>{"first", "end", "second", "end"};
      BOOST_TEST(order == expected, boost::test_tools::per_element());
    }
  }
}

BOOST_AUTO_TEST_CASE(an_idle_loop_has_no_turns) {
  Server server;
  server.handler.timer_hook = [&] { server.reactor->stop(); };
  server.reactor->wake_at(monotonic_us() + 20'000);
  BOOST_TEST(server.reactor->run().ok());
  BOOST_TEST(server.handler.turns == 1U);
  BOOST_TEST(server.handler.timers == 1U);
}

// The test's own descriptor takes the place of the one that reports a set clock.
BOOST_AUTO_TEST_CASE(a_clock_that_is_set_wakes_an_idle_loop) {
  int notice = -1;
  ReactorOptions options;
  options.watch_clock = [&notice]() -> Result<UniqueFd> { return UniqueFd{notice = ::eventfd(0, EFD_NONBLOCK)}; };
  Server server{std::move(options)};
  std::size_t told = 0;
  server.handler.clock_hook = [&] {
    if (++told == 2) server.reactor->stop();
  };
  std::uint64_t const one = 1;
  server.handler.turn_end_hook = [&] { BOOST_REQUIRE(::write(notice, &one, sizeof one) == sizeof one); };
  BOOST_REQUIRE(::write(notice, &one, sizeof one) == sizeof one);
  BOOST_TEST(server.reactor->run().ok());
  BOOST_TEST(told == 2U);
  BOOST_TEST(server.handler.turns == 2U);
}

BOOST_AUTO_TEST_CASE(the_kernel_gives_a_watch_of_its_clock_that_says_nothing_by_itself) {
  Result<UniqueFd> const clock = watch_wall_clock();
  BOOST_REQUIRE_MESSAGE(clock.ok(), clock.status().text());
  pollfd now{clock->get(), POLLIN, 0};
  BOOST_TEST(::poll(&now, 1, 0) == 0);
}

BOOST_AUTO_TEST_CASE(a_kernel_without_such_a_watch_is_no_reason_not_to_start) {
  ReactorOptions options;
  std::string warned;
  options.warn = [&warned](std::string_view text) { warned = text; };
  options.watch_clock = []() -> Result<UniqueFd> { return Status{Code::io_error, "timerfd_settime"}; };
  Result<std::unique_ptr<Reactor>> made = Reactor::create(std::move(options));
  BOOST_REQUIRE(made.ok());
  BOOST_TEST(warned.find("timerfd_settime") != std::string::npos, warned);
}

BOOST_AUTO_TEST_CASE(dates_come_in_order_and_never_early) {
  Server server;
  std::vector<std::int64_t> late_us;
  std::int64_t date_us = 0;
  constexpr std::size_t kDates = 200;
  auto const next = [&] {
    date_us = monotonic_us() + static_cast<std::int64_t>(late_us.size() % 7) * 300;
    server.reactor->wake_at(date_us);
  };
  server.handler.timer_hook = [&] {
    late_us.push_back(monotonic_us() - date_us);
    if (late_us.size() == kDates) server.reactor->stop();
  };
  server.handler.turn_end_hook = next;
  next();
  BOOST_TEST(server.reactor->run().ok());
  BOOST_REQUIRE(late_us.size() == kDates);
  std::sort(late_us.begin(), late_us.end());
  BOOST_TEST(late_us.front() >= 0);
  BOOST_TEST_MESSAGE("timer late by " << late_us[kDates / 2] << " us at the median, " << late_us.back() << " at most");
}

BOOST_AUTO_TEST_CASE(the_last_date_asked_for_counts) {
  Server server;
  std::int64_t const start_us = monotonic_us();
  std::int64_t came_us = 0;
  server.handler.timer_hook = [&] {
    came_us = monotonic_us();
    server.reactor->stop();
  };
  server.handler.turn_end_hook = [&] {
    if (server.handler.turns == 1) server.reactor->wake_at(start_us + 30'000);  // later than the first one
    if (server.handler.turns == 2) server.reactor->stop();
  };
  server.reactor->wake_at(start_us + 10'000'000);
  server.reactor->wake_at(start_us + 1'000);
  server.reactor->turn_again();
  BOOST_TEST(server.reactor->run().ok());
  BOOST_TEST(server.handler.timers == 1U);
  BOOST_TEST(came_us >= start_us + 30'000);
  BOOST_TEST(server.handler.turns == 2U);
}

BOOST_AUTO_TEST_CASE(a_date_can_be_taken_back_and_a_past_one_comes_at_once) {
  Server server;
  int step = 0;
  server.handler.turn_end_hook = [&] {
    switch (++step) {
      case 1:
        server.reactor->wake_at(monotonic_us() + 1'000);
        server.reactor->wake_at(INT64_MAX);
        (void)::raise(SIGUSR1);  // without a date, only this ends the wait
        break;
      case 2:
        BOOST_TEST(server.handler.timers == 0U);
        server.reactor->wake_at(-5);
        break;
      default: server.reactor->stop();
    }
  };
  BOOST_TEST(server.reactor->on_signal(SIGUSR1, [] {}).ok());
  server.reactor->turn_again();
  BOOST_TEST(server.reactor->run().ok());
  BOOST_TEST(server.handler.timers == 1U);
  BOOST_TEST(step == 3);
}

BOOST_AUTO_TEST_CASE(a_date_comes_although_the_loop_is_busy) {
  Server server;
  std::int64_t const date_us = monotonic_us() + 5'000;
  server.handler.turn_end_hook = [&] { server.reactor->turn_again(); };
  server.handler.timer_hook = [&] { server.reactor->stop(); };
  server.reactor->wake_at(date_us);
  server.reactor->turn_again();
  BOOST_TEST(server.reactor->run().ok());
  BOOST_TEST(monotonic_us() >= date_us);
}

BOOST_AUTO_TEST_CASE(signals_run_their_action_in_the_loop) {
  Server server;
  std::vector<int> seen;
  BOOST_TEST(server.reactor->on_signal(SIGHUP, [&] { seen.push_back(SIGHUP); }).ok());
  BOOST_TEST(server.reactor->on_signal(SIGTERM, [&] { seen.push_back(SIGTERM); }).ok());
  server.handler.turn_end_hook = [&] {
    if (server.handler.turns == 1) (void)::kill(::getpid(), SIGHUP);
    if (server.handler.turns == 2) (void)::kill(::getpid(), SIGTERM);
    if (server.handler.turns == 3) server.reactor->stop();
  };
  server.reactor->turn_again();
  BOOST_TEST(server.reactor->run().ok());
  BOOST_TEST(seen == (std::vector<int>{SIGHUP, SIGTERM}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(intervals_run_their_action_in_the_loop_again_and_again) {
  Server server;
  int seen = 0;
  std::size_t turns_before = 0;
  std::int64_t const begun_us = monotonic_us();
  BOOST_TEST(server.reactor
                 ->on_interval(2000,
                               [&] {
                                 BOOST_TEST(server.handler.turns >= turns_before);
                                 turns_before = server.handler.turns + 1;
                                 if (++seen == 5) server.reactor->stop();
                               })
                 .ok());
  BOOST_TEST(server.reactor->run().ok());
  BOOST_TEST(seen == 5);
  // libevent counts from the last tick of a coarse clock.
  timespec tick{};
  BOOST_REQUIRE(::clock_getres(CLOCK_MONOTONIC_COARSE, &tick) == 0);
  BOOST_TEST(monotonic_us() - begun_us >= 5 * 2000 - tick.tv_nsec / 1000);
  // The turn of the last one ended as well.
  BOOST_TEST(server.handler.turns >= 5U);
}

BOOST_AUTO_TEST_CASE(stop_before_run_and_from_another_thread) {
  {
    Server server;
    server.reactor->stop();
    BOOST_TEST(server.reactor->run().ok());
    BOOST_TEST(server.handler.turns == 0U);
  }
  Server server;
  server.start();
  server.finish();
  BOOST_TEST(server.handler.turns == 0U);
}

BOOST_AUTO_TEST_CASE(the_end_of_the_reactor_closes_its_connections_silently) {
  TemporaryFolder const folder;
  auto server = std::make_unique<Server>();
  std::string const address = server->listen(folder / "a.sock");
  server->start();
  LineClient client{address};
  client.send("x\n");
  BOOST_TEST(client.read_line().value() == "x");
  server->finish();
  server->reactor.reset();
  BOOST_TEST(client.read_all().value() == "");
  BOOST_TEST(server->handler.closed.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::reactor
