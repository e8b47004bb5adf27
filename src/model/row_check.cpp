#include "model/row_check.h"

#include <utility>

#include "model/key_codec.h"
#include "model/parameters.h"
#include "model/row_codec.h"

namespace fastjournal::model {
namespace {

constexpr std::size_t kScratchBytesMax = std::size_t{64} << 10U;

void reset(std::string& scratch) {
  scratch.clear();
  if (scratch.capacity() > kScratchBytesMax) scratch = {};
}

}  // namespace

RowCheck::RowCheck(TableDeclaration table, TypeDeclaration const& type) : table_(std::move(table)) {
  for (Column const& column : table_.schema.columns) names_.add(column.name, 0);
  for (OptionValue const& option : table_.options)
    if (option.name == "priority-words") priorities_.take(option.text);
  for (CommandDeclaration const& command : type.commands)
    if (command.name == "INSERT")
      for (ParameterDeclaration const& parameter : command.parameters) names_.add(parameter.name, 0);
}

Status RowCheck::check(Message const& insert, std::int64_t now_ms) const {
  for (Param const& param : insert.params())
    if (!names_.has(param.name)) return unknown_parameter(insert.command, table_.name, param.name);
  Parameters parameters{insert};
  InsertParameters const read = read_insert(parameters, now_ms, priorities_);
  parameters.refuse(check_expiration(read, now_ms));
  if (!parameters.ok()) return parameters.take_status();
  // Encoded as the daemon will do it, and dropped.
  static thread_local std::string scratch;
  reset(scratch);
  if (Status status = encode_key(table_.schema, insert, scratch); !status.ok()) return status;
  return encode_data(table_.schema, insert, scratch);
}

}  // namespace fastjournal::model
