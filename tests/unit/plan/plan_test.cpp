// Plans as their files say them: where documents have to arrive, by which ways, and what a crash runs again. The files
// that are wrong are in tests/golden/config.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "model/plan/crash.h"
#include "model/plan/destinations.h"
#include "tests/unit/plan/plan_files.h"

namespace fastjournal::plan {
namespace {

std::vector<Finding> findings_of(std::string const& steps, std::string const& more = {}) {
  return file_of(steps, "name=\"p\" version=\"1\" " + more).findings;
}

StepIndex number_of(Plan const& plan, std::string const& name) {
  for (std::size_t at = 0; at < plan.steps.size(); ++at)
    if (plan.steps[at].name == name) return static_cast<StepIndex>(at);
  BOOST_FAIL("no step " << name);
  return 0;
}

std::string names_of(Plan const& plan, std::vector<StepIndex> const& steps) {
  std::vector<std::string> out;
  for (StepIndex const step : steps) out.push_back(plan.step(step).name);
  return joined(out);
}

std::string all_of(Destinations const& destinations) {
  std::vector<std::string> out;
  for (Destination const& one : destinations.all()) out.push_back(one.name);
  return joined(out);
}

std::string of_source(Plan const& plan, std::string const& source) {
  Destinations const destinations{plan};
  std::vector<std::string> out;
  for (std::size_t const one : destinations.of_source(number_of(plan, source)))
    out.push_back(destinations.all()[one].name);
  return joined(out);
}

std::string in(Plan const& plan, Destinations const& destinations, std::string const& step) {
  Crash const crash = crash_in(plan, destinations, number_of(plan, step));
  auto const of = [&](std::vector<std::size_t> const& list) {
    std::vector<std::string> out;
    for (std::size_t const one : list) out.push_back(destinations.all()[one].name);
    return joined(out);
  };
  return "again(" + names_of(plan, crash.again) + ") passed(" + names_of(plan, crash.skipped) + ") sent(" +
         of(crash.sent_again) + ") doubt(" + of(crash.in_doubt) + ")";
}

BOOST_AUTO_TEST_SUITE(destinations)

BOOST_AUTO_TEST_CASE(each_source_has_the_outputs_that_its_documents_reach) {
  Plan const plan = plan_of(R"(
    <source name="files" router="duplicate-all"/>
    <source name="mails"/>
    <step name="one" after="files" kind="potent"/>
    <step name="two" after="files mails" kind="potent"/>
    <step name="three" after="files" kind="idempotent"/>)");
  BOOST_TEST(all_of(Destinations{plan}) == "one two two<-via->two three");
  BOOST_TEST(of_source(plan, "files") == "one two<-via->two three");
  BOOST_TEST(of_source(plan, "mails") == "two");
}

BOOST_AUTO_TEST_CASE(copies_that_arrive_by_two_branches_are_two_deliveries) {
  std::string const diamond = R"(
    <source name="s" router="duplicate-all"/>
    <step name="left" after="s"/>
    <step name="right" after="s"/>
    <step name="join" after="left right" router="duplicate-all"/>
    <step name="a" after="join" kind="potent"/>
    <step name="b" after="join" kind="potent")";
  Plan const plan = plan_of(diamond + "/>");
  BOOST_TEST(all_of(Destinations{plan}) == "a<-via->left/a a<-via->right/a b<-via->left/b b<-via->right/b");
  Plan const any = plan_of(diamond + " any-path=\"true\"/>");
  BOOST_TEST(all_of(Destinations{any}) == "a<-via->left/a a<-via->right/a b");
  BOOST_TEST(of_source(any, "s") == "a<-via->left/a a<-via->right/a b");
}

BOOST_AUTO_TEST_CASE(one_that_is_reached_one_way_has_the_name_of_its_step) {
  Plan const plan = plan_of(R"(
    <source name="s" router="duplicate-all"/>
    <step name="a" after="s" kind="potent"/>
    <step name="b" after="s" kind="potent"/>)");
  BOOST_TEST(all_of(Destinations{plan}) == "a b");
}

BOOST_AUTO_TEST_CASE(routers_that_choose_duplicate_nothing) {
  std::string const behind = R"(
    <step name="left" after="s"/>
    <step name="right" after="s"/>
    <step name="store" after="left right" kind="potent"/>)";
  for (std::string const router :
       {"router=\"by-name\"", "router=\"round-robin\"", "router=\"by-name\" copies-max=\"1\""})
    BOOST_TEST(all_of(Destinations{plan_of("<source name=\"s\" " + router + "/>" + behind)}) == "store");
  BOOST_TEST(all_of(Destinations{plan_of("<source name=\"s\" router=\"by-name\" copies-max=\"2\"/>" + behind)}) ==
             "store<-via->left store<-via->right");
}

