// Metrics as text for monitoring systems: the text format of Prometheus (version 0.0.4) or OpenMetrics 1.0.
//
// A figure NAME of the daemon is fastjournal_NAME, one of a log fastjournal_log_NAME{log="..."}, one of a table
// fastjournal_table_NAME{table="..."}. Milliseconds and microseconds become seconds, in the name (`_ms_`, `_us` ->
// `_seconds`) and in the value; dates become fastjournal_..._timestamp_seconds. Counters end in _total. Histograms have
// one bucket for every third power of two of their unit, each counted exactly; one without a value is left out, as most
// of a thousand tables are idle.
//
// All samples of a figure stand together, as both formats demand, although every table tells all of its figures at
// once: the text of each figure grows by itself, and is taken in pieces when all was told. Nothing is borrowed, so that
// tables may tell in different turns.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/table.h"

namespace fastjournal::admin {

class Exposition {
 public:
  enum class Format : std::uint8_t { text, openmetrics };

  explicit Exposition(Format format = Format::text) : format_(format) {}

  // Where the figures of one thing go; valid until the next call.
  [[nodiscard]] MetricSink& of_daemon() { return begin("fastjournal_", "", ""); }
  [[nodiscard]] MetricSink& of_log(std::string_view log) { return begin("fastjournal_log_", "log", log); }
  [[nodiscard]] MetricSink& of_table(std::string_view table) { return begin("fastjournal_table_", "table", table); }

  // All was told. Returns the number of pieces, which is never 0: of some 64 KiB that end with a line, as with a thousand
  // tables the text has megabytes.
  [[nodiscard]] std::size_t end();
  // The next of them. Its memory is given back with the figures that are through.
  [[nodiscard]] std::string take();
  // What is kept.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct Family {
    std::string_view prefix;
    std::string told;  // the name of the figure
    std::string name;  // that of both in the text, without _total
    double units;      // of its values in one second; 1: they have another unit, or none
    bool is_counter;
    std::vector<std::string> bounds;  // of a histogram's buckets: `le="0.007"} `
    std::string text;                 // its description, and its samples so far
  };
  // Where the next piece begins.
  struct Cut {
    std::size_t family{0};
    std::size_t at{0};
  };

  class Sink final : public MetricSink {
   public:
    explicit Sink(Exposition& owner) : owner_(owner) {}
    void integer(Metric const& metric, std::int64_t value) override;
    void real(Metric const& metric, double value) override;
    void histogram(Metric const& metric, Histogram const& values) override;

   private:
    Exposition& owner_;
  };

  MetricSink& begin(std::string_view prefix, std::string_view label, std::string_view value);
  Family& family_of(Metric const& metric, bool is_histogram);
  void describe(Family& family, Metric const& metric, bool is_histogram) const;
  // The beginning of a sample's line: its name, and its labels.
  [[nodiscard]] std::string& begin_line(Family& family) const;
  void write_histogram(Family& family, Histogram const& values) const;
  // Passes on what the next piece has.
  template <typename Take>
  void cut(Cut& from, Take&& take) const;

  Format format_;
  Sink sink_{*this};
  std::string_view prefix_;
  std::string labels_;            // of the thing that tells: `table="jobs"`
  std::vector<Family> families_;  // in the order in which they were told first
  std::map<std::string, std::size_t, std::less<>> by_name_;
  // Things of one kind tell the same figures in the same order: the next one is looked for here first.
  std::size_t expected_{0};
  Cut taken_;
};

}  // namespace fastjournal::admin
