// What the measures of fj_measure have in common: each is one function with options of its own; they take times alike,
// and what fails ends the program with its reason.
#pragma once

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "fastjournal/status.h"

namespace fastjournal::bench {

using Measure = int(int count, char** words);
Measure measure_blob, measure_documents, measure_forward, measure_journal, measure_log, measure_pairs, measure_pipeline,
    measure_queue, measure_reactor, measure_recovery, measure_spool, measure_transactions;

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

[[noreturn]] inline void fail(std::string const& why) { throw std::runtime_error(why); }

inline void require(Status const& status) {
  if (!status.ok()) fail(status.text());
}

template <typename T>
T take(Result<T> result) {
  require(result.status());
  return std::move(result).value();
}

}  // namespace fastjournal::bench
