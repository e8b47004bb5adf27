// What the nodes of a cluster compare of their tables' files.
#include <algorithm>
#include <functional>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "engine/digest.h"

namespace {

using namespace fastjournal;

TableDeclaration one() {
  TableDeclaration out;
  out.name = "jobs";
  out.type = "journal";
  out.schema.columns.resize(2);
  out.schema.columns[0].name = "name";
  out.schema.columns[1].name = "size";
  out.schema.columns[1].type = ColumnType::int32;
  out.schema.key = {0};
  out.options = {{.name = "lease", .text = "1m", .integer = 60'000, .given = true},
                 {.name = "grace", .text = "10s", .integer = 10'000, .given = false}};
  AliasDeclaration& alias = out.aliases.emplace_back();
  alias.command = "LISTDATA";
  alias.means = "INSERT";
  alias.parameters.emplace_back().name = "key";
  out.feed.emplace().address = "239.1.2.3:4051";
  WakeMessage& wake = out.wake_message.emplace();
  wake.service = "list";
  wake.command = "PING";
  wake.parameters = {{"a", "b"}};
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(declaration_digest)

BOOST_AUTO_TEST_CASE(whatever_changes_what_a_table_does_changes_its_digest) {
  std::vector<std::function<void(TableDeclaration&)>> const changes = {
      [](TableDeclaration& t) { t.name = "mails"; },
      [](TableDeclaration& t) { t.type = "queue"; },
      [](TableDeclaration& t) { t.schema.columns[1].type = ColumnType::int64; },
      [](TableDeclaration& t) { t.schema.columns[1].required = true; },
      [](TableDeclaration& t) { t.schema.columns[1].merge = MergeRule::max; },
      [](TableDeclaration& t) { t.schema.columns[1].default_text = ""; },
      [](TableDeclaration& t) { t.schema.columns[1].value_min = 0; },
      [](TableDeclaration& t) { t.schema.columns[1].value_max = 0; },
      [](TableDeclaration& t) { t.schema.columns[0].length_max = 100; },
      [](TableDeclaration& t) { t.schema.columns.pop_back(); },
      [](TableDeclaration& t) { std::swap(t.schema.columns[0], t.schema.columns[1]); },
      [](TableDeclaration& t) { t.schema.key = {1}; },
      [](TableDeclaration& t) {
        t.schema.key = {0, 1};
      },
      [](TableDeclaration& t) { t.options[0].integer = 61'000; },
      [](TableDeclaration& t) { t.options[1].given = true; },
      [](TableDeclaration& t) { t.aliases.clear(); },
      [](TableDeclaration& t) { t.aliases[0].refusal = "NO"; },
      [](TableDeclaration& t) { t.aliases[0].parameters[0].units_per_ms = 1000; },
      [](TableDeclaration& t) { t.feed.reset(); },
      [](TableDeclaration& t) { t.feed->address = "239.1.2.3:4052"; },
      [](TableDeclaration& t) { t.wake_message->parameters[0].value = "c"; },
      [](TableDeclaration& t) { t.wake_message.reset(); },
  };
  std::vector<std::uint64_t> seen = {engine::digest_of(one())};
  for (auto const& change : changes) {
    TableDeclaration changed = one();
    change(changed);
    seen.push_back(engine::digest_of(changed));
  }
  std::ranges::sort(seen);
  BOOST_TEST((std::ranges::adjacent_find(seen) == seen.end()));
}

BOOST_AUTO_TEST_CASE(what_may_differ_between_nodes_does_not_change_it) {
  std::vector<std::function<void(TableDeclaration&)>> const changes = {
      [](TableDeclaration& t) { t.description = "for people"; },
      [](TableDeclaration& t) { t.schema.columns[0].description = "for people"; },
      [](TableDeclaration& t) { t.schema.version = 7; },
      [](TableDeclaration& t) { t.options[0].text = "60s"; },
      // The program's.
      [](TableDeclaration& t) { t.options[1].integer = 20'000; },
      [](TableDeclaration& t) {
        t.options.push_back({.name = "key-secret", .text = "geheim", .integer = 0, .given = true});
      },
      [](TableDeclaration& t) { t.feed->interface = "192.0.2.1"; },
      [](TableDeclaration& t) { t.file = "elsewhere.xml"; },
  };
  for (auto const& change : changes) {
    TableDeclaration changed = one();
    change(changed);
    BOOST_TEST(engine::digest_of(changed) == engine::digest_of(one()));
  }
}

BOOST_AUTO_TEST_SUITE_END()
