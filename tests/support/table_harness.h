// A table alone, with a log in memory. Commands are decided and applied as the engine does it, tests set the time, and
// the log can be replayed into a second table. For tests and benchmarks of plugins.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "config/type_reader.h"
#include "fastjournal/capabilities.h"
#include "tests/support/memory_log.h"
#include "tests/support/zones.h"

namespace fastjournal::test {

using Texts = std::map<std::string, std::string>;

inline std::shared_ptr<TypeDeclaration const> read_table_type(std::string const& path) {
  Result<TypeDeclaration> read = config::read_type(path);
  if (!read.ok()) throw std::runtime_error(read.status().text());
  return std::make_shared<TypeDeclaration const>(std::move(read).value());
}

// All of the type's options: as given, or their defaults.
inline std::vector<OptionValue> options_of(TypeDeclaration const& type, Texts const& options) {
  std::vector<OptionValue> out;
  for (OptionDeclaration const& option : type.options) {
    auto const given = options.find(option.name);
    OptionValue value;
    value.name = option.name;
    value.text = given == options.end() ? option.default_text : given->second;
    value.given = given != options.end();
    Result<std::int64_t> number = config::parse_option(option, value.text);
    if (!number.ok()) throw std::runtime_error(option.name + ": " + number.status().text());
    value.integer = number.value();
    out.push_back(std::move(value));
  }
  return out;
}

struct Alerts final : TableObserver {
  std::vector<std::string> changes;  // keys
  std::vector<Extent> extents;       // that records name
  std::uint64_t extents_wrong{0};    // told twice, or not named when they ended
  void changed(std::string_view key) override { changes.emplace_back(key); }
  void stored(Extent const& extent, std::string_view) override {
    if (std::ranges::find(extents, extent) != extents.end()) ++extents_wrong;
    extents.push_back(extent);
  }
  void freed(Extent const& extent) override {
    if (std::erase(extents, extent) != 1) ++extents_wrong;
  }
  std::uint64_t available_calls{0};
  std::map<ConnectionId, std::int64_t> held;  // number of leases as announced; `none`: of connections that are gone
  std::map<std::string, std::string> raised;
  std::uint64_t raised_calls{0};
  void available(ObjectId, std::string_view, TimeMs) override { ++available_calls; }
  void lease_began(ObjectId, ConnectionId connection) override { ++held[connection]; }
  std::vector<std::pair<std::string, std::uint64_t>> again;  // (topic, count)
  void available_again(std::string_view topic, std::uint64_t count) override { again.emplace_back(topic, count); }
  void lease_ended(ObjectId, ConnectionId connection) override { --held[connection]; }
  void alert(std::string_view name, std::uint8_t, std::string_view message, std::string_view) override {
    raised[std::string{name}] = message;
    ++raised_calls;
  }
  void lower_alert(std::string_view name) override { raised.erase(std::string{name}); }
};

struct Reply {
  Status status;
  Verdict verdict{Verdict::done};
  Durability durability{Durability::synced};
  Take take{Take::no};
  TimeMs wait_until{};
  std::vector<Texts> messages;  // the command's name has the key ""

  [[nodiscard]] std::string error() const { return status.ok() ? "" : std::string{row_of(status.code()).wire_name}; }
  // A parameter of a message, the first by default; "-" if absent.
  [[nodiscard]] std::string get(std::string const& name, std::size_t message = 0) const {
    if (message >= messages.size()) return "-";
    auto const found = messages[message].find(name);
    return found == messages[message].end() ? "-" : found->second;
  }
  [[nodiscard]] std::string name(std::size_t message = 0) const { return get("", message); }
};

inline std::string text_of(Value const& value) {
  switch (value.kind) {
    case Value::Kind::text:
    case Value::Kind::binary: return std::string{value.bytes};
    case Value::Kind::integer: return std::to_string(value.integer);
    case Value::Kind::unsigned_integer: return std::to_string(value.unsigned_integer);
    case Value::Kind::real: return std::to_string(value.real);
    case Value::Kind::boolean: return value.boolean ? "1" : "0";
  }
  return {};
}

inline std::uint64_t digest_of(Table const& table) {
  DigestSum sum;
  table.digest(sum);
  return sum.sum;
}

// TableClass: a Table that is Timed and a Holder.
template <typename TableClass>
class TableHarness {
 public:
  TableHarness(std::shared_ptr<TypeDeclaration const> table_type,
               std::shared_ptr<TableDeclaration const> table_declaration, std::uint64_t hash_seed = 0)
      : type(std::move(table_type)),
        declaration(std::move(table_declaration)),
        schemas{declaration->schema},
        context{TableId{1}, hash_seed, &zones} {
    table = std::make_unique<TableClass>(context, type, declaration);
  }

