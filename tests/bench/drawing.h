// The figures as a picture: horizontal bars, a panel for each kind of work with a linear axis of its own that begins at 0.
// Drawn by ourselves, as a picture in a document must be read at a page's width, on light and on dark pages, and must
// come out the same from the same figures.
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

// A panel for each work that both we and somebody else did; what was not measured is not there. SVG, 900 pixels wide.
[[nodiscard]] std::string draw(std::vector<Figure> const& figures);
// Of a file that write_json wrote. Throws std::runtime_error when it cannot be read.
[[nodiscard]] std::vector<Figure> read_figures(std::filesystem::path const& file);

}  // namespace fastjournal::bench
