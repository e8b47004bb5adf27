#include "clients/demo/main_job/forwarder_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "clients/demo/main_job/producer.h"

namespace fastjournal::main_job {

Result<std::vector<std::string>> forwarder_words(std::filesystem::path const& programs, RunFolder const& folder,
                                                 std::string const& server) {
  std::filesystem::path const program = programs / "fastjournal-client";
  if (::access(program.c_str(), X_OK) != 0)
    return Status{Code::not_found, fmt::format("there is no forwarder beside this program ({}): build it with "
                                               "./mk build",
                                               program.string())};
  return std::vector<std::string>{program, folder.spool(), "--server",
                                  server,  "--period",     fmt::format("{}s", kSpoolPeriodS)};
}

Result<ForwarderFigures> forwarder_figures_of(std::string_view json) {
  auto const status = nlohmann::json::parse(json, nullptr, false);
  auto const figures = status.is_object() ? status.find("figures") : status.end();
  if (!status.is_object() || figures == status.end() || !figures->is_object())
    return Status{Code::invalid, "the forwarder's status has no object `figures`"};
  ForwarderFigures out;
  Status missing;
  auto const take = [&](char const* name, std::uint64_t& into) {
    auto const at = figures->find(name);
    if (at != figures->end() && at->is_number_unsigned())
      into = at->get<std::uint64_t>();
    else
      missing = {Code::invalid, fmt::format("the forwarder's status has no number `{}`", name)};
  };
  take("sent", out.sent);
  take("confirmed", out.confirmed);
  take("held", out.held);
  take("set_aside", out.set_aside);
  take("damaged_bytes", out.damaged_bytes);
  take("waiting_bytes", out.waiting_bytes);
  if (!missing.ok()) return missing;
  return out;
}

Result<ForwarderFigures> read_forwarder_figures(RunFolder const& folder) {
  std::filesystem::path const path = folder.spool() / "forwarder" / "status.json";
  std::ifstream file(path);
  if (!file) return Status{Code::not_found, fmt::format("cannot read {}", path.string())};
  return forwarder_figures_of(std::string{std::istreambuf_iterator<char>(file), {}});
}

}  // namespace fastjournal::main_job
