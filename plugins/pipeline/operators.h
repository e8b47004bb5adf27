// Operators' commands: documents are tried again, sent although they were sent, dropped, resolved, forgotten;
// destinations are shut and opened. Those that concern many come in pages, and can be tried without effect.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "fastjournal/table.h"
#include "plugins/pipeline/made.h"
#include "plugins/pipeline/reports.h"
#include "plugins/pipeline/table_state.h"

namespace fastjournal::pipeline {

class Operators {
 public:
  Operators(TableState const& shared, Reports const& reports) : shared_(shared), reports_(reports) {}

  Verdict retry(Command const& command, Decision& decision) const;
  Verdict force(Command const& command, Decision& decision) const;
  Verdict drop(Command const& command, Decision& decision) const;
  Verdict resolve(Command const& command, Decision& decision) const;
  Verdict pause(Command const& command, Decision& decision) const;
  Verdict resume(Command const& command, Decision& decision) const;
  Verdict drain(Command const& command, Decision& decision) const;
  Verdict forget(Command const& command, Decision& decision) const;
  // One in the archive whose page cannot be read.
  Verdict forget_unreadable(ObjectId document, Decision& decision) const;

  // By the timers: documents whose source does not remember, once they are done; older plans without documents; the
  // plan of a new declaration. True: it appended something, and there may be more.
  bool forget_done(Decision& decision) const;
  bool retire_plans(Decision& decision) const;
  bool take_plan(Decision& decision) const;
  [[nodiscard]] bool has_to_take_plan() const;
  [[nodiscard]] bool has_to_retire() const;

 private:
  enum class What : std::uint8_t { retry, force, drop, resolve };
  struct Request {
    What what{};
    std::optional<ObjectId> document{};
    std::string_view destination{};
    std::optional<std::uint16_t> source{};
    std::string_view kind{};  // class of the failure
    std::optional<State> state{};
    bool is_dirty{false};  // retry: only if it has changed
    bool was_sent{false};  // resolve
    std::uint64_t count{0};
    std::uint64_t after{0};
    bool is_dry_run{false};
  };

  template <typename Given>
  Verdict change(What what, Command const& command, Decision& decision) const;
  Verdict change(Request const& request, Decision& decision) const;
  // What was given as it is in the plan.
  [[nodiscard]] Status find(auto const& given, Command const& command, Request& request) const;
  [[nodiscard]] bool fits(Request const& request, std::uint32_t cell) const;
  [[nodiscard]] bool is_of_set(Request const& request) const;
  [[nodiscard]] std::uint64_t fit_archived(Request const& request, Archive::Number number) const;
  void change_cell(Request const& request, std::uint32_t cell, Decision& decision) const;
  // The next cell of that set behind the cursor that fits; kNone: none of those that were looked at.
  std::uint32_t search_set(Request const& request, std::uint64_t& cursor, std::uint64_t& work_units) const;
  Verdict set_mode(auto const& given, Mode mode, Decision& decision) const;
  // The last child of the last child: the first to be forgotten.
  [[nodiscard]] std::uint32_t last_below(std::uint32_t document) const;
  void forget_one(std::uint32_t document, Decision& decision) const;
  [[nodiscard]] bool is_in_hands(std::uint32_t document) const;

  TableState const& shared_;
  Reports const& reports_;
};

}  // namespace fastjournal::pipeline
