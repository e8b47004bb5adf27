// A visit of the page in a browser: what it looks at, clicks and types, and that nothing was complained of. Conditions are
// expressions of the page.
#pragma once

#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "tests/page/browser.h"
#include "tests/page/served.h"

namespace fastjournal::test {

// For conditions in the page.
inline constexpr std::string_view kHelpers = R"(
  const all = (selector) => [...document.querySelectorAll(selector)];
  const one = (selector) => document.querySelector(selector);
  const button = (text) => all('button').filter((node) => !node.closest('dialog') || one('dialog').contains(node)).find((node) => node.textContent.startsWith(text));
  const shown = (selector) => one(selector) !== null && one(selector).checkVisibility();
  const words = () => document.body.innerText;
  const cell = (table, column) => {
    const at = all('.tables thead th').findIndex((node) => node.textContent === column);
    return all('.tables tbody tr').find((row) => row.cells[0].textContent === table)?.cells[at]?.textContent;
  };
  const tile = (label) => all('.tile').find((node) => node.firstChild.textContent === label)?.lastChild.textContent;
)";

inline boost::test_tools::assertion_result has_browser(boost::unit_test::test_unit_id) {
  boost::test_tools::assertion_result out{!chromium().empty()};
  out.message() << "there is no Chromium here";
  return out;
}

// One for all cases, since a start takes a second.
inline Browser& browser() {
  static Browser one;
  return one;
}

struct Visit : Served {
  Browser& page{browser()};

  void open(std::string const& url, std::string_view place = "#/") {
    page.open(url + std::string{place});
    page.resize(1280, 900);
    page.evaluate("{" + std::string{kHelpers} +
                  " Object.assign(window, {all, one, button, shown, words, cell, tile}); } 0");
  }
  void visit(std::string_view place = "#/") { open(url(), place); }
  void go(std::string_view place) { page.evaluate("void (location.hash = '" + std::string{place} + "')"); }
  void expect(std::string const& condition) {
    BOOST_TEST(page.until(condition), condition << "\nbut the page says:\n" << page.text("document.body.innerText"));
  }
  void click(std::string const& text) {
    expect("button('" + text + "')");
    page.evaluate("button('" + text + "').click()");
  }
  void confirm(std::string const& text) {
    expect("!one('dialog [type=submit]').disabled && one('dialog [type=submit]').textContent === '" + text + "'");
    page.evaluate("one('dialog [type=submit]').click()");
  }
  void expect_no_complaints() {
    std::vector<std::string> const complaints = page.take_complaints();
    BOOST_TEST(complaints.empty(), (complaints.empty() ? "" : complaints.front()));
  }
  // A row that workers gave up, and so an alert.
  std::string park(std::string const& name) {
    std::string const row = insert("jobs", name, "priority=0");
    std::string const leased = ask("NEXT table=jobs;worker=w1");
    BOOST_TEST(fact(leased, "row") == row);
    ask("FAIL table=jobs;row=" + row + ";epoch=" + fact(leased, "epoch") + ";error=disk full on node 7");
    return row;
  }
};

}  // namespace fastjournal::test
