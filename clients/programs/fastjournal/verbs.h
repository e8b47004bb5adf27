// All verbs.
#pragma once

#include <span>

#include "clients/programs/fastjournal/verb.h"

namespace fastjournal::cli {

using Verbs = std::span<Verb const>;

// Rows of journals.
[[nodiscard]] Verbs put_verbs(), lease_verbs(), work_verbs(), follow_verbs(), row_verbs();
// Tables as a whole, and the daemon.
[[nodiscard]] Verbs overview_verbs(), top_verbs(), keeper_verbs(), tables_verbs(), login_verbs(), daemon_verbs(),
    backup_verbs();
// Pairs, blobs, queues, pipelines.
[[nodiscard]] Verbs pair_verbs(), lock_verbs(), frame_verbs(), blob_verbs(), queue_verbs(), import_verbs(),
    pipeline_run_verbs(), pipeline_verbs();
// Schedules of journals.
[[nodiscard]] Verbs schedule_verbs(), crontab_verbs();
// Groups of jobs.
[[nodiscard]] Verbs groups_verbs(), group_verbs();
// Several tables, several nodes.
[[nodiscard]] Verbs transaction_verbs(), cluster_verbs();
// Files and folders of this computer.
[[nodiscard]] Verbs check_verbs(), schema_verbs(), plan_verbs(), doctor_verbs(), bench_verbs(), log_verbs(),
    user_verbs(), spool_verbs(), completion_verbs();

// In the order of help.
[[nodiscard]] std::span<Group const> verb_groups();

}  // namespace fastjournal::cli
