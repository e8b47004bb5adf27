// The leases of connections that end, of former starts of the daemon, and of time that no worker could use.
#pragma once

#include <cstdint>

#include "fastjournal/table.h"
#include "plugins/pipeline/table_state.h"

namespace fastjournal::pipeline {

class Holders {
 public:
  explicit Holders(TableState const& shared) : shared_(shared) {}

  // As in Holder (fastjournal/capabilities.h).
  bool connection_closed(ConnectionId connection, Decision& decision) const;
  bool recovered(Decision& decision) const;
  bool time_lost(DurationMs lost, Decision& decision) const;

 private:
  // False: it is unchanged.
  bool renew_without_connection(std::uint32_t lease, Decision& decision) const;
  void renew(std::uint32_t lease, rows::Leases::Terms const& terms, Decision& decision) const;

  TableState const& shared_;
  // Where the next search for leases of former starts begins.
  mutable std::uint32_t recovered_lease_{0};
};

}  // namespace fastjournal::pipeline