BOOST_AUTO_TEST_CASE(idempotent_steps_with_others_behind_are_none) {
  Plan const plan = plan_of(R"(
    <source name="s"/>
    <step name="cache" after="s" kind="idempotent"/>
    <step name="store" after="cache" kind="idempotent"/>)");
  BOOST_TEST(all_of(Destinations{plan}) == "store");
}

BOOST_AUTO_TEST_CASE(as_many_as_allowed_are_all_there_and_one_more_is_refused) {
  auto const steps = [](std::size_t outputs) {
    // Four branches by three routers below each other: 64 ways to each output.
    std::string out = "<source name=\"s\" router=\"duplicate-all\"/>";
    for (int level = 1; level <= 3; ++level)
      for (char const* const one : {"a", "b", "c", "d"}) {
        out.append("<step name=\"").append(one).append(std::to_string(level)).append("\" after=\"");
        if (level == 1)
          out.append("s");
        else
          for (char const* const before : {"a", "b", "c", "d"})
            out.append(before).append(std::to_string(level - 1)).append(" ");
        out.append(level < 3     ? "\" router=\"duplicate-all\"/>\n"
                   : outputs > 1 ? "\" router=\"duplicate-all\"/>\n"
                                 : "\"/>\n");
      }
    for (std::size_t at = 0; at < outputs; ++at)
      out.append("<step name=\"o" + std::to_string(at) + "\" after=\"a3 b3 c3 d3\" kind=\"potent\"/>\n");
    return out;
  };
  Plan const plan = plan_of(steps(4));
  BOOST_TEST(Destinations{plan}.all().size() == kDestinationsMax);
  BOOST_TEST(!Destinations{plan}.is_cut());
  BOOST_TEST(named(findings_of(steps(5))) == "1:too-many-destinations");
}

BOOST_AUTO_TEST_CASE(a_plan_is_one_record_of_the_log) {
  auto const steps = [](std::size_t name_bytes) {
    std::string out = "<source name=\"s\" router=\"duplicate-all\"/>\n";
    for (int at = 100; at < 300; ++at)
      out.append("<step name=\"" + std::string(name_bytes, 'o') + std::to_string(at) +
                 "\" after=\"s\" kind=\"potent\"/>\n");
    return out;
  };
  BOOST_TEST(named(findings_of(steps(1))).empty());
  BOOST_TEST(named(findings_of(steps(60))) == "1:too-large");
}

