// A plan as XML is the plan that it was made of, whatever it says.
#include "model/plan/xml.h"

#include <boost/test/unit_test.hpp>

#include <string>

#include "model/plan/checks.h"
#include "model/plan/codec.h"
#include "tests/unit/plan/plan_files.h"

namespace fastjournal::plan {
namespace {

Plan read_again(std::string const& xml) {
  test::TemporaryFolder const folder;
  std::string const path = folder / "p.xml";
  std::ofstream{path} << xml;
  Result<config::PlanFile> file = config::read_plan(path);
  BOOST_REQUIRE_MESSAGE(file.ok(), file.status().text() << " in " << xml);
  BOOST_REQUIRE_MESSAGE(file->is_usable(), xml);
  return std::move(*file->plan);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(plan_xml)

BOOST_AUTO_TEST_CASE(what_is_written_is_read_again) {
  for (std::string const head : {"name=\"p\" version=\"1\"", "name=\"p-2\" version=\"70000\" fault-tolerance=\"false\"",
                                 "name=\"p\" version=\"2\" strict=\"true\""}) {
    Plan const plan = plan_of(R"(
      <retry max-attempts="5" first="1500ms" jitter="0"/>
      <source name="s" hash="sha256" versions="all" deleted="tell" router="duplicate-all"/>
      <source name="t" hash="none" remember="false" router="round-robin"/>
      <step name="x" after="s" router="by-name" copies-max="2"/>
      <step name="y" after="s" effect="preserving"><retry factor="3" max="7m" timeout="90s"/></step>
      <step name="a" after="x y" kind="idempotent" guarantee="at-least-once" any-path="true"/>
      <step name="b" after="x t" kind="potent"><retry cancel-timeout="1ms" on-timeout="permanent"/></step>
      <step name="c" after="t" kind="potent"/>)",
                              head);
    std::string const xml = to_xml(plan);
    BOOST_TEST(encode(read_again(xml)) == encode(plan), xml);
    BOOST_TEST(to_xml(read_again(xml)) == xml);
  }
}

BOOST_AUTO_TEST_CASE(what_is_usual_is_left_out) {
  BOOST_TEST(to_xml(plan_of("<source name=\"s\"/><step name=\"a\" after=\"s\" kind=\"potent\"/>")) ==
             "<plan name=\"p\" version=\"1\">\n"
             "  <source name=\"s\"/>\n"
             "  <step name=\"a\" after=\"s\" kind=\"potent\"/>\n"
             "</plan>\n");
}

BOOST_AUTO_TEST_CASE(suggestions_are_of_idempotent_outputs_at_most_once) {
  Plan const plan = plan_of(R"(
    <source name="s" router="duplicate-all"/>
    <step name="a" after="s" kind="idempotent"/>
    <step name="b" after="s" kind="idempotent" guarantee="at-least-once"/>
    <step name="c" after="s" kind="potent"/>)");
  BOOST_TEST(named(suggest(plan)) == "4:at-least-once?");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::plan
