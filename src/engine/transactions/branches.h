// Branches of distributed transactions (XA): a transaction under a name that a transaction manager gives it, worked on
// by connections that are associated with it, and prepared before it is committed, so that other resources can be asked
// as well. A prepared one is in the log (log/transaction_book.h) and stays, with what it holds, over every start: only
// the manager ends it, or an operator, whose decision is kept until the manager knows it. With commands of several logs
// it is in each of them, and TwoPhase brings all to the same end.
//
// Parts of transactions whose home log is lost (two_phase.h) stand among the branches: an operator ends them.
//
// The states and codes are those of the XA specification: each refusal has the fact `xa` (XAER_NOTA, XAER_PROTO, ...).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/alerting.h"
#include "engine/shortages.h"
#include "engine/tables.h"
#include "engine/transactions/transactions.h"
#include "engine/transactions/two_phase.h"
#include "log/transaction_book.h"

namespace fastjournal::engine {

class Branches {
 public:
  // Of a part of an xid, in bytes.
  static constexpr std::size_t kXidPartBytesMax = 255;
  // Branches that there may be at once; of these of one user or peer, and of all peers that have not logged in. The rest
  // is kept for administrators, who begin some until there are kMost.
  static constexpr std::size_t kMost = 10'000;
  static constexpr std::size_t kMostOfOrigin = kMost / 5;
  static constexpr std::size_t kMostOfPeers = kMost / 2;
  static constexpr std::size_t kKept = kMost / 10;
  // The records of prepared ones of one log, together; of one user or peer the half.
  static constexpr std::uint64_t kPreparedBytesMax = TwoPhase::kPreparedBytesMax;
  static constexpr std::uint64_t kPreparedBytesOfOrigin = kPreparedBytesMax / 2;
  // Room that all but administrators leave.
  static constexpr std::uint64_t kPreparedBytesKept = kPreparedBytesMax / 8;
  // In doubt for longer than this: an alert.
  static constexpr DurationMs kLongInDoubt{3'600'000};

  enum class Start : std::uint8_t { begin, join, resume };
  enum class End : std::uint8_t { success, suspend, fail };
  // The asking user.
  struct Caller {
    ConnectionId connection{};
    std::string_view origin{};
    bool is_operator{false};          // may end those of others, and begin some when others may not
    Message const* command{nullptr};  // which is answered
  };

  struct Parts {
    Tables const& tables;
    Alerting& alerting;
    Shortages& shortages;
    Transactions& transactions;
    TwoPhase& two_phase;
  };
  explicit Branches(Parts const& parts) : parts_(parts) {}
  Branches(Branches const&) = delete;
  Branches& operator=(Branches const&) = delete;

  // -- the manager's ----------------------------------------------------------------
  // `xid`: FORMAT:GTRID:BQUAL, a number and two strings of hexadecimal digits.
  [[nodiscard]] static Status check_xid(std::string_view xid);
  [[nodiscard]] Status start(Caller const& caller, std::string_view xid, Start how, DurationMs timeout, TimeMs now);
  // How long those last that this connection begins without a time of their own; none: as the configuration says.
  void set_timeout(ConnectionId connection, std::optional<DurationMs> timeout);
  [[nodiscard]] DurationMs timeout_of(ConnectionId connection) const;
  [[nodiscard]] Status end(Caller const& caller, std::string_view xid, End how, TimeMs now);
  [[nodiscard]] Outcome prepare(Caller const& caller, std::string_view xid, TimeMs now, Answer& answer);
  [[nodiscard]] Outcome commit(Caller const& caller, std::string_view xid, bool one_phase, TimeMs now, Answer& answer);
  [[nodiscard]] Outcome roll_back(Caller const& caller, std::string_view xid, TimeMs now, Answer& answer);
  // Of one that an operator has decided.
  [[nodiscard]] Outcome forget(Caller const& caller, std::string_view xid, TimeMs now, Answer& answer);
  // Those in doubt, in the order of their xids, behind `after`; with `all` also the others, with their states.
  void recover(Caller const& caller, bool all, std::string_view after, std::size_t count, TimeMs now,
               Answer& answer) const;
  // -- an operator's -------------------------------------------------------------------
  // One that is in doubt.
  [[nodiscard]] Outcome decide(Caller const& caller, std::string_view xid, log::Outcome outcome, TimeMs now,
                               Answer& answer);

