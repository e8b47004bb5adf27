#include "log/transaction_book.h"

#include "base/bytes.h"
#include "model/body.h"

namespace fastjournal::log {
namespace {

// Of version 2 are transactions over several logs.
template <typename Entry>
struct PreparedBody {
  static constexpr auto kType = TransactionBook::kPrepared;
  Entry& entry;

  [[nodiscard]] std::uint8_t version() const { return entry.is_over_several_logs() ? 2 : 1; }
  static void fields(auto& io, auto& body) {
    auto& entry = body.entry;
    io.byte(entry.decided, Outcome::rolled_back).fixed(entry.decided_at.value).fixed(entry.prepared.value);
    io.fixed(entry.ops_count).text16(entry.xid).text16(entry.origin);
    if (io.version() == 1) return;
    auto others = static_cast<std::uint16_t>(entry.others.size());
    io.byte(entry.role, TransactionBook::Role::outcome).fixed(entry.home.store_id).fixed(entry.home.lsn.value);
    io.fixed(others).each(entry.others, others, [&](auto& store) { io.fixed(store); });
    io.must(entry.is_over_several_logs());
    io.must(entry.role != TransactionBook::Role::outcome || entry.decided != Outcome::none);
  }
};
template <typename Entry>
PreparedBody(Entry&) -> PreparedBody<Entry>;

// The rest is the engine's, which begins with its own version. That of the record is 2 where that is 3 (values outside
// the log), so that an earlier program says what it cannot read.
struct OpBody {
  static constexpr auto kType = TransactionBook::kOp;
  std::uint32_t number{0};
  std::string_view body{};

  [[nodiscard]] std::uint8_t version() const { return !body.empty() && body.front() == 3 ? 2 : 1; }
  static void fields(auto& io, auto& op) {
    constexpr std::uint32_t kMost = 100'000;
    io.fixed(op.number).must(op.number < kMost).rest(op.body);
  }
};
using EndedBody = model::EmptyBody<TransactionBook::kEnded>;

}  // namespace

ObjectId TransactionBook::append_prepared(Records& records, Entry const& entry) {
  Lsn const lsn = model::append_record(records, entry.object, PreparedBody{entry});
  return entry.object.is_none() ? object_of(lsn) : entry.object;
}

void TransactionBook::append_op(Records& records, ObjectId object, std::uint32_t number, std::string_view body) {
  model::append_record(records, object, OpBody{number, body});
}

void TransactionBook::append_ended(Records& records, ObjectId object) {
  model::append_record(records, object, EndedBody{});
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
  if (record.type == kEnded) {
    EndedBody body;
    forget(record.object);
    return model::read_record(record, body);
  }
  // Copies come in any order, so an op may come before what it belongs to.
  Entry& entry = entries_[record.object];
  entry.object = record.object;
  if (record.type == kOp) {
    OpBody body;
    if (!model::read_record(record, body)) return false;
    if (body.number >= entry.ops.size()) entry.ops.resize(body.number + 1);
    Op& op = entry.ops[body.number];
    if (!op.lsn.is_none()) live_bytes_ -= bytes_of_op(op.body);
    op.body = body.body;
    live_bytes_ += bytes_of_op(op.body);
    move(op.lsn, record.lsn, record.object, body.number);
    return true;
  }
  if (!entry.lsn.is_none()) live_bytes_ -= bytes_of(entry);
  entry.role = Role::branch;
  entry.home = {};
  entry.others.clear();
  PreparedBody body{entry};
  if (!model::read_record(record, body)) return false;
  live_bytes_ += bytes_of(entry);
  move(entry.lsn, record.lsn, record.object, kItself);
  if (entry.decided != Outcome::none) forget_ops(entry);
  return true;
}

bool TransactionBook::compact_one(Lsn below, Records& records) const {
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
    model::write_body(all, PreparedBody{entry});
    for (Op const& op : entry.ops) {
      append_little(all, static_cast<std::uint32_t>(op.body.size()));
      all += op.body;
    }
    sink.object(as_bytes(all));
  }
}

}  // namespace fastjournal::log
