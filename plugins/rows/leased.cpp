#include "plugins/rows/leased.h"

#include <algorithm>

#include <fmt/format.h>

#include "plugins/rows/ended.h"
#include "plugins/rows/failure.h"

namespace fastjournal::rows {
namespace {

// The most bytes of the records by which a lease ends, without a trace: an error of 1 KiB, in the row and in the reason of
// a pause; a twin that expired; the names of two queues.
constexpr std::size_t kEndBytes = 8U << 10U;

}  // namespace

std::string NamedRows::name_of(ObjectId row) const {
  return fmt::format("{} {} of table {}", words_.row, row.value, table_);
}

Status NamedRows::unknown(ObjectId row) const {
  return {Code::unknown_row, fmt::format("table {} has no {} {}: {}", table_, words_.row, row.value, words_.gone)};
}

Status NamedRows::refuse_lease(std::uint32_t row, Command const& command) const {
  std::string const name = name_of(state().id_of(row));
  if (state().row(row).place() != Place::processing)
    return {Code::not_leased, name + " is not leased: the lease ended or was given back"};
  Lease const& lease = state().lease_of(row);
  std::string const holder{state().leases().worker(lease)};
  Status out = Status{Code::stale_epoch, fmt::format("{} is leased to {} under another epoch now", name, holder)}.with(
      "holder", holder);
  return may_see_epoch(lease, command) ? std::move(out).with("epoch", std::to_string(lease.epoch.value))
                                       : std::move(out);
}

std::uint32_t NamedRows::find_to_end(Command const& command, NamedLease const& named, Decision& decision) const {
  std::uint32_t const row = find_leased(command, named, decision);
  if (row == kNoRow) return kNoRow;
  if (decision.refuses(check_hold(named.row, decision))) return kNoRow;
  if (decision.phase != Phase::promise) return row;
  decision.hold->objects.push_back(named.row);
  // Of a result no more is kept; of what a history does not keep the room is given back.
  std::size_t const result_bytes = std::min(command.message->text("result").size(), kResultBytesMax);
  decision.hold->record_bytes = kEndBytes + trace_bytes(*command.message) + result_bytes;
  return kNoRow;
}

std::optional<Leases::Terms> renew(NamedRows const& rows, Attempts const& attempts, std::uint32_t row,
                                   std::int64_t lease_ms, Command const& command, Decision& decision) {
  State const& state = rows.state();
  if (state.view(row).facts.is_expired(decision.now.value)) {
    decision.refuse({Code::expired, fmt::format("{} has expired: {} it before its lease ends",
                                                rows.name_of(state.id_of(row)), rows.words().finish)});
    return {};
  }
  // TOUCH moves the lease to its sender: a worker that has connected again goes on with its rows. The same connection
  // need not give its name again.
  Lease const& lease = state.lease_of(row);
  bool const is_same =
      lease.connection == static_cast<std::uint64_t>(holder_of(command)) && !command.message->has("worker");
  std::string_view const worker = is_same ? state.leases().worker(lease) : command.worker;
  return attempts.renew(row, holder_of(command), worker, lease_ms, decision);
}

Verdict touch(NamedRows const& rows, Attempts const& attempts, NamedLease const& named, std::int64_t lease_ms,
              Command const& command, Decision& decision) {
  if (decision.refuses(check_worker(command))) return Verdict::done;
  std::uint32_t const row = rows.find_leased(command, named, decision);
  if (row == kNoRow) return Verdict::done;
  std::optional<Leases::Terms> const terms = renew(rows, attempts, row, lease_ms, command, decision);
  if (!terms) return Verdict::done;
  decision.durability = Durability::written;
  decision.answer.message("TOUCHED")
      .add("table", std::string_view{rows.table()})
      .add(rows.words().row, named.row.value);
  decision.answer.add("epoch", terms->epoch.value).add("lease_end", terms->ends);
  return Verdict::done;
}

}  // namespace fastjournal::rows
