// The commands of the command line with their options and help, as CLI11 needs them. What is made of a command line is in
// options.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "clients/programs/fastjournal/options.h"
#include "fastjournal/types.h"

namespace fastjournal::cli {

// Owned by one call that parses or asks for words. What must hold: each option writes into the invocation, which is
// whole once CLI11 has parsed the arguments.
class Grammar {
 public:
  Grammar();
  Grammar(Grammar const&) = delete;
  Grammar& operator=(Grammar const&) = delete;

  CLI::App& app() { return app_; }
  Invocation& invocation() { return out_; }

 private:
  CLI::App& verb(std::string const& name, std::string const& description);
  CLI::App& table_verb(std::string const& name, std::string const& description);
  CLI::App& lease_verb(std::string const& name, std::string const& description);
  void add_globals();
  void add_producer_verbs();
  // Returns --resume.
  CLI::Option* add_put_from(CLI::App& put);
  void add_worker_verbs();
  void add_work();
  void add_viewer_verbs();
  void add_overview_verbs();
  // For the administrator.
  void add_keeper_verbs();
  // For the files of logs, while no daemon uses them.
  void add_log_verbs();
  void add_dump(CLI::App& log);
  void add_salvage(CLI::App& log);
  void add_resize(CLI::App& log);
  void add_backup();
  void add_machine_verbs();
  void add_user_verbs();
  void add_spool_verbs();
  // grammar_pairs.cpp
  void add_pair_verbs();
  void add_work(CLI::App& to);
  void add_pair_readers(CLI::App& kv);
  void add_pair_writers(CLI::App& kv);
  CLI::App& pair_verb(CLI::App& kv, std::string const& name, std::string const& description);
  // With one KEY, and with those options that make a change safe to send again.
  CLI::App& key_verb(CLI::App& kv, std::string const& name, std::string const& description);
  void add_number(CLI::App& to);
  void add_frame(CLI::App& kv);
  // grammar_blobs.cpp
  void add_blob_verbs();
  void add_transaction_verbs();
  // grammar_cluster.cpp
  void add_cluster_verbs();
  CLI::App& cluster_verb(CLI::App& cluster, std::string const& name, std::string const& description);
  // grammar_queues.cpp
  void add_queue_verbs();
  void add_queue_messages(CLI::App& queue);
  void add_queue_declarations(CLI::App& queue);
  CLI::App& queue_verb(CLI::App& queue, std::string const& name, std::string const& description);
  void add_plan_verbs();
  void add_pipeline_verbs();
  void add_pipeline_reads(CLI::App& pipeline);
  void add_pipeline_changes(CLI::App& pipeline);
  CLI::App& pipeline_verb(CLI::App& pipeline, std::string const& name, std::string const& description);
  CLI::App& plan_verb(CLI::App& plan, std::string const& name, std::string const& description);
  CLI::App& transaction_verb(CLI::App& tx, std::string const& name, std::string const& description);
  void add_blob_bytes(CLI::App& blob);
  void add_blob_keeping(CLI::App& blob);
  CLI::App& blob_verb(CLI::App& blob, std::string const& name, std::string const& description);
  // Returns KEY.
  CLI::Option* add_blob_key(CLI::App& to);
  CLI::App& spool_verb(CLI::App& spool, std::string const& name, std::string const& description);
  CLI::App& log_verb(CLI::App& log, std::string const& name, std::string const& description);
  CLI::App& user_verb(CLI::App& user, std::string const& name, std::string const& description);
  void stand_verb(std::string const& name, std::string const& description);
  void filter(CLI::App& to, std::vector<std::string> const& states);
  void bulk_verb(std::string const& name, std::string const& description, std::string const& footer);
  void row_verb(std::string const& name, std::string const& description);
  void add_other_verbs();

  CLI::App app_;
  Invocation out_;
  std::optional<DurationMs> timeout_;
  std::string log_verb_;
  std::string user_verb_;
  std::string spool_verb_;
  std::string pair_verb_;
  std::string cluster_verb_;
  std::string transaction_verb_;
  std::string blob_verb_;
  std::string queue_verb_;
  std::string plan_verb_;
  std::string pipeline_verb_;
};

}  // namespace fastjournal::cli
