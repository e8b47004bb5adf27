// The rates of this computer: its disk's syncs, and a journal of a daemon that is started for it, on the same disk. The
// daemon, its folder and everything in it are gone at the end, also if it is stopped or something fails.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/status.h"

namespace fastjournal::bench {

struct Request {
  std::filesystem::path folder;   // on the disk to measure; a folder is made in it, and removed
  std::filesystem::path program;  // fastjournald
  std::filesystem::path plugins;
  std::chrono::milliseconds time{20'000};              // of all rows
  std::function<bool()> stop{};                        // asked often
  std::function<void(std::string_view row)> on_row{};  // before each
};

// One line of the result.
struct Row {
  std::string name;
  std::uint64_t count{0};
  double per_second{0};  // 0: only times were measured
  double ms_p50{0};
  double ms_p99{0};
  std::string word{};  // what it means
};

// timed_out: stopped. Else the call or the command that failed.
[[nodiscard]] Result<std::vector<Row>> measure(Request const& wish);

// Microseconds of single calls; us is sorted.
[[nodiscard]] Row row_of(std::string name, std::vector<std::uint32_t>& us, double seconds);
// What cannot be as it was measured, to follow the row's word; empty: nothing. `syncs`: of the same disk.
[[nodiscard]] std::string doubt_of(Row const& row, Row const& syncs);
// About syncs with this median.
[[nodiscard]] std::string word_of_syncs(double ms_p50);

}  // namespace fastjournal::bench
