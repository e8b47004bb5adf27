// A log that several nodes share, as this one knows it. While another node decides, the records that come are applied as
// in a replay: a recovery that never ends. When this node becomes the owner, what a start does follows: the declarations
// of conf/, the grace of leases, prepared transactions. When it is the owner no more, all of it is dropped.
//
// It is told by the log (log::Following) and driven by the owner of both, once a turn: advance(), and take_over() while
// that has more to do.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "engine/alerting.h"
#include "engine/configuration.h"
#include "engine/due_tables.h"
#include "engine/memory.h"
#include "engine/moving.h"
#include "engine/recovery.h"
#include "engine/tables.h"
#include "engine/transactions/branches.h"
#include "engine/transactions/transactions.h"
#include "engine/waiting/service.h"
#include "fastjournal/histogram.h"
#include "log/shared_log.h"

namespace fastjournal::engine {

class FollowedLog final : public log::Following {
 public:
  struct Parts {
    Tables& tables;
    Recovery& recovery;
    Configuration const& configuration;
    DueTables& due_tables;
    Memory& memory;
    Alerting& alerting;
    work::Service& service;
    Transactions& transactions;
    Branches& branches;
    Moving& moving;
  };
  FollowedLog(HostedLog& log, Parts const& parts) : log_(log), parts_(parts) {}

  [[nodiscard]] HostedLog& hosted() { return log_; }

  // -- log::Following ---------------------------------------------------------
  void on_reset(std::uint64_t store_id, Lsn base) override;
  [[nodiscard]] Status on_record(RecordView const& record) override;

  // -- a turn -----------------------------------------------------------------
  // Applies what has come. `is_current`: SharedLog::is_current(), before which the catalogue may be incomplete. A long
  // log is applied in several turns; true: more is left.
  [[nodiscard]] bool advance(bool is_current, TimeMs now);
  // Everything that came is in the tables.
  [[nodiscard]] bool is_caught_up() const { return log_.hosted && chunks_.empty() && !is_reset_; }
  // A table came whose records were passed over. Asked once.
  [[nodiscard]] bool take_read_anew() { return std::exchange(log_.must_read_anew, false); }
  // Not ok: why this node cannot decide: a plugin or a table's file is missing, or does not fit. It goes on following
  // what it can, and tries again after retry().
  [[nodiscard]] Status const& trouble() const { return trouble_; }
  // Not ok: this node follows, and what its files declare does not fit the tables that the owner has made. Looked at when
  // either changes, and now and then, as rows come and go.
  [[nodiscard]] Status const& misfit() const { return misfit_; }
  // The tables that are declared for the log, by name.
  [[nodiscard]] std::vector<log::DeclaredTable> declared() const;
  // The configuration was changed. True: the log is to be followed anew.
  [[nodiscard]] bool retry();

  // This node is the owner, and everything was applied.
  enum class TakeOver : std::uint8_t {
    over,     // the tables can serve
    goes_on,  // in the next turn
    waits,    // for room in the log: what was appended must become durable
  };
  // Not ok: it cannot decide.
  [[nodiscard]] Result<TakeOver> take_over(TimeMs now);
  // Another node decides, or may do so by now: the tables are dropped, and their waiting clients are told.
  void let_go(Status const& why, TimeMs now);
  // From the date of what came to the moment in which it was applied, in ms: of turns in which something was. With
  // clocks of two computers.
  [[nodiscard]] Histogram const& lag_ms() const { return lag_ms_; }
  // Tables came or went since the last call.
  [[nodiscard]] bool take_changed() { return std::exchange(has_changed_, false); }

 private:
  // Records whose bytes are here.
  struct Chunk {
    std::string bytes;
    std::vector<RecordView> records;
    std::size_t applied{0};
  };

  void drop_all(Status const& why);
  [[nodiscard]] Status read_catalogue();
  [[nodiscard]] Status apply(RecordView const& record);
  [[nodiscard]] TakeOver give_grace(TimeMs now);

  HostedLog& log_;
  Parts parts_;
  std::deque<Chunk> chunks_;  // not applied so far
  Lsn last_{};                // the last record that came
  bool is_reset_{true};       // what was applied before is void
  std::uint64_t store_id_{0};
  Lsn base_{};
  Status trouble_;
  Status misfit_;
  TimeMs look_at_fit_{};
  bool has_changed_{false};
  bool has_applied_{false};  // since memory was counted
  bool was_caught_up_{false};
  Histogram lag_ms_;
  enum class Step : std::uint8_t { declarations, leases, transactions };
  Step step_{Step::declarations};
  TableId with_grace_{};  // tables up to this one have had theirs
};

}  // namespace fastjournal::engine
