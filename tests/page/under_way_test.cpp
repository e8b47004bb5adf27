// What people do with rows while they are worked on, and how they read what a row has: values in the form that fits them, the
// trace of a failure, the way from an alert to its row.
#include <boost/test/unit_test.hpp>

#include <string>

#include "tests/page/visit.h"

namespace {

using namespace fastjournal::test;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(page_under_way, Visit, *boost::unit_test::precondition(has_browser))

BOOST_AUTO_TEST_CASE(a_value_is_shown_as_json_as_text_and_as_bytes) {
  std::string const row = insert("jobs", "a", R"(payload={"id":12345678901234567890,"tags":["<b>x</b>"],"empty":{}})");
  visit("#/t/jobs/row/" + row);
  expect("one('.data-list .json')?.innerText.includes('\"id\": 12345678901234567890,')");
  // Copied from the page it is JSON again, and what is folded hides its parts.
  expect("JSON.parse(one('.data-list .json').textContent).tags[0] === '<b>x</b>' && one('.json b') === null");
  page.evaluate("one('.json .inner details summary').click()");
  expect("one('.json .inner details').open === false && !one('.json').innerText.includes('<b>')");
  click("Text");
  expect("one('.data-list pre').textContent.startsWith('{\"id\":12345') && one('.json') === null");
  expect("button('Text').getAttribute('aria-pressed') === 'true'");
  // The choice stays with the name of the column.
  std::string const other = insert("jobs", "b", R"(payload=[1,2])");
  go("#/t/jobs/row/" + other);
  expect("one('.data-list pre')?.textContent === '[1,2]'");
  click("JSON");
  ask(R"(SEND table=post;queue=orders;body=["four",{"pizzas":4}])");
  go("#/t/post/queue/orders");
  expect("one('.messages tbody button')");
  page.evaluate("one('.messages tbody button').click()");
  expect("one('dialog .json')?.innerText.includes('\"pizzas\": 4')");
  page.press("Escape");
  ask("SET table=values;key=b;type=buffer;value=AAEC/w==");
  go("#/t/values");
  click("b");
  expect("one('dialog pre').textContent.startsWith('000000  00 01 02 ff')");
  click("Base64");
  expect("one('dialog pre').textContent === 'AAEC/w=='");
  expect_no_complaints();
}

BOOST_AUTO_TEST_CASE(an_alert_leads_to_its_row_and_the_row_to_its_whole_trace) {
  std::string const row = insert("jobs", "a", "priority=0");
  std::string const leased = ask("NEXT table=jobs;worker=w1");
  std::string trace;
  for (int i = 0; i < 60; ++i) trace += "  File app.py, line " + std::to_string(i) + std::string(150, '.') + "|";
  ask("FAIL table=jobs;row=" + row + ";epoch=" + fact(leased, "epoch") + ";error=no disk;error_trace=" + trace);
  visit("#/alerts");
  expect("one('.alerts a[href*=\"status=parked\"]')?.textContent === 'Parked rows'");
  page.evaluate("one('.alerts a[href$=\"/row/" + row + "\"]').click()");
  expect("one('pre.trace')?.textContent.includes('line 59')");
  expect("one('pre.trace').clientHeight + 20 >= one('pre.trace').scrollHeight");
  expect("document.documentElement.scrollWidth <= innerWidth");
  expect_no_complaints();
}

BOOST_AUTO_TEST_CASE(a_row_that_is_worked_on_is_taken_back_or_deleted_and_the_dialog_says_who_has_it) {
  std::string const row = insert("jobs", "a", "process_date=0");
  ask("NEXT table=jobs;worker=<i>w7</i>");
  visit("#/t/jobs/workers");
  click("Take back");
  expect("one('dialog')?.textContent.includes('<i>w7</i> has worked on it since 20')");
  confirm("Take row " + row + " back");
  expect("words().includes('No row is being processed.')");
  BOOST_TEST(fact(ask("PEEK table=jobs;row=" + row), "status") == "due");
  ask("NEXT table=jobs;worker=w8");
  go("#/t/jobs/row/" + row);
  click("Delete");
  expect("one('dialog')?.textContent.includes('w8 has worked on it since 20')");
  // The safe choice has the focus.
  expect("document.activeElement.textContent === 'Cancel'");
  confirm("Delete row " + row);
  expect("one('.row-view h2 .badge').textContent === 'gone'");
  BOOST_TEST(fact(ask("STATS table=jobs"), "rows") == "0");
  // Without the right it says so.
  insert("jobs", "b");
  ask("NEXT table=jobs;worker=w9");
  open(read_only_url(), "#/t/jobs/workers");
  expect("button('Take back')?.getAttribute('aria-disabled') === 'true'");
  click("Take back");
  expect("one('#status').textContent.includes('needs the right') && one('dialog') === null");
}

BOOST_AUTO_TEST_SUITE_END()
