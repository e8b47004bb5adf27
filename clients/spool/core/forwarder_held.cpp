// Rows of tables that are held: into the file of their table, and from there to the daemon.
#include <algorithm>
#include <map>
#include <utility>

#include "base/hash.h"
#include "clients/spool/core/forwarder.h"
#include "clients/spool/core/record.h"
#include "wire/msgpack.h"

namespace fastjournal::spool {
namespace {

constexpr std::size_t kHeldReadBytes = std::size_t{1} << 20U;
constexpr std::size_t kPendingBytesMax = std::size_t{1} << 20U;  // of all tables; written together, by one sync each

}  // namespace

// `message` has its identity. The row is settled once its record is written, with those of other rows.
void Forwarder::hold(std::string const& table, Message const& message, Instance const& file, Taken const& taken,
                     TimeMs now) {
  Held& held = held_[table];
  // After a failure it is read again, with everything behind it.
  if (!knows_seed(table, held)) return pause(now);
  std::size_t const before = held.pending.size();
  Status appended = append_record(message.command, message.params(), *held.seed, held.pending);
  pending_bytes_ += held.pending.size() - before;
  if (failed(std::move(appended))) return pause(now);
  held.pending_rows.emplace_back(file, taken.begin);
  if (pending_bytes_ >= kPendingBytesMax) write_held(now);
}

void Forwarder::write_held(TimeMs now) {
  for (auto& [table, held] : held_) {
    if (held.pending_rows.empty()) continue;
    held.is_at_end = false;
    if (failed(folder_.hold(table, held.pending))) {
      // Some of them may be whole in the file.
      is_recall_due_ = true;
      return pause(now);
    }
    figures_.held += held.pending_rows.size();
    for (auto const& [file, begin] : held.pending_rows)
      if (Taken* const taken = taken_of({.file = file, .begin = begin})) taken->is_settled = true;
    forget_pending(held);
  }
}

void Forwarder::forget_pending(Held& held) {
  pending_bytes_ -= held.pending.size();
  std::string{}.swap(held.pending);
  held.pending_rows.clear();
}

bool Forwarder::knows_seed(std::string const& table, Held& held) {
  if (held.seed) return true;
  Result<Seed> const seed = folder_.held_seed(table);
  if (!seed.ok()) return !failed(seed.status());
  held.seed = seed.value();
  return true;
}

void Forwarder::take_held(std::string const& table, Held& held, TimeMs now) {
  if (held.next_try > now) {
    next_date_ = std::min(next_date_, held.next_try);
    return;
  }
  std::size_t const most = held.is_open ? rules_.in_flight_max : 1;
  auto unsettled = static_cast<std::size_t>(
      std::count_if(held.taken.begin(), held.taken.end(), [](Taken const& one) { return !one.is_settled; }));
  if (unsettled >= most || !knows_seed(table, held)) return;
  std::string bytes;
  std::uint64_t const at = held.read_to;
  std::size_t asked = kHeldReadBytes;
  if (failed(folder_.read_held(table, at, asked, bytes))) return;
  // Only this process writes the file: what is not whole was cut by the end of an earlier one, and is in its source.
  bool is_settled = bytes.size() < asked;
  if (!is_settled && find_record(bytes, 0, *held.seed, false).kind == Found::Kind::unfinished) {
    asked = kRecordBytesMax;
    bytes.clear();
    if (failed(folder_.read_held(table, at, asked, bytes))) return;
    is_settled = bytes.size() < asked;
  }
  // Of those that would be sent again, by client. Rows of a table that is rare in its file are far apart, and one whose
  // answer came late stands behind later ones.
  std::map<std::uint64_t, std::uint64_t> lowest;
  auto const lowest_with = [&lowest](std::uint64_t client, std::uint64_t ordinal) {
    std::uint64_t& out = lowest.try_emplace(client, ordinal).first->second;
    return out = std::min(out, ordinal);
  };
  for (Taken const& one : held.taken) lowest_with(one.client, one.ordinal);
  for (std::size_t from = 0; unsettled < most && has_room();) {
    Found const found = find_record(bytes, from, *held.seed, is_settled);
    if (found.kind != Found::Kind::record) {
      held.read_to = at + found.begin;
      held.is_at_end = is_settled;
      return;
    }
    from = found.end;
    held.read_to = at + found.end;
    Message message;
    if (!protocol::parse_frame(found.body, message).ok()) continue;
    std::uint64_t const client = hash64(message.text("client"));
    auto const sequence = static_cast<std::uint64_t>(message.integer("sequence").value_or(0));
    if (sequence >= lowest_with(client, sequence) + rules_.span_max) {
      held.read_to = at + found.begin;
      return;
    }
    bool const is_known = held.settled.erase(at + found.begin) > 0;
    held.taken.push_back({at + found.begin, at + found.end, sequence, is_known, client});
    if (is_known) continue;
    ++unsettled;
    fly(message, {}, {.held = table, .begin = at + found.begin, .bytes = found.end - found.begin});
  }
}

void Forwarder::go_back(Held& held) {
  held.is_open = false;
  auto const first =
      std::find_if(held.taken.begin(), held.taken.end(), [](Taken const& one) { return !one.is_settled; });
  if (first == held.taken.end()) return;
  held.read_to = first->begin;
  held.is_at_end = false;
  for (auto one = first; one != held.taken.end(); ++one)
    if (one->is_settled) held.settled.insert(one->begin);
  held.taken.erase(first, held.taken.end());
}

}  // namespace fastjournal::spool
