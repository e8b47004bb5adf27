// Effects of the records of a table, reported to those whom they concern: to its waiting clients, and as alerts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "engine/alerting.h"
#include "engine/due_tables.h"
#include "engine/hosted.h"

namespace fastjournal::engine {

// The observer of one table for one decision.
class Effects final : public TableObserver {
 public:
  // `since`: rows that become available by a command count as due from then on, whatever their date.
  Effects(HostedTable& table, DueTables& due_tables, Alerting& alerting, TimeMs since)
      : table_(table), due_tables_(due_tables), alerting_(alerting), since_(since) {}

  void available(ObjectId object, std::string_view topic, TimeMs due) override {
    if (table_.wakes != nullptr) {
      table_.wakes->came(topic);
      due_tables_.mark(table_);
    }
    if (table_.subscriptions.empty()) return;
    table_.subscriptions.became_available(object, topic, std::max(due, since_));
    due_tables_.mark(table_);
  }
  void lease_began(ObjectId object, ConnectionId connection) override {
    if (table_.wakes != nullptr) table_.wakes->took(table_.can.topics->topic_of(object));
    if (table_.subscriptions.delivers()) table_.subscriptions.lease_began(object, connection);
  }
  void lease_ended(ObjectId object, ConnectionId connection) override {
    if (!table_.subscriptions.delivers()) return;
    if (table_.subscriptions.lease_ended(object, connection)) due_tables_.mark(table_);
  }
  void available_again(std::string_view topic, std::uint64_t count) override {
    if (table_.wakes != nullptr) {
      if (topic.empty())
        table_.wakes->look_again();
      else
        table_.wakes->came(topic, count);
      due_tables_.mark(table_);
    }
    if (table_.subscriptions.empty()) return;
    table_.subscriptions.topics().became_available_again(topic, count);
    due_tables_.mark(table_);
  }
  void changed(std::string_view key) override {
    if (table_.watchers.empty()) return;
    if (table_.watchers.changed(key)) due_tables_.mark(table_);
  }
  void stored(Extent const& extent, std::string_view carried) override {
    if (table_.outside != nullptr) table_.outside->named(extent, carried);
  }
  void freed(Extent const& extent) override {
    if (table_.outside != nullptr) table_.outside->freed(extent, table_.log->log->end_lsn());
  }
  void alert(std::string_view name, std::uint8_t priority, std::string_view message, std::string_view tags) override {
    alerting_.raise(&table_, name, priority, message, tags);
  }
  void lower_alert(std::string_view name) override { alerting_.lower(&table_, name); }

 private:
  HostedTable& table_;
  DueTables& due_tables_;
  Alerting& alerting_;
  TimeMs since_;
};

}  // namespace fastjournal::engine
