// The places in src/storage that call the disk, found twice: in the text of the source, and as the addresses to which
// the calls return that a run made fail. What is in the first list and not in the second was never tested. By
// addresses, so that no label and no std::source_location stands in an interface of the product.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace fastjournal::storage::test {

struct CallSite {
  std::string file;  // "file_log.cpp"
  int line{0};       // of the first word of the call
  int last_line{0};  // calls may go over several lines
  std::string text;
};

// Every `disk...NAME(` and `file...NAME(` in `folder`/*.cpp, for each virtual function NAME of env/disk.h.
[[nodiscard]] std::vector<CallSite> call_sites_in_source(std::string const& folder, std::string const& interface);

// "file_log.cpp:230" of each address of this program; needs addr2line. Empty if that cannot be run.
[[nodiscard]] std::set<std::string> lines_of(std::set<void const*> const& addresses);

// Those that no address belongs to.
[[nodiscard]] std::vector<CallSite> not_reached(std::vector<CallSite> const& sites, std::set<std::string> const& lines);

}  // namespace fastjournal::storage::test
