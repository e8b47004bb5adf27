// The tables of one log, made without a daemon and without conf/: names, types
// and schemas stand in the log's catalogue, and what options say is of no
// weight to records. What the daemon would hold after a start on this log.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine.h"
#include "storage/log_reader.h"
#include "tools/progress.h"

namespace fastjournal::tools {

// Nobody is connected to a tool.
class NoReplySink final : public core::ReplySink {
 public:
  void answer(core::HostedTable const&, ConnectionId, Message const&, Answer&, Status const&) override {}
  void push(core::HostedTable const&, ConnectionId, Answer&, TimeMs, core::ListenMode) override {}
  bool is_full(ConnectionId) override { return false; }
};

class Recovered final : public storage::RecordHandler {
 public:
  // `types` stays.
  explicit Recovered(core::TableTypes const& types, Progress progress = {});

  // As told to `progress`. `step` stays.
  void expect(std::string_view step, std::uint64_t total) {
    step_ = step;
    total_ = total;
  }
  [[nodiscard]] bool wants_catalogue_first() const override { return true; }
  Status on_catalogue(RecordView const& record) override;
  // Not ok: what a start would say. What was applied before stays.
  Status on_record(RecordView const& record, Lsn base) override;
  void on_batch(storage::BatchView const& batch) override;

  struct TableFacts {
    TableId id{};
    std::string name;
    std::string type;
    std::int64_t rows{0};
    std::int64_t records_ignored{0};  // about rows that were gone before
  };
  [[nodiscard]] std::vector<TableFacts> tables() const;
  [[nodiscard]] core::Catalogue const& catalogue() const { return log_.catalogue; }
  // Records of tables that were dropped, or that the catalogue does not know.
  [[nodiscard]] std::uint64_t records_of_no_table() const { return of_no_table_; }
  [[nodiscard]] std::uint64_t digest() const { return core::Engine::digest(log_); }

 private:
  void declare_tables();

  core::TableTypes const& types_;
  Progress progress_;
  NoReplySink nobody_;
  core::Engine engine_;
  core::HostedLog& log_;
  bool declared_{false};
  std::uint64_t of_no_table_{0};
  std::string_view step_;
  std::uint64_t done_{0};
  std::uint64_t total_{0};
};

}  // namespace fastjournal::tools
