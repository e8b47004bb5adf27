// Checks all that the clients of one table of a random life (play() of lives.h) are sent: every answer and push is held against
// what was promised before. A table that is not kept on disk promises nothing beyond the daemon's end, and must be
// empty afterwards.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fastjournal/message.h"
#include "tests/support/life.h"
#include "tests/world/world.h"

namespace fastjournal::sim {

// What the oracles of a life share.
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
  test::LifeResult result;
  bool is_failing{false};   // a write or sync may fail, also one that makes a segment
  bool is_full{false};      // the disk may be full
  bool tells_wakes{false};  // wakes of the first table go to a communicatord's service
};

class ClientOracle {
 public:
  static constexpr std::uint64_t kClients = 4;

  // Each table has its own clients, named by this letter and a number.
  ClientOracle(Life& life, std::string table, char clients, bool is_kept)
      : life_(life), world_(life.world), table_(std::move(table)), letter_(clients), is_kept_(is_kept) {}

  [[nodiscard]] std::string const& table() const { return table_; }
  [[nodiscard]] std::string client_name(std::uint64_t number) const { return letter_ + std::to_string(number); }
  // "INSERT table=jobs" and `more`, which begins with ";" or is empty.
  [[nodiscard]] std::string command(std::string const& name, std::string const& more = {}) const {
    return name + " table=" + table_ + more;
  }
  // Sends one command and takes all of its answers.
  void exchange(std::string const& client, std::string const& line);
  // The table has no keys: each INSERT must be answered by a new row.
  void expect_no_merges() { merges_ = false; }

  // Rows, by number, that a client has or had a lease of.
  struct Held {
    std::string epoch;
    std::int64_t end;  // ms
  };
  [[nodiscard]] std::map<std::string, Held> const& held() const { return held_; }
  // PAUSED, DRAINING or RESUMED, as last answered.
  [[nodiscard]] std::string const& standing() const { return standing_; }

  // The client is about to send LISTEN with this. Call it before the command: rows that are due come with its answer.
  void listens(std::string const& client, std::string const& mode, std::uint64_t credit);
  [[nodiscard]] bool is_listening(std::string const& client) const { return listening_.contains(client); }
  void closed(std::string const& client);

  void time_begins();
  void time_ends();
  // `ms` passed in one step: leases end that much later.
  void time_is_lost(std::int64_t ms);
  void hear_pushes() { hear({}); }
  // A message told another service of work.
  void told_of_work() { stirred_ = world_.now().value; }

  // The daemon was started again.
  void begin_again(bool leases_may_be_lost);
  // Notes the leases of a NEXT whose answer nobody got: a row that times out may fold into its twin.
  void note_unheard_leases();
  void end_with_the_grace();

  // Checks: while a row is due, no listener has credit left, and if one is idle, one was woken.
  void nobody_waits_in_vain();
  // Checks that every row that must exist does, and none that must not.
  void compare_rows();

 private:
  struct Known {
    std::string key;
    std::uint64_t highest_epoch{0};
    std::int64_t leased_until{0};  // ms; by a client that has not given it up
    bool told{false};              // its INSERT was acknowledged
    bool may_be_gone{false};       // an answer was lost, or it may have timed out or expired
    bool gone{false};              // its end was acknowledged
  };
  // What a client listens to, and what it was sent.
  struct Listening {
    std::string mode;
    std::uint64_t credit{0};
    std::map<std::string, std::int64_t> delivered;  // deliver: row -> end of its lease, ms
    std::set<std::string> told;                     // rows announced
    bool idle{true};                                // wake: its last NEXT found nothing
    bool woken{false};                              // wake: it has taken nothing since
    bool passed_over{false};                        // wake: others may be woken instead, as time has passed
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
  std::int64_t stirred_{0};  // ms; of the latest wake message, lease or begin of wake messages
  std::string asker_;        // the client whose command is being answered
  std::string new_row_;      // inserted by it, and due
};

}  // namespace fastjournal::sim
