// Random lives of rows that wait for each other and of groups of jobs, against their reference (tests/model). After each
// step all rows and groups must be where the reference has them: none is released early or stays blocked, and no group
// ends early or never. At every look the log is replayed, also from a base that moved, and a follower that gets the table
// page by page must come to the same.
#include <boost/test/unit_test.hpp>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/model/reference_waits.h"
#include "tests/support/play_lives.h"
#include "tests/unit/journal/harness.h"

namespace fastjournal::journal::test {
namespace {

using reference::ReferenceGroup;
using reference::ReferenceWaits;
using State = reference::WaitingRow::State;

class WaitsLife {
 public:
  explicit WaitsLife(std::uint64_t seed) : chance_{seed} {}

  fastjournal::test::LifeResult live(int steps) {
    for (int step = 0; step < steps && result_.wrong.empty(); ++step) {
      std::string const what = act();
      ++result_.counts[what];
      settle();
      compare();
      if (chance_() % 64 == 0) look();
      if (!result_.wrong.empty()) result_.wrong += " after " + what + ", step " + std::to_string(step);
    }
    return result_;
  }

 private:
  static constexpr std::int64_t kDay = 86'400'000;

  struct Lease {
    std::string row;
    std::string epoch;
  };

  std::uint64_t draw(std::uint64_t n) { return chance_() % n; }
  void fail(std::string const& what) {
    if (result_.wrong.empty()) result_.wrong = what;
  }
  static std::string group_name(std::uint64_t number) { return "g" + std::to_string(number); }

  std::uint64_t any_row(State state, bool is_so = true) {
    std::vector<std::uint64_t> found;
    for (auto const& [number, row] : reference_.rows)
      if ((row.state == state) == is_so) found.push_back(number);
    return found.empty() ? 0 : found[draw(found.size())];
  }

  std::string act() {
    switch (draw(reference_.rows.size() > 40 ? 16 : 24)) {
      case 0:
      case 1:
      case 2: return next();
      case 3:
      case 4:
      case 5: return finish("DONE");
      case 6: return finish("FAIL");
      case 7: return finish("RELEASE");
      case 8: return remove();
      case 9: return kick();
      case 10: return group();
      case 11: return draw(4) == 0 ? cancel() : next();
      case 12: return draw(4) == 0 ? restart() : next();
      case 13: return draw(4) == 0 ? pass_a_day() : finish("DONE");
      case 14:
      case 15: return finish("DONE");
      default: return insert();
    }
  }

  std::string insert() {
    Texts given;
    std::string const key =
        draw(3) == 0 ? std::string(1, static_cast<char>('a' + draw(6))) : "u" + std::to_string(++unique_);
    given["k"] = key;
    std::uint64_t target = 0;
    for (auto const& [number, other] : reference_.rows)
      if (other.key == key && other.state == State::waits) target = number;
    if (draw(2) == 0) given["when_failed"] = std::vector<std::string>{"wait", "fail", "go-on"}[draw(3)];
    if (draw(3) != 0 && !ids_.empty()) {
      for (std::uint64_t count = 1 + draw(3); count > 0; --count) {
        bool const near = !reference_.rows.empty() && draw(8) != 0;
        std::uint64_t const id = near ? any_row(State::parked, draw(6) == 0) : ids_[draw(ids_.size())];
        if (id != 0) given["after"] += (given["after"].empty() ? "" : " ") + std::to_string(id);
      }
    }
    if (draw(4) == 0 && !reference_.rows.empty()) {
      std::uint64_t const id = any_row(State::parked, draw(6) == 0);
      given["after_keys"] = id != 0 ? reference_.rows.at(id).key : "nobody";
    }
    if (draw(3) == 0) given["group"] = group_name(draw(5));
    if (draw(4) == 0) {
      given["after_group"] = group_name(draw(5));
      given["after_group_is"] = std::vector<std::string>{"ended", "done", "failed"}[draw(3)];
    }

    reference::Others others;
    std::string const code = reference_.look(given, key, target, others);
    Reply const reply = h_.run("INSERT", given);
    std::string const heard = reply.status.ok() ? "" : reply.error();
    if (heard != code) {
      std::string said;
      for (auto const& [name, value] : given) said += " " + name + "=" + value;
      fail("an INSERT was answered with \"" + heard + "\", expected \"" + code + "\":" + said);
    }
    if (!code.empty()) return others.after.empty() ? "refusals" : "refusals, also of circles";
    if (!result_.wrong.empty()) return "inserts";
    std::uint64_t const id = std::stoull(reply.get("row"));
    if (target == 0) {
      reference_.rows[id].key = key;
      ids_.push_back(id);
    } else if (target != id) {
      fail("an INSERT was not merged");
      return "merges";
    }
    reference_.take(id, others);
    return target != 0 ? "merges" : others.after.empty() ? "inserts" : "inserts that wait";
  }

