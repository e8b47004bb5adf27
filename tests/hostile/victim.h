// The daemon under attack: the real one, in a temporary folder, with a limit on its address space; and an honest client
// beside the attackers, whose longest wait for an answer is measured.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/line_client.h"
#include "tests/support/temporary_folder.h"

namespace fastjournal::hostile {

struct Programs {
  std::string daemon{FJ_BINARY_DIR "/bin/fastjournald"};
  std::string plugins{FJ_BINARY_DIR "/plugins"};
};

using Seconds = std::chrono::duration<double>;

class Victim {
 public:
  // `configuration`: contents of <fastjournal>.
  Victim(Programs programs, std::uint64_t address_space_bytes, std::string configuration);
  ~Victim();

  // Declares a table with the text key "name" and the text column "payload", or with this key and these columns.
  void declare(std::string const& table, std::string const& options = "");
  void declare_with(std::string const& table, std::string const& key, std::string const& columns,
                    std::string const& options = "");
  void undeclare(std::string const& table) const;
  void write(std::string const& name, std::string const& text) const;

  // Returns when it is ready; throws std::runtime_error with its output if it ends or takes too long.
  Seconds start();
  // Ends it, by a signal if it still reacts (it may have ended already), and starts it again.
  Seconds restart();
  void signal(int number) { child_->kill(number); }

  [[nodiscard]] bool runs();
  // How it ended, as text; empty while it runs.
  [[nodiscard]] std::string ending();
  // VmHWM and VmRSS in /proc, in bytes; 0 once it has ended.
  [[nodiscard]] std::uint64_t peak_bytes() const;
  [[nodiscard]] std::uint64_t resident_bytes() const;
  [[nodiscard]] std::string const& tcp() const { return tcp_; }
  // The administrator's socket.
  [[nodiscard]] std::string const& local() const { return local_; }
  [[nodiscard]] std::string const& output() const { return child_->output(); }

 private:
  [[nodiscard]] std::uint64_t status_bytes(char const* name) const;

  Programs programs_;
  std::uint64_t address_space_bytes_;
  test::TemporaryFolder folder_;
  std::unique_ptr<test::ChildProcess> child_;
  std::optional<int> code_;
  std::string tcp_;
  std::string local_;
};

// The honest client: inserts a row, waits for the answer, inserts the next one, on a thread of its own.
class Witness {
 public:
  // It inserts into this table, which Victim::declare made.
  Witness(std::string const& address, std::string table);
  ~Witness() { stop(); }
  Witness(Witness const&) = delete;
  Witness& operator=(Witness const&) = delete;

  void stop();
  // Call these after stop.
  [[nodiscard]] Seconds longest() const { return longest_; }
  [[nodiscard]] std::uint64_t answers() const { return answers_; }
  // What it got instead of INSERTED, or the end of its connection; empty if neither happened.
  [[nodiscard]] std::string const& refused() const { return refused_; }

 private:
  void run();

  test::LineClient client_;
  std::string table_;
  std::atomic<bool> stop_{false};
  Seconds longest_{0};
  std::uint64_t answers_{0};
  std::string refused_;
  std::thread thread_;
};

}  // namespace fastjournal::hostile
