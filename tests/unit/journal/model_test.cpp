// Random commands by seed against a plain model of the rules (a map of rows,
// written for reading, not for speed), and at every so many steps: the
// log replayed into a second table gives the same digest, also from behind a base
// that moved while rows were copied forward.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <random>
#include <set>
#include <tuple>

#include "tests/unit/journal/harness.h"

using namespace fastjournal;
using namespace fastjournal::journal::test;

namespace {

constexpr std::int64_t kTimeout = 5000;
constexpr std::int64_t kGrace = 1000;
constexpr std::int64_t kFirst = 300;
constexpr std::int64_t kBackOffMax = 4000;
constexpr int kMaxTimeouts = 2;
constexpr int kMaxLifetime = 6;
constexpr std::int64_t kMaxPostpone = 3000;
constexpr std::int64_t kKeepParked = 20'000;

enum class State : std::uint8_t { waiting, processing, parked };

struct ModelRow {
  std::string key;
  std::string domain;
  std::string value;
  State state{State::waiting};
  int priority{100};
  std::int64_t date{0};
  std::int64_t arrival{0};
  std::int64_t inserted{0};
  std::int64_t accepted{0};
  std::int64_t expires{0};
  std::int64_t parked_at{0};
  std::int64_t lease_end{0};
  std::uint64_t epoch{0};
  std::uint64_t connection{0};
  int timeouts{0};
  int lifetime{0};
  std::uint64_t merges{0};
};

// The rules of journal.md, over a map by row number.
class Model {
 public:
  std::map<std::uint64_t, ModelRow> rows;
  std::map<std::pair<std::string, std::uint64_t>, std::uint64_t> done;  // (client, sequence) -> row

  ModelRow* of_key(std::string const& key, State state) {
    for (auto& [id, row] : rows)
      if (row.key == key && row.state == state) return &row;
    return nullptr;
  }
  std::uint64_t id_of(ModelRow const* wanted) const {
    for (auto const& [id, row] : rows)
      if (&row == wanted) return id;
    return 0;
  }
  static std::int64_t later(std::int64_t a, std::int64_t b) { return a == 0 || b == 0 ? 0 : std::max(a, b); }

