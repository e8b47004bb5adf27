#include "platform/os/zones.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include <absl/time/time.h>

namespace fastjournal::os {

namespace {

constexpr char kZoneFolder[] = "/usr/share/zoneinfo";

// A client's word becomes the name of a file: letters and digits in parts, and nothing that leads elsewhere. Not the
// copies of the zones with leap seconds, and those that tzdata has for itself.
bool is_zone_name(std::string_view name) {
  if (name.empty() || name.size() > kZoneNameBytesMax || name.starts_with("right/") || name.starts_with("posix/"))
    return false;
  if (name == "localtime" || name == "posixrules" || name == "Factory") return false;
  char before = '/';
  for (char const c : name) {
    bool const is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    bool const is_other = (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '+';
    if (before == '/' ? !is_letter : !is_letter && !is_other && c != '/') return false;
    before = c;
  }
  return before != '/';
}

std::string zone_folder() {
  char const* const named = std::getenv("TZDIR");
  return named != nullptr && *named == '/' ? named : kZoneFolder;
}

}  // namespace

class SystemZones::Read final : public Zone {
 public:
  explicit Read(absl::TimeZone zone) : zone_(zone) {}

  [[nodiscard]] ZoneSpan at(std::int64_t utc_s) const override {
    absl::Time const time = absl::FromUnixSeconds(utc_s);
    ZoneSpan span{.offset_s = zone_.At(time).offset};
    absl::TimeZone::CivilTransition change;
    if (zone_.NextTransition(time, &change)) span.end_s = second_of(change);
    if (zone_.PrevTransition(time + absl::Seconds(1), &change)) span.begin_s = second_of(change);
    return span;
  }

 private:
  [[nodiscard]] std::int64_t second_of(absl::TimeZone::CivilTransition const& change) const {
    return absl::ToUnixSeconds(zone_.At(change.to).trans);
  }

  absl::TimeZone zone_;
};

SystemZones::SystemZones() : SystemZones(zone_folder()) {}
SystemZones::SystemZones(std::string folder) : folder_(std::move(folder)) {}
SystemZones::~SystemZones() = default;

Zone const* SystemZones::find(std::string_view name) const {
  if (auto const there = zones_.find(name); there != zones_.end()) return there->second.get();
  if (!is_zone_name(name)) return nullptr;
  // Abseil keeps each name that it was asked for, unknown ones too.
  std::string const path = folder_ + "/" + std::string{name};
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return nullptr;
  absl::TimeZone zone;
  if (!absl::LoadTimeZone("file:" + path, &zone)) return nullptr;
  return zones_.emplace(name, std::make_unique<Read>(zone)).first->second.get();
}

std::string SystemZones::origin() const {
  std::error_code error;
  if (std::filesystem::is_directory(folder_, error)) return "the zones are those in " + folder_;
  return "and this computer has no zones: " + folder_ + " is missing, install the package tzdata";
}

std::string local_zone() {
  if (char const* const named = std::getenv("TZ"); named != nullptr && *named != 0) {
    std::string_view const name{*named == ':' ? named + 1 : named};
    if (is_zone_name(name)) return std::string{name};
  }
  std::error_code error;
  std::string const file = std::filesystem::canonical("/etc/localtime", error).string();
  std::string const folder = std::string{kZoneFolder} + "/";
  if (error || !file.starts_with(folder) || !is_zone_name(std::string_view{file}.substr(folder.size()))) return "UTC";
  std::string const name = file.substr(folder.size());
  return name == "Etc/UTC" ? "UTC" : name;
}

}  // namespace fastjournal::os
