// The figures of a table that people are shown: names, headings and meanings, as the page of HTTP listeners has them. The
// build puts them into the program from src/server/page/figures.json, which says them once for both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fastjournal::cli {

// The difference of a counter of STATS between two looks, for each second between them.
struct Rate {
  std::string name;
  std::string counter;
};

struct Figure {
  enum class Show : std::uint8_t { count, rate, span, bytes };

  std::string name;
  std::string head;
  std::string help;
  std::size_t width{0};
  std::size_t worth{0};  // the lowest are left out last where there is not enough room
  Show show{Show::count};
  std::vector<std::string> sum{};  // of these; empty: the figure of this name
};

struct Figures {
  std::vector<Rate> rates;
  // In the order in which they are shown: of tables with rows, of those with key/value pairs, with blobs, with queues,
  // and with documents.
  std::vector<Figure> table;
  std::vector<Figure> pairs;
  std::vector<Figure> blobs;
  std::vector<Figure> queues;
  std::vector<Figure> documents;
};
[[nodiscard]] Figures const& figures();

// The file, as the build found it.
[[nodiscard]] std::string_view figures_json();

}  // namespace fastjournal::cli
