#include "tests/bench/report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace fastjournal::bench {
namespace {

double median_in(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  std::size_t const half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// With three significant digits.
std::string shown(double value) {
  if (value >= 1e6) return fmt::format("{:.2f} M", value / 1e6);
  if (value >= 10'000) return fmt::format("{:.0f} k", value / 1e3);
  if (value >= 100) return fmt::format("{:.0f}", value);
  return fmt::format("{:.3g}", value);
}

}  // namespace

double Line::median_of(double Sample::*figure) const {
  std::vector<double> values;
  for (Sample const& sample : samples) values.push_back(sample.*figure);
  return median_in(std::move(values));
}
double Line::median() const { return median_of(&Sample::value); }
double Line::smallest() const {
  double out = samples.empty() ? 0 : samples.front().value;
  for (Sample const& sample : samples) out = std::min(out, sample.value);
  return out;
}
double Line::largest() const {
  double out = 0;
  for (Sample const& sample : samples) out = std::max(out, sample.value);
  return out;
}
double Line::ratio() const {
  std::vector<double> values;
  for (Sample const& sample : samples)
    if (sample.raw_syncs > 0) values.push_back(sample.value / sample.raw_syncs);
  return median_in(std::move(values));
}

void print_table(std::vector<Line> const& lines) {
  std::string group;
  std::string work;
  for (Line const& line : lines) {
    if (line.group != group) {
      group = line.group;
      fmt::print("\n{:<44} {:<21} {:>11} {:>19} {:>6} {:>8} {:>8} {:>6}  {}\n", group, "", "median",
                 "smallest..largest", "x S", "p50 us", "p99 us", "driver", "aim, durability, notes");
    }
    std::string const first = line.work == work ? "" : line.work;
    work = line.work;
    double const p50 = line.median_of(&Sample::p50_us);
    double const driver = line.median_of(&Sample::driver_busy);
    std::string notes = line.aim.empty() ? line.durability : "aim " + line.aim;
    if (!line.note.empty()) notes += "; " + line.note;
    fmt::print("{:<44} {:<21} {:>11} {:>19} {:>6} {:>8} {:>8} {:>6}  {}\n", first, line.peer,
               shown(line.median()) + line.unit, shown(line.smallest()) + ".." + shown(line.largest()),
               line.in_syncs ? fmt::format("{:.2f}", line.ratio()) : "", p50 > 0 ? shown(p50) : "",
               p50 > 0 ? shown(line.median_of(&Sample::p99_us)) : "",
               driver > 0 ? fmt::format("{:.0f}%", driver * 100) : "", notes);
  }
  std::fflush(stdout);
}

void write_json(std::vector<Line> const& lines, std::filesystem::path const& file) {
  nlohmann::json all = nlohmann::json::array();
  for (Line const& line : lines) {
    nlohmann::json one{
        {"group", line.group},           {"work", line.work},        {"peer", line.peer}, {"unit", line.unit},
        {"durability", line.durability}, {"aim", line.aim},          {"note", line.note}, {"median", line.median()},
        {"smallest", line.smallest()},   {"largest", line.largest()}};
    if (line.in_syncs) one["ratio_to_raw_syncs"] = line.ratio();
    for (Sample const& sample : line.samples)
      one["rounds"].push_back({{"value", sample.value},
                               {"raw_syncs_per_s", sample.raw_syncs},
                               {"p50_us", sample.p50_us},
                               {"p99_us", sample.p99_us},
                               {"driver_busy", sample.driver_busy},
                               {"processor_us", sample.processor_us}});
    all.push_back(std::move(one));
  }
  std::ofstream out{file};
  out << all.dump(2) << '\n';
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
}

void draw_svg(std::vector<Line> const& lines, std::filesystem::path const& file) {
  std::vector<Figure> figures;
  for (Line const& line : lines) figures.push_back({line.group, line.work, line.peer, line.unit, line.median()});
  write_svg(figures, file);
}

void write_svg(std::vector<Figure> const& figures, std::filesystem::path const& file) {
  std::ofstream out{file, std::ios::binary};
  out << draw(figures);
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
}

}  // namespace fastjournal::bench
