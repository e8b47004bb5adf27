// The records of one group on their way into a log and at once into the
// state: private to the engine's files.
#pragma once

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "core/engine.h"

namespace fastjournal::core {

// Appends to the log's open batch, then applies what was appended.
class Engine::Group final : public Records {
 public:
  // Starts an empty group; the memory of the last one is used again.
  void begin(HostedLog& log, TableId table) {
    log_ = &log;
    table_ = table;
    step_.clear();
    applied_ = 0;
  }

  Place append(std::uint8_t type, std::uint8_t version, ObjectId object, std::size_t body_bytes) override {
    Place const place = log_->log->append(table_, type, version, object, body_bytes);
    step_.push_back({table_, type, version, place.lsn, object.is_none() ? object_of(place.lsn) : object, place.body});
    return place;
  }

  [[nodiscard]] bool step_is_empty() const { return step_.empty(); }
  [[nodiscard]] std::size_t step_size() const { return step_.size(); }
  [[nodiscard]] bool is_empty() const { return applied_ == 0 && step_.empty(); }

  // Applies the records of the last step. A table that refuses its own record is broken.
  void apply_step(HostedTable& table, TimeMs now, TableObserver& observer) {
    ApplyContext const context{.live = true, .now = now, .base = log_->log->base_lsn()};
    for (RecordView const& record : step_)
      FJ_CHECK(table.table->apply(record, context, observer), "a table refused a record it decided itself");
    if (table.feed != nullptr)
      for (RecordView const& record : step_) tell_followers(table, record);
    applied_ += step_.size();
    step_.clear();
  }
  void apply_to_catalogue() {
    for (RecordView const& record : step_) {
      FJ_CHECK(log_->catalogue.apply(record), "the catalogue refused its own record");
      // A follower cannot read rows without their schemas.
      if (HostedTable* const table = log_->table_of_schema(record); table != nullptr && table->feed != nullptr)
        tell_followers(*table, record);
    }
    applied_ += step_.size();
    step_.clear();
  }

 private:
  void tell_followers(HostedTable& table, RecordView const& record) {
    if (!table.feed->has_unsent()) log_->unsent_feeds.push_back(&table);
    table.feed->note(record);
  }

  HostedLog* log_{nullptr};
  TableId table_{};
  std::vector<RecordView> step_;
  std::size_t applied_{0};
};

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
