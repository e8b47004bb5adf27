// The places in src/log/file that call the disk, found twice: in the text of the source, and as the return addresses of
// calls that failed in a run. A place that is only in the first list was never tested. Return addresses are used so
// that no interface of the product needs a label or std::source_location.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace fastjournal::log::file::test {

struct CallSite {
  std::string file;  // "file_log.cpp"
  int line{0};       // of the first word of the call
  int last_line{0};  // calls may span several lines
  std::string text;
};

// Every `disk...NAME(` and `file...NAME(` in `folder`/*.cpp, for each virtual function NAME of base/env/disk.h.
[[nodiscard]] std::vector<CallSite> call_sites_in_source(std::string const& folder, std::string const& interface);

// "file_log.cpp:230" for each of these addresses in this program; needs addr2line. Empty if that cannot be run.
[[nodiscard]] std::set<std::string> lines_of(std::set<void const*> const& addresses);

// The sites that none of the lines belongs to.
[[nodiscard]] std::vector<CallSite> not_reached(std::vector<CallSite> const& sites, std::set<std::string> const& lines);

}  // namespace fastjournal::log::file::test
