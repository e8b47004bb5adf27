// The daemon that is attacked: the real one, in a folder of its own, under a limit of its address space, and an
// honest client beside the attackers, whose longest answer is measured.
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
  // `configuration`: what stands in <fastjournal>.
  Victim(Programs programs, std::uint64_t address_space_bytes, std::string configuration);
  ~Victim();

  // A table of one text key "name" and a text column "payload", or as `columns` and `key` say.
  void declare(std::string const& table, std::string const& options = "");
  void declare_with(std::string const& table, std::string const& key, std::string const& columns,
                    std::string const& options = "");
  void undeclare(std::string const& table) const;
  void write(std::string const& name, std::string const& text) const;

  // Until it is ready; throws std::runtime_error with its output if it does not get there.
  Seconds start();
  // Ends it, orderly if it still does so (it may have ended already), and starts it again.
  Seconds restart();
  void signal(int number) { child_->kill(number); }

  [[nodiscard]] bool runs();
  // How it ended, for people; empty while it runs.
  [[nodiscard]] std::string ending();
  // VmHWM and VmRSS of /proc; 0 once it has ended.
  [[nodiscard]] std::uint64_t peak_bytes() const;
  [[nodiscard]] std::uint64_t resident_bytes() const;
  [[nodiscard]] std::string const& tcp() const { return tcp_; }
  // The administrator's.
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

// Inserts a row, waits for its answer, inserts the next one, on a thread of its own.
class Witness {
 public:
  // Into a table of this name, declared by Victim::declare.
  Witness(std::string const& address, std::string table);
  ~Witness() { stop(); }
  Witness(Witness const&) = delete;
  Witness& operator=(Witness const&) = delete;

  void stop();
  // After stop.
  [[nodiscard]] Seconds longest() const { return longest_; }
  [[nodiscard]] std::uint64_t answers() const { return answers_; }
  // What it heard instead of INSERTED; empty: nothing. A connection that ended counts.
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
