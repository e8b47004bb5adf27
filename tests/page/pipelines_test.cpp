// Pipeline tables on the page: the plan as a drawing with counts, destinations, documents, and what people do with them.
#include <boost/test/unit_test.hpp>

#include <string>

#include "tests/page/visit.h"
#include "tests/page/worker.h"

namespace {

using namespace fastjournal::test;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(page_of_pipelines, Visit, *boost::unit_test::precondition(has_browser))

BOOST_AUTO_TEST_CASE(a_plan_is_drawn_with_counts_on_its_edges) {
  Worker worker{local()};
  std::string const a = worker.found("pages", "/a");
  worker.deliver(a, "index");
  worker.fail(worker.found("pages", "/b"), "publish", "no room");
  worker.found("pages", "/c");
  worker.deliver(worker.found("mails", "/a"), "index");
  visit("#/t/docs");
  expect("all('.plan .box').length === 6 && tile('Documents') === '4' && words().includes('Plan catalog, version 1')");
  // In the order of the plan's file: what leaves a source is of that source alone.
  page.evaluate("void (window.edge = (at) => all('.plan .way')[at].querySelector('title').textContent)");
  expect("all('.plan .way').length === 5 && edge(0) === '1 arrived, 4 under way, 1 failed, 0 in doubt'");
  expect("edge(1) === '1 arrived, 1 under way, 0 failed, 0 in doubt'");
  expect("edge(2) === '2 arrived, 2 under way, 0 failed, 0 in doubt'");
  expect("edge(3) === '0 arrived, 3 under way, 1 failed, 0 in doubt' && edge(4) === edge(3)");
  // What is 0 is not there, and what failed stands out.
  expect("all('.plan .way')[2].querySelector('.numbers').textContent.endsWith('✓ 2 → 2')");
  expect("all('.plan .way').map((one) => one.classList.contains('failing')).join() === 'true,false,false,true,true'");
  expect("one('.plan').textContent.includes('router: duplicate-all')");
  // It goes on by itself.
  worker.deliver(a, "publish");
  expect("edge(4) === '1 arrived, 2 under way, 1 failed, 0 in doubt'");
  expect("all('.plan .output')[1].textContent.includes('✓ 1 → 2 ! 1')");
  // The same as tables.
  page.evaluate("one('.plan').closest('section').querySelector('summary').click()");
  expect(
      "all('.edges tbody tr').map((row) => [...row.cells].map((one) => one.textContent).join(' ')).includes("
      "'pages extract 2 3 1 0')");
  expect("all('.destinations tbody tr')[1].textContent.startsWith('publishopenat-most-once1210')");
  // Where it is narrow, the drawing scrolls within its box.
  page.resize(360, 800);
  expect("one('.plan-box').scrollWidth > one('.plan-box').clientWidth");
  BOOST_TEST(page.evaluate("document.documentElement.scrollWidth <= innerWidth") == true);
  expect_no_complaints();
}

BOOST_AUTO_TEST_CASE(a_destination_is_paused_and_resumed_after_a_confirmation) {
  Worker worker{local()};
  worker.found("pages", "/a");
  visit("#/t/docs");
  expect("all('.destinations tbody tr').length === 2 && !one('.plan .held')");
  page.evaluate("all('.destinations button')[0].click()");
  expect("one('dialog h2').textContent === 'Pause index?'");
  page.type("a <new> index");
  confirm("Pause");
  expect("one('.plan .box.held')?.textContent.includes('paused: a <new> index') && tile('Paused') === '1'");
  // The line to it and to nothing else.
  expect("all('.plan .way').map((one) => one.classList.contains('held')).join() === 'false,false,true,false,false'");
  BOOST_TEST(fact(ask("DESTINATIONS table=docs;destination=index"), "mode") == "shut");
  click("Resume");
  expect("one('dialog').textContent.includes('1 document is under way there')");
  confirm("Resume");
  expect("!one('.plan .held') && tile('Paused') === '0'");
  BOOST_TEST(fact(ask("DESTINATIONS table=docs;destination=index"), "mode") == "open");
  open(read_only_url(), "#/t/docs");
  expect("button('Pause')?.getAttribute('aria-disabled') === 'true'");
  expect_no_complaints();
}

BOOST_AUTO_TEST_CASE(boxes_and_labels_of_a_large_plan_do_not_overlap) {
  visit();
  // A plan as large as they may be: each step behind up to three of those before it.
  std::string const wrong = page.text(R"(import('/plan_layout.js').then(({arrange}) => {
    let state = 7;
    const draw = (below) => (state = (state * 1103515245 + 12345) % 2147483648) % below;
    const nodes = Array.from({length: 256}, (_one, at) => ({name: `n${at}`, width: 90 + draw(120), height: 40 + draw(90)}));
    const edges = nodes.slice(8).flatMap(({name}, at) =>
        [...new Set([draw(at + 8), draw(at + 8), Math.max(0, at + 7 - draw(9))])].map((from) => ({from: `n${from}`, to: name})));
    const {boxes, lines, width, height} = arrange(nodes, edges);
    const all = [...[...boxes.values()].map(({x, y, width: w, height: h}) => [x, y, x + w, y + h]),
                 ...lines.map(({label: {x, y}}) => [x - 50, y - 12, x + 50, y + 2])];
    const out = [];
    all.forEach(([left, top, right, bottom], at) => {
      if (!(left >= 0 && top >= 0 && right <= width && bottom <= height)) out.push(`${at} is outside`);
      for (const [other_left, other_top, other_right, other_bottom] of all.slice(at + 1))
        if (left < other_right && other_left < right && top < other_bottom && other_top < bottom) out.push(`${at} overlaps`);
    });
    for (const {from, to} of edges)
      if (boxes.get(from).x + boxes.get(from).width >= boxes.get(to).x) out.push(`${from} is not left of ${to}`);
    return `${lines.length === edges.length ? '' : 'lines are missing '}${out.slice(0, 5).join(', ')}`;
  }))");
  BOOST_TEST(wrong == "");
  expect_no_complaints();
}

