// The commands about rows that ended: HISTORY, WAIT and REDO.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fastjournal/table.h"
#include "plugins/journal/awaited.h"
#include "plugins/journal/inserts.h"
#include "plugins/journal/made.h"
#include "plugins/journal/selection.h"
#include "plugins/journal/settings.h"
#include "plugins/rows/history_search.h"
#include "plugins/rows/row_table.h"

namespace fastjournal::journal {

// Of one journal, beside its parts, which outlive it.
class Recall {
 public:
  // `insert`: the index of that command.
  Recall(rows::RowTable const& table, Settings const& settings, Selection const& selection, Inserts const& inserts,
         Awaited& awaited, std::uint16_t insert)
      : table_(table),
        settings_(settings),
        selection_(selection),
        inserts_(inserts),
        awaited_(awaited),
        insert_(insert) {}

  Verdict history(Command const& command, Decision& decision) const;
  Verdict wait(Command const& command, Decision& decision) const;
  Verdict redo(Command const& command, Decision& decision) const;

 private:
  [[nodiscard]] Status read_query(Command const& command, made::History const& given, rows::HistoryQuery& query) const;
  // The key columns that a command has: all of them, or none (empty).
  [[nodiscard]] Status read_key_if_given(Command const& command, bool& is_given) const;
  // The newest end of a row. False: the verdict and the decision say what is to be done; without a status: there is none.
  [[nodiscard]] bool find_end(rows::HistoryQuery const& query, Decision& decision, rows::EndedBody& body,
                              Verdict& verdict) const;
  [[nodiscard]] Verdict answer_of_live(ObjectId id, std::uint32_t row, made::Wait const& given,
                                       Decision& decision) const;
  [[nodiscard]] Verdict answer_merged(ObjectId id, ObjectId into, Decision& decision) const;
  // Not ok: the entry is damaged, and nothing is added.
  [[nodiscard]] Status describe(rows::EndedBody const& body, Answer& answer) const;

  rows::RowTable const& table_;
  Settings const& settings_;
  Selection const& selection_;
  Inserts const& inserts_;
  Awaited& awaited_;
  std::uint16_t insert_;
  // Memory that is used again; its contents do not last.
  mutable std::string topic_;
};

}  // namespace fastjournal::journal
