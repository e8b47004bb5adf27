// Which daemon gets the rows of a table: what answers say about it.
#include <boost/test/unit_test.hpp>

#include <set>
#include <string>

#include "clients/spool/core/routes.h"

namespace fastjournal::spool::test {
namespace {

Status moved_to(std::string address) { return Status{Code::moved, "elsewhere"}.with("address", std::move(address)); }

struct Ways {
  explicit Ways(std::vector<std::string> addresses) : routes(std::move(addresses)) {}
  [[nodiscard]] std::string of(std::string_view table) const {
    return routes.addresses()[routes.daemon_of(table, [this](std::size_t at) { return !away.contains(at); })];
  }
  Routes routes;
  std::set<std::size_t> away;
};

BOOST_AUTO_TEST_SUITE(spool_routes)

BOOST_AUTO_TEST_CASE(each_table_goes_where_its_last_answer_says) {
  Ways ways{{"a:1", "b:1"}};
  ways.routes.answered("common", 0, moved_to("b:1"));
  ways.routes.answered("other", 0, moved_to("c:1"));
  BOOST_TEST(ways.of("common") == "b:1");
  BOOST_TEST(ways.of("other") == "c:1");
  BOOST_TEST(ways.of("local") == "a:1");
  ways.routes.answered("common", 1, moved_to("a:1"));
  BOOST_TEST(ways.of("common") == "a:1");
  // An answer that is no news of where it is.
  ways.routes.answered("other", 2, {});
  ways.routes.answered("other", 2, {Code::paused, "paused"});
  BOOST_TEST(ways.of("other") == "c:1");
  ways.routes.forget();
  BOOST_TEST(ways.of("other") == "a:1");
}

BOOST_AUTO_TEST_CASE(where_nobody_decides_or_knows_the_table_the_next_one_is_asked) {
  Ways ways{{"a:1", "b:1"}};
  Status const nobody = Status{Code::unavailable, "nobody decides"}.with("retry", "100");
  BOOST_TEST(is_without_owner(nobody));
  BOOST_TEST(!is_without_owner({Code::unavailable, "it stops"}));
  ways.routes.answered("common", 0, nobody);
  BOOST_TEST(ways.of("common") == "b:1");
  ways.routes.answered("common", 1, nobody);
  BOOST_TEST(ways.of("common") == "a:1");
  ways.routes.answered("common", 0, {Code::unknown_table, "none"});
  BOOST_TEST(ways.of("common") == "b:1");
  ways.routes.answered("common", 1, moved_to(""));
  BOOST_TEST(ways.of("common") == "a:1");
}

BOOST_AUTO_TEST_CASE(one_that_is_away_is_passed_over) {
  Ways ways{{"a:1", "b:1"}};
  ways.routes.answered("common", 0, moved_to("b:1"));
  ways.away = {1};
  BOOST_TEST(ways.of("common") == "a:1");
  ways.away = {0};
  BOOST_TEST(ways.of("local") == "b:1");
}

BOOST_AUTO_TEST_CASE(a_node_that_is_told_through_tls_is_spoken_to_by_tls) {
  Ways ways{{"tls:a:1", "tls:b:1"}};
  ways.routes.answered("common", 0, moved_to("b:1"));
  BOOST_TEST(ways.of("common") == "tls:b:1");
  BOOST_TEST(ways.routes.addresses().size() == 2U);
  ways.routes.answered("common", 0, moved_to("unix:/b"));
  BOOST_TEST(ways.of("common") == "unix:/b");
}

BOOST_AUTO_TEST_CASE(no_more_nodes_are_told_than_are_kept) {
  Ways ways{{"a:1", "b:1"}};
  for (std::size_t node = 0; node < 2 * Routes::kToldMax; ++node)
    ways.routes.answered("common", 0, moved_to("c:" + std::to_string(node)));
  BOOST_TEST(ways.routes.addresses().size() == 2 + Routes::kToldMax);
  BOOST_TEST(ways.of("common") == "b:1");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace fastjournal::spool::test