  std::shared_ptr<TypeDeclaration const> type;
  std::shared_ptr<TableDeclaration const> declaration;
  std::vector<Schema> schemas;  // every version the table had
  test::RuleZones zones;
  TableContext context;
  std::unique_ptr<TableClass> table;
  MemoryLog log;
  Alerts alerts;
  TableObserver* observer{&alerts};
  TimeMs now{1'700'000'000'000};
  std::uint32_t start{1};
  std::string origin{"ip:192.0.2.1"};
  bool holds{true};  // of the next commands, as in Command
  bool may_manage{false};
  bool short_of_memory{false};
  // Of the next command, as part of a transaction.
  Phase phase{Phase::now};
  TransactionId transaction{};
  Hold* hold{nullptr};

  // Parameters are text, as in a text message; `+N` is relative to now (ms).
  Reply run(std::string_view command, Texts const& parameters, std::uint64_t connection = 1,
            std::string_view worker = "w", bool waited = false) {
    Message message{command};
    for (auto const& [name, value] : parameters) message.set(name, std::string_view{value});
    return run(message, connection, worker, waited);
  }

  Reply run(Message const& message, std::uint64_t connection = 1, std::string_view worker = "w", bool waited = false) {
    settle_due();
    Command command;
    command.index = index_of(message.command);
    command.message = &message;
    command.connection = ConnectionId{connection};
    command.origin = origin;
    command.worker = message.has("worker") ? message.text("worker") : worker;
    command.holds = holds;
    command.may_manage = may_manage;
    std::size_t message_bytes = 64;
    for (Param const& param : message.params()) message_bytes += param.value.bytes.size() + 16;
    Answer answer;
    Decision decision{.now = now,
                      .phase = phase,
                      .transaction = transaction,
                      .start = start,
                      .waited = waited,
                      .short_of_memory = short_of_memory,
                      .records = log,
                      .answer = answer,
                      .hold = hold};
    Reply reply;
    std::size_t room = 2 * message_bytes + kStepBytesMax;
    reply.durability = Durability::written;
    do {
      log.begin_step();
      reply.verdict = table->decide(command, decision);
      if (!decision.status.ok()) {
        check(log.step_bytes() == 0, "a refused step appended records");
        break;
      }
      check(log.step_bytes() <= room, "a step appended more than its room");
      room = kStepBytesMax;
      if (log.step_bytes() > 0 && decision.durability == Durability::synced) reply.durability = Durability::synced;
      apply_step();
      ++decision.step;
      if (reply.verdict == Verdict::fetch) {
        answer.clear();
        read_for(decision.wanted);
      }
    } while (reply.verdict == Verdict::again || reply.verdict == Verdict::fetch);
    reply.status = decision.status;
    reply.take = decision.take;
    reply.wait_until = decision.wait_until;
    for (std::size_t i = 0; i < answer.heads().size(); ++i) {
      Texts& texts = reply.messages.emplace_back();
      texts[""] = std::string{answer.heads()[i].command};
      for (std::size_t p = answer.heads()[i].first; p < answer.params_end(i); ++p)
        texts[std::string{answer.params()[p].name}] = text_of(answer.params()[p].value);
    }
    return reply;
  }

  // What the table wants to move out of memory is written; end_move_out() says that it is there. False: nothing, or
  // something is on its way.
  bool begin_move_out() requires std::is_base_of_v<Offloads, TableClass> {
    if (!moving_out.empty()) return false;
    for (int asked = 0; table->request_offload(moving_out) && moving_out.empty(); ++asked)
      check(asked < 1'000'000, "the table wants to be asked again and again");
    return !moving_out.empty();
  }
  void end_move_out() requires std::is_base_of_v<Offloads, TableClass> {
    if (moving_out.empty()) return;
    std::vector<StoredValue> values;
    for (std::string& bytes : std::exchange(moving_out, {})) {
      Extent& extent = values.emplace_back().extent;
      extent = {.file = 1, .begin = next_place, .end = next_place + bytes.size(), .hash = next_place};
      next_place = extent.end;
      outside[extent.begin] = std::move(bytes);
    }
    std::array<std::uint64_t, 4> carry{};
    decide_until_done([&](Decision& decision) {
      decision.carry = carry;
      bool const more = table->decide_offloaded(values, decision);
      carry = decision.carry;
      return more;
    });
  }
  std::map<std::uint64_t, std::string> outside;  // values in files, by their place
  std::vector<std::string> moving_out;
  std::uint64_t next_place{4096};

  // Time passes, and the table's timers run date by date, as the engine wakes for them.
  void pass(std::int64_t ms) {
    TimeMs const until = now + DurationMs{ms};
    for (TimeMs next = table->next_due(); next <= until; next = table->next_due()) {
      now = std::max(now, next);
      timers();
    }
    now = until;
    timers();
  }

