// What people take from the page at a glance: that a worker fails, how late work is now, when something was, at the sizes
// at which they look; and that a dialog belongs to its view.
#include <boost/test/unit_test.hpp>

#include <string>

#include "tests/page/shop.h"
#include "tests/page/visit.h"

namespace {

using namespace fastjournal::test;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(page_at_a_glance, Visit, *boost::unit_test::precondition(has_browser))

BOOST_AUTO_TEST_CASE(a_dialog_ends_with_the_view_in_which_it_was_opened) {
  insert("jobs", "a");
  ask("SET table=values;key=count;value=41");
  ask("SEND table=post;queue=orders;body=four pizzas");
  ask("FOUND table=docs;source=pages;uri=/a;hash=1");
  struct Case {
    char const* place;
    char const* opens;
  };
  constexpr Case kCases[] = {{"#/t/jobs", "button('Pause')"},
                             {"#/t/values", "button('count')"},
                             {"#/t/post/queue/orders", "one('.messages tbody button')"},
                             {"#/t/docs/documents", "one('.documents tbody button')"},
                             {"#/alerts", "one('#access')"}};
  visit();
  for (auto const& [place, opens] : kCases) {
    std::string const node{opens};
    go(place);
    expect(node);
    page.evaluate(node + ".click()");
    expect("one('dialog')?.open");
    // By the button of the browser, by a bookmark.
    go("#/daemon");
    expect("words().includes('All figures') || words().includes('Log')");
    expect("one('dialog') === null");
    // What was asked for before, and comes when the visitor has gone on, is not opened there.
    go(place);
    expect(node);
    page.evaluate(node + ".click()");
    go("#/t/mail");
    expect("one('h1')?.textContent.startsWith('mail') && words().includes('This table is empty.')");
    BOOST_TEST(page.evaluate("one('dialog') === null") == true, place);
  }
  expect_no_complaints();
}

// How it forgets: tests/unit/engine/last_minute_test.cpp.
BOOST_AUTO_TEST_CASE(late_p99_is_of_the_last_minute) {
  visit();
  expect("cell('jobs', 'Done/s') === '0' && tile('Late p99') === '–'");
  std::string const row = insert("jobs", "a");
  std::string const leased = ask("NEXT table=jobs;worker=w1");
  ask("DONE table=jobs;row=" + row + ";epoch=" + fact(leased, "epoch"));
  expect("/ m?s$/.test(tile('Late p99')) && / m?s$/.test(cell('jobs', 'Late p99'))");
  // Of one that did nothing in the last minute nothing is told.
  BOOST_TEST(page.evaluate("cell('mail', 'Late p99')") == "–");
  go("#/t/jobs");
  expect(
      "/ m?s$/.test(tile('Late p99')) && all('.tile').find((node) => node.firstChild.textContent === 'Late p99')"
      ".title.includes('of the last minute')");
  expect_no_complaints();
}

BOOST_AUTO_TEST_CASE(a_worker_that_always_fails_is_seen_everywhere) {
  visit();
  expect("tile('Failed/s') === '0'");
  page.evaluate(
      "void (window.reds = 0, window.sums = 0, window.watching = setInterval(() => { if (Number(cell('notify', "
      "'Failed/s')) > 0 && Number(tile('Failed/s')) > 0) window.reds += 1; if (Number(tile('Failed/s')) > "
      "Number(cell('notify', 'Failed/s'))) window.sums += 1; }, 50))");
  fail(*this, 30);
  fail_deliveries(*this, 30);
  expect("window.reds > 0 && window.sums > 0");
  expect(
      "all('.tables tbody tr').filter((row) => [...row.querySelectorAll('.badge')].some((node) => "
      "node.checkVisibility() && node.textContent === 'failing')).map((row) => "
      "row.cells[0].firstChild.textContent).sort().join() === 'notify,post'");
  expect("one('#alert-count').textContent === '2' && cell('notify', 'Alerts') === '1'");
  // Nothing was given up.
  expect("cell('notify', 'Parked') === '0'");
  for (char const* const table : {"notify", "post"}) {
    go(std::string{"#/t/"} + table);
    expect(
        "shown('h1 .badge') && one('h1 .badge').textContent === 'failing' && words().includes('Most attempts of the "
        "last "
        "minutes failed')");
  }
  // Why, at the sizes at which people look.
  for (int const width : {768, 1280}) {
    page.resize(width, 900);
    go("#/t/notify");
    expect(
        "all('.rows td.says').filter((node) => node.checkVisibility() && node.textContent.includes('Connection "
        "refused')).length "
        "=== 30");
    expect(
        "all('.rows td.says').every((node) => node.scrollWidth <= node.clientWidth && "
        "node.getBoundingClientRect().right <= one('.rows').closest('.scrolled').getBoundingClientRect().right + 1)");
    go("#/t/post/queue/calls");
    expect(
        "all('.messages td.says').filter((node) => node.checkVisibility() && node.textContent.includes('no "
        "answer')).length > 0");
  }
  go("#/alerts");
  expect("all('.alerts strong').filter((node) => node.textContent === 'failing').length === 2");
  // On a telephone, the number of alerts of each table is on the screen.
  page.resize(360, 800);
  go("#/");
  expect("all('.tables .last').length > 6 && all('.tables tbody tr').length === 7");
  expect("all('.tables .last').every((node) => node.getBoundingClientRect().right <= innerWidth)");
  // Also where the rest is wider than the screen, as with long names.
  page.evaluate("document.querySelectorAll('.tables').forEach((node) => { node.style.fontSize = '180%'; })");
  expect("all('.tables').some((node) => node.scrollWidth > node.closest('.scrolled').clientWidth)");
  expect("all('.tables .last').every((node) => node.getBoundingClientRect().right <= innerWidth)");
  page.evaluate("document.querySelectorAll('.tables').forEach((node) => { node.style.fontSize = ''; })");
  page.resize(1280, 900);
}

BOOST_AUTO_TEST_CASE(dates_of_messages_are_dates) {
  ask("SEND table=post;queue=orders;body=a;process_date=+7200000");
  visit("#/t/post/queue/orders");
  expect("all('.messages tbody tr').length === 1");
  expect(
      "all('.messages td time').length === 2 && all('.messages td time').every((node) => /^\\d{4}-\\d\\d-\\d\\d "
      "\\d\\d:\\d\\d:\\d\\d$/.test(node.textContent))");
  expect("all('.messages td time')[0].title.includes('ago') || all('.messages td time')[0].title.startsWith('now')");
  // So is every figure that is a date.
  BOOST_TEST(
      page.text("import('/figures.js').then(({show}) => show('exported_date', 1795265537236))").starts_with("2026-"));
  expect_no_complaints();
}

BOOST_AUTO_TEST_CASE(a_blob_is_found_by_its_name) {
  ask("PUT table=images;key=cats/tom.jpg;data=bWVvdw==");
  ask("PUT table=images;key=dogs/rex.jpg;data=d29vZiE=");
  visit("#/t/images");
  expect("all('.blobs tbody tr').length === 2 && !words().includes('tom.jpg')");
  page.evaluate("one('input[name=key]').value = 'cats/tom.jpg'");
  click("Find");
  expect("location.hash === '#/t/images?key=cats%2Ftom.jpg' && one('.found h2')?.textContent === 'cats/tom.jpg'");
  expect("one('.found .facts').textContent.includes('4 bytes')");
  // The list has its name from now on.
  expect("all('.blobs tbody th').filter((node) => node.textContent.startsWith('cats/tom.jpg ')).length === 1");
  go("#/t/images?key=cats%2Fnone.jpg");
  expect("words().includes('There is no blob of this name.')");
  go("#/t/images");
  expect("!shown('.found') && all('.blobs tbody th').some((node) => node.textContent.startsWith('cats/tom.jpg '))");
  expect_no_complaints();
}

BOOST_AUTO_TEST_SUITE_END()
