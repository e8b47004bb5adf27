// What a daemon sees of the simulated etcd when messages are late or lost, connections break, and processes stop.
#include <boost/test/unit_test.hpp>

#include <set>
#include <string>
#include <vector>

#include "tests/unit/sim_etcd/support.h"

namespace fastjournal::sim {
namespace {

using etcd::Outcome;

EtcdOptions plain(std::uint64_t seed = 1) {
  EtcdOptions options;
  options.seed = seed;
  options.faults.not_connected_told = 0;
  return options;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sim_etcd_session)

BOOST_AUTO_TEST_CASE(the_same_seed_gives_the_same_life_and_another_one_a_different_one) {
  auto const life = [](std::uint64_t seed) {
    EtcdOptions options = plain(seed);
    options.faults = EtcdFaults::all();
    Talk talk{options};
    std::string text;
    for (int i = 0; i < 100; ++i) {
      etcd::Answer const answer = talk.ask(etcd::Put{"a", std::to_string(i), 0});
      text += std::to_string(static_cast<int>(answer.outcome)) + "@" + std::to_string(talk.cluster.now_us()) + " ";
    }
    return text + talk.cluster.counts();
  };
  BOOST_TEST(life(3) == life(3));
  BOOST_TEST(life(3) != life(4));
}

BOOST_AUTO_TEST_CASE(time_passes_only_as_the_test_lets_it_and_stands_where_it_was_told_to) {
  Talk talk{plain()};
  talk.pass(60 * kSecondUs);
  std::int64_t const now_us = talk.cluster.now_us();
  BOOST_TEST(now_us == 61 * kSecondUs);
  // A cluster that is well and has nothing to do plans nothing.
  BOOST_TEST(talk.cluster.next_us() == kNeverUs);
  BOOST_TEST(!talk.cluster.step());
  etcd::RequestId const id = talk.send(etcd::Put{"a", "1", 0});
  BOOST_TEST(talk.session->take_answers().empty());
  BOOST_TEST(talk.cluster.next_us() >= now_us);
  BOOST_TEST(talk.cluster.step());
  BOOST_TEST((talk.wait(id).outcome == Outcome::done));
  BOOST_TEST(talk.cluster.now_us() - now_us < 100'000);
}

BOOST_AUTO_TEST_CASE(a_message_takes_as_long_as_the_bounds_say) {
  EtcdOptions options = plain();
  options.client = {10'000, 10'000};
  Talk talk{options};
  std::int64_t const before_us = talk.cluster.now_us();
  BOOST_TEST((talk.ask(etcd::Look{}).outcome == Outcome::done));
  BOOST_TEST(talk.cluster.now_us() - before_us == 20'000);
}

BOOST_AUTO_TEST_CASE(a_lost_request_is_unknown_after_its_time_out_and_not_done) {
  Talk talk{plain()};
  EtcdFaults faults;
  faults.request_lost = 1000;
  talk.cluster.set_faults(faults);
  std::int64_t const before_us = talk.cluster.now_us();
  etcd::RequestId const id = talk.send(etcd::Put{"a", "1", 0}, kSecondUs);
  BOOST_TEST((talk.wait(id).outcome == Outcome::unknown));
  BOOST_TEST(talk.cluster.now_us() - before_us == kSecondUs);
  talk.cluster.set_faults({});
  BOOST_TEST(talk.text(range_of("a")) == "");
  BOOST_TEST(talk.cluster.count(EtcdFault::request_lost) == 1U);
}

BOOST_AUTO_TEST_CASE(a_lost_answer_is_unknown_after_its_time_out_although_it_is_done) {
  Talk talk{plain()};
  EtcdFaults faults;
  faults.answer_lost = 1000;
  talk.cluster.set_faults(faults);
  etcd::RequestId const id = talk.send(etcd::Put{"a", "1", 0}, kSecondUs);
  BOOST_TEST((talk.wait(id).outcome == Outcome::unknown));
  talk.cluster.set_faults({});
  BOOST_TEST(talk.text(range_of("a")) == "a=1");
  BOOST_TEST(talk.cluster.count(EtcdFault::done_unseen) == 1U);
}

BOOST_AUTO_TEST_CASE(a_late_request_is_carried_out_after_it_was_unknown) {
  EtcdOptions options = plain();
  options.late = {5 * kSecondUs, 5 * kSecondUs};
  Talk talk{options};
  EtcdFaults faults;
  faults.request_late = 1000;
  talk.cluster.set_faults(faults);
  etcd::RequestId const id = talk.send(etcd::Put{"a", "1", 0}, kSecondUs);
  BOOST_TEST((talk.wait(id).outcome == Outcome::unknown));
  talk.cluster.set_faults({});
  BOOST_TEST(talk.text(range_of("a")) == "");
  talk.pass(5 * kSecondUs);
  BOOST_TEST(talk.text(range_of("a")) == "a=1");
  BOOST_TEST(talk.cluster.count(EtcdFault::done_later) == 1U);
}

BOOST_AUTO_TEST_CASE(a_refused_request_is_unavailable_and_not_done) {
  Talk talk{plain()};
  EtcdFaults faults;
  faults.request_refused = 1000;
  talk.cluster.set_faults(faults);
  BOOST_TEST((talk.ask(etcd::Put{"a", "1", 0}).outcome == Outcome::unavailable));
  talk.cluster.set_faults({});
  BOOST_TEST(talk.text(range_of("a")) == "");
}

BOOST_AUTO_TEST_CASE(a_reset_makes_everything_under_way_unknown_at_once_and_some_of_it_is_done) {
  std::set<std::int64_t> done;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Talk talk{plain(seed)};
    std::vector<etcd::RequestId> ids;
    ids.reserve(8);
    for (int i = 0; i < 8; ++i) ids.push_back(talk.send(etcd::Put{"k" + std::to_string(i), "1", 0}));
    talk.pass(100 * static_cast<std::int64_t>(seed));
    std::int64_t const before_us = talk.cluster.now_us();
    talk.session->reset();
    BOOST_TEST(!talk.session->is_connected());
    for (etcd::RequestId const id : ids) BOOST_TEST((talk.wait(id).outcome == Outcome::unknown));
    BOOST_TEST(talk.cluster.now_us() == before_us);
    talk.pass(5 * kSecondUs);
    done.insert(talk.read(range_of("k", kAll)).count);
  }
  BOOST_TEST(done.size() > 2U);
}

BOOST_AUTO_TEST_CASE(without_a_connection_a_request_is_unavailable_at_once_or_waits_for_one) {
  Talk talk{plain()};
  talk.session->reset();
  etcd::RequestId id = talk.send(etcd::Put{"a", "1", 0});
  BOOST_TEST((talk.wait(id).outcome == Outcome::done));
  // No connection in time.
  for (std::size_t i = 0; i < 3; ++i) talk.cluster.cut_off(*talk.session, i);
  talk.session->reset();
  id = talk.send(etcd::Put{"a", "2", 0}, kSecondUs);
  BOOST_TEST((talk.wait(id).outcome == Outcome::unavailable));
  EtcdFaults faults;
  faults.not_connected_told = 1000;
  talk.cluster.set_faults(faults);
  std::int64_t const before_us = talk.cluster.now_us();
  BOOST_TEST((talk.ask(etcd::Put{"a", "3", 0}).outcome == Outcome::unavailable));
  BOOST_TEST(talk.cluster.now_us() == before_us);
  talk.cluster.calm();
  talk.pass(5 * kSecondUs);
  BOOST_TEST(talk.text(range_of("a")) == "a=1");
}

BOOST_AUTO_TEST_CASE(every_request_is_answered_once_and_answers_come_in_any_order) {
  Talk talk{plain()};
  std::vector<etcd::RequestId> ids;
  ids.reserve(50);
  for (int i = 0; i < 50; ++i) ids.push_back(talk.send(etcd::Put{"k" + std::to_string(i), "1", 0}));
  talk.pass(kSecondUs);
  std::vector<etcd::RequestId> answered;
  for (etcd::Answer const& answer : talk.session->take_answers()) answered.push_back(answer.id);
  BOOST_TEST(answered != ids);
  std::ranges::sort(answered);
  BOOST_TEST(answered == ids);
  talk.pass(60 * kSecondUs);
  BOOST_TEST(talk.session->take_answers().empty());
}

BOOST_AUTO_TEST_CASE(what_was_sent_over_a_cut_link_arrives_when_it_is_back) {
  EtcdOptions options = plain();
  options.silence = {4 * kSecondUs, 4 * kSecondUs};
  Talk talk{options};
  std::size_t const node = *talk.session->node();
  talk.cluster.cut_off(*talk.session, node);
  etcd::RequestId const id = talk.send(etcd::Put{"a", "1", 0});
  talk.pass(3 * kSecondUs);
  BOOST_TEST(talk.session->take_answers().empty());
  BOOST_TEST(talk.cluster.store().view().revision == 1);
  talk.cluster.let_in(*talk.session, node);
  BOOST_TEST((talk.wait(id).outcome == Outcome::done));
  BOOST_TEST((talk.session->node() == node));
}

BOOST_AUTO_TEST_CASE(a_connection_over_a_cut_link_is_given_up_for_one_to_another_member) {
  Talk talk{plain()};
  std::size_t const node = *talk.session->node();
  talk.cluster.cut_off(*talk.session, node);
  etcd::RequestId const id = talk.send(etcd::Put{"a", "1", 0});
  BOOST_TEST((talk.wait(id).outcome == Outcome::unknown));
  talk.pass(2 * kSecondUs);
  BOOST_TEST((talk.session->node() != node));
  BOOST_TEST(talk.text(range_of("a")) == "");
  BOOST_TEST(talk.cluster.count(EtcdFault::silent_connection) == 1U);
}

BOOST_AUTO_TEST_CASE(a_member_that_died_behind_a_cut_link_does_not_know_the_connection_any_more) {
  EtcdOptions options = plain();
  options.silence = {60 * kSecondUs, 60 * kSecondUs};
  Talk talk{options};
  std::size_t const node = *talk.session->node();
  talk.cluster.cut_off(*talk.session, node);
  etcd::RequestId const id = talk.send(etcd::Put{"a", "1", 0}, 30 * kSecondUs);
  talk.pass(kSecondUs);
  talk.cluster.kill(node);
  talk.pass(kSecondUs);
  talk.cluster.start(node);
  talk.pass(kSecondUs);
  talk.cluster.let_in(*talk.session, node);
  BOOST_TEST((talk.wait(id).outcome == Outcome::unknown));
  talk.pass(5 * kSecondUs);
  BOOST_TEST(talk.text(range_of("a")) == "");
}

BOOST_AUTO_TEST_CASE(a_process_that_is_gone_may_still_have_its_requests_carried_out) {
  std::set<std::int64_t> done;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Talk talk{plain(seed)};
    auto gone = talk.cluster.connect();
    talk.pass(kSecondUs);
    for (int i = 0; i < 8; ++i) gone->send(etcd::Put{"k" + std::to_string(i), "1", 0}, kSecondUs);
    gone->watch({"k", kAll, 0});
    talk.pass(50 * static_cast<std::int64_t>(seed));
    gone.reset();
    talk.pass(5 * kSecondUs);
    done.insert(talk.read(range_of("k", kAll)).count);
  }
  BOOST_TEST(done.size() > 2U);
}

BOOST_AUTO_TEST_CASE(a_stopped_process_takes_what_came_when_it_goes_on) {
  EtcdOptions options = plain();
  options.silence = {60 * kSecondUs, 60 * kSecondUs};
  Talk talk{options};
  talk.session->watch({"a", {}, 0});
  talk.pass(kSecondUs);
  etcd::RequestId const id = talk.send(etcd::Put{"a", "1", 0});
  talk.session->stop();
  talk.pass(5 * kSecondUs);
  BOOST_TEST(talk.cluster.store().view().revision == 2);
  talk.session->resume();
  etcd::Answer const answer = talk.wait(id);
  BOOST_TEST((answer.outcome == Outcome::done));
  talk.pass(kSecondUs);
  BOOST_TEST(talk.news() == "+a=1@2|");
}

BOOST_AUTO_TEST_CASE(an_answer_that_came_while_the_process_was_stopped_competes_with_its_time_out) {
  std::set<int> outcomes;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EtcdOptions options = plain(seed);
    options.silence = {60 * kSecondUs, 60 * kSecondUs};
    Talk talk{options};
    etcd::RequestId const id = talk.send(etcd::Put{"a", "1", 0}, kSecondUs);
    talk.session->stop();
    talk.pass(5 * kSecondUs);
    talk.session->resume();
    std::vector<etcd::Answer> const answers = talk.session->take_answers();
    BOOST_REQUIRE(answers.size() == 1U);
    BOOST_TEST(answers.front().id == id);
    outcomes.insert(static_cast<int>(answers.front().outcome));
  }
  BOOST_TEST((outcomes == std::set<int>{static_cast<int>(Outcome::done), static_cast<int>(Outcome::unknown)}));
}

BOOST_AUTO_TEST_CASE(a_process_that_was_stopped_for_long_may_find_its_connection_gone) {
  bool was_gone = false;
  bool was_there = false;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Talk talk{plain(seed)};
    talk.session->stop();
    talk.pass(20 * kSecondUs);
    talk.session->resume();
    (talk.session->is_connected() ? was_there : was_gone) = true;
    BOOST_TEST(talk.put("a", "1") == 2);
  }
  BOOST_TEST(was_gone);
  BOOST_TEST(was_there);
}

