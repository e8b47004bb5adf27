#include "tests/bench/peers/program.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "tests/bench/peer.h"
#include "tests/support/line_client.h"

namespace fastjournal::bench {
namespace fs = std::filesystem;

int free_port() {
  int const fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  bool const bound = fd >= 0 && ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
                     ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) == 0;
  int const error = errno;
  if (fd >= 0) ::close(fd);
  if (!bound) throw std::system_error(error, std::generic_category(), "a free port of 127.0.0.1");
  return ntohs(address.sin_port);
}

void wait_until_listening(std::string const& address, test::ChildProcess& child) {
  auto const end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (std::chrono::steady_clock::now() < end) {
    try {
      test::LineClient const client{address};
      return;
    } catch (std::system_error const&) {
      // Nobody listens yet. If the child has ended, nobody will.
      if (child.wait(std::chrono::milliseconds{2})) break;
    }
  }
  throw std::runtime_error("nobody listens on " + address + ": " + child.output());
}

std::vector<std::string> daemon_words(fs::path const& root, std::string const& address) {
  fs::create_directories(root / "tables");
  std::ofstream{root / "fastjournal.xml"} << "<fastjournal/>\n";
  return {FJ_BINARY_DIR "/bin/fastjournald",
          "--config",
          root / "fastjournal.xml",
          "--tables",
          root / "tables",
          "--plugins",
          FJ_BINARY_DIR "/plugins",
          "--data",
          root / "data",
          "--listen",
          address};
}

std::uint64_t resident_bytes(pid_t process) {
  std::ifstream file{"/proc/" + std::to_string(process) + "/statm"};
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

double processor_seconds(pid_t process) {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &time) != 0)
    throw std::runtime_error("the process has no clock");
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

namespace {

// The number after `name` in /proc/PID/FILE.
std::uint64_t proc_number(pid_t pid, char const* file, std::string const& name) {
  std::ifstream in{"/proc/" + std::to_string(pid) + "/" + file};
  for (std::string word; in >> word;) {
    std::uint64_t value = 0;
    if (word == name && in >> value) return value;
  }
  return 0;
}

}  // namespace

std::uint64_t resident_bytes(Peer const& peer) {
  std::uint64_t kib = 0;
  for (pid_t const pid : peer.processes()) kib += proc_number(pid, "smaps_rollup", "Pss:");
  return kib * 1024;
}

double processor_seconds(Peer const& peer) {
  double ticks = 0;
  for (pid_t const pid : peer.processes()) {
    std::ifstream in{"/proc/" + std::to_string(pid) + "/stat"};
    std::string text{std::istreambuf_iterator<char>{in}, {}};
    std::size_t const name_end = text.rfind(')');  // the name may have blanks
    if (name_end == std::string::npos) continue;
    std::size_t at = name_end;
    for (int field = 3; field <= 15; ++field) {
      at = text.find(' ', at + 1);
      if (field >= 14) ticks += std::strtod(text.c_str() + at, nullptr);
    }
  }
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

std::uint64_t disk_bytes(Peer const& peer) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (auto at = fs::recursive_directory_iterator{peer.folder(), error};
       !error && at != fs::recursive_directory_iterator{}; at.increment(error))
    if (at->is_regular_file(error)) bytes += at->file_size(error);
  return bytes;
}

}  // namespace fastjournal::bench
