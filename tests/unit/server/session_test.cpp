// The memory of one connection, as the server counts it.
#include <boost/test/unit_test.hpp>

#include <memory>

#include "server/session/session.h"

namespace {

using namespace fastjournal;

struct Keeping final : Protocol {
  Piece read(std::string_view, Message&, std::string&) override { return {}; }
  [[nodiscard]] std::size_t whole_bytes(std::string_view) const override { return 1; }
  [[nodiscard]] std::size_t kept_bytes() const override { return kept; }
  void write(Outgoing const&, std::string&) override {}
  void refuse(Status const&, std::string&) override {}
  std::size_t kept{0};
};

BOOST_AUTO_TEST_SUITE(session)

BOOST_AUTO_TEST_CASE(what_its_protocol_keeps_is_memory_of_a_connection) {
  auto owned = std::make_unique<Keeping>();
  Keeping& protocol = *owned;
  server::Session const session{ConnectionId{1}, {.text = "peer", .origin = "ip:192.0.2.7"}, std::move(owned)};
  std::uint64_t const before = session.memory_bytes();
  protocol.kept = 70'000;
  BOOST_TEST(session.memory_bytes() == before + 70'000);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
