// A journal table alone, with a log in memory. Commands are decided and applied as the engine does it, tests set the
// time, and the log can be replayed into a second table. For tests and benchmarks of the plugin.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "config/type_reader.h"
#include "plugins/journal/journal.h"
#include "tests/support/memory_log.h"

namespace fastjournal::journal::test {

using fastjournal::test::DigestSum;
using fastjournal::test::MemoryLog;
using Texts = std::map<std::string, std::string>;
using Columns = std::vector<Column>;

inline std::shared_ptr<TypeDeclaration const> journal_type() {
  static std::shared_ptr<TypeDeclaration const> const type = [] {
    Result<TypeDeclaration> read = config::read_type(FJ_SOURCE_DIR "/plugins/journal/journal.xml");
    if (!read.ok()) throw std::runtime_error(read.status().text());
    return std::make_shared<TypeDeclaration const>(std::move(read).value());
  }();
  return type;
}

inline Column column(std::string name, ColumnType type = ColumnType::string, MergeRule merge = MergeRule::replace) {
  Column out;
  out.name = std::move(name);
  out.type = type;
  out.merge = merge;
  return out;
}

// A table with the key column `k`, the data column `v`, and the given options and columns.
inline std::shared_ptr<TableDeclaration const> declare(Texts const& options = {}, Columns more = {},
                                                       std::uint16_t version = 1) {
  auto out = std::make_shared<TableDeclaration>();
  out->name = "jobs";
  out->type = "journal";
  out->file = "jobs.xml";
  out->schema.version = version;
  out->schema.columns = {column("k"), column("v")};
  for (Column& extra : more) out->schema.columns.push_back(std::move(extra));
  out->schema.key = {0};
  for (OptionDeclaration const& option : journal_type()->options) {
    auto const given = options.find(option.name);
    OptionValue value;
    value.name = option.name;
    value.text = given == options.end() ? option.default_text : given->second;
    value.given = given != options.end();
    Result<std::int64_t> number = config::parse_option(option, value.text);
    if (!number.ok()) throw std::runtime_error(option.name + ": " + number.status().text());
    value.integer = number.value();
    out->options.push_back(std::move(value));
  }
  return out;
}

struct Alerts final : TableObserver {
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

inline std::uint64_t digest_of(Journal const& table) {
  DigestSum sum;
  table.digest(sum);
  return sum.sum;
}

class Harness {
 public:
  explicit Harness(Texts const& options = {}, Columns more = {}) : Harness(declare(options, std::move(more))) {}
  explicit Harness(std::shared_ptr<TableDeclaration const> table_declaration, std::uint64_t hash_seed = 0)
      : declaration(std::move(table_declaration)), schemas{declaration->schema}, context{TableId{1}, hash_seed} {
    table = std::make_unique<Journal>(context, journal_type(), declaration);
  }

  std::shared_ptr<TableDeclaration const> declaration;
  std::vector<Schema> schemas;  // every version the table had
  TableContext context;
  std::unique_ptr<Journal> table;
  MemoryLog log;
  Alerts alerts;
  TimeMs now{1'700'000'000'000};
  std::uint32_t start{1};
  std::string origin{"ip:192.0.2.1"};

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
    std::size_t message_bytes = 64;
    for (Param const& param : message.params()) message_bytes += param.value.bytes.size() + 16;
    Answer answer;
    Decision decision{.now = now, .start = start, .waited = waited, .records = log, .answer = answer};
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
    } while (reply.verdict == Verdict::again);
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
  // Copies forward what lies below `below`, at most `budget` bytes a step, or as many as an object asked for. Returns
  // the number of steps.
  std::size_t restate(Lsn below, std::size_t budget = 4096) {
    std::size_t room = budget;
    for (std::size_t steps = 1;; ++steps) {
      check(steps < 1'000'000, "copying forward never comes to an end");
      log.begin_step();
      Answer answer;
      Decision decision{.now = now, .start = start, .records = log, .answer = answer};
      Restated const restated = table->restate_oldest(below, room, decision);
      check(log.step_bytes() <= room, "copying forward took more than its room");
      room = std::max(budget, restated.object_bytes);
      apply_step();
      if (!restated.more) return steps;
    }
  }

  // A second table, built from the log from `base` on.
  [[nodiscard]] std::unique_ptr<Journal> replayed(Lsn base = Lsn{8}) const {
    auto twin = std::make_unique<Journal>(context, journal_type(), declaration);
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

  void change(Texts const& options, Columns more = {}, std::uint16_t version = 1) {
    take(declare(options, std::move(more), version));
  }
  void take(std::shared_ptr<TableDeclaration const> next) {
    declaration = std::move(next);
    if (declaration->schema.version != schemas.back().version) {
      schemas.push_back(declaration->schema);
      table->add_schema(declaration->schema);
    }
    table->change(declaration);
  }

  static void check(bool holds, char const* what) {
    if (!holds) throw std::runtime_error(what);
  }

 private:
  static std::uint16_t index_of(std::string_view command) {
    auto const& commands = journal_type()->commands;
    for (std::size_t i = 0; i < commands.size(); ++i)
      if (commands[i].name == command) return static_cast<std::uint16_t>(i);
    throw std::runtime_error("no such command");
  }
  void settle_due() {
    while (table->next_due() <= now && table->advance(now, 4096, alerts)) {
    }
  }
  void apply_step() {
    for (std::size_t i = log.applied(); i < log.stored().size(); ++i)
      check(table->apply(log.stored()[i].view(), {.live = true, .now = now, .base = Lsn{8}}, alerts),
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

}  // namespace fastjournal::journal::test
