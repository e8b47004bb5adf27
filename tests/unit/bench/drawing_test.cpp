// The chart of the benchmark's figures: its contents, the lengths of its bars; and the chart in doc/ shows the figures
// in doc/.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "tests/bench/drawing.h"

namespace {

using namespace fastjournal::bench;

std::string const kRoot = FJ_SOURCE_DIR;

std::size_t count(std::string const& text, std::string const& part) {
  std::size_t out = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++out;
  return out;
}

// Widths of the bars, in their order.
std::vector<double> widths(std::string const& svg) {
  std::regex const bar{"<rect class=\"(ours|other|memory)\"[^>]* width=\"([0-9.]+)\" height"};
  std::vector<double> out;
  for (std::sregex_iterator at{svg.begin(), svg.end(), bar}; at != std::sregex_iterator{}; ++at)
    out.push_back(std::stod((*at)[2]));
  return out;
}

std::vector<Figure> three() {
  return {{"inserts", "8 connections", "beanstalkd memory", "/s", 40'000},
          {"inserts", "8 connections", "postgresql", "/s", 5'000},
          {"inserts", "8 connections", "fastjournal", "/s", 20'000}};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(drawing)

BOOST_AUTO_TEST_CASE(bars_are_linear_from_zero_and_ours_is_the_first) {
  std::string const svg = draw(three());
  std::vector<double> const bars = widths(svg);
  BOOST_REQUIRE(bars.size() == 3);
  BOOST_TEST(bars[0] == 4 * bars[1], boost::test_tools::tolerance(0.01));  // ours: 20 k beside 5 k
  BOOST_TEST(bars[2] == 2 * bars[0], boost::test_tools::tolerance(0.01));
  BOOST_TEST(svg.find("class=\"ours\"") < svg.find("class=\"other\""));
  BOOST_TEST(svg.find("class=\"other\"") < svg.find("class=\"memory\""));
}

// Each work has its own unit and its own longest bar.
BOOST_AUTO_TEST_CASE(every_work_has_its_own_axis) {
  std::vector<Figure> figures = three();
  figures.push_back({"at rest", "disk of a row", "fastjournal", " B", 285});
  figures.push_back({"at rest", "disk of a row", "postgresql", " B", 1087});
  figures.push_back({"dates", "due -> message", "fastjournal", " us", 100});
  figures.push_back({"dates", "due -> message", "postgresql", " us", 11'000});
  std::string const svg = draw(figures);
  std::vector<double> const bars = widths(svg);
  BOOST_REQUIRE(bars.size() == 7);
  for (std::size_t const longest : {4U, 6U}) BOOST_TEST(bars[longest] == bars[2]);
  for (char const* unit : {">operations/s<", ">bytes<", ">ms<"}) BOOST_TEST(count(svg, unit) == 1U);
  BOOST_TEST(count(svg, "due -&gt; message") == 1U);
}

BOOST_AUTO_TEST_CASE(what_was_not_measured_is_left_out) {
  std::vector<Figure> figures = three();
  figures.push_back({"leases", "deliver", "fastjournal", "/s", 1});
  figures.push_back({"leases", "deliver", "fastjournal msgpack", "/s", 1});
  figures.push_back({"leases", "reserve", "beanstalkd -f0", "/s", 1});
  figures.push_back({"inserts", "8 connections", "redis always", "/s", 0});
  std::string const svg = draw(figures);
  BOOST_TEST(widths(svg).size() == 3U);
  for (char const* absent : {"deliver", "reserve", "Redis"}) BOOST_TEST(count(svg, absent) == 0U);
}

BOOST_AUTO_TEST_CASE(the_picture_in_doc_is_of_the_figures_in_doc) {
  std::ifstream file{kRoot + "/doc/performance.svg", std::ios::binary};
  std::string const drawn{std::istreambuf_iterator<char>{file}, {}};
  BOOST_TEST((drawn == draw(read_figures(kRoot + "/doc/performance.json"))), "run ./mk drawings");
  BOOST_TEST(count(drawn, " width=\"900\"") >= 1U);
  // The chart has colours for light and for dark pages.
  BOOST_TEST(count(drawn, "prefers-color-scheme: dark") == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
