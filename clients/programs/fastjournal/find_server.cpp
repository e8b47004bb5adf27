#include "clients/programs/fastjournal/find_server.h"

#include <chrono>
#include <filesystem>
#include <optional>

#include "clients/cpp/socket.h"
#include "clients/programs/fastjournal/doctor/addresses.h"
#include "config/daemon_reader.h"
#include "platform/os/installation.h"

namespace fastjournal::cli {
namespace {

constexpr char kDefaultAddress[] = "127.0.0.1:4050";
// A unix socket answers at once. If not, its daemon is stuck, and the command itself will report that.
constexpr std::chrono::milliseconds kLimit{1'000};

class Search {
 public:
  [[nodiscard]] bool answers(std::string const& address) {
    Status const status = client::Socket::connect(address, -1, client::moment_after(kLimit)).status();
    if (status.ok()) return true;
    if (closed_.empty() && doctor::is_closed_to_us(address)) closed_ = address;
    if (tried_.find(status.message()) == std::string::npos) tried_ += (tried_.empty() ? "" : "; ") + status.message();
    return false;
  }
  // A socket that was seen and that we may not open; empty: none.
  [[nodiscard]] std::string const& closed() const { return closed_; }
  [[nodiscard]] std::string origin_of(std::string const& file) const {
    return file + " names the daemon's address; tried: " + tried_;
  }

 private:
  std::string tried_;
  std::string closed_;
};

}  // namespace

Result<FoundServer> find_server() {
  std::vector<std::string> const sockets = os::administrator_sockets();
  std::string const file = os::default_configuration();
  Search search;
  std::error_code error;
  std::string socket;  // of a daemon that was there
  for (std::string const& path : sockets) {
    std::string const address = "unix:" + path;
    if (search.answers(address)) return FoundServer{address, {}};
    if (socket.empty() && std::filesystem::is_socket(path, error)) socket = address;
  }
  if (!std::filesystem::exists(file, error) && !error) {
    bool const is_meant = !os::installed_daemon().empty() || !socket.empty();
    if (!is_meant) return FoundServer{kDefaultAddress, {}};
    return FoundServer{socket.empty() ? "unix:" + sockets.front() : socket, search.origin_of("this program's place")};
  }
  Result<config::DaemonDeclaration> const declared = config::read_daemon(file);
  if (!declared.ok())
    return Status{Code::unavailable, "which daemon is meant cannot be read: " + declared.status().message() +
                                         "; --server ADDRESS or FASTJOURNAL_SERVER names one"};
  doctor::Addresses const named = doctor::addresses_of(declared.value());
  for (std::string const& address : named.sockets)
    if (search.answers(address)) return FoundServer{address, {}};
  bool const by_port = named.sockets.empty() || !search.closed().empty();
  std::string strangers;
  for (std::string const& address : by_port ? named.ports : std::vector<std::string>{}) {
    if (!search.answers(address)) continue;
    std::string const why = search.closed().empty() ? std::string{} : doctor::stranger_at(address, search.closed());
    if (why.empty()) return FoundServer{address, {}};
    strangers += (strangers.empty() ? "" : "; ") + why;
  }
  if (!strangers.empty())
    return Status{Code::unavailable, strangers + "; if that is meant, --server ADDRESS or FASTJOURNAL_SERVER names it"};
  std::vector<std::string> const& meant = by_port && !named.ports.empty() ? named.ports : named.sockets;
  if (!meant.empty()) return FoundServer{meant.front(), search.origin_of(file)};
  return Status{Code::unavailable, file +
                                       " names no socket, and no port of this computer without TLS: --server "
                                       "ADDRESS or FASTJOURNAL_SERVER names the daemon, as tls:HOST:PORT"};
}

}  // namespace fastjournal::cli
