// The page in a real browser, served by the real daemon: what it shows and does, with a mouse, a keyboard, or a reader of
// the screen; that it is refused what its visitor may not do; that names in rows stay text; that it outlives the daemon.
#include <boost/test/unit_test.hpp>

#include <fstream>
#include <set>

#include "tests/page/visit.h"

namespace {

using namespace fastjournal::test;

constexpr std::string_view kPlaces[] = {"#/",
                                        "#/t/jobs",
                                        "#/t/jobs/due",
                                        "#/t/jobs/domains",
                                        "#/t/jobs/workers",
                                        "#/t/jobs/schedules",
                                        "#/t/jobs/groups",
                                        "#/t/jobs/history",
                                        "#/t/jobs/trend",
                                        "#/t/values",
                                        "#/t/values/figures",
                                        "#/t/images",
                                        "#/t/images/figures",
                                        "#/t/post",
                                        "#/t/post/queue/orders",
                                        "#/t/post/exchanges",
                                        "#/t/post/consumers",
                                        "#/t/docs",
                                        "#/t/docs/documents",
                                        "#/t/docs/figures",
                                        "#/t/jobs/figures",
                                        "#/alerts",
                                        "#/daemon"};

bool is_debian() {
  std::ifstream file{"/etc/os-release"};
  for (std::string line; std::getline(file, line);)
    if (line == "ID=debian") return true;
  return false;
}

}  // namespace

// Without one the cases below are left out.
BOOST_AUTO_TEST_CASE(debian_has_the_browser_of_these_tests) {
  BOOST_TEST((!is_debian() || !chromium().empty()), "install the package chromium (./mk deps page)");
}

BOOST_FIXTURE_TEST_SUITE(page, Visit, *boost::unit_test::precondition(has_browser))

BOOST_AUTO_TEST_CASE(every_view_loads_without_an_error_or_a_breach_of_its_policy) {
  insert("jobs", "a", "payload=acme");
  visit();
  expect("cell('jobs', 'Due') === '1'");
  for (std::string_view const place : kPlaces) {
    go(place);
    expect("location.hash === '" + std::string{place} + "' && one('main h1') && !words().includes('Loading')");
  }
  expect("all('.figures tbody tr').length > 20");
  expect_no_complaints();
}

BOOST_AUTO_TEST_CASE(an_insert_of_somebody_else_is_seen) {
  visit();
  expect("cell('jobs', 'Due') === '0'");
  std::string const row = insert("jobs", "a", "payload=acme");
  expect("cell('jobs', 'Due') === '1' && tile('Due') === '1'");
  expect("all('.timeline dd')[0].textContent === '1'");
  go("#/t/jobs");
  expect("all('.rows tbody tr').length === 1");
  insert("jobs", "b", "payload=acme");
  expect("all('.rows tbody tr').length === 2");
  // One row: its state, and its end.
  go("#/t/jobs/row/" + row);
  expect("one('.why').textContent.startsWith('It is due since')");
  std::string const leased = ask("NEXT table=jobs;worker=w1");
  expect("one('.why').textContent.includes('w1 has had it')");
  ask("DONE table=jobs;row=" + row + ";epoch=" + fact(leased, "epoch"));
  expect("one('.why').textContent.startsWith('It is not here any more')");
  go("#/");
  insert("jobs", "c", "process_date=+30000");
  expect("Number(one('.chart .sum').textContent) === 1 && all('.bars')[0].querySelectorAll('rect').length === 1");
}

BOOST_AUTO_TEST_CASE(a_table_is_paused_drained_and_resumed_after_a_confirmation) {
  insert("jobs", "a");
  visit("#/t/jobs");
  click("Pause");
  expect("one('dialog').textContent.includes('no row of this table is handed out, 1 row that is due included')");
  page.type("broken <printer>");
  // Closed without it, nothing happens.
  page.press("Escape");
  expect("one('dialog') === null");
  BOOST_TEST(fact(ask("STATS table=jobs"), "paused") == "0");
  click("Pause");
  page.type("broken <printer>");
  confirm("Pause jobs");
  expect("one('h1 .badge').textContent === 'paused' && words().includes('broken <printer>')");
  BOOST_TEST(fact(ask("STATS table=jobs"), "paused") == "1");
  click("Resume");
  expect("one('dialog').textContent.includes('1 row is due now')");
  confirm("Resume jobs");
  expect("one('h1 .badge').textContent === 'open'");
  click("Drain");
  expect("one('dialog').textContent.includes('inserts into this table are refused')");
  confirm("Drain jobs");
  expect("one('h1 .badge').textContent === 'drains'");
  BOOST_TEST(fact(ask("STATS table=jobs"), "draining") == "1");
  expect_no_complaints();
}

