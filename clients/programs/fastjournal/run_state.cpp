#include "clients/programs/fastjournal/run_state.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/hash.h"
#include "platform/files/new_file.h"

namespace fastjournal::cli {

namespace {

constexpr std::string_view kFirstLine = "fastjournal put --from 1";

// The numbers, by their names in the file.
using Numbers = std::array<std::pair<std::string_view, std::uint64_t*>, 7>;
Numbers numbers_of(RunState& state) {
  return {{{"rows", &state.rows},
           {"lines", &state.lines},
           {"hash", &state.hash},
           {"in", &state.in},
           {"refused", &state.refused},
           {"refused_bytes", &state.refused_bytes},
           {"reasons_bytes", &state.reasons_bytes}}};
}

bool take_number(std::map<std::string, std::string> const& values, std::string_view name, std::uint64_t& out) {
  auto const at = values.find(std::string(name));
  if (at == values.end()) return false;
  char const* const end = at->second.data() + at->second.size();
  auto const [stopped, error] = std::from_chars(at->second.data(), end, out);
  return error == std::errc{} && stopped == end;
}

}  // namespace

std::uint64_t hash_row(std::string_view text, std::uint64_t before) { return hash64(text, before); }

Result<std::optional<RunState>> read_state(std::string const& path) {
  if (::access(path.c_str(), F_OK) != 0 && errno == ENOENT) return std::optional<RunState>{};
  std::ifstream file(path);
  std::string line;
  bool good = file.is_open() && std::getline(file, line) && line == kFirstLine;
  std::map<std::string, std::string> values;
  while (good && std::getline(file, line)) {
    std::size_t const blank = line.find(' ');
    good = blank != std::string::npos;
    if (good) values[line.substr(0, blank)] = line.substr(blank + 1);
  }
  RunState out;
  for (auto const& [name, number] : numbers_of(out)) good = good && take_number(values, name, *number);
  out.table = values["table"];
  out.client = values["client"];
  out.refused_file = values["refused_file"];
  if (!good || out.table.empty() || out.client.empty())
    return Status{Code::bad_parameter, path + " is no state of a run of put --from"};
  return std::optional<RunState>{std::move(out)};
}

Status write_state(std::string const& path, RunState const& state) {
  RunState copy = state;
  std::string text = fmt::format("{}\ntable {}\nclient {}\n", kFirstLine, state.table, state.client);
  for (auto const& [name, number] : numbers_of(copy)) text += fmt::format("{} {}\n", name, *number);
  if (!state.refused_file.empty()) text += fmt::format("refused_file {}\n", state.refused_file);
  return files::replace_file(path, text, 0666);
}

}  // namespace fastjournal::cli
