// What a pipeline table must do, said as plainly as possible: maps, and searches over all of them. It knows one plan:
//
//   s (to all) > x (by name) > a (at least once)
//                            > b (at most once)
//   s          > c (at most once)
//
// and another source, t, with the same steps behind it, which keeps versions.
//
// Tokens are those of the table; who is next is not said: any document that fits will do.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fastjournal::pipeline::test {

// Stands in a reference for the hash of a document that its source does not have any more.
inline std::string const kGone{"gone"};

struct Reference {
  static constexpr std::int64_t kFirst = 1'000;
  static constexpr int kMaxAttempts = 3;
  static constexpr std::int64_t kTimeout = 60'000;
  static constexpr std::int64_t kCancel = 5'000;
  static constexpr std::int64_t kGrace = 10'000;
  static constexpr std::int64_t kProbeEvery = 30'000;
  static constexpr int kLostMax = 4;
  static constexpr std::array<char const*, 3> kNames{"a", "b", "c"};
  static constexpr int kOriginalCell = 3;

  struct Place {
    std::string state{"processing"};
    int attempts{0};
    std::string kind{};
    int of_kind{0};
    std::int64_t until{0};
    bool leased{false};
    bool in_doubt{false};
    std::string token{};
    std::uint64_t connection{0};
    std::int64_t ends{0};
    std::uint32_t start{0};

    [[nodiscard]] bool terminal() const {
      return state == "sent" || state == "dropped" || state == "dead" || state == "error_doc";
    }
    [[nodiscard]] bool failed() const { return state == "dead" || state == "error_doc"; }
    void let() {
      leased = in_doubt = false;
      token.clear();
    }
    void fresh(std::string const& to) {
      *this = {};
      state = to;
    }
  };
  struct Doc {
    std::string source{};
    std::string uri{};
    std::string hash{};
    int generation{0};
    std::string parent{};    // ids
    std::string original{};  // its own, if it is one
    int declared{-1};
    std::optional<char> chosen{};   // by x
    std::array<Place, 4> places{};  // the last one: of the original, for its children
    std::string before{};           // the id of the version before
    bool named{true};               // FOUND finds it: there is no newer version

    [[nodiscard]] bool is_child() const { return !parent.empty(); }
  };
  struct Target {
    std::string mode{"open"};
    std::int64_t probe_at{0};
    std::deque<std::pair<std::int64_t, std::string>> failing{};
  };

  std::map<std::string, Doc> docs;
  std::array<Target, 3> targets;
  bool drains{false};
  std::int64_t now{0};
  std::size_t failing{0};
  std::uint32_t start{1};

