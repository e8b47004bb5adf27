#include "clients/demo/main_job/producer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <random>
#include <thread>
#include <tuple>

#include "clients/demo/main_job/documents.h"
#include "clients/demo/main_job/event.h"
#include "clients/spool/core/spool.h"

namespace fastjournal::main_job {
namespace {

// Interval of saving; all due changes are saved together.
constexpr std::chrono::milliseconds kTick{20};

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
  Producer(spool::Spool& spool, EventWriter& events, std::vector<std::string> const& uris)
      : spool_(spool), events_(events), uris_(uris) {}

  Status run(std::vector<Touch> const& plan) {
    auto const start = std::chrono::steady_clock::now();
    for (auto at = plan.begin(); at != plan.end();) {
      auto const passed =
          std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
      auto const due = std::find_if(at, plan.end(), [&](Touch const& touch) { return touch.at_ms > passed.count(); });
      for (; at != due; ++at)
        if (Status saved = save(*at); !saved.ok()) return saved;
      if (Status wrote = events_.write(); !wrote.ok()) return wrote;
      std::this_thread::sleep_until(start + passed + kTick);
    }
    return {};
  }

 private:
  Status save(Touch const& touch) {
    static constexpr std::array<std::string_view, 4> kPeople{"anna", "ben", "carla", "dmitri"};
    std::string const& uri = uris_[touch.page];
    Columns const columns = columns_of(uri);
    Message row = spool::Spool::row_of("pages");
    row.set("uri", std::string_view{uri});
    row.set("title", std::string_view{columns.title});
    row.set("touched_by", kPeople[touch.page % kPeople.size()]);
    row.set("size", Value::of_unsigned(columns.size));
    row.set_integer("priority", touch.priority);
    // A relative date would count from the arrival at the daemon.
    row.set_integer("process_date", wall_us() / 1000 + touch.delay_ms);
    std::int64_t const begin_us = monotonic_us();
    Status saved = spool_.save(row);
    events_.add({.kind = EventKind::saved, .us = begin_us, .number = monotonic_us() - begin_us, .text = uri});
    return saved;
  }

  spool::Spool& spool_;
  EventWriter& events_;
  std::vector<std::string> const& uris_;
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
  auto spool = spool::Spool::open({.folder = job.spool, .period = std::chrono::seconds{kSpoolPeriodS}});
  if (!spool.ok()) return spool.status();
  Producer producer(*spool.value(), events.value(), uris.value());
  return producer.run(plan_touches(static_cast<std::uint32_t>(uris.value().size()), job.seed));
}

}  // namespace fastjournal::main_job
