// An archived document returns to memory before a command changes it: its page is read if it is not at hand, and its
// record is appended as it was. Then the command finds it in memory. Where its page would have too few documents
// without it, all of them come back.
#pragma once

#include "fastjournal/table.h"
#include "plugins/pipeline/table_state.h"

namespace fastjournal::pipeline {

// The record of one in the archive. False: its page must be read first, and `verdict` says so; or it cannot be read:
// then the status says why.
[[nodiscard]] bool read_archived_document(TableState const& shared, Archive::Number number, Decision& decision,
                                          DocumentBody& body, Verdict& verdict);
// It is back in the next step (Verdict::again); or as above.
[[nodiscard]] Verdict bring_back(TableState const& shared, Archive::Number number, Decision& decision);

}  // namespace fastjournal::pipeline
