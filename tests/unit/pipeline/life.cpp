#include "tests/unit/pipeline/life.h"

#include <optional>
#include <random>
#include <sstream>
#include <tuple>
#include <utility>

#include "tests/unit/pipeline/compare.h"
#include "tests/unit/pipeline/harness.h"
#include "tests/unit/pipeline/reference.h"

namespace fastjournal::pipeline::test {
namespace {

using fastjournal::test::Counts;
using fastjournal::test::expect;
using fastjournal::test::expect_right;

std::string plan_of_the_reference() {
  PlanText plan;
  plan.retry = "3 1000 2 600000 0 60000 5000 0";
  plan.telling("s", kAll).telling("t", kAll, true).safe("x", "0,1", kByName);
  return plan.idempotent("a", "2").potent("b", "2").potent("c", "0,1").text;
}

class Life {
 public:
  Life(std::uint64_t seed, Counts& counts)
      : random_(seed),
        failing_(draw(2) == 0 ? 0 : 3),
        table_(plan_of_the_reference(), {{"failing", std::to_string(failing_)},
                                         {"grace", "10000"},
                                         {"losses-max", std::to_string(Reference::kLostMax)},
                                         {"ended-in-memory", std::to_string(draw(3) == 0 ? 100'000 : draw(4))}}),
        counts_(counts) {
    reference_.now = table_.now.value;
    reference_.failing = failing_;
  }

  void step(std::uint64_t number) {
    said_.clear();
    std::string wrong = turn();
    if (wrong.empty() && number % 8 == 0) wrong = compare(table_, reference_);
    expect(wrong.empty(), said_ + ": " + wrong);
  }
  void end() {
    expect(table_.replays(), "a replay has another digest");
    expect_right(drain());
    counts_["pages of ended documents"] = table_.outside.size();
  }

 private:
  using Doc = Reference::Doc;
  struct Held {
    std::string document;
    std::string token;
    std::uint64_t connection;
  };

  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  bool one_in(std::uint64_t n) { return draw(n) == 0; }
  std::string any_name() { return Reference::kNames[draw(3)]; }
  static int number_of(std::string const& name) { return name == "a" ? 0 : name == "b" ? 1 : 2; }

  Reply run(std::string const& command, Texts with, std::uint64_t connection = 1) {
    said_ = command;
    for (auto const& [name, value] : with) said_ += " " + name + "=" + value;
    return table_.run(command, with, connection);
  }
  void pass(std::int64_t ms) {
    table_.pass(ms);
    reference_.pass(table_.now.value);
  }
  std::string refused(Reply const& reply, std::string const& expected) {
    return differs("the answer", reply.status.ok() ? reply.name() : reply.error(), expected);
  }

  std::string turn() {
    std::uint64_t const dice = draw(1000);
    // Ended documents leave memory.
    if (one_in(writes_for_)) table_.end_move_out();
    table_.begin_move_out();
    if (dice < 880) return command();
    if (dice < 940) {
      pass(static_cast<std::int64_t>(draw(one_in(8) ? 400'000 : one_in(3) ? 70'000 : 3'000)));
      return "";
    }
    if (dice < 958) {
      std::uint64_t const connection = 1 + draw(3);
      table_.close(connection);
      reference_.close(connection);
      pass(0);
      return "";
    }
    if (dice < 975) return restart();
    std::uint64_t const before = digest_of(*table_.table);
    if (copied_below_.is_none()) {
      table_.log.skip(kOldestLsnGrain - table_.log.end().value % kOldestLsnGrain);
      copied_below_ = table_.log.end();
    }
    std::size_t const most = one_in(3) ? SIZE_MAX : 1 + draw(3);
    bool const is_over = table_.compact(copied_below_, 1'024 + draw(4'096), most) < most;
    Lsn const below = is_over ? std::exchange(copied_below_, Lsn{}) : Lsn{};
    if (Lsn const oldest = table_.table->oldest_lsn(); !oldest.is_none() && oldest < below)
      return "what was compacted is still needed where it was";
    return digest_of(*table_.table) == before ? "" : "compaction changed something";
  }

  std::string restart() {
    ++counts_["kills"];
    said_ = "restart";
    std::uint64_t const digest = digest_of(*table_.table);
    Lsn const oldest = table_.table->oldest_lsn().is_none() ? table_.log.end() : table_.table->oldest_lsn();
    auto const twin = table_.replayed(oldest);
    if (digest_of(*twin) != digest) return "a replay from the oldest record has another digest";
    if (twin->live_bytes() != table_.table->live_bytes())
      return "the table has " + std::to_string(table_.table->live_bytes()) + " bytes, and its replay " +
             std::to_string(twin->live_bytes());
    std::int64_t const down = static_cast<std::int64_t>(draw(20'000));
    // Leases that would have ended meanwhile go on.
    std::int64_t const at = table_.now.value + down;
    table_.restart(down);
    reference_.restart(at);
    reference_.pass(at);
    return table_.names_its_extents() ? "" : "after a start, other pages are named than before";
  }

  std::string command() {
    // No two leases end together. What time does comes before what is asked.
    pass(1 + static_cast<std::int64_t>(draw(3)));
    std::uint64_t const dice = draw(100);
    if (dice < 16) return found();
    if (dice < 26) return next();
    if (dice < 42) return sending();
    if (dice < 54) return sent();
    if (dice < 64) return failed();
    if (dice < 68) return dropped();
    if (dice < 71) return routed();
    if (dice < 81) return child();
    if (dice < 84) return children_done();
    if (dice < 87) return heartbeat();
    if (dice < 89) return release();
    if (dice < 90) return kick();
    if (dice < 95) return people();
    if (dice < 97) return mode();
    if (dice < 98) return forget();
    return finish();
  }

  // A document that somebody had, mostly one of the last.
  Held& any_held() { return held_[held_.size() - 1 - draw(std::min<std::size_t>(held_.size(), one_in(6) ? 40 : 8))]; }

  std::string take(Reply const& reply, std::size_t at, std::uint64_t connection, Texts const& with,
                   bool is_child = false) {
    std::string const id = reply.get("document", at);
    Doc& doc = reference_.docs.at(id);
    std::string expected;
    std::string const only = with.contains("destination") ? with.at("destination") : "";
    std::string const token = reply.get("token", at);
    std::vector<int> taken;
    for (int cell = 0; cell < 3; ++cell) {
      Reference::Place const& place = doc.places[cell];
      bool const fits = is_child ? Reference::missing(place) || (place.leased && place.token == token)
                                 : reference_.may_go(id, cell) && (only.empty() || only == Reference::kNames[cell]);
      if (!fits) continue;
      expected += (expected.empty() ? "" : " ") + std::string{Reference::kNames[cell]};
      taken.push_back(cell);
    }
    if (std::string const wrong = differs("destinations", reply.get("destinations", at), expected); !wrong.empty())
      return wrong;
    if (reply.get("children", at) == "1") {
      if (is_child || !only.empty() || !reference_.may_run(id)) return "it is run for its children, and need not be";
      taken.push_back(Reference::kOriginalCell);
    }
    if (taken.empty()) return "nothing of it is missing";
    for (int const cell : taken) {
      if (cell < 3 && reference_.targets[cell].mode == "probing" && !is_child)
        reference_.targets[cell].probe_at = reference_.now + Reference::kProbeEvery;
      reference_.lease(doc.places[cell], token, connection, 300'000);
    }
    held_.push_back({id, token, connection});
    return "";
  }

  std::string found() {
    std::uint64_t const connection = 1 + draw(3);
    std::uint64_t const number = draw(6);
    std::string const uri = "u" + std::to_string(number);
    std::string const source = number < 4 ? "s" : "t";
    std::string const hash = one_in(12) ? kGone : std::to_string(one_in(4) ? draw(3) : 0);
    Texts with{{"source", source}, {"uri", uri}, {"hash", hash}};
    if (hash == kGone) {
      with.erase("hash");
      with["gone"] = "1";
    }
    bool const hands_out = !one_in(4);
    if (!hands_out) with["hand_out"] = "0";
    auto const known = std::ranges::find_if(reference_.docs, [&](auto const& one) {
      return !one.second.is_child() && one.second.named && one.second.uri == uri;
    });
    Reply const reply = run("FOUND", with, connection);
    if (known == reference_.docs.end() && hash == kGone) return differs("change", reply.get("change"), "unchanged");
    bool const is_new = known == reference_.docs.end() || known->second.hash != hash;
    if (reference_.drains && is_new)
      return reply.status.code() == Code::paused ? "" : "it is taken while the table drains";
    if (!reply.status.ok()) return reply.status.text();
    if (reply.get("operation") != (hash == kGone ? "delete" : "-")) return "it is to be " + reply.get("operation");
    std::string const id = reply.get("document");
    std::string expected = "resume";
    if (known == reference_.docs.end()) {
      reference_.docs[id] = Doc{.source = source, .uri = uri, .hash = hash, .original = id};
      expected = "new";
    } else if (source == "t" && known->second.hash != hash &&
               (!reference_.done(known->first) || reference_.has_failed(known->first))) {
      if (reference_.docs.contains(id)) return "a version is not a document of its own";
      known->second.named = false;
      reference_.docs[id] = Doc{.source = source,
                                .uri = uri,
                                .hash = hash,
                                .generation = known->second.generation + 1,
                                .original = id,
                                .before = known->first};
      expected = "changed";
    } else if (known->first != id) {
      return "it is another document";
    } else if (known->second.hash != hash) {
      reference_.change(id, hash, known->second.generation + 1);
      expected = "changed";
    } else {
      for (int at = 0; at < 3; ++at)
        if (Reference::Place& place = known->second.places[at]; place.state == "dirty" && !place.leased)
          place.fresh("sent");
      bool any = reference_.may_run(id) && reply.get("children") == "1";
      for (int at = 0; at < 3; ++at) any = any || reference_.may_go(id, at);
      // What may be run, and is not, may rest longer than the reference knows.
      if (!hands_out && reference_.may_run(id) && reply.get("change") == "resume") any = true;
      if (!any) expected = reference_.done(id) ? "unchanged" : "processing";
    }
    if (std::string const wrong = differs("change", reply.get("change"), expected); !wrong.empty()) return wrong;
    if (reply.get("token") == "-") {
      bool any = false;
      for (int at = 0; at < 3; ++at) any = any || reference_.may_go(id, at);
      return any && hands_out ? "nothing is handed out" : "";
    }
    return take(reply, 0, connection, {});
  }

  std::string next() {
    std::uint64_t const connection = 1 + draw(3);
    Texts with;
    if (one_in(3)) with["destination"] = any_name();
    // Leases that end together end in any order, which matters where failures are counted together.
    if (failing_ == 0 && one_in(2)) with["count"] = std::to_string(1 + draw(4));
    Reply const reply = run("NEXT", with, connection);
    if (!reply.status.ok()) return reply.status.text();
    if (reply.name() == "NOTHING") {
      for (auto const& [id, doc] : reference_.docs)
        for (int at = 0; at < 3; ++at)
          if (reference_.may_go(id, at) &&
              (!with.contains("destination") || with["destination"] == Reference::kNames[at]))
            return "document " + id + " is missing at " + Reference::kNames[at];
      return "";
    }
    for (std::size_t at = 0; at < reply.messages.size(); ++at)
      if (std::string const wrong = take(reply, at, connection, with); !wrong.empty()) return wrong;
    return "";
  }

  // The document and place of a report; false: there is none to try.
  bool choose(Held& held, std::string& destination) {
    if (held_.empty()) return false;
    held = any_held();
    destination = any_name();
    if (chosen_) std::tie(held, destination) = *chosen_;
    return reference_.docs.contains(held.document);
  }
  Texts about(Held const& held, std::string const& destination) {
    return {{"document", held.document}, {"token", held.token}, {"destination", destination}};
  }

  // Some arrive everywhere at once; without that hardly any would be done.
  std::string finish() {
    if (std::string wrong = found(); !wrong.empty()) return wrong;
    for (std::size_t at = held_.size(); at > 0 && at + 12 > held_.size(); --at) {
      Held const held = held_[at - 1];
      for (std::string const destination : Reference::kNames) {
        chosen_.emplace(held, destination);
        std::string wrong = sending();
        if (wrong.empty()) wrong = sent();
        chosen_.reset();
        if (!wrong.empty()) return wrong;
      }
    }
    return "";
  }

  std::string sending() {
    Held held;
    std::string destination;
    if (!choose(held, destination)) return "";
    Texts with = about(held, destination);
    bool const is_batched = one_in(6);
    if (is_batched) with["batched"] = "1";
    Reply const reply = run("SENDING", with, held.connection);
    int const at = number_of(destination);
    Reference::Place& place = reference_.docs.at(held.document).places[at];
    Reference::Target const& target = reference_.targets[at];
    std::string expected = "RUN";
    int leased = 0;
    for (auto const& [id, doc] : reference_.docs) leased += doc.places[at].leased ? 1 : 0;
    if (place.terminal()) {
      expected = "SKIP";
    } else if (!place.leased || place.token != held.token || reference_.orphan(reference_.at(held.document))) {
      expected = "CANCELLED";
    } else if (target.mode == "shut" || (target.mode == "probing" && leased > 1 && place.state != "sending")) {
      expected = "CANCELLED";
      if (place.state == "batched") place.state = "processing";
      place.let();
    } else {
      place.state = is_batched ? "batched" : "sending";
      if (std::string const wrong = differs("attempt", reply.get("attempt"), std::to_string(place.attempts + 1));
          !wrong.empty())
        return wrong;
      reference_.lease(place, held.token, held.connection,
                       is_batched ? 300'000 : Reference::kTimeout + Reference::kCancel);
    }
    return refused(reply, expected);
  }

  std::string sent() {
    Held held;
    std::string destination;
    if (!choose(held, destination)) return "";
    Reply const reply = run("SENT", about(held, destination), held.connection);
    int const at = number_of(destination);
    Reference::Place const& place = reference_.docs.at(held.document).places[at];
    bool const is_mine = (place.leased || place.in_doubt) && place.token == held.token;
    if (!is_mine) return refused(reply, place.state == "sent" ? "RECORDED" : "stale_epoch");
    if (place.state != "sending" && at != 0) return refused(reply, "wrong_state");
    reference_.sent(held.document, at);
    return refused(reply, "RECORDED");
  }

  std::string failed() {
    Held held;
    std::string destination;
    if (!choose(held, destination)) return "";
    Texts with = about(held, destination);
    bool const permanent = one_in(12);
    with["class"] = one_in(4) ? "y" : "x";
    if (permanent) with["permanent"] = "1";
    if (one_in(3)) with["error_trace"] = std::string(1 + draw(5'000), 't');
    Reply const reply = run("FAILED", with, held.connection);
    int const at = number_of(destination);
    Reference::Place const& place = reference_.docs.at(held.document).places[at];
    if (!((place.leased || place.in_doubt) && place.token == held.token)) return refused(reply, "stale_epoch");
    reference_.fail(held.document, at, with["class"], permanent);
    return differs("status", reply.get("status"), place.state);
  }

  std::string dropped() {
    Held held;
    std::string destination;
    if (!choose(held, destination)) return "";
    Texts with = about(held, destination);
    bool const all = one_in(2);
    if (all) with.erase("destination");
    Reply const reply = run("DROPPED", with, held.connection);
    bool any = false;
    for (int at = 0; at < 3; ++at) {
      Reference::Place& place = reference_.docs.at(held.document).places[at];
      bool const is_mine = (place.leased || (!all && place.in_doubt)) && place.token == held.token;
      if (!is_mine || (!all && at != number_of(destination))) continue;
      place.fresh("dropped");
      any = true;
    }
    return refused(reply, any ? "RECORDED" : "stale_epoch");
  }

  std::string routed() {
    Held held;
    std::string destination;
    if (!choose(held, destination)) return "";
    std::string const chosen = one_in(2) ? "a" : "b";
    Reply const reply =
        run("ROUTED", {{"document", held.document}, {"token", held.token}, {"router", "x"}, {"chosen", chosen}},
            held.connection);
    Doc& doc = reference_.docs.at(held.document);
    bool const any = std::ranges::any_of(
        doc.places, [&](Reference::Place const& place) { return place.leased && place.token == held.token; });
    if (!any) return refused(reply, "stale_epoch");
    Reference::Place& other = doc.places[chosen == "a" ? 1 : 0];
    bool const is_open = !other.terminal() && other.state != "sending";
    bool const is_another = doc.chosen && *doc.chosen != chosen[0];
    // By this one it would get nowhere.
    if (is_another && is_open && doc.places[chosen == "a" ? 0 : 1].state == "dropped")
      return refused(reply, "wrong_state");
    doc.chosen = chosen[0];
    if (is_open) other.fresh("dropped");
    return refused(reply, "RECORDED");
  }

  std::string child() {
    Held held;
    std::string destination;
    if (!choose(held, destination)) return "";
    std::string const parent = held.document;
    std::string const original = reference_.docs.at(parent).original;
    if (!reference_.docs.contains(original)) return "";
    // Some have none.
    if (reference_.docs.at(original).uri.back() % 2 != 0) return "";
    int depth = 0;
    for (std::string at = parent; reference_.docs.at(at).is_child(); at = reference_.docs.at(at).parent) ++depth;
    if (depth > 2) return "";
    std::string const name = std::to_string(draw(4));
    bool const by_x = one_in(2);
    Texts with{{"document", parent}, {"token", held.token}, {"child", name}, {"again", "1"}};
    if (by_x) with["step"] = "x";
    Reply const reply = run("CHILD", with, held.connection);
    if (!runs(parent, held.token)) return refused(reply, "stale_epoch");
    if (!reply.status.ok()) return reply.status.text();
    std::string const id = reply.get("document");
    int const generation = reference_.docs.at(original).generation;
    auto const known = std::ranges::find_if(
        reference_.docs, [&](auto const& one) { return one.second.parent == parent && one.second.uri == name; });
    if (known == reference_.docs.end()) {
      std::string const source = reference_.docs.at(parent).source;
      Doc doc{.source = source, .uri = name, .generation = generation, .parent = parent, .original = original};
      if (by_x) doc.places[2].fresh("dropped");
      reference_.docs[id] = doc;
    } else if (known->first != id) {
      return "it is another child";
    } else if (known->second.generation != generation) {
      reference_.change(id, "", generation);
      if (by_x) reference_.docs.at(id).places[2].fresh("dropped");
    }
    Reference::Place& run_of = reference_.docs.at(original).places[Reference::kOriginalCell];
    bool const is_held = run_of.leased && (run_of.token != held.token || run_of.ends >= reference_.now + 150'000);
    if (!is_held) reference_.lease(run_of, held.token, held.connection, 300'000);
    Doc const& doc = reference_.docs.at(id);
    bool any = false;
    for (int at = 0; at < 3; ++at)
      any = any || Reference::missing(doc.places[at]) || (doc.places[at].leased && doc.places[at].token == held.token);
    if (std::string const wrong = refused(reply, any ? "DOCUMENT" : "SKIP"); !wrong.empty()) return wrong;
    if (any) return take(reply, 0, held.connection, {}, true);
    return differs("subtree", reply.get("subtree"), reference_.done(id) ? "1" : "-");
  }

  [[nodiscard]] bool runs(std::string const& id, std::string const& token) const {
    Doc const& doc = reference_.docs.at(id);
    if (reference_.orphan(doc)) return false;
    for (Reference::Place const& place : doc.places)
      if (place.leased && place.token == token) return true;
    Reference::Place const& run_of = reference_.docs.at(doc.original).places[Reference::kOriginalCell];
    return run_of.leased && run_of.token == token;
  }

  std::string children_done() {
    Held held;
    std::string destination;
    if (!choose(held, destination)) return "";
    if (!reference_.docs.contains(reference_.docs.at(held.document).original)) return "";
    auto const known = static_cast<int>(reference_.children(held.document).size());
    int const count = one_in(5) ? static_cast<int>(draw(4)) : known;
    Reply const reply =
        run("CHILDREN_DONE", {{"document", held.document}, {"token", held.token}, {"count", std::to_string(count)}},
            held.connection);
    if (!runs(held.document, held.token)) return refused(reply, "stale_epoch");
    if (static_cast<int>(reference_.children(held.document).size()) != count) return refused(reply, "bad_parameter");
    Doc& doc = reference_.docs.at(held.document);
    doc.declared = count;
    Reference::Place& run_of = doc.places[Reference::kOriginalCell];
    if (run_of.leased && run_of.token == held.token) run_of.fresh("processing");
    return refused(reply, "RECORDED");
  }

  std::string heartbeat() {
    Held held;
    std::string destination;
    if (!choose(held, destination)) return "";
    std::uint64_t const connection = 1 + draw(3);
    Reply const reply = run("HEARTBEAT", {{"document", held.document}, {"token", held.token}}, connection);
    Doc& doc = reference_.docs.at(held.document);
    bool any = false;
    bool late = false;
    for (Reference::Place const& place : doc.places) {
      if (!place.leased || place.token != held.token) continue;
      any = true;
      late = late ||
             (place.state == "sending" && place.connection != 0 && reference_.now >= place.ends - Reference::kCancel);
    }
    if (!any || late) return refused(reply, "CANCELLED");
    for (Reference::Place& place : doc.places)
      if (place.leased && place.token == held.token)
        reference_.lease(place, held.token, connection,
                         place.state == "sending" ? Reference::kTimeout + Reference::kCancel : 300'000);
    return refused(reply, "RECORDED");
  }

  std::string release() {
    Held held;
    std::string destination;
    if (!choose(held, destination)) return "";
    Reply const reply = run("RELEASE", {{"document", held.document}, {"token", held.token}}, held.connection);
    Doc& doc = reference_.docs.at(held.document);
    bool any = false;
    bool only_sends = true;
    for (Reference::Place const& place : doc.places) {
      if (!place.leased || place.token != held.token) continue;
      any = true;
      only_sends = only_sends && place.state == "sending";
    }
    if (!any) return refused(reply, "stale_epoch");
    if (only_sends) return refused(reply, "wrong_state");
    for (Reference::Place& place : doc.places)
      if (place.leased && place.token == held.token && place.state != "sending") {
        if (place.state == "batched") place.state = "processing";
        place.let();
      }
    return refused(reply, "RECORDED");
  }

  std::string kick() {
    Held held;
    std::string destination;
    if (!choose(held, destination)) return "";
    bool const all = one_in(2);
    Texts with{{"document", held.document}};
    if (!all) with["destination"] = destination;
    Reply const reply = run("KICK", with);
    auto const [count, doubt] = reference_.take_back(held.document, all ? -1 : number_of(destination));
    if (count == 0) return refused(reply, "wrong_state");
    std::string const wrong = differs("in_doubt", reply.get("in_doubt"), doubt == 0 ? "-" : std::to_string(doubt));
    return wrong.empty() ? differs("count", reply.get("count"), std::to_string(count)) : wrong;
  }

  std::string people() {
    static constexpr char const* kCommands[] = {"RETRY", "RETRY", "FORCE", "DROP", "RESOLVE"};
    std::string const command = kCommands[draw(5)];
    Texts with{{"all", "1"}, {"count", "10000"}};
    bool const dirty = command == "RETRY" && one_in(4);
    if (dirty) with["if_changed"] = "1";
    bool const was_sent = one_in(2);
    if (command == "RESOLVE") with["outcome"] = was_sent ? "sent" : "failed";
    if (one_in(2)) with["destination"] = any_name();
    if (one_in(4)) with["source"] = one_in(2) ? "s" : "t";
    if (one_in(3)) with["class"] = one_in(2) ? "x" : "lost";
    if (one_in(3)) with["status"] = one_in(2) ? "error" : "dead";
    bool const rarely = command == "FORCE" || command == "DROP" || one_in(3);
    if (rarely && !reference_.docs.empty())
      with["document"] =
          std::next(reference_.docs.begin(), static_cast<std::ptrdiff_t>(draw(reference_.docs.size())))->first;
    if (rarely && reference_.docs.empty()) return "";
    bool const dry = one_in(6);
    if (dry) with["dry_run"] = "1";
    Reply const reply = run(command, with);
    int count = 0;
    for (auto& [id, doc] : reference_.docs)
      for (int at = 0; at < 4; ++at) {
        Reference::Place& place = doc.places[at];
        bool const is_own = at < 3;
        if (place.leased) continue;
        if (with.contains("document") && with["document"] != id) continue;
        if (with.contains("destination") && (!is_own || with["destination"] != Reference::kNames[at])) continue;
        if (with.contains("source") && with["source"] != doc.source) continue;
        if (with.contains("class") && with["class"] != place.kind) continue;
        if (with.contains("status") && with["status"] != place.state) continue;
        std::string to;
        if (dirty)
          to = is_own && place.state == "sent" ? "dirty" : "";
        else if (command == "RETRY")
          to = place.failed() ||
                       (place.state == "error" && !place.in_doubt &&
                        (with.contains("document") || (with.contains("status") && with.at("status") == "error")))
                   ? (is_own ? "restart" : "processing")
                   : "";
        else if (command == "FORCE")
          to = is_own && place.state != "force" ? "force" : "";
        else if (command == "DROP")
          to = is_own && place.state != "dropped" && place.state != "sent" ? "dropped" : "";
        else if (place.in_doubt)
          to = was_sent ? "sent" : "restart";
        if (to.empty()) continue;
        ++count;
        if (dry) continue;
        int const attempts = place.attempts;
        if (to == "sent")
          reference_.sent(id, at);
        else
          place.fresh(to);
        if (command == "RESOLVE" && !was_sent) place.attempts = attempts;
      }
    return differs("count", reply.get("count"), std::to_string(count));
  }

  std::string mode() {
    if (one_in(3)) {
      // Open more often than not.
      bool const drains = !reference_.drains && one_in(2);
      Reply const halted = run(drains ? "DRAIN" : "RESUME", {});
      reference_.drains = drains;
      return refused(halted, drains ? "DRAINING" : "RESUMED");
    }
    std::string const destination = any_name();
    bool const opens = !one_in(3);
    Reply const reply = run(opens ? "RESUME" : "PAUSE", {{"destination", destination}});
    reference_.targets[number_of(destination)].mode = opens ? "open" : "shut";
    return refused(reply, "CHANGED");
  }

  std::string forget() {
    if (reference_.docs.empty() || !one_in(3)) return "";
    std::string const id =
        std::next(reference_.docs.begin(), static_cast<std::ptrdiff_t>(draw(reference_.docs.size())))->first;
    if (reference_.docs.at(id).is_child()) return "";
    std::vector<std::string> all;
    for (auto const& [other, doc] : reference_.docs) {
      if (doc.original != id) continue;
      for (Reference::Place const& place : doc.places)
        if (place.leased) return "";
      all.push_back(other);
    }
    Reply const reply = run("FORGET", {{"document", id}, {"count", "10000"}});
    for (std::string const& one : all) reference_.docs.erase(one);
    return differs("count", reply.get("count"), std::to_string(all.size()));
  }

  // In the end all that is not given up arrives, if workers do what they should.
  std::string drain() {
    said_ = "drain";
    for (char const* const name : Reference::kNames) table_.run("RESUME", {{"destination", name}});
    for (std::uint64_t connection = 1; connection <= 3; ++connection) table_.close(connection);
    table_.pass(400'000);
    table_.run("RESOLVE", {{"all", "1"}, {"outcome", "failed"}, {"count", "10000"}});
    table_.run("RETRY", {{"all", "1"}, {"count", "10000"}});
    for (int round = 0; round < 1'000; ++round) {
      table_.pass(700'000);
      Reply const reply = table_.next();
      if (reply.name() == "NOTHING") break;
      run_whole(reply.get("document"), reply.get("token"), reply.get("destinations"), reply.get("children") == "1");
    }
    std::string after;
    Reply const left = table_.run("DOCUMENTS", {{"status", "open"}, {"count", "1000"}});
    for (std::size_t at = 0; at < left.messages.size() && left.name() != "NOTHING"; ++at)
      if (left.get("orphan", at) != "1")
        return "document " + left.get("document", at) + " is left with " + left.get("states", at) + " (" +
               table_.run("WHY", {{"document", left.get("document", at)}}).get("text") + ")";
    return table_.replays() ? "" : "a replay has another digest";
  }
  void run_whole(std::string const& id, std::string const& token, std::string const& destinations, bool children) {
    std::istringstream words{destinations == "-" ? "" : destinations};
    for (std::string name; words >> name;) {
      Texts const with{{"document", id}, {"token", token}, {"destination", name}};
      table_.run("SENDING", with);
      table_.run("SENT", with);
    }
    if (!children) return;
    // As the reference knows them; what is made of orphans is not.
    std::vector<std::string> names;
    for (std::string const& child : reference_.children(id)) names.push_back(reference_.at(child).uri);
    for (std::string const& name : names) {
      Reply const child = table_.run("CHILD", {{"document", id}, {"token", token}, {"child", name}});
      run_whole(child.get("document"), token, child.name() == "DOCUMENT" ? child.get("destinations") : "-",
                child.get("subtree") != "1");
    }
    if (!names.empty() || reference_.at(id).declared >= 0)
      table_.run("CHILDREN_DONE", {{"document", id}, {"token", token}, {"count", std::to_string(names.size())}});
  }

  std::mt19937_64 random_;
  std::size_t failing_;
  std::uint64_t writes_for_{draw(2) == 0 ? 3U : 40U};  // steps, about, in which what has ended is written
  Harness table_;
  Reference reference_;
  std::vector<Held> held_;
  std::optional<std::pair<Held, std::string>> chosen_;  // to be reported about
  std::string said_;
  Lsn copied_below_{};  // none: nothing is being copied
  Counts& counts_;
};

}  // namespace

fastjournal::test::LifeResult live(std::uint64_t seed, std::uint64_t steps) {
  return fastjournal::test::live<Life>(seed, steps);
}

}  // namespace fastjournal::pipeline::test
