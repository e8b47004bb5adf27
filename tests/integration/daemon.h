// The real daemon for integration tests: a temporary folder with its configuration and tables, and a daemon that is
// started, killed and started again on the same data.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/line_client.h"
#include "tests/support/temporary_folder.h"

namespace fastjournal::test {

// The environment of a daemon with this fault below it (fault_layer.cpp has the list).
inline std::vector<std::string> beneath(std::string const& fault) {
  // A sanitizer checks that it is loaded first, which it is not here.
  return {"LD_PRELOAD=" FJ_BINARY_DIR "/lib/libfj_fault_layer.so", "ASAN_OPTIONS=verify_asan_link_order=0", fault};
}

class RealDaemon {
 public:
  // Declares the table "jobs", a journal with the key column name, the column payload and these options.
  explicit RealDaemon(std::string const& table_options) {
    std::filesystem::create_directories(folder_.path() / "tables");
    write("fastjournal.xml", "<fastjournal/>\n");
    write_table("jobs", table_options);
  }

  void write(std::string const& name, std::string const& text) const { std::ofstream{folder_.path() / name} << text; }
  void write_table(std::string const& name, std::string const& options, bool has_key = true) const {
    write(
        "tables/" + name + ".xml",
        "<table name=\"" + name + "\" model=\"journal\"" + (has_key ? " row-key=\"name\"" : "") + ">\n<schema>\n" +
            "<column name=\"name\" type=\"string\" required=\"true\"/>\n<column name=\"payload\" type=\"string\"/>\n" +
            "</schema>\n" + options + "\n</table>\n");
  }

  [[nodiscard]] std::vector<std::string> command_line() const {
    std::vector<std::string> words{FJ_BINARY_DIR "/bin/fastjournald",
                                   "--config",
                                   folder_ / "fastjournal.xml",
                                   "--tables",
                                   folder_ / "tables",
                                   "--plugins",
                                   plugins,
                                   "--data",
                                   folder_ / "data"};
    if (!listens_as_configured)
      words.insert(words.end(), {"--listen", "127.0.0.1:0", "--listen", "unix:" + (folder_ / "socket")});
    return words;
  }

  // False if it did not get ready; output() has the reason.
  bool start(std::vector<std::string> const& more = {}) {
    std::vector<std::string> words = command_line();
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.begin(), wrapper.begin(), wrapper.end());
    ChildOptions options;
    options.environment = environment;
    options.descriptors = descriptors;
    child_ = std::make_unique<ChildProcess>(words, options);
    addresses_.clear();
    while (auto line = child_->read_line()) {
      if (line->starts_with("listening udp:"))
        udp_ = line->substr(14, line->find(' ', 14) - 14);
      else if (line->starts_with("listening "))
        addresses_.push_back(line->substr(10, line->find(' ', 10) - 10));
      if (*line == "ready") return true;
    }
    return false;
  }
  void kill(int signal) { child_->kill(signal); }
  std::optional<int> wait() { return child_->wait(); }

  std::vector<std::string> environment;  // NAME=value, added to the test's own
  std::vector<int> descriptors;          // of the test: in the daemon they are 3 and up
  std::vector<std::string> wrapper;      // a program that becomes the daemon: words before its own
  std::string plugins{FJ_BINARY_DIR "/plugins"};
  bool listens_as_configured{false};  // otherwise on TCP and on a unix socket of its own

  // As the daemon told them, in the order of the configuration.
  [[nodiscard]] std::vector<std::string> const& addresses() const { return addresses_; }
  [[nodiscard]] std::string const& tcp() const { return addresses_.front(); }
  [[nodiscard]] std::string const& local() const { return addresses_.back(); }
  [[nodiscard]] std::string const& udp() const { return udp_; }
  // Empty before the first start, as a test may build its message before its condition.
  [[nodiscard]] std::string output() const { return child_ == nullptr ? std::string{} : child_->output(); }
  [[nodiscard]] std::filesystem::path folder() const { return folder_.path(); }
  [[nodiscard]] ChildProcess& child() { return *child_; }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<ChildProcess> child_;
  std::vector<std::string> addresses_;
  std::string udp_;
};

}  // namespace fastjournal::test