  // What the timers do up to and at `now`.
  void expire(std::int64_t now) {
    std::erase_if(rows, [&](auto const& entry) {
      ModelRow const& row = entry.second;
      if (row.state == State::parked && row.parked_at + kKeepParked <= now) return true;
      return row.state != State::processing && row.expires != 0 && row.expires <= now;
    });
  }
  std::int64_t next_date() const {
    std::int64_t next = INT64_MAX;
    for (auto const& [id, row] : rows) {
      if (row.state == State::processing) next = std::min(next, row.lease_end);
      if (row.state == State::parked) next = std::min(next, row.parked_at + kKeepParked);
      if (row.state != State::processing && row.expires != 0) next = std::min(next, row.expires);
    }
    return next;
  }
  void pass(std::int64_t& now, std::int64_t until) {
    for (std::int64_t next = next_date(); next <= until; next = next_date()) {
      now = std::max(now, next);
      expire(now);
      std::vector<std::uint64_t> ended;
      for (auto const& [id, row] : rows)
        if (row.state == State::processing && row.lease_end <= now) ended.push_back(id);
      for (std::uint64_t const id : ended) time_out(id, now);
    }
    now = until;
  }
  static std::int64_t back_off(int failures) {
    std::int64_t rest = kFirst;
    while (failures-- > 0) rest = std::min(rest * 2, kBackOffMax);
    return rest;
  }
  void time_out(std::uint64_t id, std::int64_t now) {
    ModelRow& row = rows[id];
    ++row.timeouts;
    ++row.lifetime;
    if (row.expires != 0 && row.expires <= now) {
      rows.erase(id);
    } else if (row.timeouts > kMaxTimeouts || row.lifetime > kMaxLifetime) {
      park(id, now);
    } else {
      give_back(id, now + back_off(row.timeouts - 1), now);
    }
  }
  void park(std::uint64_t id, std::int64_t now) {
    rows[id].state = State::parked;
    rows[id].parked_at = now;
  }
  // False: it was dropped, as it has expired.
  bool give_back(std::uint64_t id, std::int64_t date, std::int64_t now) {
    ModelRow& row = rows[id];
    if (row.expires != 0 && row.expires <= now) {
      rows.erase(id);
      return false;
    }
    ModelRow* const twin = row.state == State::waiting ? nullptr : of_key(row.key, State::waiting);
    if (twin == nullptr) {
      row.state = State::waiting;
      row.date = date;
      return true;
    }
    twin->priority = std::min(twin->priority, row.priority);
    twin->date = std::max(twin->date, date);
    twin->expires = later(twin->expires, row.expires);
    twin->timeouts = row.timeouts;
    twin->lifetime = std::max(twin->lifetime, row.lifetime);
    twin->merges += row.merges + 1;
    rows.erase(id);
    return true;
  }
  // Whether a row could be handed out, but for those before it.
  [[nodiscard]] bool is_free(ModelRow const& row, std::int64_t now) const {
    if (row.state != State::waiting || row.date > now) return false;
    std::uint64_t of_domain = 0;
    for (auto const& [id, other] : rows) {
      if (other.state != State::processing) continue;
      if (other.key == row.key) return false;
      of_domain += other.domain == row.domain ? 1U : 0U;
    }
    return domain_rows == 0 || of_domain < domain_rows;
  }
  // The rows that NEXT may take: of each domain the first, where it has the smallest priority of all; of one domain
  // the first. Whose turn it is, order_test.cpp tells.
  [[nodiscard]] std::set<std::uint64_t> firsts(std::int64_t now, std::optional<std::string> const& domain) const {
    using Place = std::tuple<int, std::int64_t, std::uint64_t>;
    std::map<std::string, Place> best;
    int priority = 256;
    for (auto const& [id, row] : rows) {
      if (!is_free(row, now) || (domain && row.domain != *domain)) continue;
      Place const place{row.priority, row.date, id};
      auto const [at, fresh] = best.try_emplace(row.domain, place);
      if (!fresh) at->second = std::min(at->second, place);
      priority = std::min(priority, row.priority);
    }
    std::set<std::uint64_t> out;
    for (auto const& [name, place] : best)
      if (std::get<0>(place) == priority) out.insert(std::get<2>(place));
    return out;
  }

  // What NOTHING says: the first process date to come of a row that waits for nothing else, or the first end of a lease.
  [[nodiscard]] std::int64_t next_work(std::int64_t now, std::optional<std::string> const& domain) const {
    std::int64_t date = INT64_MAX;
    for (auto const& [id, row] : rows) {
      if (domain && row.domain != *domain) continue;
      bool const behind = std::any_of(rows.begin(), rows.end(), [&](auto const& other) {
        return other.second.state == State::processing && other.second.key == row.key;
      });
      if (row.state == State::processing) date = std::min(date, row.lease_end);
      if (row.state == State::waiting && !behind && row.date > now) date = std::min(date, row.date);
    }
    return date;
  }

  std::uint64_t domain_rows{0};  // of one domain processed at once; 0: no limit
};

class Play {
 public:
  explicit Play(std::uint64_t seed)
      : chance_{seed}, has_domains_{seed % 2 == 0}, h_{options(has_domains_), columns(has_domains_)} {
    if (has_domains_) model_.domain_rows = 2;
  }

