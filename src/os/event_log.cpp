#include "os/event_log.h"

#include <errno.h>
#include <fcntl.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <mutex>
#include <system_error>

#include <fmt/format.h>

namespace fastjournal::os {
namespace {

std::string& file_name() {
  static std::string name;
  return name;
}

// Standard error may have been redirected since the variable was set.
bool errors_go_to_journal() {
  char const* const stream = std::getenv("JOURNAL_STREAM");
  struct stat here {};
  return stream != nullptr && ::fstat(STDERR_FILENO, &here) == 0 &&
         stream == fmt::format("{}:{}", here.st_dev, here.st_ino);
}

// Priorities of syslog(3).
int priority_of(spdlog::level::level_enum level) {
  if (level >= spdlog::level::err) return 3;
  if (level == spdlog::level::warn) return 4;
  return level == spdlog::level::info ? 6 : 7;
}

class PriorityFlag final : public spdlog::custom_flag_formatter {
 public:
  void format(spdlog::details::log_msg const& message, std::tm const&, spdlog::memory_buf_t& out) override {
    fmt::format_to(std::back_inserter(out), "<{}>", priority_of(message.level));
  }
  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<PriorityFlag>();
  }
};

// spdlog's own sink makes the file readable for everybody, and lets child processes inherit it. Here each line is one
// write, so that others who append to the file, or read it, see whole lines.
class FileSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit FileSink(int fd) : fd_(fd) {}
  ~FileSink() override { ::close(fd_); }
  FileSink(FileSink const&) = delete;
  FileSink& operator=(FileSink const&) = delete;

 private:
  void sink_it_(spdlog::details::log_msg const& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    // A log that cannot be written must not stop the program.
    [[maybe_unused]] ssize_t const put = ::write(fd_, line.data(), line.size());
  }
  void flush_() override {}

  int fd_;
};

// spdlog reports failures by exceptions, which end here.
Status use_file(std::string const& file) {
  int const fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  if (fd < 0) return {Code::io_error, "log file " + file + ": " + std::generic_category().message(errno)};
  try {
    auto level = spdlog::get_level();
    auto sink = std::make_shared<FileSink>(fd);
    auto logger = std::make_shared<spdlog::logger>(spdlog::default_logger()->name(), std::move(sink));
    logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
    logger->set_level(level);
    spdlog::set_default_logger(std::move(logger));
  } catch (std::exception const& error) {
    return {Code::io_error, "log file " + file + ": " + error.what()};
  }
  return {};
}

// Logged texts often contain words of clients: these must not begin a line or control a terminal.
std::string one_line(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    auto const byte = static_cast<unsigned char>(text[at]);
    auto const next = at + 1 < text.size() ? static_cast<unsigned char>(text[at + 1]) : 0U;
    if (byte == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {
      // U+0080 to U+009F: terminals treat them as control characters too.
      out += fmt::format("\\x{:02x}\\x{:02x}", byte, next);
      ++at;
    } else {
      out += text[at];
    }
  }
  return out;
}

}  // namespace

Status open_event_log(std::string const& program, std::string const& file, std::string_view level) {
  auto logger = std::make_shared<spdlog::logger>(program, std::make_shared<spdlog::sinks::stderr_sink_mt>());
  if (errors_go_to_journal()) {
    auto lines = std::make_unique<spdlog::pattern_formatter>();
    lines->add_flag<PriorityFlag>('*').set_pattern("%*%v");
    logger->set_formatter(std::move(lines));
  } else {
    logger->set_pattern("%n: %l: %v");
  }
  spdlog::set_default_logger(std::move(logger));
  spdlog::set_level(spdlog::level::from_str(std::string{level}));
  file_name() = file;
  return file.empty() ? Status{} : use_file(file);
}

Status reopen_event_log() { return file_name().empty() ? Status{} : use_file(file_name()); }

void log_info(std::string_view text) { spdlog::info("{}", one_line(text)); }
void log_warning(std::string_view text) { spdlog::warn("{}", one_line(text)); }
void log_error(std::string_view text) { spdlog::error("{}", one_line(text)); }

void print_failure(std::string_view program, std::string_view text) {
  if (!errors_go_to_journal()) {
    fmt::print(stderr, "{}: {}\n", program, text);
    return;
  }
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t const end = std::min(text.find('\n', at), text.size());
    fmt::print(stderr, "<{}>{}\n", priority_of(spdlog::level::err), text.substr(at, end - at));
    at = end + 1;
  }
}

}  // namespace fastjournal::os
