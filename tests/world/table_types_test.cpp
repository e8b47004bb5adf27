// The engine and the server know of a table type only what it declares. Tested with a type that has the smallest
// interface, and with a type of work whose commands have other names than a journal's: it passes the same tests.
#include <boost/test/unit_test.hpp>

#include <fstream>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"
#include "tests/support/types/errand.h"
#include "tests/support/types/notes.h"
#include "tests/world/asking.h"

namespace fastjournal::sim::table_types_test {
namespace {

// A type's names for the commands that all types of work have.
struct Words {
  std::string type;
  std::string table;  // the declaration, without the table's name and aliases
  std::string add;    // a command that adds a row; the row's text and topic are appended
  std::string what, topic_column, topic;
  std::string take, count, wait;
  std::string row, id, nothing;
  std::string done;

  [[nodiscard]] std::string adding(std::string const& text, std::string const& of = {}) const {
    return add + " table=work;" + what + "=" + text + (of.empty() ? "" : ";" + topic_column + "=" + of);
  }
};

Words const kJournal{.type = "journal",
                     .table = R"(model="journal" row-key="what"><schema><column name="what" type="string"/>
                       <column name="in" type="string"/></schema><domain>in</domain>
                       <processing-timeout>30s</processing-timeout>)",
                     .add = "INSERT",
                     .what = "what",
                     .topic_column = "in",
                     .topic = "domain",
                     .take = "NEXT table=work",
                     .count = "count",
                     .wait = "wait",
                     .row = "ROW",
                     .id = "row",
                     .nothing = "NOTHING",
                     .done = "DONE table=work;row={id};epoch={epoch}"};
Words const kErrand{.type = "errand",
                    .table = R"(type="errand"><schema><column name="what" type="string"/>
                      <column name="in" type="string"/></schema>)",
                    .add = "ASK",
                    .what = "what",
                    .topic_column = "in",
                    .topic = "lane",
                    .take = "GRAB table=work",
                    .count = "most",
                    .wait = "patience",
                    .row = "ERRAND",
                    .id = "errand",
                    .nothing = "IDLE",
                    .done = "FINISH table=work;errand={id}"};

struct Served : Asking {
  explicit Served(Words const& with) : words(with) {
    world.add_type(test::Errands::type(), FJ_SOURCE_DIR "/tests/support/types/errand.xml");
    world.add_type(test::Notes::type(), FJ_SOURCE_DIR "/tests/support/types/notes.xml");
    std::ofstream{folder / "work.xml"} << "<table name=\"work\" " << words.table
                                       << "<aliases><alias command=\"PUTJOB\" means=\"" << words.add
                                       << "\" answer=\"GOTJOB\" refusal=\"JOBFAILED\"><parameter name=\"uri\" is=\""
                                       << words.what << "\"/></alias></aliases></table>";
    Status const added = world.add_table(folder / "work.xml");
    BOOST_REQUIRE_MESSAGE(added.ok(), added.text());
    start();
  }
  std::string next(std::string const& name) {
    world.settle();
    return world.take_line(name).value_or("(nothing)");
  }
  // A message as its kind and text: "ROW a".
  std::string heard(std::string const& name) { return brief(next(name)); }
  [[nodiscard]] std::string brief(std::string const& line) const {
    std::string const text = field(line, words.what);
    return line.substr(0, line.find(' ')) + (text.empty() ? "" : " " + text);
  }
  [[nodiscard]] static std::string field(std::string const& line, std::string const& name) {
    std::size_t at = line.find(" " + name + "=");
    if (at == std::string::npos) at = line.find(";" + name + "=");
    if (at == std::string::npos) return {};
    at += name.size() + 2;
    return line.substr(at, line.find(';', at) - at);
  }
  std::string finish(std::string const& name, std::string const& row) {
    std::string line = words.done;
    for (auto const& [place, value] :
         {std::pair<std::string, std::string>{"{id}", field(row, words.id)}, {"{epoch}", field(row, "epoch")}})
      if (std::size_t const at = line.find(place); at != std::string::npos) line.replace(at, place.size(), value);
    return ask(name, line);
  }

  Words const& words;
  test::TemporaryFolder folder;
};

// Runs the same test with both types.
template <typename Body>
void with_both(Body const& body) {
  for (Words const* words : {&kJournal, &kErrand}) {
    BOOST_TEST_CONTEXT("type " << words->type) {
      Served served{*words};
      body(served, *words);
    }
  }
}

