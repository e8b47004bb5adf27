// Messages of other systems that are commands of a table: which table takes a message, which command it becomes, and
// what its sender is answered. Whole conversations: tests/transcripts, tests/world/refused_aliases_test.cpp.
#include "server/communicator/aliases.h"

#include <boost/test/unit_test.hpp>

namespace {

using namespace fastjournal;
using namespace fastjournal::communicator;

engine::Declaration table_with(std::string name, std::string command) {
  using Use = AliasParameter::Use;
  auto table = std::make_shared<TableDeclaration>();
  table->name = std::move(name);
  table->file = table->name + ".xml";
  AliasDeclaration& alias = table->aliases.emplace_back();
  alias.command = std::move(command);
  alias.means = "INSERT";
  alias.answer = "GOT";
  alias.refusal = "FAILED";
  alias.parameters = {{"uri", "name", 1, 1, Use::take},
                      {"start_us", "at", 1000, 1, Use::take},
                      {"start_s", "until", 1, 1000, Use::take},
                      {"id", "", 1, 1, Use::echo},
                      {"cache", "", 1, 1, Use::ignore}};
  return table;
}

struct AliasesFixture {
  AliasesFixture() { BOOST_REQUIRE(aliases.ok()); }
  Aliases::Alias const& alias() const { return *aliases.value().find("LISTDATA"); }
  Status translate_with(std::string_view name, Value value) {
    theirs.clear();
    theirs.command = "LISTDATA";
    theirs.set(name, value);
    return translate(alias(), theirs, ours);
  }
  Result<Aliases> aliases{Aliases::read({table_with("pages", "LISTDATA"), table_with("mails", "MAIL")})};
  Message theirs;
  Message ours;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(aliases_of_tables)

BOOST_FIXTURE_TEST_CASE(a_command_finds_its_table, AliasesFixture) {
  BOOST_TEST(aliases.value().all().size() == 2U);
  BOOST_TEST(aliases.value().find("MAIL")->table->name == "mails");
  BOOST_TEST(alias().table->name == "pages");
  BOOST_TEST(aliases.value().find("INSERT") == nullptr);
}

BOOST_AUTO_TEST_CASE(two_tables_that_want_one_command_are_refused) {
  Result<Aliases> const both = Aliases::read({table_with("pages", "LISTDATA"), table_with("mails", "LISTDATA")});
  BOOST_REQUIRE(!both.ok());
  BOOST_TEST((both.status().code() == Code::bad_configuration));
  for (char const* const part : {"mails.xml", "LISTDATA", "table pages"})
    BOOST_TEST(both.status().message().find(part) != std::string::npos, both.status().message());
}

BOOST_FIXTURE_TEST_CASE(parameters_are_taken_under_their_own_names_echoes_and_ignored_ones_are_not, AliasesFixture) {
  theirs.command = "LISTDATA";
  theirs.from_server = "box";
  theirs.from_service = "lister";
  for (auto const& [name, value] : {std::pair{"uri", "http://a/"}, {"id", "17"}, {"cache", "no"}})
    theirs.set(name, value);
  BOOST_TEST(translate(alias(), theirs, ours).ok());
  BOOST_TEST(ours.command == "INSERT");
  BOOST_TEST(ours.from_server == "box");
  BOOST_TEST(ours.from_service == "lister");
  BOOST_TEST(ours.params().size() == 2U);
  BOOST_TEST(ours.text("table") == "pages");
  BOOST_TEST(ours.text("name") == "http://a/");
}

BOOST_FIXTURE_TEST_CASE(a_parameter_that_is_not_declared_is_refused_by_name, AliasesFixture) {
  Status const status = translate_with("uril", Value::of_text("http://a/"));
  BOOST_TEST((status.code() == Code::unknown_parameter));
  BOOST_TEST(status.message().find("\"uril\"") != std::string::npos, status.message());
}

BOOST_FIXTURE_TEST_CASE(dates_of_other_units_become_milliseconds_and_never_earlier, AliasesFixture) {
  for (auto const& [us, ms] : {std::pair{0, 0}, {1, 1}, {1000, 1}, {1001, 2}, {1'999'999, 2000}}) {
    BOOST_TEST(translate_with("start_us", Value::of_integer(us)).ok());
    BOOST_TEST(ours.integer("at").value() == ms);
  }
  BOOST_TEST(translate_with("start_s", Value::of_text("12")).ok());
  BOOST_TEST(ours.integer("until").value() == 12'000);
}

BOOST_FIXTURE_TEST_CASE(what_is_no_date_is_refused, AliasesFixture) {
  for (Value const value :
       {Value::of_text("soon"), Value::of_text(""), Value::of_integer(-1), Value::of_integer(INT64_MAX / 1000 + 1)}) {
    Status const status = translate_with("start_s", value);
    BOOST_TEST((status.code() == Code::bad_parameter));
    BOOST_TEST(status.message() == "start_s is no date");
  }
  BOOST_TEST(translate_with("start_s", Value::of_integer(INT64_MAX / 1000)).ok());
}

BOOST_FIXTURE_TEST_CASE(the_sender_is_told_its_echoes_and_nothing_else, AliasesFixture) {
  theirs.set("id", "17");
  theirs.set("uri", "http://a/");
  for (bool const accepted : {true, false}) {
    Answer answer;
    acknowledge(alias(), theirs, accepted, answer);
    BOOST_REQUIRE(answer.heads().size() == 1U);
    BOOST_TEST(answer.heads().front().command == (accepted ? "GOT" : "FAILED"));
    BOOST_REQUIRE(answer.params().size() == 1U);
    BOOST_TEST(answer.params().front().name == "id");
    BOOST_TEST(answer.params().front().value.bytes == "17");
  }
}

BOOST_AUTO_TEST_SUITE_END()