BOOST_AUTO_TEST_CASE(a_watch_goes_on_over_a_new_connection_without_gaps_and_doubles) {
  Talk talk{plain()};
  talk.session->watch({"a", {}, 0});
  talk.pass(kSecondUs);
  std::string seen;
  std::string expected;
  auto const writer = talk.cluster.connect();
  talk.pass(kSecondUs);
  for (int i = 0; i < 50; ++i) {
    etcd::Answer const answer = talk.ask(*writer, etcd::Put{"a", std::to_string(i), 0});
    expected += "+a=" + std::to_string(i) + "@" + std::to_string(answer.header.revision);
    if (i % 3 == 0) talk.session->reset();
    talk.pass(i % 5 == 0 ? 400'000 : 1'000);
    seen += talk.news();
  }
  talk.pass(5 * kSecondUs);
  seen += talk.news();
  std::erase(seen, '|');
  BOOST_TEST(seen == expected);
  BOOST_TEST(talk.cluster.count(EtcdFault::watch_resumed) > 10U);
}

BOOST_AUTO_TEST_CASE(a_slow_watch_tells_several_revisions_at_once_each_whole) {
  EtcdOptions options = plain();
  options.watch_revisions_max = 3;
  Talk talk{options};
  talk.session->watch({"a", "b", 0});
  talk.pass(kSecondUs);
  EtcdFaults faults;
  faults.watch_slow = 1000;
  talk.cluster.set_faults(faults);
  std::vector<etcd::RequestId> ids;
  ids.reserve(10);
  for (int i = 0; i < 10; ++i)
    ids.push_back(
        talk.send(etcd::Transaction{{}, {etcd::Put{"a1", std::to_string(i), 0}, etcd::Put{"a2", "x", 0}}, {}}));
  talk.pass(2 * kSecondUs);
  std::size_t most = 0;
  std::int64_t last = 1;
  for (etcd::WatchNews const& news : talk.session->take_news()) {
    std::set<std::int64_t> revisions;
    for (etcd::WatchNews::Event const& event : news.events) revisions.insert(event.pair.mod_revision);
    BOOST_TEST(news.events.size() == 2 * revisions.size());
    BOOST_TEST(*revisions.begin() == last + 1);
    last = *revisions.rbegin();
    BOOST_TEST(news.revision == last);
    most = std::max(most, revisions.size());
  }
  BOOST_TEST(last == 11);
  BOOST_TEST(most == 3U);
}