BOOST_AUTO_TEST_CASE(rows_are_inserted_kicked_and_deleted_after_a_confirmation) {
  visit("#/t/jobs");
  click("Insert");
  page.type("from the page");
  page.evaluate(
      "one('dialog summary').click(); all('dialog input').find((node) => node.placeholder === 'now').focus()");
  page.type("+1h");
  confirm("Insert");
  expect("all('.rows tbody tr').length === 1 && one('.rows tbody').textContent.includes('from the page')");
  BOOST_TEST(ask("PEEK table=jobs;name=from the page").find("status=waiting") != std::string::npos);
  page.evaluate("one('.rows tbody a').click()");
  click("Kick");
  expect("one('dialog').textContent.includes('due now instead of at its date')");
  page.evaluate("one('dialog [type=submit]').click()");
  expect("one('.row-view h2 .badge').textContent === 'due'");
  click("Delete");
  expect("one('dialog').textContent.includes('cannot be undone')");
  // The button that does it is not the one that Enter presses.
  page.press("Enter");
  expect("one('dialog') === null");
  BOOST_TEST(fact(ask("STATS table=jobs"), "rows") == "1");
  click("Delete");
  page.evaluate("one('dialog [type=submit]').click()");
  expect("one('.row-view h2 .badge').textContent === 'gone'");
  BOOST_TEST(fact(ask("STATS table=jobs"), "rows") == "0");
  // The browser notes that the row which the page looked for is gone.
  for (std::string const& complaint : page.take_complaints())
    BOOST_TEST(complaint.find("404") != std::string::npos, complaint);
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_an_insert_is_said_and_the_form_stays) {
  visit("#/t/jobs");
  click("Insert");
  confirm("Insert");
  expect("shown('dialog .error') && one('dialog .error').textContent.startsWith('Refused: ')");
  page.type("now with a name");
  confirm("Insert");
  expect("all('.rows tbody tr').length === 1");
}

BOOST_AUTO_TEST_CASE(pairs_are_found_stored_changed_and_deleted) {
  for (int i = 0; i < 150; ++i) ask("SET table=values;key=site:" + std::to_string(100 + i) + ";value=v");
  ask("SET table=values;key=count;type=integer;value=41;ttl=3600000");
  visit();
  expect(
      "all('.tables tbody')[1].textContent.includes('values') && all('.tables tbody')[1].textContent.includes('151')");
  go("#/t/values");
  expect("all('.pairs tbody tr').length === 100 && tile('Pairs') === '151'");
  page.evaluate("all('.pager a').find((node) => node.textContent === 'Next 100').click()");
  expect("all('.pairs tbody tr').length === 51");
  go("#/t/values?prefix=cou");
  expect("all('.pairs tbody tr').length === 1 && one('.pairs tbody').textContent.includes('integer41in ')");
  click("count");
  expect("one('dialog pre').textContent === '41' && one('dialog .facts').textContent.includes('3,600,000 ms')");
  click("Change …");
  expect("one('dialog textarea').value === '41'");
  page.evaluate("one('dialog textarea').value = '42'");
  confirm("Store");
  expect("one('.pairs tbody').textContent.includes('integer42in ')");
  // Somebody else was quicker.
  click("count");
  click("Change …");
  ask("ADD table=values;key=count;by=8");
  page.evaluate("one('dialog textarea').value = '1'");
  confirm("Store");
  expect("one('#status').textContent === 'Nothing was stored: it was changed meanwhile.'");
  expect("one('.pairs tbody').textContent.includes('integer50in ')");
  click("count");
  click("Delete …");
  confirm("Delete");
  expect("all('.empty').some((node) => node.textContent === 'No key fits.' && node.checkVisibility())");
  click("Store …");
  page.evaluate("one('dialog input').value = 'court'");
  page.evaluate("one('dialog textarea').value = 'of law'");
  confirm("Store");
  expect("one('.pairs tbody').textContent.includes('courtstringof law')");
  expect_no_complaints();
}

