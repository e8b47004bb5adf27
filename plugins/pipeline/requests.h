// The objects that commands name: a document, a destination, the lease by its token. Each is found, or the status says
// what is wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/table.h"
#include "plugins/pipeline/made.h"
#include "plugins/pipeline/table_state.h"

namespace fastjournal::pipeline {

// kNone: the status says why.
[[nodiscard]] std::uint32_t find_document(TableState const& shared, std::uint64_t number, Status& status);
// The cell of this destination. kNone: the status says why.
[[nodiscard]] std::uint32_t find_cell(TableState const& shared, std::uint32_t document, std::string_view name,
                                      Status& status);
// Those of its cells that this lease has, or any one: with kOriginalCell, and those in doubt as `late`.
[[nodiscard]] Ordinals leased_by(TableState const& shared, std::uint32_t document, std::optional<LeaseEpoch> token,
                                 bool late = false);
// The next token.
[[nodiscard]] LeaseEpoch next_token(TableState const& shared, Decision const& decision);
[[nodiscard]] rows::Leases::Terms terms_for(Command const& command, Decision const& decision, LeaseEpoch token,
                                            std::int64_t span_ms);
[[nodiscard]] Status stale(TableState const& shared, std::uint32_t document, LeaseEpoch token);
// DESTINATION=STATE of each, between blanks.
[[nodiscard]] std::string destination_states(TableState const& shared, std::uint32_t document);
// The lease of a cell ends while it is being sent where it may arrive once at most. False: it is not, and nothing was
// appended.
bool append_doubt(TableState const& shared, std::uint32_t cell, Decision& decision);
// Names of destinations of a plan, between blanks.
[[nodiscard]] std::string destination_names(TableState const& shared, std::uint32_t document, Ordinals const& ordinals);
// The same for the same version of a document at the same destination, for ever: receivers tell by it what they have.
[[nodiscard]] std::string idempotency_key(TableState const& shared, std::uint32_t document, std::uint16_t destination);

}  // namespace fastjournal::pipeline
