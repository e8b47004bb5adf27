// Two-phase commit of transactions over several logs, each of which syncs by itself, and may lose its tail by itself.
// Abort is presumed. One of the logs is home: the first that is not local, else the first by name. The others write a
// part first: their commands, with home's store id and the place in home up to which nothing can be lost any more. When
// all parts are durable, home carries its own commands out and writes the outcome, in one group. When that is durable,
// the others carry theirs out and end their parts; when that is durable, home forgets the outcome.
//
// So a start that finds a part asks home. The outcome is there: the part is carried out. It is not there, and home has
// all that it had when the part was prepared: there never was one, and the part is given up. Home is not there, or is
// an older copy of itself: the outcome is unknown, and the part is in doubt until an operator decides.
//
// Branches of a transaction manager (branches.h) go the same way: with XA_PREPARE home writes the branch in place of
// the outcome, which comes with XA_COMMIT or XA_ROLLBACK.
//
// A commit under way goes on whatever becomes of its connection. The durability of the logs drives it: the owner calls
// advance() in each turn before the logs are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "engine/alerting.h"
#include "engine/shortages.h"
#include "engine/tables.h"
#include "engine/transactions/answers_in_order.h"
#include "engine/transactions/transactions.h"
#include "engine/waiting/served_table.h"
#include "log/transaction_book.h"

namespace fastjournal::engine {

class TwoPhase {
 public:
  // Of the names (xid) of transactions that no manager began.
  static constexpr std::int32_t kOwnFormat = 0x464A4C54;
  // A log that had no room is asked again after this.
  static constexpr DurationMs kAgainAfter{1000};
  // Prepared ones of one log, together.
  static constexpr std::uint64_t kPreparedBytesMax = 64U << 20U;

  struct Parts {
    Tables const& tables;
    Alerting& alerting;
    Shortages& shortages;
    Transactions& transactions;
    work::ReplySink& replies;
  };
  explicit TwoPhase(Parts const& parts) : parts_(parts) {}
  TwoPhase(TwoPhase const&) = delete;
  TwoPhase& operator=(TwoPhase const&) = delete;

  // The part of a transaction in a log that is not its home.
  struct Part {
    HostedLog* log{nullptr};
    ObjectId object{};
    std::size_t held{0};          // room for its end (Log::hold)
    TransactionId transaction{};  // whose commands these are; none: they are given up
    bool is_ended{false};         // its end is appended,
    Lsn until{};                  // and what was appended last is durable once the log is here
    TimeMs again_at{};            // not zero: there was no room
  };
  // One that is prepared in all its logs.
  struct Prepared {
    HostedLog* home{nullptr};
    ObjectId object{};
    std::size_t held{0};
    std::vector<Part> parts;
    std::vector<std::uint64_t> absent;  // store ids of logs with parts that are not there
  };
  // The connection that is answered when it is over. `command` is needed during the call only.
  struct Asker {
    ConnectionId connection{};
    Message const* command{nullptr};
  };

  // COMMIT. Ok: it is answered later, by the ReplySink. Not ok: it was rolled back. Either way its connection has none.
  [[nodiscard]] Status commit(Transaction& one, Asker const& asker, TimeMs now);

  // -- for branches -----------------------------------------------------------------
  struct Name {
    std::string_view xid;
    std::string_view origin;
  };
  // Told once when it is over. Not ok: it was given up. What it returns is told to the asker; `prepared` and the answer,
  // which it fills in, are of prepare() alone.
  using Over = std::function<Status(Status const& status, Prepared prepared, Answer& answer)>;
  // As COMMIT, of a branch that is not prepared. `head`: the first message of the answer. Not ok: nothing was done.
  [[nodiscard]] Status commit(Transaction& one, Name const& name, Asker const& asker, TimeMs now, Answer const& head,
                              Over over);
  // Prepared in all its logs. Not ok: nothing was done.
  [[nodiscard]] Status prepare(Transaction& one, Name const& name, Asker const& asker, TimeMs now, Over over);
  // `head`: the first message of the answer. Not ok: nothing was done.
  struct End {
    log::Outcome outcome{};
    bool is_a_persons{false};   // the outcome is written, whichever it is,
    bool keeps_outcome{false};  // and stays until it is forgotten
    bool tells{false};          // the answers of the commands follow
    TimeMs prepared_at{};
  };
  [[nodiscard]] Status end(Transaction& one, Prepared& prepared, Name const& name, End const& how, Asker const& asker,
                           TimeMs now, Answer const& head, Over over);

