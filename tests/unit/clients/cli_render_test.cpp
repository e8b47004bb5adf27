// How answers are printed for people and for programs.
#include <boost/test/unit_test.hpp>

#include <stdlib.h>
#include <time.h>

#include <initializer_list>
#include <optional>
#include <sstream>
#include <tuple>
#include <utility>

#include "clients/programs/fastjournal/dates.h"
#include "clients/programs/fastjournal/render.h"
#include "clients/programs/fastjournal/utf8.h"
#include "clients/programs/fastjournal/values.h"

using namespace fastjournal;
using namespace fastjournal::cli;

namespace {

std::vector<Message> rows() {
  std::vector<Message> out(2);
  for (Message& row : out) {
    row.command = "ROW";
    row.set("table", "pages");
    row.set_integer("left", 0);
    row.set_integer("request", 4);
  }
  out[0].set_integer("priority", 7);
  out[0].set("uri", "gr\xc3\xbc\xc3\x9f");
  out[0].set_integer("row", 8);
  out[0].set_integer("process_date", 1'795'262'401'250);
  out[1].set("note", "x\ny\x1b[31m");
  out[1].set_integer("row", 1234);
  out[1].set("uri", "a");
  out[1].set_integer("priority", 128);
  out[1].set_integer("process_date", 0);
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cli_render)

BOOST_AUTO_TEST_CASE(tables_are_aligned_and_ordered_for_the_eye) {
  BOOST_TEST(render_table(rows(), {}, "table") ==
             " row  uri   note          priority  process_date\n"
             "   8  gr\xc3\xbc\xc3\x9f                       7  2026-11-21T12:00:01.250Z\n"
             "1234  a     x\\ny\\x1b[31m       128  -\n");
  BOOST_TEST(render_table(rows(), {}).starts_with("table   row  uri"));
  BOOST_TEST(render_table({}, {}) == "");
}

BOOST_AUTO_TEST_CASE(on_a_terminal_lines_fit_and_the_head_is_bold) {
  std::vector<Message> wide(1);
  wide[0].set("uri", "abcdefghijabcdefghijabcdefghijabcdefghij");
  wide[0].set("b", "short");
  BOOST_TEST(render_table(wide, {.json = false, .terminal = true, .width = 20}) ==
             "\x1b[1muri\x1b[0m\n"
             "abcdefghijabcdefghi\xe2\x80\xa6\n"
             "no room for b:\n--json has them, a\nwider terminal too\n");
  // The key comes first and stays whole; others are cut, dates are whole or not there.
  std::vector<Message> row(1);
  row[0].set_integer("row", 7);
  row[0].set("uri", "http://example.com/a/long/path");
  row[0].set("title", "A title that has many words");
  row[0].set_integer("process_date", 1'700'000'000'000);
  row[0].set_integer("insertion_date", 1'700'000'000'000);
  BOOST_TEST(render_table(row, {.json = false, .terminal = true, .width = 80}) ==
             "\x1b[1muri                             row  title              process_date\x1b[0m\n"
             "http://example.com/a/long/path    7  A title that has\xe2\x80\xa6  2023-11-14T22:13:20.000Z\n"
             "no room for insertion_date: --json has them, a wider terminal too\n");
  BOOST_TEST(render_table(wide, {}) ==
             "uri                                       b\nabcdefghijabcdefghijabcdefghijabcdefghij  short\n");
}

BOOST_AUTO_TEST_CASE(bytes_do_not_reach_the_terminal) {
  std::vector<Message> one(1);
  one[0].set("data", Value::of_binary("abc"));
  one[0].set("broken", "\xff\xff");
  one[0].set("c1",
             "a\xc2\x9b"
             "b");
  BOOST_TEST(render_sheet(one[0]) == "data    (3 bytes)\nbroken  \\xff\\xff\nc1      a?b\n");
}

BOOST_AUTO_TEST_CASE(one_bad_byte_hides_nothing_else) {
  std::vector<Message> alert(1);
  alert[0].set("message", "row caf\xe9 was parked");
  BOOST_TEST(render_sheet(alert[0]) == "message  row caf\\xe9 was parked\n");
}

BOOST_AUTO_TEST_CASE(wide_characters_take_two_columns) {
  std::vector<Message> rows(2);
  rows[0].set("uri", "\xe6\x97\xa5\xe6\x9c\xac");
  rows[0].set("b", "x");
  rows[1].set("uri", "abcdef");
  rows[1].set("b", "y");
  BOOST_TEST(render_table(rows, {}) == "uri     b\n\xe6\x97\xa5\xe6\x9c\xac    x\nabcdef  y\n");
  rows[1].set("uri", "\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5");
  BOOST_TEST(render_table(rows, {.json = false, .terminal = true, .width = 9}) ==
             "\x1b[1muri\x1b[0m\n\xe6\x97\xa5\xe6\x9c\xac\n"
             "\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5\xe6\x9c\xac\xe2\x80\xa6\n"
             "no room\nfor b:\n--json\nhas them,\na wider\nterminal\ntoo\n");
}

BOOST_AUTO_TEST_CASE(json_keeps_kinds_and_drops_what_steers) {
  Message row("ROW");
  row.set("uri", "a\"b\n");
  row.set_integer("row", -8);
  row.set("epoch", Value::of_unsigned(UINT64_MAX));
  row.set("weight", Value::of_real(0.5));
  row.set("ok", Value::of_boolean(true));
  row.set("data", Value::of_binary(std::string_view("\x00\xff", 2)));
  row.set("broken", "\xff");
  row.set_integer("request", 1);
  row.set_integer("left", 0);
  row.set("after", "x");
  BOOST_TEST(render_json(row) ==
             "{\"uri\":\"a\\\"b\\n\",\"row\":-8,\"epoch\":18446744073709551615,\"weight\":0.5,\"ok\":true,\"data\":"
             "\"base64:AP8=\",\"broken\":\"\xef\xbf\xbd\"}\n");
  // Binary values that are UTF-8 are shown as text, unless they look like encoded ones.
  Message texts("ROW");
  texts.set("a", Value::of_binary("gr\xc3\xbc\xc3\x9f"));
  texts.set("b", Value::of_binary("base64:"));
  texts.set("c", Value::of_text("base64:"));
  BOOST_TEST(render_json(texts) == "{\"a\":\"gr\xc3\xbc\xc3\x9f\",\"b\":\"base64:YmFzZTY0Og==\",\"c\":\"base64:\"}\n");
  Message wake("LISTEN");
  BOOST_TEST(render_json(wake, true) == "{\"command\":\"LISTEN\"}\n");
}

BOOST_AUTO_TEST_CASE(dates_are_in_the_zone_of_who_looks_with_its_offset_and_are_read_back) {
  // The zone of this process, for the length of this test.
  char const* const before = std::getenv("TZ");
  std::optional<std::string> const kept = before == nullptr ? std::nullopt : std::optional<std::string>{before};
  auto const be_in = [](std::optional<std::string> const& zone) {
    static_cast<void>(zone ? ::setenv("TZ", zone->c_str(), 1) : ::unsetenv("TZ"));
    ::tzset();
  };
  constexpr std::int64_t kNoon = 1'795'262'400'250;
  Look const here{.utc = false};
  be_in("East-05:30");
  BOOST_TEST(date_text(kNoon, here) == "2026-11-21T17:30:00.250+05:30");
  BOOST_TEST(date_text(kNoon, {}) == "2026-11-21T12:00:00.250Z");
  BOOST_TEST(parse_date(date_text(kNoon, here))->ms == kNoon);
  BOOST_TEST(with_dates("due since 2026-11-21T12:00:00.250Z (5 min), 2026-11-2", here) ==
             "due since 2026-11-21T17:30:00.250+05:30 (5 min), 2026-11-2");
  Message row("ROW");
  row.set_integer("process_date", kNoon);
  BOOST_TEST(render_sheet(row, here) == "process_date  2026-11-21T17:30:00.250+05:30\n");
  BOOST_TEST(render_table(std::span{&row, 1}, here) == "process_date\n2026-11-21T17:30:00+05:30\n");
  // A column of the table's own may have such a name.
  Message other("ROW");
  other.set("date", "the Friday before the feast");
  BOOST_TEST(render_table(std::span{&other, 1}, here) == "date\nthe Friday before the feast\n");
  be_in("West03");
  BOOST_TEST(date_text(kNoon, here) == "2026-11-21T09:00:00.250-03:00");
  be_in("UTC0");
  BOOST_TEST(date_text(kNoon, here) == "2026-11-21T12:00:00.250Z");
  be_in(kept);
}

// Each list keeps what its lines are about, and no part of a date, however narrow the terminal.
BOOST_AUTO_TEST_CASE(a_narrow_list_keeps_what_it_is_about) {
  std::string const about(40, 'x');
  for (auto const& [command, important, others] :
       std::initializer_list<std::tuple<std::string_view, std::string_view, std::vector<std::string_view>>>{
           {"TABLE", "name", {"type", "persistent", "log", "key", "columns"}},
           {"ROW", "name", {"payload", "worker", "status", "error"}},
           {"ALERT", "name", {"table", "message", "priority", "tags", "count"}},
           {"WAITER", "worker", {"connection", "mode", "topic", "peer", "user", "since"}},
           {"QUEUE", "queue", {"messages", "declared", "dead_letters", "when_full"}},
           {"NODE", "node", {"log", "address", "role", "behind", "differs"}},
           {"DESTINATION", "destination", {"guarantee", "mode", "reason", "processing"}},
           {"DOCUMENT", "uri", {"document", "source", "hash", "change", "token"}},
           {"EVENT", "what", {"event", "date", "document", "hash", "worker"}},
           {"BRANCH", "xid", {"state", "origin", "transaction", "ops", "tables"}}}) {
    Message line(command);
    if (command == "ROW") line.set_integer("row", 7);
    if (command == "ROW") line.set(important, about);
    for (std::string_view const other : others) line.set(other, "another rather long value");
    line.set(important, about);
    line.set("since", "2026-11-21T13:00:00.250+01:00");
    std::string const shown = render_table(std::span{&line, 1}, {.terminal = true, .width = 80});
    BOOST_TEST(shown.find("\n" + std::string{about} + " ") != std::string::npos, shown);
    BOOST_TEST((shown.find("2026") == std::string::npos || shown.find("+01:00") != std::string::npos), shown);
    std::istringstream lines{shown};
    for (std::string one; std::getline(lines, one);)
      BOOST_TEST(display_width(one) <= 80 + (one.starts_with("\x1b") ? std::string_view{"\x1b[1m\x1b[0m"}.size() : 0),
                 shown);
  }
}

// What few read makes room for the rest.
BOOST_AUTO_TEST_CASE(hashes_and_second_names_are_left_out_first) {
  std::string const states{"index=sent publish=in_doubt"};
  Message document("DOCUMENT");
  document.set_integer("document", 94'264);
  document.set("source", "pages");
  document.set("uri", "reports/2026/november.html");
  document.set("hash", "be573118fb47cf582ef3a1a12238c2e5");
  document.set("states", std::string_view{states});
  std::string const shown = render_table(std::span{&document, 1}, {.terminal = true, .width = 80});
  BOOST_TEST(shown.find(states) != std::string::npos, shown);
  BOOST_TEST(shown.find("no room for hash: --json has them, a wider terminal too\n") != std::string::npos, shown);
  BOOST_TEST(render_table(std::span{&document, 1}, {.terminal = true, .width = 130})
                 .find("be573118fb47cf582ef3a1a12238c2e5") != std::string::npos);
  // An alert has a name, by which it is lowered, and says something.
  Message alert("ALERT");
  alert.set("table", "mail");
  alert.set("name", "worker-fails");
  alert.set_integer("priority", 70);
  alert.set("message", "30 of the last 30 attempts failed, the last one with: Connection refused by smtp.example");
  alert.set("tags", "rows,failing");
  alert.set("first", "2026-11-21T13:00:00.250+01:00");
  std::string const said = render_table(std::span{&alert, 1}, {.terminal = true, .width = 80});
  BOOST_TEST(said.find("worker-fails") != std::string::npos, said);
  BOOST_TEST(said.find("30 of the last 30 attempts failed, the last one with: Co") != std::string::npos, said);
  // Of what is about a hash it stays.
  Message blob("BLOB");
  blob.set("hash", "ad5daa88cd5a102fe87dd621");
  blob.set("content_hash", "be573118fb47cf582ef3a1a12238c2e5");
  blob.set("name", "a rather long name of something");
  std::string const blobs = render_table(std::span{&blob, 1}, {.terminal = true, .width = 60});
  BOOST_TEST(blobs.find("ad5daa88cd5a102fe87dd621") != std::string::npos, blobs);
  BOOST_TEST(blobs.find("something") != std::string::npos, blobs);
}

BOOST_AUTO_TEST_CASE(dates_of_all_types_are_dates) {
  for (std::string_view const name : {"sent_date", "first_date", "prepared_date", "decided_date"}) {
    Message line("LINE");
    line.set_integer(name, 1'795'262'401'250);
    std::string const shown = render_table(std::span{&line, 1}, {});
    BOOST_TEST(shown.find("2026-11-21T12:00:01.250Z") != std::string::npos, shown);
  }
}

BOOST_AUTO_TEST_CASE(what_is_watched_is_one_line_each) {
  Message wake("LISTEN");
  wake.set("table", "pages");
  wake.set_integer("date", 1'795'262'401'250);
  BOOST_TEST(render_line(wake) == "LISTEN table=pages date=2026-11-21T12:00:01.250Z\n");
}

BOOST_AUTO_TEST_CASE(a_trace_keeps_its_lines_on_a_sheet) {
  Message row;
  row.command = "ROW";
  row.set("error", "no");
  row.set("error_trace", "at a\n\x1b[1m  at b\n");
  BOOST_TEST(render_sheet(row) == "error        no\nerror_trace\n    at a\n    \\x1b[1m  at b\n");
}

// U+009B begins a command to a terminal, U+202E turns what follows around; U+00E9 is shown.
BOOST_AUTO_TEST_CASE(nothing_that_steers_a_terminal_reaches_it) {
  Message row;
  row.command = "ROW";
  row.set("uri", "a\xc2\x9b\x31m\xe2\x80\xae\xc3\xa9");
  BOOST_TEST(printable(row.text("uri")) == "a?1m?\xc3\xa9");
  BOOST_TEST(render_json(row) == "{\"uri\":\"a\\u009b1m\\u202e\xc3\xa9\"}\n");
}

BOOST_AUTO_TEST_SUITE_END()
