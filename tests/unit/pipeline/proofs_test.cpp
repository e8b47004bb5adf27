// The promises of pipeline tables by numbers: so many documents, failures and kills, and what receivers have counted in
// the end. A kill takes the worker and the daemon: the table is built again from its log, of which a power cut takes
// what was not synced.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <memory>
#include <set>

#include "tests/unit/pipeline/site.h"

namespace fastjournal::pipeline::test {

namespace {

// Of 44 documents: comedies, tragedies, others.
constexpr std::size_t kComedies = 17;
constexpr std::size_t kTragedies = 10;

std::string category_of(std::size_t number) {
  return number < kComedies ? "comedies" : number < kComedies + kTragedies ? "tragedies" : "others";
}
std::string category_of(Reply const& document) { return category_of(std::stoull(document.get("uri").substr(1))); }

// A step fails for one document of so many, whichever comes.
struct Fails {
  std::size_t every;
  std::size_t first;
  std::size_t count{0};
  bool operator()() { return ++count % every == first; }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(pipeline_proofs)

// ---------------------------------------------------------------------------
// Kills

BOOST_AUTO_TEST_CASE(documents_arrive_over_kills_at_the_5th_10th_and_19th_delivery) {
  for (bool const at_least_once : {true, false})
    for (bool const came : {true, false}) {
      Site table{one_output(at_least_once)};
      std::size_t begun = 0;
      std::set<std::size_t> const kills{5, 10, 19};
      // The worker takes all files at once, and dies with one on its way: before it came, or before that was recorded.
      auto const is_killed = [&] {
        std::deque<Reply> held = table.scan();
        for (;;) {
          if (held.empty()) held.push_back(table.next());
          Reply const document = held.front();
          held.pop_front();
          if (document.name() == "NOTHING") return false;
          BOOST_TEST_REQUIRE(table.sending(document, "out").name() == "RUN");
          bool const dies = kills.contains(++begun);
          if (!dies || came) table.receivers.take("out", document.get("uri"));
          if (dies) return true;
          BOOST_TEST_REQUIRE(table.sent(document, "out").get("status") == "sent");
        }
      };
      std::size_t killed = 0;
      while (is_killed()) {
        ++killed;
        table.restart();
        table.pass(kLeasesOver);
        table.resolve();
      }
      BOOST_TEST(killed == 3U);
      BOOST_TEST(table.receivers.documents("out") == kDocuments);
      BOOST_TEST(table.receivers.deliveries("out") == kDocuments + (at_least_once && came ? 3 : 0));
      BOOST_TEST(table.were_sent == (!at_least_once && came ? 3U : 0U));
      BOOST_TEST(table.were_not == (!at_least_once && !came ? 3U : 0U));
      BOOST_TEST(table.number("out", "sent") == kDocuments);
      BOOST_TEST(table.count("open") == 0U);
      BOOST_TEST(table.replays());
      BOOST_TEST_MESSAGE((at_least_once ? "at least once" : "at most once")
                         << ", killed " << (came ? "after" : "before")
                         << " deliveries 5, 10, 19: " << table.receivers.documents("out") << " documents in "
                         << table.receivers.deliveries("out") << " deliveries; in doubt " << table.were_sent
                         << " that came, " << table.were_not << " that did not");
    }
}

namespace {

// What a worker said; sent is what it does when it has the answer.
struct Said {
  std::size_t records;  // of the log, this command's among them
  bool waits_for_disk;
  std::string destination{};  // of RUN
  std::string uri{};
};

// A table whose log has the first of another one's records.
std::unique_ptr<Site> cut_after(Site const& whole, std::size_t records) {
  auto out = std::make_unique<Site>(two_outputs());
  out->log.cut(std::min(out->log.stored().size(), records));
  for (std::size_t at = out->log.stored().size(); at < records; ++at) {
    auto const& from = whole.log.stored()[at];
    Records::Place const place = out->log.append(from.type, from.version, from.object, from.size);
    std::copy_n(from.body.get(), from.size, place.body.data());
  }
  out->now = whole.now;
  out->restart();
  return out;
}

}  // namespace

// All moments of the life of a worker who waits for each answer: what it has received is synced where the answer says
// so; the power may take all that is not, record by record, and what the worker does with its last answer happens or not.
BOOST_AUTO_TEST_CASE(documents_arrive_whatever_the_log_has_when_the_power_is_cut) {
  Site whole{two_outputs()};
  std::vector<Said> life;
  std::deque<Reply> held;
  auto const say = [&](Reply const& reply, std::string const& destination = {}, std::string const& uri = {}) {
    BOOST_TEST_REQUIRE(reply.status.ok());
    life.push_back({whole.log.stored().size(), reply.durability == Durability::synced, destination, uri});
  };
  for (std::size_t at = 0; at < kDocuments; ++at) say(held.emplace_back(whole.found(uri_of(at))));
  for (Reply const& document : held)
    for (std::string const destination : {"a", "b"}) {
      say(whole.sending(document, destination), destination, document.get("uri"));
      say(whole.sent(document, destination));
    }
  std::size_t const records = whole.log.stored().size();
  std::set<std::size_t> positions;
  std::size_t cuts = 0;
  std::size_t again = 0;
  std::size_t were_sent = 0;
  std::size_t were_not = 0;
  Receivers before;  // when so many answers have come, and their deliveries with them
  std::size_t durable = 0;
  for (std::size_t answered = 0; answered <= life.size(); ++answered) {
    Said const* const last = answered == 0 ? nullptr : &life[answered - 1];
    if (last != nullptr && last->waits_for_disk) durable = last->records;
    bool const sends = last != nullptr && !last->destination.empty();
    for (bool const came : {false, true}) {
      if (came && !sends) continue;
      if (came) before.take(last->destination, last->uri);
      // The next command is said when that is done.
      bool const says_next = answered < life.size() && came == sends;
      std::size_t const most = says_next ? life[answered].records : last->records;
      for (std::size_t kept = durable; kept <= most; ++kept) {
        ++cuts;
        positions.insert(kept);
        std::unique_ptr<Site> table = cut_after(whole, kept);
        table->receivers = before;
        for (Reply const& document : table->scan()) table->bring(document);
        for (int round = 0; round < 3 && table->count("open") > 0; ++round) {
          table->pass(kLeasesOver);
          table->resolve();
          table->bring_all();
        }
        std::string const where = std::to_string(answered) + " answers, " + std::to_string(kept) + " records, came " +
                                  std::to_string(came) + ": ";
        BOOST_TEST_REQUIRE(table->number("a", "sent") == kDocuments, where << table->number("a", "sent"));
        BOOST_TEST_REQUIRE(table->number("b", "sent") == kDocuments, where << table->number("b", "sent"));
        BOOST_TEST_REQUIRE(table->receivers.documents("a") == kDocuments, where << "a");
        BOOST_TEST_REQUIRE(table->receivers.documents("b") == kDocuments, where << "b");
        BOOST_TEST_REQUIRE(table->receivers.deliveries("b") == kDocuments, where << "b came twice");
        BOOST_TEST_REQUIRE(table->were_sent + table->were_not <= 1U, where << "more is in doubt than was on its way");
        again += table->receivers.deliveries("a") - kDocuments;
        were_sent += table->were_sent;
        were_not += table->were_not;
      }
    }
  }
  BOOST_TEST_MESSAGE(cuts << " power cuts at all " << positions.size() << " positions of a log of " << records
                          << " records; in each " << kDocuments << " of " << kDocuments
                          << " at both. At least once: " << again << " came twice. At most once: none; in doubt "
                          << were_sent << " that came, " << were_not << " that did not");
  BOOST_TEST(positions.size() == records + 1);
  // At least once: it came, and neither that nor, in the other half, that it was begun is on the disk.
  BOOST_TEST(again == 2 * kDocuments);
  // At most once: it was begun, and no answer came; or it came and was sent, or was not.
  BOOST_TEST(were_sent == kDocuments);
  BOOST_TEST(were_not == 2 * kDocuments);
}

// ---------------------------------------------------------------------------
// Failures

// Every other document fails each time: 22, 11 and 6 of them.
BOOST_AUTO_TEST_CASE(failures_of_22_11_and_6_documents_leave_38_sent_and_6_dead) {
  for (bool const at_least_once : {true, false})
    for (bool const is_killed : {false, true}) {
      Site table{one_output(at_least_once), {{"failing", "0"}}};
      Fails fails{2, 1};
      std::vector<std::size_t> failed;
      std::vector<std::size_t> sent;
      std::deque<Reply> held = table.scan();
      for (std::int64_t const rest : {1'000, 2'000, 4'000}) {
        failed.push_back(0);
        sent.push_back(0);
        for (Reply const& document : held) {
          BOOST_TEST(table.sending(document, "out").get("attempt") == std::to_string(failed.size()));
          bool const is_wrong = fails();
          ++(is_wrong ? failed : sent).back();
          BOOST_TEST((is_wrong ? table.failed(document, "out") : table.sent(document, "out")).status.ok());
        }
        held.clear();
        if (is_killed) table.restart();
        table.pass(rest - 1);
        BOOST_TEST(table.next().name() == "NOTHING");
        if (is_killed) {
          table.log.skip(kOldestLsnGrain - table.log.end().value % kOldestLsnGrain);
          table.compact(table.log.end());
          table.restart();
        }
        table.pass(1);
        for (Reply next = table.next(); next.name() == "DOCUMENT"; next = table.next()) held.push_back(next);
      }
      BOOST_TEST(held.empty());
      BOOST_TEST(failed == (std::vector<std::size_t>{22, 11, 6}), boost::test_tools::per_element());
      BOOST_TEST(sent == (std::vector<std::size_t>{22, 11, 5}), boost::test_tools::per_element());
      BOOST_TEST(table.number("out", "sent") == 38U);
      BOOST_TEST(table.number("out", "dead") == 6U);
      BOOST_TEST(table.count("open") == 0U);
      BOOST_TEST(table.count("failed") == 6U);
      table.pass(3'600'000);
      BOOST_TEST(table.next().name() == "NOTHING");
      BOOST_TEST(digest_of(*table.replayed(table.table->oldest_lsn())) == digest_of(*table.table));
      BOOST_TEST_MESSAGE("22 + 11 + 6 failures: " << table.number("out", "sent") << " sent, "
                                                  << table.number("out", "dead") << " dead"
                                                  << (is_killed ? ", killed and compacted in between" : ""));
    }
}

namespace {

// Two sources, and a router by the name of the category.
std::string categories() {
  return PlanText{}
      .source("files")
      .source("rows")
      .safe("category", "0,1", kByName)
      .potent("comedies", "2")
      .potent("tragedies", "2")
      .potent("others", "2")
      .text;
}

// The worker routes it and brings it there; `fails` says for which a destination fails.
template <typename Wrong>
void route(Site& table, Reply const& document, Wrong&& fails) {
  std::string const category = category_of(document);
  table.of("ROUTED", document, {{"router", "category"}, {"chosen", category}});
  if (table.sending(document, category).name() != "RUN") return;
  if (fails(category)) {
    table.failed(document, category, "down");
    return;
  }
  table.receivers.take(category, document.get("source") + document.get("uri"));
  table.sent(document, category);
}

}  // namespace

BOOST_AUTO_TEST_CASE(two_sources_and_three_destinations_get_34_20_and_34) {
  Site table{categories()};
  auto const good = [](std::string const&) { return false; };
  auto const scan = [&] {
    std::deque<Reply> out = table.scan("files");
    for (Reply& document : table.scan("rows")) out.push_back(std::move(document));
    return out;
  };
  // The first 30 of 88 arrive, and one more is routed, before the kill.
  std::deque<Reply> held = scan();
  BOOST_TEST(held.size() == 2 * kDocuments);
  for (std::size_t at = 0; at < 30; ++at) route(table, held[at], good);
  table.of("ROUTED", held[30], {{"router", "category"}, {"chosen", category_of(held[30])}});
  BOOST_TEST(table.receivers.deliveries() == 30U);
  table.restart();
  table.pass(kLeasesOver);
  std::deque<Reply> const rest = scan();
  BOOST_TEST(rest.size() == 58U);
  BOOST_TEST(rest[0].get("destinations") == category_of(rest[0]));
  for (Reply const& document : rest) route(table, document, good);
  std::map<std::string, std::size_t> const expected{{"comedies", 34}, {"tragedies", 20}, {"others", 34}};
  for (auto const& [destination, count] : expected) {
    BOOST_TEST(table.receivers.documents(destination) == count, destination);
    BOOST_TEST(table.receivers.deliveries(destination) == count, destination);
    BOOST_TEST(table.number(destination, "sent") == count, destination);
    BOOST_TEST(table.number(destination, "dropped") == 2 * kDocuments - count, destination);
  }
  // Nothing new: nothing is written.
  std::size_t const records = table.log.stored().size();
  BOOST_TEST(scan().empty());
  BOOST_TEST(table.log.stored().size() == records);
  BOOST_TEST(table.count("done") == 2 * kDocuments);
  BOOST_TEST(table.replays());
  BOOST_TEST_MESSAGE("two sources of 44: " << table.receivers.deliveries("comedies") << " / "
                                           << table.receivers.deliveries("tragedies") << " / "
                                           << table.receivers.deliveries("others"));
}

// Every fifth comedy fails: 7 of 34, one of these 7 again, and then none.
BOOST_AUTO_TEST_CASE(failures_at_one_destination_touch_no_other) {
  Site table{categories(), {{"failing", "0"}}};
  Fails fails{5, 4};
  std::map<std::string, std::size_t> failures;
  auto const some_comedies = [&](std::string const& category) {
    bool const is_wrong = category == "comedies" && fails();
    failures[category] += is_wrong ? 1 : 0;
    return is_wrong;
  };
  std::vector<std::size_t> runs;
  for (std::string const source : {"files", "rows"})
    for (Reply const& document : table.scan(source)) route(table, document, some_comedies);
  for (int round = 0; round < 2; ++round) {
    table.pass(10'000);
    runs.push_back(0);
    for (Reply document = table.next(); document.name() == "DOCUMENT"; document = table.next()) {
      ++runs.back();
      BOOST_TEST(document.get("destinations") == "comedies");
      route(table, document, some_comedies);
    }
  }
  BOOST_TEST(runs == (std::vector<std::size_t>{7, 1}), boost::test_tools::per_element());
  BOOST_TEST(failures["comedies"] == 8U);
  for (auto const& [destination, count] :
       std::map<std::string, std::size_t>{{"comedies", 34}, {"tragedies", 20}, {"others", 34}}) {
    BOOST_TEST(table.number(destination, "sent") == count, destination);
    BOOST_TEST(table.receivers.deliveries(destination) == count, destination);
    BOOST_TEST(table.number(destination, "dead") == 0U, destination);
  }
  BOOST_TEST(table.count("open") == 0U);
  BOOST_TEST_MESSAGE("comedies: " << failures["comedies"]
                                  << " failures, 34 sent; tragedies, others: 0 failures, 20, 34");
}

BOOST_AUTO_TEST_CASE(a_copy_that_fails_until_it_is_dead_leaves_the_others_once_each) {
  Site table{PlanText{}.source("s", kAll).potent("a", "0").idempotent("b", "0").potent("c", "0").text,
             {{"failing", "0"}}};
  std::size_t failures = 0;
  std::deque<Reply> held = table.scan();
  for (int attempt = 1; attempt <= 3; ++attempt) {
    for (Reply const& document : held) {
      BOOST_TEST(document.get("destinations") == (attempt == 1 ? "a b c" : "b"));
      for (std::string const& destination : words_of(document.get("destinations"))) {
        if (destination != "b") {
          table.bring(document, destination);
        } else {
          table.failed(document, "b", "down");
          ++failures;
        }
      }
    }
    held.clear();
    table.pass(10'000);
    for (Reply next = table.next(); next.name() == "DOCUMENT"; next = table.next()) held.push_back(next);
  }
  BOOST_TEST(held.empty());
  BOOST_TEST(failures == 3 * kDocuments);
  BOOST_TEST(table.number("b", "dead") == kDocuments);
  for (std::string const destination : {"a", "c"}) {
    BOOST_TEST(table.number(destination, "sent") == kDocuments);
    BOOST_TEST(table.receivers.deliveries(destination) == kDocuments);
  }
  BOOST_TEST_MESSAGE("of three copies one fails: 44 sent, 44 dead after " << failures << " failures, 44 sent");
}

// ---------------------------------------------------------------------------
// Ways

// Copies go left and right, and each of them to the step of its category.
BOOST_AUTO_TEST_CASE(a_diamond_has_two_deliveries_of_each_document_and_tells_them_apart) {
  Site table{PlanText{}
                 .source("s", kAll)
                 .safe("left", "0")
                 .safe("right", "0")
                 .safe("category", "1,2", kByName)
                 .potent("comedies", "3")
                 .potent("tragedies", "3")
                 .potent("others", "3")
                 .text,
             {{"failing", "0"}}};
  Fails fails{5, 4};
  std::size_t failures = 0;
  std::deque<Reply> held = table.scan();
  BOOST_TEST(held[0].get("destinations") ==
             "comedies<-via->left comedies<-via->right tragedies<-via->left "
             "tragedies<-via->right others<-via->left others<-via->right");
  auto const bring = [&](Reply const& document) {
    std::string const category = category_of(document);
    table.of("ROUTED", document, {{"router", "category"}, {"chosen", category}});
    for (std::string const& destination : words_of(document.get("destinations"))) {
      if (!destination.starts_with(category)) continue;
      bool const is_wrong = category == "comedies" && fails();
      failures += is_wrong ? 1 : 0;
      if (is_wrong)
        table.failed(document, destination, "down");
      else
        BOOST_TEST(table.bring(document, destination), destination);
    }
  };
  // The kill comes between the two ways of the 20th.
  for (std::size_t at = 0; at < 19; ++at) bring(held[at]);
  table.of("ROUTED", held[19], {{"router", "category"}, {"chosen", "tragedies"}});
  BOOST_TEST(table.bring(held[19], "tragedies<-via->left"));
  table.restart();
  table.pass(kLeasesOver);
  std::size_t handed_out = 0;
  for (int round = 0; round < 3; ++round) {
    for (Reply document = table.next(); document.name() == "DOCUMENT"; document = table.next()) {
      ++handed_out;
      if (document.get("uri") == uri_of(19)) BOOST_TEST(document.get("destinations") == "tragedies<-via->right");
      if (category_of(document) == "comedies") BOOST_TEST(words_of(document.get("destinations")).size() == 1U);
      bring(document);
    }
    table.pass(10'000);
  }
  // 25 of the kill, 7 comedies, one of them again.
  BOOST_TEST(handed_out == 25U + 7U + 1U);
  BOOST_TEST(failures == 8U);
  for (std::string const way : {"left", "right"})
    for (auto const& [category, count] :
         std::map<std::string, std::size_t>{{"comedies", 17}, {"tragedies", 10}, {"others", 17}}) {
      std::string const destination = std::string{category} + "<-via->" + way;
      BOOST_TEST(table.receivers.documents(destination) == count, destination);
      BOOST_TEST(table.receivers.deliveries(destination) == count, destination);
      BOOST_TEST(table.number(destination, "sent") == count, destination);
      BOOST_TEST(table.number(destination, "dropped") == kDocuments - count, destination);
    }
  BOOST_TEST(table.receivers.deliveries() == 2 * kDocuments);
  BOOST_TEST(table.count("done") == kDocuments);
  BOOST_TEST(table.replays());
  BOOST_TEST_MESSAGE("a diamond: " << table.receivers.deliveries() << " deliveries of 44 documents, 2 x 17 / 10 / 17; "
                                   << failures << " failures");
}

BOOST_AUTO_TEST_CASE(copies_of_copies_have_four_deliveries_of_each_document) {
  Site table{PlanText{}
                 .source("s", kAll)
                 .safe("left", "0", kAll)
                 .safe("right", "0", kAll)
                 .safe("up", "1,2")
                 .safe("down", "1,2")
                 .potent("out", "3,4")
                 .text};
  std::vector<std::string> const ways{"out<-via->left/up", "out<-via->left/down", "out<-via->right/up",
                                      "out<-via->right/down"};
  std::deque<Reply> const held = table.scan();
  BOOST_TEST(words_of(held[0].get("destinations")) == ways, boost::test_tools::per_element());
  // So many of the deliveries of each document arrive before the kill: none to four, by turns.
  std::size_t missing = 0;
  for (std::size_t at = 0; at < kDocuments; ++at)
    for (std::size_t way = 0; way < ways.size(); ++way)
      if (way < at % 5)
        table.bring(held[at], ways[way]);
      else
        ++missing;
  table.restart();
  table.pass(kLeasesOver);
  std::size_t handed_out = 0;
  for (Reply document = table.next(); document.name() == "DOCUMENT"; document = table.next()) {
    handed_out += words_of(document.get("destinations")).size();
    table.bring(document);
  }
  BOOST_TEST(handed_out == missing);
  for (std::string const& way : ways) {
    BOOST_TEST(table.receivers.documents(way) == kDocuments, way);
    BOOST_TEST(table.receivers.deliveries(way) == kDocuments, way);
    BOOST_TEST(table.number(way, "sent") == kDocuments, way);
  }
  BOOST_TEST(table.receivers.deliveries() == 4 * kDocuments);
  BOOST_TEST(table.count("done") == kDocuments);
  BOOST_TEST(table.replays());
  BOOST_TEST_MESSAGE("copies of copies: " << table.receivers.deliveries() << " deliveries of 44 documents, " << missing
                                          << " of them after the kill");
}

BOOST_AUTO_TEST_CASE(documents_go_round_robin_one_way_each) {
  std::vector<std::string> const ways{"a", "b", "c"};
  Site table{PlanText{}.source("s", kRoundRobin).potent("a", "0").potent("b", "0").potent("c", "0").text};
  std::size_t turn = 0;
  std::deque<Reply> const held = table.scan();
  auto const route = [&](Reply const& document) {
    std::string const way = ways[turn++ % ways.size()];
    table.of("ROUTED", document, {{"router", "s"}, {"chosen", way}});
    return way;
  };
  // 20 arrive, two more are routed, and the worker is gone.
  for (std::size_t at = 0; at < 20; ++at) table.bring(held[at], route(held[at]));
  for (std::size_t at = 20; at < 22; ++at) route(held[at]);
  table.restart();
  table.pass(kLeasesOver);
  // Another worker begins with the first way.
  turn = 0;
  std::size_t routed = 0;
  std::size_t free = 0;
  for (Reply document = table.next(); document.name() == "DOCUMENT"; document = table.next()) {
    std::vector<std::string> const open = words_of(document.get("destinations"));
    BOOST_TEST((open.size() == 1 || open.size() == 3));
    ++(open.size() == 1 ? routed : free);
    table.bring(document, open.size() == 1 ? open[0] : route(document));
  }
  BOOST_TEST(routed == 2U);
  BOOST_TEST(free == 22U);
  // 7 + 7 + 6, c and a that were routed, and 8 + 7 + 7.
  std::map<std::string, std::size_t> const expected{{"a", 7 + 1 + 8}, {"b", 7 + 7}, {"c", 6 + 1 + 7}};
  for (auto const& [way, count] : expected) {
    BOOST_TEST(table.receivers.deliveries(way) == count, way);
    BOOST_TEST(table.number(way, "sent") == count, way);
    BOOST_TEST(table.number(way, "dropped") == kDocuments - count, way);
  }
  for (std::size_t at = 0; at < kDocuments; ++at) {
    std::size_t times = 0;
    for (std::string const& way : ways) times += table.receivers.times(way, uri_of(at));
    BOOST_TEST(times == 1U, uri_of(at));
  }
  BOOST_TEST(table.count("done") == kDocuments);
  BOOST_TEST(table.replays());
  BOOST_TEST_MESSAGE("round robin: " << table.receivers.deliveries("a") << " / " << table.receivers.deliveries("b")
                                     << " / " << table.receivers.deliveries("c") << " of 44, one way each");
}

// 88 copies by turns: each of the two copies of a document goes a way of its own.
BOOST_AUTO_TEST_CASE(copies_go_round_robin_one_way_each) {
  std::vector<std::string> const ways{"a", "b", "c"};
  Site table{PlanText{}
                 .source("s", kAll)
                 .safe("left", "0")
                 .safe("right", "0")
                 .safe("turns", "1,2", kRoundRobin)
                 .potent("a", "3")
                 .potent("b", "3")
                 .potent("c", "3")
                 .text};
  std::size_t turn = 0;
  for (Reply const& document : table.scan())
    for (std::string const copy : {"<-via->left", "<-via->right"}) {
      std::string const way = ways[turn++ % ways.size()];
      for (std::string const& other : ways)
        if (other != way) table.of("DROPPED", document, {{"destination", other + copy}});
      BOOST_TEST(table.bring(document, way + copy));
    }
  std::vector<std::size_t> came;
  for (std::string const& way : ways)
    came.push_back(table.receivers.deliveries(way + "<-via->left") + table.receivers.deliveries(way + "<-via->right"));
  BOOST_TEST(came == (std::vector<std::size_t>{30, 29, 29}), boost::test_tools::per_element());
  BOOST_TEST(table.count("done") == kDocuments);
  BOOST_TEST_MESSAGE("88 copies round robin: " << came[0] << " / " << came[1] << " / " << came[2]);
}

// A worker that begins its turns anew after a crash, and a router that takes another way for the second copy.
BOOST_AUTO_TEST_CASE(another_way_that_leads_nowhere_is_refused) {
  Site table{PlanText{}.source("s", kRoundRobin).potent("a", "0").potent("b", "0").potent("c", "0").text};
  auto const route = [&](Reply const& document, std::string const& way) {
    return table.of("ROUTED", document, {{"router", "s"}, {"chosen", way}});
  };
  for (std::size_t at = 0; at < kDocuments; ++at) route(table.found(uri_of(at)), at % 2 == 0 ? "a" : "b");
  table.restart();
  table.pass(kLeasesOver);
  std::size_t refused = 0;
  for (Reply document = table.next(); document.name() == "DOCUMENT"; document = table.next()) {
    std::string const before = document.get("destinations");
    BOOST_TEST(route(document, before).status.ok());
    for (std::string const other : {"a", "b", "c"})
      if (other != before && route(document, other).error() == "wrong_state") ++refused;
    BOOST_TEST(table.bring(document, before));
  }
  BOOST_TEST(refused == 2 * kDocuments);
  BOOST_TEST(table.number("a", "sent") + table.number("b", "sent") == kDocuments);
  // Whoever wishes it is asked nothing: all ways are open again.
  Reply const one = table.run("DOCUMENTS", {{"count", "1"}});
  table.run("FORCE", {{"document", one.get("document")}});
  Reply const forced = table.next();
  BOOST_TEST(forced.get("destinations") == "a b c");
  BOOST_TEST(route(forced, "c").get("dropped_at") == "a b");
  BOOST_TEST(table.bring(forced, "c"));
  BOOST_TEST(table.replays());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::pipeline::test
