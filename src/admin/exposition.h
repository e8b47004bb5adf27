// Metrics as text for monitoring systems: the text format of Prometheus (version 0.0.4) or OpenMetrics 1.0.
//
// A figure NAME of the daemon is fastjournal_NAME, one of a log fastjournal_log_NAME{log="..."}, one of a table
// fastjournal_table_NAME{table="..."}. Milliseconds and microseconds become seconds, in the name (`_ms_`, `_us` ->
// `_seconds`) and in the value; dates become fastjournal_..._timestamp_seconds. Counters end in _total. Histograms have
// one bucket for every third power of two of their unit, each counted exactly; one without a value is left out, as most
// of a thousand tables are idle.
//
// All samples of a figure stand together, as both formats demand, although every table tells all of its figures at
// once: they are collected first, and written then.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/table.h"

namespace fastjournal::admin {

class Exposition {
 public:
  enum class Format : std::uint8_t { text, openmetrics };

  // Where the figures of one thing go; valid until the next call. Histograms are borrowed until write().
  [[nodiscard]] MetricSink& of_daemon() { return begin("fastjournal_", "", ""); }
  [[nodiscard]] MetricSink& of_log(std::string_view log) { return begin("fastjournal_log_", "log", log); }
  [[nodiscard]] MetricSink& of_table(std::string_view table) { return begin("fastjournal_table_", "table", table); }

  // In pieces of some 64 KiB that end with a line: with a thousand tables the text has megabytes, and memory that is
  // touched for the first time costs more than writing into it.
  void write(Format format, std::function<void(std::string_view piece)> const& take) const;

 private:
  struct Sample {
    std::size_t labels;  // index
    Histogram const* histogram;
    double real;
    std::int64_t integer;
    bool is_real;
  };
  struct Family {
    std::string_view prefix;
    std::string told;  // the name of the figure
    std::string name;  // that of both in the text, without _total
    std::string_view help;
    Metric::Kind kind;
    double units;  // of its values in one second; 1: they have another unit, or none
    bool is_histogram;
    std::vector<Sample> samples;
    std::vector<std::string> bounds;  // of a histogram's buckets: `le="0.007"} `
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
  void write_number(Family const& family, std::string_view name, Sample const& sample, std::string& out) const;
  void write_histogram(Family const& family, Sample const& sample, std::string& out) const;

  Sink sink_{*this};
  std::string_view prefix_;
  std::vector<std::string> labels_;  // `table="jobs"`
  std::vector<Family> families_;     // in the order in which they were told first
  std::map<std::string, std::size_t, std::less<>> by_name_;
  // Things of one kind tell the same figures in the same order: the next one is looked for here first.
  std::size_t expected_{0};
};

}  // namespace fastjournal::admin
