#include "clients/programs/fastjournal/buffers.h"

#include <algorithm>

#include "base/base64.h"
#include "base/utf8.h"
#include "model/value.h"

namespace fastjournal::cli {

namespace {

std::string_view take_word(std::string_view& words) {
  std::size_t const size = std::min(words.find(' '), words.size());
  std::string_view const out = words.substr(0, size);
  words.remove_prefix(std::min(size + 1, words.size()));
  return out;
}

bool says_base64(Value const& value) {
  return value.kind == Value::Kind::text && value.bytes.starts_with(kBase64Prefix);
}

}  // namespace

Status Buffers::learn(std::string_view table) {
  if (table_ == table) return {};
  Result<client::Reply> const reply = connection_.call("TABLES");
  if (!reply.ok() && reply.status().code() != Code::not_found) return reply.status();
  table_ = table;
  names_.clear();
  if (!reply.ok()) return {};
  for (Message const& one : reply->messages) {
    if (one.text("name") != table) continue;
    std::string_view types = one.text("types");
    for (std::string_view columns = one.text("columns"); !columns.empty();) {
      std::string_view const name = take_word(columns);
      if (take_word(types) == "buffer") names_.emplace(name);
    }
  }
  return {};
}

Status Buffers::encode(Message& command) {
  std::string_view const table = command.text("table");
  bool const matters =
      !table.empty() && (are_text() || std::any_of(command.params().begin(), command.params().end(),
                                                   [](Param const& p) { return says_base64(p.value); }));
  if (matters)
    if (Status const learned = learn(table); !learned.ok()) return learned;
  std::string scratch;
  for (std::size_t i = 0; i < command.params().size(); ++i) {
    Param const param = command.params()[i];
    bool const is_text = param.value.kind == Value::Kind::text;
    if (!is_text && param.value.kind != Value::Kind::binary) continue;
    bool const is_buffer = matters && names_.contains(param.name);
    if (is_buffer && says_base64(param.value)) {
      if (!decode_base64(param.value.bytes.substr(kBase64Prefix.size()), scratch))
        return {Code::bad_parameter, "column " + std::string(param.name) + ": " + model::shown(param.value.bytes) +
                                         " has no base64 (RFC 4648, padded) behind base64:"};
      command.set(param.name, Value::of_binary(command.arena().copy(scratch)));
    } else if (are_text() && is_buffer) {
      command.set(param.name, Value::of_binary(param.value.bytes));
    } else if (are_text() && !is_text && is_utf8(param.value.bytes)) {
      command.set(param.name, Value::of_text(param.value.bytes));
    }
  }
  return {};
}

Result<client::Reply> Buffers::ask(Message& command) {
  if (Status const encoded = encode(command); !encoded.ok()) return encoded;
  Result<client::Reply> reply = connection_.call(command);
  if (!reply.ok()) return reply;
  for (Message& answer : reply->messages)
    if (answer.command == "ROW")
      if (Status const decoded = decode(answer, command.text("table")); !decoded.ok()) return decoded;
  return reply;
}

Status Buffers::decode(Message& answer, std::string_view table) {
  if (!are_text()) return {};
  if (Status const learned = learn(table); !learned.ok()) return learned;
  std::string scratch;
  for (std::string const& name : names_) {
    Value const* const value = answer.find(name);
    if (value == nullptr || value->kind != Value::Kind::text || !decode_base64(value->bytes, scratch)) continue;
    answer.set(name, Value::of_binary(answer.arena().copy(scratch)));
  }
  return {};
}

}  // namespace fastjournal::cli
