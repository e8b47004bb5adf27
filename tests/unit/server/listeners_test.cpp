// The text of a refusal for lack of a right. Whole conversations: tests/transcripts.
#include "server/listeners.h"

#include <boost/test/unit_test.hpp>

namespace {

using namespace fastjournal;
using namespace fastjournal::server;

}  // namespace

BOOST_AUTO_TEST_SUITE(listeners)

BOOST_AUTO_TEST_CASE(an_unknown_listener_gives_no_right) {
  Listeners listeners{{}};
  listeners.add(2, {"127.0.0.1:4050", kLoopbackRights});
  BOOST_TEST(listeners.of(0).rights.is_empty());
  BOOST_TEST(listeners.of(1).rights.is_empty());
  BOOST_TEST((listeners.of(2).rights == kLoopbackRights));
  BOOST_TEST(listeners.of(3).rights.is_empty());
}

BOOST_AUTO_TEST_CASE(no_right_includes_another_and_a_refusal_names_the_way_to_it) {
  Listeners listeners{{}};
  Speaker const speaker{.rights = {Right::admin}, .door = "unix:/x"};
  BOOST_TEST(listeners.check(speaker, Right::admin, "STOP").ok());
  Status const alone = listeners.check(speaker, Right::add, "INSERT");
  BOOST_TEST((alone.code() == Code::not_allowed));
  BOOST_TEST(alone.message() ==
             "INSERT needs the right add; whoever comes by unix:/x has admin: have it in rights=\"...\" of a <listen> "
             "or <socket>");
  listeners.add(1, {"unix:/run/a.sock", kAllRights});
  BOOST_TEST(
      listeners.check(speaker, Right::add, "INSERT").message().find("administrator's socket, unix:/run/a.sock") !=
      std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