  void timers() {
    settle_due();
    decide_until_done([&](Decision& decision) { return table->decide_timer(decision); });
    check(table->next_due() > now, "the table stays due after its timers ran");
  }
  void close(std::uint64_t connection) {
    decide_until_done(
        [&](Decision& decision) { return table->decide_connection_closed(ConnectionId{connection}, decision); });
  }
  // Compacts what lies below `below`, at most `budget` bytes a step, or as many as an object asked for. Returns
  // the number of steps: at most `steps_max`, and then it may not be at its end.
  std::size_t compact(Lsn below, std::size_t budget = 4096, std::size_t steps_max = SIZE_MAX) {
    std::size_t room = budget;
    for (std::size_t steps = 1;; ++steps) {
      check(steps < 1'000'000, "compaction never comes to an end");
      log.begin_step();
      Answer answer;
      Decision decision{.now = now, .start = start, .records = log, .answer = answer};
      Compacted const result = table->compact_oldest(below, room, decision);
      check(log.step_bytes() <= room, "compaction took more than its room");
      room = std::max(budget, result.object_bytes);
      apply_step();
      if (!result.more || steps == steps_max) return steps;
    }
  }

  // A second table, built from the log from `base` on.
  [[nodiscard]] std::unique_ptr<TableClass> replayed(Lsn base = Lsn{8}) const {
    auto twin = std::make_unique<TableClass>(context, type, declaration);
    if constexpr (std::is_base_of_v<Columns, TableClass>)
      for (Schema const& schema : schemas) twin->add_schema(schema);
    Alerts nobody;
    for (MemoryLog::Stored const& record : log.stored()) {
      if (record.lsn < base) continue;
      check(twin->apply(record.view(), {.live = false, .now = {}, .base = base}, nobody),
            "a record was refused at replay");
    }
    return twin;
  }
  [[nodiscard]] bool replays() const { return digest_of(*replayed()) == digest_of(*table); }

  // The clock is set forward, or the computer slept, by `ms`.
  void lose(std::int64_t ms) {
    now = now + DurationMs{ms};
    std::array<std::uint64_t, 4> carry{};
    decide_until_done([&](Decision& decision) {
      decision.carry = carry;
      bool const more = table->decide_time_lost(DurationMs{ms}, decision);
      carry = decision.carry;
      return more;
    });
    timers();
  }
  // kill -9 and start: the table is rebuilt from the log, and leases get their grace. `clock`: the clock's time after
  // the start; if it is behind, it is accepted.
  void restart(std::int64_t down_ms = 0, TimeMs clock = TimeMs::max()) {
    table = replayed(table->oldest_lsn().is_none() ? log.end() : table->oldest_lsn());
    moving_out.clear();
    ++start;
    now = now + DurationMs{down_ms};
    if (clock < now) {
      TimeMs const from = std::exchange(now, clock);
      decide_until_done([&](Decision& decision) {
        table->decide_clock_accepted(from, decision);
        return false;
      });
    }
    decide_until_done([&](Decision& decision) { return table->decide_recovered(decision); });
    pass(0);
  }

  void take(std::shared_ptr<TableDeclaration const> next) {
    declaration = std::move(next);
    if (declaration->schema.version != schemas.back().version) {
      schemas.push_back(declaration->schema);
      if constexpr (std::is_base_of_v<Columns, TableClass>) table->add_schema(declaration->schema);
    }
    table->change(declaration);
  }

  static void check(bool holds, char const* what) {
    if (!holds) throw std::runtime_error(what);
  }

 protected:
  void read_for(Extent const& wanted) {
    // All of a value, or a part of it.
    auto found = outside.upper_bound(wanted.begin);
    bool const is_any = found != outside.begin();
    if (is_any) --found;
    bool const is_there = is_any && wanted.end <= found->first + found->second.size();
    if constexpr (std::is_base_of_v<Offloads, TableClass>)
      table->fetched(wanted,
                     is_there ? std::string_view{found->second}.substr(wanted.begin - found->first, wanted.size())
                              : std::string_view{},
                     is_there ? Status{} : Status{Code::damaged, "it is not there"});
  }
  std::uint16_t index_of(std::string_view command) {
    auto const& commands = type->commands;
    for (std::size_t i = 0; i < commands.size(); ++i)
      if (commands[i].name == command) return static_cast<std::uint16_t>(i);
    throw std::runtime_error("no such command");
  }
  void settle_due() {
    while (table->next_due() <= now && table->advance(now, 4096, *observer)) {
    }
  }
  void apply_step() {
    for (std::size_t i = log.applied(); i < log.stored().size(); ++i)
      check(table->apply(log.stored()[i].view(), {.live = true, .now = now, .base = Lsn{8}}, *observer),
            "the table refused its own record");
  }
  template <typename Decide>
  std::size_t decide_until_done(Decide&& decide) {
    for (std::size_t steps = 1;; ++steps) {
      check(steps < 1'000'000, "the table never comes to an end");
      log.begin_step();
      Answer answer;
      Decision decision{.now = now, .start = start, .records = log, .answer = answer};
      bool const more = decide(decision);
      check(log.step_bytes() <= kStepBytesMax, "a step appended more than its room");
      apply_step();
      if (!more) return steps;
    }
  }
};

}  // namespace fastjournal::test
