#include "platform/os/installation.h"

#include <unistd.h>

#include <filesystem>
#include <string_view>

namespace fastjournal::os {
namespace {

constexpr char kFile[] = "fastjournal.xml";
constexpr char kSocket[] = "fastjournal.sock";

// The PREFIX of PREFIX/bin/PROGRAM.
std::filesystem::path prefix() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path().parent_path();
}

bool is_build(std::filesystem::path const& prefix) {
  std::error_code error;
  return std::filesystem::is_directory(prefix / "plugins", error);
}

}  // namespace

std::string installed_daemon() {
  for (std::string_view const folder : {"sbin", "bin"}) {
    std::string program = (prefix() / folder / "fastjournald").string();
    if (::access(program.c_str(), X_OK) == 0) return program;
  }
  return {};
}

std::string installed_plugins() {
  std::filesystem::path const here = prefix();
  return (here / (is_build(here) ? "plugins" : FJ_PLUGINS_FOLDER)).string();
}

std::string default_configuration() {
  std::filesystem::path const here = prefix();
  std::filesystem::path const folder{is_build(here) ? FJ_CONF_FOLDER_FULL : FJ_CONF_FOLDER};
  return (here / folder / kFile).string();  // an absolute `folder` stays as it is
}

std::vector<std::string> administrator_sockets() {
  std::filesystem::path const here = prefix();
  if (is_build(here)) return {(here.parent_path().parent_path() / "data" / kSocket).string()};
  return {(here / FJ_RUN_FOLDER / kSocket).string(), (here / FJ_DATA_FOLDER / kSocket).string()};
}

// As StateDirectory= of its unit.
std::string installed_state() { return is_build(prefix()) ? std::string{} : "/var/lib/fastjournal-state"; }

std::string installed_examples() {
  std::filesystem::path const here = prefix();
  // build/PRESET of a checkout.
  std::filesystem::path const folder =
      is_build(here) ? here.parent_path().parent_path() / "conf" : here / FJ_EXAMPLES_FOLDER;
  std::error_code error;
  return std::filesystem::exists(folder / kFile, error) ? folder.string() : std::string{};
}

std::string host_name() {
  char name[256] = "";
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

}  // namespace fastjournal::os