  // -- a turn -----------------------------------------------------------------------
  void advance(TimeMs now);
  // One of them can go on.
  [[nodiscard]] bool wants_turn() const;
  [[nodiscard]] TimeMs next_due() const;
  [[nodiscard]] bool is_under_way() const { return !runs_.empty(); }
  [[nodiscard]] bool is_under_way(std::string_view xid) const;
  // Not ok: a table of one that is under way would be another one.
  [[nodiscard]] Status check_tables(Declarations const& next) const;

  // -- a start, once all logs are there -----------------------------------------------
  enum class Verdict : std::uint8_t {
    carry_out,
    give_up,
    in_doubt,   // home has the branch, and no outcome
    home_lost,  // it is not there, or an older copy of it is
  };
  [[nodiscard]] Verdict verdict(log::TransactionBook::Entry const& part) const;
  // The outcome of the part is known. Its commands were restored if they are to be carried out.
  void resolve(std::string_view xid, log::Outcome outcome, Part part);
  // After all parts: an outcome is forgotten when its parts have ended, and stays where a log with a part is not there.
  void restore_outcomes();

  // The one that decides.
  [[nodiscard]] static HostedLog& home_of(Transaction const& one);

 private:
  enum class Step : std::uint8_t {
    preparing,   // the parts are not durable yet
    deciding,    // nor what home wrote
    ending,      // the parts end
    forgetting,  // home still has the outcome
  };
  struct Run {
    std::string xid;
    std::string origin;
    Step step{Step::preparing};
    log::Outcome outcome{};  // none: it is prepared for a manager
    HostedLog* home{nullptr};
    ObjectId object{};        // there: the branch or the outcome
    bool has_outcome{false};  // ... to be forgotten
    bool is_needed{false};    // by a log that is not there: it stays
    bool tells{false};
    std::size_t held{0};
    Lsn until{};
    TimeMs again_at{};
    TimeMs began{};
    TransactionId transaction{};
    std::vector<Part> parts;
    std::vector<std::uint64_t> absent;
    ConnectionId connection{};
    Message command;
    Answer head;
    AnswersInOrder answers;
    Over over;
  };
  enum class Went : std::uint8_t { nowhere, on, to_its_end };

  [[nodiscard]] log::TransactionBook::Entry entry_of(Run const& run, log::TransactionBook::Role role) const;
  // The parts, and room for what follows. Not ok: nothing was done.
  [[nodiscard]] Status begin(Run& run, Transaction& one, Asker const& asker, TimeMs now);
  // Home's first record of an end. Not ok: nothing was done.
  [[nodiscard]] Status write_end(Run& run, Transaction& one, End const& how, TimeMs now);
  static void remember(Run& run, Asker const& asker);
  [[nodiscard]] Went go_on(Run& run, TimeMs now);
  [[nodiscard]] Went when_prepared(Run& run, TimeMs now);
  [[nodiscard]] Status write_branch(Run& run, Transaction const& one, TimeMs now);
  [[nodiscard]] Status write_outcome(Run& run, Transaction& one, TimeMs now);
  void give_up(Run& run, TimeMs now, Status const& why);
  // False: it has to wait.
  [[nodiscard]] bool end_part(Run& run, Part& part, TimeMs now);
  [[nodiscard]] Went forget(Run& run, TimeMs now);
  void answer(Run& run, Status const& status);
  [[nodiscard]] static bool are_durable(Run const& run);
  [[nodiscard]] static bool serve(Run const& run, HostedLog const*& away);

  Parts parts_;
  std::list<Run> runs_;
};

}  // namespace fastjournal::engine
