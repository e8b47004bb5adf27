// The structure of a queue table, for a mirror in an SQL database (doc/queue.md, "Export to SQL"): its queues with
// their options, its exchanges and its bindings.
#pragma once

#include "fastjournal/export.h"
#include "plugins/queue/table_state.h"

namespace fastjournal::queue {

[[nodiscard]] TableExport export_all(TableState const& shared);

}  // namespace fastjournal::queue