  void step() {
    if (stand_steps_ > 0 && --stand_steps_ == 0) {
      standing_ = "RESUME";
      BOOST_REQUIRE(h_.run(standing_, {}).error() == "");
    }
    switch (pick(16)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4: insert(); break;
      case 5:
      case 6:
      case 7: next(); break;
      case 8:
      case 9: finish("DONE"); break;
      case 10: finish(pick(2) == 0 ? "RELEASE" : "FAIL"); break;
      case 11: finish("TOUCH"); break;
      case 12: pick(4) == 0 ? stand() : kick_or_delete(); break;
      case 13: pass(); break;
      case 14: close(); break;
      default: copy_forward();
    }
  }

  // Everything that can be seen agrees.
  void compare() {
    BOOST_REQUIRE(h_.table->state().rows().size() == model_.rows.size());
    std::string after = "0";
    auto expected = model_.rows.begin();
    while (after != "-") {
      Reply const r = h_.run("LIST", {{"after", after}});
      for (std::size_t i = 0; i < r.messages.size() && r.name(i) == "ROW"; ++i, ++expected) {
        BOOST_REQUIRE((expected != model_.rows.end()));
        ModelRow const& row = expected->second;
        BOOST_REQUIRE(r.get("row", i) == std::to_string(expected->first));
        BOOST_REQUIRE(r.get("k", i) == row.key);
        BOOST_REQUIRE(r.get("v", i) == row.value);
        BOOST_REQUIRE(r.get("priority", i) == std::to_string(row.priority));
        BOOST_REQUIRE(r.get("process_date", i) == std::to_string(row.date));
        BOOST_REQUIRE(r.get("insertion_date", i) == std::to_string(row.inserted));
        BOOST_REQUIRE(r.get("timeouts", i) == std::to_string(row.timeouts));
        BOOST_REQUIRE(r.get("merges", i) == (row.merges == 0 ? "-" : std::to_string(row.merges)));
        BOOST_REQUIRE(r.get("expiration_date", i) == (row.expires == 0 ? "-" : std::to_string(row.expires)));
        BOOST_REQUIRE((r.get("status", i) == "processing") == (row.state == State::processing));
        BOOST_REQUIRE((r.get("status", i) == "parked") == (row.state == State::parked));
        if (row.state == State::processing) BOOST_REQUIRE(r.get("lease_end", i) == std::to_string(row.lease_end));
      }
      after = r.messages.empty() ? "-" : r.get("after", r.messages.size() - 1);
    }
    BOOST_REQUIRE((expected == model_.rows.end()));
  }

  void compare_replay() {
    Lsn const base = h_.table->oldest_lsn().is_none() ? h_.log.end() : h_.table->oldest_lsn();
    auto const replayed = h_.replayed(base);
    BOOST_REQUIRE(digest_of(*replayed) == digest_of(*h_.table));
    BOOST_REQUIRE(replayed->state().rows().size() == h_.table->state().rows().size());
    BOOST_REQUIRE(replayed->live_bytes() == h_.table->live_bytes());
    // What is derived follows, too.
    Alerts nobody;
    while (replayed->advance(h_.now, 1000, nobody)) {
    }
    h_.pass(0);
    now_ = h_.now.value;
    BOOST_REQUIRE(replayed->available({}) == h_.table->available({}));
    auto const& mine = h_.table->state();
    auto const& other = replayed->state();
    std::uint32_t const a = mine.order().first();
    std::uint32_t const b = other.order().first();
    BOOST_REQUIRE((a == journal::kNoRow) == (b == journal::kNoRow));
    if (a != journal::kNoRow && !has_domains_) BOOST_REQUIRE((mine.row(a).id() == other.row(b).id()));
    BOOST_REQUIRE(mine.behind() == other.behind());
    BOOST_REQUIRE((mine.first_future() == other.first_future()));
  }

