#include "server/dispatch/table_commands.h"

#include <string>
#include <string_view>

#include "fastjournal/limits.h"
#include "model/parameters.h"

namespace fastjournal::server {
namespace {

// Of names that a client made up: the longest that ours can have.
constexpr std::size_t kCommandNameShown = 64;
constexpr std::size_t kUnknownNameShown = 64;

constexpr std::string_view kTable = "table";
constexpr std::string_view kWorker = "worker";

// Unknown names are refused: ignored, a misspelt option would look as if it had been applied. `worker`: the parameter
// of this name.
Status check_parameters(engine::HostedTable const& table, engine::CommandType const& command, Message const& message,
                        std::string_view& worker) {
  for (Param const& param : message.params()) {
    if (param.name == kTable) continue;  // of every command
    if (param.name == kWorker) worker = param.value.bytes;
    if ((command.takes_columns && table.columns.has(param.name)) || command.parameters.has(param.name)) continue;
    return model::unknown_parameter(command.name, command.takes_columns ? table.name : std::string_view{}, param.name);
  }
  for (std::string const& name : command.required)
    if (!message.has(name))
      return Status{Code::missing_parameter, command.name + " needs the parameter " + name}.with("parameter", name);
  return {};
}

}  // namespace

TableCommands::Checked TableCommands::check(Speaker const& speaker, Message const& message) {
  if (!speaker.bound.empty() && !speaker.permit().reaches(message.text(kTable)))
    if (Status status = listeners_.check_reach(speaker, message.command.substr(0, kCommandNameShown),
                                               message.text("table").substr(0, kUnknownNameShown));
        !status.ok())
      return {std::move(status)};
  engine::HostedTable* table = admin::find_table(engine_, message);
  // Everything known of a table that does not serve is durable.
  engine::Basis const basis = engine::basis_of(table == nullptr ? nullptr : table->log);
  bool const is_stale = table == nullptr;
  if (is_stale) table = admin::find_stale(engine_, message);
  if (table == nullptr) return {admin::why_no_table(engine_, message)};
  std::uint32_t const index = table->type->find_command(message.command);
  if (index == NameTable::kAbsent)
    return {{{Code::not_supported, "table " + table->name + " is of type " + table->type->name() +
                                       ", which has no command " + std::string{message.command}},
             basis}};
  engine::CommandType const& type = table->type->commands()[index];
  if (is_stale && !type.can_be_stale()) return {admin::why_no_table(engine_, message)};
  // Checked here too, to save a Status for most messages. The table is one that the speaker reaches.
  if (!speaker.rights.has(type.right))
    if (Status status = listeners_.check_on(speaker, type.right, type.name, table->name); !status.ok())
      return {{std::move(status), basis}};
  for (auto const& [name, right] : type.rights) {
    if (speaker.rights.has(right) || !message.has(name)) continue;
    if (Status status = listeners_.check_on(speaker, right, type.name, table->name); !status.ok())
      return {{std::move(status).with("parameter", name), basis}};
  }
  std::string_view named;
  if (Status status = check_parameters(*table, type, message, named); !status.ok()) return {{std::move(status), basis}};
  if (named.size() > kWorkerBytesMax)
    return {{Status{Code::too_large, "worker has more than " + std::to_string(kWorkerBytesMax) + " bytes"}.with(
                 "parameter", "worker"),
             basis}};
  return {{{}, basis},
          table,
          {.index = static_cast<std::uint16_t>(index),
           .message = &message,
           .connection = speaker.connection,
           .worker = named.empty() ? speaker.worker : named,
           .origin = speaker.origin,
           .holds = speaker.holds,
           .may_manage = speaker.rights.has(Right::manage) ||
                         (speaker.user != nullptr && speaker.permit().has_on(Right::manage, table->name))}};
}

engine::Outcome TableCommands::run(Speaker const& speaker, Message& message, Answer& answer) {
  Checked checked = check(speaker, message);
  if (checked.table == nullptr) return std::move(checked.refusal);
  engine::Outcome outcome = checked.table->outside == nullptr
                                ? engine_.serving().execute(*checked.table, checked.command, clock_.now(), answer)
                                : run_with_values(speaker, checked, message, answer);
  outcome.basis = checked.refusal.basis;
  return outcome;
}

engine::Outcome TableCommands::run_with_values(Speaker const& speaker, Checked const& checked, Message& message,
                                               Answer& answer) {
  engine::HostedTable& table = *checked.table;
  engine::Serving& serving = engine_.serving();
  // Of a transaction that is over, or has no place for it, no byte is stored.
  bool const is_in_one = engine_.transactions().takes(table, checked.command);
  bool const is_promised = is_in_one && engine_.transactions().promises(table, checked.command);
  if (is_in_one != is_promised) return serving.execute(table, checked.command, clock_.now(), answer);
  if (std::optional<engine::Outcome> first = values_.prepare(speaker, table, checked.command, is_promised, message))
    return std::move(*first);
  work::Fetching fetching = values_.resumed();
  engine::Outcome outcome =
      serving.execute(table, checked.command, clock_.now(), answer, speaker.may_store ? &fetching : nullptr);
  values_.settle();
  bool const is_read = outcome.is_later && fetching.wanted.file != 0;
  return is_read ? values_.read(speaker, table, fetching, message) : std::move(outcome);
}

Result<engine::HostedTable*> TableCommands::request_store(Speaker const& speaker, Message const& message,
                                                          StoreRequest& request) {
  engine::HostedTable* const none = nullptr;
  engine::HostedTable const* const named = engine_.find_table(message.text("table"));
  if (named == nullptr || named->outside == nullptr) return none;
  Checked checked = check(speaker, message);
  if (checked.table == nullptr) return std::move(checked.refusal.status);
  if (Status status = check_promised(message); !status.ok()) return status;
  Status status = checked.table->can.stores->request_store(checked.command, clock_.now(), request);
  if (!status.ok()) return status;
  return request.pieces.empty() ? none : checked.table;
}

Status TableCommands::promise(Speaker const& speaker, Message const& message, Answer& answer) {
  Checked checked = check(speaker, message);
  if (checked.table == nullptr) return std::move(checked.refusal.status);
  return engine_.serving().execute(*checked.table, checked.command, clock_.now(), answer).status;
}

Result<TableCommands::Content> TableCommands::accept_content(Speaker const& speaker, Message const& message,
                                                             std::uint64_t bytes) {
  Checked checked = check(speaker, message);
  if (checked.table == nullptr) return std::move(checked.refusal.status);
  if (checked.table->outside == nullptr)
    return Status{Code::not_supported, "table " + checked.table->name + " stores nothing outside its log"};
  Result<std::uint64_t> const most = checked.table->can.stores->accept_content(checked.command, clock_.now(), bytes);
  if (!most.ok()) return most.status();
  return Content{checked.table, most.value()};
}

engine::CommandType const* TableCommands::find(std::string_view table_name, std::string_view name) const {
  engine::HostedTable const* const table = engine_.find_table(table_name);
  if (table == nullptr) return nullptr;
  std::uint32_t const index = table->type->find_command(name);
  return index == NameTable::kAbsent ? nullptr : &table->type->commands()[index];
}

Status TableCommands::check_promised(Message const& message) const {
  engine::CommandType const* const command = find(message.text("table"), message.command);
  if (command == nullptr || command->in_transaction == InTransaction::promised) return {};
  return {Code::not_supported, command->name + " is not part of transactions: send it before or after this one"};
}

std::optional<Right> TableCommands::right_of(std::string_view table, std::string_view command) const {
  engine::CommandType const* const found = find(table, command);
  if (found == nullptr) return std::nullopt;
  return found->right;
}

bool TableCommands::adds(Message const& message) const {
  engine::CommandType const* const command = find(message.text("table"), message.command);
  return command != nullptr && command->kind == CommandKind::add && command->right == Right::add;
}

}  // namespace fastjournal::server
