// The time zones of this computer, from its tzdata. Each is read once, when it is first asked for, and stays: a new
// tzdata is seen at the next start.
//
// By Abseil, which is here anyway: it goes by the rule at the end of a zone's file, which dates behind the table in it
// need (all from 2038 on, or any if the file is a slim one). Debian's libhowardhinnant-date does not, and what C++20 has
// is missing in g++ 12.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "fastjournal/zones.h"

namespace fastjournal::os {

class SystemZones final : public Zones {
 public:
  // TZDIR, as for other programs, or /usr/share/zoneinfo.
  SystemZones();
  explicit SystemZones(std::string folder);
  ~SystemZones();
  SystemZones(SystemZones const&) = delete;
  SystemZones& operator=(SystemZones const&) = delete;

  [[nodiscard]] Zone const* find(std::string_view name) const override;
  [[nodiscard]] std::string origin() const override;

 private:
  class Read;

  std::string folder_;
  // As many as the folder has files: what it has not is not kept.
  mutable std::map<std::string, std::unique_ptr<Read>, std::less<>> zones_;
};

// The name of the zone of this computer: of TZ, or of /etc/localtime; UTC if neither says one.
[[nodiscard]] std::string local_zone();

}  // namespace fastjournal::os
