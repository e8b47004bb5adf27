// A type of work with other names than a journal's (errand.xml): errands in lanes, without a key, taken by one
// connection at a time and returned when that connection ends. The engine finds all names in its declaration, as for a
// journal.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

#include "base/bytes.h"
#include "fastjournal/capabilities.h"

namespace fastjournal::test {

class Errands final : public Table, public Holder, public Work, public Columns {
 public:
  enum : std::uint16_t { kAsk, kGrab, kFinish };
  enum : std::uint8_t { kAsked = 1, kTaken = 2, kGivenBack = 3, kFinished = 4 };

  Capabilities capabilities() override { return {.holder = this, .topics = this, .work = this, .columns = this}; }

  Verdict decide(Command const& command, Decision& decision) const override {
    Message const& message = *command.message;
    if (command.index == kAsk) {
      std::string body{message.text("in")};
      body.append(1, '\n').append(message.text("what"));
      Lsn const lsn = append(decision.records, kAsked, {}, body);
      decision.answer.message("ASKED").add("errand", object_of(lsn).value);
      return Verdict::done;
    }
    if (command.index == kFinish) {
      ObjectId const object{static_cast<std::uint64_t>(message.integer("errand").value_or(0))};
      if (!all_.contains(object)) {
        decision.status = Status{Code::unknown_row, "no such errand"};
        return Verdict::done;
      }
      append(decision.records, kFinished, object, {});
      decision.answer.message("FINISHED").add("errand", object.value);
      return Verdict::done;
    }
    return grab(command, decision);
  }
  bool decide_connection_closed(ConnectionId connection, Decision& decision) const override {
    for (auto const& [object, errand] : all_)
      if (errand.by == connection) append(decision.records, kGivenBack, object, {});
    return false;
  }
  bool decide_recovered(Decision& decision) const override {
    for (auto const& [object, errand] : all_)
      if (errand.by != ConnectionId::none) append(decision.records, kGivenBack, object, {});
    return false;
  }
  bool decide_time_lost(DurationMs, Decision&) const override { return false; }

  std::uint64_t available(std::string_view lane) const override {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(all_, [&](auto const& one) { return is_free(one.second, lane); }));
  }
  Status check_topic(std::string_view lane) const override {
    return lane == "none" ? Status{Code::bad_parameter, "there is no such lane"} : Status{};
  }
  std::string_view topic_of(ObjectId object) const override { return all_.at(object).lane; }
  ObjectId find_available(std::string_view lane, ObjectId after, std::uint32_t work_units,
                          std::vector<ObjectId>& found) const override {
    for (auto at = all_.upper_bound(after); at != all_.end(); ++at) {
      if (work_units-- == 0) return std::prev(at)->first;
      if (is_free(at->second, lane)) found.push_back(at->first);
    }
    return {};
  }
  bool announce(ObjectId object, Answer& answer) const override {
    auto const found = all_.find(object);
    if (found != all_.end()) answer.add("errand", object.value).add("what", std::string_view{found->second.what});
    return found != all_.end();
  }
  void add_schema(Schema const&) override {}

