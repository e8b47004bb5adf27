// Messages and replies of the C API.
#include <cstring>

#include "clients/c/handles.h"
#include "clients/cpp/journal.h"

using namespace fastjournal;
using namespace fastjournal::c;
using namespace fastjournal::client;

namespace {

constexpr std::size_t kBytesMax = 64U * 1024 * 1024;

std::string_view terminated(Message& message, std::string_view bytes) {
  char* const at = message.arena().take(bytes.size() + 1);
  if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
  at[bytes.size()] = '\0';
  return {at, bytes.size()};
}

int set_value(fj_message* message, char const* name, Value value) {
  return guarded({{message, "message"}, {name, "name"}}, [&] { return message->set(name, value); });
}

Value const* found(fj_message const* message, char const* name) {
  return message == nullptr || name == nullptr ? nullptr : message->message.find(name);
}

// `read` returns an optional number.
template <typename T, typename Read>
int get_number(fj_message const* message, char const* name, T* value, char const* wanted, Read const& read) {
  return guarded({{message, "message"}, {name, "name"}, {value, "value"}}, [&]() -> Status {
    Value const* const held = message->message.find(name);
    if (held == nullptr)
      return Status{Code::not_found, message->command + " has no parameter " + name}.with("parameter", name);
    auto const number = read(*held);
    if (!number) return refused(name, std::string{name} + " is no " + wanted);
    *value = *number;
    return {};
  });
}

// Of a journal, or of a queue.
bool is_row(Message const& message) { return message.command == "ROW" || message.command == "MESSAGE"; }

}  // namespace

Status fj_message::set(std::string_view name, Value value) {
  bool const has = message.has(name);
  std::size_t const more = (has ? 0 : name.size() + 1) + value.bytes.size() + 1;
  if (value.bytes.size() > kBytesMax || name.size() > kBytesMax || more > kBytesMax - bytes)
    return Status{Code::too_large, "the parameters of a message have at most 64 MiB, all that were set counted"}.with(
        "parameter", std::string{name.substr(0, 256)});
  if (!has && message.params().size() >= Message::kParamsMax - 1)
    return {Code::too_large, "a message has at most " + std::to_string(Message::kParamsMax - 1) + " parameters"};
  if (value.kind == Value::Kind::text || value.kind == Value::Kind::binary)
    value.bytes = terminated(message, value.bytes);
  message.set(has ? name : terminated(message, name), value);
  bytes += more;
  return {};
}

std::unique_ptr<fj_message> fastjournal::c::shown_of(Message const& message) {
  auto out = std::make_unique<fj_message>(message.command);
  for (Param const& param : message.params()) {
    Value value = param.value;
    if (value.kind == Value::Kind::text || value.kind == Value::Kind::binary)
      value.bytes = terminated(out->message, value.bytes);
    out->message.set(terminated(out->message, param.name), value);
    out->bytes += param.name.size() + value.bytes.size() + 2;
  }
  return out;
}

Result<std::unique_ptr<fj_message>> fastjournal::c::message_with(
    char const* command, std::initializer_list<std::pair<char const*, char const*>> texts) {
  auto out = std::make_unique<fj_message>(command);
  for (auto const& [name, text] : texts)
    if (text != nullptr)
      if (Status set = out->set(name, Value::of_text(text)); !set.ok()) return set;
  return out;
}

