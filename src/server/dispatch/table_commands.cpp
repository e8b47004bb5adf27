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

// Unknown names are refused: ignored, a misspelt option would look as if it had been applied.
Status check_parameters(engine::HostedTable const& table, engine::CommandType const& command, Message const& message) {
  for (Param const& param : message.params()) {
    if (param.name == kTable) continue;  // of every command
    if ((command.takes_columns && table.columns.has(param.name)) || command.parameters.has(param.name)) continue;
    return model::unknown_parameter(command.name, command.takes_columns ? table.name : std::string_view{}, param.name);
  }
  for (std::string const& name : command.required)
    if (!message.has(name))
      return Status{Code::missing_parameter, command.name + " needs the parameter " + name}.with("parameter", name);
  return {};
}

}  // namespace

TableCommands::Checked TableCommands::check(Speaker const& speaker, Message const& message, Status& status,
                                            admin::Basis& basis) {
  if (!speaker.permit().reaches(message.text(kTable))) {
    status = listeners_.check_reach(speaker, message.command.substr(0, kCommandNameShown),
                                    message.text("table").substr(0, kUnknownNameShown));
    if (!status.ok()) return {};
  }
  engine::HostedTable* table = admin::find_table(engine_, message, status, basis);
  bool const is_stale = table == nullptr && (table = admin::find_stale(engine_, message)) != nullptr;
  if (table == nullptr) return {};
  std::uint32_t const index = table->type->find_command(message.command);
  if (index == NameTable::kAbsent) {
    status = Status{Code::not_supported, "table " + table->name + " is of type " + table->type->name() +
                                             ", which has no command " + std::string{message.command}};
    return {};
  }
  engine::CommandType const& type = table->type->commands()[index];
  if (is_stale && !type.can_be_stale()) return {};
  if (is_stale) status = {};
  // Checked here too, to save a Status for most messages. The table is one that the speaker reaches.
  if (!speaker.rights.has(type.right)) {
    status = listeners_.check_on(speaker, type.right, type.name, table->name);
    if (!status.ok()) return {};
  }
  for (auto const& [name, right] : type.rights) {
    if (speaker.rights.has(right) || !message.has(name)) continue;
    status = listeners_.check_on(speaker, right, type.name, table->name);
    if (!status.ok()) {
      status = std::move(status).with("parameter", name);
      return {};
    }
  }
  status = check_parameters(*table, type, message);
  if (!status.ok()) return {};
  std::string_view const named = message.text("worker");
  if (named.size() > kWorkerBytesMax) {
    status = Status{Code::too_large, "worker has more than " + std::to_string(kWorkerBytesMax) + " bytes"}.with(
        "parameter", "worker");
    return {};
  }
  return {table,
          {.index = static_cast<std::uint16_t>(index),
           .message = &message,
           .connection = speaker.connection,
           .worker = named.empty() ? speaker.worker : named,
           .origin = speaker.origin,
           .holds = speaker.holds,
           .may_manage = speaker.rights.has(Right::manage) ||
                         (speaker.user != nullptr && speaker.permit().has_on(Right::manage, table->name))}};
}

bool TableCommands::run(Speaker const& speaker, Message& message, Answer& answer, Status& status, admin::Basis& basis) {
  Checked const checked = check(speaker, message, status, basis);
  if (checked.table == nullptr) return true;
  if (checked.table->outside == nullptr)
    return engine_.execute(*checked.table, checked.command, clock_.now(), answer, status);
  // Of a transaction that is over, or has no place for it, no byte is stored.
  bool const is_in_one = engine_.transactions().takes(*checked.table, checked.command);
  bool const is_promised = is_in_one && engine_.transactions().promises(*checked.table, checked.command);
  if (is_in_one != is_promised) return engine_.execute(*checked.table, checked.command, clock_.now(), answer, status);
  switch (values_.prepare(speaker, *checked.table, checked.command, is_promised, message, status)) {
    case ValuesFirst::Ready::later: return false;
    case ValuesFirst::Ready::refused: return true;
    case ValuesFirst::Ready::now: break;
  }
  work::Fetching fetching = values_.standing();
  bool const is_done = engine_.execute(*checked.table, checked.command, clock_.now(), answer, status,
                                       speaker.may_store ? &fetching : nullptr);
  values_.settle();
  if (is_done || fetching.wanted.file == 0) return is_done;
  return !values_.read(speaker, *checked.table, fetching, message, status);
}

engine::HostedTable* TableCommands::wish_to_store(Speaker const& speaker, Message const& message, StoreRequest& wish,
                                                  Status& status) {
  engine::HostedTable const* const named = engine_.find_table(message.text("table"));
  if (named == nullptr || named->outside == nullptr) return nullptr;
  admin::Basis basis;
  Checked const checked = check(speaker, message, status, basis);
  if (checked.table == nullptr || !is_promised(message, status)) return nullptr;
  status = checked.table->can.stores->wish_to_store(checked.command, clock_.now(), wish);
  return status.ok() && !wish.pieces.empty() ? checked.table : nullptr;
}

Status TableCommands::promise(Speaker const& speaker, Message const& message, Answer& answer) {
  Status status;
  admin::Basis basis;
  Checked const checked = check(speaker, message, status, basis);
  if (checked.table != nullptr)
    static_cast<void>(engine_.execute(*checked.table, checked.command, clock_.now(), answer, status));
  return status;
}

Result<TableCommands::Content> TableCommands::accept_content(Speaker const& speaker, Message const& message,
                                                             std::uint64_t bytes) {
  Status status;
  admin::Basis basis;
  Checked const checked = check(speaker, message, status, basis);
  if (!status.ok()) return status;
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

bool TableCommands::is_promised(Message const& message, Status& status) const {
  engine::CommandType const* const command = find(message.text("table"), message.command);
  if (command == nullptr || command->in_transaction == InTransaction::promised) return true;
  status = {Code::not_supported, command->name + " is not part of transactions: send it before or after this one"};
  return false;
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
