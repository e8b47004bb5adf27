// The typed calls of the C++ library that are made from the declarations, each once against the real daemon and in both
// framings: journals, pipelines and blob tables, and the daemon itself. Those that scripts play are in tests/unit/clients.
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "clients/cpp/blob_table.h"
#include "clients/cpp/daemon.h"
#include "clients/cpp/documents.h"
#include "clients/cpp/journal.h"
#include "tests/integration/shell.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::test;
using client::BlobTable;
using client::Connection;
using client::Document;
using client::Documents;
using client::Framing;
using client::Journal;
using client::Params;
using client::Row;

// The value, or a failure that names the error.
template <typename T>
T of(Result<T> result) {
  BOOST_REQUIRE_MESSAGE(result.ok(), result.status().text());
  return std::move(result).value();
}
void of(Status const& status) { BOOST_REQUIRE_MESSAGE(status.ok(), status.text()); }

struct MadeCallsFixture : ShellFixture {
  MadeCallsFixture() {
    std::filesystem::create_directories(daemon.folder() / "tables/plans");
    daemon.write("tables/plans/docs.xml",
                 "<plan name=\"docs\" version=\"1\"><retry max-attempts=\"1\" first=\"1ms\" jitter=\"0\"/>"
                 "<source name=\"pages\" router=\"duplicate-all\"/>"
                 "<step name=\"index\" after=\"pages\" kind=\"idempotent\" guarantee=\"at-least-once\"/>"
                 "<step name=\"publish\" after=\"pages\" kind=\"potent\"/></plan>\n");
    for (std::string const framing : {"msgpack", "text"}) {
      daemon.write_table("jobs_" + framing, "<domain>payload</domain>");
      daemon.write("tables/docs_" + framing + ".xml",
                   "<table name=\"docs_" + framing + "\" type=\"pipeline\"><plan>plans/docs.xml</plan></table>\n");
      daemon.write("tables/images_" + framing + ".xml", "<table name=\"images_" + framing + "\" type=\"blob\"/>\n");
    }
    bool const ready = daemon.start();
    BOOST_REQUIRE_MESSAGE(ready, daemon.output());
  }

  // `test` gets a connection, and what the names of its tables end with.
  void in_both_framings(void (*test)(Connection& connection, std::string const& framing)) const {
    for (Framing const framing : {Framing::msgpack, Framing::text}) {
      auto const connection = of(Connection::open({.server = daemon.local(), .framing = framing}));
      test(*connection, framing == Framing::msgpack ? "msgpack" : "text");
    }
  }
};

