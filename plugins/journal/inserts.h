// INSERT: a new row, or a merge into the one that waits (doc/merge.md). Without a row-key: always a new row.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fastjournal/table.h"
#include "model/row_codec.h"
#include "plugins/journal/fast_clocks.h"
#include "plugins/journal/pauses.h"
#include "plugins/journal/settings.h"
#include "plugins/journal/statistics.h"
#include "plugins/rows/row_table.h"

namespace fastjournal::journal {

// Of one journal, beside its parts, which outlive it.
class Inserts {
 public:
  Inserts(rows::RowTable const& table, Settings const& settings, Pauses const& pauses, Statistics& statistics,
          FastClocks& fast_clocks)
      : table_(table),
        rows_(table.state()),
        settings_(settings),
        pauses_(pauses),
        statistics_(statistics),
        fast_clocks_(fast_clocks) {}

  Verdict insert(Command const& command, Decision& decision) const;

 private:
  struct Request;  // the checked parameters of an INSERT

  [[nodiscard]] Status read_request(Command const& command, Decision& decision, Request& request) const;
  // Whether it was carried out before, or is refused: then it is answered.
  bool is_answered_by_client(Command const& command, Request& request, Decision& decision) const;
  [[nodiscard]] rows::DedupWindows const& windows() const { return table_.clients().windows(); }
  [[nodiscard]] Status check_room() const;
  // The needs of a transaction: room, and its key where a merge into another row could fail.
  [[nodiscard]] Status promise(Request const& request, Hold& hold) const;
  [[nodiscard]] std::uint32_t newest_of(rows::KeyRows const& of_key) const;

  Verdict insert_row(Request const& request, bool behind, Decision& decision) const;
  Verdict merge_into(std::uint32_t row, bool behind, Request const& request, Decision& decision) const;
  [[nodiscard]] Status merged_data(std::uint32_t row, Request const& request, rows::MergeBody& body) const;
  Verdict answer_expired(Request const& request, Decision& decision) const;
  Verdict answer_stale(std::uint32_t row, Request const& request, Decision& decision) const;
  void answer_inserted(Decision& decision, ObjectId row, std::string_view result, std::uint32_t merges,
                       std::int64_t date) const;

  rows::RowTable const& table_;
  rows::State const& rows_;
  Settings const& settings_;
  Pauses const& pauses_;
  Statistics& statistics_;
  FastClocks& fast_clocks_;
  // Memory that is used again; its contents do not last.
  mutable std::string key_;
  mutable std::string data_;
  mutable std::string merged_;
  mutable model::Pieces pieces_;
};

}  // namespace fastjournal::journal
