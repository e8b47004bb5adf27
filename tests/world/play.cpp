#include "tests/world/play.h"

#include <map>
#include <random>
#include <vector>

#include "tests/world/world.h"
#include "wire/text.h"

namespace fastjournal::sim {
namespace {

class Player {
 public:
  Player(std::uint64_t seed, std::uint64_t steps, bool lying_disk) : random_(seed), world_(seed), steps_(steps) {
    world_.disk().ignore_syncs(lying_disk);
  }

  PlayResult run() {
    wrong_if(world_.add_table(FJ_SOURCE_DIR "/tests/transcripts/jobs.xml"));
    if (result_.wrong.empty()) wrong_if(world_.start());
    while (result_.wrong.empty() && result_.steps < steps_) {
      ++result_.steps;
      step();
    }
    if (result_.wrong.empty()) compare_everything();
    if (!result_.wrong.empty()) result_.wrong = "step " + std::to_string(result_.steps) + ": " + result_.wrong;
    return std::move(result_);
  }

 private:
  struct Held {
    std::string epoch;
    std::int64_t end;  // ms
  };
  struct Known {
    std::string key;
    std::uint64_t highest_epoch{0};
    std::int64_t leased_until{0};  // by somebody who has not given it up
    bool told{false};              // its INSERT was acknowledged
    bool may_be_gone{false};       // somebody may have ended it: an answer was lost, or time did
    bool gone{false};              // its end was acknowledged
  };

  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  void wrong_if(Status const& status) {
    if (!status.ok() && result_.wrong.empty()) result_.wrong = status.text();
  }
  void wrong(std::string text) {
    if (result_.wrong.empty()) result_.wrong = std::move(text);
  }

