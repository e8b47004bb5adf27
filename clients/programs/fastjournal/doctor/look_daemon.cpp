// The daemon that answers: its process, and what it says about itself.
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <string_view>

#include "clients/cpp/socket.h"
#include "clients/programs/fastjournal/doctor/look.h"

namespace fastjournal::doctor {
namespace {

constexpr std::chrono::milliseconds kConnectLimit{2'000};
constexpr std::string_view kDeleted = " (deleted)";

std::string link_of(std::string const& path) {
  std::error_code error;
  return std::filesystem::read_symlink(path, error).string();
}

void look_at_process(DaemonFacts& daemon) {
  std::string const process = fmt::format("/proc/{}", *daemon.pid);
  daemon.program = link_of(process + "/exe");
  if (daemon.program.ends_with(kDeleted)) {
    daemon.is_program_replaced = true;
    daemon.program.resize(daemon.program.size() - kDeleted.size());
  }
  std::string const maps = contents(process + "/maps");
  daemon.are_plugins_seen = !maps.empty();
  std::string_view rest{maps};
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (!line.ends_with(kDeleted)) continue;
    line.remove_suffix(kDeleted.size());
    std::size_t const path = line.find('/');
    if (path == std::string_view::npos || !line.ends_with(".so")) continue;
    std::string const plugin{line.substr(path)};
    if (std::find(daemon.replaced_plugins.begin(), daemon.replaced_plugins.end(), plugin) ==
        daemon.replaced_plugins.end())
      daemon.replaced_plugins.push_back(plugin);
  }
}

// Of the process at the other end of a unix socket.
void look_at_peer(int fd, DaemonFacts& daemon) {
  ucred peer{};
  socklen_t size = sizeof peer;
  // 0: in another namespace of processes.
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid == 0) return;
  // A socket that systemd opened has its credentials.
  if (peer.pid == 1) return;
  daemon.pid = peer.pid;
  daemon.uid = peer.uid;
}

std::uint64_t number(Message const& message, std::string_view name) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(message.integer(name).value_or(0), 0));
}

void take_figures(client::Reply const& reply, std::int64_t asked_ms, std::int64_t took_ms, Facts& facts) {
  DaemonFacts& daemon = facts.daemon;
  daemon.has_figures = true;
  for (Message const& stats : reply.messages) {
    if (stats.has("table")) {
      if (stats.integer("paused").value_or(0) != 0) daemon.paused.emplace_back(stats.text("table"));
      if (stats.integer("draining").value_or(0) != 0) daemon.draining.emplace_back(stats.text("table"));
      daemon.rows_bytes += number(stats, "memory_bytes");
      continue;
    }
    facts.clock.daemon_ms = stats.integer("now").value_or(0) - (asked_ms + took_ms / 2);
    facts.clock.daemon_ms_uncertain = static_cast<std::uint64_t>(took_ms / 2);
    daemon.alerts_dropped = number(stats, "alerts_dropped");
    daemon.logs_mending = number(stats, "logs_mending");
    daemon.log_disk_bytes = number(stats, "log_disk_bytes");
    daemon.log_disk_bound = number(stats, "log_disk_bound");
  }
}

std::int64_t wall_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

std::string option_of(pid_t pid, std::string const& name) {
  std::string const process = fmt::format("/proc/{}", pid);
  std::string const line = contents(process + "/cmdline");
  std::string found;
  bool is_next = false;
  std::string_view rest{line};
  while (!rest.empty()) {
    std::string_view const word = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    if (is_next)
      found = word;
    else if (word.starts_with(name + "="))
      found = word.substr(name.size() + 1);
    is_next = word == name;
  }
  if (found.empty() || found.front() == '/') return found;
  std::string const folder = link_of(process + "/cwd");
  return folder.empty() ? std::string{} : folder + "/" + found;
}

void look_at_daemon(Request const& wish, Addresses const& addresses, Facts& facts) {
  DaemonFacts& daemon = facts.daemon;
  std::string closed;
  auto const answers = [&](std::string const& address) {
    daemon.tried.push_back(address);
    auto const tls = client::Socket::tls_for(address, {{wish.connection.ca_file, "--ca"},
                                                       {wish.connection.certificate_file, "--certificate"},
                                                       {wish.connection.key_file, "--key"}});
    auto const socket = tls.ok()
                            ? client::Socket::connect(address, -1, client::moment_after(kConnectLimit), tls.value())
                            : Result<client::Socket>{tls.status()};
    bool const is_instead = socket.ok() && !closed.empty() && !address.starts_with("unix:");
    std::string const stranger = is_instead ? stranger_at(address, closed) : std::string{};
    if (socket.ok() && stranger.empty()) {
      daemon.server = address;
      daemon.problem.clear();
      daemon.is_refused = false;
      if (address.starts_with("unix:")) look_at_peer(socket->fd(), daemon);
      if (daemon.pid) look_at_process(daemon);
      return true;
    }
    if (!daemon.problem.empty()) daemon.problem += "; ";
    daemon.problem += stranger.empty() ? socket.status().message() : stranger;
    if (closed.empty() && is_closed_to_us(address)) closed = address;
    daemon.is_refused = !closed.empty();
    return false;
  };
  if (std::any_of(addresses.sockets.begin(), addresses.sockets.end(), answers)) return;
  if (addresses.sockets.empty() || daemon.is_refused)
    static_cast<void>(std::any_of(addresses.ports.begin(), addresses.ports.end(), answers));
  if (daemon.tried.empty()) daemon.problem = "the configuration names no address for it on this computer";
}

void ask_daemon(Request const& wish, Facts& facts) {
  DaemonFacts& daemon = facts.daemon;
  if (daemon.server.empty()) return;
  client::Options options = wish.connection;
  options.server = daemon.server;
  options.back_off.clear();
  auto const opened = client::Connection::open(std::move(options));
  if (!opened.ok()) {
    daemon.problem = opened.status().text();
    daemon.server.clear();
    return;
  }
  client::Connection& connection = *opened.value();
  if (auto const health = connection.call("HEALTH"); !health.ok()) daemon.not_ready = health.status().message();
  std::int64_t const asked_ms = wall_ms();
  auto const begin = std::chrono::steady_clock::now();
  auto const stats = connection.call("STATS");
  auto const took = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  if (!stats.ok()) {
    daemon.problem = "STATS: " + stats.status().text();
    return;
  }
  take_figures(stats.value(), asked_ms, took.count(), facts);
  Message reload("RELOAD");
  reload.set_integer("dry_run", 1);
  if (auto const would = connection.call(reload); would.ok()) {
    std::string_view rest = would->first().text("changes");
    while (!rest.empty()) {
      std::string_view const line = rest.substr(0, rest.find('\n'));
      daemon.waiting.emplace_back(line);
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    }
  }
  auto const alerts = connection.call("ALERTS");
  if (!alerts.ok()) return;
  for (Message const& alert : alerts->messages)
    if (alert.command == "ALERT")
      daemon.alerts.push_back({std::string{alert.text("name")}, std::string{alert.text("table")},
                               std::string{alert.text("message")}, number(alert, "priority")});
}

}  // namespace fastjournal::doctor