  std::string next() {
    Reply const reply = h_.run("NEXT", {{"count", std::to_string(1 + draw(3))}});
    std::set<std::uint64_t> got;
    for (std::size_t i = 0; i < reply.messages.size() && reply.name(i) == "ROW"; ++i) {
      std::uint64_t const id = std::stoull(reply.get("row", i));
      auto const found = reference_.rows.find(id);
      if (found == reference_.rows.end() || found->second.state != State::waits || !found->second.after.empty()) {
        fail("row " + std::to_string(id) + " was handed out, which waits or is gone");
        return "leases";
      }
      found->second.state = State::leased;
      leases_[id] = {reply.get("row", i), reply.get("epoch", i)};
    }
    return "leases";
  }

  std::string finish(std::string const& how) {
    std::uint64_t const id = any_row(State::leased);
    if (id == 0) return next();
    Reply const reply = h_.run(how, {{"row", leases_[id].row}, {"epoch", leases_[id].epoch}});
    leases_.erase(id);
    if (!reply.status.ok()) fail(how + " was refused: " + reply.status.message());
    if (how == "DONE") {
      reference_.end(id, true);
    } else if (how == "FAIL") {
      reference_.park(id);
    } else {
      give_back(id);
    }
    return how;
  }

  // It waits again, or goes on as its twin.
  void give_back(std::uint64_t id) {
    std::string const key = reference_.rows.at(id).key;
    for (auto const& [number, other] : reference_.rows)
      if (number != id && other.key == key && other.state == State::waits) {
        reference_.fold(id, number);
        ++result_.counts["folds"];
        return;
      }
    reference_.free(id);
  }

  std::string remove() {
    std::uint64_t const id = any_row(static_cast<State>(draw(3)));
    if (id == 0) return insert();
    h_.run("DELETE", {{"row", std::to_string(id)}});
    reference_.end(id, false);
    return "deletes";
  }

  std::string kick() {
    std::uint64_t const id = any_row(draw(2) == 0 ? State::parked : static_cast<State>(draw(3)));
    if (id == 0) return insert();
    h_.run("KICK", {{"row", std::to_string(id)}});
    give_back(id);
    return "kicks";
  }

  std::string group() {
    std::string const name = group_name(draw(5));
    bool const opens = draw(2) == 0;
    Reply const reply = h_.run("GROUP", {{"group", name}, {"state", opens ? "open" : "closed"}});
    std::string const code = reference_.change_group(name, opens);
    if (code != (reply.status.ok() ? "" : reply.error())) fail("GROUP was taken, or refused: expected " + code);
    if (!code.empty()) return "refusals";
    return opens ? "opens" : "closes";
  }

  std::string cancel() {
    std::string const name = group_name(draw(5));
    bool const fails = draw(2) == 0;
    Texts given{{"group", name}, {"how", fails ? "fail" : "delete"}};
    for (;;) {
      // The timers do not run between the pages of a command, but here they do.
      given["count"] = std::to_string(1 + draw(4));
      Reply const reply = h_.run("CANCEL", given);
      if (!reply.status.ok()) {
        if (reference_.groups.contains(name)) fail("CANCEL was refused");
        return "refusals";
      }
      if (!reference_.groups.contains(name)) fail("CANCEL knew a group that is gone");
      reference_.groups.at(name).is_open = false;
      std::uint64_t const count = std::stoull(reply.get("count"));
      std::uint64_t const behind = given.contains("after") ? std::stoull(given["after"]) : 0;
      for (std::uint64_t const id : reference_.to_cancel(name, behind, count)) {
        leases_.erase(id);
        if (fails)
          reference_.park(id);
        else
          reference_.end(id, false);
      }
      settle();
      compare();
      if (reply.get("after") == "-" || !result_.wrong.empty()) return "cancels";
      given["after"] = reply.get("after");
    }
  }

  std::string restart() {
    h_.restart();
    return "restarts";
  }

  std::string pass_a_day() {
    h_.pass(kDay);
    return "days";
  }

  void settle() {
    h_.timers();
    reference_.settle(
        h_.now.value, [&](std::uint64_t row) { reference_.park(row); },
        [&](std::uint64_t row) { reference_.end(row, true); });
  }

