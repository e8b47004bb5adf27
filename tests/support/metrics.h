// The metrics of a table by name, as in STATS.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "engine/hosted.h"
#include "fastjournal/table.h"

namespace fastjournal::test {

class Metrics final : public MetricSink {
 public:
  std::map<std::string, std::int64_t> values;

  void integer(Metric const& metric, std::int64_t value) override { values[std::string{metric.name}] = value; }
  void real(Metric const&, double) override {}
  void histogram(Metric const& metric, Histogram const& of) override {
    engine::tell_parts(metric, of, [this](std::string const& name, std::uint64_t value) {
      values[name] = static_cast<std::int64_t>(value);
    });
  }
};

inline std::map<std::string, std::int64_t> metrics_of(Table const& table, TimeMs now) {
  Metrics sink;
  table.metrics(now, sink);
  return sink.values;
}

}  // namespace fastjournal::test
