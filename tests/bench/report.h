// The measured figures, and their output: a table for people, JSON for scripts, a chart (drawing.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/bench/drawing.h"

namespace fastjournal::bench {

// One figure of one round.
struct Sample {
  double value{0};
  double raw_syncs{0};  // per second, at the same time
  double p50_us{0};
  double p99_us{0};
  double driver_busy{0};
  double processor_us{0};  // of the server, for each operation
};

// One line of the table: one work of one peer.
struct Line {
  std::string group;  // inserts, leases, ...
  std::string work;
  std::string peer;
  std::string unit;  // "/s", "us", "bytes", "s", "%", "x"
  std::string durability;
  std::string aim;       // target; only for our own lines
  std::string note;      // remarks: the driver was the limit, rows were missing
  bool in_syncs{false};  // whether the ratio to the raw sync rate is meaningful
  std::vector<Sample> samples;

  [[nodiscard]] double median() const;
  [[nodiscard]] double smallest() const;
  [[nodiscard]] double largest() const;
  [[nodiscard]] double median_of(double Sample::*figure) const;
  // The median over the rounds of value / raw syncs.
  [[nodiscard]] double ratio() const;
};

// The first line of each group is printed as its head.
void print_table(std::vector<Line> const& lines);
void write_json(std::vector<Line> const& lines, std::filesystem::path const& file);
// These throw std::runtime_error when the file cannot be written.
void draw_svg(std::vector<Line> const& lines, std::filesystem::path const& file);
void write_svg(std::vector<Figure> const& figures, std::filesystem::path const& file);

}  // namespace fastjournal::bench
