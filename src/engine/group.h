// The records of one group on their way into a log and at once into the state. A group may have records of several
// tables of one log and of its catalogue: after recovery all of them are there, or none.
#pragma once

#include <cstddef>
#include <vector>

#include "base/check.h"
#include "engine/hosted.h"

namespace fastjournal::engine {

// The most alerts that are logged in the group of their cause.
inline constexpr std::size_t kAlertsPerGroup = 4;
// Added to a group by the engine: the date, and alerts that are lowered and raised again.
inline constexpr std::size_t kGroupBytes =
    log::Catalogue::kClockBytes + kAlertsPerGroup * 2 * log::AlertBook::kRecordBytesMax;

class Group {
 public:
  // The part of one table: its decisions append here, and its effects go to an observer of its own. It must be there
  // until the step that it appended to is applied.
  class Part final : public Records {
   public:
    Part(Group& group, HostedTable& table, TableObserver& observer)
        : group_(group), table_(table), observer_(observer) {}
    Place append(std::uint8_t type, std::uint8_t version, ObjectId object, std::size_t body_bytes) override {
      return group_.append(this, table_.id, type, version, object, body_bytes);
    }

   private:
    friend class Group;
    Group& group_;
    HostedTable& table_;
    TableObserver& observer_;
  };

  Group() : catalogue_(*this) {}
  Group(Group const&) = delete;
  Group& operator=(Group const&) = delete;

  // Starts an empty group; the memory of the last one is used again. All its tables are of this log.
  void begin(HostedLog& log) {
    log_ = &log;
    step_.clear();
    applied_ = 0;
  }
  [[nodiscard]] Records& catalogue() { return catalogue_; }

  [[nodiscard]] bool step_is_empty() const { return step_.empty(); }
  [[nodiscard]] std::size_t step_size() const { return step_.size(); }
  [[nodiscard]] bool is_empty() const { return applied_ == 0 && step_.empty(); }

  // The records of the last step become state, in their order. A table that refuses its own record is broken.
  void apply_step(TimeMs now) {
    ApplyContext const context{.live = true, .now = now, .base = log_->log->base_lsn()};
    for (Pending const& pending : step_) {
      if (pending.part == nullptr)
        apply_to_catalogue(pending.record);
      else
        apply(*pending.part, pending.record, context);
    }
    applied_ += step_.size();
    step_.clear();
  }

 private:
  class CataloguePart final : public Records {
   public:
    explicit CataloguePart(Group& group) : group_(group) {}
    Place append(std::uint8_t type, std::uint8_t version, ObjectId object, std::size_t body_bytes) override {
      return group_.append(nullptr, TableId::catalogue, type, version, object, body_bytes);
    }

   private:
    Group& group_;
  };
  struct Pending {
    Part* part;  // null: of the catalogue
    RecordView record;
  };

  Records::Place append(Part* part, TableId table, std::uint8_t type, std::uint8_t version, ObjectId object,
                        std::size_t body_bytes) {
    Records::Place const place = log_->log->append(table, type, version, object, body_bytes);
    step_.push_back(
        {part, {table, type, version, place.lsn, object.is_none() ? object_of(place.lsn) : object, place.body}});
    return place;
  }
  void apply(Part const& part, RecordView const& record, ApplyContext const& context) {
    HostedTable& table = part.table_;
    FJ_CHECK(table.table->apply(record, context, part.observer_), "a table refused a record it decided itself");
    if (!table.is_noted) log_->needs.note(table);
    if (table.feed != nullptr) tell_followers(table, record);
    if (table.mirror != nullptr) table.mirror->note(record);
  }
  void apply_to_catalogue(RecordView const& record) {
    FJ_CHECK(log_->catalogue.apply(record), "the catalogue refused its own record");
    // A follower cannot read rows without their schemas.
    if (HostedTable* const table = log_->table_of_schema(record); table != nullptr && table->feed != nullptr)
      tell_followers(*table, record);
  }
  void tell_followers(HostedTable& table, RecordView const& record) {
    if (!table.feed->has_unsent()) log_->unsent_feeds.push_back(&table);
    table.feed->note(record);
  }

  HostedLog* log_{nullptr};
  CataloguePart catalogue_;
  std::vector<Pending> step_;
  std::size_t applied_{0};
};

// Records of the catalogue alone, within what was reserved; the log's group stays open. append(Records&).
template <typename Append>
void append_to_catalogue(HostedLog& log, TimeMs now, Append const& append) {
  Group group;
  group.begin(log);
  append(group.catalogue());
  group.apply_step(now);
}

// A client waits until all of the log up to here is durable: it is synced with this turn, whatever its policy. Returns
// where that is.
inline Lsn await_durable(HostedLog& log) {
  log.log->want_sync();
  return log.log->end_lsn();
}

// The log's open group ends, with the date if its batch has none.
inline void end_group(HostedLog& log, TimeMs now, Durability durability) {
  // Once in a batch is enough, since `now` is the same for the whole turn.
  if (!log.clock_in_batch) {
    append_to_catalogue(log, now, [now](Records& records) { log::Catalogue::append_clock(records, {.now = now}); });
    log.clock_in_batch = true;
  }
  log.has_dead = true;
  log.log->end_group(durability);
  if (log.mirror != nullptr) log.mirror->group_ended(now);
}

}  // namespace fastjournal::engine
