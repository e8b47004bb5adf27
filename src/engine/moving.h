// A table moves from one log to another while it serves, with its rows and their numbers. One at a time.
//
// It is a recovery of a second table from the first one's records: from some place on each record of the table goes to
// the other log as well, and all objects whose records are older are compacted once. Then the second table is what the
// first one is, as after a start that reads from there. For a moment, until both logs are synced, nothing is decided.
//
//   aligning   the other log goes on at an LSN beyond all of this one, as rows are numbered by LSNs
//   copying    records go to both logs
//   leaving    the table's log says to which store and number it goes: from here on nothing is decided
//   arriving   the other log's catalogue has it: this is the moment at which it has moved
//   settling   it is dropped from its log, and served from the other one, after the grace of its leases
//
// Whatever happens, one catalogue decides: a table that leaves is over once the catalogue to which it leaves has it,
// and stays if that one does not, and no node can write it there any more (settle). While that log is away this is
// unknown, and the table is not served.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/alerting.h"
#include "engine/configuration.h"
#include "engine/decider.h"
#include "engine/due_tables.h"
#include "engine/memory.h"
#include "engine/recovery.h"
#include "engine/tables.h"
#include "engine/transactions/branches.h"
#include "engine/transactions/transactions.h"
#include "engine/transactions/two_phase.h"

namespace fastjournal::engine {

class Moving final : private Mirror {
 public:
  struct Parts {
    Tables& tables;
    Configuration& configuration;
    Recovery& recovery;
    DueTables& due_tables;
    Memory const& memory;
    Alerting& alerting;
    Decider& decider;
    Transactions& transactions;
    Branches const& branches;
    TwoPhase const& two_phase;
  };
  explicit Moving(Parts const& parts) : parts_(parts) {}
  Moving(Moving const&) = delete;
  Moving& operator=(Moving const&) = delete;

  enum class Step : std::uint8_t { none, aligning, copying, leaving, arriving, settling, grace };

  // The table goes to that log. Not ok: why it cannot, and nothing was changed.
  [[nodiscard]] Status begin(HostedTable& table, HostedLog& to, TimeMs now);
  [[nodiscard]] bool is_under_way() const { return step_ != Step::none; }
  // Not ok: a move is under way, and the configuration must not change meanwhile.
  [[nodiscard]] Status check_rest() const;
  // After every log committed. True: another turn is wanted at once.
  [[nodiscard]] bool committed(TimeMs now);
  // When it wants a turn without a cause.
  [[nodiscard]] TimeMs next_due() const {
    return parts_.tables.has_leaving() ? std::min(look_at_, settle_at_) : look_at_;
  }
  // Nothing is decided for tables of this log any more, which are about to be dropped from memory.
  void log_lost(HostedLog const& log, TimeMs now);
  // Tables that were leaving when a start, or the loss of a log, came between: those of which the other log tells go on
  // where that one says. The others are asked for again.
  void settle(TimeMs now);

  // An operator decides that a table in doubt stays, as the other log does not come back. Not ok: that one has told in
  // the end, it is being moved, or there is no room.
  [[nodiscard]] Status keep(HostedTable& table, TimeMs now);

  // The current one, or the last.
  struct Figures {
    std::string table;  // empty: there was none
    std::string from;
    std::string to;
    std::string_view step;    // "copying", ..., "moved", "stayed" or "in doubt", which settle() ends
    std::uint64_t copied{0};  // bytes
    std::uint64_t total{0};   // of the table when it began
    std::int64_t pause_ms{0};
    Status why;  // not ok: why it stayed, or what is missing
  };
  [[nodiscard]] Figures const& figures() const { return figures_; }

 private:
  // Mirror
  void note(RecordView const& record) override;
  void group_ended(TimeMs now) override;

  void set_step(Step step, TimeMs now);
  [[nodiscard]] bool align(TimeMs now);
  [[nodiscard]] Status make_copy();
  [[nodiscard]] bool copy(TimeMs now);
  void leave(TimeMs now);
  void arrive(TimeMs now);
  [[nodiscard]] bool drop_here(TimeMs now);
  [[nodiscard]] bool give_grace(TimeMs now);
  // False: unknown so far.
  [[nodiscard]] bool settle(HostedTable& table, TimeMs now);
  [[nodiscard]] Status stay_here(HostedTable& table, TimeMs now);
  void wake(HostedLog& log);
  void host_copy(TimeMs now);
  // The table stays where it is.
  void stay(Status why, TimeMs now);
  void end(std::string_view how);
  [[nodiscard]] Status check_transactions(HostedTable const& table) const;
  [[nodiscard]] Status set_leaving(HostedTable& table, log::Catalogue::Move const& move, TimeMs now);

  Parts parts_;
  Step step_{Step::none};
  Figures figures_;
  TimeMs look_at_{TimeMs::max()};
  TimeMs since_{};  // the begin of the step, or when it last got on
  HostedTable* table_{nullptr};
  HostedLog* from_{nullptr};
  HostedLog* to_{nullptr};
  std::unique_ptr<Table> copy_;  // as it will be there
  TableId id_{};                 // its number there
  Lsn copy_below_{};             // objects whose records are below are still to be copied
  Lsn needed_{};                 // what must be durable before the next step
  bool is_declared_{false};      // in the catalogue of the other log, though maybe not durably
  TimeMs paused_at_{};
  TimeMs settle_at_{};  // not before
  Status failed_;       // of the mirror

  // Records of the group that is open, for the other log.
  struct Noted {
    RecordView record;
    std::size_t begin{0};
  };
  std::vector<Noted> noted_;
  std::string bytes_;
};

}  // namespace fastjournal::engine
