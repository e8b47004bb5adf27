// What the clients of one table of a random life (play.h) were told, and what it promises them: every answer and
// push is held against it. Of a table that is not kept, nothing is promised beyond the daemon's end, and
// nothing may be there.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fastjournal/message.h"
#include "tests/world/play.h"
#include "tests/world/world.h"

namespace fastjournal::sim {

// What all of a life's books need of it.
struct Life {
  explicit Life(std::uint64_t seed) : world(seed) {}
  void wrong(std::string text) {
    if (result.wrong.empty() && !text.empty()) result.wrong = std::move(text);
  }
  void wrong_if(Status const& status) {
    if (!status.ok()) wrong(status.text());
  }
  [[nodiscard]] bool is_right() const { return result.wrong.empty(); }

  World world;
  PlayResult result;
  bool is_failing{false};   // a call may fail now: also one that makes a container
  bool is_full{false};      // so may the disk be
  bool tells_wakes{false};  // of the first table, to a service of a communicatord
};

class ClientOracle {
 public:
  static constexpr std::uint64_t kClients = 4;

  // Each table has clients of its own, named by a letter and a number.
  ClientOracle(Life& life, std::string table, char clients, bool is_kept)
      : life_(life), world_(life.world), table_(std::move(table)), letter_(clients), is_kept_(is_kept) {}

  [[nodiscard]] std::string const& table() const { return table_; }
  [[nodiscard]] std::string client_name(std::uint64_t number) const { return letter_ + std::to_string(number); }
  // "INSERT table=jobs" with what follows; `more` begins with ";" or is empty.
  [[nodiscard]] std::string command(std::string const& name, std::string const& more = {}) const {
    return name + " table=" + table_ + more;
  }
  // One command and all of its answers.
  void exchange(std::string const& client, std::string const& line);
  // Its rows have no keys: each INSERT says that it made one.
  void expect_no_merges() { merges_ = false; }

  // Rows that somebody holds, or held, by number.
  struct Held {
    std::string epoch;
    std::int64_t end;  // ms
  };
  [[nodiscard]] std::map<std::string, Held> const& held() const { return held_; }
  // PAUSED, DRAINING or RESUMED: the last word.
  [[nodiscard]] std::string const& standing() const { return standing_; }

  // It says so next. Before the command: what is due already comes with its answer.
  void listens(std::string const& client, std::string const& mode, std::uint64_t credit);
  [[nodiscard]] bool is_listening(std::string const& client) const { return listening_.contains(client); }
  void closed(std::string const& client);

  void time_begins();
  void time_ends();
  // It passed at once: leases end so much later.
  void time_is_lost(std::int64_t ms);
  void hear_pushes() { hear({}); }
  // Somebody else was told of work.
  void told_of_work() { stirred_ = world_.now().value; }

  // After a start.
  void begin_again(bool leases_may_be_lost);
  // A NEXT whose answer nobody heard leased a row all the same: once it is over, the row may fold into its twin.
  void note_unheard_leases();

  // While a row is due no listener has credit, and somebody was woken if anybody is idle.
  void nobody_waits_in_vain();
  // Every row that must be there is, and none that must not.
  void compare_rows();

 private:
  struct Known {
    std::string key;
    std::uint64_t highest_epoch{0};
    std::int64_t leased_until{0};  // by somebody who has not given it up
    bool told{false};              // its INSERT was acknowledged
    bool may_be_gone{false};       // somebody may have ended it: an answer was lost, or time did
    bool gone{false};              // its end was acknowledged
  };
  // What a client listens to, and what it heard.
  struct Listening {
    std::string mode;
    std::uint64_t credit{0};
    std::map<std::string, std::int64_t> delivered;  // deliver: rows and the ends of their leases
    std::set<std::string> told;                     // row
    bool idle{true};                                // wake: it asked and got nothing
    bool woken{false};                              // wake: and took nothing since
    bool passed_over{false};                        // wake: perhaps, as time passed since then
  };
  struct Push {
    std::string client;
    std::string line;
  };

  void wrong(std::string text) { life_.wrong(table_ + ": " + std::move(text)); }
  [[nodiscard]] std::string ask_judge(std::string const& line);
  void hear(std::vector<Push> pushes);
  void note_wake(Listening& listening, std::string const& client);
  void note_delivery(Push const& push);
  void note_end(std::string const& line);
  void note(std::string const& line, Message const& message);
  void note_insert(std::string const& line, std::string const& row, Message const& message);
  void note_take(bool nothing);
  void note_touch(std::string const& row, std::int64_t lease_end);
  void note_refusal(std::string const& line, Message const& message);
  void note_lease(std::string const& row, Message const& message);
  void end_delivery(std::string const& row);
  void check_told();
  void forget_all();
  [[nodiscard]] std::uint64_t live(Listening const& listening);
  [[nodiscard]] bool may_lack_space(std::string const& line) const;

  Life& life_;
  World& world_;
  std::string table_;
  char letter_;
  bool is_kept_;
  bool merges_{true};
  std::map<std::string, Known> rows_;
  std::map<std::string, Held> held_;
  std::string standing_{"RESUMED"};
  std::map<std::string, Listening> listening_;  // by client
  bool time_passes_{false};
  std::int64_t stirred_{0};  // when it was told of work last, or something was leased, or it began to tell
  std::string asker_;        // whose command is answered
  std::string new_row_;      // due, and inserted by it
};

}  // namespace fastjournal::sim