BOOST_AUTO_TEST_CASE(ways_come_in_the_order_of_the_file_and_no_more_than_asked_for) {
  Plan const plan = plan_of(R"(
    <source name="s" router="duplicate-all"/>
    <source name="t"/>
    <step name="a" after="s"/>
    <step name="b" after="s t"/>
    <step name="store" after="a b" kind="potent"/>)");
  Destinations const all{plan};
  std::vector<Path> const paths = all.paths_to(number_of(plan, "store"), 10);
  BOOST_REQUIRE(paths.size() == 3U);
  BOOST_TEST(names_of(plan, paths[0]) == "s a store");
  BOOST_TEST(names_of(plan, paths[1]) == "s b store");
  BOOST_TEST(names_of(plan, paths[2]) == "t b store");
  BOOST_TEST(names_of(plan, all.branches_of(paths[1])) == "b");
  BOOST_TEST(all.branches_of(paths[2]).empty());
  BOOST_TEST(all.paths_to(number_of(plan, "store"), 2).size() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(plans)

BOOST_AUTO_TEST_CASE(retries_are_those_of_the_plan_unless_the_step_says_more) {
  Plan const plan = plan_of(R"(
    <retry max-attempts="7" timeout="2m"/>
    <source name="s"/>
    <step name="a" after="s" kind="safe"/>
    <step name="b" after="a" kind="potent"><retry max-attempts="1"/></step>)");
  BOOST_TEST(plan.step(number_of(plan, "a")).retry.max_attempts == 7U);
  BOOST_TEST(plan.step(number_of(plan, "b")).retry.max_attempts == 1U);
  BOOST_TEST(plan.step(number_of(plan, "b")).retry.timeout_ms == 120'000);
  BOOST_TEST(plan.step(number_of(plan, "b")).retry.cancel_timeout_ms == Retry{}.cancel_timeout_ms);
}

BOOST_AUTO_TEST_CASE(what_is_potent_and_mutating_may_have_steps_behind_it_without_fault_tolerance) {
  std::string const steps = R"(
    <source name="s"/>
    <step name="bill" after="s" kind="potent" effect="mutating"/>
    <step name="store" after="bill" kind="safe"/>
    <step name="keep" after="store" kind="idempotent"/>)";
  BOOST_TEST(named(findings_of(steps)) == "4:potent-mutating");
  BOOST_TEST(named(findings_of(steps, "fault-tolerance=\"false\"")) == "6:non-safe-behind-potent?");
}

BOOST_AUTO_TEST_CASE(warnings_are_errors_of_a_strict_plan) {
  std::vector<Finding> const found = findings_of(R"(
    <source name="s"/>
    <step name="bill" after="s" kind="potent"/>
    <step name="keep" after="bill" kind="idempotent"/>)");
  BOOST_TEST(named(found) == "5:non-safe-behind-potent?");
  BOOST_TEST(is_usable(found, false));
  BOOST_TEST(!is_usable(found, true));
}

BOOST_AUTO_TEST_CASE(branches_by_turns_that_deliver_alike_are_no_warning) {
  std::string const head = R"(
    <source name="s" router="round-robin"/>
    <step name="left" after="s"/>)";
  BOOST_TEST(named(findings_of(head + R"(
    <step name="right" after="s"/>
    <step name="store" after="left right" kind="potent"/>)"))
                 .empty());
  BOOST_TEST(named(findings_of(head + R"(
    <step name="right" after="s" router="duplicate-all"/>
    <step name="store" after="left right" kind="potent"/>
    <step name="keep" after="right" kind="potent"/>)")) == "3:unequal-branches?");
  // The branches may be outputs themselves.
  BOOST_TEST(named(findings_of(R"(
    <source name="s" router="round-robin"/>
    <step name="left" after="s" kind="potent"/>
    <step name="right" after="s"/>
    <step name="store" after="right" kind="potent"/>)"))
                 .empty());
}

BOOST_AUTO_TEST_CASE(every_step_comes_behind_its_predecessors) {
  Plan const plan = plan_of(R"(
    <step name="store" after="b a" kind="potent"/>
    <step name="b" after="a s"/>
    <step name="a" after="s" router="duplicate-all"/>
    <source name="s" router="duplicate-all"/>)");
  BOOST_TEST(names_of(plan, in_order(plan)) == "s a b store");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(crashes)

BOOST_AUTO_TEST_CASE(what_runs_again_depends_on_kinds_and_guarantees) {
  Plan const plan = plan_of(R"(
    <source name="s"/>
    <step name="extract" after="s"/>
    <step name="cache" after="extract" kind="idempotent"/>
    <step name="bill" after="cache" kind="potent" router="duplicate-all"/>
    <step name="store" after="bill" kind="idempotent" guarantee="at-least-once"/>
    <step name="mail" after="bill" kind="potent"/>)");
  Destinations const all{plan};
  BOOST_TEST(in(plan, all, "s") == "again(s) passed() sent() doubt()");
  BOOST_TEST(in(plan, all, "cache") == "again(s extract cache) passed() sent() doubt()");
  BOOST_TEST(in(plan, all, "bill") == "again(s extract cache) passed() sent() doubt(bill)");
  BOOST_TEST(in(plan, all, "store") == "again(s extract cache) passed(bill) sent(store) doubt()");
  BOOST_TEST(in(plan, all, "mail") == "again(s extract cache) passed(bill) sent() doubt(mail)");
}

BOOST_AUTO_TEST_CASE(without_fault_tolerance_nothing_runs_again) {
  Plan const plan = plan_of(R"(
    <source name="s"/>
    <step name="store" after="s" kind="idempotent" guarantee="at-least-once"/>)",
                            "name=\"p\" version=\"1\" fault-tolerance=\"false\"");
  BOOST_TEST(in(plan, Destinations{plan}, "store") == "again() passed() sent() doubt()");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace fastjournal::plan
