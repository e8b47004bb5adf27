// The clients that wait for work of the server, and the messages that they may and must get: NEXTs with `wait`, and
// listeners in all three modes. Rows that they get are compared with the reference; no client may wait while there is a
// row for it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/model/reference.h"
#include "tests/model/subject.h"
#include "tests/support/life.h"

namespace fastjournal::reference {

class Watchers {
 public:
  explicit Watchers(test::Counts& count) : count_(count) {}

  // LISTEN, UNLISTEN and their answers.
  std::string hear(Reference const& table, std::string const& client, Texts const& command, Texts const& answer);
  // Makes a LISTEN name the client's present domain. It listens to one at a time, so that the domain of a row is known.
  void keep_domain(std::string const& client, Texts& command) const;
  // A NEXT that found nothing and waits.
  void wait(Reference const& table, std::string const& client, Texts const& command);
  // Messages that are not answers to this turn's commands. `after_each` gets the state before each row handed out;
  // `at_once`: some of these were done by that.
  std::string hear_pushes(Reference& table, Oracle& oracle, std::vector<Heard> const& pushes,
                          std::vector<Reference>& after_each, bool& at_once);
  // At the end of a turn: no client waits in vain.
  [[nodiscard]] std::string check(Reference& table);
  // The client sent a NEXT.
  void took(Reference const& table, std::string const& client, bool nothing);
  // A lease ended, or was taken over by `but`.
  void forget_row(std::uint64_t row, std::string const& but = {});
  // Removes deliveries whose lease has ended.
  void forget_ended(Reference const& table);
  void close(std::string const& client);
  void clear();
  // When a wait ends, or a woken listener is passed over.
  [[nodiscard]] std::int64_t next_deadline(Reference const& table) const;
  // True if a row that becomes due would be taken.
  [[nodiscard]] bool takes() const;

 private:
  struct Listener {
    std::string mode;
    std::string domain;
    std::string worker;
    std::uint64_t credit{0};
    std::set<std::uint64_t> delivered;  // deliver: rows still leased to it
    std::set<std::uint64_t> to_tell;    // row: rows that were due when it began to listen
    std::set<std::uint64_t> told;       // row: rows announced in this turn
    bool idle{true};                    // wake: its last NEXT found nothing
    bool by_the_way{false};             // wake: asked for another domain while there was work: wake time open
    bool woken{false};                  // wake: it has taken nothing since
    std::int64_t woken_at{0};
  };
  struct Waiter {
    std::string client;
    Texts command;
    std::int64_t deadline;
  };

  // A row that was handed out, in the order of that: with an epoch that says it, or done at once, without one.
  struct Given {
    std::vector<Heard const*> by_epoch;                        // what is left of them
    std::map<std::string, std::vector<Heard const*>> at_once;  // by client, what is left
    std::vector<Heard const*> order;                           // found so far
    std::vector<Reference> before_each;
    int tries{0};
  };

  std::string hand_out(Reference& table, Heard const& heard) const;
  bool find_order(Reference& table, Oracle& oracle, Given& given, std::string& wrong) const;
  std::string hear_row(Reference const& table, Heard const& heard);
  std::string hear_notice(Reference const& table, Heard const& heard);
  std::string hear_waiter(Reference const& table, std::vector<Reference const*> const& states, Heard const& heard);

  std::map<std::string, Listener> listeners_;  // by client: one each
  std::map<std::string, Waiter> waiters_;      // by request
  test::Counts& count_;
};

}  // namespace fastjournal::reference
