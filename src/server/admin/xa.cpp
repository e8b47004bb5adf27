// Distributed transactions (doc/transactions.md): what a transaction manager sends, and what an administrator decides for
// it.
#include <array>
#include <optional>
#include <string>

#include "server/admin/commands.h"

namespace fastjournal::admin {
namespace {

using engine::Branches;

Branches::Caller caller_of(Request const& request) {
  return {.connection = request.caller.connection,
          .origin = request.caller.origin,
          .is_operator = request.caller.permit.has(Right::admin),
          .command = &request.message};
}
std::string_view xid_of(Request const& request) { return request.message.text("xid"); }

// Of an end. "There is no such branch" tells of an end as well, which may not be durable yet.
Outcome resting(Outcome outcome) {
  outcome.basis.all = outcome.basis.log == nullptr;
  return outcome;
}

Outcome start(engine::Engine& engine, Request const& request) {
  Branches& branches = engine.branches();
  if (request.caller.stands_alone)
    return Status{Code::not_supported, "a request stands alone here: work on a branch needs a connection"};
  auto const how = static_cast<Branches::Start>(request.choice("how"));  // in their order
  Result<DurationMs> const timeout = request.message.has("timeout")
                                         ? read_timeout(request, engine.transactions(), "XA_PREPARE")
                                         : branches.timeout_of(request.caller.connection);
  if (!timeout.ok()) return timeout.status();
  Status status = branches.start(caller_of(request), xid_of(request), how, timeout.value(), request.now);
  if (!status.ok()) return status;
  request.answer.message("STARTED").add("xid", xid_of(request));
  if (how == Branches::Start::begin) request.answer.add("timeout", timeout->value);
  return {};
}

// The time of the branches that this connection begins: told, or set.
Outcome time_out(engine::Engine& engine, Request const& request) {
  Branches& branches = engine.branches();
  if (request.caller.stands_alone)
    return Status{Code::not_supported, "a request stands alone here: give XA_START a timeout"};
  Value const* const given = request.message.find("timeout");
  if (given != nullptr && given->as_integer() == 0) {
    branches.set_timeout(request.caller.connection, std::nullopt);
  } else if (given != nullptr) {
    Result<DurationMs> const timeout = read_timeout(request, engine.transactions(), "XA_PREPARE");
    if (!timeout.ok()) return timeout.status();
    branches.set_timeout(request.caller.connection, timeout.value());
  }
  request.answer.message("XA_TIMEOUT")
      .add("timeout", branches.timeout_of(request.caller.connection).value)
      .add("most", engine.transactions().limit().value);
  return {};
}

Outcome end(engine::Engine& engine, Request const& request) {
  auto const how = static_cast<Branches::End>(request.choice("how"));  // in their order
  Status status = engine.branches().end(caller_of(request), xid_of(request), how, request.now);
  if (status.ok()) request.answer.message("ENDED").add("xid", xid_of(request));
  return status;
}

template <auto End>
Outcome finish(engine::Engine& engine, Request const& request) {
  return resting((engine.branches().*End)(caller_of(request), xid_of(request), request.now, request.answer));
}

Outcome commit(engine::Engine& engine, Request const& request) {
  return resting(engine.branches().commit(caller_of(request), xid_of(request), request.number("one_phase") == 1,
                                          request.now, request.answer));
}

Outcome recover(engine::Engine& engine, Request const& request) {
  engine.branches().recover(caller_of(request), request.number("all") == 1, request.message.text("after"),
                            request.number("count"), request.now, request.answer);
  return {{}, {.all = true}};
}

Outcome decide(engine::Engine& engine, Request const& request) {
  if (request.message.text("outcome").empty())
    return Status{Code::missing_parameter, "XA_DECIDE needs the parameter outcome: commit or rollback"}.with(
        "parameter", "outcome");
  return resting(
      engine.branches().decide(caller_of(request), xid_of(request),
                               request.choice("outcome") == 0 ? log::Outcome::committed : log::Outcome::rolled_back,
                               request.now, request.answer));
}

}  // namespace

Command make_xa(engine::Engine& engine, std::string_view name) {
  using OfBranch = Outcome (*)(engine::Engine&, Request const&);
  static constexpr std::array<std::pair<std::string_view, OfBranch>, 9> kAll{
      {{"XA_START", start},
       {"XA_END", end},
       {"XA_PREPARE", finish<&Branches::prepare>},
       {"XA_COMMIT", commit},
       {"XA_ROLLBACK", finish<&Branches::roll_back>},
       {"XA_FORGET", finish<&Branches::forget>},
       {"XA_RECOVER", recover},
       {"XA_TIMEOUT", time_out},
       {"XA_DECIDE", decide}}};
  for (auto const& [known, run] : kAll)
    if (known == name) return {[&engine, run = run](Request const& request) { return run(engine, request); }};
  return {};
}

}  // namespace fastjournal::admin
