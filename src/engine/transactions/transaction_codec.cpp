#include "engine/transactions/transaction_codec.h"

#include <algorithm>
#include <bit>

#include "base/bytes.h"

namespace fastjournal::engine {
namespace {

// u8 version; of version 2, of a transaction over several logs, u32 number; then, little endian, a text being its u32
// length and its bytes:
//   u32 table, command, worker, origin, i64 asked
//   hold: u64 rows, u64 bytes, u64 record bytes, u32 objects, u64 each, u32 keys, text each
//   u32 parameters; of each its name, u8 kind, u8 verbatim, and text or 8 bytes of its number
// Version 3 is version 2, whose number may be 0, with values outside the log: kind with kOutside, u8 0, u32 file,
// u64 begin, u64 end, u64 hash, u64 high half of the hash.
constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kVersionNumbered = 2;
constexpr std::uint8_t kVersionOutside = 3;
constexpr std::uint8_t kOutside = 128;

void append_text(std::string& out, std::string_view text) {
  append_little(out, static_cast<std::uint32_t>(text.size()));
  out.append(text);
}
std::string_view read_text(ByteReader& reader) { return reader.bytes(reader.number<std::uint32_t>()); }

void write_stored(Value const& value, std::string& out) {
  StoredValue const& stored = *value.stored;
  append_little(out, static_cast<std::uint8_t>(static_cast<std::uint8_t>(value.kind) | kOutside));
  append_little(out, std::uint8_t{0});
  append_little(out, stored.extent.file);
  for (std::uint64_t const number : {stored.extent.begin, stored.extent.end, stored.extent.hash, stored.hash_high})
    append_little(out, number);
}

// Behind its kind.
StoredValue read_stored(ByteReader& reader, std::uint8_t kind) {
  static_cast<void>(reader.number<std::uint8_t>());
  StoredValue out;
  out.is_text = kind == static_cast<std::uint8_t>(Value::Kind::text);
  out.extent.file = reader.number<std::uint32_t>();
  for (std::uint64_t* const number : {&out.extent.begin, &out.extent.end, &out.extent.hash, &out.hash_high})
    *number = reader.number<std::uint64_t>();
  return out;
}

void write_value(Value const& value, std::string& out) {
  if (value.outside) return write_stored(value, out);
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

bool read_value(ByteReader& reader, std::uint8_t kind, Value& out) {
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
  bool const has_outside = std::ranges::any_of(message.params(), [](Param const& one) { return one.value.outside; });
  std::uint8_t const version = has_outside ? kVersionOutside : op.number == 0 ? kVersion : kVersionNumbered;
  append_little(out, version);
  if (version != kVersion) append_little(out, op.number);
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
  out.bytes.assign(bytes.begin(), bytes.end());
  ByteReader reader{{out.bytes.data(), out.bytes.size()}};
  auto const version = reader.number<std::uint8_t>();
  if (version < kVersion || version > kVersionOutside) return false;
  out.number = version == kVersion ? 0 : reader.number<std::uint32_t>();
  if (version == kVersionNumbered && out.number == 0) return false;
  out.table = TableId{reader.number<std::uint32_t>()};
  message.command = read_text(reader);
  out.command = message.command;
  for (std::string* text : {&out.worker, &out.origin}) *text = read_text(reader);
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
  std::vector<std::uint32_t> outside;
  for (std::uint32_t i = 0; i < params; ++i) {
    std::string_view const name = read_text(reader);
    auto const kind = reader.number<std::uint8_t>();
    Value value;
    if ((kind & kOutside) != 0 && version == kVersionOutside) {
      out.values.push_back(read_stored(reader, kind & ~kOutside));
      outside.push_back(i);
    } else if (!read_value(reader, kind, value)) {
      return false;
    }
    message.add(name, value);
  }
  for (std::size_t i = 0; i < outside.size(); ++i) message.replace(outside[i], Value::of_stored(out.values[i]));
  return reader.finished();
}

}  // namespace fastjournal::engine
