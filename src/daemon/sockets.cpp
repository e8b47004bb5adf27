// The daemon's sockets before the first connection: those that were passed to it, the folders of the others, and what
// can be wrong with them on this computer. Apart from daemon.cpp because nothing is opened here.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "daemon/daemon.h"
#include "daemon/passed_sockets.h"
#include "platform/os/accounts.h"
#include "platform/os/event_log.h"

namespace fastjournal::daemon {
namespace {

Status probe(config::ListenDeclaration const& declared) {
  return declared.datagrams ? reactor::Reactor::can_receive_local_datagrams({declared.address})
                            : reactor::Reactor::can_listen({declared.address});
}

}  // namespace

// Sockets in the data folder are checked once that folder exists, all others before. Missing folders of sockets are
// made: /run is empty after each start of the computer; if that fails, listening reports it. The administrator's
// default socket was not requested, so a daemon without it serves all the same.
Status Daemon::check_listening(bool in_data_folder) {
  Status status = check_listening(declared_.listen, in_data_folder);
  return status.ok() ? check_listening(table_listeners_, in_data_folder) : status;
}

Status Daemon::check_listening(std::vector<config::ListenDeclaration>& all, bool in_data_folder) {
  for (auto listen = all.begin(); listen != all.end();) {
    bool const is_socket = listen->address.starts_with("unix:");
    std::filesystem::path const folder = std::filesystem::path{listen->address.substr(is_socket ? 5 : 0)}.parent_path();
    Status status;
    std::error_code error;
    if (env::ListenOptions options; !in_data_folder)
      if (Status completed = complete(options, *listen); !completed.ok())
        return {completed.code(), listen->place + ": " + completed.message()};
    if (is_passed(*listen)) {
      ++listen;
      continue;
    }
    if ((is_socket && std::filesystem::absolute(folder, error).lexically_normal() == data_folder()) == in_data_folder) {
      if (!in_data_folder) make_folder_of(*listen);
      status = probe(*listen);
    }
    if (!status.ok() && listen->address != default_socket_) return status;
    if (!status.ok())
      os::log_warning("no socket for the administrator, and only signals command the daemon itself: " +
                      status.message() + "; declare one: <socket path=\"...\" rights=\"all\"/>");
    listen = status.ok() ? listen + 1 : all.erase(listen);
  }
  return {};
}

Status Daemon::adopt_sockets() {
  Result<std::vector<PassedSocket>> const sockets = take_passed_sockets();
  if (!sockets.ok()) return sockets.status();
  for (PassedSocket const& one : sockets.value()) {
    std::string const name =
        fmt::format("the socket \"{}\" that was passed as descriptor {}", one.name, one.descriptor);
    Result<env::Address> const at = reactor_->adopt(one.descriptor, name);
    if (!at.ok()) return at.status();
    passed_.insert(at->text);
    auto const is_at = [&](config::ListenDeclaration const& declared) { return address_of(declared) == at->text; };
    if (std::ranges::any_of(declared_.listen, is_at) || std::ranges::any_of(table_listeners_, is_at)) continue;
    return {
        Code::bad_configuration,
        fmt::format("{}: it listens on {}, which no <listen> or <socket> of {} or of a table's file names; expected "
                    "one with this address, or no such socket in the unit of the supervisor",
                    name, at->text, declared_.file)};
  }
  return {};
}

// In the form in which the kernel tells it of a passed socket.
std::string Daemon::address_of(config::ListenDeclaration const& declared) const {
  if (passed_.empty() || !declared.address.starts_with("unix:")) return declared.address;
  std::error_code error;
  return "unix:" + std::filesystem::absolute(declared.address.substr(5), error).lexically_normal().string();
}

bool Daemon::is_passed(config::ListenDeclaration const& declared) const {
  return passed_.contains(address_of(declared));
}

void Daemon::make_folder_of(config::ListenDeclaration const& socket) const {
  if (!socket.address.starts_with("unix:")) return;
  // Whatever the umask: who may write there could put another socket in its place.
  constexpr mode_t kMode = 0755;
  std::filesystem::path made;
  for (std::filesystem::path const& part : std::filesystem::path{socket.address.substr(5)}.parent_path()) {
    made /= part;
    static_cast<void>(::mkdir(made.c_str(), kMode));
  }
}

Status Daemon::can_listen(config::ListenDeclaration const& declared) {
  env::ListenOptions options;
  if (Status completed = complete(options, declared); !completed.ok() || is_passed(declared)) return completed;
  make_folder_of(declared);
  return probe(declared);
}

Status Daemon::complete(env::ListenOptions& options, config::ListenDeclaration const& declared) const {
  if (!declared.speaks_messages() && !declared.datagrams && !protocol_of(declared))
    return {Code::bad_configuration,
            "protocol \"" + declared.protocol + "\" was left out of this build (FJ_HTTP); remove the listener"};
  if (declared.datagrams && !protocol_of(declared))
    return Status{Code::bad_configuration,
                  "protocol \"" + declared.protocol + "\" does not come in datagrams, expected no datagrams=\"true\""};
  Result<std::vector<std::uint32_t>> users = os::user_ids(declared.users);
  if (!users.ok()) return users.status();
  Result<std::vector<std::uint32_t>> groups = os::group_ids(declared.groups);
  if (!groups.ok()) return groups.status();
  options.users = std::move(users).value();
  options.groups = std::move(groups).value();
  return {};
}

}  // namespace fastjournal::daemon
