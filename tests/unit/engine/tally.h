// The smallest table type that uses the whole plugin contract, for tests of the engine: named counts that fall due. PUT
// adds to a count (due at `at`), TAKE hands out and removes the first one that is due (and may wait for it), DROP
// removes all of them in steps, SHOW reads.
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/bytes.h"
#include "fastjournal/capabilities.h"
#include "fastjournal/table.h"

namespace fastjournal::engine::test {

class TallyTable : public Table, public Timed, public Holder, public Work, public Columns, public Followed {
 public:
  enum : std::uint16_t { kPut, kTake, kDrop, kShow };
  enum : std::uint8_t { kStated = 1, kGone = 2 };

  explicit TallyTable(std::shared_ptr<TableDeclaration const> declaration) : declaration_(std::move(declaration)) {}

  Capabilities capabilities() override {
    return {.timed = this, .holder = this, .topics = this, .work = this, .columns = this, .followed = this};
  }
  TimeMs next_due() const override { return future_.empty() ? TimeMs::max() : future_.begin()->first; }
  bool advance(TimeMs now, std::size_t budget, TableObserver& observer) override {
    for (; budget > 0 && !future_.empty() && future_.begin()->first <= now; --budget) {
      due_.insert(future_.begin()->second);
      observer.available(rows_.at(future_.begin()->second).object, {}, future_.begin()->first);
      future_.erase(future_.begin());
    }
    return !future_.empty() && future_.begin()->first <= now;
  }
  bool decide_timer(Decision&) const override { return false; }
  bool decide_connection_closed(ConnectionId, Decision&) const override { return false; }
  bool decide_recovered(Decision&) const override { return false; }
  bool decide_time_lost(DurationMs, Decision&) const override { return false; }
  void decide_clock_accepted(TimeMs, Decision&) const override {}
  std::uint64_t available(std::string_view) const override { return due_.size(); }
  Status check_topic(std::string_view) const override { return {Code::not_supported, "counts have no topics"}; }
  ObjectId find_available(std::string_view, ObjectId after, std::uint32_t work_units,
                          std::vector<ObjectId>& found) const override {
    std::set<ObjectId> sorted;
    for (std::string const& name : due_)
      if (ObjectId const object = rows_.at(name).object; object > after) sorted.insert(object);
    for (ObjectId const object : sorted) {
      if (work_units-- == 0) return found.back();
      found.push_back(object);
    }
    return {};
  }
  std::string_view topic_of(ObjectId) const override { return {}; }
  bool announce(ObjectId object, Answer& answer) const override {
    for (auto const& [name, row] : rows_) {
      if (row.object != object) continue;
      answer.add("name", std::string_view{name});
      return true;
    }
    return false;
  }

  Verdict decide(Command const& command, Decision& decision) const override {
    Message const& message = *command.message;
    switch (command.index) {
      case kPut: {
        std::string_view const name = message.text("name");
        if (name == "bad") {
          decision.status = Status{Code::bad_parameter, "this name is refused"};
          return Verdict::done;
        }
        auto const found = rows_.find(std::string{name});
        std::int64_t const count = (found == rows_.end() ? 0 : found->second.count) + 1;
        ObjectId const object = found == rows_.end() ? ObjectId{} : found->second.object;
        state(decision.records, object, name, count, message.integer("at").value_or(decision.now.value));
        decision.answer.message("PUT").add("name", name).add("count", count);
        return Verdict::done;
      }
      case kTake: {
        if (due_.empty()) {
          decision.take = Take::nothing;
          if (message.has("wait") && !decision.waited) {
            decision.wait_until = decision.now + DurationMs{*message.integer("wait")};
            return Verdict::wait;
          }
          decision.answer.message("NOTHING");
          return Verdict::done;
        }
        decision.take = Take::found;
        decision.durability = Durability::written;
        gone(decision.records, *due_.begin());
        decision.answer.message("TAKEN").add("name", std::string_view{*due_.begin()});
        return Verdict::done;
      }
      case kDrop:
        if (rows_.empty()) {
          decision.answer.message("DROPPED").add("steps", std::uint64_t{decision.step});
          return Verdict::done;
        }
        gone(decision.records, rows_.begin()->first);
        return Verdict::again;
      default:
        for (auto const& [name, row] : rows_)
          decision.answer.message("SHOWN").add("name", std::string_view{name}).add("count", row.count);
        return Verdict::done;
    }
  }

