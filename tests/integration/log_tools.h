// Shared by the tests of `fastjournal log` and `fastjournal backup`: the real daemon with rows in it, the real command
// line, and a comparison of folders.
#pragma once

#include <boost/test/unit_test.hpp>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/integration/daemon.h"

namespace fastjournal::test {

inline bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

// The value after the first `name` that is a whole word, in a message, a sheet or a JSON line.
inline std::string value_behind(std::string const& text, std::string const& name) {
  constexpr char kBreaks[] = ";\", {\n";
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    std::size_t const end = at + name.size();
    bool const begins = at == 0 || std::string_view{kBreaks}.find(text[at - 1]) != std::string_view::npos;
    if (!begins || end >= text.size() || std::string_view{"=\" :"}.find(text[end]) == std::string_view::npos) continue;
    std::size_t const value = text.find_first_not_of("=\": ", end);
    return value == std::string::npos ? std::string{}
                                      : text.substr(value, text.find_first_of(";\", \n}", value) - value);
  }
  return {};
}

struct ToolRan {
  int code{-1};
  std::string output;  // with standard error
};

// Runs the program `fastjournal` with these words.
inline ToolRan run_tool(std::vector<std::string> words) {
  words.insert(words.begin(), FJ_BINARY_DIR "/bin/fastjournal");
  ChildProcess child{words};
  int const code = child.wait().value_or(-1);
  return {code, child.output()};
}

inline std::string bytes_of(std::filesystem::path const& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

// All files of a folder: contents, and times of their last writes.
struct Picture {
  std::map<std::string, std::pair<std::string, std::filesystem::file_time_type>> files;

  bool operator==(Picture const&) const = default;
};

inline Picture picture_of(std::filesystem::path const& folder) {
  Picture out;
  out.files["."] = {"", std::filesystem::last_write_time(folder)};
  for (auto const& entry : std::filesystem::recursive_directory_iterator{folder})
    out.files[entry.path().string()] = {entry.is_regular_file() ? bytes_of(entry.path()) : "",
                                        std::filesystem::last_write_time(entry.path())};
  return out;
}

// A daemon with rows in several states.
class Filled {
 public:
  // `quota`: bytes that all segments may have together; 0: no limit.
  explicit Filled(std::string const& configuration = "<fastjournal/>\n", std::uint64_t quota = 0) : daemon{""} {
    daemon.write("fastjournal.xml", configuration);
    daemon.write("quota", std::to_string(quota));
    if (quota > 0) daemon.environment = beneath("FJ_QUOTA=" + path("quota"));
    daemon.write_table("empty", "");
    start();
    LineClient client{daemon.tcp()};
    for (int i = 0; i < 20; ++i)
      client.ask("INSERT table=jobs;name=row" + std::to_string(i) + ";payload=" + std::string(300, 'x'));
    for (int i = 0; i < 3; ++i) {
      std::string const row = client.ask("NEXT table=jobs");
      std::string const which = "table=jobs;row=" + value_behind(row, "row") + ";epoch=" + value_behind(row, "epoch");
      BOOST_TEST(!contains(client.ask((i == 0 ? "DONE " : i == 1 ? "RELEASE " : "FAIL ") + which), "ERROR"));
    }
  }
  ~Filled() {
    if (!running_) return;
    daemon.kill(SIGKILL);
    static_cast<void>(daemon.wait());
  }
  Filled(Filled const&) = delete;
  Filled& operator=(Filled const&) = delete;

  void start() {
    BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
    running_ = true;
  }
  [[nodiscard]] std::string digest() {
    LineClient client{daemon.local()};
    return value_behind(client.ask("DIGEST"), "digest");
  }
  void stop() {
    daemon.kill(SIGTERM);
    BOOST_TEST(daemon.wait().value_or(-1) == 0);
    running_ = false;
  }
  [[nodiscard]] std::string log() const { return (daemon.folder() / "data" / "shared").string(); }
  [[nodiscard]] std::string path(std::string const& name) const { return (daemon.folder() / name).string(); }

  RealDaemon daemon;

 private:
  bool running_{false};
};

}  // namespace fastjournal::test