  // -- others -------------------------------------------------------------------------
  void connection_closed(ConnectionId connection, TimeMs now);
  // Before declarations come into force, at a start or a reload. Not ok: a table of one in doubt would be another one.
  [[nodiscard]] Status check_tables(Declarations const& next) const;
  // At a start, once all tables are there: what is in doubt holds again what it held.
  [[nodiscard]] Status restore(TimeMs now);
  // The same of one log, which has none over several logs.
  [[nodiscard]] Status restore(HostedLog& log, TimeMs now);
  // Another node decides for this log: it restores what is prepared there.
  void let_go(HostedLog const& log, TimeMs now, Status const& why);
  // Raises and lowers the alert; forgets those that were rolled back long ago, and whose manager never came back.
  void look(TimeMs now);
  [[nodiscard]] TimeMs next_due() const { return look_at_; }
  [[nodiscard]] std::size_t in_doubt() const { return in_doubt_; }

 private:
  struct Branch {
    TransactionId transaction{};  // none: it was decided, and is only remembered
    std::string origin;
    std::size_t associated{0};  // connections that work on it
    bool is_suspended{false};
    HostedLog* log{nullptr};  // of one that is prepared or decided; home, if there are several
    ObjectId object{};
    std::size_t held{0};                // room for its end there
    std::vector<TwoPhase::Part> parts;  // in other logs
    std::vector<std::uint64_t> others;  // the store ids of these
    bool is_home_lost{false};           // these are parts alone: only an operator ends it
    TimeMs prepared{};
    log::Outcome decided{log::Outcome::none};
    TimeMs decided_at{};

    // Also of logs that are not there now.
    [[nodiscard]] bool has_parts() const { return !parts.empty() || !others.empty(); }
    [[nodiscard]] bool is_prepared() const { return !object.is_none() && decided == log::Outcome::none; }
  };
  using Found = std::map<std::string, Branch, std::less<>>::iterator;

  // Not ok: there is none that the caller may end.
  [[nodiscard]] Status find(Caller const& caller, std::string_view xid, Found& found);
  // It has commands of several logs.
  [[nodiscard]] Status prepare_in_all(Found found, Transaction& one, Caller const& caller, TimeMs now);
  [[nodiscard]] Outcome end_in_all(Found found, Caller const& caller, log::Outcome outcome, bool is_decided, TimeMs now,
                                   Answer& answer);
  // Whether one more may begin.
  [[nodiscard]] Status check_share(Caller const& caller) const;
  // Whether one with records of so many bytes in this log may be prepared.
  [[nodiscard]] Status check_prepared(Caller const& caller, std::string_view origin, HostedLog const& log,
                                      std::size_t bytes) const;
  // It is not worked on, and no operator has decided it.
  [[nodiscard]] static Status check_ends(Branch const& branch);
  [[nodiscard]] Status check_tables_of(HostedLog const& log, log::TransactionBook::Entry const& entry,
                                       Declarations const& next) const;
  [[nodiscard]] Status restore(HostedLog& log, log::TransactionBook::Entry const& entry, TimeMs now);
  [[nodiscard]] Status restore_part(HostedLog& log, log::TransactionBook::Entry const& entry, TimeMs now);
  void remember_lost(HostedLog& log, log::TransactionBook::Entry const& part, TimeMs now);
  // Its commands hold again what they held.
  [[nodiscard]] Status restore_ops(HostedLog& log, log::TransactionBook::Entry const& entry, Transaction& one);
  // It was rolled back before, and its manager hears of it now; then it is over.
  [[nodiscard]] Status tell_rolled_back(Found found);
  [[nodiscard]] static Status why_rolled_back(std::string_view xid, Transaction const& one);
  // Records of the catalogue alone, in a group of their own.
  [[nodiscard]] Status log_alone(HostedLog& log, TimeMs now, std::size_t bytes, bool removes,
                                 std::function<void(Records&)> const& append);
  Branch& add(std::string_view xid, std::string_view origin);
  void associate(ConnectionId connection, Branch& branch);
  void leave(ConnectionId connection, Branch& branch);
  void erase(Found found);
  [[nodiscard]] static std::string_view state_of(Branch const& branch, Transaction const* transaction);

  Parts parts_;
  std::map<std::string, Branch, std::less<>> branches_;
  std::map<std::string, std::size_t, std::less<>> of_origin_;  // number of branches
  std::size_t of_peers_{0};                                    // those of peers that have not logged in
  // Of connections that work on one; they are known before all others when they end. A map: branches stay where they are.
  std::map<ConnectionId, Branch*> worked_on_;
  std::map<ConnectionId, DurationMs> timeouts_;  // of connections that have set one
  std::size_t in_doubt_{0};
  TimeMs look_at_{TimeMs::max()};
};

}  // namespace fastjournal::engine
