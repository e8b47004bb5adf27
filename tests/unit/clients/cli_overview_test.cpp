// watch, timeline, domains, waiters and the rounds of WATCH, against a scripted daemon; and the file of figures that the
// page shares.
#include <set>

#include "clients/programs/fastjournal/figures.h"
#include "clients/programs/fastjournal/overview.h"
#include "clients/programs/fastjournal/rounds.h"
#include "tests/unit/clients/run_line.h"

using namespace fastjournal;
using namespace fastjournal::cli;
using namespace fastjournal::test;

namespace {

Message message(std::string_view command, std::initializer_list<Param> params) {
  Message out{command};
  for (Param const& param : params) out.set(param.name, param.value);
  return out;
}

bool is_whole(Rounds& rounds, Message push) {
  Result<bool> const taken = rounds.take(std::move(push));
  BOOST_REQUIRE(taken.ok());
  return taken.value();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cli_overview)

BOOST_AUTO_TEST_CASE(a_round_keeps_what_it_leaves_out) {
  Rounds rounds;
  for (std::string_view const table : {"a", "b", "c"})
    BOOST_TEST(!is_whole(rounds, message("STATS", {text("table", table), number("done", 10)})));
  BOOST_TEST(is_whole(rounds, message("FIGURES", {number("now", 1000), number("unchanged", 0), number("alerts", 2)})));
  BOOST_TEST(rounds.alerts() == 2);
  BOOST_TEST(!is_whole(rounds, message("STATS", {text("table", "b"), number("done", 30)})));
  BOOST_TEST(is_whole(rounds, message("FIGURES", {number("now", 3000), number("unchanged", 2)})));
  std::vector<Message> const& tables = rounds.now().tables;
  BOOST_REQUIRE(tables.size() == 3U);
  BOOST_TEST(tables[0].text("table") == "a");
  BOOST_TEST(tables[0].find("done_per_s")->as_real().value() == 0);
  BOOST_TEST(tables[1].text("table") == "b");
  BOOST_TEST(tables[1].find("done_per_s")->as_real().value() == 10);
  BOOST_TEST(tables[2].text("table") == "c");
}

BOOST_AUTO_TEST_CASE(a_whole_round_forgets_what_it_does_not_name) {
  Rounds rounds;
  for (std::string_view const table : {"a", "b"})
    BOOST_TEST(!is_whole(rounds, message("STATS", {text("table", table)})));
  BOOST_TEST(is_whole(rounds, message("FIGURES", {number("now", 1000), number("unchanged", 0)})));
  BOOST_TEST(!is_whole(rounds, message("STATS", {text("table", "b")})));
  BOOST_TEST(is_whole(rounds, message("FIGURES", {number("now", 2000), number("unchanged", 0)})));
  BOOST_REQUIRE(rounds.now().tables.size() == 1U);
  BOOST_TEST(rounds.now().tables[0].text("table") == "b");
}

BOOST_AUTO_TEST_CASE(rounds_end_with_the_table_or_with_a_refusal) {
  Rounds rounds;
  BOOST_TEST((rounds.take(message("UNWATCHED", {text("table", "a")})).status().code() == Code::unknown_table));
  Status const refused =
      rounds.take(message("ERROR", {text("code", "over_limit"), text("message", "too many")})).status();
  BOOST_TEST((refused.code() == Code::over_limit));
  BOOST_TEST(refused.message() == "too many");
}

BOOST_AUTO_TEST_CASE(watch_prints_a_table_a_round_or_all_messages) {
  auto const script = [](Peer& peer) {
    Message const asked = peer.expect("WATCH");
    want(asked.integer("every") == 10'000, "every");
    want(asked.text("table") == "pages", "table");
    peer.answer(asked, "WATCHING", {number("every", 10'000)});
    peer.push("STATS", {text("table", "pages"), number("rows", 7), number("rows_due", 3)});
    peer.push("FIGURES", {number("now", 1'795'265'537'236), number("tables", 1), number("unchanged", 0)});
    peer.wait_for_end();
  };
  Said const said = talk(script, {"watch", "pages", "--interval", "10s", "--count", "1"});
  BOOST_TEST((said.code == ExitCode::ok));
  BOOST_TEST(says(said.out, "2026-11-21T"), said.out);
  BOOST_TEST(says(said.out, "\nopen   pages "), said.out);
  Said const json = talk(script, {"watch", "pages", "--interval", "10s", "--count", "1", "--json"});
  BOOST_TEST(json.out ==
             "{\"command\":\"STATS\",\"table\":\"pages\",\"rows\":7,\"rows_due\":3}\n"
             "{\"command\":\"FIGURES\",\"now\":1795265537236,\"tables\":1,\"unchanged\":0}\n");
}

// The connection is lost; the library subscribes again by itself.
BOOST_AUTO_TEST_CASE(watch_goes_on_after_a_lost_connection) {
  auto const script = [](Peer& peer) {
    peer.answer(peer.expect("WATCH"), "WATCHING");
    peer.push("FIGURES", {number("now", 1000), number("tables", 0), number("unchanged", 0)});
    peer.accept();
    Message const again = peer.expect("WATCH");
    want(again.integer("every") == 500, "every");
    peer.answer(again, "WATCHING");
    peer.push("FIGURES", {number("now", 2000), number("tables", 0), number("unchanged", 0)});
    peer.wait_for_end();
  };
  Said const said = talk(script, {"watch", "--interval", "500ms", "--count", "2", "--json"});
  BOOST_TEST((said.code == ExitCode::ok), said.err);
  BOOST_TEST(says(said.out, "\"now\":2000"), said.out);
}

BOOST_AUTO_TEST_CASE(timeline_adds_up_the_pages_of_the_daemon) {
  auto const script = [](Peer& peer) {
    Message const first = peer.expect("TIMELINE");
    want(first.text("domain") == "a", "domain");
    want(!first.has("now"), "no begin");
    auto const due = [&](Message const& asked, std::int64_t from, std::int64_t to, std::int64_t rows,
                         std::int64_t left) {
      std::vector<Param> params{number("from", from), number("to", to), number("rows", rows), number("now", 10'000),
                                number("left", left)};
      if (left == 0 && &asked == &first) params.push_back(number("after", 262'144));
      peer.answer(asked, "DUE", std::move(params));
    };
    due(first, 0, 10'000, 5, 1);
    due(first, 10'000, 11'000, 2, 0);
    Message const second = peer.expect("TIMELINE");
    want(second.integer("now") == 10'000, "the same begin");
    want(second.text("after") == "262144", "the next page");
    due(second, 10'000, 11'000, 3, 1);
    due(second, 86'410'000, 0, 1, 0);
  };
  Said const said = talk(script, {"timeline", "pages", "--domain", "a", "--json"});
  BOOST_TEST(said.out ==
             "{\"table\":\"pages\",\"from\":0,\"to\":10000,\"rows\":5,\"now\":10000}\n"
             "{\"table\":\"pages\",\"from\":10000,\"to\":11000,\"rows\":5,\"now\":10000}\n"
             "{\"table\":\"pages\",\"from\":86410000,\"to\":0,\"rows\":1,\"now\":10000}\n");
  Said const bars = talk(script, {"timeline", "pages", "--domain", "a"});
  BOOST_TEST(says(bars.out, "due now                        5  ####"), bars.out);
  BOOST_TEST(says(bars.out, "\nafter "), bars.out);
  Said const none = talk([](Peer& peer) { peer.answer(peer.expect("TIMELINE"), "NOTHING", {number("now", 1)}); },
                         {"timeline", "pages"});
  BOOST_TEST(none.out.empty());
  BOOST_TEST(says(none.err, "no row of table pages is due"));
}

BOOST_AUTO_TEST_CASE(bars_fit_and_none_is_empty) {
  Timeline const timeline{{{0, 1000}, 1'000'000}, {{1000, 2000}, 1}};
  std::string const out = render_timeline(timeline, 1000, 60);
  std::size_t const end = out.find('\n');
  BOOST_TEST(end <= 60U);
  BOOST_TEST(out.ends_with("1  #\n"), out);
}

BOOST_AUTO_TEST_CASE(domains_come_with_the_most_to_do_first) {
  auto const script = [](Peer& peer) {
    Message const first = peer.expect("DOMAINS");
    want(first.integer("count") == 1000, "count");
    peer.answer(first, "DOMAIN", {text("domain", "a"), number("due", 1), number("left", 1)});
    peer.answer(first, "DOMAIN", {text("domain", "b"), number("due", 5), number("after", 2), number("left", 0)});
    Message const second = peer.expect("DOMAINS");
    want(second.text("after") == "2", "the next page");
    peer.answer(second, "DOMAIN", {text("domain", "c"), number("due", 3), number("left", 0)});
  };
  Said const said = talk(script, {"domains", "pages"});
  std::string const& out = said.out;
  BOOST_TEST(out.find("b ") < out.find("c "), out);
  BOOST_TEST(out.find("\nc ") < out.find("\na "), out);
  BOOST_TEST(says(talk(script, {"domains", "pages", "--json"}).out, "{\"domain\":\"a\",\"due\":1}\n"));
  Said const none =
      talk([](Peer& peer) { peer.answer(peer.expect("DOMAINS"), "NOTHING", {text("reason", "it has no domains")}); },
           {"domains", "pages"});
  BOOST_TEST(says(none.err, "table pages: it has no domains"));
}

BOOST_AUTO_TEST_CASE(waiters_are_shown_with_dates) {
  auto const script = [](Peer& peer) {
    Message const asked = peer.expect("WAITERS");
    want(asked.integer("count") == 5, "count");
    peer.answer(asked, "WAITER",
                {number("connection", 3), text("mode", "wake"), number("since", 1'795'265'537'236), number("left", 0)});
  };
  BOOST_TEST(says(talk(script, {"waiters", "pages", "--count", "5"}).out, "2026-11-21T"));
  BOOST_TEST(talk(script, {"waiters", "pages", "--count", "5", "--json"}).out ==
             "{\"connection\":3,\"mode\":\"wake\",\"since\":1795265537236}\n");
  Said const none = talk([](Peer& peer) { peer.answer(peer.expect("WAITERS"), "NOTHING"); }, {"waiters", "pages"});
  BOOST_TEST(says(none.err, "nobody listens or waits at table pages"));
}

// What the page embeds, too.
BOOST_AUTO_TEST_CASE(the_file_of_figures_is_whole) {
  std::set<std::string> rates;
  for (Rate const& rate : figures().rates) rates.insert(rate.name);
  for (auto const* const kind :
       {&figures().table, &figures().pairs, &figures().blobs, &figures().queues, &figures().documents}) {
    std::set<std::size_t> worth;
    for (Figure const& figure : *kind) {
      BOOST_TEST(worth.insert(figure.worth).second, figure.name);
      BOOST_TEST(!figure.help.empty(), figure.name);
      BOOST_TEST(figure.head.size() <= figure.width, figure.name);
      for (std::string const& part : figure.sum) BOOST_TEST(rates.contains(part), part);
      if (figure.show == Figure::Show::rate && figure.sum.empty()) BOOST_TEST(rates.contains(figure.name), figure.name);
      // What people take for now is not of all the time since the start.
      BOOST_TEST(!figure.name.ends_with("_p99"), figure.name);
    }
    BOOST_TEST(*worth.rbegin() + 1 == worth.size());
  }
}

BOOST_AUTO_TEST_SUITE_END()
