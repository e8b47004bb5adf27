#include "clients/demo/main_job/event.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

namespace fastjournal::main_job {
namespace {

constexpr std::array<std::string_view, 7> kNames{"saved", "leased", "worked", "done", "parked", "refused", "woken"};

Status failed(std::string_view call, std::string_view name) {
  return {Code::io_error, fmt::format("{} {}: {}", call, name, std::strerror(errno))};
}

// Takes the next blank-separated field off the front.
std::string_view take_field(std::string_view& line) {
  std::string_view const field = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(field.size() + 1, line.size()));
  return field;
}

template <typename T>
bool take_number(std::string_view& line, T& into) {
  std::string_view const field = take_field(line);
  auto const [end, error] = std::from_chars(field.data(), field.data() + field.size(), into);
  return !field.empty() && error == std::errc{} && end == field.data() + field.size();
}

std::optional<EventKind> kind_of(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<EventKind>(i);
  return std::nullopt;
}

}  // namespace

std::string line_of(Event const& event) {
  return fmt::format("{} {} {} {} {} {} {}\n", kNames[static_cast<std::size_t>(event.kind)], event.us, event.row,
                     event.epoch, event.number, event.count, event.text);
}

Result<Event> event_of(std::string_view line) {
  std::string_view rest = line;
  auto const kind = kind_of(take_field(rest));
  Event event;
  if (!kind || !take_number(rest, event.us) || !take_number(rest, event.row) || !take_number(rest, event.epoch) ||
      !take_number(rest, event.number) || !take_number(rest, event.count) || rest.find(' ') != std::string_view::npos)
    return Status{Code::invalid, fmt::format("`{}`: expected `KIND us row epoch number count text`", line)};
  event.kind = *kind;
  event.text = rest;
  return event;
}

std::int64_t monotonic_us() {
  auto const now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

std::int64_t wall_us() {
  auto const now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

Result<EventWriter> EventWriter::open(std::filesystem::path const& path) {
  int const fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return failed("open", path.string());
  return EventWriter{fd, path.string()};
}

EventWriter::EventWriter(EventWriter&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), name_(std::move(other.name_)), lines_(std::move(other.lines_)) {}

EventWriter::~EventWriter() {
  if (fd_ >= 0) ::close(fd_);
}

Status EventWriter::write() {
  std::string_view left = lines_;
  while (!left.empty()) {
    ssize_t const wrote = ::write(fd_, left.data(), left.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return failed("write", name_);
    left.remove_prefix(static_cast<std::size_t>(wrote));
  }
  lines_.clear();
  return {};
}

}  // namespace fastjournal::main_job