// Notes that count how often anybody asks them anything, also of the files that they could have.
class CountedNotes final : public Table, public Timed, public Stores, public Offloads {
 public:
  static inline std::uint64_t asked = 0;

  Capabilities capabilities() override { return capabilities_of(*this); }
  Verdict decide(Command const& command, Decision& decision) const override {
    return count(), notes_.decide(command, decision);
  }
  bool apply(RecordView const& record, ApplyContext const& context, TableObserver& observer) noexcept override {
    return count(), notes_.apply(record, context, observer);
  }
  std::uint8_t newest_version(std::uint8_t type) const override { return notes_.newest_version(type); }
  Lsn oldest_lsn() const override { return count(), notes_.oldest_lsn(); }
  Compacted compact_oldest(Lsn below, std::size_t budget, Decision& decision) const override {
    return count(), notes_.compact_oldest(below, budget, decision);
  }
  std::uint64_t live_bytes() const override { return count(), notes_.live_bytes(); }
  std::uint64_t memory_bytes() const override { return count(), notes_.memory_bytes(); }
  void digest(DigestSink& sink) const override { notes_.digest(sink); }
  void metrics(TimeMs now, MetricSink& sink) const override { notes_.metrics(now, sink); }
  Status check_change(TableDeclaration const&) const override { return {}; }
  void change(std::shared_ptr<TableDeclaration const>) override {}

  TimeMs next_due() const override { return count(), TimeMs::max(); }
  bool advance(TimeMs, std::size_t, TableObserver&) override { return false; }
  bool decide_timer(Decision&) const override { return false; }
  void decide_clock_accepted(TimeMs, Decision&) const override {}

  std::uint64_t list_extents(std::uint64_t, std::uint32_t, std::vector<Extent>&) const override { return 0; }
  bool request_offload(std::vector<std::string>&) override { return count(), false; }
  void fetched(Extent const&, std::string_view, Status const&) override {}
  bool decide_offloaded(std::span<StoredValue const>, Decision&) const override { return false; }
  void offload_failed(Status const&) override {}

  static PluginDescriptor const& type() {
    static PluginDescriptor descriptor = test::Notes::type();
    descriptor.create = [](TableContext const&, std::shared_ptr<TypeDeclaration const>,
                           std::shared_ptr<TableDeclaration const>) -> Result<std::unique_ptr<Table>> {
      return std::unique_ptr<Table>{std::make_unique<CountedNotes>()};
    };
    return descriptor;
  }

 private:
  static void count() { ++asked; }
  test::Notes notes_;
};

// How often tables are asked while one of so many is used.
std::uint64_t asked_beside(std::size_t tables, bool have_rows, std::size_t bytes) {
  Asking served;
  test::TemporaryFolder folder;
  // Rows are not compacted, but the base of an empty log moves on.
  served.world.log_options.segment_bytes = have_rows ? 16U << 20U : 512U << 10U;
  served.world.add_type(CountedNotes::type(), FJ_SOURCE_DIR "/tests/support/types/notes.xml");
  for (std::size_t i = 0; i < tables; ++i) {
    std::string const name = "notes" + std::to_string(i);
    std::ofstream{folder / name} << "<table name=\"" << name << "\" type=\"notes\"/>";
    Status const added = served.world.add_table(folder / name);
    BOOST_REQUIRE_MESSAGE(added.ok(), added.text());
  }
  served.start();
  for (std::size_t i = 0; have_rows && i < tables; ++i)
    BOOST_REQUIRE(served.ask("admin", "NOTE table=notes" + std::to_string(i) + ";text=x").starts_with("NOTED "));
  served.world.settle();
  std::uint64_t const before = CountedNotes::asked;
  for (int i = 0; i < 100; ++i) {
    BOOST_REQUIRE(served.ask("admin", "NOTE table=notes0;text=" + std::string(bytes, 'y')).starts_with("NOTED "));
    BOOST_REQUIRE(served.ask("admin", "READ table=notes0").starts_with("LINE "));
    while (served.world.take_line("admin")) continue;
    if (have_rows) continue;
    BOOST_REQUIRE(served.ask("admin", "WIPE table=notes0").starts_with("WIPED"));
    served.world.advance(DurationMs{20});
  }
  return CountedNotes::asked - before;
}

