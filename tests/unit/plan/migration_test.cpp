// What becomes of sources and destinations in a newer version of a plan.
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

#include "model/plan/migration.h"
#include "tests/unit/plan/plan_files.h"

namespace fastjournal::plan {
namespace {

constexpr char kSecond[] = "name=\"p\" version=\"2\"";

std::string text_of(std::vector<Carried> const& list) {
  std::vector<std::string> out;
  for (Carried const& one : list)
    out.push_back(one.before + (one.what == Carried::What::merged ? "=>" : "->") + one.now +
                  (one.change.empty() ? "" : "(" + one.change + ")"));
  return joined(out);
}

std::string destinations_of(Plan const& older, Plan const& newer, Renamed const& renamed = {}) {
  Migration const found = migrate(older, newer, renamed);
  BOOST_TEST(named(found.findings) == "");
  return text_of(found.destinations);
}

BOOST_AUTO_TEST_SUITE(migration)

BOOST_AUTO_TEST_CASE(what_has_its_name_goes_on_and_the_rest_is_new_or_ends) {
  Plan const older = plan_of(R"(
    <source name="files" router="duplicate-all"/>
    <source name="mails"/>
    <step name="index" after="files mails" kind="idempotent"/>
    <step name="bill" after="files" kind="potent"/>)");
  Plan const newer = plan_of(R"(
    <source name="files" hash="sha256" router="duplicate-all"/>
    <source name="rows"/>
    <step name="index" after="files rows" kind="potent" guarantee="at-least-once"/>
    <step name="keep" after="files" kind="idempotent"/>)",
                             kSecond);
  Migration const found = migrate(older, newer, {});
  BOOST_TEST(text_of(found.sources) ==
             "files->files(hash xxh3 becomes sha256: every document counts as changed) mails-> ->rows");
  BOOST_TEST(text_of(found.destinations) ==
             "index->index(idempotent becomes potent, at-most-once becomes at-least-once) "
             "index<-via->index->index<-via->index(idempotent becomes potent, at-most-once becomes at-least-once) "
             "bill-> ->keep");
}

BOOST_AUTO_TEST_CASE(renamed_steps_and_branches_are_followed) {
  auto const diamond = [](std::string const& left, std::string const& store, char const* head) {
    return plan_of("<source name=\"s\" router=\"duplicate-all\"/><step name=\"" + left +
                       "\" after=\"s\"/><step name=\"right\" after=\"s\"/><step name=\"" + store + "\" after=\"" +
                       left + " right\" kind=\"potent\"/>",
                   head);
  };
  Plan const older = diamond("left", "store", "name=\"p\" version=\"1\"");
  Plan const newer = diamond("west", "archive", kSecond);
  BOOST_TEST(destinations_of(older, newer, {{"left", "west"}, {"store", "archive"}}) ==
             "store<-via->left->archive<-via->west store<-via->right->archive<-via->right");
  // Without the branch one of two is unknown; without the output both are.
  BOOST_TEST(destinations_of(older, newer, {{"store", "archive"}}) ==
             "store<-via->left-> store<-via->right->archive<-via->right ->archive<-via->west");
  BOOST_TEST(destinations_of(older, newer) ==
             "store<-via->left-> store<-via->right-> ->archive<-via->west ->archive<-via->right");
}

BOOST_AUTO_TEST_CASE(the_only_one_of_an_output_goes_on_whatever_its_branches) {
  Plan const older = plan_of("<source name=\"s\"/><step name=\"store\" after=\"s\" kind=\"potent\"/>");
  Plan const newer = plan_of(
      "<source name=\"s\" router=\"duplicate-all\"/><step name=\"store\" after=\"s\" kind=\"potent\"/>"
      "<step name=\"keep\" after=\"s\" kind=\"potent\"/>",
      kSecond);
  BOOST_TEST(destinations_of(older, newer) == "store->store ->keep");
}

BOOST_AUTO_TEST_CASE(two_that_become_one_are_merged) {
  std::string const head =
      "<source name=\"s\" router=\"duplicate-all\"/><step name=\"a\" after=\"s\"/><step name=\"b\" after=\"s\"/>"
      "<step name=\"store\" after=\"a b\" kind=\"potent\"";
  BOOST_TEST(destinations_of(plan_of(head + "/>"), plan_of(head + " any-path=\"true\"/>", kSecond)) ==
             "store<-via->a=>store store<-via->b=>store");
  // The other way round nobody knows which of them was reached.
  BOOST_TEST(destinations_of(plan_of(head + " any-path=\"true\"/>"), plan_of(head + "/>", kSecond)) ==
             "store-> ->store<-via->a ->store<-via->b");
}

BOOST_AUTO_TEST_CASE(a_name_that_another_step_has_taken_means_that_one) {
  std::string const head = "<source name=\"s\" router=\"duplicate-all\"/>";
  std::string const both =
      head + "<step name=\"a\" after=\"s\" kind=\"potent\"/><step name=\"b\" after=\"s\" kind=\"potent\"/>";
  BOOST_TEST(destinations_of(plan_of(both), plan_of(both, kSecond), {{"a", "b"}, {"b", "a"}}) == "a->b b->a");
  BOOST_TEST(destinations_of(plan_of(both), plan_of(both, kSecond), {{"a", "b"}}) == "a->b b-> ->a");
}

BOOST_AUTO_TEST_CASE(a_source_does_not_become_a_step) {
  Plan const older = plan_of("<source name=\"s\"/><step name=\"t\" after=\"s\" kind=\"potent\"/>");
  Plan const newer = plan_of("<source name=\"t\"/><step name=\"s\" after=\"t\" kind=\"potent\"/>", kSecond);
  Migration const found = migrate(older, newer, {});
  BOOST_TEST(text_of(found.sources) == "s-> ->t");
  BOOST_TEST(text_of(found.destinations) == "t-> ->s");
}

BOOST_AUTO_TEST_CASE(mistakes_have_names) {
  std::string const steps = "<source name=\"s\"/><step name=\"t\" after=\"s\" kind=\"potent\"/>";
  Plan const one = plan_of(steps);
  BOOST_TEST(named(migrate(one, one, {}).findings) == "0:not-newer");
  BOOST_TEST(named(migrate(one, plan_of(steps, "name=\"q\" version=\"2\""), {}).findings) == "0:other-plan");
  Plan const two = plan_of(steps, kSecond);
  BOOST_TEST(named(migrate(two, one, {}).findings) == "0:not-newer");
  BOOST_TEST(named(migrate(one, two, {{"x", "t"}}).findings) == "0:unknown-step");
  BOOST_TEST(named(migrate(one, two, {{"t", "x"}}).findings) == "0:unknown-step");
  BOOST_TEST(named(migrate(one, two, {{"s", "t"}, {"t", "t"}}).findings) == "0:renamed-twice");
  BOOST_TEST(migrate(one, one, {}).destinations.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace fastjournal::plan
