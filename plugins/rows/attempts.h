// The attempts of a row, which every table built on rows decides alike: it is leased to a worker, and the lease ends.
// Then the row waits, rests and waits, is merged into its waiting twin, is parked or held, or ends.
#pragma once

#include <cstdint>
#include <string_view>

#include "fastjournal/table.h"
#include "fastjournal/types.h"
#include "plugins/rows/leases.h"
#include "plugins/rows/records.h"
#include "plugins/rows/state.h"

namespace fastjournal::rows {

// The fate of a row whose lease ends without an answer.
enum class AtLeaseEnd : std::uint8_t {
  wait,  // another attempt, after a rest; parked after the last one
  park,  // no other attempt: an operator looks at it
  hold,  // what the worker did is unknown: neither given out again nor gone until an operator decides
};

struct AttemptRules {
  AtLeaseEnd at_lease_end{AtLeaseEnd::wait};
  std::uint8_t max_timeouts{5};
  std::uint8_t max_attempts{25};  // 0: no limit of its own
  std::uint8_t max_lifetime{100};
  bool delete_failed{false};  // in place of parking it
  BackOff formula{};
  std::int64_t back_off_first{1000};  // ms
  std::int64_t back_off_factor{2};
  std::int64_t back_off_max{600'000};
  std::int64_t back_off_jitter{10};  // percent
  bool keeps_history{false};         // what is left of rows and of attempts is kept (ended.h)
  bool keeps_place{false};           // a row that does not rest keeps its date, and so its place in the order

  // The date of an end that is kept; 0: it is not.
  [[nodiscard]] std::int64_t kept_at(TimeMs now) const { return keeps_history ? now.value : 0; }

  // How long a row rests after its n-th attempt (from 0), with jitter: a hash of row and lease epoch, as the core has
  // no randomness.
  [[nodiscard]] std::int64_t back_off(unsigned attempts, ObjectId row, LeaseEpoch epoch) const {
    return back_off(attempts, row, epoch, formula);
  }
  // The same by the formula of a row.
  [[nodiscard]] std::int64_t back_off(unsigned attempts, ObjectId row, LeaseEpoch epoch, BackOff const& own) const;
};

// The state of a row after an attempt.
struct Ended {
  enum How : std::uint8_t { waits, parked, held, deleted, moved } how;
  std::int64_t date;  // for which it, or its twin, waits
};

// Which attempt of a row is its last, and what becomes of the row then, where that differs from row to row.
class LastAttempts {
 public:
  [[nodiscard]] virtual bool is_last(std::uint32_t row, Counters const& counters) const = 0;
  // Appends where the row goes, in place of being parked or deleted. False: it goes nowhere.
  [[nodiscard]] virtual bool move(std::uint32_t row, GiveBackBody const& body, Decision& decision) const = 0;

 protected:
  ~LastAttempts() = default;
};

// Whose end ends what the command leases.
[[nodiscard]] inline ConnectionId holder_of(Command const& command) {
  return command.holds ? command.connection : ConnectionId{kNoConnection};
}

// Of one table, beside its state and its rules, which outlive it. Each call appends what it decides.
class Attempts {
 public:
  // `last`: null: the rules say it for all rows.
  Attempts(State const& state, AttemptRules const& rules, LastAttempts const* last = nullptr)
      : state_(state), rules_(rules), last_(last) {}

  // A waiting row is leased for that long. Returns the terms.
  Leases::Terms lease(std::uint32_t row, ConnectionId connection, std::string_view worker, std::int64_t span_ms,
                      Decision& decision) const;
  // A lease moves to this connection and worker, and lasts that long from now on.
  Leases::Terms renew(std::uint32_t row, ConnectionId connection, std::string_view worker, std::int64_t span_ms,
                      Decision& decision) const;
  // The row waits; or it is merged into its waiting twin, or removed because it has expired.
  Ended give_back(std::uint32_t row, GiveBackBody const& body, Decision& decision) const;
  // After an attempt that is counted in `body`: the row waits for the next one, or it was the last.
  Ended end(std::uint32_t row, GiveBackBody const& body, Decision& decision) const;
  Ended give_up(std::uint32_t row, GiveBackBody const& body, Decision& decision) const;
  // As its worker says, whatever the rules do with rows that failed.
  Ended park(std::uint32_t row, GiveBackBody const& body, Decision& decision) const;
  // A row that waits fails without an attempt: as its rules say of rows that failed.
  void fail_untried(std::uint32_t row, std::string_view error, Decision& decision) const;
  // The lease is over.
  Ended time_out(std::uint32_t row, Decision& decision) const;
  // Due now, with its attempts reset. The counter of its life stays, so that a poison row is noticed.
  Ended put_back(std::uint32_t row, Decision& decision) const;
  // A row ends, with nothing else to be decided. `result`: its worker's; kept if what is left of the row is.
  void remove(std::uint32_t row, Reason reason, Decision& decision, std::string_view result = {}) const {
    RemoveBody body = state_.removal(row, reason);
    body.kept_at = rules_.kept_at(decision.now);
    if (body.kept_at != 0) body.result = result;
    model::append_record(decision.records, state_.id_of(row), body);
  }
  // When a row may be handed out again after an attempt that was counted.
  [[nodiscard]] std::int64_t rested(std::uint32_t row, Counters const& counters, std::int64_t now) const;

 private:
  [[nodiscard]] bool is_last(std::uint32_t row, Counters const& counters) const;

  State const& state_;
  AttemptRules const& rules_;
  LastAttempts const* last_;
};

}  // namespace fastjournal::rows