struct Notebook : Asking {
  Notebook() {
    world.add_type(test::Notes::type(), FJ_SOURCE_DIR "/tests/support/types/notes.xml");
    Status const added = declare("");
    BOOST_REQUIRE_MESSAGE(added.ok(), added.text());
    start();
  }
  Status declare(std::string const& inner, std::string const& attributes = {}) {
    std::ofstream{folder / "notes.xml"} << "<table name=\"notes\" type=\"notes\"" << attributes << ">" << inner
                                        << "</table>";
    return world.add_table(folder / "notes.xml");
  }
  std::string ask(std::string const& line) { return Asking::ask("admin", line); }
  test::TemporaryFolder folder;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(table_types)

BOOST_AUTO_TEST_CASE(a_command_that_waits_is_answered_when_work_comes) {
  with_both([](Served& s, Words const& w) {
    BOOST_TEST(s.brief(s.ask("worker", w.take)) == w.nothing);
    BOOST_TEST(s.ask("worker", w.take + ";" + w.wait + "=10000;request=1") == "(nothing)");
    s.ask("producer", w.adding("a"));
    std::string const row = s.next("worker");
    BOOST_TEST(s.brief(row) == w.row + " a");
    BOOST_TEST(Served::field(row, "request") == "1");
    BOOST_TEST(Served::field(row, "left") == "0");  // always there: the number of rows that follow
    // When its wait is over, it is answered with NOTHING.
    s.ask("worker", w.take + ";" + w.wait + "=500;request=2");
    s.world.advance(DurationMs{600});
    BOOST_TEST(s.heard("worker") == w.nothing);
  });
}

BOOST_AUTO_TEST_CASE(a_listener_is_woken_for_its_topic_alone) {
  with_both([](Served& s, Words const& w) {
    BOOST_TEST(s.ask("worker", "LISTEN table=work;" + w.topic + "=x") == "LISTENING " + w.topic + "=x;table=work;");
    s.ask("producer", w.adding("a", "y"));
    BOOST_TEST(s.heard("worker") == "(nothing)");
    s.ask("producer", w.adding("b", "x"));
    std::string const wake = s.next("worker");
    BOOST_TEST(wake.ends_with(";" + w.topic + "=x;ready=1;table=work;"), wake);
    BOOST_TEST(s.brief(s.ask("worker", w.take + ";" + w.topic + "=x")) == w.row + " b");
    BOOST_TEST(s.ask("worker", "UNLISTEN table=work;" + w.topic + "=x").starts_with("UNLISTENED "));
    BOOST_TEST(s.ask("worker", "UNLISTEN table=work;" + w.topic + "=x").starts_with("ERROR "));
  });
}

BOOST_AUTO_TEST_CASE(a_listener_of_mode_row_hears_of_each) {
  with_both([](Served& s, Words const& w) {
    s.ask("producer", w.adding("a"));
    BOOST_TEST(s.ask("watcher", "LISTEN table=work;mode=row").starts_with("LISTENING "));
    BOOST_TEST(s.heard("watcher") == "LISTEN a");
    s.ask("producer", w.adding("b"));
    BOOST_TEST(s.heard("watcher") == "LISTEN b");
  });
}

BOOST_AUTO_TEST_CASE(work_is_delivered_up_to_the_credit) {
  with_both([](Served& s, Words const& w) {
    BOOST_TEST(s.ask("worker", "LISTEN table=work;mode=deliver;credit=2").starts_with("LISTENING "));
    for (char const* const text : {"a", "b", "c"}) s.ask("producer", w.adding(text));
    std::string const first = s.next("worker");
    BOOST_TEST(s.brief(first) == w.row + " a");
    BOOST_TEST(s.heard("worker") == w.row + " b");
    BOOST_TEST(s.heard("worker") == "(nothing)");
    std::string const finished = s.finish("worker", first);
    BOOST_TEST(!finished.starts_with("ERROR"), finished);
    BOOST_TEST(s.heard("worker") == w.row + " c");
  });
}

BOOST_AUTO_TEST_CASE(what_a_connection_had_comes_back) {
  with_both([](Served& s, Words const& w) {
    s.ask("producer", w.adding("a"));
    BOOST_TEST(s.brief(s.ask("lost", w.take)) == w.row + " a");
    s.world.close("lost");
    s.world.settle();
    s.world.advance(DurationMs{60'000});
    BOOST_TEST(s.brief(s.ask("worker", w.take)) == w.row + " a");
    // After a start as well.
    s.world.kill();
    BOOST_REQUIRE(s.world.start().ok());
    s.world.advance(DurationMs{60'000});
    BOOST_TEST(s.brief(s.ask("worker", w.take)) == w.row + " a");
    BOOST_TEST(s.world.replayed_digest().value() == s.world.engine().digest());
  });
}

BOOST_AUTO_TEST_CASE(an_alias_adds) {
  with_both([](Served& s, Words const& w) {
    BOOST_TEST(s.ask("old", "PUTJOB uri=a") == "GOTJOB");
    BOOST_TEST(s.ask("old", "PUTJOB colour=red") == "JOBFAILED");
    BOOST_TEST(s.brief(s.ask("worker", w.take)) == w.row + " a");
  });
}

BOOST_AUTO_TEST_CASE(help_names_what_the_types_call_a_topic) {
  Served s{kErrand};
  BOOST_TEST(
      Served::field(s.ask("main", "HELP command=LISTEN"), "parameters") ==
      "table:string! lane:string domain:string source:string queue:string mode:string credit:integer worker:string "
      "patience:duration lease:duration places:integer done:integer destination:string queues:string message:integer "
      "lease_margin:duration accept:integer key:string key_binary:string "
      "prefix:string");
}

BOOST_FIXTURE_TEST_CASE(a_type_with_nothing_but_a_table_is_served, Notebook) {
  BOOST_TEST(ask("NOTE table=notes;text=one").starts_with("NOTED note="));
  ask("NOTE table=notes;text=two");
  BOOST_TEST(ask("READ table=notes") == "LINE left=1;text=one;");
  BOOST_TEST(world.take_line("admin").value_or("") == "LINE left=0;text=two;");
  BOOST_TEST(ask("TABLES").find(";rows=2;type=notes;") != std::string::npos);
  world.set_clock(DurationMs{10'000'000});
  world.advance(DurationMs{1'000});
  BOOST_REQUIRE(world.stop().ok());
  BOOST_REQUIRE(world.start().ok());
  BOOST_TEST(ask("READ table=notes") == "LINE left=1;text=one;");
  BOOST_TEST(world.replayed_digest().value() == world.engine().digest());
  world.close("admin");
  world.settle();
  world.send("other", "WIPE table=notes");
  world.settle();
  BOOST_TEST(world.take_line("other").value_or("") == "WIPED");
}

BOOST_FIXTURE_TEST_CASE(what_a_type_lacks_is_refused_with_that_reason, Notebook) {
  for (char const* const mode : {"", ";mode=row", ";mode=deliver"})
    BOOST_TEST(ask("LISTEN table=notes" + std::string{mode}).find("which has nothing that one could wait for") !=
               std::string::npos);
  // A type of work that has no feed, and a type that hands out nothing.
  BOOST_REQUIRE(declare("<feed address=\"127.0.0.1:4051\"/>").ok());
  std::string answer = ask("RELOAD");
  BOOST_TEST(answer.find("element <feed>: tables of type notes cannot be followed") != std::string::npos, answer);
  BOOST_REQUIRE(declare("<wake-message service=\"s\" command=\"GO\"/>").ok());
  answer = ask("RELOAD");
  BOOST_TEST(answer.find("element <wake-message>: tables of type notes hand out no work") != std::string::npos, answer);
  BOOST_TEST(declare("<schema><column name=\"a\" type=\"string\"/></schema>").message().find("element <schema>") !=
             std::string::npos);
  BOOST_TEST(declare("", " row-key=\"a\"").message().find("attribute \"row-key\"") != std::string::npos);
}

// Not of time: of how often anybody looks at a table. A thousand that do nothing are looked at once after the start, and
// no more, however many turns there are.
BOOST_AUTO_TEST_CASE(a_turn_asks_only_the_tables_that_have_something_to_do) {
  constexpr std::size_t kTables = 1000;
  struct Work {
    bool have_rows;
    std::size_t bytes;
  };
  // With rows; where the log becomes empty again and again; and where its base moves on.
  for (Work const work : {Work{true, 10}, Work{false, 10}, Work{false, 20'000}}) {
    std::uint64_t const one = asked_beside(1, work.have_rows, work.bytes);
    std::uint64_t const many = asked_beside(kTables, work.have_rows, work.bytes);
    BOOST_TEST_MESSAGE(one << " questions with one table, " << many << " with " << kTables);
    BOOST_TEST(one > 100U);
    BOOST_TEST(many <= one + one / 3 + 2 * kTables);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::table_types_test