  // The daemon is killed; connections are gone, and every lease gets the grace.
  void restart() {
    std::int64_t const down = static_cast<std::int64_t>(pick(3000));
    h_.table = h_.replayed(h_.table->oldest_lsn().is_none() ? h_.log.end() : h_.table->oldest_lsn());
    ++h_.start;
    h_.now = h_.now + DurationMs{down};
    Answer answer;
    for (;;) {
      h_.log.begin_step();
      Decision decision{.now = h_.now, .start = h_.start, .records = h_.log, .answer = answer};
      bool const more = h_.table->decide_recovered(decision);
      for (std::size_t i = h_.log.applied(); i < h_.log.stored().size(); ++i)
        BOOST_REQUIRE(h_.table->apply(h_.log.stored()[i].view(), Lsn{8}, h_.alerts));
      if (!more) break;
    }
    now_ = h_.now.value;
    for (auto& [id, row] : model_.rows) {
      if (row.state != State::processing) continue;
      row.lease_end = std::max(row.lease_end, now_ + kGrace);
      row.connection = 0;
    }
    h_.pass(0);
    model_.pass(now_, now_);
    model_.expire(now_);
  }

 private:
  static Columns columns(bool has_domains) { return has_domains ? Columns{column("d")} : Columns{}; }
  static Texts options(bool has_domains) {
    Texts out{{"processing-timeout", "5s"},
                 {"grace", "1s"},
                 {"back-off-first", "300"},
                 {"back-off-max", "4s"},
                 {"back-off-jitter", "0"},
                 {"max-timeouts", "2"},
                 {"max-lifetime-timeouts", "6"},
                 {"max-postpone", "3s"},
                 {"keep-parked", "20s"}};
    if (has_domains) {
      out["domain"] = "d";
      out["concurrency-domain"] = "2";
    }
    return out;
  }
  std::uint64_t pick(std::uint64_t below) { return chance_() % below; }
  std::string key() { return "key" + std::to_string(pick(12)); }
  ModelRow* any(State state, std::uint64_t& id) {
    std::vector<std::uint64_t> ids;
    for (auto const& [row_id, row] : model_.rows)
      if (row.state == state) ids.push_back(row_id);
    if (ids.empty()) return nullptr;
    id = ids[pick(ids.size())];
    return &model_.rows[id];
  }

  void insert() {
    Texts texts{{"k", key()},
                {"v", std::string(pick(3) == 0 ? pick(6000) : pick(20), static_cast<char>('a' + pick(26)))}};
    ModelRow wish;
    wish.key = texts["k"];
    wish.value = texts["v"];
    wish.priority = static_cast<int>(pick(4) * 80);
    texts["priority"] = std::to_string(wish.priority);
    wish.date = now_ + (pick(2) == 0 ? 0 : static_cast<std::int64_t>(pick(4000)));
    texts["process_date"] = std::to_string(wish.date);
    wish.inserted = wish.accepted = pick(4) == 0 ? now_ - static_cast<std::int64_t>(pick(2000)) : now_;
    texts["insertion_date"] = std::to_string(wish.inserted);
    if (pick(4) == 0) {
      wish.expires = now_ + 1 + static_cast<std::int64_t>(pick(8000));
      texts["expiration_date"] = std::to_string(wish.expires);
    }
    wish.arrival = now_;
    if (has_domains_ && pick(8) != 0) texts["d"] = wish.domain = "tenant" + std::to_string(pick(4));
    std::pair<std::string, std::uint64_t> sender;
    if (pick(3) == 0) {
      sender = {"client" + std::to_string(pick(3)), 1 + pick(60)};
      texts["client"] = sender.first;
      texts["sequence"] = std::to_string(sender.second);
    }
    Reply const r = h_.run("INSERT", texts);
    // Draining, it still answers what was done before.
    bool const done_before = !sender.first.empty() && model_.done.contains(sender);
    if (standing_ == "DRAIN" && !done_before) {
      BOOST_REQUIRE(r.error() == "paused");
      return;
    }
    BOOST_REQUIRE(r.error() == "");
    auto const id = std::stoull(r.get("row"));
    if (!sender.first.empty()) {
      if (auto const known = model_.done.find(sender); known != model_.done.end()) {
        BOOST_REQUIRE(r.get("result") == "duplicate");
        BOOST_REQUIRE(id == known->second);
        return;
      }
    }
    BOOST_REQUIRE(r.get("result") == expect_insert(wish, id));
    if (!sender.first.empty()) model_.done[sender] = id;
  }