  // -- looking ------------------------------------------------------------
  [[nodiscard]] Doc const& at(std::string const& id) const { return docs.at(id); }
  [[nodiscard]] bool orphan(Doc const& doc) const {
    return doc.is_child() && docs.at(doc.original).generation != doc.generation;
  }
  [[nodiscard]] std::vector<std::string> below(std::string const& original) const {
    std::vector<std::string> out;
    for (auto const& [id, doc] : docs)
      if (doc.is_child() && doc.original == original && doc.generation == docs.at(original).generation)
        out.push_back(id);
    return out;
  }
  [[nodiscard]] std::vector<std::string> children(std::string const& parent) const {
    std::vector<std::string> out;
    for (auto const& [id, doc] : docs)
      if (doc.parent == parent && doc.generation == docs.at(parent).generation) out.push_back(id);
    return out;
  }
  [[nodiscard]] bool done(std::string const& id) const {
    Doc const& doc = docs.at(id);
    for (int at = 0; at < 3; ++at)
      if (!doc.places[at].terminal()) return false;
    std::vector<std::string> const its = children(id);
    if (its.empty()) return doc.declared <= 0;
    if (doc.declared < 0 || static_cast<int>(its.size()) < doc.declared) return false;
    return std::ranges::all_of(its, [&](std::string const& child) { return done(child); });
  }
  [[nodiscard]] bool has_failed(std::string const& id) const {
    auto const any = [](Doc const& doc) {
      return std::any_of(&doc.places[0], &doc.places[3], [](Place const& place) { return place.failed(); });
    };
    if (any(docs.at(id))) return true;
    return std::ranges::any_of(below(id), [&](std::string const& child) { return any(docs.at(child)); });
  }
  // Versions that have arrived everywhere, with what was made of them; what its source does not have, and has no children.
  [[nodiscard]] bool is_to_leave(std::string const& id) const {
    if (!docs.at(id).named) return true;
    bool const any = std::ranges::any_of(docs, [&](auto const& one) { return one.second.parent == id; });
    return docs.at(id).hash == kGone && !any;
  }
  void leave() {
    std::set<std::string> gone;
    for (auto const& [id, doc] : docs)
      if (!doc.is_child() && is_to_leave(id) && done(id) && !doc.places[kOriginalCell].leased && !has_failed(id))
        gone.insert(id);
    std::erase_if(docs, [&](auto const& one) { return gone.contains(one.second.original); });
  }
  [[nodiscard]] static bool missing(Place const& place) {
    return !place.terminal() && !place.leased && !place.in_doubt;
  }
  [[nodiscard]] bool may_go(std::string const& id, int at) const {
    Doc const& doc = docs.at(id);
    Place const& place = doc.places[at];
    if (doc.is_child() || !missing(place) || place.until > now) return false;
    if (auto const before = docs.find(doc.before); before != docs.end() && !before->second.places[at].terminal())
      return false;
    return targets[at].mode == "open" || (targets[at].mode == "probing" && targets[at].probe_at <= now);
  }
  // Its children need a run.
  [[nodiscard]] bool may_run(std::string const& id) const {
    Doc const& doc = docs.at(id);
    Place const& place = doc.places[kOriginalCell];
    if (doc.is_child() || place.leased || place.terminal() || place.until > now) return false;
    // It may not be known how many children something has.
    bool any = !children(id).empty() && doc.declared < 0;
    for (std::string const& child : below(id)) {
      any = any || (!children(child).empty() && docs.at(child).declared < 0);
      for (int at = 0; at < 3; ++at) {
        Place const& its = docs.at(child).places[at];
        if (its.leased) return false;
        any = any || (missing(its) && its.until <= now);
        if (missing(its) && its.until > now) return false;
      }
    }
    return any;
  }
  [[nodiscard]] std::string states(std::string const& id) const {
    std::string out;
    for (int at = 0; at < 3; ++at) {
      Place const& place = docs.at(id).places[at];
      out += std::string{at == 0 ? "" : " "} + kNames[at] + "=" + (place.in_doubt ? "in_doubt" : place.state);
    }
    return out;
  }

