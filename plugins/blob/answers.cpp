#include "plugins/blob/answers.h"

namespace fastjournal::blob {
namespace {

bcdb::Outcome outcome_of(Code code) {
  switch (code) {
    case Code::no_space:
    case Code::over_limit: return bcdb::Outcome::no_space;
    case Code::damaged:
    case Code::io_error: return bcdb::Outcome::damaged;
    case Code::too_large: return bcdb::Outcome::too_large;
    case Code::not_allowed: return bcdb::Outcome::not_allowed;
    case Code::unavailable:
    case Code::paused:
    case Code::timed_out:
    case Code::closed: return bcdb::Outcome::unavailable;
    default: return bcdb::Outcome::refused;
  }
}

}  // namespace

void begin_command(std::string_view command, bcdb::Key const& key, Message& message) {
  message.clear();
  message.command = command;
  message.add("hash", Value::of_text(message.arena().copy(bcdb::digits_of(key))));
}

void begin_query(bcdb::Key const& key, Message& message) {
  begin_command("GET", key, message);
  message.set_integer("by_name", 1);
}

Value const* Told::find(std::string_view name) const {
  for (Param const& param : params)
    if (param.name == name) return &param.value;
  return nullptr;
}

std::string_view Told::text(std::string_view name) const {
  Value const* const value = find(name);
  return value == nullptr ? std::string_view{} : value->bytes;
}

std::uint64_t Told::number(std::string_view name) const {
  Value const* const value = find(name);
  return value == nullptr ? 0 : value->as_unsigned().value_or(0);
}

bcdb::Response response_of(Told const& blob, std::uint32_t echo) {
  bcdb::Reply const reply = reply_of(blob);
  return {.echo = echo, .entry_time = reply.entry_time, .begin = reply.begin, .end = reply.end, .flags = reply.flags};
}

bcdb::Reply reply_of(Told const& answer) {
  bcdb::Reply out{.file = static_cast<std::uint32_t>(answer.number("file")),
                  .flags = answer.number("newer") != 0 ? bcdb::kNewer : 0};
  if (answer.text("result") == "absent") {
    out.outcome = bcdb::Outcome::absent;
    return out;
  }
  out.entry_time = static_cast<std::uint32_t>(answer.number("entry_time"));
  out.begin = answer.number("begin");
  out.end = answer.number("end");
  return out;
}

bcdb::Reply failure_of(Code code, std::string_view message) {
  return {.outcome = outcome_of(code), .text = std::string{row_of(code).wire_name}.append(": ").append(message)};
}

}  // namespace fastjournal::blob
