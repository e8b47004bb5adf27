// Which refused messages are kept in a file, and how many at once. Whole conversations:
// tests/world/refused_aliases_test.cpp.
#include "server/communicator/refused_aliases.h"

#include <boost/test/unit_test.hpp>

#include <utility>

#include "server/communicator/datagram_messages.h"
#include "tests/support/nobody.h"
#include "tests/support/recording_network.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::communicator;

struct Files final : RefusalFiles {
  void keep_refused(std::string_view table, std::string text, std::uint64_t ticket) override {
    BOOST_TEST(table == "pages");
    lines.emplace_back(ticket, std::move(text));
  }
  std::vector<std::pair<std::uint64_t, std::string>> lines;
};

engine::Declaration table_with(bool keep) {
  auto table = std::make_shared<TableDeclaration>();
  table->name = "pages";
  AliasDeclaration& alias = table->aliases.emplace_back();
  alias.command = "LISTDATA";
  alias.keep_refused = keep;
  return table;
}

struct RefusedAliasesFixture {
  explicit RefusedAliasesFixture(bool keep = true) : table(table_with(keep)), alias{table, &table->aliases.front()} {
    theirs.set("uri", "http://a/");
    theirs.set(kSecretParameter, "sesame");
  }
  bool keep(Code why) {
    return refused.keep({alias, theirs, ConnectionId{7}, "box:lister", Status{why, "too\nlong"}}, 0, TimeMs{5});
  }

  engine::TableTypes types;
  fastjournal::test::Nobody nobody;
  engine::Engine engine{types, nobody};
  test::RecordingNotes notes;
  Files files;
  RefusedAliases refused{engine, notes, files};
  engine::Declaration table;
  Aliases::Alias alias;
  Message theirs{"LISTDATA"};
};

struct NotKept : RefusedAliasesFixture {
  NotKept() : RefusedAliasesFixture(false) {}
};

}  // namespace

BOOST_AUTO_TEST_SUITE(refused_aliases)

BOOST_FIXTURE_TEST_CASE(a_line_that_can_never_be_taken_is_kept_without_its_secret, RefusedAliasesFixture) {
  BOOST_REQUIRE(keep(Code::bad_parameter));
  BOOST_REQUIRE(files.lines.size() == 1U);
  auto const& [ticket, text] = files.lines.front();
  BOOST_TEST(text == "# 5 box:lister: too long\nLISTDATA uri=http://a/;\n");
  BOOST_TEST(refused.memory_bytes() == 2 * text.size());
  theirs.clear();  // the copy that is kept does not need the original
  auto const kept = refused.take(ticket);
  BOOST_REQUIRE(kept.has_value());
  BOOST_TEST((kept->connection == ConnectionId{7}));
  BOOST_TEST(kept->message.command == "LISTDATA");
  BOOST_TEST(kept->message.text("uri") == "http://a/");
  BOOST_TEST(!kept->message.has(kSecretParameter));
  BOOST_TEST(refused.memory_bytes() == 0U);
  BOOST_TEST(!refused.take(ticket).has_value());
}

BOOST_FIXTURE_TEST_CASE(what_passes_by_itself_is_not_kept, RefusedAliasesFixture) {
  for (Code const code : {Code::no_space, Code::over_limit, Code::paused, Code::unavailable, Code::not_allowed})
    BOOST_TEST(!keep(code));
  BOOST_TEST(files.lines.empty());
  BOOST_TEST(notes.warnings.size() == 1U);  // at most one a second
}

BOOST_FIXTURE_TEST_CASE(nothing_is_kept_where_that_is_not_declared, NotKept) { BOOST_TEST(!keep(Code::bad_parameter)); }

BOOST_FIXTURE_TEST_CASE(no_more_lines_are_written_at_once_than_the_limit, RefusedAliasesFixture) {
  for (std::size_t i = 0; i < RefusedAliases::kLinesMax; ++i) BOOST_REQUIRE(keep(Code::bad_parameter));
  BOOST_TEST(!keep(Code::bad_parameter));
  BOOST_TEST(refused.take(files.lines.front().first).has_value());
  BOOST_TEST(keep(Code::bad_parameter));
}

BOOST_AUTO_TEST_SUITE_END()
