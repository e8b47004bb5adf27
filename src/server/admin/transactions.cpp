// BEGIN, COMMIT and ROLLBACK of the connection's transaction.
#include <string>

#include "server/admin/commands.h"

namespace fastjournal::admin {

Result<DurationMs> read_timeout(Request const& request, engine::Transactions const& transactions,
                                std::string_view until) {
  Value const* const given = request.message.find("timeout");
  if (given == nullptr) return transactions.limit();
  std::int64_t const most = transactions.limit().value;
  std::int64_t const timeout = given->kind == Value::Kind::boolean ? 0 : given->as_integer().value_or(0);
  if (timeout >= 1 && timeout <= most) return DurationMs{timeout};
  return bad_parameter("timeout", "timeout, the ms until " + std::string{until} + ", is a whole number from 1 to " +
                                      std::to_string(most));
}

Command make_begin(engine::Engine& engine) {
  return {[&transactions = engine.transactions()](Request const& request) -> Outcome {
    if (request.caller.stands_alone)
      return Status{Code::not_supported,
                    "a request stands alone here: send a transaction as a whole, with TRANSACTION"};
    Result<DurationMs> const timeout = read_timeout(request, transactions, "COMMIT");
    if (!timeout.ok()) return timeout.status();
    Result<TransactionId> const begun = transactions.begin(request.caller.connection, timeout.value(), request.now);
    if (!begun.ok()) return begun.status();
    request.answer.message("BEGUN")
        .add("transaction", static_cast<std::uint64_t>(begun.value()))
        .add("timeout", timeout->value);
    return {};
  }};
}

Command make_commit(engine::Engine& engine) {
  return {[&engine](Request const& request) -> Outcome {
    return engine.commit(request.caller.connection, request.message, request.now, request.answer);
  }};
}

Command make_rollback(engine::Engine& engine) {
  return {[&transactions = engine.transactions()](Request const& request) -> Outcome {
    return transactions.roll_back(request.caller.connection, request.now, request.answer);
  }};
}

}  // namespace fastjournal::admin
