// A small table type that is built on rows and shares nothing with a journal: parcels without a key. A carrier takes a
// parcel, and delivers or loses it. The test chooses what happens to a parcel whose carrier never returns (AtLeaseEnd).
// It has no XML and no options: a test calls directly what a plugin would decide.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "model/row_codec.h"
#include "plugins/rows/apply.h"
#include "plugins/rows/attempts.h"
#include "plugins/rows/row_table.h"
#include "plugins/rows/timers.h"
#include "tests/support/memory_log.h"

namespace fastjournal::rows::test {

inline Schema parcel_schema() {
  Schema schema;
  schema.version = 1;
  Column column;
  column.name = "to";
  column.type = ColumnType::string;
  schema.columns = {column};
  return schema;
}

// What this type counts of the effects of records: parcels added, held and delivered.
struct ParcelEffects : NoEffects {
  int added_rows{0};
  int held_rows{0};
  int delivered{0};
  void added(ObjectId, ApplyContext const&) { ++added_rows; }
  void held(std::uint32_t, ApplyContext const&, TableObserver&) { ++held_rows; }
  void ended(Reason reason) { delivered += reason == Reason::done ? 1 : 0; }
};

struct LeaseCount final : TableObserver {
  int held{0};
  void available(ObjectId, std::string_view, TimeMs) override {}
  void lease_began(ObjectId, ConnectionId) override { ++held; }
  void lease_ended(ObjectId, ConnectionId) override { --held; }
  void changed(std::string_view) override {}
  void stored(Extent const&, std::string_view) override {}
  void freed(Extent const&) override {}
  void available_again(std::string_view, std::uint64_t) override {}
  void alert(std::string_view, std::uint8_t, std::string_view, std::string_view) override {}
  void lower_alert(std::string_view) override {}
};

class Parcels {
 public:
  explicit Parcels(AttemptRules attempt_rules) : rules(attempt_rules) { table->add_schema(parcel_schema()); }

  AttemptRules rules;
  Lifetimes lifetimes;
  fastjournal::test::MemoryLog log;
  LeaseCount leases;
  ParcelEffects effects;
  TimeMs now{1'700'000'000'000};
  std::uint32_t start{1};
  std::unique_ptr<RowTable> table{std::make_unique<RowTable>(0, kind())};
  std::unique_ptr<Attempts> attempts{std::make_unique<Attempts>(table->state(), rules)};
  std::unique_ptr<Timers> timers{std::make_unique<Timers>(*table, *attempts, lifetimes)};

  [[nodiscard]] State const& state() const { return table->state(); }
  [[nodiscard]] std::uint32_t row(ObjectId id) const { return state().find(id); }
  [[nodiscard]] Place place(ObjectId id) const { return state().row(row(id)).place(); }

  ObjectId add(std::string_view to) {
    Message message{"ADD"};
    message.set("to", to);
    std::string data;
    if (!model::encode_data(parcel_schema(), message, data).ok()) throw std::runtime_error("no data");
    RowBody body;
    body.date = body.facts.arrival = body.facts.inserted = body.facts.accepted = now.value;
    body.facts.schema = 1;
    body.facts.data_bytes = static_cast<std::uint32_t>(data.size());
    body.data = data;
    ObjectId id;
    step([&](Decision& decision) { id = object_of(model::append_record(decision.records, {}, body)); });
    return id;
  }
  // Leases the next due parcel and returns its id; none if no parcel is due.
  ObjectId take(std::uint64_t carrier, std::int64_t span_ms) {
    std::uint32_t const first = state().order().first();
    if (first == kNoRow) return {};
    ObjectId const id = state().id_of(first);
    step([&](Decision& decision) {
      attempts->lease(first, ConnectionId{carrier}, "carrier " + std::to_string(carrier), span_ms, decision);
    });
    return id;
  }
  void deliver(ObjectId id) {
    step([&](Decision& decision) { model::append_record(decision.records, id, RemoveBody{Reason::done}); });
  }
  void put_back(ObjectId id) {
    step([&](Decision& decision) { attempts->put_back(row(id), decision); });
  }
  void touch(ObjectId id, std::uint64_t carrier, std::int64_t span_ms) {
    step([&](Decision& decision) { attempts->renew(row(id), ConnectionId{carrier}, "again", span_ms, decision); });
  }
  void pass(std::int64_t ms) {
    now = now + DurationMs{ms};
    settle();
    bool more = true;
    while (more)
      step([&](Decision& decision) { more = timers->expire(decision) || timers->end_leases(decision).more; });
    settle();
  }
  // Copies everything forward to the end of the log and drops what was there before.
  void move_base() {
    Lsn const below = log.end();
    bool more = true;
    while (more)
      step([&](Decision& decision) {
        CopyRoom room{4096};
        more = table->compact(below, room, decision.records);
      });
    log.drop_below(below);
    base_ = below;
  }
  // kill -9 and start.
  void restart() {
    table = replayed();
    attempts = std::make_unique<Attempts>(table->state(), rules);
    timers = std::make_unique<Timers>(*table, *attempts, lifetimes);
    ++start;
    bool more = true;
    while (more) step([&](Decision& decision) { more = timers->recovered(decision); });
    settle();
  }

  void step(std::function<void(Decision&)> const& decide) {
    settle();
    log.begin_step();
    Answer answer;
    Decision decision{.now = now, .start = start, .records = log, .answer = answer};
    decide(decision);
    table->see(now.value);
    for (std::size_t i = log.applied(); i < log.stored().size(); ++i)
      if (!table->apply(log.stored()[i].view(), {.live = true, .now = now, .base = base_}, leases, effects))
        throw std::runtime_error("the table refused its own record");
  }
  [[nodiscard]] std::unique_ptr<RowTable> replayed() const {
    auto twin = std::make_unique<RowTable>(0, kind());
    twin->add_schema(parcel_schema());
    NoObserver nobody;
    NoEffects none;
    for (auto const& record : log.stored())
      if (!twin->apply(record.view(), {.live = false, .now = {}, .base = base_}, nobody, none))
        throw std::runtime_error("a record was refused at replay");
    return twin;
  }
  [[nodiscard]] static std::uint64_t digest_of(RowTable const& of) {
    fastjournal::test::DigestSum sum;
    of.digest(sum);
    return sum.sum;
  }
  [[nodiscard]] bool replays() const { return digest_of(*replayed()) == digest_of(*table); }

 private:
  [[nodiscard]] Kind kind() const { return {.holds = rules.at_lease_end == AtLeaseEnd::hold}; }
  void settle() {
    while (table->advance(now, 100, leases)) {
    }
  }

  Lsn base_{8};
};

}  // namespace fastjournal::rows::test
