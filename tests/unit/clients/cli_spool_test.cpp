// `put --spool` and the `spool` commands on a real folder: what is saved, shown, sent again and deleted. There is no
// daemon; held rows and those set aside are written as a forwarder writes them.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "clients/programs/fastjournal/row_parser.h"
#include "clients/spool/core/folder_tools.h"
#include "clients/spool/core/posix_folder.h"
#include "clients/spool/core/record.h"
#include "clients/spool/core/spool.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/clients/run_line.h"

using namespace fastjournal;
using namespace fastjournal::cli;
using namespace fastjournal::test;

namespace {

Said run(std::vector<std::string> words, std::string const& input = {}) {
  Said said = test::run_line("unix:/nowhere", std::move(words), input);
  BOOST_TEST_MESSAGE(said.out + said.err);
  return said;
}

std::string text_of(Param const& param) {
  switch (param.value.kind) {
    case Value::Kind::integer: return "i" + std::to_string(param.value.integer);
    case Value::Kind::unsigned_integer: return "u" + std::to_string(param.value.unsigned_integer);
    case Value::Kind::binary: return "b" + std::string{param.value.bytes};
    default: return std::string{param.value.bytes};
  }
}

struct CliSpoolFixture {
  [[nodiscard]] std::string file(std::string const& name) const { return (temporary.path() / name).string(); }
  void save(std::string_view table, std::string_view id) const {
    auto producer = std::move(spool::Spool::open({.folder = folder}).value());
    Message row = spool::Spool::row_of(table);
    row.set("id", id);
    BOOST_REQUIRE(producer->save(row).ok());
  }
  // As a forwarder: it has the folder until the next call.
  void forward() {
    std::filesystem::create_directory(folder);
    forwarder = std::move(spool::PosixFolder::open(folder).value());
  }
  void leave() { forwarder.reset(); }
  [[nodiscard]] std::string record(std::string const& table, std::string_view id, spool::Seed seed) const {
    Message row = spool::Spool::row_of(table);
    row.set("id", id);
    row.set_integer("insertion_date", 1'700'000'000'000);
    std::string out;
    BOOST_REQUIRE(spool::append_record("INSERT", row.params(), seed, out).ok());
    return out;
  }
  void hold(std::string const& table, std::string_view id) {
    spool::Seed const seed = forwarder->held_seed(table).value();
    BOOST_REQUIRE(forwarder->hold(table, record(table, id, seed)).ok());
  }
  void set_aside(std::string const& table, std::string_view id) {
    std::string const body = record(table, id, {}).substr(spool::kRecordHeadBytes);
    BOOST_REQUIRE(forwarder
                      ->set_aside(table, {.code = "bad_parameter",
                                          .reason = "column id: too long",
                                          .date_ms = 1'700'000'000'123,
                                          .client = "c",
                                          .sequence = 1,
                                          .row = body})
                      .ok());
  }
  void write_status(std::string const& text) const { std::ofstream{folder + "/forwarder/status.json"} << text; }
  // "where table: name=value|..." of each row.
  [[nodiscard]] std::vector<std::string> rows() const {
    std::vector<std::string> out;
    Status const listed = spool::list_rows(folder, {}, [&out](spool::RowInFolder const& row) {
      std::string text = std::to_string(static_cast<int>(row.where)) + " " + std::string{row.table} + ": ";
      for (Param const& param : row.row->params())
        if (param.name != "table") text += std::string{param.name} + "=" + text_of(param) + "|";
      out.push_back(text);
      return true;
    });
    BOOST_REQUIRE(listed.ok());
    return out;
  }

