#include "platform/os/event_log.h"

#include <errno.h>
#include <fcntl.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <mutex>
#include <system_error>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/terminal_text.h"

namespace fastjournal::os {
namespace {

std::string& file_name() {
  static std::string name;
  return name;
}

// Entries with fields are for the journal: standard error is it, and there is no other log.
bool& fields_are_wanted() {
  static bool are{false};
  return are;
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

// False: it is not there, takes nothing, or not as much at once.
bool write_to_journal(spdlog::level::level_enum level, std::string_view text, LogFields fields) {
  static int const fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_un const journal{AF_UNIX, "/run/systemd/journal/socket"};
  std::string const entry = journal_entry(spdlog::default_logger_raw()->name(), priority_of(level), text, fields);
  return ::sendto(fd, entry.data(), entry.size(), MSG_NOSIGNAL, reinterpret_cast<sockaddr const*>(&journal),
                  sizeof journal) >= 0;
}

void write_line(spdlog::level::level_enum level, std::string_view text, LogFields fields) {
  if (!spdlog::should_log(level)) return;
  if (fields.size() > 0 && fields_are_wanted() && write_to_journal(level, text, fields)) return;
  // Logged texts often contain words of clients: these must not begin a line or control a terminal.
  spdlog::log(level, "{}", printable(text));
}

}  // namespace

std::string journal_entry(std::string_view program, int priority, std::string_view text, LogFields fields) {
  std::string out = fmt::format("MESSAGE={}\nPRIORITY={}\nSYSLOG_IDENTIFIER={}\n", printable(text), priority, program);
  for (LogField const& field : fields) {
    std::array<std::byte, sizeof(std::uint64_t)> size{};
    store_little(size.data(), std::uint64_t{field.value.size()});
    out.append(field.name).append("\n").append(reinterpret_cast<char const*>(size.data()), size.size());
    out.append(field.value).append("\n");
  }
  return out;
}

Status open_event_log(std::string const& program, std::string const& file, std::string_view level) {
  auto logger = std::make_shared<spdlog::logger>(program, std::make_shared<spdlog::sinks::stderr_sink_mt>());
  fields_are_wanted() = file.empty() && errors_go_to_journal();
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

void log_info(std::string_view text, LogFields fields) { write_line(spdlog::level::info, text, fields); }
void log_warning(std::string_view text, LogFields fields) { write_line(spdlog::level::warn, text, fields); }
void log_error(std::string_view text, LogFields fields) { write_line(spdlog::level::err, text, fields); }

void print_failure(std::string_view program, std::string_view text) {
  if (!errors_go_to_journal()) {
    fmt::print(stderr, "{}: {}\n", program, printable_lines(text));
    return;
  }
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t const end = std::min(text.find('\n', at), text.size());
    fmt::print(stderr, "<{}>{}\n", priority_of(spdlog::level::err), printable(text.substr(at, end - at)));
    at = end + 1;
  }
}

}  // namespace fastjournal::os