  bool apply(RecordView const& record, ApplyContext const& context, TableObserver& observer) noexcept override {
    std::string_view const body = as_text(record.body);
    if (record.type == kAsked) {
      std::size_t const lane_ends = body.find('\n');
      Errand& errand = all_[record.object];
      bool const is_new = errand.lsn.is_none();
      errand.lane = body.substr(0, lane_ends);
      errand.what = body.substr(lane_ends + 1);
      errand.lsn = record.lsn;
      if (is_new) observer.available(record.object, errand.lane, context.now);
      return true;
    }
    auto const found = all_.find(record.object);
    if (found == all_.end()) return record.object.value < context.base.value;
    if (record.type == kTaken) {
      found->second.by = ConnectionId{ByteReader{body}.number<std::uint64_t>()};
      observer.lease_began(record.object, found->second.by);
      return true;
    }
    ConnectionId const by = std::exchange(found->second.by, ConnectionId::none);
    if (by != ConnectionId::none) observer.lease_ended(record.object, by);
    if (record.type == kFinished)
      all_.erase(found);
    else
      observer.available(record.object, found->second.lane, context.now);
    return true;
  }
  std::uint8_t newest_version(std::uint8_t type) const override { return type >= kAsked && type <= kFinished ? 1 : 0; }
  Lsn oldest_lsn() const override {
    Lsn oldest = kNoLsn;
    for (auto const& [object, errand] : all_)
      if (oldest.is_none() || errand.lsn < oldest) oldest = errand.lsn;
    return oldest;
  }
  Compacted compact_oldest(Lsn below, std::size_t, Decision& decision) const override {
    for (auto const& [object, errand] : all_) {
      if (errand.lsn >= below) continue;
      append(decision.records, kAsked, object, errand.lane + "\n" + errand.what);
      if (errand.by != ConnectionId::none) append_taken(decision.records, object, errand.by);
      return {true, 0};
    }
    return {};
  }
  std::uint64_t live_bytes() const override { return all_.size() * 128; }
  std::uint64_t memory_bytes() const override { return all_.size() * 200; }
  void digest(DigestSink& sink) const override {
    for (auto const& [object, errand] : all_)
      sink.object(as_bytes(std::to_string(object.value) + errand.lane + "\n" + errand.what));
  }
  void metrics(TimeMs, MetricSink& sink) const override {
    sink.integer({"rows", "errands that are there"}, static_cast<std::int64_t>(all_.size()));
  }
  Status check_change(TableDeclaration const&) const override { return {}; }
  void change(std::shared_ptr<TableDeclaration const>) override {}

  static PluginDescriptor const& type() {
    static PluginDescriptor const descriptor{
        .build = "test",
        .name = "errand",
        .check_type = [](TypeDeclaration const&) { return Status{}; },
        .create = [](TableContext const&, std::shared_ptr<TypeDeclaration const>,
                     std::shared_ptr<TableDeclaration const>) -> Result<std::unique_ptr<Table>> {
          return std::unique_ptr<Table>{std::make_unique<Errands>()};
        }};
    return descriptor;
  }

 private:
  struct Errand {
    std::string lane;
    std::string what;
    Lsn lsn{};
    ConnectionId by{ConnectionId::none};
  };

  static bool is_free(Errand const& errand, std::string_view lane) {
    return errand.by == ConnectionId::none && (lane.empty() || errand.lane == lane);
  }
  Verdict grab(Command const& command, Decision& decision) const {
    Message const& message = *command.message;
    std::int64_t left = message.integer("most").value_or(1);
    for (auto const& [object, errand] : all_) {
      if (left == 0 || !is_free(errand, message.text("lane"))) continue;
      --left;
      append_taken(decision.records, object, command.connection);
      decision.answer.message("ERRAND").add("errand", object.value).add("what", std::string_view{errand.what});
      decision.take = Take::found;
    }
    if (decision.take == Take::found) return Verdict::done;
    decision.take = Take::nothing;
    if (!message.has("patience") || decision.waited) return Verdict::done;  // the type's empty answer says so
    decision.wait_until = decision.now + DurationMs{*message.integer("patience")};
    decision.wait_topic = message.text("lane");
    return Verdict::wait;
  }
  static Lsn append(Records& records, std::uint8_t type, ObjectId object, std::string_view body) {
    Records::Place const place = records.append(type, 1, object, body.size());
    if (!body.empty()) std::memcpy(place.body.data(), body.data(), body.size());
    return place.lsn;
  }
  static void append_taken(Records& records, ObjectId object, ConnectionId by) {
    std::string body;
    append_little(body, static_cast<std::uint64_t>(by));
    append(records, kTaken, object, body);
  }

  std::map<ObjectId, Errand> all_;
};

}  // namespace fastjournal::test