  bool apply(RecordView const& record, ApplyContext const& context, TableObserver& observer) noexcept override {
    ByteReader reader{as_text(record.body)};
    std::int64_t const count = record.type == kStated ? reader.number<std::int64_t>() : 0;
    std::int64_t const at = record.type == kStated ? reader.number<std::int64_t>() : 0;
    std::string const name{reader.rest()};
    forget(name);
    if (record.type == kGone) return rows_.erase(name) == 1 || record.object.value < context.base.value;
    rows_[name] = {record.object, record.lsn, count, at};
    future_.insert({TimeMs{at}, name});
    static_cast<void>(observer);
    return true;
  }
  std::uint8_t newest_version(std::uint8_t type) const override { return type == kStated || type == kGone ? 1 : 0; }
  void add_schema(Schema const&) override {}
  Lsn oldest_lsn() const override {
    Lsn oldest = kNoLsn;
    for (auto const& [name, row] : rows_)
      if (oldest.is_none() || row.lsn < oldest) oldest = row.lsn;
    return oldest;
  }
  Compacted compact_oldest(Lsn below, std::size_t, Decision& decision) const override {
    for (auto const& [name, row] : rows_) {
      if (row.lsn >= below) continue;
      state(decision.records, row.object, name, row.count, row.at);
      return {true, 0};
    }
    return {};
  }
  std::uint64_t live_bytes() const override { return rows_.size() * 64; }
  std::uint64_t memory_bytes() const override { return rows_.size() * 100; }
  void snapshot(SnapshotCursor& cursor, std::size_t, Records& records) const override {
    for (auto const& [name, row] : rows_) state(records, row.object, name, row.count, row.at);
    cursor.complete = true;
  }
  bool apply_to_part(SnapshotCursor const&, RecordView const& record, TableObserver& observer) noexcept override {
    return apply(record, {}, observer);
  }
  void digest(DigestSink& sink) const override {
    for (auto const& [name, row] : rows_)
      sink.object(as_bytes(name + "=" + std::to_string(row.count) + "@" + std::to_string(row.at)));
  }
  void metrics(TimeMs, MetricSink& sink) const override {
    sink.integer({"rows", "counts that are there"}, static_cast<std::int64_t>(rows_.size()));
  }
  Status check_change(TableDeclaration const& next) const override {
    return next.description == "refuse" ? Status{Code::bad_configuration, "it does not want to"} : Status{};
  }
  void change(std::shared_ptr<TableDeclaration const> next) override { declaration_ = std::move(next); }

 private:
  struct Row {
    ObjectId object;
    Lsn lsn;
    std::int64_t count;
    std::int64_t at;
  };
  static void state(Records& records, ObjectId object, std::string_view name, std::int64_t count, std::int64_t at) {
    std::string body;
    append_little(body, count);
    append_little(body, at);
    body.append(name);
    std::memcpy(records.append(kStated, 1, object, body.size()).body.data(), body.data(), body.size());
  }
  void gone(Records& records, std::string const& name) const {
    std::memcpy(records.append(kGone, 1, rows_.at(name).object, name.size()).body.data(), name.data(), name.size());
  }
  void forget(std::string const& name) {
    due_.erase(name);
    for (auto at = future_.begin(); at != future_.end();) at = at->second == name ? future_.erase(at) : std::next(at);
  }

  std::shared_ptr<TableDeclaration const> declaration_;
  std::map<std::string, Row> rows_;
  std::set<std::string> due_;
  std::set<std::pair<TimeMs, std::string>> future_;
};

// The descriptor of a type whose tables are of class T.
template <typename T = TallyTable>
PluginDescriptor const& tally_plugin() {
  static PluginDescriptor const descriptor{
      .build = "test",
      .name = "tally",
      .check_type = [](TypeDeclaration const&) { return Status{}; },
      .create = [](TableContext const&, std::shared_ptr<TypeDeclaration const>,
                   std::shared_ptr<TableDeclaration const> declaration) -> Result<std::unique_ptr<Table>> {
        return std::unique_ptr<Table>{std::make_unique<T>(std::move(declaration))};
      }};
  return descriptor;
}

inline std::shared_ptr<TypeDeclaration const> tally_type() {
  auto type = std::make_shared<TypeDeclaration>();
  type->name = "tally";
  auto const add = [&](std::string name, CommandKind kind, std::vector<std::string> parameters) {
    CommandDeclaration& command = type->commands.emplace_back();
    command.name = std::move(name);
    command.kind = kind;
    for (std::string& parameter : parameters)
      command.parameters.push_back({.name = std::move(parameter), .type = "string"});
  };
  add("PUT", CommandKind::add, {"name", "at"});
  add("TAKE", CommandKind::change, {"wait"});
  add("DROP", CommandKind::remove, {});
  add("SHOW", CommandKind::read, {});
  return type;
}

inline Column column_named(std::string name) {
  Column column;
  column.name = std::move(name);
  return column;
}

inline std::shared_ptr<TableDeclaration> tally_table(std::string name, std::string description = "") {
  auto table = std::make_shared<TableDeclaration>();
  table->name = std::move(name);
  table->type = "tally";
  table->log = "shared";
  table->description = std::move(description);
  table->file = table->name + ".xml";
  table->schema.columns.push_back(column_named("name"));
  table->schema.key = {0};
  return table;
}

}  // namespace fastjournal::engine::test
