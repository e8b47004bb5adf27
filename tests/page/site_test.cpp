// The site of the documents: it is built without a warning, and a link to nothing ends the build; in a browser its pages
// need nothing from elsewhere, fit narrow screens, have a dark scheme, and are found by words, from files alone.
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/page/browser.h"
#include "tests/support/child_process.h"
#include "tests/support/temporary_folder.h"

namespace {

using namespace fastjournal::test;
namespace fs = std::filesystem;
namespace tools = boost::test_tools;

std::string const kInstalled = FJ_BINARY_DIR "/installed-doc";

// Built once for all cases: it takes a quarter of a minute.
struct Site {
  Site() {
    ChildProcess build{{FJ_SOURCE_DIR "/scripts/site.sh", "0.0.0", FJ_BINARY_DIR "/manual/markdown",
                        kInstalled + "/README.site", out()}};
    code = build.wait(std::chrono::minutes{4}).value_or(-1);
    output = build.output();
  }
  [[nodiscard]] std::string out() const { return folder / "site"; }

  TemporaryFolder folder;
  int code{-1};
  std::string output;
};

Site& site() {
  static Site one;
  return one;
}

tools::assertion_result site_has_browser(boost::unit_test::test_unit_id) {
  tools::assertion_result out{!chromium().empty()};
  out.message() << "there is no Chromium here";
  return out;
}

Browser& browser() {
  static Browser one;
  return one;
}

// The elements that reach beyond the screen, but what scrolls within itself.
constexpr char kWide[] =
    "[...document.querySelectorAll('*')].filter((node) => node.getBoundingClientRect().right > innerWidth && "
    "!node.closest('pre, table')).map((node) => node.tagName + '.' + node.className).join(' ') + ' ' + innerWidth + ' '"
    " + document.documentElement.scrollWidth";

std::string url(std::string const& page) { return "file://" + site().out() + "/" + page; }

}  // namespace

BOOST_AUTO_TEST_SUITE(site_of_documents)

BOOST_AUTO_TEST_CASE(it_is_built_without_a_warning_and_has_every_page) {
  BOOST_REQUIRE_MESSAGE(site().code == 0, site().output);
  BOOST_TEST(site().output == "");
  for (char const* const page : {"index.html", "doc/tutorial.html", "doc/protocol.html", "clients/python/README.html",
                                 "manual/fastjournal-put.1.html", "manual/fastjournal-journal.7.html", "search.html"})
    BOOST_TEST(fs::exists(fs::path{site().out()} / page), page);
}

BOOST_AUTO_TEST_CASE(a_link_to_nothing_ends_the_build) {
  TemporaryFolder folder;
  std::ofstream{folder / "README.md"} << "# Broken\n\n[a heading](doc/alerts.md#there-is-no-such-heading)\n";
  ChildProcess build{{FJ_SOURCE_DIR "/scripts/site.sh", "0.0.0", FJ_BINARY_DIR "/manual/markdown", folder / "README.md",
                      folder / "site"}};
  BOOST_TEST(build.wait(std::chrono::minutes{4}).value_or(-1) != 0);
  BOOST_TEST(build.output().find("there-is-no-such-heading") != std::string::npos, build.output());
}

BOOST_AUTO_TEST_CASE(it_names_no_file_of_another_host) {
  for (auto const& entry : fs::recursive_directory_iterator{site().out()}) {
    std::string const kind = entry.path().extension();
    if (kind != ".html" && kind != ".css") continue;
    std::ifstream file{entry.path()};
    for (std::string line; std::getline(file, line);) {
      bool const foreign =
          line.find("src=\"http") != std::string::npos || line.find("url(http") != std::string::npos ||
          line.find("url(/") != std::string::npos || line.find("import \"http") != std::string::npos ||
          (line.find("<link ") != std::string::npos && line.find("href=\"http:") != std::string::npos) ||
          (line.find("<link ") != std::string::npos && line.find("href=\"https:") != std::string::npos);
      BOOST_TEST(!foreign, entry.path() << ": " << line.substr(0, 200));
    }
  }
}

BOOST_AUTO_TEST_CASE(pages_fit_the_screen_in_both_schemes, *boost::unit_test::precondition(site_has_browser)) {
  for (char const* const page :
       {"index.html", "doc/tutorial.html", "doc/table-reference.html", "manual/fastjournal-put.1.html"})
    for (int const width : {390, 1280})
      for (std::string const scheme : {"light", "dark"}) {
        browser().open(url(page));
        browser().resize(width, 900);
        browser().prefer(scheme);
        BOOST_TEST(browser().until("document.readyState === 'complete' && document.querySelector('h1')"), page);
        BOOST_TEST(browser().evaluate("document.documentElement.scrollWidth <= innerWidth").get<bool>(),
                   page << " is wider than " << width << ": " << browser().text(kWide));
        std::string const ground = browser().text("getComputedStyle(document.body).backgroundColor");
        BOOST_TEST((ground == "rgb(22, 25, 29)") == (scheme == "dark"), page << ": " << ground);
      }
  std::vector<std::string> const complaints = browser().take_complaints();
  BOOST_TEST(complaints.empty(), (complaints.empty() ? "" : complaints.front()));
}

BOOST_AUTO_TEST_CASE(words_are_found_without_a_server, *boost::unit_test::precondition(site_has_browser)) {
  browser().open(url("search.html?q=max-postpone"));
  BOOST_TEST(browser().until("[...document.querySelectorAll('ul.search a')].some((a) => a.href.includes('doc/merge'))"),
             browser().text("document.body.innerText"));
}

BOOST_AUTO_TEST_CASE(documents_named_in_the_text_are_links, *boost::unit_test::precondition(site_has_browser)) {
  browser().open(url("doc/operations.html"));
  BOOST_TEST(
      browser().until("[...document.querySelectorAll('a > code')].some((code) => code.innerText === "
                      "'doc/security.md' && code.parentNode.href.endsWith('doc/security.html'))"));
  browser().open(url("manual/fastjournal-put.1.html"));
  BOOST_TEST(
      browser().until("[...document.querySelectorAll('a')].some((a) => a.href.endsWith('fastjournald.8.html'))"));
}

BOOST_AUTO_TEST_SUITE_END()
