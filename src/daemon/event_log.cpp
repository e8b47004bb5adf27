#include "daemon/event_log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace fastjournal::daemon {
namespace {

std::string& file_name() {
  static std::string name;
  return name;
}

// spdlog tells its failures by exceptions: they end here.
Status use_file(std::string const& file) {
  try {
    auto level = spdlog::get_level();
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file);
    auto logger = std::make_shared<spdlog::logger>("fastjournald", std::move(sink));
    logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
    logger->set_level(level);
    logger->flush_on(spdlog::level::info);
    spdlog::set_default_logger(std::move(logger));
  } catch (std::exception const& error) {
    return {Code::io_error, "log file " + file + ": " + error.what()};
  }
  return {};
}

}  // namespace

Status open_event_log(std::string const& file, std::string_view level) {
  auto logger = std::make_shared<spdlog::logger>("fastjournald", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern("fastjournald: %l: %v");
  spdlog::set_default_logger(std::move(logger));
  spdlog::set_level(spdlog::level::from_str(std::string{level}));
  file_name() = file;
  return file.empty() ? Status{} : use_file(file);
}

Status reopen_event_log() { return file_name().empty() ? Status{} : use_file(file_name()); }

void log_info(std::string_view text) { spdlog::info("{}", text); }
void log_warning(std::string_view text) { spdlog::warn("{}", text); }
void log_error(std::string_view text) { spdlog::error("{}", text); }

}  // namespace fastjournal::daemon
