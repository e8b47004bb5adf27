// Looks at the installation on this computer: files, disks, clock, limits, kernel, and the daemon if one answers. It
// changes nothing; the speed of syncs is measured with a file without a name in the data folder.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "clients/cpp/client.h"
#include "clients/programs/fastjournal/doctor/addresses.h"
#include "clients/programs/fastjournal/doctor/facts.h"

namespace fastjournal::doctor {

struct Request {
  std::string config{};                  // empty: that of the daemon that answers, else where it is installed
  std::string plugins{};                 // empty: as the configuration says
  std::string state{};                   // empty: that of the daemon that answers, else of the installed service
  std::string server{};                  // empty: what the configuration names, or the installed daemon's socket
  client::Options connection{};          // all but the address
  std::vector<std::string> tokens{};     // files of the command line
  std::string version{};                 // of the command line
  std::chrono::milliseconds syncs{500};  // for measuring, on each disk
};

[[nodiscard]] Facts look(Request const& wish);

// The parts of look().
// The first that answers; ports only if there is no socket, or none for us.
void look_at_daemon(Request const& wish, Addresses const& addresses, Facts& facts);
// Asks the daemon found by look_at_daemon.
void ask_daemon(Request const& wish, Facts& facts);
// Option of the running daemon's command line; empty: not given, or not seen.
[[nodiscard]] std::string option_of(pid_t pid, std::string const& name);
void look_at_computer(Facts& facts);
void look_at_versions(Request const& wish, Facts& facts);

// A small file of the kernel; empty if it cannot be read.
[[nodiscard]] std::string contents(std::string const& path);

}  // namespace fastjournal::doctor
