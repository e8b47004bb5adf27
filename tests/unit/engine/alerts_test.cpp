// Alerts in the engine, with a table type that raises and lowers them as commands tell it: which ones are told to the
// outside, which are only counted, what is left after a replay and after compaction, and the limits.
#include "log/alert_book.h"

#include <boost/test/unit_test.hpp>

#include "engine/engine.h"
#include "tests/support/nobody.h"
#include "tests/unit/engine/memory_log.h"
#include "tests/unit/engine/tally.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::engine;
using namespace fastjournal::engine::test;

// A row named NAME raises the alert NAME when it is put, and lowers it when it is removed.
class Alarming final : public TallyTable {
 public:
  using TallyTable::TallyTable;
  bool apply(RecordView const& record, ApplyContext const& context, TableObserver& observer) noexcept override {
    if (!TallyTable::apply(record, context, observer)) return false;
    std::string_view const body = as_text(record.body);
    if (record.type == kGone)
      observer.lower_alert(body);
    else
      observer.alert(body.substr(16), 30, "it is about " + std::string{body.substr(16)}, "tag,manual");
    return true;
  }
};

struct AlertsWorld {
  AlertsWorld() : AlertsWorld(nullptr) {}
  explicit AlertsWorld(AlertsWorld const* first) {
    types.emplace("tally", std::make_unique<TableType>(tally_plugin<Alarming>(), tally_type()));
    engine = std::make_unique<Engine>(types, nobody);
    engine->declare({tally_table("counts")});
    hosted = &engine->add_log("shared");
    for (int pass = 0; first != nullptr && pass < 2; ++pass)
      for (fastjournal::test::KeptRecord const& record : first->log.records()) {
        if (record.lsn < first->log.base_lsn()) continue;
        if (pass == 1) BOOST_REQUIRE(engine->recovery().replay(*hosted, record.view(), first->log.base_lsn()).ok());
        if (pass == 0 && record.table == TableId::catalogue)
          BOOST_REQUIRE(engine->recovery().replay_catalogue(*hosted, record.view()).ok());
      }
    BOOST_REQUIRE(engine->recovery().attach(*hosted, log).ok());
    if (first == nullptr) {
      BOOST_REQUIRE(engine->finish_recovery(now).ok());
      turn();
    }
  }

  void run(std::string command, std::string name = {}) {
    HostedTable* const table = engine->find_table("counts");
    Message message{command};
    if (!name.empty()) message.set("name", name);
    Answer answer;
    Command const asked{static_cast<std::uint16_t>(table->type->find_command(command)), &message, ConnectionId{1}, "w"};
    status = engine->serving().execute(*table, asked, now, answer).status;
  }
  void turn() {
    static_cast<void>(engine->end_of_turn(now));
    BOOST_REQUIRE(log.commit().ok());
    static_cast<void>(engine->committed(now));
  }
  std::string told() {
    std::string out;
    for (log::AlertNotice const& notice : engine->alerting().take_notices())
      out += (notice.up ? "+" : "-") + notice.alert.name + std::to_string(notice.alert.count) + " ";
    return out;
  }
  std::string standing() const {
    std::string out;
    for (log::Alert const& alert : engine->alerting().all())
      out += alert.table + ":" + alert.name + std::to_string(alert.count) + " ";
    return out;
  }

