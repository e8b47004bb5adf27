// The forwarder's alerts and reports: pure.
#include "clients/programs/forwarder/alerts.h"

#include <boost/test/unit_test.hpp>

#include "clients/programs/forwarder/report.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::forwarder;

Cause cause(std::string message) { return {"jobs", "row-aside", 60, std::move(message)}; }

}  // namespace

BOOST_AUTO_TEST_SUITE(forwarder_alerts)

BOOST_AUTO_TEST_CASE(an_alert_stands_as_long_as_its_cause) {
  AlertDesk desk;
  std::vector<log::AlertNotice> told = desk.look({cause("a"), cause("the same")}, TimeMs{1'000});
  BOOST_REQUIRE(told.size() == 1U);
  BOOST_TEST(told[0].up);
  BOOST_TEST(told[0].alert.table == "jobs");
  BOOST_TEST(told[0].alert.message == "a");
  BOOST_TEST(told[0].alert.count == 1U);
  BOOST_TEST(desk.look({cause("a")}, TimeMs{100'000}).empty());
  told = desk.look({}, TimeMs{101'000});
  BOOST_REQUIRE(told.size() == 1U);
  BOOST_TEST(!told[0].up);
  BOOST_TEST(desk.look({}, TimeMs{102'000}).empty());
}

BOOST_AUTO_TEST_CASE(another_message_is_told_once_a_minute) {
  AlertDesk desk;
  BOOST_TEST(desk.look({cause("1 row")}, TimeMs{0}).size() == 1U);
  BOOST_TEST(desk.look({cause("2 rows")}, TimeMs{59'999}).empty());
  std::vector<log::AlertNotice> const told = desk.look({cause("3 rows")}, TimeMs{60'000});
  BOOST_REQUIRE(told.size() == 1U);
  BOOST_TEST(told[0].alert.message == "3 rows");
  BOOST_TEST(told[0].alert.count == 2U);
  BOOST_TEST(told[0].alert.first.value == 0);
  BOOST_TEST(told[0].alert.last.value == 60'000);
}

BOOST_AUTO_TEST_CASE(a_message_is_bounded) {
  AlertDesk desk;
  BOOST_TEST(desk.look({cause(std::string(5'000, 'x'))}, TimeMs{0})[0].alert.message.size() ==
             log::kAlertMessageBytesMax);
}

BOOST_AUTO_TEST_CASE(skipped_files_are_told) {
  BOOST_TEST(!cause_of_skipped("/spool", {}));
  Status const first{Code::io_error, "open of /spool/a.rows: Permission denied: its rows wait"};
  BOOST_TEST(cause_of_skipped("/spool", {first})->message ==
             "rows of /spool are not brought over: open of /spool/a.rows: Permission denied: its rows wait");
  Cause const both = *cause_of_skipped("/spool", {first, {Code::io_error, "another"}});
  BOOST_TEST(both.name == "file-skipped");
  BOOST_TEST(both.message.ends_with("its rows wait; 1 more files are skipped as well"));
}

BOOST_AUTO_TEST_CASE(doubtful_files_are_told) {
  BOOST_TEST(!cause_of_doubtful({}));
  Cause const one = *cause_of_doubtful({{Code::damaged, "a.rows was cut"}});
  BOOST_TEST(one.name == "file-doubtful");
  BOOST_TEST(one.message == "a.rows was cut");
  BOOST_TEST(cause_of_doubtful({{Code::damaged, "a"}, {Code::damaged, "b"}})->message == "a; so are 1 more files");
}

BOOST_AUTO_TEST_CASE(two_folders_never_share_a_unit) {
  BOOST_TEST(unit_of("/var/spool/site") == "fastjournal-client-var-spool-site");
  for (std::string const other : {"/var/spool-site", "/var/spool/Site", "/var/spool/site.", "/var/spool/s\xc3\xa4"})
    BOOST_TEST(unit_of(other) != unit_of("/var/spool/site"), other);
  std::string const deep = "/" + std::string(300, 'a');
  BOOST_TEST(unit_of(deep).size() < 130U);
  BOOST_TEST(unit_of(deep) != unit_of(deep + "a"));
  // What the watcher's reader takes.
  for (std::string const folder : {"/", "/--/..", "/A//B", "/\xff"}) {
    std::string const unit = unit_of(folder);
    BOOST_TEST(unit.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos, unit);
    BOOST_TEST(unit.find("--") == std::string::npos, unit);
    BOOST_TEST(!unit.ends_with('-'), unit);
  }
}

BOOST_AUTO_TEST_CASE(a_report_is_json_and_open_metrics) {
  Report report;
  report.process = 7;
  report.date = TimeMs{1'700'000'000'045};
  report.servers = {{"tls:a\"b:1", "away", TimeMs{5}, "no \xff answer\n"}};
  report.figures.confirmed = 12;
  report.figures.damaged_bytes = 3;
  report.held = {{"mail", {Code::unknown_table, "no such table"}, TimeMs{1}, TimeMs{2}}};
  std::string const json = json_of(report);
  for (std::string const part :
       {R"("format":1,"process":7)", R"("confirmed":12)", R"("address":"tls:a\"b:1","state":"away","since":5)",
        R"("held":[{"table":"mail","code":"unknown_table","message":"no such table","next_try":2}])"})
    BOOST_TEST(json.find(part) != std::string::npos, json);
  BOOST_TEST(json.find("\"problem\":{") == std::string::npos);
  std::string const metrics = metrics_of(report, "/a\"b\\");
  for (std::string const part : {"# TYPE fastjournal_spool_confirmed_rows_total counter\n",
                                 "fastjournal_spool_confirmed_rows_total{spool=\"/a\\\"b\\\\\"} 12\n",
                                 "fastjournal_spool_damaged_bytes_total{spool=",
                                 "fastjournal_spool_written_timestamp_seconds{spool=\"/a\\\"b\\\\\"} 1700000000.045\n",
                                 "# TYPE fastjournal_spool_in_flight gauge\n",
                                 "fastjournal_spool_connected{spool=\"/a\\\"b\\\\\",server=\"tls:a\\\"b:1\"} 0\n"})
    BOOST_TEST(metrics.find(part) != std::string::npos, metrics);
  BOOST_TEST(metrics.ends_with(" 0\n"));
}

BOOST_AUTO_TEST_SUITE_END()
