// The pictures of the documents are of this version: the page and `top` are taken again, and are what the documents
// show. They are left in build/.../pictures; `page_pictures doc` takes those of doc/ anew.
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/page/browser.h"
#include "tests/page/shop.h"
#include "tests/page/top_picture.h"

namespace {

using namespace fastjournal::test;
namespace tools = boost::test_tools;

tools::assertion_result pictures_has_browser(boost::unit_test::test_unit_id) {
  tools::assertion_result out{!chromium().empty()};
  out.message() << "there is no Chromium here";
  return out;
}

// Width and height as the file itself says.
std::pair<unsigned, unsigned> size_of(std::string const& png) {
  auto const number = [&](std::size_t at) {
    unsigned out = 0;
    for (std::size_t i = 0; i < 4; ++i) out = out * 256 + static_cast<unsigned char>(png.at(at + i));
    return out;
  };
  BOOST_REQUIRE(png.starts_with("\x89PNG"));
  return {number(16), number(20)};
}

void keep(std::string const& name, std::string const& png) {
  std::string const folder = FJ_BINARY_DIR "/pictures";
  std::filesystem::create_directories(folder);
  std::ofstream{folder + "/" + name, std::ios::binary} << png;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pictures, *boost::unit_test::precondition(pictures_has_browser))

BOOST_AUTO_TEST_CASE(the_page_and_top_are_what_the_documents_show) {
  Served served;
  make_rows(served);
  fail(served, 30);
  work(served, 50);
  Browser browser;
  browser.open(served.url());
  browser.prefer("light");
  browser.resize(1280, 780);
  BOOST_TEST(browser.until("document.querySelectorAll('.bars rect').length > 20"));
  keep("page-overview.png", browser.picture());
  BOOST_TEST((size_of(browser.picture()) == std::pair{1280U, 780U}));

  std::string const screen = top_screen(served.local(), 3);
  for (char const* const word : {"jobs", "mail", "PAUSED", "FAILS", "FAIL/s", "row-failed", "LATE99"})
    BOOST_TEST(screen.find(word) != std::string::npos, word << " is not on\n" << screen);
  browser.open(top_page(screen));
  browser.resize(890, 405);
  BOOST_TEST(browser.until("document.body.innerText.includes('LATE99')"));
  BOOST_TEST(browser.evaluate("document.querySelector('pre').getBoundingClientRect().width <= innerWidth").get<bool>());
  keep("top.png", browser.picture());
  BOOST_TEST((size_of(browser.picture()) == std::pair{890U, 405U}));

  // Each picture that a document shows can be taken again.
  for (char const* const name : {"page-overview.png", "page-table.png", "page-pipeline.png", "top.png"})
    BOOST_TEST(std::filesystem::exists(std::string{FJ_SOURCE_DIR "/doc/"} + name), name);
}

BOOST_AUTO_TEST_SUITE_END()
