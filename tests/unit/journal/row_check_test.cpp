// A producer that saves rows for later is told what the journal would say: model::RowCheck against the journal itself.
#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>
#include <vector>

#include "model/row_check.h"
#include "tests/unit/journal/harness.h"

namespace fastjournal::journal::test {
namespace {

std::shared_ptr<TableDeclaration const> typed_table() {
  auto const column = [](std::string name, ColumnType type) {
    Column out;
    out.name = std::move(name);
    out.type = type;
    return out;
  };
  auto out = std::make_shared<TableDeclaration>(*declare({}, {}));
  out->schema.columns = {column("uri", ColumnType::string),  column("size", ColumnType::uint16),
                         column("rate", ColumnType::real64), column("seen", ColumnType::time_ms),
                         column("blob", ColumnType::buffer), column("needed", ColumnType::string),
                         column("level", ColumnType::int32)};
  out->schema.columns[0].length_max = 20;
  out->schema.columns[5].required = true;
  out->schema.columns[6].value_min = -5;
  out->schema.columns[6].value_max = 5;
  out->schema.key = {0};
  return out;
}

BOOST_AUTO_TEST_SUITE(row_check)

BOOST_AUTO_TEST_CASE(it_says_what_the_journal_says) {
  std::shared_ptr<TableDeclaration const> const table = typed_table();
  model::RowCheck const check{*table, *journal_type()};
  std::vector<Texts> const rows{{},
                                {{"uri", std::string(21, 'x')}},
                                {{"uri", "\xff"}},
                                {{"needed", ""}},
                                {{"size", "65535"}},
                                {{"size", "65536"}},
                                {{"size", "-1"}},
                                {{"size", "many"}},
                                {{"rate", "0.5"}},
                                {{"rate", "half"}},
                                {{"seen", "now"}},
                                {{"blob", "%%%"}},
                                {{"level", "5"}},
                                {{"level", "6"}},
                                {{"level", "-6"}},
                                {{"priority", "255"}},
                                {{"priority", "256"}},
                                {{"priority", "high"}},
                                {{"process_date", "+1000"}},
                                {{"process_date", "1700000000"}},
                                {{"process_date", "-1"}},
                                {{"process_date", "tomorrow"}},
                                {{"expiration_date", "+1"}},
                                {{"expiration_date", "1600000000000"}},
                                {{"insertion_date", "x"}},
                                {{"-uri", ""}},
                                {{"-needed", ""}}};
  std::size_t refused = 0;
  for (Texts const& changes : rows) {
    Texts row{{"table", table->name}, {"uri", "u"}, {"needed", "n"}};
    for (auto const& [name, value] : changes) {
      if (name.starts_with('-'))
        row.erase(name.substr(1));
      else
        row[name] = value;
    }
    Message message{"INSERT"};
    for (auto const& [name, value] : row) message.set(name, std::string_view{value});
    Harness journal{table};
    Status const said = check.check(message, journal.now.value);
    Status const expected = journal.run(message).status;
    BOOST_TEST(said.text() == expected.text());
    BOOST_TEST((said.facts() == expected.facts()), said.text());
    refused += said.ok() ? 0U : 1U;
  }
  BOOST_TEST(refused == 19U);
}

BOOST_AUTO_TEST_CASE(names_that_nobody_declared) {
  model::RowCheck const check{*typed_table(), *journal_type()};
  Message message{"INSERT"};
  message.set("table", "t");
  message.set("uri", "u");
  message.set("needed", "n");
  BOOST_TEST(check.check(message, 1).ok());
  message.set("title", "t");
  Status const status = check.check(message, 1);
  BOOST_TEST((status.code() == Code::unknown_parameter));
  BOOST_TEST((status.facts() == Status::Facts{{"parameter", "title"}}));
  BOOST_TEST(status.message() ==
             "INSERT has no parameter \"title\" and table " + typed_table()->name + " no such column");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace fastjournal::journal::test
