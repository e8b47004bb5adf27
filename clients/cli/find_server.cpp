#include "clients/cli/find_server.h"

#include <chrono>

#include "clients/lib/socket.h"
#include "os/installation.h"

namespace fastjournal::cli {
namespace {

constexpr char kDefaultAddress[] = "127.0.0.1:4050";
// A unix socket answers at once. If not, its daemon is stuck, and the command itself will report that.
constexpr std::chrono::milliseconds kLimit{1'000};

}  // namespace

std::string find_server() {
  for (std::string const& path : os::administrator_sockets()) {
    std::string address = "unix:" + path;
    if (client::Socket::connect(address, -1, client::moment_after(kLimit)).ok()) return address;
  }
  return kDefaultAddress;
}

}  // namespace fastjournal::cli