BOOST_AUTO_TEST_CASE(queues_their_messages_and_exchanges_are_shown) {
  ask("DECLARE table=post;exchange=news;kind=topic");
  ask("BIND table=post;exchange=news;queue=rome;routing_key=italy.#;declare=1");
  ask("DECLARE table=post;queue=orders;dead_letters=failed;max_messages=500");
  for (int i = 0; i < 150; ++i) ask("SEND table=post;queue=orders;body=order <b>" + std::to_string(i) + "</b>");
  ask("SEND table=post;exchange=news;routing_key=italy.rome;body=rain;properties={\"mm\":3}");
  visit();
  expect("all('.tables tbody').some((body) => body.textContent.includes('post') && body.textContent.includes('151'))");
  go("#/t/post");
  expect("tile('Messages') === '151' && tile('Queues') === '3'");
  expect("all('.queues tbody tr').map((row) => row.cells[0].textContent.trim()).join() === 'failed,orders,rome'");
  expect("all('.queues tbody tr')[1].textContent.includes('150150') && words().includes('500 messages')");
  go("#/t/post/exchanges");
  expect("words().includes('italy.#') && one('.badge[data-state=topic]') !== null");
  // The link of a queue leads to its messages.
  go("#/t/post");
  expect("all('.queues a').some((node) => node.textContent === 'orders')");
  page.evaluate("all('.queues a').find((node) => node.textContent === 'orders').click()");
  expect("all('.messages tbody tr').length === 100 && one('h2').textContent.startsWith('orders')");
  click("Next 100");
  expect("all('.messages tbody tr').length === 50");
  // One message, with the reason why it is where it is; its body stays text.
  page.evaluate("one('.messages tbody button').click()");
  expect("shown('dialog') && one('dialog').textContent.includes('messages are before it on queue orders')");
  expect("one('dialog pre').textContent.startsWith('order <b>1') && one('dialog pre b') === null");
  page.press("Escape");
  expect("one('dialog') === null");
  go("#/t/post/queue/orders?status=acquired");
  expect("words().includes('There is no such message.')");
  LineClient consumer{local()};
  std::string const taken = consumer.ask("ACQUIRE table=post;queue=orders;worker=cook-7");
  expect("all('.messages tbody tr').length === 1 && one('.messages').textContent.includes('cook-7')");
  go("#/t/post/consumers");
  expect("words().includes('cook-7') && words().includes(" + fact(taken, "message") + ")");
  go("#/t/post/queue/none");
  expect("words().includes('There is no queue of this name.')");
  go("#/t/post/queue/rome");
  expect("all('.messages tbody tr').length === 1");
  page.evaluate("one('.messages tbody button').click()");
  expect("one('dialog pre').textContent === 'rain' && one('dialog').textContent.includes('{\"mm\":3}')");
}