BOOST_AUTO_TEST_CASE(documents_are_found_explained_and_tried_again) {
  {
    Worker lost{local()};
    std::string const b = lost.found("mails", "/b");
    lost.deliver(b, "index");
    lost.say("SENDING", b, "destination=publish");
  }
  Worker worker{local()};
  worker.fail(worker.found("pages", "/<i>a</i>"), "index", "no <b>room</b>");
  visit("#/t/docs/documents");
  expect("all('.documents tbody tr').length === 2 && all('select[name=source] option').length === 3");
  // By its state and its destination, as the address says.
  page.evaluate(
      "one('select[name=status]').value = 'failed'; one('select[name=status]').dispatchEvent(new "
      "Event('change', {bubbles: true}))");
  expect("location.hash.endsWith('status=failed') && all('.documents tbody tr').length === 1");
  page.evaluate("one('.documents tbody button').click()");
  expect("one('dialog').textContent.includes('index: it failed for good (bad: no <b>room</b>): RETRY or DROP it')");
  page.evaluate("one('dialog summary').click()");
  expect("all('.history tr').map((row) => row.cells[1].textContent).join() === 'found,handed out,error doc'");
  expect("one('.history').textContent.includes('no <b>room</b>')");
  BOOST_TEST(page.evaluate("all('dialog i, dialog b').length") == 0);
  page.evaluate("[...one('dialog').querySelectorAll('button')].find((one) => one.textContent === 'Retry …').click()");
  expect("one('dialog').textContent.includes('1 delivery now')");
  // Where it has not failed there is nothing to try again.
  page.evaluate("one('dialog select').value = 'publish'; one('dialog select').dispatchEvent(new Event('change'))");
  expect("one('dialog').textContent.includes('nothing would be changed') && one('dialog [type=submit]').disabled");
  page.evaluate("one('dialog select').value = 'index'; one('dialog select').dispatchEvent(new Event('change'))");
  confirm("Retry 1 delivery");
  expect("words().includes('There is no such document.')");
  BOOST_TEST(fact(ask("DESTINATIONS table=docs;destination=index"), "restart") == "1");
  // What is in doubt is said to have arrived.
  go("#/t/docs/documents?status=in_doubt&destination=publish");
  expect("all('.documents tbody tr').length === 1 && one('.documents tbody').textContent.includes('publish in_doubt')");
  page.evaluate("one('.documents tbody button').click()");
  click("It arrived …");
  confirm("1 delivery arrived");
  expect("words().includes('There is no such document.')");
  BOOST_TEST(fact(ask("DESTINATIONS table=docs;source=mails;destination=publish"), "sent") == "1");
  go("#/t/docs/documents?status=done");
  expect("all('.documents tbody tr').length === 1");
  page.evaluate("one('.documents tbody button').click()");
  click("Forget …");
  confirm("Forget");
  expect("words().includes('There is no such document.') && tile('Documents') === '1'");
  // What a worker has is taken back.
  go("#/t/docs/documents");
  expect("all('.documents tbody tr').length === 1");
  page.evaluate("one('.documents tbody button').click()");
  click("Take back …");
  confirm("Take back");
  expect("one('#status').textContent.startsWith('1 lease of document ')");
  BOOST_TEST(ask("DESTINATIONS table=docs;destination=publish").find("with_workers") == std::string::npos);
  // Who has no right to it is told why.
  open(read_only_url(), "#/t/docs/documents");
  expect("all('.documents tbody tr').length === 1 && button('Retry')?.getAttribute('aria-disabled') === 'true'");
  expect_no_complaints();
}

BOOST_AUTO_TEST_CASE(many_deliveries_are_counted_before_they_are_changed) {
  // More than one command changes.
  Worker worker{local()};
  for (int i = 0; i < 1100; ++i) worker.fail(worker.found("pages", "/" + std::to_string(i)), "index", "no room");
  worker.fail(worker.found("mails", "/m"), "index", "no room");
  visit("#/t/docs/documents?status=failed&source=pages");
  expect("all('.documents tbody tr').length === 100");
  click("Next 100");
  expect("one('.documents tbody button').textContent !== '/0'");
  click("Retry …");
  expect("one('dialog').textContent.includes('1,100 deliveries now') && one('dialog').textContent.includes('pages')");
  BOOST_TEST(fact(ask("DESTINATIONS table=docs;destination=index"), "error_doc") == "1101");
  confirm("Retry 1,100 deliveries");
  expect("one('#status').textContent === '1,100 deliveries are tried again.'");
  BOOST_TEST(fact(ask("DESTINATIONS table=docs;destination=index"), "error_doc") == "1");
  BOOST_TEST(fact(ask("DESTINATIONS table=docs;destination=index;source=pages"), "restart") == "1100");
  // Nothing fits: nothing to confirm.
  click("Drop …");
  expect("one('dialog').textContent.includes('no such delivery now') && one('dialog [type=submit]').disabled");
  expect_no_complaints();
}

BOOST_AUTO_TEST_SUITE_END()
