// The table type `keyvalue` (keyvalue.xml, doc/keyvalue.md): values under keys, in the order of the keys.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "fastjournal/capabilities.h"
#include "fastjournal/table.h"
#include "plugins/keyvalue/applier.h"
#include "plugins/keyvalue/locks.h"
#include "plugins/keyvalue/reads.h"
#include "plugins/keyvalue/table_state.h"
#include "plugins/keyvalue/writes.h"
#include "plugins/rows/table_type.h"

namespace fastjournal::keyvalue {

class KeyValue final : public Table, public Timed, public Holder, public Watched, public Promises {
 public:
  KeyValue(TableContext const& context, std::shared_ptr<TypeDeclaration const> type,
           std::shared_ptr<TableDeclaration const> declaration);

  [[nodiscard]] static std::span<rows::NamedCommand<KeyValue> const> commands();
  [[nodiscard]] static Status check(TableDeclaration const&) { return {}; }
  [[nodiscard]] Capabilities capabilities() override { return capabilities_of(*this); }

  Verdict decide(Command const& command, Decision& decision) const override {
    return commands_.decide(*this, command, decision);
  }
  [[nodiscard]] bool apply(RecordView const& record, ApplyContext const& context,
                           TableObserver& observer) noexcept override {
    return applier_.apply(record, context, observer);
  }
  [[nodiscard]] std::uint8_t newest_version(std::uint8_t type) const override { return Applier::newest_version(type); }

  [[nodiscard]] TimeMs next_due() const override;
  bool advance(TimeMs, std::size_t, TableObserver&) override { return false; }
  bool decide_timer(Decision& decision) const override;
  void decide_clock_accepted(TimeMs from, Decision& decision) const override;

  bool decide_connection_closed(ConnectionId connection, Decision& decision) const override {
    return locks_.end_of(connection, decision);
  }
  // All connections have ended.
  bool decide_recovered(Decision& decision) const override { return locks_.end_all(decision); }
  bool decide_time_lost(DurationMs lost, Decision& decision) const override { return locks_.extend(lost, decision); }

  void hold(TransactionId transaction, Hold const& hold) override { shared_.holds.add(transaction, hold); }
  void release(TransactionId transaction) override { shared_.holds.remove(transaction); }

  [[nodiscard]] Status read_watch(Message const& message, WatchRequest& request) const override;
  void name_watch(WatchRequest const& request, Answer& answer) const override;
  void tell_state(std::string_view key, TimeMs now, Answer& answer) const override;

  [[nodiscard]] Lsn oldest_lsn() const override;
  Compacted compact_oldest(Lsn below, std::size_t budget_bytes, Decision& decision) const override;
  [[nodiscard]] std::uint64_t live_bytes() const override;
  [[nodiscard]] std::uint64_t memory_bytes() const override { return shared_.memory_bytes(); }

  void digest(DigestSink& sink) const override;
  void metrics(TimeMs now, MetricSink& sink) const override;

  [[nodiscard]] Status check_change(TableDeclaration const&) const override { return {}; }
  void change(std::shared_ptr<TableDeclaration const> next) override;

 private:
  TableState shared_;
  Writes const writes_{shared_};
  Reads const reads_{shared_};
  Locks const locks_{shared_};
  Applier applier_{shared_};
  rows::Commands<KeyValue> const commands_;
  // Where the next search for pairs to compact begins: a hint, as the search covers all from anywhere.
  mutable std::string compact_from_;
};

[[nodiscard]] PluginDescriptor const& table_type();

}  // namespace fastjournal::keyvalue
