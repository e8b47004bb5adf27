#include "tests/model/life.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "tests/model/chance.h"
#include "tests/model/watchers.h"

namespace fastjournal::reference {
namespace {

constexpr std::size_t kStoryLines = 40;
// ms. A larger difference of the clocks is leapt over, a smaller one is reduced slowly.
constexpr std::int64_t kStepMs = 1000;
// ms. The largest reduction in a second, and a fraction of a millisecond.
constexpr std::int64_t kSlewStepMs = 11;

class Life final : private Oracle {
 public:
  Life(std::uint64_t seed, std::uint64_t steps, MakeSubject const& make)
      : chance_(seed),
        clocks_(~seed),
        options_(chance_.options()),
        columns_(chance_.columns()),
        subject_(make(seed, options_, columns_)),
        table_(options_, columns_, subject_->now()),
        steps_(steps),
        watchers_(counts_) {
    history_.push_back(table_);
    if (!options_.has_key) ++counts_["a table without row-key"];
  }

  test::LifeResult run() {
    while (result_.wrong.empty() && step_ < steps_) {
      step();
      if (result_.wrong.empty() && chance_.one_in(16)) compare();
    }
    if (result_.wrong.empty()) compare();
    if (!result_.wrong.empty())
      result_.wrong = "step " + std::to_string(step_) + ": " + result_.wrong + "\nlast: " + said_ +
                      "\noptions: " + shown(table_.options().texts()) + "\nbefore that:" + story();
    counts_["steps"] = step_;
    return std::move(result_);
  }

 private:
  void wrong(std::string text) {
    if (result_.wrong.empty()) result_.wrong = std::move(text);
  }

  // Keeps the latest messages, for the report of a failure.
  void tell(std::string const& said, std::vector<Heard> const& heard) {
    std::string line = std::to_string(table_.now()) + " " + said;
    for (Heard const& one : heard) line += "\n    " + one.client + " < " + shown(one.message).substr(0, 200);
    story_.push_back(std::move(line));
    if (story_.size() > kStoryLines) story_.pop_front();
  }
  [[nodiscard]] std::string story() const {
    std::string out;
    for (std::string const& line : story_) out += "\n  " + line;
    return out;
  }

  void step() {
    if (clocks_.one_in(80)) return disturb();
    std::uint64_t const dice = chance_.draw(1000);
    if (dice < 4) {
      strike();
    } else if (dice < 10) {
      reload();
    } else if (dice < 25) {
      close(client());
    } else if (dice < 28) {
      pass(3'600'000 + static_cast<std::int64_t>(chance_.draw(3)) - 1);
    } else if (dice < 110) {
      pass(static_cast<std::int64_t>(chance_.draw(chance_.one_in(5) ? 6000 : 300)));
    } else {
      turn(client());
    }
  }

  std::string client() { return "c" + std::to_string(chance_.draw(4)); }

  // -- commands ---------------------------------------------------------------

  // Several commands that arrive together.
  void turn(std::string const& client) {
    std::vector<Texts> commands;
    std::uint64_t const count = chance_.one_in(4) ? 1 + chance_.draw(4) : 1;
    said_ = client + ":";
    for (std::uint64_t i = 0; i < count; ++i) {
      Texts command = chance_.command(table_, client, subject_->is_server());
      watchers_.keep_domain(client, command);
      command["request"] = "r" + std::to_string(++requests_);
      said_ += " " + shown(command);
      commands.push_back(std::move(command));
      if (text(commands.back(), "").ends_with("LISTEN")) break;
    }
    step_ += commands.size();
    std::vector<Heard> const heard = subject_->say(client, commands);
    tell(said_, heard);
    std::map<std::string, std::vector<Texts>> answers;
    std::vector<Heard> pushes;
    for (Heard const& one : heard) {
      std::string const request = text(one.message, "request");
      bool const answer = one.client == client &&
                          std::any_of(commands.begin(), commands.end(),
                                      [&](Texts const& command) { return text(command, "request") == request; });
      if (answer) answers[request].push_back(one.message);
      if (!answer) pushes.push_back(one);
    }
    std::vector<Reference> after_each;
    bool synced = false;
    for (Texts const& command : commands) {
      std::vector<Texts> const& answer = answers[text(command, "request")];
      if (waits(command)) {
        // If its answer came already, it came at the end of the turn.
        for (Texts const& message : answer) pushes.push_back({client, message});
        watchers_.wait(table_, client, command);
        continue;
      }
      hear(client, command, answer);
      if (!result_.wrong.empty()) return;
      synced = synced || table_.is_synced();
      if (may_be_lost(command, answer)) after_each.push_back(table_);
    }
    end_turn(pushes, std::move(after_each), synced);
  }

