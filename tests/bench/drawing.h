// The figures as a chart: horizontal bars, with a panel for each kind of work that has a linear axis from 0. It is
// drawn without a library: it must be legible at a page's width, on light and on dark pages, and must be the same for
// the same figures.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fastjournal::bench {

struct Figure {
  std::string group;  // as in report.h
  std::string work;
  std::string peer;
  std::string unit;  // "/s", " B", " us", " s"
  double value{0};
};

// A panel for each work of which both we and some peer have a figure. SVG, 900 pixels wide.
[[nodiscard]] std::string draw(std::vector<Figure> const& figures);
// Reads a file that write_json wrote. Throws std::runtime_error when it cannot be read.
[[nodiscard]] std::vector<Figure> read_figures(std::filesystem::path const& file);

}  // namespace fastjournal::bench
