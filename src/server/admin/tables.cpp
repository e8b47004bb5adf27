// TABLES: the tables that are declared, with their columns.
#include <string>

#include "model/value.h"
#include "server/admin/commands.h"

namespace fastjournal::admin {
namespace {

void tell(engine::HostedTable const& table, TimeMs now, Answer& answer) {
  Schema const& schema = table.declaration->schema;
  std::string key;
  for (std::uint16_t const column : schema.key) key.append(key.empty() ? "" : " ").append(schema.columns[column].name);
  std::string columns;
  std::string types;
  for (Column const& column : schema.columns) {
    columns.append(columns.empty() ? "" : " ").append(column.name);
    types.append(types.empty() ? "" : " ").append(model::name_of(column.type));
  }
  answer.message("TABLE").add("name", std::string_view{table.name}).add("type", std::string_view{table.type->name()});
  if (!table.declaration->persistent) answer.add("persistent", std::uint64_t{0});
  answer.add("log", std::string_view{table.log->name});
  if (table.serves()) answer.add("rows", engine::metric_of(table, now, "rows"));
  answer.add("key", std::string_view{key}).add("columns", std::string_view{columns});
  answer.add("types", std::string_view{types});
  answer.add("description", std::string_view{table.declaration->description});
}

}  // namespace

Command make_tables(engine::Engine const& engine) {
  return {[&engine](Request const& request) -> Outcome {
    access::Permit const& permit = request.caller.permit;
    for (auto const& table : engine.tables())
      if (table->table != nullptr && permit.has_on(Right::read, table->name)) tell(*table, request.now, request.answer);
    Status status;
    if (request.answer.empty())
      status = {Code::not_found, permit.has(Right::read)
                                     ? "there is no table; put an XML file into the tables folder and reload"
                                     : "there is no table on which you have the right read"};
    return {std::move(status), {.all = true}};
  }};
}

}  // namespace fastjournal::admin
