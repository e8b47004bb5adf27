// The commands about queues, exchanges and bindings: DECLARE, REMOVE, BIND, UNBIND, QUEUES, EXCHANGES and BINDINGS; and
// what ends or begins without a command: temporary queues, and those that the table's file names.
#pragma once

#include <string_view>

#include <absl/container/btree_set.h>
#include "fastjournal/table.h"
#include "plugins/queue/made.h"
#include "plugins/queue/table_state.h"
#include "plugins/queue/temporary_shares.h"

namespace fastjournal::queue {

// Of one table, beside what it shares, which outlives it.
class Declarations {
 public:
  explicit Declarations(TableState const& shared) : shared_(shared) {}

  Verdict declare(Command const& command, Decision& decision) const;
  Verdict remove(Command const& command, Decision& decision) const;
  Verdict bind(Command const& command, Decision& decision) const;
  Verdict unbind(Command const& command, Decision& decision) const;
  Verdict pause(Command const& command, Decision& decision) const;
  Verdict resume(Command const& command, Decision& decision) const;
  Verdict list_queues(Command const& command, Decision& decision) const;
  Verdict list_exchanges(Command const& command, Decision& decision) const;
  Verdict list_bindings(Command const& command, Decision& decision) const;

  // Queues that the table's file names and that are not there. True: something was appended.
  bool make_declared(Decision& decision) const;
  [[nodiscard]] bool has_to_make() const;
  // Queues that their first use made, and that are empty and were not named for long. True: more may remain.
  bool end_idle(Decision& decision) const;
  // Temporary queues of a connection that is gone, or of all. True: more remain.
  bool end_temporary(ConnectionId connection, Decision& decision) const;
  bool end_all_temporary(Decision& decision) const;

 private:
  // Of one more queue, exchange or binding.
  [[nodiscard]] Status check_memory() const;
  [[nodiscard]] Status check_room() const;
  [[nodiscard]] Status check_temporary(Command const& command, Decision& decision) const;
  [[nodiscard]] Status check_room(Exchange const& exchange, std::string_view pattern) const;
  [[nodiscard]] Status check_owner(Queue const& queue, std::uint64_t connection) const;
  [[nodiscard]] Status check_not_promised(std::string_view queue) const;
  [[nodiscard]] Status check_connection(Command const& command) const;
  [[nodiscard]] Status read_settings(Command const& command, made::Declare const& given, Queue const* queue,
                                     Settings& settings) const;
  Verdict declare_queue(Command const& command, made::Declare const& given, Decision& decision) const;
  Verdict declare_exchange(Command const& command, made::Declare const& given, Decision& decision) const;
  Verdict remove_queue(Command const& command, made::Remove const& given, Decision& decision) const;
  Verdict remove_exchange(std::string_view name, Decision& decision) const;
  [[nodiscard]] Status no_exchange(std::string_view name) const;
  // A page of names, or only one; `tell` adds the message of a name, `find` says whether there is one of it.
  template <typename Find, typename Tell>
  Verdict list_names(model::Text const& only, auto const& given, absl::btree_set<std::string_view> const& names,
                     Find const& find, Tell const& tell, Decision& decision) const;
  void tell(Queue const& queue, std::int64_t now, Answer& answer) const;
  Verdict set_pause(Queue const& queue, Settings const& settings, std::string_view said, Decision& decision) const;
  Answer& answer(Decision& decision, std::string_view name) const;

  TableState const& shared_;
  // Counted as they are decided.
  mutable TemporaryShares temporary_;
};

}  // namespace fastjournal::queue
