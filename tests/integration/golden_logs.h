// The golden logs of tests/golden/logs: unpacked, and opened by a real daemon.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/integration/log_tools.h"

namespace fastjournal::test {

namespace fs = std::filesystem;

inline fs::path const kGolden{FJ_SOURCE_DIR "/tests/golden/logs"};

inline std::vector<fs::path> logs_that_landed() {
  std::vector<fs::path> out;
  for (auto const& entry : fs::directory_iterator{kGolden})
    if (fs::exists(entry.path() / "verified.txt")) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

inline void unpack_file(fs::path const& from, fs::path const& to) {
  fs::create_directories(to.parent_path());
  std::ofstream out{to, std::ios::binary};
  gzFile in = ::gzopen(from.c_str(), "rb");
  BOOST_REQUIRE(in != nullptr);
  std::vector<char> bytes(1U << 16U);
  int got = 0;
  while ((got = ::gzread(in, bytes.data(), static_cast<unsigned>(bytes.size()))) > 0) out.write(bytes.data(), got);
  BOOST_REQUIRE(got == 0);
  ::gzclose(in);
}

// The log alone.
inline void unpack(fs::path const& from, fs::path const& folder) {
  for (auto const& entry : fs::directory_iterator{from}) {
    std::string const name = entry.path().stem();
    if (entry.path().extension() == ".gz" && !name.starts_with("bytes.")) unpack_file(entry.path(), folder / name);
  }
}

// What is outside of it: bytes.TABLE.FILE.
inline void unpack_bytes(fs::path const& from, fs::path const& folder) {
  for (auto const& entry : fs::directory_iterator{from}) {
    std::string const name = entry.path().stem();
    if (entry.path().extension() != ".gz" || !name.starts_with("bytes.")) continue;
    std::size_t const dot = name.find('.', 6);
    unpack_file(entry.path(), folder / name.substr(6, dot - 6) / name.substr(dot + 1));
  }
}

// A daemon on an unpacked golden log.
struct Opened {
  explicit Opened(fs::path const& log) : daemon{""} {
    fs::remove_all(daemon.folder() / "tables");
    fs::copy(kGolden / "tables", daemon.folder() / "tables", fs::copy_options::recursive);
    // Its clock is that of the log: what is kept for a time is there whenever the test runs. A start must work whatever
    // the clock says.
    std::int64_t const made = std::stoll(bytes_of(log / "made"));
    std::int64_t const ahead = made - std::chrono::duration_cast<std::chrono::milliseconds>(
                                          std::chrono::system_clock::now().time_since_epoch())
                                          .count();
    daemon.write("clock", std::to_string(ahead) + " 0\n");
    daemon.environment = {"LD_PRELOAD=" FJ_BINARY_DIR "/lib/libfj_clock_layer.so",
                          "ASAN_OPTIONS=verify_asan_link_order=0", "FJ_CLOCK=" + (daemon.folder() / "clock").string()};
    daemon.write("fastjournal.xml", "<fastjournal><start max-clock-behind=\"3650d\"/></fastjournal>\n");
    unpack(log, daemon.folder() / "data" / "shared");
    unpack_bytes(log, daemon.folder() / "data" / "bytes");
  }
  void start() { BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output()); }
  std::string ask(std::string const& line) {
    LineClient client{daemon.local()};
    return client.ask(line);
  }
  // Stops the daemon; returns its last digest.
  std::string stop() {
    std::string const digest = value_behind(ask("DIGEST"), "digest");
    daemon.kill(SIGTERM);
    BOOST_TEST(daemon.wait().value_or(-1) == 0);
    return digest;
  }
  [[nodiscard]] std::string log() const { return (daemon.folder() / "data" / "shared").string(); }
  RealDaemon daemon;
};

}  // namespace fastjournal::test