  std::string expect_insert(ModelRow const& wish, std::uint64_t id) {
    ModelRow* const waiting = model_.of_key(wish.key, State::waiting);
    ModelRow* const processing = model_.of_key(wish.key, State::processing);
    ModelRow* const latest = waiting != nullptr ? waiting : processing;
    if (latest != nullptr && wish.accepted < latest->accepted) return "stale";
    if (waiting == nullptr) {
      BOOST_REQUIRE(!model_.rows.contains(id));
      model_.rows[id] = wish;
      return processing != nullptr ? "behind" : "inserted";
    }
    BOOST_REQUIRE(model_.id_of(waiting) == id);
    std::int64_t const latest_date = std::max(waiting->date, waiting->arrival + kMaxPostpone);
    waiting->date = std::min(std::max(waiting->date, wish.date), latest_date);
    waiting->priority = std::min(waiting->priority, wish.priority);
    waiting->expires = Model::later(waiting->expires, wish.expires);
    waiting->accepted = wish.accepted;
    waiting->value = wish.value;
    waiting->domain = wish.domain;
    waiting->timeouts = 0;
    ++waiting->merges;
    return processing != nullptr ? "behind" : "merged";
  }

  void next() {
    std::uint64_t const connection = 1 + pick(3);
    std::uint64_t const count = pick(4) == 0 ? 3 : 1;
    Texts texts{{"count", std::to_string(count)}};
    std::optional<std::string> domain;
    if (has_domains_ && pick(3) == 0) texts["domain"] = *(domain = "tenant" + std::to_string(pick(4)));
    Reply const r = h_.run("NEXT", texts, connection);
    if (standing_ == "PAUSE") {
      BOOST_REQUIRE(r.error() == "paused");
      return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      std::set<std::uint64_t> const expected = model_.firsts(now_, domain);
      if (expected.empty()) {
        BOOST_REQUIRE(r.messages.size() == std::max<std::size_t>(i, 1));
        if (i > 0) return;
        BOOST_REQUIRE(r.name() == "NOTHING");
        std::int64_t const date = model_.next_work(now_, domain);
        BOOST_REQUIRE(r.get("next_date") == (date == INT64_MAX ? "-" : std::to_string(date)));
        return;
      }
      auto const id = std::stoull(r.get("row", i));
      BOOST_REQUIRE(expected.contains(id));
      ModelRow& row = model_.rows[id];
      row.state = State::processing;
      row.lease_end = now_ + kTimeout;
      row.epoch = std::stoull(r.get("epoch", i));
      row.connection = connection;
    }
  }

  void finish(std::string const& command) {
    std::uint64_t id = 0;
    ModelRow* const row = any(State::processing, id);
    if (row == nullptr) return;
    Texts texts{{"row", std::to_string(id)}, {"epoch", std::to_string(row->epoch)}};
    if (pick(10) == 0) {
      texts["epoch"] = std::to_string(row->epoch + 1);
      BOOST_REQUIRE(h_.run(command, texts).error() == "stale_epoch");
      return;
    }
    bool const expired = row->expires != 0 && row->expires <= now_;
    std::int64_t const date = now_ + static_cast<std::int64_t>(pick(1500));
    if (command == "RELEASE") texts["process_date"] = std::to_string(date);
    std::uint64_t const connection = 1 + pick(3);
    Reply const r = h_.run(command, texts, connection);
    BOOST_REQUIRE(r.error() == (command == "TOUCH" && expired ? "expired" : ""));
    if (command == "DONE") {
      model_.rows.erase(id);
    } else if (command == "RELEASE") {
      model_.give_back(id, date, now_);
    } else if (command == "FAIL") {
      model_.park(id, now_);
    } else if (!expired) {
      row->lease_end = now_ + kTimeout;
      row->connection = connection;
    }
    settle();
  }

