// What a group's records cause, passed on to those who wait: private to the engine's files.
#pragma once

#include <algorithm>

#include "core/engine.h"
#include "core/group.h"

namespace fastjournal::core {

// TableObserver of one table, passed on to those who wait for it.
class Engine::Collector final : public TableObserver {
 public:
  // `since`: rows that become available by a command count as due from then on, whatever their date.
  Collector(Engine& engine, HostedTable& table, TimeMs since) : engine_(engine), table_(table), since_(since) {}

  void available(ObjectId object, std::string_view topic, TimeMs due) override {
    if (table_.wakes != nullptr) {
      table_.wakes->came(topic);
      engine_.mark_dirty(table_);
    }
    if (table_.subscriptions.empty()) return;
    table_.subscriptions.became_available(object, topic, std::max(due, since_));
    engine_.mark_dirty(table_);
  }
  void lease_began(ObjectId object, ConnectionId connection) override {
    if (table_.wakes != nullptr) table_.wakes->took(table_.can.topics->topic_of(object));
    if (table_.subscriptions.delivers()) table_.subscriptions.lease_began(object, connection);
  }
  void lease_ended(ObjectId object, ConnectionId connection) override {
    if (!table_.subscriptions.delivers()) return;
    if (table_.subscriptions.lease_ended(object, connection)) engine_.mark_dirty(table_);
  }
  void available_again(std::string_view topic, std::uint64_t count) override {
    if (table_.wakes != nullptr) {
      if (topic.empty())
        table_.wakes->look_again();
      else
        table_.wakes->came(topic, count);
      engine_.mark_dirty(table_);
    }
    if (table_.subscriptions.empty()) return;
    table_.subscriptions.became_available_again(topic, count);
    engine_.mark_dirty(table_);
  }
  void alert(std::string_view name, std::uint8_t priority, std::string_view message, std::string_view tags) override {
    engine_.raise(table_, name, priority, message, tags);
  }
  void lower_alert(std::string_view name) override { engine_.lower(table_, name); }

 private:
  Engine& engine_;
  HostedTable& table_;
  TimeMs since_;
};

}  // namespace fastjournal::core