Params named(std::string_view name, std::string_view domain = {}) {
  Params out{{"name", Value::of_text(name)}};
  if (!domain.empty()) out.push_back({"payload", Value::of_text(domain)});
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(made_calls_beside_a_daemon)

BOOST_FIXTURE_TEST_CASE(rows_are_shown_counted_kicked_and_deleted, MadeCallsFixture) {
  in_both_framings([](Connection& connection, std::string const& framing) {
    Journal jobs(connection, "jobs_" + framing);
    client::Date const later = client::Date::in(DurationMs{3'600'000});
    std::vector<std::string> const names{"a1", "a2", "b1", "b2", "b3", "b4"};
    std::vector<std::uint64_t> rows;
    for (std::string const& name : names)
      rows.push_back(of(jobs.put(named(name, name.substr(0, 1)), {.process_date = later})).row);

    std::vector<Row> const shown = of(jobs.peek({.row = rows[0]}));
    BOOST_REQUIRE(shown.size() == 1U);
    BOOST_TEST(shown[0].columns.at("name") == "a1");
    BOOST_TEST(shown[0].status == "waiting");
    BOOST_TEST(of(jobs.peek({.columns = named("a2")})).at(0).row == rows[1]);
    BOOST_TEST((jobs.peek({.columns = named("none")}).status().code() == Code::unknown_row));
    BOOST_TEST(of(jobs.list()).size() == 6U);
    BOOST_TEST(of(jobs.list({.domain = "b", .prefix = "b", .count = 2}, true)).at(1).row == rows[3]);
    BOOST_TEST(of(jobs.count({.status = "waiting", .prefix = "b"})) == 4U);
    BOOST_TEST(of(jobs.count({.count = 5})) == 5U);
    BOOST_TEST(of(jobs.why({.columns = named("b1")})).at(0).state == "waiting");
    std::uint64_t due = 0;
    for (client::DueRows const& one : of(jobs.timeline("b"))) due += one.rows;
    BOOST_TEST(due == 4U);
    std::vector<client::Domain> const domains = of(jobs.domains());
    BOOST_REQUIRE(domains.size() == 2U);
    BOOST_TEST(domains[0].waiting + domains[1].waiting == 6U);

    BOOST_TEST(of(jobs.kick({.row = rows[0]})).value().row == rows[0]);
    BOOST_TEST(of(jobs.kick_matching({.status = "waiting", .prefix = "a"})) == 1U);
    client::Work const work = of(jobs.next({.count = 3}));
    BOOST_REQUIRE(work.rows.size() == 2U);
    of(jobs.done(work.rows[0]));
    BOOST_TEST((of(jobs.fail(work.rows[1], "no")).fate == client::Returned::Fate::parked));
    BOOST_TEST(of(jobs.list({.status = "parked"})).at(0).error == "no");
    of(jobs.erase({.columns = named("b1")}));
    BOOST_TEST(of(jobs.erase_matching({.status = "waiting", .count = 2})) == 2U);
    BOOST_TEST(of(jobs.list({.status = "waiting"})).at(0).row == rows[5]);
    BOOST_TEST(!jobs.erase_matching().ok());

    of(jobs.pause("a test"));
    BOOST_TEST((jobs.next().status().code() == Code::paused));
    BOOST_TEST(of(jobs.resume()) == "paused");
    of(jobs.drain("a test", "someone"));
    BOOST_TEST(!jobs.put(named("late")).ok());
    BOOST_TEST(of(jobs.resume()) == "draining");
  });
}

// More than a page.
BOOST_FIXTURE_TEST_CASE(many_rows_come_page_by_page, MadeCallsFixture) {
  in_both_framings([](Connection& connection, std::string const& framing) {
    Journal jobs(connection, "jobs_" + framing);
    client::Pipeline pipeline(
        connection, 512, [](std::uint64_t, Result<client::Reply> const& reply) { BOOST_TEST_REQUIRE(reply.ok()); });
    for (int at = 0; at < 2'500; ++at) {
      std::string const name = "n" + std::to_string(at);
      of(pipeline.send(jobs.insert_of(named(name, "d" + std::to_string(at)))));
    }
    pipeline.finish();
    BOOST_TEST(of(jobs.list()).size() == 2'500U);
    BOOST_TEST(of(jobs.list({.count = 1'001})).size() == 1'001U);
    BOOST_TEST(of(jobs.count({.prefix = "n1"})) == 1'111U);
    BOOST_TEST(of(jobs.domains()).size() == 2'500U);
    BOOST_TEST(of(jobs.erase_matching({.status = "due"})) == 2'500U);
    BOOST_TEST(of(jobs.list()).empty());
  });
}

BOOST_FIXTURE_TEST_CASE(documents_are_shown_tried_again_and_taken_back, MadeCallsFixture) {
  in_both_framings([](Connection& connection, std::string const& framing) {
    Documents docs(connection, "docs_" + framing);
    Document const found = of(docs.found("pages", "/a", "5e1f"));
    BOOST_TEST(found.is_mine());
    BOOST_TEST(found.connects == connection.connects());
    BOOST_TEST(of(docs.begin(found, "index")).attempt == 1U);
    BOOST_TEST(of(docs.failed(found, "index", "full", {.error = "no room", .permanent = true})) == "error_doc");

    std::vector<Document> const shown = of(docs.documents({.source = "pages"}));
    BOOST_REQUIRE(shown.size() == 1U);
    BOOST_TEST(shown[0].uri == "/a");
    BOOST_TEST(shown[0].states.size() == 2U);
    BOOST_TEST(!shown[0].is_mine());
    BOOST_TEST(of(docs.destinations()).size() == 2U);
    BOOST_TEST(of(docs.destinations({.destination = "index"})).at(0).error_doc == 1U);
    BOOST_TEST(!of(docs.why(found.document)).text.empty());
    std::vector<client::Event> const events = of(docs.history({.document = found.document}));
    BOOST_TEST(events.back().kind == "full");
    BOOST_TEST(of(docs.history({.count = 1})).size() == 1U);
    BOOST_TEST(of(docs.plans()).at(0).newest);
    BOOST_TEST(of(docs.steps()).at(2).step == "publish");

    BOOST_TEST(of(docs.retry({.kind = "full", .dry_run = true})) == 1U);
    BOOST_TEST(of(docs.retry({.kind = "full"})) == 1U);
    BOOST_TEST(of(docs.force({.document = found.document, .destination = "index"})) == 1U);
    BOOST_TEST(of(docs.drop({.destination = "index"})) == 1U);
    BOOST_TEST(of(docs.resolve("sent", {.all = true})) == 0U);
    of(docs.pause("index", "a test"));
    BOOST_TEST(of(docs.destinations({.destination = "index"})).at(0).mode == "shut");
    of(docs.resume("index"));
    BOOST_TEST(of(docs.kick(found.document, "publish")).count == 1U);
    BOOST_TEST((docs.sent(found, "publish").status().code() == Code::stale_epoch));
    std::vector<Document> const again = of(docs.next({.destination = "publish"}));
    BOOST_REQUIRE(again.size() == 1U);
    BOOST_TEST(again[0].connects == connection.connects());
    of(docs.dropped(again[0], "publish", "a draft"));
    BOOST_TEST(of(docs.next()).empty());
  });
}

BOOST_FIXTURE_TEST_CASE(blobs_are_stored_read_listed_and_omitted, MadeCallsFixture) {
  in_both_framings([](Connection& connection, std::string const& framing) {
    BlobTable images(connection, "images_" + framing);
    std::string const bytes{"\x00\xff\n;", 4};
    client::StoredBlob const first = of(images.put("a", "hello"));
    BOOST_TEST(first.result == "stored");
    BOOST_TEST(first.end - first.begin == 5U);
    BOOST_TEST(of(images.put(bytes, bytes)).result == "stored");
    BOOST_TEST(of(images.get(bytes)).value().data == bytes);
    BOOST_TEST(of(images.get("a", {.offset = 1, .length = 3})).value().data == "ell");
    BOOST_TEST(of(images.get({}, {.hash = first.hash})).value().length == 5U);
    BOOST_TEST(!of(images.get("none")).has_value());
    BOOST_TEST(of(images.put({}, "other", {.hash = first.hash})).result == "replaced");
    BOOST_TEST((images.put("b", "x", {.content_hash = std::string(32, '0')}).status().code() == Code::damaged));
    BOOST_TEST(of(images.list()).size() == 2U);
    BOOST_TEST(of(images.omit("a")) == "omitted");
    BOOST_TEST(of(images.omit("none")) == "absent");
    BOOST_TEST(of(images.omit({}, first.hash)) == "omitted");
    std::string const begun = of(images.maintain({.age = DurationMs{86'400'000}})).result;
    BOOST_TEST((begun == "begun" || begun == "running"));
    std::string const ended = of(images.maintain({.cancel = true})).result;
    BOOST_TEST((ended == "cancelled" || ended == "idle"));
  });
}

BOOST_FIXTURE_TEST_CASE(the_daemon_tells_of_itself, MadeCallsFixture) {
  in_both_framings([](Connection& connection, std::string const& framing) {
    client::Daemon own(connection);
    std::string const jobs = "jobs_" + framing;
    BOOST_TEST(of(own.commands()).find("XA_START") != std::string::npos);
    BOOST_TEST(of(own.help("STATS")).at(0).type == "daemon");
    BOOST_TEST(of(own.help("NEXT")).size() > 1U);
    BOOST_TEST(of(own.rights(jobs)).connection > 0U);
    BOOST_TEST(of(own.tables()).at(0).persistent);
    BOOST_TEST(of(own.stats()).messages.size() == of(own.tables()).size() + 1);
    BOOST_TEST(of(own.stats(jobs)).first().text("table") == jobs);
    BOOST_TEST(of(own.metrics("openmetrics", jobs)).ends_with("# EOF\n"));
    of(own.health());
    of(own.health("live"));
    BOOST_TEST(of(own.openapi()).starts_with("{"));
    BOOST_TEST(of(own.alerts()).empty());
    BOOST_TEST((own.lower("none", jobs).code() == Code::not_found));
    BOOST_TEST(of(own.waiters(jobs)).empty());
    of(connection.call("LISTEN", {{"table", Value::of_text(jobs)}}).status());
    BOOST_TEST(of(own.waiters(jobs)).at(0).mode == "wake");
    BOOST_TEST((own.fetch(jobs, {.from = 0}).status().code() == Code::not_supported));
    BOOST_TEST(of(own.digest(jobs)).at(0).table == jobs);
    BOOST_TEST(!of(own.digest({}, true)).at(0).log.empty());
    BOOST_TEST(of(own.backup(true)).first().command == "BACKUP");
    of(own.backup_done());
    BOOST_TEST((own.cluster().status().code() == Code::not_found));
    BOOST_TEST((own.move_table(jobs).status().code() == Code::wrong_state));
    BOOST_TEST((own.step_down("none", DurationMs{0}).code() == Code::not_found));
    BOOST_TEST(of(own.reload({}, true)).dry_run);
    of(own.log_rotate());
  });
}

BOOST_FIXTURE_TEST_CASE(branches_are_prepared_ended_and_listed, MadeCallsFixture) {
  in_both_framings([](Connection& connection, std::string const& framing) {
    client::Daemon own(connection);
    BOOST_TEST(of(own.xa_recover(true)).empty());
    std::string const end = framing == "text" ? "a" : "b";
    std::string const first = "1:6f:0" + end, second = "1:6f:1" + end;
    for (std::string const& xid : {first, second}) {
      of(connection.call("XA_START", {{"xid", Value::of_text(xid)}}).status());
      of(connection.call("INSERT", {{"table", Value::of_text("jobs_" + framing)}, {"name", Value::of_text(xid)}})
             .status());
      of(connection.call("XA_END", {{"xid", Value::of_text(xid)}}).status());
      BOOST_TEST(of(own.xa_prepare(xid)) == 1U);
    }
    BOOST_TEST(of(own.xa_recover()).size() == 2U);
    BOOST_TEST(of(own.xa_commit(first)).messages.size() == 2U);
    BOOST_TEST(of(own.xa_decide(second, "rollback")) == 1U);
    of(own.xa_forget(second));
    BOOST_TEST((own.xa_rollback(second).code() == Code::not_found));
  });
}

BOOST_AUTO_TEST_SUITE_END()