  void step() {
    std::uint64_t const dice = draw(1000);
    if (dice < 3) {
      crash(true);
    } else if (dice < 5) {
      crash(false);
    } else if (dice < 6) {
      wrong_if(world_.stop());
      start_again(false);
    } else if (dice < 60) {
      world_.advance(DurationMs{static_cast<std::int64_t>(draw(draw(4) == 0 ? 120'000 : 800))});
      time_passed();
    } else if (dice < 70) {
      world_.close(client());
      close_client_in_books();
    } else {
      command(dice);
    }
    if (result_.wrong.empty() && draw(64) == 0) compare_digest();
  }

  std::string client() { return "c" + std::to_string(draw(4)); }

  void command(std::uint64_t dice) {
    std::string const name = client();
    if (draw(200) == 0) {
      stand(name);
    } else if (dice < 450) {
      insert(name);
    } else if (dice < 650) {
      exchange(name, "NEXT table=jobs;count=" + std::to_string(1 + draw(4)));
    } else {
      end_one(name, dice);
    }
  }

  // Paused, draining or open; what the last word was holds over every crash.
  void stand(std::string const& name) {
    std::string const word = standing_ != "RESUMED" || draw(3) == 0 ? "RESUME" : draw(2) == 0 ? "PAUSE" : "DRAIN";
    exchange(name, word + " table=jobs;reason=drawn");
  }

  void insert(std::string const& name) {
    std::string line = "INSERT table=jobs;name=k" + std::to_string(draw(200)) +
                       ";payload=" + std::string(draw(draw(8) == 0 ? 5000 : 200), 'x') +
                       ";priority=" + std::to_string(draw(3));
    if (draw(2) == 0) line += ";process_date=+" + std::to_string(draw(60'000));
    if (draw(16) == 0) line += ";expiration_date=+" + std::to_string(1 + draw(90'000));
    exchange(name, line);
  }

  // Something with a row that somebody holds, or held.
  void end_one(std::string const& name, std::uint64_t dice) {
    if (held_.empty()) return;
    auto at = held_.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(draw(held_.size())));
    std::string const row = at->first;
    std::string const tail = " table=jobs;row=" + row + ";epoch=" + at->second.epoch;
    if (dice < 850) {
      exchange(name, "DONE" + tail);
    } else if (dice < 890) {
      exchange(name, "TOUCH" + tail);
    } else if (dice < 930) {
      exchange(name, "RELEASE" + tail + ";process_date=+" + std::to_string(draw(5000)));
    } else if (dice < 950) {
      exchange(name, "FAIL" + tail + ";error=drawn");
    } else if (dice < 970) {
      exchange(name, "DELETE table=jobs;row=" + row);
    } else if (dice < 990) {
      exchange(name, "KICK table=jobs;row=" + row);
    } else {
      exchange(name, std::string{draw(2) == 0 ? "PEEK" : "WHY"} + " table=jobs;row=" + row);
    }
  }

  // One command and all of its answers.
  void exchange(std::string const& name, std::string const& line) {
    world_.send(name, line);
    world_.settle();
    bool answered = false;
    while (std::optional<std::string> const answer = world_.take_line(name)) {
      answered = true;
      Message message;
      if (!wire::parse_line(*answer, message).ok()) return wrong("an answer cannot be read: " + *answer);
      note(line, message);
    }
    if (!answered) wrong("no answer to " + line);
  }

  void note(std::string const& line, Message const& message) {
    std::string const row{message.text("row")};
    ++result_.acknowledged;
    if (message.command == "INSERTED") {
      Known& known = rows_[row];
      if (known.gone) return wrong("row " + row + " was ended and is back: " + line);
      known.told = true;
      known.key = line;
      // An expiry date may end it without a word.
      known.may_be_gone = known.may_be_gone || line.find("expiration_date") != std::string::npos;
      if (standing_ == "DRAINING" && message.text("result") != "duplicate") wrong("an insert while the table drains");
    } else if (message.command == "ROW" && line.starts_with("NEXT")) {
      if (standing_ == "PAUSED") wrong("row " + row + " is handed out while the table is paused");
      note_lease(row, message);
    } else if (message.command == "TOUCHED") {
      rows_[row].leased_until = held_[row].end = *message.integer("lease_end");
    } else if (message.command == "COMPLETED" || message.command == "DELETED") {
      rows_[row].gone = true;
      held_.erase(row);
    } else if (message.command == "RELEASED" || message.command == "PARKED" || message.command == "KICKED") {
      rows_[row].leased_until = 0;
      // Back at waiting it may fold into its twin, or the other way round.
      rows_[row].may_be_gone = true;
    } else if (message.command == "PAUSED" || message.command == "DRAINING" || message.command == "RESUMED") {
      standing_ = message.command;
    } else if (message.command == "ERROR") {
      note_refusal(line, row, message);
    }
  }

  void note_refusal(std::string const& line, std::string const&, Message const& message) {
    std::string_view const code = message.text("code");
    std::string_view const refused = standing_ == "PAUSED" ? "NEXT" : standing_ == "DRAINING" ? "INSERT" : "nothing";
    if (code == "paused" && line.starts_with(refused)) return;
    if (code != "unknown_row" && code != "stale_epoch" && code != "not_leased" && code != "expired" &&
        code != "wrong_state" && code != "no_space")
      wrong("refused for no reason: " + line + ": " + std::string{code} + " " + std::string{message.text("message")});
  }

  void note_lease(std::string const& row, Message const& message) {
    Known& known = rows_[row];
    std::uint64_t const epoch = static_cast<std::uint64_t>(message.integer("epoch").value_or(0));
    if (known.gone) wrong("row " + row + " was ended and is handed out again");
    if (epoch <= known.highest_epoch)
      wrong("row " + row + ": lease epoch " + std::to_string(epoch) + " after " + std::to_string(known.highest_epoch));
    if (known.leased_until > world_.now().value)
      wrong("row " + row + " is handed out while it is leased until " + std::to_string(known.leased_until));
    known.highest_epoch = epoch;
    known.leased_until = *message.integer("lease_end");
    held_[row] = {std::string{message.text("epoch")}, known.leased_until};
  }

  // After a time-out a row may have folded into its twin or expired.
  void time_passed() {
    for (auto& [row, known] : rows_)
      if (known.highest_epoch != 0 && known.leased_until <= world_.now().value) known.may_be_gone = true;
  }

  // Its leases end with the grace at the latest; 10 s in jobs.xml.
  void close_client_in_books() {
    for (auto& [row, known] : rows_)
      if (known.leased_until > world_.now().value + 10'000) known.leased_until = world_.now().value;
  }

  void crash(bool power) {
    ++result_.crashes;
    // Something is under way when it happens.
    world_.send("c0", "INSERT table=jobs;name=unheard;payload=y");
    world_.send("c0", "NEXT table=jobs");
    if (draw(2) == 0) world_.settle();
    if (power) {
      world_.power_cut();
    } else {
      world_.kill();
    }
    start_again(power);
  }

  void start_again(bool leases_may_be_lost) {
    for (auto& [row, known] : rows_) {
      if (leases_may_be_lost) known.leased_until = 0;
      if (!known.gone) known.may_be_gone = known.may_be_gone || known.highest_epoch != 0;
    }
    wrong_if(world_.start());
    if (result_.wrong.empty()) note_unheard_leases();
    if (result_.wrong.empty()) compare_everything();
  }

  // A NEXT whose answer nobody heard leased a row all the same: once it is over, the row may fold into its twin.
  void note_unheard_leases() {
    world_.send("judge", "LIST table=jobs;status=processing;count=1000");
    world_.settle();
    while (std::optional<std::string> const line = world_.take_line("judge")) {
      Message message;
      wrong_if(wire::parse_line(*line, message));
      if (message.command == "ROW") rows_[std::string{message.text("row")}].may_be_gone = true;
    }
  }

  void compare_digest() {
    ++result_.looks;
    Result<std::uint64_t> const replayed = world_.replayed_digest();
    if (!replayed.ok()) return wrong("the log cannot be replayed: " + replayed.status().text());
    if (replayed.value() != world_.engine().digest()) wrong("digest(live) differs from digest(replayed)");
  }

  // Every row that must be there is, and none that must not.
  void compare_everything() {
    compare_digest();
    for (auto const& [row, known] : rows_) {
      if (!known.gone && (known.may_be_gone || !known.told)) continue;
      world_.send("judge", "PEEK table=jobs;row=" + row);
      world_.settle();
      std::string const answer = world_.take_line("judge").value_or("(no answer)");
      bool const there = answer.starts_with("ROW ");
      if (known.gone && there) return wrong("row " + row + " was ended and is there again");
      if (!known.gone && !there)
        return wrong("row " + row + " was acknowledged (" + known.key.substr(0, 80) + ") and is lost: " + answer);
    }
  }

  std::mt19937_64 random_;
  World world_;
  std::uint64_t steps_;
  std::map<std::string, Known> rows_;
  std::map<std::string, Held> held_;
  std::string standing_{"RESUMED"};
  PlayResult result_;
};

}  // namespace

PlayResult play(std::uint64_t seed, std::uint64_t steps, bool lying_disk) {
  return Player{seed, steps, lying_disk}.run();
}

}  // namespace fastjournal::sim