  // True for a NEXT that finds nothing and has time to wait.
  [[nodiscard]] bool waits(Texts const& command) const {
    std::string const domain = text(command, "domain");
    return text(command, "") == "NEXT" && number(command, "wait") > 0 && table_.available(domain) == 0 &&
           (domain.empty() || !table_.options().domain.empty());
  }

  static bool may_be_lost(Texts const& command, std::vector<Texts> const& answer) {
    std::string const name = text(command, "");
    return (name == "NEXT" || name == "TOUCH") && !answer.empty() && text(answer[0], "") != "ERROR" &&
           text(answer[0], "") != "NOTHING";
  }

  void hear(std::string const& client, Texts const& command, std::vector<Texts> const& answer) {
    std::string const name = text(command, "");
    if (answer.empty()) return wrong("no answer to " + shown(command));
    Texts const& first = answer[0];
    ++counts_[name + ", " +
              (text(first, "") == "ERROR" ? text(first, "code")
               : first.contains("result") ? text(first, "result")
                                          : text(first, ""))];
    std::string what = name == "LISTEN" || name == "UNLISTEN" ? watchers_.hear(table_, client, command, first)
                                                              : table_.hear(client, command, answer);
    if (!what.empty()) {
      what += "\nin: " + shown(command);
      for (Texts const& message : answer) what += "\nout: " + shown(message);
      return wrong(std::move(what));
    }
    note_watchers(client, command, answer);
  }

  void note_watchers(std::string const& client, Texts const& command, std::vector<Texts> const& answer) {
    std::string const name = text(command, "");
    auto const row = static_cast<std::uint64_t>(number(command, "row"));
    std::string const first = text(answer[0], "");
    if (first == "COMPLETED" || first == "RELEASED" || first == "PARKED") watchers_.forget_row(row);
    if (first == "TOUCHED") watchers_.forget_row(row, client);
    // Before the next command of the turn, which may take what was taken back.
    if (name == "KICK") watchers_.forget_ended(table_);
    if (first == "DELETED")
      for (Texts const& message : answer) watchers_.forget_row(static_cast<std::uint64_t>(number(message, "row")));
    Texts const& last = answer.back();
    bool const asked = name == "NEXT" || (name == "DONE" && number(command, "next") == 1 && answer.size() > 1);
    if (asked && (text(last, "") == "ROW" || text(last, "") == "NOTHING" || text(last, "code") == "paused"))
      watchers_.took(table_, client, text(last, "") != "ROW");
  }

  // The consequences of a turn's commands, or of time.
  void end_turn(std::vector<Heard> const& pushes, std::vector<Reference> after_each, bool synced) {
    table_.end_turn(*this);
    watchers_.forget_ended(table_);
    if (synced || table_.is_synced()) {
      history_.clear();
      after_each.clear();
    }
    std::size_t const known = after_each.size();
    bool at_once = false;
    if (std::string what = watchers_.hear_pushes(table_, *this, pushes, after_each, at_once); !what.empty())
      return wrong(what);
    if (after_each.size() > known) after_each.push_back(table_);
    if (at_once && result_.wrong.empty()) {
      // What was answered as done is synced, with all before it.
      history_.clear();
      after_each.clear();
      // Groups may have ended by it. A clock that is behind stands still for some milliseconds of each second, and so do
      // timers.
      if (clock_is_behind_) {
        std::int64_t const before = table_.now();
        pass(2 * kSlewStepMs);
        table_.hear_ends(groups(), before);
        history_ = {table_};
        return;
      }
      table_.end_turn(*this);
    }
    history_.insert(history_.end(), after_each.begin(), after_each.end());
    if (history_.empty()) history_.push_back(table_);
    if (std::string what = watchers_.check(table_); !what.empty())
      wrong(what + "\nSTATS: " + table_.compare_statistics(statistics()) + "\nLIST: " + table_.compare(list()) +
            "\nGROUPS: " + table_.compare_groups(groups()));
  }

  // -- time, connections, reloads -----------------------------------------------

