// The table type `pipeline` (pipeline.xml, doc/pipeline.md): which document reached which destination of a plan. This
// class puts the parts together and answers the contract: a command is decided by one of the parts below (their heads say
// by which).
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "fastjournal/capabilities.h"
#include "fastjournal/table.h"
#include "plugins/pipeline/archiver.h"
#include "plugins/pipeline/children.h"
#include "plugins/pipeline/history_reads.h"
#include "plugins/pipeline/holders.h"
#include "plugins/pipeline/migrations.h"
#include "plugins/pipeline/operators.h"
#include "plugins/pipeline/reads.h"
#include "plugins/pipeline/reports.h"
#include "plugins/pipeline/runs.h"
#include "plugins/pipeline/table_state.h"
#include "plugins/rows/table_type.h"

namespace fastjournal::pipeline {

// The table type: exported by the plugin, linked by tests and the simulator.
[[nodiscard]] PluginDescriptor const& table_type();

// A topic is a source: readers of its documents wait for those that are missing somewhere.
class PipelineTable final : public Table,
                            public Timed,
                            public Holder,
                            public fastjournal::Work,
                            public Stores,
                            public Offloads {
 public:
  PipelineTable(TableContext const& context, std::shared_ptr<TypeDeclaration const> type,
                std::shared_ptr<TableDeclaration const> declaration);

  [[nodiscard]] static std::span<rows::NamedCommand<PipelineTable> const> commands();
  [[nodiscard]] static Status check(TableDeclaration const& declaration) {
    return TableState::read(declaration).check(declaration);
  }

  [[nodiscard]] Capabilities capabilities() override { return capabilities_of(*this); }

  // -- deciding -----------------------------------------------------------
  Verdict decide(Command const& command, Decision& decision) const override;
  bool decide_timer(Decision& decision) const override;
  bool decide_connection_closed(ConnectionId connection, Decision& decision) const override {
    return holders_.connection_closed(connection, decision);
  }
  bool decide_recovered(Decision& decision) const override;
  bool decide_time_lost(DurationMs lost, Decision& decision) const override {
    return holders_.time_lost(lost, decision);
  }
  void decide_clock_accepted(TimeMs from, Decision& decision) const override {
    model::append_record(decision.records, {}, ClockBody{from.value, decision.now.value});
  }

  // -- applying -----------------------------------------------------------
  [[nodiscard]] bool apply(RecordView const& record, ApplyContext const& context,
                           TableObserver& observer) noexcept override;
  [[nodiscard]] std::uint8_t newest_version(std::uint8_t record_type) const override {
    return pipeline::newest_version(record_type);
  }
  [[nodiscard]] TimeMs next_due() const override;
  bool advance(TimeMs now, std::size_t budget, TableObserver& observer) override {
    shared_.statistics.deliveries.look(now.value, observer);
    return shared_.documents.advance(now, budget, observer);
  }

  // -- work ---------------------------------------------------------------
  [[nodiscard]] std::uint64_t available(std::string_view topic) const override;
  [[nodiscard]] Status check_topic(std::string_view topic) const override;
  [[nodiscard]] ObjectId find_available(std::string_view topic, ObjectId after, std::uint32_t work_units,
                                        std::vector<ObjectId>& found) const override;
  [[nodiscard]] std::string_view topic_of(ObjectId object) const override;
  [[nodiscard]] bool announce(ObjectId object, Answer& answer) const override;

  // -- pages of ended documents: no command brings bytes ------------------------
  [[nodiscard]] std::uint64_t list_extents(std::uint64_t cursor, std::uint32_t work_units,
                                           std::vector<Extent>& found) const override;
  void fetched(Extent const& extent, std::string_view bytes, Status const& status) override {
    shared_.documents.keep_page(extent, bytes, status);
  }
  [[nodiscard]] bool request_offload(std::vector<std::string>& values) override {
    return archiver_.request_offload(values);
  }
  [[nodiscard]] bool decide_offloaded(std::span<StoredValue const> values, Decision& decision) const override {
    return archiver_.decide_offloaded(values, decision);
  }
  void offload_failed(Status const& why) override {
    static_cast<void>(why);
    archiver_.offload_failed();
  }

  // -- space --------------------------------------------------------------
  [[nodiscard]] Lsn oldest_lsn() const override { return shared_.documents.oldest_lsn(); }
  Compacted compact_oldest(Lsn below, std::size_t budget_bytes, Decision& decision) const override {
    rows::CopyRoom room{budget_bytes};
    bool const more = shared_.documents.compact(below, room, decision.records);
    return {more, room.needed()};
  }
  [[nodiscard]] std::uint64_t live_bytes() const override { return shared_.documents.live_bytes(); }
  [[nodiscard]] std::uint64_t memory_bytes() const override {
    return shared_.documents.memory_bytes() + shared_.statistics.memory_bytes();
  }

  // -- people, reload -----------------------------------------------------
  void digest(DigestSink& sink) const override { shared_.documents.digest(sink); }
  void metrics(TimeMs now, MetricSink& sink) const override;
  [[nodiscard]] Status check_change(TableDeclaration const& next) const override;
  void change(std::shared_ptr<TableDeclaration const> next) override;

  // For tests.
  [[nodiscard]] TableState const& shared() const { return shared_; }

 private:
  TableState shared_;
  Archiver archiver_{shared_};
  Runs const runs_{shared_};
  Reports const reports_{shared_};
  Children const children_{shared_};
  Operators const operators_{shared_, reports_};
  Reads const reads_{shared_, runs_};
  HistoryReads const history_{shared_};
  Holders const holders_{shared_};
  Migrations const migrations_{shared_};
  rows::Commands<PipelineTable> const commands_;
  std::vector<bool> changes_documents_;  // the one that its parameter `document` names
};

}  // namespace fastjournal::pipeline