  test::TemporaryFolder temporary;
  std::string folder{file("rows")};
  std::unique_ptr<spool::PosixFolder> forwarder;
};

std::int64_t now_ms() {
  auto const now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

// The number behind "name=i" in a line of CliSpoolFixture::rows().
std::int64_t number_in(std::string const& line, std::string const& name) {
  std::size_t const at = line.find(name + "=i");
  BOOST_REQUIRE_MESSAGE(at != std::string::npos, line);
  return std::stoll(line.substr(at + name.size() + 2));
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(cli_spool, CliSpoolFixture)

BOOST_AUTO_TEST_CASE(a_row_is_saved_without_a_daemon_and_its_dates_count_from_now) {
  std::int64_t const before = now_ms();
  Said const said = run({"put", "pages", "--spool", folder, "id=a", "size=4", "--priority", "7", "--at", "+10s"});
  BOOST_TEST((said.code == ExitCode::ok));
  BOOST_TEST(said.out == "saved in " + folder + ", on the disk\n");
  BOOST_REQUIRE(rows().size() == 1U);
  std::string const row = rows().front();
  BOOST_TEST(row.starts_with("0 pages: priority="), row);
  BOOST_TEST(says(row, "|id=a|size=4|"), row);
  std::int64_t const date = number_in(row, "process_date");
  BOOST_TEST(date >= before + 10'000);
  BOOST_TEST(date <= now_ms() + 10'000);
  BOOST_TEST(number_in(row, "insertion_date") >= before);
  BOOST_TEST(run({"put", "pages", "--spool", folder, "id=b", "--sync", "none"}).out ==
             "saved in " + folder + "; not synced: a power cut may lose it\n");
  BOOST_TEST(run({"put", "pages", "--spool", folder, "id=c", "--json"}).out ==
             "{\"table\":\"pages\",\"folder\":\"" + folder + "\",\"saved\":1,\"synced\":true}\n");
  BOOST_TEST(rows().size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_row_that_expires_before_it_is_due_is_not_saved) {
  Said const said = run({"put", "pages", "--spool", folder, "id=a", "--at", "+10s", "--expires", "+5s"});
  BOOST_TEST((said.code == ExitCode::refused));
  BOOST_TEST(says(said.err, "expiration_date is "), said.err);
  BOOST_TEST(says(said.err, ", and the row is due at "), said.err);
  BOOST_TEST(says(said.err, ": it would never be handed out"), said.err);
  BOOST_TEST(
      (run({"put", "pages", "--spool", folder, "id=a", "--at", "+5s", "--expires", "+5s"}).code == ExitCode::refused));
  BOOST_TEST(rows().empty());
  BOOST_TEST(
      (run({"put", "pages", "--spool", folder, "id=a", "--at", "+5s", "--expires", "+10s"}).code == ExitCode::ok));
  // Of many, it alone.
  Said const many =
      run({"put", "pages", "--spool", folder, "--from", "-", "--refused", file("refused"), "--at", "+10s"},
          "{\"id\":\"b\",\"expiration_date\":1000000000000}\n{\"id\":\"c\"}\n");
  BOOST_TEST((many.code == ExitCode::refused));
  BOOST_TEST(says(many.out, "1 saved in " + folder + ", on the disk, 1 refused"), many.out);
}

BOOST_AUTO_TEST_CASE(what_any_daemon_would_refuse_is_not_saved) {
  Said const text = run({"put", "pages", "--spool", folder, "id=base64:AAH/"});
  BOOST_TEST((text.code == ExitCode::usage));
  BOOST_TEST(says(text.err, "--declared names its file"), text.err);
  BOOST_TEST((run({"put", "pages", "--spool", folder, "id=a", "process_date=soon"}).code == ExitCode::usage));
  BOOST_TEST((run({"put", "pages", "--spool", folder, "id=a", "priority=256"}).code == ExitCode::usage));
  BOOST_TEST((run({"put", "pages", "--spool", folder, "id=a", "sequence=256"}).code == ExitCode::usage));
  BOOST_TEST((run({"put", "pages", "--spool", file("no/such"), "id=a"}).code == ExitCode::refused));
  BOOST_TEST(rows().empty());
  for (std::vector<std::string> const& more :
       {std::vector<std::string>{"--client", "c", "--sequence", "1"}, {"--from", "-", "--resume", "f"}}) {
    std::vector<std::string> words{"put", "pages", "--spool", folder};
    words.insert(words.end(), more.begin(), more.end());
    BOOST_TEST((parse_arguments(words).exit_code == ExitCode::usage));
  }
}

BOOST_AUTO_TEST_CASE(rows_of_a_declared_table_are_checked_and_its_buffers_decoded) {
  std::ofstream{file("pages.xml")} << "<table name=\"pages\" model=\"journal\">\n<schema>\n"
                                      "<column name=\"id\" type=\"string\" max-length=\"20\"/>\n"
                                      "<column name=\"data\" type=\"buffer\"/>\n</schema>\n</table>\n";
  auto const put = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"put", "pages", "--spool", folder, "--declared", file("pages.xml")});
    return run(words);
  };
  BOOST_TEST((put({"id=base64:AAH/", "data=base64:AAH/"}).code == ExitCode::ok));
  BOOST_TEST((put({"id=b", "data=x"}).code == ExitCode::ok));
  BOOST_REQUIRE(rows().size() == 2U);
  BOOST_TEST(says(rows()[0], std::string{"id=base64:AAH/|data=b\0\1\xff|", 25}), rows()[0]);
  BOOST_TEST(says(rows()[1], "id=b|data=bx|"));
  Said const unknown = put({"colour=red"});
  BOOST_TEST((unknown.code == ExitCode::refused));
  BOOST_TEST(says(unknown.err, "unknown_parameter"), unknown.err);
  BOOST_TEST((put({"data=base64:AA"}).code == ExitCode::usage));
  BOOST_TEST((put({"id=" + std::string(21, 'x')}).code == ExitCode::refused));
  Said const other = run({"put", "jobs", "--spool", folder, "--declared", file("pages.xml"), "id=a"});
  BOOST_TEST((other.code == ExitCode::usage));
  BOOST_TEST(says(other.err, "declares the table pages, not jobs"), other.err);
  BOOST_TEST((run({"put", "pages", "--spool", folder, "--declared", file("none"), "id=a"}).code == ExitCode::usage));
  BOOST_TEST(rows().size() == 2U);
}

BOOST_AUTO_TEST_CASE(rows_of_a_file_are_saved_and_those_that_are_none_set_aside) {
  Said const said = run({"put", "pages", "--spool", folder, "--from", "-", "--refused", file("refused")},
                        "id,priority,process_date\na,,\nb,300,\nc,3,+1h\nd,,,\n");
  BOOST_TEST((said.code == ExitCode::refused));
  BOOST_TEST(said.out == "2 saved in " + folder + ", on the disk, 2 refused (" + file("refused") +
                             ", why: " + file("refused.reasons") + ")\n");
  BOOST_TEST(says(said.err, "line 3: bad_parameter: priority is \"300\": expected a whole number from 0 to 255"),
             said.err);
  BOOST_REQUIRE(rows().size() == 2U);
  BOOST_TEST(rows()[1].starts_with("0 pages: id=c|priority=i3|"), rows()[1]);
  std::ifstream refused(file("refused"));
  BOOST_TEST(std::string(std::istreambuf_iterator<char>(refused), {}) == "id,priority,process_date\nb,300,\nd,,,\n");
  BOOST_TEST(run({"put", "pages", "--spool", folder, "--from", "-", "--json"}, "id=x\n").out ==
             "{\"table\":\"pages\",\"folder\":\"" + folder + "\",\"saved\":1,\"refused\":0,\"synced\":true}\n");
}

BOOST_AUTO_TEST_CASE(status_is_well_until_somebody_must_do_something) {
  BOOST_TEST((run({"spool", "status", folder}).code == ExitCode::usage));
  forward();
  leave();
  Said const empty = run({"spool", "status", folder});
  BOOST_TEST((empty.code == ExitCode::ok));
  BOOST_TEST(empty.out == "forwarder  none runs\nwaiting    0 rows, 0 bytes in 0 files\n");
  save("pages", "a");
  Said const waits = run({"spool", "status", folder});
  BOOST_TEST((waits.code == ExitCode::alerts));
  BOOST_TEST(says(waits.out, "waiting    1 row, "), waits.out);
  BOOST_TEST(says(waits.out, " in 1 file; the oldest is "), waits.out);
  BOOST_TEST(says(waits.out, "Rows wait and no forwarder runs: start fastjournal-client"), waits.out);
  forward();
  Said const runs = run({"spool", "status", folder});
  BOOST_TEST((runs.code == ExitCode::ok));
  BOOST_TEST(says(runs.out, "forwarder  runs (process " + std::to_string(::getpid()) + ")\n"), runs.out);
  write_status(
      "{\"process\":" + std::to_string(::getpid()) +
      R"(,"since":1700000000000,"servers":[{"address":"127.0.0.1:4050","state":"away","problem":"no route"},7],)"
      R"("problem":{"code":"io_error","message":"disk"},"held":"?"})");
  Said const problem = run({"spool", "status", folder});
  BOOST_TEST((problem.code == ExitCode::alerts));
  BOOST_TEST(says(problem.out, "server     127.0.0.1:4050: away: no route\n"), problem.out);
  BOOST_TEST(says(problem.out, "problem    io_error: disk\n"), problem.out);
  // Of a forwarder that ran before.
  write_status(R"({"process":1,"problem":{"message":"old"}})");
  BOOST_TEST((run({"spool", "status", folder}).code == ExitCode::ok));
  write_status("no JSON");
  BOOST_TEST((run({"spool", "status", folder}).code == ExitCode::ok));
}

BOOST_AUTO_TEST_CASE(a_file_whose_beginning_is_damaged_is_told_at_once) {
  save("pages", "a");
  for (auto const& entry : std::filesystem::directory_iterator{folder})
    if (entry.path().extension() == ".rows") {
      std::fstream file{entry.path(), std::ios::binary | std::ios::in | std::ios::out};
      file.write("#", 1);
    }
  Said const said = run({"spool", "status", folder});
  BOOST_TEST(says(said.out, "waiting    0 rows"), said.out);
  BOOST_TEST(says(said.out, "damaged    "), said.out);
}

BOOST_AUTO_TEST_CASE(status_tells_held_tables_and_rows_set_aside_with_the_reason) {
  forward();
  hold("events", "h");
  set_aside("pages", "x\ny");
  set_aside("pages", "z");
  write_status("{\"process\":" + std::to_string(::getpid()) +
               R"(,"figures":{"sent":5},"held":[{"table":"events","code":"unknown_table","message":"no table events",)"
               R"("next_try":1800000000000},{"table":"gone"}]})");
  Said const said = run({"spool", "status", folder});
  BOOST_TEST((said.code == ExitCode::alerts));
  BOOST_TEST(says(said.out,
                  " old; next try 2027-01-15T08:00:00.000Z\n"
                  "set aside  pages: 2 rows, the first because of bad_parameter: column id: too long\n"),
             said.out);
  // An age belongs to the rows that it is of.
  BOOST_TEST(says(said.out, "waiting    0 rows, 0 bytes in 0 files\n"), said.out);
  BOOST_TEST(says(said.out, "held       events: 1 row: unknown_table: no table events; the oldest is "), said.out);
  BOOST_TEST(says(said.out, "`fastjournal spool resend " + folder + " TABLE`"), said.out);
  Said const json = run({"spool", "status", folder, "--json"});
  BOOST_TEST((json.code == ExitCode::alerts));
  for (char const* const part :
       {R"("well":false,"forwarder":{"running":true,"process":)", R"("figures":{"sent":5})",
        R"("waiting":{"rows":0,"bytes":0,"files":0},"oldest_date":1700000000000,"held":[{"table":"events","rows":1,)",
        R"("code":"unknown_table","message":"no table events","next_try":1800000000000,"oldest_date":1700000000000}])",
        R"("aside":[{"table":"pages","rows":2,)"})
    BOOST_TEST(says(json.out, part), part << " in " << json.out);
}

BOOST_AUTO_TEST_CASE(each_thing_that_somebody_must_do_is_an_exit_code_of_its_own) {
  forward();
  BOOST_TEST((run({"spool", "status", folder}).code == ExitCode::ok));
  set_aside("pages", "a");
  BOOST_TEST((run({"spool", "status", folder}).code == ExitCode::alerts));
  BOOST_TEST((run({"spool", "purge", folder, "pages", "--yes"}).code == ExitCode::ok));
  BOOST_TEST((run({"spool", "status", folder}).code == ExitCode::ok));
  hold("events", "h");
  BOOST_TEST((run({"spool", "status", folder}).code == ExitCode::alerts));
}

BOOST_AUTO_TEST_CASE(rows_are_listed_by_their_kind_and_what_is_listed_can_be_put) {
  save("pages", "w");
  forward();
  hold("events", "h");
  set_aside("pages", "a");
  std::string const all = run({"spool", "list", folder}).out;
  for (char const* const part : {"waiting", "held", "aside", "column id: too long", "2023-11-14T22:13:20.123Z"})
    BOOST_TEST(says(all, part), all);
  BOOST_TEST(says(run({"spool", "list", folder, "--held", "--aside", "--count", "1"}).err, "there are more"));
  BOOST_TEST(says(run({"spool", "list", folder, "--waiting", "--table", "events"}).err, "there are no such rows"));
  std::string const aside = run({"spool", "list", folder, "--aside", "--json"}).out;
  BOOST_TEST(aside == R"({"where":"aside","table":"pages","date":1700000000123,"code":"bad_parameter",)"
                      R"("reason":"column id: too long","row":{"id":"a","insertion_date":1700000000000}})"
                      "\n");
  Message insert;
  RowParser parser{RowFormat::json};
  BOOST_TEST(parser.parse(R"({"id":"a","insertion_date":1700000000000})", insert).ok());
}

BOOST_AUTO_TEST_CASE(rows_set_aside_are_sent_again_or_deleted_and_only_after_a_yes) {
  forward();
  set_aside("pages", "a");
  set_aside("pages", "b");
  set_aside("events", "c");
  leave();
  Said const dry = run({"spool", "purge", folder, "pages", "--dry-run"});
  BOOST_TEST(dry.out == "2 rows of pages would be deleted\n");
  Said const no = run({"spool", "purge", folder, "--all"}, "n\n");
  BOOST_TEST((no.code == ExitCode::nothing));
  BOOST_TEST(says(no.err, "delete these rows? They cannot be had again. [y/N] nothing was deleted"), no.err);
  BOOST_TEST((run({"spool", "purge", folder, "pages"}, "").code == ExitCode::nothing));
  BOOST_TEST(rows().size() == 3U);
  BOOST_TEST(run({"spool", "purge", folder, "pages"}, "y\n").out == "2 rows of pages are deleted\n");
  BOOST_TEST(rows().size() == 1U);
  Said const resent = run({"spool", "resend", folder, "--all"});
  BOOST_TEST((resent.code == ExitCode::ok));
  BOOST_TEST(resent.out == "1 row of events is sent again\n");
  BOOST_TEST(says(resent.err, "no forwarder runs: they wait until one does"), resent.err);
  BOOST_REQUIRE(rows().size() == 1U);
  BOOST_TEST(rows().front().starts_with("0 events: id=c|"), rows().front());
  Said const none = run({"spool", "resend", folder, "events"});
  BOOST_TEST((none.code == ExitCode::nothing));
  BOOST_TEST(says(none.err, "no rows of events are set aside"), none.err);
  BOOST_TEST((run({"spool", "purge", folder, "--all", "--yes"}).code == ExitCode::nothing));
  for (std::vector<std::string> const& words :
       {std::vector<std::string>{"spool", "purge", folder}, {"spool", "resend", folder, "pages", "--all"}, {"spool"}})
    BOOST_TEST((parse_arguments(words).exit_code == ExitCode::usage));
}

BOOST_AUTO_TEST_SUITE_END()
