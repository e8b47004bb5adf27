// Plans as texts of one line, and where documents get to when routers have chosen.
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <random>
#include <string>

#include "config/plan_reader.h"
#include "model/plan/codec.h"
#include "model/plan/routes.h"
#include "tests/support/seed.h"

namespace fastjournal::plan {
namespace {

Plan read(std::string const& path) {
  Result<config::PlanFile> const file = config::read_plan(path);
  BOOST_REQUIRE(file.ok());
  BOOST_REQUIRE(file->is_usable());
  return *file->plan;
}

std::vector<std::string> good_plans() {
  std::vector<std::string> out;
  for (auto const& entry : std::filesystem::directory_iterator{FJ_SOURCE_DIR "/tests/golden/config/good/plans"})
    if (entry.path().extension() == ".xml" && config::read_plan(entry.path())->is_usable())
      out.push_back(entry.path().string());
  return out;
}

StepIndex step(Plan const& plan, std::string const& name) {
  for (StepIndex at = 0; at < plan.steps.size(); ++at)
    if (plan.steps[at].name == name) return at;
  throw std::runtime_error("no step " + name);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(plan_codec)

BOOST_AUTO_TEST_CASE(a_plan_comes_back_as_it_was) {
  std::vector<std::string> const paths = good_plans();
  BOOST_REQUIRE(paths.size() >= 2U);
  for (std::string const& path : paths) {
    Plan const plan = read(path);
    std::string const text = encode(plan);
    std::optional<Plan> const back = decode(text);
    BOOST_REQUIRE_MESSAGE(back, path << ": " << text);
    BOOST_TEST(encode(*back) == text);
    BOOST_REQUIRE(back->steps.size() == plan.steps.size());
    for (std::size_t at = 0; at < plan.steps.size(); ++at) {
      Step const& one = plan.steps[at];
      Step const& other = back->steps[at];
      BOOST_TEST(one.name == other.name);
      BOOST_TEST((one.router == other.router && one.copies_max == other.copies_max));
      if (one.is_source)
        BOOST_TEST((one.hash == other.hash && one.remembers == other.remembers &&
                    one.keeps_versions == other.keeps_versions && one.tells_deleted == other.tells_deleted));
      else
        BOOST_TEST((one.kind == other.kind && one.effect == other.effect && one.guarantee == other.guarantee &&
                    one.any_path == other.any_path && one.retry == other.retry));
      BOOST_TEST((one.before == other.before && one.after == other.after), one.name);
    }
  }
}

// Logs hold it: it must not change.
BOOST_AUTO_TEST_CASE(the_text_of_a_plan_lasts) {
  Plan plan;
  plan.name = "docs";
  plan.version = 3;
  plan.steps.resize(2);
  plan.steps[0].name = "pages";
  plan.steps[0].is_source = true;
  plan.steps[0].hash = Hash::sha256;
  plan.steps[0].after = {1};
  plan.steps[1].name = "index";
  plan.steps[1].kind = Kind::idempotent;
  plan.steps[1].effect = Effect::preserving;
  plan.steps[1].before = {0};
  BOOST_TEST(encode(plan) ==
             "plan docs 3 1 0 source pages 1 1 0 1 step index 1 1 0 0 0 1 3 1000 2 600000 10 300000 30000 0 0");
}

BOOST_AUTO_TEST_CASE(what_is_no_plan_is_refused) {
  std::string const good = encode(read(good_plans().front()));
  BOOST_TEST(decode(good).has_value());
  for (std::string const text :
       {"", "plan", "plan p 0 1 0", "plan p 1 1 0", "plan p 1 2 0", "x p 1 1 0 source s 0 1 0 1",
        "plan p 1 1 0 source s 0 1 0 1", "plan p 1 1 0 source s 9 1 0 1",
        "plan p 1 1 0 source s 0 1 0 1 step a 2 1 0 0 0 1 3 1 2 3 0 1 0 0 7"})
    BOOST_TEST(!decode(text).has_value(), text);
  std::mt19937_64 random{fastjournal::test::seed_or(1)};
  for (int round = 0; round < 20'000; ++round) {
    std::string text = good;
    for (std::uint64_t changes = 1 + random() % 3; changes > 0; --changes) {
      std::size_t const at = random() % text.size();
      switch (random() % 3) {
        case 0: text[at] = static_cast<char>(random() % 256); break;
        case 1: text.erase(at, 1 + random() % 4); break;
        default: text.insert(at, 1, static_cast<char>("0123456789 ,"[random() % 12])); break;
      }
      if (text.empty()) text = " ";
    }
    // Whatever comes of it can be used.
    if (std::optional<Plan> const plan = decode(text)) BOOST_TEST(is_usable(check(*plan), plan->strict), text);
  }
}

// s to all > x, y; x by name > a, b; y by name > b, c; b takes one delivery whatever its way, a and c are outputs.
BOOST_AUTO_TEST_CASE(choices_close_ways) {
  Plan const plan = *decode(
      "plan p 1 1 0 source s 0 1 2 1 "
      "step x 0 0 0 0 1 1 3 1 2 3 0 1000 0 0 0 step y 0 0 0 0 1 1 3 1 2 3 0 1000 0 0 0 "
      "step a 1 1 1 0 0 1 3 1 2 3 0 1000 0 0 1 step b 1 1 1 1 0 1 3 1 2 3 0 1000 0 0 1,2 "
      "step c 1 1 1 0 0 1 3 1 2 3 0 1000 0 0 2");
  Destinations const destinations{plan};
  auto const reached = [&](std::vector<Choice> const& choices, std::optional<StepIndex> via = std::nullopt) {
    std::string out;
    for (Destination const& one : destinations.all())
      if (reaches(plan, 0, one, choices, via)) out += one.name;
    return out;
  };
  StepIndex const x = step(plan, "x");
  StepIndex const y = step(plan, "y");
  StepIndex const a = step(plan, "a");
  StepIndex const b = step(plan, "b");
  StepIndex const c = step(plan, "c");
  BOOST_TEST(reached({}) == "abc");
  BOOST_TEST(reached({{x, {a}}}) == "abc");
  BOOST_TEST(reached({{x, {b}}}) == "bc");
  BOOST_TEST(reached({{x, {a}}, {y, {c}}}) == "ac");
  BOOST_TEST(reached({{x, {b}}, {y, {b}}}) == "b");
  BOOST_TEST(reached({}, x) == "ab");
  BOOST_TEST(reached({}, y) == "bc");
  BOOST_TEST(reached({{y, {c}}}, y) == "c");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::plan
