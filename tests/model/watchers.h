// Those who wait for work of the server, and what they may and must hear: NEXTs
// with `wait`, and listeners in all three modes. Rows that they are handed are held against the
// reference; nobody may wait while there is something for him.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/model/reference.h"
#include "tests/model/subject.h"

namespace fastjournal::reference {

class Watchers {
 public:
  using Count = std::map<std::string, std::uint64_t>;

  explicit Watchers(Count& count) : count_(count) {}

  // LISTEN, UNLISTEN and their answers.
  std::string hear(Reference const& table, std::string const& client, Texts const& command, Texts const& answer);
  // A client listens to one domain at a time, so that it is known for which a row came: says that one in a LISTEN.
  void keep_domain(std::string const& client, Texts& command) const;
  // A NEXT that found nothing and waits.
  void wait(Reference const& table, std::string const& client, Texts const& command);
  // What was heard without being the answer of this turn's commands. `handed`: rows were handed out by it.
  std::string hear_pushes(Reference& table, std::vector<Heard> const& pushes, std::vector<Reference>& after_each);
  // At rest: nobody waits in vain.
  [[nodiscard]] std::string check(Reference& table);
  // The client asked for work.
  void took(Reference const& table, std::string const& client, bool nothing);
  // A lease ended, or is another's now.
  void forget_row(std::uint64_t row, std::string const& but = {});
  // Deliveries whose lease time ended.
  void forget_ended(Reference const& table);
  void close(std::string const& client);
  void clear();
  // When a wait is over, or a woken listener is passed over.
  [[nodiscard]] std::int64_t next_deadline(Reference const& table) const;
  // Somebody would take what becomes due.
  [[nodiscard]] bool takes() const;

 private:
  struct Listener {
    std::string mode;
    std::string domain;
    std::string worker;
    std::uint64_t credit{0};
    std::set<std::uint64_t> delivered;  // deliver: and still leased to it
    std::set<std::uint64_t> to_tell;    // row: what was due when it came
    std::set<std::uint64_t> told;       // row: in this turn
    bool idle{true};                    // wake: it asked and got nothing
    bool by_the_way{false};             // wake: of another domain, while there was work: when it is told is left open
    bool woken{false};                  // wake: and took nothing since
    std::int64_t woken_at{0};
  };
  struct Waiter {
    std::string client;
    Texts command;
    std::int64_t deadline;
  };

  std::string hand_out(Reference& table, Heard const& heard) const;
  std::string hear_row(Reference const& table, Heard const& heard);
  std::string hear_notice(Reference const& table, Heard const& heard);
  std::string hear_waiter(Reference const& table, Heard const& heard);

  std::map<std::string, Listener> listeners_;  // by client: one each
  std::map<std::string, Waiter> waiters_;      // by request
  Count& count_;
};

}  // namespace fastjournal::reference
