#include "log/transaction_book.h"

#include <cstring>

#include "base/bytes.h"

namespace fastjournal::log {
namespace {

// Bodies, little endian; a text is its u16 length and its bytes:
//   prepared  u8 decided, i64 decided at, i64 prepared, u32 ops, xid, origin; of version 2, which only transactions
//             over several logs have, also u8 role, u64 home's store id, u64 LSN in it, u16 others, u64 store id each
//   op        u32 number, and the rest is the engine's, which begins with its own version; that of the record is 2 where
//             that is 3 (values outside the log), so that an earlier program says what it cannot read
//   ended     nothing

void append_name(std::string& out, std::string_view text) {
  append_little(out, static_cast<std::uint16_t>(text.size()));
  out.append(text);
}

std::string body_of(TransactionBook::Entry const& entry) {
  std::string body;
  append_little(body, static_cast<std::uint8_t>(entry.decided));
  append_little(body, entry.decided_at.value);
  append_little(body, entry.prepared.value);
  append_little(body, entry.ops_count);
  append_name(body, entry.xid);
  append_name(body, entry.origin);
  if (!entry.is_over_several_logs()) return body;
  append_little(body, static_cast<std::uint8_t>(entry.role));
  append_little(body, entry.home.store_id);
  append_little(body, entry.home.lsn.value);
  append_little(body, static_cast<std::uint16_t>(entry.others.size()));
  for (std::uint64_t const other : entry.others) append_little(body, other);
  return body;
}

bool read_several(ByteReader& reader, TransactionBook::Entry& out) {
  auto const role = reader.number<std::uint8_t>();
  out.home.store_id = reader.number<std::uint64_t>();
  out.home.lsn.value = reader.number<std::uint64_t>();
  out.others.clear();
  for (auto left = reader.number<std::uint16_t>(); left > 0 && reader.ok(); --left)
    out.others.push_back(reader.number<std::uint64_t>());
  if (role > static_cast<std::uint8_t>(TransactionBook::Role::outcome)) return false;
  out.role = static_cast<TransactionBook::Role>(role);
  return reader.ok() && out.is_over_several_logs();
}

Lsn append_transaction(Records& records, std::uint8_t type, ObjectId object, std::string_view body,
                       std::uint8_t version = 1) {
  Records::Place const place = records.append(type, version, object, body.size());
  if (!body.empty()) std::memcpy(place.body.data(), body.data(), body.size());
  return place.lsn;
}

std::string op_body(std::uint32_t number, std::string_view body) {
  std::string out;
  append_little(out, number);
  out.append(body);
  return out;
}

}  // namespace

ObjectId TransactionBook::append_prepared(Records& records, Entry const& entry) {
  Lsn const lsn =
      append_transaction(records, kPrepared, entry.object, body_of(entry), entry.is_over_several_logs() ? 2 : 1);
  return entry.object.is_none() ? object_of(lsn) : entry.object;
}

void TransactionBook::append_op(Records& records, ObjectId object, std::uint32_t number, std::string_view body) {
  constexpr char kWithValues = 3;
  bool const has_values = !body.empty() && body.front() == kWithValues;
  append_transaction(records, kOp, object, op_body(number, body), has_values ? 2 : 1);
}

void TransactionBook::append_ended(Records& records, ObjectId object) {
  append_transaction(records, kEnded, object, {});
}

TransactionBook::Entry const* TransactionBook::find(ObjectId object) const {
  auto const found = entries_.find(object);
  return found == entries_.end() ? nullptr : &found->second;
}

Outcome TransactionBook::outcome_of(std::string_view xid) const {
  for (auto const& [object, entry] : entries_)
    if (entry.xid == xid && entry.decided != Outcome::none) return entry.decided;
  return Outcome::none;
}

void TransactionBook::move(Lsn& from, Lsn to, ObjectId object, std::uint32_t op) {
  if (!from.is_none()) by_place_.erase(from);
  from = to;
  if (!to.is_none()) by_place_[to] = {object, op};
}

void TransactionBook::forget_ops(Entry& entry) {
  for (Op& op : entry.ops) {
    if (!op.lsn.is_none()) live_bytes_ -= bytes_of_op(op.body);
    move(op.lsn, {}, entry.object, 0);
  }
  entry.ops.clear();
}

void TransactionBook::forget(ObjectId object) {
  auto const found = entries_.find(object);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  if (!entry.lsn.is_none()) live_bytes_ -= bytes_of(entry);
  move(entry.lsn, {}, object, kItself);
  forget_ops(entry);
  entries_.erase(found);
}

bool TransactionBook::apply(RecordView const& record) {
  if (record.version == 0 || record.version > newest_version(record.type)) return false;
  ByteReader reader{as_text(record.body)};
  if (record.type == kEnded) {
    forget(record.object);
    return reader.finished();
  }
  // Copies come in any order, so an op may come before what it belongs to.
  Entry& entry = entries_[record.object];
  entry.object = record.object;
  if (record.type == kOp) {
    auto const number = reader.number<std::uint32_t>();
    constexpr std::uint32_t kMost = 100'000;
    if (!reader.ok() || number >= kMost) return false;
    if (number >= entry.ops.size()) entry.ops.resize(number + 1);
    Op& op = entry.ops[number];
    if (!op.lsn.is_none()) live_bytes_ -= bytes_of_op(op.body);
    op.body = reader.rest();
    live_bytes_ += bytes_of_op(op.body);
    move(op.lsn, record.lsn, record.object, number);
    return true;
  }
  if (!entry.lsn.is_none()) live_bytes_ -= bytes_of(entry);
  auto const decided = reader.number<std::uint8_t>();
  entry.decided_at.value = reader.number<std::int64_t>();
  entry.prepared.value = reader.number<std::int64_t>();
  entry.ops_count = reader.number<std::uint32_t>();
  entry.xid = reader.bytes(reader.number<std::uint16_t>());
  entry.origin = reader.bytes(reader.number<std::uint16_t>());
  entry.role = Role::branch;
  entry.home = {};
  entry.others.clear();
  if (record.version == 2 && !read_several(reader, entry)) return false;
  if (!reader.finished() || decided > static_cast<std::uint8_t>(Outcome::rolled_back)) return false;
  entry.decided = static_cast<Outcome>(decided);
  if (entry.role == Role::outcome && entry.decided == Outcome::none) return false;
  live_bytes_ += bytes_of(entry);
  move(entry.lsn, record.lsn, record.object, kItself);
  if (entry.decided != Outcome::none) forget_ops(entry);
  return true;
}

bool TransactionBook::restate_one(Lsn below, Records& records) const {
  if (by_place_.empty() || by_place_.begin()->first >= below) return false;
  auto const [object, number] = by_place_.begin()->second;
  Entry const& entry = entries_.at(object);
  if (number == kItself)
    append_prepared(records, entry);
  else
    append_op(records, object, number, entry.ops[number].body);
  return true;
}

void TransactionBook::digest(DigestSink& sink) const {
  for (auto const& [object, entry] : entries_) {
    std::string all{"transaction"};
    append_little(all, object.value);
    all += body_of(entry);
    for (Op const& op : entry.ops) {
      append_little(all, static_cast<std::uint32_t>(op.body.size()));
      all += op.body;
    }
    sink.object(as_bytes(all));
  }
}

}  // namespace fastjournal::log
