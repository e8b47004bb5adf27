// The result of reading a good table file, value by value. The refusals are in golden_test.cpp. The tables are of a
// small type of this test's own, so that the test does not depend on the journal's options.
#include <boost/test/unit_test.hpp>

#include <map>
#include <set>
#include <string>

#include "config/table_reader.h"
#include "config/tables_folder.h"
#include "tests/unit/config/scratch_folder.h"

namespace fastjournal::config {

namespace {

std::optional<FileStamp> never_known(std::string const&) { return std::nullopt; }

TypesByName types() {
  auto journal = std::make_shared<TypeDeclaration>();
  journal->name = "journal";
  journal->foreign_model = "queue";
  journal->commands.push_back(
      {.name = "INSERT",
       .kind = CommandKind::add,
       .parameters = {{.name = "urgency", .type = "integer", .required = false, .description = ""}},
       .takes_columns = true,
       .deliver_count = {},
       .answers = "",
       .description = ""});
  journal->options.push_back({.name = "pause",
                              .type = OptionType::duration,
                              .default_text = "1h",
                              .min = 1,
                              .max = INT64_MAX,
                              .choices = {},
                              .changes_live = true,
                              .description = ""});
  journal->options.push_back({.name = "room",
                              .type = OptionType::size,
                              .default_text = "1MiB",
                              .min = 0,
                              .max = INT64_MAX,
                              .choices = {},
                              .changes_live = true,
                              .description = ""});
  journal->options.push_back({.name = "colour",
                              .type = OptionType::choice,
                              .default_text = "green",
                              .min = 0,
                              .max = 0,
                              .choices = {"red", "green"},
                              .changes_live = true,
                              .description = ""});
  journal->options.push_back({.name = "strict",
                              .type = OptionType::boolean,
                              .default_text = "false",
                              .min = 0,
                              .max = 0,
                              .choices = {},
                              .changes_live = true,
                              .description = ""});
  journal->options.push_back({.name = "remark",
                              .type = OptionType::text,
                              .default_text = "",
                              .min = 0,
                              .max = 0,
                              .choices = {},
                              .changes_live = true,
                              .description = ""});
  return {{"journal", journal}};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(table_reader)

BOOST_AUTO_TEST_CASE(a_table_arrives_with_its_columns_key_and_options) {
  ScratchFolder const folder;
  auto const path = folder.write("pages.xml", R"(<?xml version="1.0"?>
<table name="pages" model="journal" row-key="site, uri">
  <description> Pages. </description>
  <log name="own"/>
  <schema>
    <column name="uri" type="string" required="true" max-length="1000"><description>The page.</description></column>
    <column name="size" type="uint64_t" default="5" min-value="1" max-value="18446744073709551615" merge="sum"/>
    <column name="cold" type="int16" min-value="-20" max-value="-3"/>
    <column name="share" type="float64" min-value="-0.5" max-value="1e3"/>
    <column name="site" type="binary"/>
    <column name="when" type="time_ms_t" merge="max"/>
    <column name="title" type="string" min-length="1" max-length="4KiB" merge="append"/>
  </schema>
  <colour>red</colour>
  <pause>90s</pause>
  <remark>of no use</remark>
</table>)");
  Result<TableDeclaration> const read = read_table(path, types());
  BOOST_REQUIRE_MESSAGE(read.ok(), read.status().text());
  TableDeclaration const& table = read.value();
  BOOST_TEST(table.name == "pages");
  BOOST_TEST(table.type == "journal");
  BOOST_TEST(table.description == "Pages.");
  BOOST_TEST(table.log == "own");
  BOOST_TEST(table.file == path.string());
  BOOST_TEST(table.schema.version == 1);
  BOOST_TEST(table.schema.key == (std::vector<std::uint16_t>{4, 0}), boost::test_tools::per_element());
  auto const& columns = table.schema.columns;
  BOOST_REQUIRE(columns.size() == 7);
  BOOST_TEST(columns[0].required);
  BOOST_TEST(columns[0].description == "The page.");
  BOOST_TEST(columns[0].length_max == 1000);
  BOOST_TEST((columns[1].type == ColumnType::uint64 && columns[1].merge == MergeRule::sum));
  BOOST_TEST(*columns[1].default_text == "5");
  BOOST_TEST(*columns[1].value_min == 1);
  BOOST_TEST(*columns[1].value_max == UINT64_MAX);
  BOOST_TEST(*columns[2].value_min == -20);
  BOOST_TEST(static_cast<std::int64_t>(*columns[2].value_max) == -3);
  BOOST_TEST(*columns[3].real_min == -0.5);
  BOOST_TEST(*columns[3].real_max == 1000.0);
  BOOST_TEST((columns[4].type == ColumnType::buffer));
  BOOST_TEST(columns[4].length_max == 1024);  // the limit for a key
  BOOST_TEST((columns[5].type == ColumnType::time_ms && columns[5].merge == MergeRule::max));
  BOOST_TEST(columns[6].length_min == 1);
  BOOST_TEST(columns[6].length_max == 4096);
  BOOST_TEST(table.options.size() == 5);
  BOOST_TEST((table.option("pause").integer == 90'000 && table.option("pause").given));
  BOOST_TEST((table.option("room").integer == 1 << 20 && !table.option("room").given));
  BOOST_TEST(table.option("colour").integer == 0);
  BOOST_TEST(table.option("colour").text == "red");
  BOOST_TEST(table.option("strict").integer == 0);
  BOOST_TEST(table.option("remark").text == "of no use");
}

BOOST_AUTO_TEST_CASE(their_queue_is_our_journal_with_defaults) {
  ScratchFolder const folder;
  auto const path = folder.write(
      "q.xml",
      R"(<context name="site"><table name="q" model="queue" row-key="k"><schema><column name="k" type="time_seconds"/></schema></table></context>)");
  Result<TableDeclaration> const read = read_table(path, types());
  BOOST_REQUIRE_MESSAGE(read.ok(), read.status().text());
  BOOST_TEST(read->type == "journal");
  BOOST_TEST(read->log == "shared");
  BOOST_TEST((read->schema.columns[0].type == ColumnType::time_s));
  BOOST_TEST(read->option("colour").integer == 1);
}

BOOST_AUTO_TEST_CASE(a_column_may_not_be_called_as_a_parameter) {
  ScratchFolder const folder;
  auto const path =
      folder.write("q.xml", R"(<table name="q" model="journal" row-key="k"><schema><column name="k" type="int8"/>
<column name="urgency" type="int8"/></schema></table>)");
  Status const status = read_table(path, types()).status();
  BOOST_TEST(status.message() ==
             path.string() + ":2: column \"urgency\" has the name of a parameter of INSERT, expected another name");
  // Commands of `fastjournal work` have a variable of this name.
  auto const other =
      folder.write("r.xml", R"(<table name="r" model="journal" row-key="k"><schema><column name="k" type="int8"/>
<column name="attempt" type="int8"/></schema></table>)");
  BOOST_TEST(read_table(other, types()).status().message() ==
             other.string() + ":2: column \"attempt\" has a name that answers use themselves, expected another name");
}

BOOST_AUTO_TEST_CASE(a_file_that_is_not_there_is_refused) {
  ScratchFolder const folder;
  Status const status = read_table(folder.path() / "none.xml", types()).status();
  BOOST_TEST((status.code() == Code::bad_configuration));
  BOOST_TEST(status.message() ==
             (folder.path() / "none.xml").string() + ": no such file, expected an XML file that can be read");
}

BOOST_AUTO_TEST_CASE(a_folder_gives_all_its_tables_in_order_and_nothing_else) {
  ScratchFolder const folder;
  for (char const* const name : {"b", "a", "c"})
    folder.write(std::string{name} + ".xml",
                 "<table name=\"" + std::string{name} +
                     R"(" model="journal" row-key="k"><schema><column name="k" type="int8"/></schema></table>)");
  folder.write("README", "no table");
  folder.write("d.xml~", "no table either");
  Result<std::vector<KnownTable>> const read = KnownTables{never_known}.read(folder.path(), types(), nullptr);
  BOOST_REQUIRE_MESSAGE(read.ok(), read.status().text());
  BOOST_REQUIRE(read->size() == 3);
  BOOST_TEST(read.value()[0].table->name == "a");
  BOOST_TEST(read.value()[2].table->name == "c");
}

// The same declaration comes again, too: whoever compares two looks need not look into it.
BOOST_AUTO_TEST_CASE(a_file_is_read_again_only_if_it_is_another) {
  ScratchFolder const folder;
  auto const write = [&](std::string const& name, std::string const& description) {
    folder.write(name + ".xml", "<table name=\"" + name + "\" model=\"journal\" row-key=\"k\"><description>" +
                                    description +
                                    "</description><schema><column name=\"k\" type=\"int8\"/></schema></table>");
  };
  std::map<std::string, FileStamp> stamps;
  std::set<std::string> fresh;
  KnownTables tables{[&](std::string const& path) -> std::optional<FileStamp> {
    std::string const name = std::filesystem::path{path}.filename().string();
    if (fresh.contains(name)) return std::nullopt;
    return stamps[name];
  }};
  for (char const* const name : {"a", "b", "c"}) write(name, name);
  Result<std::vector<KnownTable>> const first = tables.read(folder.path(), types(), nullptr);
  BOOST_REQUIRE_MESSAGE(first.ok(), first.status().text());
  BOOST_TEST(tables.files_read() == 3U);
  Result<std::vector<KnownTable>> const second = tables.read(folder.path(), types(), nullptr);
  BOOST_TEST(tables.files_read() == 3U);
  for (std::size_t i = 0; i < 3; ++i) BOOST_TEST(second.value()[i].table == first.value()[i].table);
  // Any part of it makes another stamp.
  write("b", "other");
  for (std::size_t i = 0; i < 5; ++i) {
    FileStamp& b = stamps["b.xml"];
    if (i == 0) b.device = 1;
    if (i == 1) b.inode = 1;
    if (i == 2) b.bytes = 1;
    if (i == 3) b.modified_ns = 1;
    if (i == 4) b.changed_ns = 1;
    Result<std::vector<KnownTable>> const changed = tables.read(folder.path(), types(), nullptr);
    BOOST_REQUIRE_MESSAGE(changed.ok(), changed.status().text());
    BOOST_TEST(tables.files_read() == 4 + i);
    BOOST_TEST(changed.value()[1].table->description == "other");
    BOOST_TEST(changed.value()[2].table == first.value()[2].table);
  }
  // One that was changed just now is read each time, until it has a stamp.
  fresh.insert("c.xml");
  static_cast<void>(tables.read(folder.path(), types(), nullptr));
  static_cast<void>(tables.read(folder.path(), types(), nullptr));
  BOOST_TEST(tables.files_read() == 10U);
  fresh.clear();
  static_cast<void>(tables.read(folder.path(), types(), nullptr));
  static_cast<void>(tables.read(folder.path(), types(), nullptr));
  BOOST_TEST(tables.files_read() == 11U);
  // What is wrong is told each time; what is gone is not told.
  folder.write("a.xml", "<tabel/>");
  stamps["a.xml"].bytes = 1;
  for (int i = 0; i < 2; ++i) BOOST_TEST(!tables.read(folder.path(), types(), nullptr).ok());
  std::filesystem::remove(folder.path() / "a.xml");
  BOOST_TEST(tables.read(folder.path(), types(), nullptr)->size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_file_is_read_again_if_its_plan_is_another) {
  ScratchFolder const folder;
  folder.write("plan.txt",
               "<plan name=\"p\" version=\"1\"><source name=\"s\"/>"
               "<step name=\"t\" after=\"s\" kind=\"idempotent\" guarantee=\"at-least-once\"/></plan>");
  folder.write("a.xml",
               "<table name=\"a\" model=\"journal\" row-key=\"k\"><schema><column name=\"k\" type=\"int8\"/>"
               "</schema><course>plan.txt</course></table>");
  TypesByName known = types();
  auto journal = std::make_shared<TypeDeclaration>(*known.begin()->second);
  journal->options.push_back({.name = "course",
                              .type = OptionType::plan,
                              .default_text = "",
                              .min = 0,
                              .max = 0,
                              .choices = {},
                              .changes_live = true,
                              .description = ""});
  known.begin()->second = std::move(journal);
  std::map<std::string, FileStamp> stamps;
  KnownTables tables{[&](std::string const& path) -> std::optional<FileStamp> {
    return stamps[std::filesystem::path{path}.filename().string()];
  }};
  for (int look = 0; look < 2; ++look) {
    Result<std::vector<KnownTable>> const read = tables.read(folder.path(), known, nullptr);
    BOOST_REQUIRE_MESSAGE(read.ok(), read.status().text());
    BOOST_TEST(tables.files_read() == 1U);
  }
  stamps["plan.txt"].inode = 1;
  BOOST_TEST(tables.read(folder.path(), known, nullptr).ok());
  BOOST_TEST(tables.files_read() == 2U);
}

BOOST_AUTO_TEST_CASE(a_folder_tells_every_error_of_every_file) {
  ScratchFolder const folder;
  folder.write("a.xml", "<tabel/>");
  folder.write(
      "b.xml",
      R"(<table name="b" model="journal" row-key="k"><schema><column name="k" type="int8"/></schema></table>)");
  folder.write("c.xml", "<table");
  KnownTables tables{never_known};
  Status const status = tables.read(folder.path(), types(), nullptr).status();
  BOOST_TEST(status.message().find("a.xml:1: root element <tabel>") != std::string::npos);
  BOOST_TEST(status.message().find("\n" + (folder.path() / "c.xml").string() + ":1: <table> has no end") !=
             std::string::npos);
  BOOST_TEST(!tables.read(folder.path() / "none", types(), nullptr).ok());
}

BOOST_AUTO_TEST_CASE(a_folder_without_tables_is_fine) {
  ScratchFolder const folder;
  Result<std::vector<KnownTable>> const read = KnownTables{never_known}.read(folder.path(), types(), nullptr);
  BOOST_REQUIRE(read.ok());
  BOOST_TEST(read->empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::config
