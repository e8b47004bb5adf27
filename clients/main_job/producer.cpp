#include "clients/main_job/producer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <random>
#include <thread>
#include <tuple>

#include "clients/lib/journal.h"
#include "clients/main_job/documents.h"
#include "clients/main_job/event.h"

namespace fastjournal::main_job {
namespace {

using client::Connection;
using client::Journal;
using client::Pipeline;
using client::Reply;

// Interval of sending; all due changes are sent together.
constexpr std::chrono::milliseconds kTick{20};
constexpr std::size_t kInFlight = 256;

// Numbers that are equal on all machines, which the standard's distributions do not guarantee.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}
  // From `low` to `high`, both included. The bias of % is negligible for a plan.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool percent(std::int64_t chance) { return between(0, 99) < chance; }

 private:
  std::mt19937_64 engine_;
};

constexpr std::uint8_t kPriorityUpdates = 180;

std::uint8_t priority_by_chance(Chance& chance) {
  std::int64_t const dice = chance.between(0, 99);
  return dice < 3 ? 0 : dice < 8 ? 10 : 20;
}

Result<std::vector<std::string>> read_lines(std::string const& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  if (!file.is_open() || file.bad()) return Status{Code::io_error, "cannot read " + path};
  return lines;
}

// The columns of one page besides its key.
struct Columns {
  std::string title;
  std::uint64_t size;
};

Columns columns_of(std::string const& uri) {
  auto const path = path_of(uri);
  if (!path.ok()) return {uri, 0};
  std::error_code absent;
  auto const size = std::filesystem::file_size(path.value(), absent);
  return {path.value().filename().string(), absent ? 0 : std::uint64_t{size}};
}

class Producer {
 public:
  Producer(Connection& connection, EventWriter& events, std::vector<std::string> const& uris, std::string const& name)
      : connection_(connection), journal_(connection, "pages"), events_(events), uris_(uris) {
    journal_.number_puts(name);
  }

  Status run(std::vector<Touch> const& plan) {
    auto const start = std::chrono::steady_clock::now();
    for (auto at = plan.begin(); at != plan.end();) {
      auto const passed =
          std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
      auto const due = std::find_if(at, plan.end(), [&](Touch const& touch) { return touch.at_ms > passed.count(); });
      if (Status sent = send(at, due); !sent.ok()) return sent;
      at = due;
      std::this_thread::sleep_until(start + passed + kTick);
    }
    return {};
  }

 private:
  using At = std::vector<Touch>::const_iterator;

  // All of them in flight together; returns when they are answered and recorded.
  Status send(At begin, At end) {
    Status refused;
    std::vector<std::int64_t> sent_us;
    Pipeline pipeline(connection_, kInFlight, [&](std::uint64_t nr, Result<Reply> const& reply) {
      Status const taken = take(begin[static_cast<std::ptrdiff_t>(nr)], sent_us[nr], reply);
      if (!taken.ok() && refused.ok()) refused = taken;
    });
    for (At at = begin; at != end && refused.ok(); ++at) {
      sent_us.push_back(monotonic_us());
      if (Status sent = pipeline.send(insert_of(*at)); !sent.ok()) return sent;
    }
    pipeline.finish();
    return refused.ok() ? events_.write() : refused;
  }

  Message insert_of(Touch const& touch) {
    static constexpr std::array<std::string_view, 4> kPeople{"anna", "ben", "carla", "dmitri"};
    std::string const& uri = uris_[touch.page];
    columns_ = columns_of(uri);
    return journal_.insert_of(
        {{"uri", Value::of_text(uri)},
         {"title", Value::of_text(columns_.title)},
         {"touched_by", Value::of_text(kPeople[touch.page % kPeople.size()])},
         {"size", Value::of_unsigned(columns_.size)}},
        {.priority = touch.priority, .process_date = client::Date::in(DurationMs{touch.delay_ms})});
  }

  Status take(Touch const& touch, std::int64_t sent_us, Result<Reply> const& reply) {
    if (!reply.ok()) return reply.status();
    auto const put = Journal::put_of(reply.value());
    if (!put.ok()) return put.status();
    events_.add({.kind = EventKind::insert,
                 .us = sent_us,
                 .row = put.value().row,
                 .number = static_cast<std::int64_t>(put.value().result),
                 .count = put.value().merges,
                 .text = uris_[touch.page]});
    return {};
  }

  Connection& connection_;
  Journal journal_;
  EventWriter& events_;
  std::vector<std::string> const& uris_;
  Columns columns_{};  // borrowed by the command being made
};

}  // namespace

std::vector<Touch> plan_touches(std::uint32_t pages, std::uint64_t seed) {
  Chance chance(seed);
  std::int64_t const spread_ms = std::int64_t{pages} * kSpreadUsPerPage / 1000;
  std::vector<Touch> plan;
  for (std::uint32_t page = 0; page < pages; ++page) {
    auto const touch_at = [&](std::int64_t at_ms, std::uint8_t priority) {
      plan.push_back({at_ms, page, priority, chance.between(kDelayMsMin, kDelayMsMax)});
    };
    bool const update = chance.percent(kUpdatePercent);
    std::int64_t const first_ms = update ? spread_ms / 3 : chance.between(0, spread_ms);
    touch_at(first_ms, update ? kPriorityUpdates : priority_by_chance(chance));
    std::int64_t const due_ms = first_ms + plan.back().delay_ms;
    if (chance.between(0, 2) == 0)
      for (std::int64_t more = chance.between(1, 4); more > 0; --more)
        touch_at(chance.between(first_ms, due_ms - 1), priority_by_chance(chance));
    // Some when the row is in work, if it is not waiting behind others; some when it has long been done.
    if (chance.percent(3)) touch_at(due_ms + chance.between(0, 10), priority_by_chance(chance));
    if (chance.percent(2)) touch_at(due_ms + chance.between(100, 3000), priority_by_chance(chance));
  }
  std::sort(plan.begin(), plan.end(), [](Touch const& a, Touch const& b) {
    return std::tie(a.at_ms, a.page, a.delay_ms) < std::tie(b.at_ms, b.page, b.delay_ms);
  });
  return plan;
}

Status produce(ProducerJob const& job) {
  auto uris = read_lines(job.pages);
  if (!uris.ok()) return uris.status();
  auto events = EventWriter::open(job.events);
  if (!events.ok()) return events.status();
  auto connection = Connection::open({.server = job.server});
  if (!connection.ok()) return connection.status();
  Producer producer(*connection.value(), events.value(), uris.value(), job.name);
  return producer.run(plan_touches(static_cast<std::uint32_t>(uris.value().size()), job.seed));
}

}  // namespace fastjournal::main_job
