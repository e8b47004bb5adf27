// The tables of one log, made without a daemon and without conf/: the log's catalogue has their names, types and
// schemas, and options do not matter to records. The same state as a daemon's after a start on this log.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "clients/programs/logs/progress.h"
#include "engine/engine.h"
#include "log/file/log_reader.h"

namespace fastjournal::tools {

// Tools have no connections.
class NoReplySink final : public work::ReplySink {
 public:
  void answer(ConnectionId, Message const&, Answer&, engine::Outcome const&) override {}
  void push(log::Log const&, ConnectionId, Answer&, TimeMs, work::ListenMode) override {}
  bool is_full(ConnectionId) override { return false; }
};

class Recovered final : public log::file::RecordHandler {
 public:
  // `types` must outlive it.
  explicit Recovered(engine::TableTypes const& types, Progress progress = {});

  // Begins a step of `progress`. `step` must outlive it.
  void expect(std::string_view step, std::uint64_t total) {
    step_ = step;
    total_ = total;
  }
  [[nodiscard]] bool wants_catalogue_first() const override { return true; }
  Status on_catalogue(RecordView const& record) override;
  // Not ok: the error of a start. Records applied before stay applied.
  Status on_record(RecordView const& record, Lsn base) override;
  void on_batch(log::file::BatchView const& batch) override;

  struct TableFacts {
    TableId id{};
    std::string name;
    std::string type;
    std::int64_t rows{0};
    std::int64_t records_ignored{0};  // about rows that were already gone
  };
  [[nodiscard]] std::vector<TableFacts> tables() const;
  [[nodiscard]] log::Catalogue const& catalogue() const { return log_.catalogue; }
  // Records of dropped tables, or of tables unknown to the catalogue.
  [[nodiscard]] std::uint64_t records_of_no_table() const { return of_no_table_; }
  [[nodiscard]] std::uint64_t digest() const { return engine::digest_of(log_); }

 private:
  void declare_tables();

  engine::TableTypes const& types_;
  Progress progress_;
  NoReplySink nobody_;
  engine::Engine engine_;
  engine::HostedLog& log_;
  bool declared_{false};
  std::uint64_t of_no_table_{0};
  std::string_view step_;
  std::uint64_t done_{0};
  std::uint64_t total_{0};
};

}  // namespace fastjournal::tools
