// The table type `blob` (blob.xml): bytes of any length under keys, in one file that readers on the same computer read
// themselves. The table is the index; the bytes are outside the log (fastjournal/extent.h).
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "fastjournal/capabilities.h"
#include "fastjournal/table.h"
#include "plugins/blob/applier.h"
#include "plugins/blob/maintenance.h"
#include "plugins/blob/reads.h"
#include "plugins/blob/table_state.h"
#include "plugins/blob/writes.h"
#include "plugins/rows/table_type.h"

namespace fastjournal::blob {

class BlobTable final : public Table, public Timed, public Holder, public Stores, public ManagesFiles, public Promises {
 public:
  BlobTable(TableContext const& context, std::shared_ptr<TypeDeclaration const> type,
            std::shared_ptr<TableDeclaration const> declaration);

  [[nodiscard]] static std::span<rows::NamedCommand<BlobTable> const> commands();
  [[nodiscard]] static Status check(TableDeclaration const& declaration) {
    return TableState::read(declaration).check(declaration);
  }
  [[nodiscard]] Capabilities capabilities() override { return capabilities_of(*this); }

  Verdict decide(Command const& command, Decision& decision) const override {
    return commands_.decide(*this, command, decision);
  }
  [[nodiscard]] bool apply(RecordView const& record, ApplyContext const& context,
                           TableObserver& observer) noexcept override {
    return applier_.apply(record, context, observer);
  }
  [[nodiscard]] std::uint8_t newest_version(std::uint8_t type) const override { return Applier::newest_version(type); }
  void prefetch(RecordView const& record) const noexcept override { applier_.prefetch(record); }

  // Timed
  [[nodiscard]] TimeMs next_due() const override;
  bool advance(TimeMs now, std::size_t budget, TableObserver& observer) override;
  bool decide_timer(Decision& decision) const override;
  void decide_clock_accepted(TimeMs from, Decision& decision) const override;

  // Holder: a blob has no holder, but readers of an old file have their time.
  bool decide_connection_closed(ConnectionId, Decision&) const override { return false; }
  bool decide_recovered(Decision& decision) const override;
  bool decide_time_lost(DurationMs lost, Decision& decision) const override;

  // Stores
  [[nodiscard]] Status can_do_without() const override {
    return {Code::not_supported, "blobs are bytes in files, which only a log with engine=\"file\" has beside it"};
  }
  [[nodiscard]] Status request_store(Command const& command, TimeMs now, StoreRequest& request) const override;
  [[nodiscard]] Result<std::uint64_t> accept_content(Command const& command, TimeMs now,
                                                     std::uint64_t bytes) const override;
  [[nodiscard]] std::uint64_t list_extents(std::uint64_t cursor, std::uint32_t work_units,
                                           std::vector<Extent>& found) const override;

  // ManagesFiles
  [[nodiscard]] std::uint32_t file_for_new() const override { return shared_.index.files().current; }
  [[nodiscard]] bool holds_new() const override { return maintenance_.holds_new(); }
  void list_files(std::vector<FileRequest>& files) const override { maintenance_.list_files(files); }
  // Of the file that is being built, once: it is there.
  void file_has(std::uint32_t file, std::uint64_t end, std::uint64_t hollow) override {
    if (file == shared_.index.files().next)
      shared_.made = file;
    else
      shared_.places = {file, end, hollow};
  }
  [[nodiscard]] std::uint32_t file_to_be() const override { return shared_.index.files().next; }
  void has_promised(std::uint64_t count, std::uint32_t copied_to) override { shared_.promised = {count, copied_to}; }
  void link_leads_to(std::string_view link, std::uint32_t file) override;
  [[nodiscard]] bool take_detached() override;
  [[nodiscard]] std::uint32_t request_copies(std::uint64_t bytes_max,
                                             std::vector<CopyRequest>& requests) const override {
    return maintenance_.request_copies(bytes_max, requests);
  }
  [[nodiscard]] bool decide_moved(std::span<Moved const> moved, Decision& decision) const override {
    return maintenance_.decide_moved(moved, decision);
  }
  void decide_not_moved(std::span<CopyRequest const> requests, Status const& why, Decision& decision) const override {
    maintenance_.decide_not_moved(requests, why, decision);
  }

  // Promises
  void hold(TransactionId transaction, Hold const& hold) override { shared_.holds.add(transaction, hold); }
  void release(TransactionId transaction) override { shared_.holds.remove(transaction); }

  [[nodiscard]] Lsn oldest_lsn() const override;
  Compacted compact_oldest(Lsn below, std::size_t budget_bytes, Decision& decision) const override;
  [[nodiscard]] std::uint64_t live_bytes() const override;
  [[nodiscard]] std::uint64_t memory_bytes() const override { return shared_.memory_bytes(); }

  void digest(DigestSink& sink) const override;
  void metrics(TimeMs now, MetricSink& sink) const override;

  [[nodiscard]] Status check_change(TableDeclaration const& next) const override;
  void change(std::shared_ptr<TableDeclaration const> next) override;

  [[nodiscard]] Index const& index() const { return shared_.index; }
  [[nodiscard]] State const& state() const { return shared_.state; }
  [[nodiscard]] Maintenance::Phase phase() const { return maintenance_.phase(); }

 private:
  TableState shared_;
  Writes const writes_{shared_};
  Reads const reads_{shared_};
  Maintenance const maintenance_{shared_};
  Applier applier_{shared_};
  rows::Commands<BlobTable> const commands_;
  // Where the next search for pages to compact begins: a hint, as the search covers all from anywhere.
  mutable std::uint32_t compact_from_{0};
};

[[nodiscard]] PluginDescriptor const& table_type();

}  // namespace fastjournal::blob
