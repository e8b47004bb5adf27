// The frontend of the story: people change pages, often the same page again within the delay, and each change is saved
// in the spool. It consists of a plan, which is the same for the same seed, and of a process that carries it out on
// time. That process knows no daemon: it goes on whether there is one or not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fastjournal/status.h"

namespace fastjournal::main_job {

// One change of a page.
struct Touch {
  std::int64_t at_ms{0};  // after the start
  std::uint32_t page{0};  // index
  std::uint8_t priority{0};
  std::int64_t delay_ms{0};  // from this change to the process date
  bool operator==(Touch const&) const = default;
};

inline constexpr std::int64_t kDelayMsMin = 200;
inline constexpr std::int64_t kDelayMsMax = 2000;
// Average interval between first changes of pages.
inline constexpr std::int64_t kSpreadUsPerPage = 4000;
// Share of pages changed by an update of the whole site, which happens after half of the others were changed.
inline constexpr std::int64_t kUpdatePercent = 25;

// Every page once; a third of them 1 to 4 times more within the delay, so that these merge; a few once more when they
// may be in work or done. In order of date. The priorities are those of snapwebsites' list plugin: 20, a few percent
// 10 and 0, updates 180.
[[nodiscard]] std::vector<Touch> plan_touches(std::uint32_t pages, std::uint64_t seed);

struct ProducerJob {
  std::string pages;   // file with one URI per line
  std::string spool;   // the folder
  std::string events;  // file for what was saved (event.h)
  std::uint64_t seed{1};
};

// The period of the spool's files: short, so that several are ended, brought over and deleted during a run.
inline constexpr std::int64_t kSpoolPeriodS = 5;

// Carries out the plan. Not ok: a change could not be saved.
[[nodiscard]] Status produce(ProducerJob const& job);

}  // namespace fastjournal::main_job
