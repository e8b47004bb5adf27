#include "log/flag.h"

#include <fmt/format.h>

#include "base/hash.h"

namespace fastjournal::communicator {
namespace {

// The value of a line.
std::string value_text(std::string_view text) {
  std::string out;
  for (char const c : text) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\\')
      out += "\\\\";
    else
      out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
  }
  // The watcher joins a line that ends in a backslash with the next one, and trims blanks.
  if (out.ends_with('\\')) out += ' ';
  return out;
}

}  // namespace

std::string section_of(std::string_view table) {
  if (table.empty()) return std::string{kDaemonSection};
  std::string out;
  for (char const c : table) {
    if (c != '_')
      out += c;
    else if (!out.ends_with('-'))
      out += '-';
  }
  while (out.ends_with('-')) out.pop_back();
  if (out.size() == table.size() && out != kDaemonSection) return out;
  return fmt::format("{}-x{:08x}", out, static_cast<std::uint32_t>(hash64(table, 0)));
}

std::string flag_file_name(log::Alert const& alert, Origin const& origin) {
  return fmt::format("{}_{}_{}.flag", origin.unit, section_of(alert.table), alert.name);
}

std::string flag_content(log::Alert const& alert, Origin const& origin) {
  std::string out;
  auto const line = [&out](std::string_view name, std::string_view value) {
    out.append(name).append("=").append(value_text(value)).append("\n");
  };
  line("unit", origin.unit);
  line("section", section_of(alert.table));
  line("name", alert.name);
  // The watcher refuses a flag without a message.
  line("message", alert.message.empty() ? std::string_view{"no message"} : std::string_view{alert.message});
  line("count", std::to_string(alert.count));
  line("date", std::to_string(alert.first.value / 1000));
  line("modified", std::to_string(alert.last.value / 1000));
  line("priority", std::to_string(alert.priority));
  line("tags", alert.tags);
  line("manual_down", alert.manual ? "yes" : "no");
  line("hostname", origin.hostname);
  line("version", origin.version);
  return out;
}

}  // namespace fastjournal::communicator