  void stand() {
    static constexpr std::array<char const*, 3> kWords{"PAUSE", "DRAIN", "RESUME"};
    // Open most of the time.
    standing_ = standing_ == "RESUME" ? kWords[pick(2)] : kWords[1 + pick(2)];
    BOOST_REQUIRE(h_.run(standing_, {}).error() == "");
    if (standing_ != "RESUME") stand_steps_ = 1 + pick(12);
  }

  void kick_or_delete() {
    std::uint64_t id = 0;
    ModelRow* const row = any(pick(2) == 0 ? State::parked : State::waiting, id);
    if (row == nullptr) return;
    if (pick(3) == 0) {
      BOOST_REQUIRE(h_.run("DELETE", {{"row", std::to_string(id)}}).error() == "");
      model_.rows.erase(id);
      return;
    }
    BOOST_REQUIRE(h_.run("KICK", {{"row", std::to_string(id)}}).error() == "");
    row->timeouts = 0;
    model_.give_back(id, row->state == State::parked ? now_ : std::min(row->date, now_), now_);
  }

  void pass() {
    std::int64_t const ms = static_cast<std::int64_t>(pick(pick(4) == 0 ? 6000 : 400));
    h_.pass(ms);
    model_.pass(now_, now_ + ms);
    BOOST_REQUIRE(now_ == h_.now.value);
  }

  // A failed row may have expired already: the timers of this millisecond take it.
  void settle() {
    h_.timers();
    model_.expire(now_);
  }

  void close() {
    std::uint64_t const connection = 1 + pick(3);
    h_.close(connection);
    for (auto& [id, row] : model_.rows) {
      if (row.state != State::processing || row.connection != connection) continue;
      row.lease_end = std::min(row.lease_end, now_ + kGrace);
      row.connection = 0;
    }
  }

  // The oldest part of the log is copied forward and dropped, as the engine does it.
  void copy_forward() {
    h_.log.skip(pick(4) << 18U);
    if (pick(3) != 0) return;
    std::uint64_t const back = pick(3) << 18U;
    Lsn const below{h_.log.end().value > back + 8 ? h_.log.end().value - back : 8};
    std::uint64_t const before = digest_of(*h_.table);
    h_.restate(below, 1 + pick(20'000));
    BOOST_REQUIRE(digest_of(*h_.table) == before);
    Lsn const oldest = h_.table->oldest_lsn();
    BOOST_REQUIRE((oldest.is_none() || Lsn{oldest.value + (1U << 18U)} > below));
    h_.log.drop_below(oldest.is_none() ? h_.log.end() : oldest);
  }

  std::mt19937_64 chance_;
  bool has_domains_;
  Harness h_;
  Model model_;
  std::int64_t now_{1'700'000'000'000};
  std::string standing_{"RESUME"};  // the word said last
  std::uint64_t stand_steps_{0};    // until it is open again
};

}  // namespace

BOOST_AUTO_TEST_SUITE(journal_model)

BOOST_AUTO_TEST_CASE(random_work_agrees_with_the_model_and_with_its_replay) {
  char const* const given = std::getenv("FJ_SEED");
  std::uint64_t const first = given == nullptr ? 20260103U : std::strtoull(given, nullptr, 10);
  for (std::uint64_t seed = first; seed < first + (given == nullptr ? 12U : 1U); ++seed) {
    BOOST_TEST_CONTEXT("FJ_SEED=" << seed) {
      Play play{seed};
      for (int step = 1; step <= 3000; ++step) {
        BOOST_TEST_CONTEXT("step " << step) {
          play.step();
          if (step % 7 == 0) play.compare();
          if (step % 50 == 0) play.compare_replay();
          if (step % 700 == 0) play.restart();
        }
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
