#include "clients/programs/fastjournal/verbs.h"

namespace fastjournal::cli {

std::span<Group const> verb_groups() {
  static Group const kGroups[]{
      {"",
       "",
       {put_verbs(), lease_verbs(), work_verbs(), follow_verbs(), row_verbs(), overview_verbs(), groups_verbs()}},
      {"group", "groups of jobs of a journal: rows that end together", {group_verbs()}},
      {"schedule", "what a journal makes rows of at the dates of a calendar", {schedule_verbs(), crontab_verbs()}},
      {"kv",
       "values of a key/value table: read them, change them, lock them, watch them",
       {pair_verbs(), lock_verbs(), frame_verbs()}},
      {"blob", "blobs of a blob table: store and read them, list, check and maintain the table", {blob_verbs()}},
      {"tx", "transactions: commands of several tables, all of them or none", {transaction_verbs()}},
      {"cluster", "logs that the daemon shares with other nodes", {cluster_verbs()}},
      {"queue", "messages and queues of a queue table: send, take, list, move, declare", {queue_verbs()}},
      {"", "", {import_verbs(), top_verbs(), keeper_verbs(), check_verbs(), schema_verbs()}},
      {"plan", "say what is wrong with plans of pipelines, and what they promise; no daemon is asked", {plan_verbs()}},
      {"pipeline",
       "documents of a pipeline table: bring the files of folders to their destinations",
       {pipeline_run_verbs(), pipeline_verbs()}},
      {"log", "look into the folders of logs, and mend them; no daemon is asked", {log_verbs()}},
      {"", "", {backup_verbs(), doctor_verbs(), bench_verbs()}},
      {"user", "the users who may log in at the daemon: a file, no daemon is asked", {user_verbs()}},
      {"spool", "look into a spool folder, and decide about refused rows; no daemon is asked", {spool_verbs()}},
      {"", "", {tables_verbs(), login_verbs(), daemon_verbs(), completion_verbs()}},
  };
  return kGroups;
}

}  // namespace fastjournal::cli
