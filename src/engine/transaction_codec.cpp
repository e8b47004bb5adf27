#include "engine/transaction_codec.h"

#include <bit>

#include "base/bytes.h"

namespace fastjournal::engine {
namespace {

// u8 version; of version 2, of a transaction over several logs, u32 number; then, little endian, a text being its u32
// length and its bytes:
//   u32 table, command, worker, origin, i64 asked
//   hold: u64 rows, u64 bytes, u64 record bytes, u32 objects, u64 each, u32 keys, text each
//   u32 parameters; of each its name, u8 kind, u8 verbatim, and text or 8 bytes of its number
constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kVersionNumbered = 2;

void append_text(std::string& out, std::string_view text) {
  append_little(out, static_cast<std::uint32_t>(text.size()));
  out.append(text);
}
std::string_view read_text(ByteReader& reader) { return reader.bytes(reader.number<std::uint32_t>()); }

void write_value(Value const& value, std::string& out) {
  append_little(out, static_cast<std::uint8_t>(value.kind));
  append_little(out, static_cast<std::uint8_t>(value.verbatim));
  switch (value.kind) {
    case Value::Kind::text:
    case Value::Kind::binary: append_text(out, value.bytes); break;
    case Value::Kind::integer: append_little(out, value.integer); break;
    case Value::Kind::unsigned_integer: append_little(out, value.unsigned_integer); break;
    case Value::Kind::real: append_little(out, std::bit_cast<std::uint64_t>(value.real)); break;
    case Value::Kind::boolean: append_little(out, std::uint64_t{value.boolean}); break;
  }
}

bool read_value(ByteReader& reader, Value& out) {
  auto const kind = reader.number<std::uint8_t>();
  bool const verbatim = reader.number<std::uint8_t>() != 0;
  if (!reader.ok() || kind > static_cast<std::uint8_t>(Value::Kind::boolean)) return false;
  switch (static_cast<Value::Kind>(kind)) {
    case Value::Kind::text: out = Value::of_text(read_text(reader)); break;
    case Value::Kind::binary: out = Value::of_binary(read_text(reader)); break;
    case Value::Kind::integer: out = Value::of_integer(reader.number<std::int64_t>()); break;
    case Value::Kind::unsigned_integer: out = Value::of_unsigned(reader.number<std::uint64_t>()); break;
    case Value::Kind::real: out = Value::of_real(std::bit_cast<double>(reader.number<std::uint64_t>())); break;
    case Value::Kind::boolean: out = Value::of_boolean(reader.number<std::uint64_t>() != 0); break;
  }
  out.verbatim = verbatim;
  return reader.ok();
}

}  // namespace

void write_op(PromisedOp const& op, Message const& message, std::string& out) {
  append_little(out, op.number == 0 ? kVersion : kVersionNumbered);
  if (op.number != 0) append_little(out, op.number);
  append_little(out, static_cast<std::uint32_t>(op.table));
  for (std::string const* text : {&op.command, &op.worker, &op.origin}) append_text(out, *text);
  append_little(out, op.asked.value);
  append_little(out, op.hold.rows);
  append_little(out, op.hold.bytes);
  append_little(out, std::uint64_t{op.hold.record_bytes});
  append_little(out, static_cast<std::uint32_t>(op.hold.objects.size()));
  for (ObjectId const object : op.hold.objects) append_little(out, object.value);
  append_little(out, static_cast<std::uint32_t>(op.hold.keys.size()));
  for (std::string const& key : op.hold.keys) append_text(out, key);
  append_little(out, static_cast<std::uint32_t>(message.params().size()));
  for (Param const& param : message.params()) {
    append_text(out, param.name);
    write_value(param.value, out);
  }
}

bool read_op(std::string_view bytes, PromisedOp& out, Message& message) {
  ByteReader reader{bytes};
  auto const version = reader.number<std::uint8_t>();
  if (version != kVersion && version != kVersionNumbered) return false;
  out.number = version == kVersionNumbered ? reader.number<std::uint32_t>() : 0;
  if (version == kVersionNumbered && out.number == 0) return false;
  out.table = TableId{reader.number<std::uint32_t>()};
  for (std::string* text : {&out.command, &out.worker, &out.origin}) *text = read_text(reader);
  out.asked.value = reader.number<std::int64_t>();
  out.hold.rows = reader.number<std::uint64_t>();
  out.hold.bytes = reader.number<std::uint64_t>();
  out.hold.record_bytes = reader.number<std::uint64_t>();
  for (auto left = reader.number<std::uint32_t>(); left > 0 && reader.ok(); --left)
    out.hold.objects.push_back({reader.number<std::uint64_t>()});
  for (auto left = reader.number<std::uint32_t>(); left > 0 && reader.ok(); --left)
    out.hold.keys.emplace_back(read_text(reader));
  auto const params = reader.number<std::uint32_t>();
  if (!reader.ok() || params > Message::kParamsMax) return false;
  message.command = out.command;
  for (std::uint32_t i = 0; i < params; ++i) {
    std::string_view const name = read_text(reader);
    Value value;
    if (!read_value(reader, value)) return false;
    message.add(name, value);
  }
  message.own();
  return reader.finished();
}

}  // namespace fastjournal::engine
