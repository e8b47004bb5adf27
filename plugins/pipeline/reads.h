// Queries: documents with where they are, destinations with their counts, why a document is
// where it is, the versions of the plan and their steps.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "fastjournal/table.h"
#include "plugins/pipeline/runs.h"
#include "plugins/pipeline/table_state.h"

namespace fastjournal::pipeline {

class Reads {
 public:
  Reads(TableState const& shared, Runs const& runs) : shared_(shared), runs_(runs) {}

  Verdict documents(Command const& command, Decision& decision) const;
  Verdict destinations(Command const& command, Decision& decision) const;
  Verdict why(Command const& command, Decision& decision) const;
  Verdict plans(Command const& command, Decision& decision) const;
  Verdict steps(Command const& command, Decision& decision) const;

 private:
  // Which documents are asked for.
  using Which = made::DocumentsStatus;
  struct Request {
    Which which{Which::all};
    std::optional<State> state{};
    std::uint8_t plan{Plans::kNoPlan};
    std::optional<std::uint16_t> source{};
    std::optional<std::uint16_t> destination{};
  };

  // What was given as it is in a plan.
  [[nodiscard]] Status find(auto const& given, Request& request) const;
  [[nodiscard]] bool fits(Request const& request, std::uint32_t document) const;
  [[nodiscard]] bool fits(Request const& request, Archive::Pattern const& pattern) const;
  [[nodiscard]] bool is_stranded(std::uint32_t document) const;
  // Each returns about how many bytes the message has.
  std::size_t describe(std::uint32_t number, Answer& answer) const;
  // Its children.
  void describe_below(std::uint32_t number, Answer& answer) const;
  [[nodiscard]] std::string why_below(std::uint32_t number) const;
  std::size_t describe(Archive::Number number, DocumentBody const& body, Answer& answer) const;
  Verdict why_archived(Archive::Number number, Decision& decision) const;
  std::size_t describe_destination(Plan const& plan, std::uint16_t number, std::optional<std::uint16_t> source,
                                   Answer& answer) const;
  std::size_t describe_step(Plan const& plan, plan::StepIndex number, Answer& answer) const;
  // "index=sent publish=in_doubt"
  [[nodiscard]] std::string states_of(Archive::Pattern const& pattern) const;
  [[nodiscard]] std::string why_cell(std::uint32_t cell, std::int64_t now) const;
  [[nodiscard]] std::string traces_of(std::uint32_t document) const;

  TableState const& shared_;
  Runs const& runs_;
};

}  // namespace fastjournal::pipeline
