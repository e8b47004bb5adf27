// A transient query: one datagram to the port of a blob table, and its answer. For a process that wants to know about one
// blob: nothing is set up at the daemon, and nothing is left there.
#pragma once

#include <optional>
#include <string>

#include "clients/cpp/client.h"
#include "wire/bcdb/packet.h"

namespace fastjournal::client {

// `port`: the path of the socket, with or without "unix:". `own_path`: where the answer is sent, a file that is made
// and removed here; empty: an abstract address that the system draws, which ends at the border of a container. The
// response of an absent blob is zeros. unavailable: no receiver there; timed_out: no answer, the query may be sent
// again.
[[nodiscard]] Result<bcdb::Response> ask_by_datagram(std::string const& port, std::string const& own_path,
                                                     bcdb::Key const& key, Milliseconds limit);

}  // namespace fastjournal::client
