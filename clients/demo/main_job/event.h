// The events recorded by producer and backends: one line for each, in a file per process, written before the process
// continues. The lines survive kill -9, and they alone tell the main job what was lost or done twice (ledger.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "fastjournal/status.h"

namespace fastjournal::main_job {

enum class EventKind : std::uint8_t {
  saved,    // a change is in the spool; `us` is the begin of the call, `number` its duration (us)
  leased,   // a row was received; `number` is the duration of its lease (us), `count` how many changes it has
  worked,   // its text is in the index, and DONE (or FAIL) is sent next; `number`: bytes read
  done,     // COMPLETED was received; `count` 1: perhaps for a row that had gone before DONE was sent again
  parked,   // PARKED was received: the document is unreadable; `text` is the URI
  refused,  // DONE or FAIL was refused: the lease was lost
  woken,    // a LISTEN message; `number` is the delay of its arrival (us)
};

// One event. Fields not used by its kind are 0 or empty.
struct Event {
  EventKind kind{EventKind::saved};
  std::int64_t us{0};  // of the machine's monotonic clock, common to all processes
  std::uint64_t row{0};
  std::uint64_t epoch{0};
  std::int64_t number{0};
  std::uint64_t count{0};
  std::string text{};  // the URI; without blanks

  bool operator==(Event const&) const = default;
};

[[nodiscard]] std::string line_of(Event const& event);  // with its LF
// From a line without its LF; invalid: with the reason.
[[nodiscard]] Result<Event> event_of(std::string_view line);

[[nodiscard]] std::int64_t monotonic_us();
// Microseconds since 1970, for comparison with the daemon's dates.
[[nodiscard]] std::int64_t wall_us();

// Appends lines to one file. Each write is a single call, so that lines are complete or absent.
class EventWriter {
 public:
  [[nodiscard]] static Result<EventWriter> open(std::filesystem::path const& path);
  EventWriter(EventWriter&& other) noexcept;
  EventWriter& operator=(EventWriter&&) = delete;
  EventWriter(EventWriter const&) = delete;
  EventWriter& operator=(EventWriter const&) = delete;
  ~EventWriter();

  void add(Event const& event) { lines_ += line_of(event); }
  // Hands the added lines to the system: from then on they survive this process.
  [[nodiscard]] Status write();

 private:
  EventWriter(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}

  int fd_{-1};
  std::string name_;
  std::string lines_;
};

}  // namespace fastjournal::main_job
