// Which of several daemons gets the rows of each table: the first one that is there, until an answer says otherwise. A
// daemon that does not know a table, or that says that no node decides for it now, is passed over for its rows; where
// another one decides (`moved`), they go there. Only the last answer counts: a daemon that is behind sends them on once
// more, and the next answer is a newer one. Pure: connections are the link's.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/status.h"

namespace fastjournal::spool {

// No node decides for the table now; nothing was done, and soon one will.
[[nodiscard]] bool is_without_owner(Status const& answer);

class Routes {
 public:
  // Those that are told beside the ones that were named.
  static constexpr std::size_t kToldMax = 64;

  // At least one, the best first.
  explicit Routes(std::vector<std::string> addresses) : named_(addresses.size()), addresses_(std::move(addresses)) {}

  // Those that were named, then those that were told. It only grows.
  [[nodiscard]] std::vector<std::string> const& addresses() const { return addresses_; }
  // The daemon for the rows of this table: if it is not there, the next one that is. One of them is there.
  template <typename IsUp>
  [[nodiscard]] std::size_t daemon_of(std::string_view table, IsUp const& is_up) const {
    std::size_t const from = first_of(table);
    for (std::size_t step = 0; step < addresses_.size(); ++step)
      if (std::size_t const at = (from + step) % addresses_.size(); is_up(at)) return at;
    return 0;
  }
  // The answer of a daemon to a row of this table.
  void answered(std::string_view table, std::size_t daemon, Status const& answer);
  // A connection is lost, or the best daemon is back: what was learned may be over.
  void forget() { routes_.clear(); }

 private:
  [[nodiscard]] std::size_t first_of(std::string_view table) const;
  [[nodiscard]] std::size_t find_or_add(std::string_view address, std::size_t told_by);

  std::size_t const named_;
  std::vector<std::string> addresses_;
  std::map<std::string, std::size_t, std::less<>> routes_;  // tables that the first daemon does not have
};

}  // namespace fastjournal::spool