extern "C" {

fj_message* fj_message_new(char const* command) {
  return made<fj_message>({{command, "command"}}, [&] { return message_with(command, {}); });
}

fj_message* fj_row_new(char const* table) {
  return made<fj_message>({{table, "table"}}, [&] { return message_with("INSERT", {{"table", table}}); });
}

fj_message* fj_message_copy(fj_message const* message) {
  return made<fj_message>({{message, "message"}}, [&] { return Result{shown_of(message->message)}; });
}

int fj_message_clear(fj_message* message) {
  return guarded({{message, "message"}}, [&] {
    bool const has_table = message->message.has("table");
    std::string const table{message->message.text("table")};
    message->message.clear();
    message->message.command = message->command;
    message->bytes = 0;
    message->after.clear();
    message->has_ended = false;
    return has_table ? message->set("table", Value::of_text(table)) : Status{};
  });
}

void fj_message_free(fj_message* message) { delete message; }

int fj_set_text(fj_message* message, char const* name, char const* text, size_t size) {
  if (text == nullptr && size != 0) return guarded({{text, "text"}}, [] { return Status{}; });
  return set_value(message, name, Value::of_text({text, size == FJ_NUL ? std::strlen(text) : size}));
}

int fj_set_binary(fj_message* message, char const* name, void const* bytes, size_t size) {
  if (bytes == nullptr && size != 0) return guarded({{bytes, "bytes"}}, [] { return Status{}; });
  return set_value(message, name, Value::of_binary({static_cast<char const*>(bytes), size}));
}

int fj_set_integer(fj_message* message, char const* name, int64_t value) {
  return set_value(message, name, Value::of_integer(value));
}

int fj_set_unsigned(fj_message* message, char const* name, uint64_t value) {
  return set_value(message, name, Value::of_unsigned(value));
}

int fj_set_real(fj_message* message, char const* name, double value) {
  return set_value(message, name, Value::of_real(value));
}

int fj_set_boolean(fj_message* message, char const* name, int value) {
  return set_value(message, name, Value::of_boolean(value != 0));
}

int fj_set_from_now(fj_message* message, char const* name, int64_t milliseconds) {
  return guarded({{message, "message"}, {name, "name"}}, [&] {
    if (milliseconds < 0) return refused(name, std::string{name} + ": a date from now is 0 or more milliseconds away");
    return message->set(name, Value::of_text("+" + std::to_string(milliseconds)));
  });
}

char const* fj_message_name(fj_message const* message) {
  return message == nullptr ? nullptr : message->command.c_str();
}

int fj_get_kind(fj_message const* message, char const* name) {
  Value const* const value = found(message, name);
  if (value == nullptr) return FJ_ABSENT;
  switch (value->kind) {
    case Value::Kind::text: return FJ_TEXT;
    case Value::Kind::binary: return FJ_BINARY;
    case Value::Kind::integer: return FJ_INTEGER;
    case Value::Kind::unsigned_integer: return FJ_UNSIGNED;
    case Value::Kind::real: return FJ_REAL;
    case Value::Kind::boolean: return FJ_BOOLEAN;
  }
  return FJ_ABSENT;
}

char const* fj_get_text(fj_message const* message, char const* name, size_t* size) {
  int const kind = fj_get_kind(message, name);
  if (kind != FJ_TEXT && kind != FJ_BINARY) return nullptr;
  std::string_view const bytes = message->message.text(name);
  if (size != nullptr) *size = bytes.size();
  return bytes.data();
}

void const* fj_get_binary(fj_message const* message, char const* name, size_t* size) {
  return fj_get_text(message, name, size);
}

int fj_get_integer(fj_message const* message, char const* name, int64_t* value) {
  return get_number(message, name, value, "integer of 64 bits", [](Value const& held) { return held.as_integer(); });
}

int fj_get_unsigned(fj_message const* message, char const* name, uint64_t* value) {
  return get_number(message, name, value, "unsigned integer of 64 bits",
                    [](Value const& held) { return held.as_unsigned(); });
}

int fj_get_real(fj_message const* message, char const* name, double* value) {
  return get_number(message, name, value, "number", [](Value const& held) { return held.as_real(); });
}

size_t fj_param_count(fj_message const* message) { return message == nullptr ? 0 : message->message.params().size(); }

char const* fj_param_name(fj_message const* message, size_t index) {
  return index < fj_param_count(message) ? message->message.params()[index].name.data() : nullptr;
}

int fj_is_column(char const* name) { return name != nullptr && !is_row_parameter(name) ? 1 : 0; }

size_t fj_reply_count(fj_reply const* reply) { return reply == nullptr ? 0 : reply->shown.size(); }

fj_message const* fj_reply_message(fj_reply const* reply, size_t index) {
  if (index >= fj_reply_count(reply)) return nullptr;
  std::unique_ptr<fj_message>& shown = reply->shown[index];
  if (shown != nullptr) return shown.get();
  guarded({}, [&] {
    shown = shown_of(reply->reply.messages[index]);
    return Status{};
  });
  return shown.get();
}

size_t fj_reply_rows(fj_reply const* reply) {
  if (reply == nullptr) return 0;
  size_t rows = 0;
  for (Message const& message : reply->reply.messages) rows += is_row(message) ? 1 : 0;
  return rows;
}

fj_message const* fj_reply_row(fj_reply const* reply, size_t index) {
  for (size_t i = 0; i < fj_reply_count(reply); ++i)
    if (is_row(reply->reply.messages[i]) && index-- == 0) return fj_reply_message(reply, i);
  return nullptr;
}

int fj_reply_resent(fj_reply const* reply) { return reply != nullptr && reply->reply.resent ? 1 : 0; }

void fj_reply_free(fj_reply* reply) { delete reply; }

}  // extern "C"