  void compare() {
    Reply const rows = h_.run("LIST", {{"count", "1000"}});
    std::size_t seen = 0;
    for (std::size_t i = 0; i < rows.messages.size() && rows.name(i) == "ROW"; ++i, ++seen) {
      std::uint64_t const id = std::stoull(rows.get("row", i));
      auto const found = reference_.rows.find(id);
      std::string const status = rows.get("status", i);
      std::string const name = "row " + std::to_string(id) + " is " + status;
      if (found == reference_.rows.end()) return fail(name + " and should be gone");
      bool const blocked = found->second.state == State::waits && !found->second.after.empty();
      if (blocked != (status == "blocked")) {
        std::string waits;
        for (auto const& [other, kind] : found->second.after)
          waits += " " + std::to_string(other) + ":" + std::to_string(static_cast<int>(kind));
        return fail(name + ", expected that it waits for" + waits + " with the policy " +
                    std::to_string(static_cast<int>(found->second.policy)));
      }
      if (blocked && rows.get("waits_for", i) != std::to_string(found->second.after.size()))
        return fail(name + " by " + rows.get("waits_for", i) + ", expected " +
                    std::to_string(found->second.after.size()));
      if ((found->second.state == State::leased) != (status == "processing") ||
          (found->second.state == State::parked) != (status == "parked"))
        return fail(name);
      if (rows.get("group", i) != (found->second.group.empty() ? "-" : found->second.group))
        return fail(name + " of group " + rows.get("group", i) + ", expected " + found->second.group);
    }
    if (seen != reference_.rows.size()) return fail("rows are missing");
    Reply const groups = h_.run("GROUPS", {});
    seen = 0;
    for (std::size_t i = 0; i < groups.messages.size() && groups.name(i) == "GROUP"; ++i, ++seen) {
      std::string const name = groups.get("group", i);
      auto const found = reference_.groups.find(name);
      if (found == reference_.groups.end()) return fail("group " + name + " should be gone");
      ReferenceGroup const& group = found->second;
      std::string const state = group.has_ended ? "ended" : group.is_open ? "open" : "closed";
      if (groups.get("state", i) != state)
        return fail("group " + name + " is " + groups.get("state", i) + ", expected " + state);
      if (groups.get("done", i) != std::to_string(group.done) ||
          groups.get("failed", i) != std::to_string(group.failed))
        return fail("group " + name + " has other counts");
      if (groups.get("rows", i) != std::to_string(reference_.count(name, State::parked, false)) ||
          groups.get("parked", i) != std::to_string(reference_.count(name, State::parked, true)))
        return fail("group " + name + " has other rows");
    }
    if (seen != reference_.groups.size()) fail("groups are missing");
  }

  void look() {
    std::uint64_t const before = digest_of(*h_.table);
    if (digest_of(*h_.replayed(oldest())) != before) return fail("digest(live) differs from digest(replayed)");
    if (draw(2) == 0) {
      h_.log.skip(draw(4) << 18U);
      h_.compact(h_.log.end(), 1 + draw(20'000));
      if (digest_of(*h_.table) != before) return fail("compaction changed something");
      h_.log.drop_below(oldest());
      ++result_.counts["bases that moved"];
    }
    auto const replayed = h_.replayed(oldest());
    if (digest_of(*replayed) != before)
      return fail("digest(live) differs from digest(replayed from a base that moved)");
    if (replayed->live_bytes() > h_.table->live_bytes()) return fail("live_bytes are more after a replay");
    follow();
  }
  [[nodiscard]] Lsn oldest() const {
    Lsn const oldest = h_.table->oldest_lsn();
    return oldest.is_none() ? h_.log.end() : oldest;
  }

  // A follower that is given one page after the other, while the table goes on.
  void follow() {
    auto part = std::make_unique<Journal>(h_.context, h_.type, h_.declaration);
    NoObserver nobody;
    SnapshotCursor cursor;
    std::size_t at = h_.log.stored().size();
    for (int page = 0; !cursor.complete && page < 10'000; ++page) {
      fastjournal::test::MemoryLog records;
      h_.table->snapshot(cursor, 1 + draw(600), records);
      for (auto const& record : records.stored())
        if (!part->apply(record.view(), {.live = false, .now = {}, .base = rows::RowTable::kBaseOfPart}, nobody))
          return fail("a page was refused");
      for (std::uint64_t more = draw(3); more > 0; --more) {
        act();
        settle();
      }
      if (h_.log.stored().size() < at) return;  // the base moved: it would begin anew
      for (; at < h_.log.stored().size(); ++at)
        if (!part->apply_to_part(cursor, h_.log.stored()[at].view(), nobody)) return fail("a part refused a record");
    }
    if (digest_of(*part) != digest_of(*h_.table)) fail("digest(live) differs from digest(follower)");
    ++result_.counts["followers"];
  }

  std::mt19937_64 chance_;
  Harness h_{Texts{{"processing-timeout", "365d"}, {"keep-parked", "0"}, {"grace", "365d"}}};
  ReferenceWaits reference_;
  std::map<std::uint64_t, Lease> leases_;
  std::vector<std::uint64_t> ids_;
  std::uint64_t unique_{0};
  fastjournal::test::LifeResult result_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(journal_waits_life)

BOOST_AUTO_TEST_CASE(rows_wait_and_groups_end_as_the_reference_says) {
  fastjournal::test::play_lives(20261201, 10, [](std::uint64_t seed) { return WaitsLife{seed}.live(500); });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::journal::test