BOOST_AUTO_TEST_CASE(bytes_of_a_message_are_shown_as_what_they_are) {
  ask("SEND table=post;queue=orders;body_binary=/wD/");
  ask("SEND table=post;queue=failed;body=" + std::string(65'535, 'x') + "\xc3\xa4\xc3\xa4");
  visit("#/t/post/queue/orders");
  expect("all('.messages tbody tr').length === 1");
  page.evaluate("one('.messages tbody button').click()");
  expect("one('dialog pre').textContent.startsWith('000000  ff 00 ff')");
  page.press("Escape");
  go("#/t/post/queue/failed");
  expect("words().includes('65,539')");
  page.evaluate("one('.messages tbody button').click()");
  // Cut within a character, which is left out; of a long text the beginning first.
  click("Show all 65,535 characters");
  expect("one('dialog pre').textContent === 'x'.repeat(65535) && words().includes('The first 64.0 KiB of 64.0 KiB')");
  expect_no_complaints();
}

BOOST_AUTO_TEST_CASE(dead_letters_are_moved_back_and_messages_dropped_after_a_count) {
  ask("DECLARE table=post;queue=orders;dead_letters=failed");
  LineClient consumer{local()};
  for (int i = 0; i < 3; ++i) {
    ask("SEND table=post;queue=orders;body=one");
    std::string const taken = consumer.ask("ACQUIRE table=post;queue=orders");
    ask("REJECT table=post;message=" + fact(taken, "message") + ";epoch=" + fact(taken, "epoch") + ";error=no oven");
  }
  visit("#/t/post/queue/failed");
  expect("all('.messages tbody tr').length === 3 && one('.messages').textContent.includes('no oven')");
  click("Move");
  // To where they died, unless an operator says otherwise.
  expect("one('dialog input').value === 'orders' && one('dialog').textContent.includes('3 messages now')");
  page.evaluate("one('dialog input').value = 'nowhere'; one('dialog input').dispatchEvent(new Event('input'))");
  expect("one('dialog .error').textContent.includes('nowhere') && one('dialog [type=submit]').disabled");
  page.evaluate("one('dialog input').value = ''; one('dialog input').dispatchEvent(new Event('input'))");
  expect("one('dialog .error').hidden");
  BOOST_TEST(fact(ask("QUEUES table=post;queue=failed"), "messages") == "3");
  confirm("Move 3 messages");
  expect("one('#status').textContent === '3 messages were moved.' && words().includes('There is no such message.')");
  BOOST_TEST(fact(ask("QUEUES table=post;queue=orders"), "due") == "3");
  // More than one command changes.
  for (int i = 0; i < 1100; ++i) consumer.ask("SEND table=post;queue=orders;body=one");
  go("#/t/post/queue/orders");
  click("Drop");
  expect("one('dialog').textContent.includes('More than 1,000 messages now')");
  confirm("Drop all, more than 1,000 messages");
  expect("one('#status').textContent === '1,103 messages were dropped.'");
  BOOST_TEST(fact(ask("QUEUES table=post;queue=orders"), "messages") == "0");
  click("Drop");
  expect("one('dialog').textContent.includes('There is no such message now') && one('dialog [type=submit]').disabled");
  // The browser notes that a queue was not there.
  for (std::string const& complaint : page.take_complaints())
    BOOST_TEST(complaint.find("404") != std::string::npos, complaint);
}

BOOST_AUTO_TEST_CASE(parked_messages_are_made_due_again_and_a_message_is_sent) {
  visit("#/t/post/queue/orders");
  click("Send");
  page.type("four pizzas");
  page.evaluate("all('dialog textarea')[1].value = '{\"table\":7}'");
  confirm("Send");
  expect("all('.messages tbody tr').length === 1");
  LineClient consumer{local()};
  std::string taken = consumer.ask("ACQUIRE table=post;queue=orders");
  BOOST_TEST(taken.find("body=four pizzas") != std::string::npos, taken);
  // One that a consumer has is taken back.
  expect("one('.badge[data-state=acquired]') !== null");
  page.evaluate("one('.messages tbody button').click()");
  click("Take back …");
  confirm("Take back");
  expect("one('.badge[data-state=due]') !== null");
  BOOST_TEST(
      fact(consumer.ask("ACCEPT table=post;message=" + fact(taken, "message") + ";epoch=" + fact(taken, "epoch")),
           "code") == "not_leased");
  taken = consumer.ask("ACQUIRE table=post;queue=orders");
  ask("REJECT table=post;message=" + fact(taken, "message") + ";epoch=" + fact(taken, "epoch"));
  expect("one('.badge[data-state=parked]') !== null && tile('Parked') === '1'");
  click("Move");
  expect("one('dialog input').value === 'orders' && one('dialog select').value === 'parked'");
  confirm("Move 1 message");
  expect("one('.badge[data-state=due]') !== null");
  // Who has no right to it is told why.
  open(read_only_url(), "#/t/post/queue/orders");
  expect("button('Move')?.getAttribute('aria-disabled') === 'true' && all('.messages tbody tr').length === 1");
  click("Drop");
  expect("one('#status').textContent.includes('This needs the right manage') && one('dialog') === null");
  expect_no_complaints();
}

BOOST_AUTO_TEST_CASE(a_queue_is_paused_and_its_messages_are_parked_kicked_and_deleted) {
  auto const in_dialog = [&](std::string const& label) {
    std::string const found =
        "[...one('dialog').querySelectorAll('button')].find((node) => node.textContent === '" + label + "')";
    expect("one('dialog') !== null && " + found);
    page.evaluate(found + ".click()");
  };
  LineClient consumer{local()};
  visit("#/t/post/queue/orders");
  click("Send");
  page.type("first");
  page.evaluate("all('dialog input').at(-1).value = 'soon'");
  confirm("Send");
  expect("one('dialog .error').textContent.includes('lease: expected 90s, 5m, 2h or 1d')");
  page.evaluate("all('dialog input').at(-1).value = '5m'");
  confirm("Send");
  expect("all('.messages tbody tr').length === 1");
  std::string const number = fact(consumer.ask("BROWSE table=post;queue=orders"), "message");
  BOOST_TEST(fact(consumer.ask("READ table=post;message=" + number), "lease") == "300000");
  ask("SEND table=post;queue=orders;body=later;process_date=+3600000");
  click("Pause");
  page.type("tomorrow");
  confirm("Pause");
  expect("one('dialog .error').textContent.includes('until: expected +90s, +5m, +2h, +1d, or a date')");
  page.evaluate("all('dialog input')[0].value = '+1h'; all('dialog input')[1].value = 'inventory'");
  confirm("Pause");
  expect("one('#status').textContent.startsWith('orders is paused until ')");
  expect("one('h2 .badge[data-state=paused]') !== null && words().includes(': inventory')");
  BOOST_TEST(consumer.ask("ACQUIRE table=post;queue=orders").starts_with("NOTHING"));
  click("Resume");
  confirm("Resume");
  expect("one('h2 .badge[data-state=paused]') === null && button('Pause')");
  // What would be handed out next.
  click("First due");
  expect("one('dialog pre')?.textContent === 'first'");
  in_dialog("Park …");
  page.type("who ordered this?");
  confirm("Park");
  expect("tile('Parked') === '1' && one('.messages').textContent.includes('who ordered this?')");
  click("Kick");
  expect("one('dialog').textContent.includes('1 parked message')");
  confirm("Kick");
  expect("one('#status').textContent === '1 message is back at work.' && tile('Due') === '1'");
  // One that a consumer has, who is refused then.
  std::string const taken = consumer.ask("ACQUIRE table=post;queue=orders");
  expect("one('.badge[data-state=acquired]') !== null");
  page.evaluate("one('.messages tbody button').click()");
  in_dialog("Park …");
  expect("one('dialog').textContent.includes('Its consumer is refused')");
  confirm("Park");
  expect("tile('Parked') === '1' && tile('Acquired') === '0'");
  BOOST_TEST(fact(consumer.ask("ACCEPT table=post;message=" + number + ";epoch=" + fact(taken, "epoch")), "code") ==
             "not_leased");
  go("#/t/post/queue/orders?status=parked");
  click("First parked");
  in_dialog("Delete …");
  confirm("Delete");
  expect("one('#status').textContent.endsWith('is deleted.') && words().includes('There is no such message.')");
  click("First parked");
  expect("one('#status').textContent === 'No message of orders is parked.'");
  // None is parked: what waits for its date.
  click("Kick");
  expect("one('dialog').textContent.includes('1 message before its date')");
  confirm("Kick");
  expect("tile('Due') === '1'");
  click("Kick");
  expect("one('dialog [type=submit]').disabled");
  open(read_only_url(), "#/t/post/queue/orders");
  expect("button('Pause')?.getAttribute('aria-disabled') === 'true' && button('First due')");
  expect_no_complaints();
}

BOOST_AUTO_TEST_CASE(many_rows_are_counted_before_they_are_changed) {
  park("x-1");
  park("x-2");
  park("y-1");
  insert("jobs", "z", "process_date=+60000");
  visit("#/t/jobs?status=parked&prefix=x-");
  expect("all('.rows tbody tr').length === 2");
  click("Kick all of these");
  expect("one('dialog').textContent.includes('2 rows match now')");
  confirm("Kick 2 rows");
  expect("one('#status').textContent === '2 rows were kicked.'");
  BOOST_TEST(fact(ask("STATS table=jobs"), "rows_due") == "2");
  go("#/t/jobs?prefix=x-");
  click("Delete all of these");
  confirm("Delete 2 rows");
  expect("words().includes('No row matches this filter.')");
  BOOST_TEST(fact(ask("STATS table=jobs"), "rows") == "2");
  // Nothing matches: nothing to confirm.
  click("Delete all of these");
  expect("one('dialog').textContent.includes('No row matches now') && one('dialog [type=submit]').disabled");
}

BOOST_AUTO_TEST_CASE(an_alert_is_lowered_after_a_confirmation) {
  park("a");
  visit("#/alerts");
  expect("one('.alerts li') && one('#alert-count').textContent === '1' && words().includes('disk full on node 7')");
  click("Lower");
  confirm("Lower");
  expect("words().includes('No alert is up.') && !shown('#alert-count')");
  BOOST_TEST(ask("ALERTS") == "ALERTS count=0;");
}

BOOST_AUTO_TEST_CASE(what_is_in_doubt_is_shown_and_ended_after_a_confirmation) {
  for (char const* xid : {"1:aa:01", "1:aa:02"}) {
    LineClient manager{local()};
    std::string const branch = std::string{"xid="} + xid;
    for (std::string const& line : {"XA_START " + branch, std::string{"INSERT table=jobs;name="} + xid,
                                    "XA_END " + branch, "XA_PREPARE " + branch})
      BOOST_TEST(!manager.ask(line).starts_with("ERROR"), line);
  }
  open(administrators_url(), "#/daemon");
  expect("words().includes('1:aa:01') && words().includes('1:aa:02') && words().includes('prepared')");
  click("Commit …");
  confirm("Commit");
  expect(
      "words().includes('committed') && all('main button').filter((node) => node.textContent === 'Commit …').length "
      "=== 1");
  click("Roll back …");
  confirm("Roll back");
  expect("words().includes('rolled_back') && !button('Commit …')");
  BOOST_TEST(ask("PEEK table=jobs;name=1:aa:01").starts_with("ROW "));
  BOOST_TEST(ask("PEEK table=jobs;name=1:aa:02").starts_with("ERROR "));
  click("Forget …");
  confirm("Forget");
  expect("all('main button').filter((node) => node.textContent === 'Forget …').length === 1");
  // A visitor who may change nothing has none.
  open(read_only_url(), "#/daemon");
  expect("words().includes('read on all tables') && !words().includes('Distributed transactions')");
  expect_no_complaints();
}

BOOST_AUTO_TEST_CASE(a_visitor_without_a_right_is_told_why_and_nothing_happens) {
  std::string const row = insert("jobs", "a");
  open(read_only_url(), "#/t/jobs");
  for (char const* action : {"Insert", "Pause", "Drain", "Kick all"}) {
    expect("button('" + std::string{action} + "')?.getAttribute('aria-disabled') === 'true'");
    click(action);
    expect("one('#status').textContent.includes('needs the right')");
    BOOST_TEST(page.evaluate("one('dialog') === null") == true);
  }
  go("#/t/jobs/row/" + row);
  expect("button('Delete')?.getAttribute('aria-disabled') === 'true' && button('Delete').title.includes('manage')");
  expect_no_complaints();
}

BOOST_AUTO_TEST_CASE(a_token_is_asked_for_used_and_kept_nowhere) {
  insert("jobs", "a");
  insert("mail", "b");
  open(closed_url());
  expect("shown('#banner') && one('#banner').textContent.includes('right')");
  click("Give a token");
  page.type(token());
  confirm("Use this token");
  // anna may see one table, and add to it.
  expect("cell('jobs', 'Due') === '1' && !shown('#banner') && one('#access').textContent === 'anna'");
  BOOST_TEST(page.evaluate("cell('mail', 'Due') === undefined") == true);
  go("#/t/jobs");
  expect(
      "button('Pause')?.getAttribute('aria-disabled') === 'true' && button('Insert')?.getAttribute('aria-disabled') "
      "=== null");
  go("#/daemon");
  expect("words().includes('You are anna')");
  BOOST_TEST(page.evaluate("sessionStorage.length + localStorage.length + document.cookie.length") == 0);
  BOOST_TEST(page.evaluate("location.href.includes('fj_') || document.documentElement.outerHTML.includes('" + token() +
                           "')") == false);
  // Kept if the visitor wants it, and forgotten when he says so.
  page.evaluate("one('#access').click()");
  page.type(token());
  page.evaluate("one('dialog [type=checkbox]').click()");
  confirm("Use this token");
  expect("Object.values(sessionStorage).includes('" + token() + "')");
  page.evaluate("one('#access').click()");
  click("Forget the token");
  expect("shown('#banner') && sessionStorage.length === 0");
}

BOOST_AUTO_TEST_CASE(a_hundred_thousand_rows_are_shown_in_pages) {
  fill("jobs", "row", 100'000);
  visit("#/t/jobs");
  expect("tile('Rows') === '100,000' && all('.rows tbody tr').length === 100");
  std::string const first = page.text("one('.rows tbody a').textContent");
  page.evaluate("all('.pager a').find((node) => node.textContent.startsWith('Next')).click()");
  expect("one('.rows tbody a').textContent !== '" + first + "' && all('.rows tbody tr').length === 100");
  page.evaluate("history.back()");
  expect("one('.rows tbody a').textContent === '" + first + "'");
  // One row of all: found behind the 10,000 that one LIST looks at.
  go("#/t/jobs?prefix=row-99999");
  expect("all('.rows tbody tr').length === 1 && one('.rows tbody').textContent.includes('row-99999')");
  go("#/t/jobs?prefix=row-");
  click("Delete all of these");
  expect("one('dialog').textContent.includes('100,000 rows match now')");
  page.press("Escape");
  go("#/t/jobs/due");
  expect("all('.chart .sum')[2].textContent === '100,000' || all('.timeline dd')[1].textContent === '100,000'");
  BOOST_TEST(page.evaluate("all('*').length < 3000") == true);
  expect_no_complaints();
}

BOOST_AUTO_TEST_CASE(without_the_daemon_it_says_since_when_and_comes_back_by_itself) {
  insert("jobs", "a");
  visit();
  expect("cell('jobs', 'Due') === '1'");
  stop(SIGKILL);
  expect("shown('#banner') && one('#banner').textContent.includes('has not answered since')");
  BOOST_TEST(page.evaluate("cell('jobs', 'Due')") == "1");  // from then
  start();
  insert("jobs", "b");
  expect("!shown('#banner') && cell('jobs', 'Due') === '2' && one('#connection-text').textContent === 'live'");
  for (std::string const& complaint : page.take_complaints()) BOOST_TEST(complaint.starts_with("network: "), complaint);
}

BOOST_AUTO_TEST_CASE(the_keyboard_alone_reaches_a_row_and_its_actions) {
  insert("jobs", "a");
  visit();
  expect("cell('jobs', 'Due') === '1'");
  auto const tab_to = [&](std::string const& condition) {
    for (int presses = 0; presses < 60; ++presses) {
      page.press("Tab");
      if (page.evaluate("(() => { const node = document.activeElement; return " + condition + "; })()") == true)
        return true;
    }
    return false;
  };
  // The way past the head of the page comes first.
  page.press("Tab");
  BOOST_TEST(page.text("document.activeElement.textContent") == "Skip to the content");
  BOOST_REQUIRE(tab_to("node.matches('.tables a') && node.textContent === 'jobs'"));
  page.press("Enter");
  expect("all('.rows tbody tr').length === 1 && document.activeElement.matches('h1')");
  BOOST_REQUIRE(tab_to("node.matches('.rows tbody a')"));
  page.press("Enter");
  expect("shown('.why') && button('Delete')");
  BOOST_REQUIRE(tab_to("node.textContent === 'Delete …'"));
  page.press("Enter");
  expect("one('dialog') && document.activeElement.textContent === 'Cancel'");
  page.press("Escape");
  expect("one('dialog') === null && document.activeElement.textContent === 'Delete …'");
}

BOOST_AUTO_TEST_CASE(a_reader_of_the_screen_finds_a_name_for_each_control) {
  std::set<std::string> const controls{
      "button", "link",   "textbox", "searchbox",  "combobox", "checkbox",          "spinbutton",
      "table",  "dialog", "region",  "navigation", "image",    "DisclosureTriangle"};
  std::string const row = park("a");
  visit();
  expect("cell('jobs', 'Parked') === '1' && all('.bars').length === 3");
  auto const check = [&](std::string_view where) {
    std::set<std::string> found;
    for (auto const& [role, name] : page.accessible()) {
      found.insert(role);
      if (controls.contains(role) && role != "table")
        BOOST_TEST(!name.empty(), where << ": a " << role << " without a name");
    }
    BOOST_TEST((found.contains("main") && found.contains("navigation") && found.contains("heading")), where);
  };
  check("overview");
  for (std::string_view const place : kPlaces) {
    go(place);
    expect("!words().includes('Loading')");
    check(place);
  }
  go("#/t/jobs/row/" + row);
  expect("shown('.why') && button('Delete')");
  check("a row");
  click("Insert");
  expect("one('dialog')");
  std::set<std::string> roles;
  for (auto const& [role, name] : page.accessible()) {
    roles.insert(role);
    if (controls.contains(role)) BOOST_TEST(!name.empty(), "in a dialog: a " << role << " without a name");
  }
  BOOST_TEST(roles.contains("dialog"));
}

BOOST_AUTO_TEST_CASE(names_and_data_that_look_like_elements_stay_text) {
  std::string const name = R"(<img src=x onerror="window.hit=1"><script>window.hit=1</script>)";
  std::string const row = insert("jobs", name, "payload=<b>acme</b><svg onload=hit=1>");
  ask("PAUSE table=jobs;reason=<img src=x onerror=hit=1>;worker=<i>me</i>");
  visit("#/t/jobs");
  expect("one('.rows tbody').textContent.includes('<img src=x') && words().includes('<i>me</i>')");
  go("#/t/jobs/domains");
  expect("words().includes('<b>acme</b>')");
  go("#/t/jobs/row/" + row);
  expect("one('.data-list').textContent.includes('<script>window.hit=1')");
  go("#/t/%3Cimg%20src=x%20onerror=hit=1%3E");
  expect("one('h1').textContent.includes('<img')");
  BOOST_TEST(page.evaluate("window.hit === undefined && document.images.length === 0 && all('main script, main b, main "
                           "i').length === 0") == true);
  expect_no_complaints();
}

BOOST_AUTO_TEST_CASE(no_width_from_a_telephone_to_a_wall_scrolls_sideways) {
  std::string const row = insert("jobs", std::string(200, 'n'), "payload=" + std::string(900, 'p'));
  park(std::string(300, 'w'));
  visit();
  for (int const width : {360, 768, 1280, 2560}) {
    page.resize(width, 900);
    std::vector<std::string> places{kPlaces, std::end(kPlaces)};
    places.push_back("#/t/jobs/row/" + row);
    for (std::string const& place : places) {
      go(place);
      expect("location.hash === '" + place + "' && one('main h1') && !words().includes('Loading')");
      BOOST_TEST(page.evaluate("document.documentElement.scrollWidth <= innerWidth") == true, place << " at " << width);
    }
    click("Delete");
    expect("one('dialog')");
    BOOST_TEST(page.evaluate("one('dialog').getBoundingClientRect().right <= innerWidth && one('dialog').scrollWidth "
                             "<= one('dialog').clientWidth") == true,
               "the dialog at " << width);
    page.press("Escape");
    expect("one('dialog') === null");
  }
}

BOOST_AUTO_TEST_CASE(text_has_the_contrast_of_wcag_aa_in_both_schemes) {
  // In the page: the ratio of each text to the ground that it stands on.
  std::string const contrast = R"((() => {
    const parts = (color) => { const found = color.match(/[\d.]+/g).map(Number); return found.length > 3 ? found : [...found, 1]; };
    const light = ([r, g, b]) => { const [x, y, z] = [r, g, b].map((one) => one / 255).map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4)); return 0.2126 * x + 0.7152 * y + 0.0722 * z; };
    const ground = (node) => { for (let at = node; at; at = at.parentElement) { const color = parts(getComputedStyle(at).backgroundColor); if (color[3] > 0.99) return color; } return [255, 255, 255, 1]; };
    const low = [];
    for (const node of all('body *')) {
      if (!node.checkVisibility() || node.closest('svg, .hidden-text, :disabled') || ![...node.childNodes].some((one) => one.nodeType === 3 && one.data.trim() !== '')) continue;
      const [one, other] = [light(parts(getComputedStyle(node).color)), light(ground(node))];
      const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
      if (ratio < 4.5) low.push(node.tagName + '.' + node.className + ' ' + ratio.toFixed(2) + ' ' + node.textContent.slice(0, 30));
    }
    return low.join('\n');
  })())";
  std::string const row = park("a");
  insert("jobs", "b");
  ask("PAUSE table=mail");
  visit();
  for (std::string_view const scheme : {"light", "dark"}) {
    page.prefer(scheme);
    std::vector<std::string> places{kPlaces, std::end(kPlaces)};
    places.push_back("#/t/jobs/row/" + row);
    for (std::string const& place : places) {
      go(place);
      expect("location.hash === '" + place + "' && one('main h1') && !words().includes('Loading')");
      std::string const low = page.text(contrast);
      BOOST_TEST(low.empty(), scheme << " " << place << ": " << low);
    }
    click("Delete");
    expect("one('dialog')");
    std::string const low = page.text(contrast);
    BOOST_TEST(low.empty(), scheme << " dialog: " << low);
    page.press("Escape");
  }
}

BOOST_AUTO_TEST_SUITE_END()
