#include "tests/bench/drawing.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>
#include <string_view>

namespace fastjournal::bench {
namespace {

constexpr double kWidth = 900;
constexpr double kMargin = 16;
constexpr double kGap = 28;
constexpr int kColumns = 2;
constexpr double kPanelWidth = (kWidth - 2 * kMargin - kGap) / kColumns;
constexpr double kHeadHeight = 66;
constexpr double kTitleHeight = 24;
constexpr double kBarStep = 19;
constexpr double kBarHeight = 13;
constexpr double kAxisHeight = 20;
constexpr double kPanelGap = 20;
constexpr double kNameWidth = 132;  // of the peers' names, left of the bars
constexpr double kValueWidth = 62;  // right of the longest bar
constexpr double kBarsWidth = kPanelWidth - kNameWidth - kValueWidth;
constexpr double kTicksMax = 4;

constexpr std::string_view kStyle = R"(<style>
  text { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", Arial, sans-serif; font-size: 12px; fill: #1f2328; }
  .page { fill: #ffffff; }
  .head { font-size: 18px; font-weight: 600; }
  .work { font-size: 13px; font-weight: 600; }
  .quiet { fill: #59636e; font-size: 11px; }
  .right { text-anchor: end; }
  .middle { text-anchor: middle; }
  .own { font-weight: 600; }
  .value { paint-order: stroke; stroke: #ffffff; stroke-width: 3px; }
  .grid { stroke: #d1d9e0; stroke-width: 1; }
  .ours { fill: #0969da; }
  .other { fill: #9aa4af; }
  .memory { fill: #eef1f4; stroke: #9aa4af; stroke-width: 1; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .page { fill: #0d1117; }
    .quiet { fill: #9198a1; }
    .value { stroke: #0d1117; }
    .grid { stroke: #30363d; }
    .ours { fill: #4493f8; }
    .other { fill: #7d8590; }
    .memory { fill: #1c2128; stroke: #7d8590; }
  }
</style>
)";

struct Panel {
  std::string title;
  std::string unit;    // of the axis
  std::string wish;    // which direction is better
  double per_unit{1};  // figures are divided by this
  std::vector<Figure> bars;
};

bool is_ours(std::string_view peer) { return peer.starts_with("fastjournal"); }
bool is_memory(std::string_view peer) { return peer.ends_with(" memory"); }

// The order of the bars: ours, peers that sync, peers that do not.
int rank(Figure const& figure) { return is_ours(figure.peer) ? 0 : is_memory(figure.peer) ? 2 : 1; }

std::string title_of(Figure const& figure) {
  if (figure.group == "inserts") return "insert, " + figure.work;
  if (figure.group == "merges") return "merges of " + figure.work;
  return figure.work;
}

std::string name_of(std::string_view peer) {
  if (peer == "redis always") return "Redis always";
  if (peer == "beanstalkd memory") return "beanstalkd, memory";
  if (peer.starts_with("postgresql")) return "PostgreSQL" + std::string{peer.substr(10)};
  return std::string{peer};
}

// With three significant digits.
std::string drawn_number(double value) {
  if (value >= 999'500) return fmt::format("{:.3g} M", value / 1e6);
  if (value >= 9'995) return fmt::format("{:.3g} k", value / 1e3);
  if (value >= 1'000) {
    auto const whole = static_cast<int>(std::round(value / 10)) * 10;
    return fmt::format("{},{:03}", whole / 1000, whole % 1000);
  }
  return fmt::format("{:.3g}", value);
}

std::string escaped(std::string_view text) {
  std::string out;
  for (char const c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

void use_unit(Panel& panel, std::string const& unit, double largest) {
  panel.wish = unit == "/s" ? "" : "less is better";
  panel.unit = unit == "/s" ? "operations/s" : unit == " B" ? "bytes" : unit == " s" ? "seconds" : unit;
  if (unit != " us") return;
  panel.unit = largest >= 1000 ? "ms" : "us";
  panel.per_unit = largest >= 1000 ? 1000 : 1;
}

std::vector<Panel> panels_of(std::vector<Figure> const& figures) {
  std::vector<Panel> out;
  for (Figure const& figure : figures) {
    std::string const title = title_of(figure);
    auto found = std::find_if(out.begin(), out.end(), [&](Panel const& panel) { return panel.title == title; });
    if (found == out.end()) found = out.insert(out.end(), Panel{.title = title, .unit = {}, .wish = {}, .bars = {}});
    if (figure.value > 0) found->bars.push_back(figure);
  }
  std::erase_if(out, [](Panel const& panel) {
    auto const ours =
        std::count_if(panel.bars.begin(), panel.bars.end(), [](auto const& bar) { return is_ours(bar.peer); });
    return ours == 0 || ours == std::ssize(panel.bars);
  });
  for (Panel& panel : out) {
    std::stable_sort(panel.bars.begin(), panel.bars.end(),
                     [](Figure const& a, Figure const& b) { return rank(a) < rank(b); });
    double largest = 0;
    for (Figure const& bar : panel.bars) largest = std::max(largest, bar.value);
    use_unit(panel, panel.bars.front().unit, largest);
  }
  return out;
}

// 1, 2 or 5 times a power of ten, such that at most kTicksMax steps reach `most`.
double tick_step(double most) {
  double const power = std::pow(10, std::floor(std::log10(most / kTicksMax)));
  for (double const step : {1.0, 2.0, 5.0})
    if (most / (step * power) <= kTicksMax) return step * power;
  return 10 * power;
}

double height_of(Panel const& panel) {
  return kTitleHeight + kBarStep * static_cast<double>(panel.bars.size()) + kAxisHeight;
}

void draw_panel(Panel const& panel, double x, double y, std::string& out) {
  auto const print = [&out](std::string_view format, auto const&... values) {
    out += fmt::format(fmt::runtime(format), values...);
  };
  double most = 0;
  for (Figure const& bar : panel.bars) most = std::max(most, bar.value / panel.per_unit);
  double const scale = kBarsWidth / most;
  double const left = x + kNameWidth;
  double const top = y + kTitleHeight;
  double const bottom = top + kBarStep * static_cast<double>(panel.bars.size());
  print("<text class=\"work\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x, y + 12, escaped(panel.title));
  double const step = tick_step(most);
  for (double tick = 0; tick <= most * 1.0001; tick += step) {
    double const at = left + tick * scale;
    print("<line class=\"grid\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\"/>\n", at, top - 2, bottom);
    print("<text class=\"quiet middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", at, bottom + 13, drawn_number(tick));
  }
  print("<text class=\"quiet right\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", left - 12, bottom + 13, panel.unit);
  double bar_top = top;
  for (Figure const& bar : panel.bars) {
    bool const ours = is_ours(bar.peer);
    double const value = bar.value / panel.per_unit;
    double const length = std::max(1.0, value * scale);
    double const base = bar_top + kBarHeight - 2.5;
    print("<text class=\"{}right\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", ours ? "own " : "", left - 6, base,
          escaped(name_of(bar.peer)));
    print("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.0f}\"/>\n",
          ours                  ? "ours"
          : is_memory(bar.peer) ? "memory"
                                : "other",
          left, bar_top, length, kBarHeight);
    print("<text class=\"{}value\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", ours ? "own " : "", left + length + 5, base,
          drawn_number(value));
    bar_top += kBarStep;
  }
  if (!panel.wish.empty())
    print("<text class=\"quiet right\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + kPanelWidth, y + 12, panel.wish);
}

}  // namespace

std::string draw(std::vector<Figure> const& figures) {
  std::vector<Panel> const panels = panels_of(figures);
  std::string body;
  double y = kHeadHeight;
  for (std::size_t row = 0; row < panels.size(); row += kColumns) {
    double height = 0;
    for (std::size_t i = row; i < std::min(panels.size(), row + kColumns); ++i) {
      draw_panel(panels[i], kMargin + static_cast<double>(i - row) * (kPanelWidth + kGap), y, body);
      height = std::max(height, height_of(panels[i]));
    }
    y += height + kPanelGap;
  }
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "role=\"img\">\n<title>fastjournal beside other queues</title>\n",
      kWidth, y);
  out += kStyle;
  out += fmt::format("<rect class=\"page\" width=\"{:.0f}\" height=\"{:.0f}\"/>\n", kWidth, y);
  out += fmt::format("<text class=\"head\" x=\"{:.0f}\" y=\"28\">fastjournal beside other queues</text>\n", kMargin);
  out += fmt::format(
      "<text class=\"quiet\" x=\"{:.0f}\" y=\"47\">Each panel has its own axis, from 0; of operations a second, more "
      "is "
      "better. Full bars answer after the sync; \"memory\" keeps no log.</text>\n",
      kMargin);
  return out + body + "</svg>\n";
}

std::vector<Figure> read_figures(std::filesystem::path const& file) {
  std::ifstream in{file};
  nlohmann::json const all = nlohmann::json::parse(in, nullptr, false);
  if (!all.is_array()) throw std::runtime_error(file.string() + " is no file of --json");
  std::vector<Figure> out;
  for (nlohmann::json const& one : all)
    out.push_back({one.value("group", ""), one.value("work", ""), one.value("peer", ""), one.value("unit", ""),
                   one.value("median", 0.0)});
  return out;
}

}  // namespace fastjournal::bench
