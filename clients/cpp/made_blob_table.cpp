// Made by ./mk generate from plugins/blob/blob.xml and clients/calls/blob.toml: do not edit.
// clang-format off
// The calls of made_blob_table.h.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/cpp/answers.h"
#include "clients/cpp/blob_table.h"
#include "clients/cpp/key_text.h"
#include "clients/cpp/made_blob_table_messages.h"

namespace fastjournal::client {

Result<StoredBlob> stored_blob_of(Message const& message) {
  if (message.command != "STORED") return unexpected(message, "STORED");
  StoredBlob out;
  out.hash = message.text("hash");
  out.entry_time = number(message, "entry_time");
  out.begin = number(message, "begin");
  out.end = number(message, "end");
  out.file = number(message, "file");
  out.result = message.text("result");
  return out;
}

Result<Blob> blob_of(Message const& message) {
  if (message.command != "BLOB") return unexpected(message, "BLOB");
  Blob out;
  out.hash = message.text("hash");
  out.result = message.text("result");
  out.entry_time = number(message, "entry_time");
  out.begin = number(message, "begin");
  out.end = number(message, "end");
  out.length = number(message, "length");
  out.file = number(message, "file");
  out.content_hash = message.text("content_hash");
  out.data = bytes_in(message, "data");
  return out;
}

Result<Maintaining> maintaining_of(Message const& message) {
  if (message.command != "MAINTAINING") return unexpected(message, "MAINTAINING");
  Maintaining out;
  out.result = message.text("result");
  out.mode = message.text("mode");
  out.phase = message.text("phase");
  out.file = number(message, "file");
  out.total = number(message, "total");
  out.done = number(message, "done");
  return out;
}

Message BlobTable::put_of(std::string_view key, std::string_view data, StoreOptions const& options) const {
  Message command = command_on(table_, "PUT");
  set_key(command, "key", key);
  command.set("data", Value::of_binary(data));
  set_options(command, options);
  return command;
}

Result<StoredBlob> BlobTable::put(std::string_view key, std::string_view data, StoreOptions const& options) {
  Message command = put_of(key, data, options);
  return then(connection_.call_numbered(command), stored_blob_of);
}

Result<std::optional<Blob>> BlobTable::get(std::string_view key, BlobPart const& options) {
  Message command = command_on(table_, "GET");
  command.set_integer("data", 1);
  set_key(command, "key", key);
  set_options(command, options);
  return then(connection_.call(command), [](Message const& answer) { return if_any(answer, blob_of); });
}

Result<std::vector<Blob>> BlobTable::list() {
  Message command = command_on(table_, "LIST");
  return all_pages(connection_, command, blob_of, UINT64_MAX);
}

Message BlobTable::omit_of(std::string_view key, std::string_view hash) const {
  Message command = command_on(table_, "OMIT");
  set_key(command, "key", key);
  set_hash(command, hash);
  return command;
}

Result<std::string> BlobTable::omit(std::string_view key, std::string_view hash) {
  Message command = omit_of(key, hash);
  return then(connection_.call(command), [](Message const& answer) -> Result<std::string> {
    return std::string{answer.text("result")};
  });
}

Result<Maintaining> BlobTable::maintain(MaintainOptions const& options) {
  Message command = command_on(table_, "MAINTAIN");
  set_options(command, options);
  return then(connection_.call(command), maintaining_of);
}

}  // namespace fastjournal::client
