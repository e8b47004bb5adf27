// The table type `queue` (queue.xml, doc/queue.md): named queues of messages, exchanges that route to them, consumers that
// acquire and accept. Messages are rows (plugins/rows), whose domain is their queue. This class puts the parts together and
// answers the contract: a command is decided by one of the parts below (their heads say by which).
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "fastjournal/capabilities.h"
#include "fastjournal/table.h"
#include "plugins/queue/changes.h"
#include "plugins/queue/consumers.h"
#include "plugins/queue/dead_letter_policy.h"
#include "plugins/queue/declarations.h"
#include "plugins/queue/effects.h"
#include "plugins/queue/exported.h"
#include "plugins/queue/reads.h"
#include "plugins/queue/sends.h"
#include "plugins/queue/table_state.h"
#include "plugins/rows/attempts.h"
#include "plugins/rows/table_type.h"
#include "plugins/rows/timers.h"

namespace fastjournal::queue {

// The table type: exported by the plugin, linked by tests and the simulator.
[[nodiscard]] PluginDescriptor const& table_type();

class QueueTable final : public Table,
                         public Timed,
                         public Holder,
                         public Work,
                         public Stores,
                         public Promises,
                         public Exported {
 public:
  QueueTable(TableContext const& context, std::shared_ptr<TypeDeclaration const> type,
             std::shared_ptr<TableDeclaration const> declaration);

  [[nodiscard]] static std::span<rows::NamedCommand<QueueTable> const> commands();
  [[nodiscard]] static Status check(TableDeclaration const& declaration) {
    return TableState::read(declaration).check(declaration);
  }

  [[nodiscard]] Capabilities capabilities() override { return capabilities_of(*this); }

  // -- deciding -----------------------------------------------------------
  Verdict decide(Command const& command, Decision& decision) const override {
    return commands_.decide(*this, command, decision);
  }
  bool decide_timer(Decision& decision) const override;
  bool decide_connection_closed(ConnectionId connection, Decision& decision) const override;
  bool decide_recovered(Decision& decision) const override;
  bool decide_time_lost(DurationMs lost, Decision& decision) const override {
    return timers_.time_lost(lost, decision);
  }
  void decide_clock_accepted(TimeMs from, Decision& decision) const override { timers_.clock_accepted(from, decision); }

  // -- applying -----------------------------------------------------------
  [[nodiscard]] bool apply(RecordView const& record, ApplyContext const& context,
                           TableObserver& observer) noexcept override;
  [[nodiscard]] std::uint8_t newest_version(std::uint8_t record_type) const override {
    return queue::newest_version(record_type);
  }
  [[nodiscard]] TimeMs next_due() const override;
  bool advance(TimeMs now, std::size_t budget, TableObserver& observer) override;

  // -- work ---------------------------------------------------------------
  [[nodiscard]] std::uint64_t available(std::string_view topic) const override {
    return topic.empty() ? rows().order().available() : rows().order().available(topic);
  }
  [[nodiscard]] Status check_topic(std::string_view topic) const override;
  [[nodiscard]] ObjectId find_available(std::string_view topic, ObjectId after, std::uint32_t work_units,
                                        std::vector<ObjectId>& found) const override {
    return shared_.table_of_rows.find_available(topic, after, work_units, found);
  }
  [[nodiscard]] std::string_view topic_of(ObjectId object) const override {
    return shared_.table_of_rows.topic_of(object);
  }
  [[nodiscard]] bool announce(ObjectId object, Answer& answer) const override;

  // -- bytes outside the log ------------------------------------------------
  [[nodiscard]] Status can_do_without() const override;
  [[nodiscard]] Status request_store(Command const& command, TimeMs now, StoreRequest& request) const override {
    static_cast<void>(now);
    return command.index == send_ ? sends_.request_store(command, request) : Status{};
  }
  [[nodiscard]] std::uint64_t list_extents(std::uint64_t cursor, std::uint32_t work_units,
                                           std::vector<Extent>& found) const override;

  // -- transactions -------------------------------------------------------
  void hold(TransactionId transaction, Hold const& hold) override;
  void release(TransactionId transaction) override;
  bool decide_given_up(TransactionId transaction, Decision& decision) const override {
    return timers_.given_up(transaction, decision);
  }

  // -- space --------------------------------------------------------------
  [[nodiscard]] Lsn oldest_lsn() const override;
  Compacted compact_oldest(Lsn below, std::size_t budget_bytes, Decision& decision) const override;
  [[nodiscard]] std::uint64_t live_bytes() const override {
    return shared_.table_of_rows.live_bytes() + shared_.shared_bodies.live_bytes() + shared_.queues.live_bytes() +
           shared_.deduplications.live_bytes();
  }
  [[nodiscard]] std::uint64_t memory_bytes() const override { return shared_.memory_bytes(); }

  // -- people, reload -----------------------------------------------------
  void digest(DigestSink& sink) const override;
  void metrics(TimeMs now, MetricSink& sink) const override;
  [[nodiscard]] Status check_change(TableDeclaration const& next) const override { return check(next); }
  void change(std::shared_ptr<TableDeclaration const> next) override;
  [[nodiscard]] std::uint64_t export_version() const override { return shared_.queues.version() + declarations_taken_; }
  [[nodiscard]] TableExport export_all() const override { return queue::export_all(shared_); }

  // For tests.
  [[nodiscard]] TableState const& shared() const { return shared_; }

 private:
  [[nodiscard]] rows::State const& rows() const { return shared_.rows(); }
  void set_rules();

  TableState shared_;
  Effects effects_{shared_};
  DeadLetterPolicy const dead_letter_policy_{shared_};
  rows::Attempts const attempts_{shared_.rows(), shared_.options.attempts, &dead_letter_policy_};
  rows::Timers const timers_{shared_.table_of_rows, attempts_, shared_.options.lifetimes};
  Sends const sends_{shared_, dead_letter_policy_};
  Consumers const consumers_{shared_, attempts_};
  Declarations const declarations_{shared_};
  Changes const changes_{shared_, dead_letter_policy_, attempts_};
  Reads const reads_{shared_};
  rows::Commands<QueueTable> const commands_;
  std::uint16_t const send_;  // its index
  std::uint64_t declarations_taken_{0};
};

}  // namespace fastjournal::queue
