#include "tests/bench/report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "tests/bench/peers/program.h"
#include "tests/support/temporary_folder.h"

namespace fastjournal::bench {
namespace {

double median_in(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  std::size_t const half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// Three digits that count.
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
      fmt::print("\n{:<44} {:<21} {:>11} {:>19} {:>6} {:>8} {:>8} {:>6}  {}\n", group, "", "median", "smallest..largest",
                 "x S", "p50 us", "p99 us", "driver", "aim, durability, notes");
    }
    std::string const first = line.work == work ? "" : line.work;
    work = line.work;
    double const p50 = line.median_of(&Sample::p50_us);
    double const driver = line.median_of(&Sample::driver_busy);
    std::string notes = line.aim.empty() ? line.durability : "aim " + line.aim;
    if (!line.note.empty()) notes += "; " + line.note;
    fmt::print("{:<44} {:<21} {:>11} {:>19} {:>6} {:>8} {:>8} {:>6}  {}\n", first, line.peer,
               shown(line.median()) + line.unit, shown(line.smallest()) + ".." + shown(line.largest()),
               line.in_syncs ? fmt::format("{:.2f}", line.ratio()) : "",
               p50 > 0 ? shown(p50) : "", p50 > 0 ? shown(line.median_of(&Sample::p99_us)) : "",
               driver > 0 ? fmt::format("{:.0f}%", driver * 100) : "", notes);
  }
  std::fflush(stdout);
}

void write_json(std::vector<Line> const& lines, std::filesystem::path const& file) {
  nlohmann::json all = nlohmann::json::array();
  for (Line const& line : lines) {
    nlohmann::json one{{"group", line.group},   {"work", line.work},           {"peer", line.peer},
                       {"unit", line.unit},     {"durability", line.durability}, {"aim", line.aim},
                       {"note", line.note},     {"median", line.median()},     {"smallest", line.smallest()},
                       {"largest", line.largest()}};
    if (line.in_syncs) one["ratio_to_raw_syncs"] = line.ratio();
    for (Sample const& sample : line.samples)
      one["rounds"].push_back({{"value", sample.value},
                               {"raw_syncs_per_s", sample.raw_syncs},
                               {"p50_us", sample.p50_us},
                               {"p99_us", sample.p99_us},
                               {"driver_busy", sample.driver_busy}});
    all.push_back(std::move(one));
  }
  std::ofstream out{file};
  out << all.dump(2) << '\n';
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
}

void draw_svg(std::vector<Line> const& lines, std::filesystem::path const& file) {
  // Rates only: they share an axis.
  std::vector<std::string> works;
  std::vector<std::string> peers;
  for (Line const& line : lines) {
    if (line.unit != "/s") continue;
    if (std::find(works.begin(), works.end(), line.work) == works.end()) works.push_back(line.work);
    if (std::find(peers.begin(), peers.end(), line.peer) == peers.end()) peers.push_back(line.peer);
  }
  if (works.empty()) return;
  test::TemporaryFolder const folder;
  {
    std::ofstream data{folder / "data"};
    data << "work";
    for (std::string const& peer : peers) data << "\t\"" << peer << '"';
    for (std::string const& work : works) {
      data << "\n\"" << work << '"';
      for (std::string const& peer : peers) {
        auto const found = std::find_if(lines.begin(), lines.end(),
                                        [&](Line const& line) { return line.work == work && line.peer == peer; });
        data << '\t' << (found == lines.end() ? "?" : std::to_string(found->median()));
      }
    }
    data << '\n';
    std::ofstream script{folder / "script"};
    script << "set terminal svg size " << 260 + 150 * works.size() << ",520 font 'sans,11' background 'white'\n"
           << "set output '" << file.string() << "'\nset datafile separator '\\t'\nset datafile missing '?'\n"
           << "set title 'Operations a second (log scale; durability beside each figure in the table)'\n"
           << "set style data histogram\nset style histogram cluster gap 1\nset style fill solid 0.9 noborder\n"
           << "set logscale y\nset grid y\nset key outside right\nset xtics rotate by -25\nset format y '%.0s %c'\n"
           << "plot for [i=2:" << peers.size() + 1 << "] '" << folder / "data"
           << "' using i:xtic(1) title columnheader(i)\n";
  }
  test::ChildProcess child{{find_program("gnuplot", "gnuplot-nox"), folder / "script"}};
  if (child.wait() != 0) throw std::runtime_error("gnuplot failed: " + child.output());
}

}  // namespace fastjournal::bench