  TableTypes types;
  fastjournal::test::Nobody nobody;
  MemoryLog log;
  std::unique_ptr<Engine> engine;
  HostedLog* hosted{nullptr};
  Status status;
  TimeMs now{1'000'000};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(alerts)

BOOST_FIXTURE_TEST_CASE(an_alert_stands_in_the_group_of_its_cause, AlertsWorld) {
  std::uint64_t const groups = log.groups;
  run("PUT", "sick");
  BOOST_TEST(log.groups == groups + 1);
  BOOST_TEST(standing() == "counts:sick1 ");
  turn();
  BOOST_TEST(log.groups == groups + 1);
  BOOST_TEST(told() == "+sick1 ");
  log::Alert const alert = engine->alerting().all().front();
  BOOST_TEST(alert.message == "it is about sick");
  BOOST_TEST(alert.manual);
  BOOST_TEST((alert.first == now && alert.last == now));
}

BOOST_FIXTURE_TEST_CASE(within_the_interval_it_is_only_counted, AlertsWorld) {
  engine->alerting().set_interval(DurationMs{1000});
  for (int i = 0; i < 3; ++i) run("PUT", "sick");
  turn();
  BOOST_TEST(told() == "+sick1 ");
  now = now + DurationMs{999};
  run("PUT", "sick");
  BOOST_TEST(told() == "");
  now = now + DurationMs{1};
  run("PUT", "sick");
  BOOST_TEST(told() == "+sick5 ");
  run("PUT", "sick");
  BOOST_TEST(told() == "");
  BOOST_TEST(standing() == "counts:sick6 ");
}

BOOST_FIXTURE_TEST_CASE(it_is_lowered_when_its_cause_is_gone, AlertsWorld) {
  run("PUT", "sick");
  run("PUT", "other");
  run("DROP");
  turn();
  BOOST_TEST(standing() == "");
  BOOST_TEST(told() == "+sick1 +other1 -other1 -sick1 ");
  run("PUT", "sick");
  BOOST_TEST(told() == "+sick1 ");
}

BOOST_FIXTURE_TEST_CASE(a_replay_counts_nothing_twice, AlertsWorld) {
  for (int i = 0; i < 3; ++i) run("PUT", "sick");
  run("PUT", "gone");
  run("DROP");
  for (int i = 0; i < 2; ++i) run("PUT", "sick");
  engine->alerting().raise(nullptr, "clock-jump", 40, "x", "clock");
  turn();
  AlertsWorld const second{this};
  BOOST_TEST(second.standing() == standing());
  BOOST_TEST(second.standing() == ":clock-jump1 counts:sick2 ");
  BOOST_TEST(second.engine->digest() == engine->digest());
}

BOOST_FIXTURE_TEST_CASE(the_digest_tells_alerts_apart, AlertsWorld) {
  std::uint64_t const before = engine->digest();
  engine->alerting().raise(nullptr, "clock-jump", 40, "x", "clock");
  turn();
  std::uint64_t const raised = engine->digest();
  BOOST_TEST(raised != before);
  engine->alerting().raise(nullptr, "clock-jump", 40, "x", "clock");
  turn();
  BOOST_TEST(engine->digest() != raised);
  engine->alerting().lower(nullptr, "clock-jump");
  turn();
  BOOST_TEST(engine->digest() == before);
}

BOOST_FIXTURE_TEST_CASE(alerts_are_compacted_and_hold_the_base_until_then, AlertsWorld) {
  log.segment_bytes = 4096;
  engine->alerting().raise(nullptr, "clock-jump", 40, "x", "clock");
  turn();
  for (int i = 0; i < 3; ++i) engine->alerting().raise(nullptr, "clock-jump", 40, "x", "clock");
  turn();
  Lsn const stated = hosted->catalogue.alerts().all().begin()->second.lsn;
  for (int i = 0; i < 2000; ++i) {
    run("PUT", "sick");
    run("DROP");
    BOOST_REQUIRE(hosted->catalogue.alerts().all().begin()->second.lsn >= log.base_lsn());
    turn();
  }
  BOOST_TEST((hosted->catalogue.alerts().all().begin()->second.lsn > stated));
  BOOST_TEST((log.base_lsn() > stated));
  AlertsWorld const second{this};
  BOOST_TEST(second.standing() == ":clock-jump4 ");
  BOOST_TEST(second.engine->digest() == engine->digest());
}

BOOST_FIXTURE_TEST_CASE(a_table_has_a_few_and_never_one_for_each_row, AlertsWorld) {
  for (int i = 0; i < 100; ++i) run("PUT", "a" + std::to_string(i));
  turn();
  BOOST_TEST(engine->alerting().all().size() == log::kAlertsPerTable);
  BOOST_TEST(engine->alerting().dropped() == 100 - log::kAlertsPerTable);
  run("PUT", "a0");
  BOOST_TEST(engine->alerting().all().front().count == 2U);
  engine->alerting().raise(nullptr, "clock-jump", 40, "x", "clock");
  turn();
  BOOST_TEST(engine->alerting().all().size() == log::kAlertsPerTable + 1);
}

BOOST_FIXTURE_TEST_CASE(long_texts_are_cut_between_characters, AlertsWorld) {
  std::string text(log::kAlertMessageBytesMax - 1, 'x');
  engine->alerting().raise(nullptr, "long", 200, text + "\xC3\xA9!", std::string(500, 't'));
  turn();
  log::Alert const alert = engine->alerting().all().front();
  BOOST_TEST(alert.message == text);
  BOOST_TEST(alert.tags.size() == log::kAlertTagsBytesMax);
  BOOST_TEST(alert.priority == 100);
}

BOOST_FIXTURE_TEST_CASE(a_person_may_lower_it, AlertsWorld) {
  run("PUT", "sick");
  HostedTable const* const table = engine->find_table("counts");
  BOOST_TEST((engine->alerting().lower_by_hand(table, "other", now).code() == Code::not_found));
  BOOST_TEST((engine->alerting().lower_by_hand(nullptr, "sick", now).code() == Code::not_found));
  BOOST_TEST(engine->alerting().lower_by_hand(table, "sick", now).ok());
  BOOST_TEST(told() == "+sick1 -sick1 ");
  AlertsWorld const second{this};
  BOOST_TEST(second.standing() == "");
}

BOOST_FIXTURE_TEST_CASE(a_dropped_table_takes_its_alerts_along, AlertsWorld) {
  run("PUT", "sick");
  run("DROP");
  run("PUT", "left");
  static_cast<void>(engine->alerting().take_notices());
  Result<std::vector<std::string>> const changes = engine->reloading().run({}, now);
  BOOST_REQUIRE(changes.ok());
  BOOST_TEST(told() == "-left1 ");
  BOOST_TEST(standing() == "");
}

BOOST_FIXTURE_TEST_CASE(what_is_short_is_one_alert_until_nothing_was_refused_for_a_while, AlertsWorld) {
  log.room = false;
  for (int i = 0; i < 5; ++i) run("PUT", "sick");
  BOOST_TEST((status.code() == Code::no_space));
  turn();
  BOOST_TEST(told() == "+disk-short1 ");
  BOOST_TEST(engine->shortages().check(now));
  now = now + DurationMs{20'000};
  BOOST_TEST(engine->shortages().check(now));
  log.room = true;
  BOOST_TEST(engine->shortages().check(now));
  turn();
  BOOST_TEST(!engine->shortages().check(now));
  BOOST_TEST(told() == "-disk-short1 ");
}

BOOST_FIXTURE_TEST_CASE(an_alert_without_room_waits_for_it, AlertsWorld) {
  log.room = log.room_to_remove = false;
  run("PUT", "sick");
  turn();
  BOOST_TEST(told() == "");
  log.room = log.room_to_remove = true;
  turn();
  BOOST_TEST(told() == "+disk-short1 ");
}

BOOST_FIXTURE_TEST_CASE(memory_that_is_short_is_an_alert, AlertsWorld) {
  engine->memory().limit(50);
  run("PUT", "a");
  run("PUT", "b");
  turn();
  BOOST_TEST(standing().find(":memory-short1 ") == 0U);
  run("DROP");
  now = now + DurationMs{10'000};
  static_cast<void>(engine->shortages().check(now));
  turn();
  BOOST_TEST(standing() == "");
}

BOOST_AUTO_TEST_SUITE_END()
