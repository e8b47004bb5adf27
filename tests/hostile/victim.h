// The daemon under attack: the real one, in a temporary folder, with a limit on its address space. It listens for messages
// and for HTTP, each without and with TLS, and on the administrator's socket.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/certificates.h"
#include "tests/support/child_process.h"
#include "tests/support/temporary_folder.h"

namespace fastjournal::hostile {

struct Programs {
  std::string daemon{FJ_BINARY_DIR "/bin/fastjournald"};
  std::string plugins{FJ_BINARY_DIR "/plugins"};
};

// A daemon that answers nobody for this long counts as hung.
inline constexpr std::chrono::milliseconds kAnswerPatience{60'000};
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
  // The key/value table "values", with a socket for frames.
  void declare_values() const;
  // The blob table "blobs" with blobs of up to 16 MiB, which must come within 3 s, and its sockets.
  void declare_blobs() const;
  // The queue table "letters", with a socket for STOMP.
  void declare_letters() const;
  // The queue table "tubes", with a socket for the protocol of beanstalkd.
  void declare_tubes() const;
  // One user with all rights but admin, whose token is token(). Before the start.
  void have_a_user();
  [[nodiscard]] std::string const& token() const { return token_; }
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
  // Processor time of its loop's thread.
  [[nodiscard]] double loop_seconds() const;
  // VmHWM and VmRSS in /proc, in bytes; 0 once it has ended.
  [[nodiscard]] std::uint64_t peak_bytes() const;
  [[nodiscard]] std::uint64_t resident_bytes() const;
  [[nodiscard]] std::string const& tcp() const { return tcp_; }
  [[nodiscard]] std::string const& http() const { return http_; }
  // Without "tls:" before them.
  [[nodiscard]] std::string const& tls() const { return tls_; }
  [[nodiscard]] std::string const& https() const { return https_; }
  // The CA that its certificate comes from, in PEM.
  [[nodiscard]] std::string const& authority() const { return authority_.certificate(); }
  // Of the table "values".
  [[nodiscard]] std::string fj() const { return "unix:" + (folder_ / "fj"); }
  // Of the table "letters".
  [[nodiscard]] std::string stomp() const { return "unix:" + (folder_ / "stomp"); }
  // Of the table "tubes".
  [[nodiscard]] std::string tubes() const { return "unix:" + (folder_ / "tubes"); }
  // Of the table "blobs".
  [[nodiscard]] std::string blob_read() const { return "unix:" + (folder_ / "blob-read"); }
  [[nodiscard]] std::string blob_write() const { return "unix:" + (folder_ / "blob-write"); }
  // For datagrams; without "unix:".
  [[nodiscard]] std::string blob_ask() const { return folder_ / "blob-ask"; }
  // Space that its files take.
  [[nodiscard]] std::uint64_t blob_disk_bytes() const;
  // A path for a test's own file.
  [[nodiscard]] std::string file(std::string const& name) const { return folder_ / name; }
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
  test::Authority authority_;
  std::string configuration_;
  std::string token_;
  std::string tcp_;
  std::string http_;
  std::string tls_;
  std::string https_;
  std::string local_;
};

}  // namespace fastjournal::hostile