  // Time passes, from event to event.
  void pass(std::int64_t ms) {
    ++step_;
    said_ = std::to_string(ms) + " ms pass";
    for (std::int64_t const until = table_.now() + ms; table_.now() < until && result_.wrong.empty();) {
      std::int64_t const next =
          std::max(table_.now() + 1, std::min(table_.next_event(until), watchers_.next_deadline(table_)));
      std::int64_t const before = table_.now();
      std::vector<Heard> const heard = subject_->pass(next - before);
      std::int64_t const now = subject_->now();
      table_.pass(now, *this);
      tell("it is", heard);
      bool const synced = table_.is_synced();
      end_turn(heard, {}, synced);
      // While the clock is behind, time is slower by a two-hundredth, in steps of a second.
      std::int64_t const slower = clock_is_behind_ ? (next - before) / 200 + kSlewStepMs : 0;
      if (now > next || now < next - slower) wrong("the clocks differ");
    }
  }

  // The computer sleeps, or its clock is set.
  void disturb() {
    static constexpr char const* kNames[] = {"the computer sleeps", "the clock is set forward",
                                             "the clock is set back"};
    ++step_;
    auto const trouble = static_cast<Trouble>(clocks_.draw(3));
    auto const ms = static_cast<std::int64_t>(kStepMs + 1 + clocks_.draw(clocks_.one_in(4) ? 20'000'000 : 20'000));
    said_ = std::string{kNames[static_cast<std::size_t>(trouble)]} + ", " + std::to_string(ms) + " ms";
    ++counts_[kNames[static_cast<std::size_t>(trouble)]];
    std::vector<Heard> const heard = subject_->disturb(trouble, ms);
    std::int64_t const expected = table_.now() + (trouble == Trouble::back ? 0 : ms);
    std::int64_t const now = subject_->now();
    std::int64_t const slower = clock_is_behind_ && trouble == Trouble::sleep ? kSlewStepMs : 0;
    if (now > expected || now < expected - slower) return wrong("the clocks differ");
    if (trouble != Trouble::back) table_.lose(ms, now, *this);
    if (trouble != Trouble::sleep) clock_is_behind_ = trouble == Trouble::back;
    tell(said_, heard);
    end_turn(heard, {table_}, table_.is_synced());
  }

  void close(std::string const& client) {
    ++step_;
    said_ = client + " closes its connection";
    watchers_.close(client);
    std::vector<Heard> const heard = subject_->close(client);
    tell(said_, heard);
    table_.close(client);
    end_turn(heard, {table_}, false);
  }

  void reload() {
    ++step_;
    ++counts_["RELOAD"];
    options_ = chance_.options();
    if (chance_.one_in(2)) columns_ = chance_.columns();
    said_ = "RELOAD";
    for (auto const& [name, value] : options_.texts()) said_ += " " + name + "=" + value;
    if (std::string const refused = subject_->reload(options_, columns_); !refused.empty()) return wrong(refused);
    table_.change(options_, columns_);
    for (Reference& state : history_) state.change(options_, columns_);
    // Clients that wait for work are told at the end of the turn; row listeners are not told of rows that a reload
    // freed.
    static_cast<void>(table_.take_became_due());
    std::vector<Heard> const heard = subject_->pass(0);
    tell(said_, heard);
    end_turn(heard, {}, false);
  }

  // -- blows ----------------------------------------------------------------------

  void strike() {
    static constexpr char const* kNames[] = {"stop", "kill", "power cut"};
    ++step_;
    ++counts_["kills and power cuts"];
    Blow const blow = chance_.one_in(8) ? Blow::stop : chance_.one_in(2) ? Blow::kill : Blow::power_cut;
    std::vector<Reference> possible = blow == Blow::power_cut ? history_ : std::vector<Reference>{};
    possible.push_back(table_);
    std::vector<Texts> unheard;
    said_ = kNames[static_cast<std::size_t>(blow)];
    bool const takes_inserts = table_.standing() != "draining" && options_.rows_max == 0;
    if (blow != Blow::stop && subject_->is_server() && !watchers_.takes() && takes_inserts && chance_.one_in(2)) {
      ++counts_["commands whose write fails"];
      Reference next = table_;
      bool const leased = std::any_of(table_.rows().begin(), table_.rows().end(),
                                      [](Row const& row) { return row.state == State::processing; });
      bool const insert = !leased || chance_.one_in(2);
      for (std::uint64_t i = 1 + chance_.draw(3); i > 0; --i) {
        unheard.push_back(chance_.silent_command(next, insert));
        said_ += ", unheard: " + shown(unheard.back());
        static_cast<void>(next.hear("c0", unheard.back(), {}));
        possible.push_back(next);
      }
    }
    ++counts_[kNames[static_cast<std::size_t>(blow)]];
    Start start = draw_start();
    std::string const refused = subject_->strike(blow, "c0", unheard, start);
    if (!refused.empty()) return wrong(refused);
    if (start.accepted_from != 0) {
      ++counts_["a clock that was behind is accepted"];
      said_ += ", accepted from " + std::to_string(start.accepted_from);
      for (Reference& state : possible) state.accept_clock(start.accepted_from, subject_->now());
    }
    tell(said_, {});
    watchers_.clear();
    find_state(std::move(possible));
  }

  // With a clock that is right, ahead, or behind: either by so little that the daemon waits, or by more, and accepted.
  Start draw_start() {
    Start start;
    start.down_ms = static_cast<std::int64_t>(chance_.draw(chance_.one_in(2) ? 3000 : 1));
    clock_is_behind_ = false;
    if (clocks_.one_in(2)) return start;
    std::uint64_t const dice = clocks_.draw(3);
    start.ahead_ms = static_cast<std::int64_t>(clocks_.draw(clocks_.one_in(2) ? 20'000 : 3'000'000));
    if (dice == 0) return start;
    start.ahead_ms = -start.ahead_ms;
    start.accept_clock = dice == 1;
    if (start.accept_clock && clocks_.one_in(2)) start.ahead_ms *= 1000;
    clock_is_behind_ = !start.accept_clock;
    return start;
  }

  // Finds out which of the possible states the subject is in.
  void find_state(std::vector<Reference> possible) {
    std::vector<Texts> const dump = list();
    std::string first_wrong;
    // The latest first, as it is usually that one.
    for (auto state = possible.rbegin(); state != possible.rend(); ++state) {
      state->heard_epochs_of(table_);
      std::string what = state->adopt(dump) ? state->restart(subject_->now(), *this) : "rows that nobody knows";
      if (what.empty()) what = state->compare(dump);
      if (what.empty()) what = state->compare_groups(groups());
      if (what.empty()) {
        Reference found = std::move(*state);
        table_ = std::move(found);
        if (state != possible.rbegin()) ++counts_["an earlier state after a blow"];
        history_ = {table_};
        return;
      }
      if (first_wrong.empty()) first_wrong = what;
    }
    wrong("it is in none of " + std::to_string(possible.size()) + " possible states; of the last: " + first_wrong);
  }

  // -- looking --------------------------------------------------------------------

  std::vector<Texts> judge(Texts const& command) {
    std::vector<Texts> out;
    for (Heard& heard : subject_->say("judge", {command}))
      if (heard.client == "judge") out.push_back(std::move(heard.message));
    return out;
  }
  std::vector<Texts> list() { return judge({{"", "LIST"}, {"count", "1000"}, {"traces", "1"}}); }

  void compare() {
    ++counts_["comparisons of all rows"];
    if (std::string what = table_.compare(list()); !what.empty()) return wrong("at a look: " + what);
    if (std::string what = table_.compare_statistics(statistics()); !what.empty()) return wrong("STATS: " + what);
    if (std::string what = table_.compare_groups(groups()); !what.empty()) return wrong("GROUPS: " + what);
    if (!chance_.one_in(8)) return;
    if (std::string what = subject_->check(); !what.empty()) wrong(what);
  }

  std::optional<Texts> peek(std::uint64_t row) override {
    std::vector<Texts> const answer = judge({{"", "PEEK"}, {"row", std::to_string(row)}});
    if (answer.empty() || text(answer[0], "") != "ROW") return std::nullopt;
    return answer[0];
  }
  Texts statistics() override {
    std::vector<Texts> const answer = judge({{"", "STATS"}});
    return answer.empty() ? Texts{} : answer[0];
  }

  std::vector<Texts> groups() override { return judge({{"", "GROUPS"}, {"count", "1000"}}); }

  Chance chance_;
  Chance clocks_;  // clock changes: a life is the same with and without
  Options options_;
  std::vector<Column> columns_;
  std::unique_ptr<Subject> subject_;
  Reference table_;
  std::uint64_t steps_;
  test::LifeResult result_;
  test::Counts& counts_{result_.counts};
  std::uint64_t step_{0};  // commands, passing of time, blows
  Watchers watchers_;
  std::vector<Reference> history_;  // states that a power cut may leave, the oldest first
  std::uint64_t requests_{0};
  std::string said_;
  std::deque<std::string> story_;
  bool clock_is_behind_{false};  // the wall clock, after it was set
};

}  // namespace

test::LifeResult live(std::uint64_t seed, std::uint64_t steps, MakeSubject const& make) {
  return Life{seed, steps, make}.run();
}

}  // namespace fastjournal::reference