  // -- changing -----------------------------------------------------------
  void lease(Place& place, std::string const& token, std::uint64_t connection, std::int64_t span) {
    place.in_doubt = false;
    place.leased = true;
    place.token = token;
    place.connection = connection;
    place.ends = now + span;
    place.start = start;
  }
  void change(std::string const& id, std::string const& hash, int generation) {
    Doc& doc = docs.at(id);
    for (Place& place : doc.places) place.fresh("processing");
    doc.hash = hash;
    doc.generation = generation;
    doc.declared = -1;
    doc.chosen.reset();
  }
  void sent(std::string const& id, int at) {
    docs.at(id).places[at].fresh("sent");
    if (targets[at].mode == "probing") targets[at] = {};
  }
  void fail(std::string const& id, int at, std::string const& kind, bool permanent) {
    Place& place = docs.at(id).places[at];
    bool const counts = permanent || at == kOriginalCell || targets[at].mode == "open";
    place.of_kind = (place.kind == kind ? place.of_kind : 0) + (counts ? 1 : 0);
    place.attempts += counts ? 1 : 0;
    place.kind = kind;
    bool const dead = counts && (place.of_kind >= kMaxAttempts || place.attempts >= 4 * kMaxAttempts);
    place.state = permanent ? "error_doc" : dead ? "dead" : "error";
    place.let();
    place.until = 0;
    if (place.state != "error") return;
    place.until = now + (kFirst << (std::max(place.of_kind, 1) - 1));
    if (!counts || at == kOriginalCell || failing == 0) return;
    std::deque<std::pair<std::int64_t, std::string>>& last = targets[at].failing;
    while (!last.empty() && last.front().first + 60'000 <= now) last.pop_front();
    std::erase_if(last, [&](auto const& one) { return one.second == id || !docs.contains(one.second); });
    last.emplace_back(now, id);
    if (last.size() < failing) return;
    for (auto const& [date, other] : last) {
      auto const found = docs.find(other);
      if (found == docs.end()) continue;
      Place& theirs = found->second.places[at];
      if (theirs.state != "error") continue;
      if (theirs.attempts > 0) --theirs.attempts;
      if (theirs.of_kind > 0) --theirs.of_kind;
    }
    targets[at] = {"probing", now + kProbeEvery, {}};
  }
  void lose(Place& place) {
    place.of_kind = (place.kind == "lost" ? place.of_kind : 0) + 1;
    place.kind = "lost";
    place.until = 0;
    if (place.of_kind >= kLostMax)
      place.state = "dead";
    else if (place.state == "sending" || place.state == "batched")
      place.state = "processing";
    place.let();
  }
  // From all who have it; at -1 everywhere. How many leases, and how many of them are in doubt now.
  std::pair<int, int> take_back(std::string const& id, int only) {
    std::pair<int, int> out;
    for (int at = 0; at < 4; ++at) {
      Place& place = docs.at(id).places[at];
      if (!place.leased || (only >= 0 && at != only)) continue;
      ++out.first;
      bool const doubt = place.state == "sending" && at != 0;
      if (!doubt && (place.state == "sending" || place.state == "batched")) place.state = "processing";
      if (!doubt) place.let();
      place.leased = false;
      place.in_doubt = doubt;
      out.second += doubt ? 1 : 0;
    }
    return out;
  }
  // In the order in which they end; those that end together in any, so there should be none.
  void pass(std::int64_t to) {
    leave();
    for (;;) {
      std::string first;
      int which = 0;
      std::int64_t ends = to + 1;
      for (auto& [id, doc] : docs)
        for (int at = 0; at < 4; ++at)
          if (doc.places[at].leased && doc.places[at].ends < ends) {
            ends = doc.places[at].ends;
            first = id;
            which = at;
          }
      if (first.empty()) break;
      now = std::max(now, ends);
      Place& place = docs.at(first).places[which];
      if (place.state == "sending" && which != 0 && which != kOriginalCell) {
        place.leased = false;
        place.in_doubt = true;
      } else if (place.connection == 0) {
        lose(place);
      } else {
        fail(first, which, "timeout", false);
      }
    }
    now = to;
    leave();
  }
  void close(std::uint64_t connection) {
    for (auto& [id, doc] : docs)
      for (Place& place : doc.places)
        if (place.leased && place.connection == connection) {
          place.connection = 0;
          place.ends = std::min(place.ends, now + kGrace);
        }
  }
  // Time has passed, and it is started again.
  void restart(std::int64_t at) {
    now = at;
    ++start;
    for (auto& [id, doc] : docs)
      for (Place& place : doc.places)
        if (place.leased) {
          place.ends = place.connection == 0 ? std::max(place.ends, now + kGrace) : now + kGrace;
          place.connection = 0;
          place.start = start;
        }
    for (Target& target : targets) {
      target.failing.clear();
      if (target.mode == "probing") target.probe_at = 0;
    }
  }
};

}  // namespace fastjournal::pipeline::test
