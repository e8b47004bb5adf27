#include "tests/world/follower.h"

#include "engine/digest.h"
#include "wire/text.h"

namespace fastjournal::sim {

bool Follower::hear() {
  for (std::string const& datagram : world_.network().take_datagrams()) replica_.take_datagram(datagram);
  return replica_.is_up_to_date();
}

Status Follower::step() {
  static_cast<void>(hear());
  Message request;
  if (!replica_.next_request(request)) return {};
  // Small pages, so that much changes between them.
  if (random_() % 2 == 0) request.set("bytes", Value::of_unsigned(1 + random_() % 2000));
  std::string line;
  if (Status status = protocol::append_line({.command = request.command, .params = request.params()}, line);
      !status.ok())
    return status;
  line.pop_back();
  world_.send("follower", line);
  world_.settle();
  for (;;) {
    std::optional<std::string> const answer = world_.take_line("follower");
    // No answer: the daemon died of a disk error.
    if (!answer) {
      replica_.abandon();
      return {};
    }
    Message message;
    if (Status status = protocol::parse_line(*answer, message); !status.ok()) return status;
    bool const last = message.command != "RECORD";
    if (Status status = replica_.take_answer(message); !status.ok()) return status;
    if (last) return {};
  }
}

Status Follower::catch_up() {
  replica_.look();
  for (int steps = 0; steps < 100'000 && world_.is_running(); ++steps) {
    if (Status status = step(); !status.ok()) return status;
    if (!replica_.is_up_to_date()) continue;
    if (replica_.position() >= world_.log().end_lsn()) return {};
    replica_.look();
  }
  return {Code::timed_out, "the follower never came to where the daemon is"};
}

std::string Follower::compare() {
  if (Status status = catch_up(); !status.ok()) return "follower: " + status.text();
  if (replica_.counters().damaged > 0) return "follower: a record did not fit what it had";
  engine::HostedTable const* const table = world_.engine().find_table(table_);
  if (engine::digest_of(*table->table, table_) == replica_.digest()) return {};
  return "follower: digest(replica) differs from digest(daemon) at LSN " + std::to_string(replica_.position().value);
}

}  // namespace fastjournal::sim
