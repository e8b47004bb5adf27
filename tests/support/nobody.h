// A sink of answers and pushes, for tests in which no client waits for any.
#pragma once

#include "engine/waiting/served_table.h"

namespace fastjournal::test {

struct Nobody final : work::ReplySink {
  void answer(ConnectionId, Message const&, Answer&, engine::Outcome const&) override {}
  void push(log::Log const&, ConnectionId, Answer&, TimeMs, work::ListenMode) override {}
  bool is_full(ConnectionId) override { return false; }
};

}  // namespace fastjournal::test
