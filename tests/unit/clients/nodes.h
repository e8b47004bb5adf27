// What tests of tables on several daemons have in common: the answers of such daemons, and checks of commands.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "clients/cpp/client.h"
#include "tests/unit/clients/fake_server.h"
#include "tests/unit/clients/talk.h"

namespace fastjournal::client {

inline std::unique_ptr<Connection> connected_to(std::string const& server, Milliseconds limit = kLimit) {
  return connected({.server = server, .time_limit = limit, .back_off = {Milliseconds{1}}});
}

// The facts of a daemon that does not decide for the table. `token` 0: it says none.
inline std::vector<Param> moved_to(std::string const& address, std::int64_t token, std::string_view table = "pages") {
  std::vector<Param> out{text("code", "moved"), text("table", table), text("message", "another node decides")};
  if (!address.empty()) out.push_back(text("address", address));
  if (!address.empty()) out.push_back(text("node", "n2"));
  if (token != 0) out.push_back(number("token", token));
  return out;
}

inline std::vector<Param> nobody(std::int64_t retry) {
  return {text("code", "unavailable"), text("message", "nobody decides"), number("retry", retry)};
}

inline Params insert(std::int64_t n, std::string_view table = "pages") {
  return {text("table", table), number("n", n)};
}
inline Params numbered(std::int64_t sequence) {
  return {text("table", "pages"), number("n", sequence), text("client", "c"), number("sequence", sequence)};
}

// Expects these INSERTs in their order, and answers them.
inline void take_inserts(FakeServer::Peer& peer, std::initializer_list<std::int64_t> numbers) {
  for (std::int64_t const n : numbers) {
    Message const one = peer.expect("INSERT");
    want(one.integer("n") == n, "another order");
    peer.answer(one, "INSERTED", {number("row", n)});
  }
}

inline std::string fact_of(Status const& status, std::string const& name) {
  for (auto const& [known, value] : status.facts())
    if (known == name) return value;
  return {};
}

inline void want_inserted(Result<Reply> const& reply, std::int64_t row) {
  BOOST_REQUIRE_MESSAGE(reply.ok(), reply.status().text());
  BOOST_TEST(reply->first().integer("row").value_or(-1) == row);
}

}  // namespace fastjournal::client
