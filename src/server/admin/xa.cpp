// Distributed transactions (doc/transactions.md): what a transaction manager sends, and what an administrator decides for
// it.
#include <array>
#include <optional>
#include <string>

#include "server/admin/commands.h"

namespace fastjournal::admin {
namespace {

using engine::Branches;

constexpr std::size_t kShownMax = 1000;
constexpr std::size_t kShown = 100;

Branches::Caller caller_of(Request const& request) {
  return {.connection = request.caller.connection,
          .origin = request.caller.origin,
          .is_operator = request.caller.permit.has(Right::admin),
          .command = &request.message};
}
std::string_view xid_of(Request const& request) { return request.message.text("xid"); }

// By its place in `words`; the first one if it is absent.
template <std::size_t N>
Result<std::size_t> read_word(Request const& request, std::string_view name,
                              std::array<std::string_view, N> const& words) {
  if (!request.message.has(name)) return std::size_t{0};
  std::string expected;
  for (std::size_t i = 0; i < N; ++i) {
    if (request.message.text(name) == words[i]) return i;
    expected.append(i == 0 ? "" : i + 1 == N ? " or " : ", ").append(words[i]);
  }
  return bad_parameter(name, std::string{name} + " is " + expected);
}
// 0 or 1, 0 if it is absent.
Result<bool> read_flag(Request const& request, std::string_view name) {
  Value const* const given = request.message.find(name);
  std::optional<std::int64_t> const number = given == nullptr ? 0 : given->as_integer();
  if (number && (*number == 0 || *number == 1)) return *number == 1;
  return bad_parameter(name, std::string{name} + " is 0 or 1");
}

// Of an end. "There is no such branch" tells of an end as well, which may not be durable yet.
Outcome resting(Outcome outcome) {
  outcome.basis.all = outcome.basis.log == nullptr;
  return outcome;
}

Outcome start(engine::Engine& engine, Request const& request) {
  Branches& branches = engine.branches();
  if (request.caller.stands_alone)
    return Status{Code::not_supported, "a request stands alone here: work on a branch needs a connection"};
  constexpr std::array<std::string_view, 3> kWords{"new", "join", "resume"};
  Result<std::size_t> const how = read_word(request, "how", kWords);
  if (!how.ok()) return how.status();
  Result<DurationMs> const timeout = request.message.has("timeout")
                                         ? read_timeout(request, engine.transactions(), "XA_PREPARE")
                                         : branches.timeout_of(request.caller.connection);
  if (!timeout.ok()) return timeout.status();
  Status status = branches.start(caller_of(request), xid_of(request), static_cast<Branches::Start>(how.value()),
                                 timeout.value(), request.now);
  if (!status.ok()) return status;
  request.answer.message("STARTED").add("xid", xid_of(request));
  if (how.value() == 0) request.answer.add("timeout", timeout->value);
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
  constexpr std::array<std::string_view, 3> kWords{"success", "suspend", "fail"};
  Result<std::size_t> const how = read_word(request, "how", kWords);
  if (!how.ok()) return how.status();
  Status status =
      engine.branches().end(caller_of(request), xid_of(request), static_cast<Branches::End>(how.value()), request.now);
  if (status.ok()) request.answer.message("ENDED").add("xid", xid_of(request));
  return status;
}

template <auto End>
Outcome finish(engine::Engine& engine, Request const& request) {
  return resting((engine.branches().*End)(caller_of(request), xid_of(request), request.now, request.answer));
}

Outcome commit(engine::Engine& engine, Request const& request) {
  Result<bool> const one_phase = read_flag(request, "one_phase");
  if (!one_phase.ok()) return one_phase.status();
  return resting(
      engine.branches().commit(caller_of(request), xid_of(request), one_phase.value(), request.now, request.answer));
}

Outcome recover(engine::Engine& engine, Request const& request) {
  std::int64_t const count = whole_number(request.message, "count", kShown, 0);
  if (count < 1 || count > static_cast<std::int64_t>(kShownMax))
    return bad_parameter("count",
                         "count, the branches of a page, is a whole number from 1 to " + std::to_string(kShownMax));
  Result<bool> const all = read_flag(request, "all");
  if (!all.ok()) return all.status();
  engine.branches().recover(caller_of(request), all.value(), request.message.text("after"),
                            static_cast<std::size_t>(count), request.now, request.answer);
  return {{}, {.all = true}};
}

Outcome decide(engine::Engine& engine, Request const& request) {
  constexpr std::array<std::string_view, 2> kWords{"commit", "rollback"};
  if (!request.message.has("outcome"))
    return Status{Code::missing_parameter, "XA_DECIDE needs the parameter outcome: commit or rollback"}.with(
        "parameter", "outcome");
  Result<std::size_t> const outcome = read_word(request, "outcome", kWords);
  if (!outcome.ok()) return outcome.status();
  return resting(engine.branches().decide(caller_of(request), xid_of(request),
                                          outcome.value() == 0 ? log::Outcome::committed : log::Outcome::rolled_back,
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