BOOST_AUTO_TEST_CASE(a_watch_that_falls_behind_a_compaction_is_over) {
  Talk talk{plain()};
  auto const writer = talk.cluster.connect();
  auto const id = talk.session->watch({"a", {}, 0});
  talk.pass(kSecondUs);
  for (std::size_t i = 0; i < 3; ++i) talk.cluster.cut_off(*talk.session, i);
  talk.session->reset();
  for (int i = 0; i < 5; ++i) BOOST_TEST((talk.ask(*writer, etcd::Put{"a", "1", 0}).outcome == Outcome::done));
  BOOST_TEST((talk.ask(*writer, etcd::Compact{5}).outcome == Outcome::done));
  talk.pass(kSecondUs);
  talk.cluster.calm();
  talk.pass(5 * kSecondUs);
  std::vector<etcd::WatchNews> const news = talk.session->take_news();
  BOOST_REQUIRE(news.size() == 1U);
  BOOST_TEST((news.front().kind == etcd::WatchNews::Kind::compacted));
  BOOST_TEST(news.front().id == id);
  BOOST_TEST(news.front().revision == 5);
  BOOST_TEST((talk.ask(*writer, etcd::Put{"a", "2", 0}).outcome == Outcome::done));
  talk.pass(kSecondUs);
  BOOST_TEST(talk.news() == "");
}

