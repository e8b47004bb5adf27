// BEGIN, COMMIT and ROLLBACK of the connection's transaction, and TRANSACTION, which is one as a whole.
#include <optional>
#include <string>

#include "server/admin/commands.h"

namespace fastjournal::admin {
namespace {

class Begin final : public Command {
 public:
  explicit Begin(engine::Engine& engine) : transactions_(engine.transactions()) {}

  void run(Request& request) override {
    if (request.caller.stands_alone) {
      request.status = {Code::not_supported,
                        "a request stands alone here: send a transaction as a whole, with TRANSACTION"};
      return;
    }
    std::optional<DurationMs> const timeout = read_timeout(request, transactions_, "COMMIT");
    if (!timeout) return;
    Result<TransactionId> const begun = transactions_.begin(request.caller.connection, *timeout, request.now);
    if (!begun.ok()) {
      request.status = begun.status();
      return;
    }
    request.answer.message("BEGUN")
        .add("transaction", static_cast<std::uint64_t>(begun.value()))
        .add("timeout", timeout->value);
  }

 private:
  engine::Transactions& transactions_;
};

class Commit final : public Command {
 public:
  explicit Commit(engine::Engine& engine) : engine_(engine) {}

  void run(Request& request) override {
    engine::Branches::Resting rests;
    request.status = engine_.commit(request.caller.connection, request.message, request.now, request.answer, rests);
    request.is_later = rests.is_later;
    if (rests.log != nullptr) request.basis.log = rests.log->log;
  }

 private:
  engine::Engine& engine_;
};

class Rollback final : public Command {
 public:
  explicit Rollback(engine::Engine& engine) : transactions_(engine.transactions()) {}

  void run(Request& request) override {
    request.status = transactions_.roll_back(request.caller.connection, request.now, request.answer);
  }

 private:
  engine::Transactions& transactions_;
};

class Whole final : public Command {
 public:
  explicit Whole(WholeTransactions& transactions) : transactions_(transactions) {}
  void run(Request& request) override { transactions_.run_whole(request); }

 private:
  WholeTransactions& transactions_;
};

}  // namespace

std::optional<DurationMs> read_timeout(Request& request, engine::Transactions const& transactions,
                                       std::string_view until) {
  Value const* const given = request.message.find("timeout");
  if (given == nullptr) return transactions.limit();
  std::int64_t const most = transactions.limit().value;
  std::int64_t const timeout = whole_number(*given).value_or(0);
  if (timeout >= 1 && timeout <= most) return DurationMs{timeout};
  request.status = bad_parameter("timeout", "timeout, the ms until " + std::string{until} +
                                                ", is a whole number from 1 to " + std::to_string(most));
  return std::nullopt;
}

CommandPtr make_begin(engine::Engine& engine) { return std::make_unique<Begin>(engine); }
CommandPtr make_commit(engine::Engine& engine) { return std::make_unique<Commit>(engine); }
CommandPtr make_rollback(engine::Engine& engine) { return std::make_unique<Rollback>(engine); }
CommandPtr make_transaction(WholeTransactions& transactions) { return std::make_unique<Whole>(transactions); }

}  // namespace fastjournal::admin