BOOST_AUTO_TEST_CASE(a_watch_is_told_that_nothing_happened) {
  EtcdOptions options = plain();
  options.faults.watch_progress = 1000;
  Talk talk{options};
  talk.session->watch({"a", {}, 0});
  talk.pass(kSecondUs);
  talk.put("b", "1");
  talk.put("a", "1");
  talk.put("b", "2");
  talk.pass(kSecondUs);
  BOOST_TEST(talk.news() == "progress@2|+a=1@3|progress@4|");
}

BOOST_AUTO_TEST_CASE(without_rights_everything_is_refused) {
  Talk talk{plain()};
  talk.session->forbid(true);
  talk.check_refused(etcd::Put{"a", "1", 0}, etcd::Refusal::not_allowed);
  talk.check_refused(range_of("a"), etcd::Refusal::not_allowed);
  talk.session->watch({"a", {}, 0});
  talk.pass(kSecondUs);
  BOOST_TEST(talk.news() == "refused|");
  talk.session->forbid(false);
  BOOST_TEST(talk.put("a", "1") == 2);
}

BOOST_AUTO_TEST_CASE(a_chooser_leads_through_every_life_of_a_small_conversation) {
  // Two sessions create the same key, answers may be lost: in each life exactly one of them is the creator.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> path;  // chosen, of how many
  std::size_t lives = 0;
  std::set<std::string> outcomes;
  for (;; ++lives) {
    BOOST_REQUIRE(lives < 10'000U);
    std::size_t at = 0;
    EtcdOptions options;
    options.chooser = [&](std::uint64_t below) {
      if (at == path.size()) path.emplace_back(0, below);
      BOOST_REQUIRE(path[at].second == below);
      return path[at++].first;
    };
    options.client = options.reconnect = {1'000, 1'000};
    options.nodes = {.nodes = 1, .peer = {100, 100}, .disk = {100, 100}, .lag = {0, 0}};
    options.faults = {.answer_lost = 500, .reset = 500};
    EtcdCluster cluster{options};
    auto const one = cluster.connect();
    auto const two = cluster.connect();
    cluster.advance(10'000);
    auto const create = [](char const* value) {
      return etcd::Transaction{{mod_is("a", 0)}, {etcd::Put{"a", value, 0}}, {}};
    };
    one->send(create("one"), 100'000);
    two->send(create("two"), 100'000);
    cluster.advance(200'000);
    std::string text;
    for (auto const& [session, name] : {std::pair{one.get(), "one"}, std::pair{two.get(), "two"}}) {
      std::vector<etcd::Answer> const answers = session->take_answers();
      BOOST_REQUIRE(answers.size() == 1U);
      bool const is_done = answers.front().outcome == Outcome::done;
      text += is_done && std::get<etcd::TransactionAnswer>(answers.front().body).succeeded ? name
              : is_done                                                                    ? "late"
                                                                                           : "?";
      text += " ";
    }
    std::int64_t const revision = cluster.store().view().revision;
    BOOST_TEST(text != "one two ");
    if (text.find("one") != std::string::npos || text.find("two") != std::string::npos) BOOST_TEST(revision == 2);
    BOOST_TEST(revision <= 2);
    outcomes.insert(text + std::to_string(revision));
    while (!path.empty() && path.back().first + 1 == path.back().second) path.pop_back();
    if (path.empty()) break;
    ++path.back().first;
  }
  BOOST_TEST_MESSAGE(lives + 1 << " lives, " << outcomes.size() << " outcomes");
  BOOST_TEST(lives > 20U);
  for (char const* const outcome : {"one late 2", "one ? 2", "? two 2", "? ? 2", "? ? 1", "? late 2"})
    BOOST_TEST(outcomes.contains(outcome), outcome);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim
