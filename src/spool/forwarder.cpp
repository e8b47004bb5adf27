#include "spool/forwarder.h"

#include <algorithm>
#include <utility>

#include "protocol/msgpack.h"
#include "spool/record.h"

namespace fastjournal::spool {
namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 20U;
constexpr std::size_t kTableNameBytesMax = 64;
constexpr std::size_t kHeldTablesMax = 1'000;
constexpr std::int64_t kLookAgainMs = 1'000;  // files of the next period, and files that producers leave

// What a refusal means for the row.
enum class Verdict : std::uint8_t {
  later_all,    // the daemon takes nothing now
  later_table,  // it does not take rows of this table now
  never,
};

Verdict verdict_of(Code code) {
  switch (code) {
    case Code::unavailable:
    case Code::closed:
    case Code::timed_out:
    case Code::io_error:
    case Code::no_space: return Verdict::later_all;
    case Code::unknown_table:
    case Code::paused:
    case Code::over_limit:
    case Code::not_allowed: return Verdict::later_table;
    default: return Verdict::never;
  }
}

// What a daemon may have a table of, and a file may be named by.
bool is_table_name(std::string_view name) {
  return !name.empty() && name.size() <= kTableNameBytesMax && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

Status check_row(Message const& message) {
  if (message.command != "INSERT" || !message.has("table"))
    return Status{Code::invalid, "this is no INSERT with a table"};
  if (!is_table_name(message.text("table")))
    return Status{Code::unknown_table, "no table has such a name: 1 to 64 letters, digits, _ and -"}.with("parameter",
                                                                                                          "table");
  return {};
}

std::int64_t longer(std::int64_t before, ForwarderRules const& rules) {
  return before == 0 ? rules.retry_first_ms : std::min(before * 2, rules.retry_max_ms);
}

TimeMs after(TimeMs now, std::int64_t ms) { return TimeMs{now.value + ms}; }

}  // namespace

Forwarder::Forwarder(Folder& folder, Link& link, ForwarderRules rules, std::function<std::string()> draw_name)
    : folder_(folder), link_(link), rules_(rules), draw_name_(std::move(draw_name)) {}

Status Forwarder::start() {
  Result<std::vector<Progress>> kept = folder_.kept();
  if (!kept.ok()) return kept.status();
  for (Progress& progress : kept.value()) kept_[progress.instance] = std::move(progress);
  Result<std::vector<std::string>> held = folder_.held_tables();
  if (!held.ok()) return held.status();
  for (std::string const& table : held.value()) held_[table];
  return {};
}

// True: a call of the folder failed. It is tried again with the next run.
bool Forwarder::failed(Status status) {
  if (status.ok()) return false;
  ++figures_.failures;
  problem_ = std::move(status);
  return true;
}

// ---------------------------------------------------------------------------
// Turns

void Forwarder::run(TimeMs now) {
  look();
  end_old_files(now);
  next_date_ = after(now, kLookAgainMs);
  if (link_.is_up() && paused_until_ <= now) {
    for (auto& [table, held] : held_) take_held(table, held, now);
    // The oldest first.
    std::vector<Source*> order;
    for (auto& [instance, source] : sources_) order.push_back(&source);
    std::sort(order.begin(), order.end(),
              [](Source const* a, Source const* b) { return a->file.place < b->file.place; });
    for (Source* source : order) take(*source, now);
  }
  keep(now);
  remove_finished();
  std::erase_if(held_, [&](auto const& entry) {
    auto const& [table, held] = entry;
    return held.is_at_end && held.taken.empty() && !failed(folder_.remove_held(table));
  });
}

void Forwarder::look() {
  Result<std::vector<Listed>> listed = folder_.list();
  if (!listed.ok()) {
    static_cast<void>(failed(listed.status()));
    return;
  }
  std::map<Instance, Listed> there;
  for (Listed const& file : listed.value()) there[file.instance] = file;
  // Deleted by somebody else.
  std::erase_if(sources_, [&](auto const& entry) { return !there.contains(entry.first); });
  std::erase_if(flights_,
                [&](auto const& entry) { return !entry.second.is_held && !there.contains(entry.second.file); });
  for (auto const& [instance, file] : there) {
    auto [place, is_new] = sources_.try_emplace(instance);
    Source& source = place->second;
    source.file = file;
    if (!is_new) continue;
    if (auto const known = kept_.find(instance); known != kept_.end()) {
      source.kept = std::move(known->second);
      source.is_named = true;
      kept_.erase(known);
    } else {
      source.kept = {instance, draw_name_(), 0, 1};
    }
    source.read_to = source.kept.offset;
    source.ordinal = source.kept.ordinal;
  }
}

void Forwarder::end_old_files(TimeMs now) {
  for (auto& [instance, source] : sources_) {
    bool const is_old = source.file.place.begin_s + rules_.period_s <= now.value / 1000;
    if (!source.file.is_ended && (is_old || source.file.size >= rules_.file_bytes_max))
      source.file.is_ended = !failed(folder_.end(instance));
    if (!source.file.is_ended || source.is_left) continue;
    Result<bool> const left = folder_.is_left(instance);
    source.is_left = left.ok() ? left.value() : !failed(left.status());
    // What the last producer wrote is behind the size that was listed.
    if (!source.is_left) continue;
    Result<std::vector<Listed>> const again = folder_.list();
    if (!again.ok()) {
      source.is_left = false;
      continue;
    }
    for (Listed const& file : again.value())
      if (file.instance == instance) source.file.size = file.size;
  }
}

// ---------------------------------------------------------------------------
// Rows of producers

// Reads on behind what is there, and makes it durable: what is sent must not be lost by a power cut here, or the next
// row would get its ordinal.
bool Forwarder::read_more(Source& source) {
  if (source.read_to > source.bytes_at) {
    source.bytes.erase(0, std::min<std::size_t>(source.bytes.size(), source.read_to - source.bytes_at));
    source.bytes_at = source.read_to;
  }
  std::size_t const before = source.bytes.size();
  if (failed(folder_.read(source.file.instance, source.bytes_at + before, kReadBytes, source.bytes))) return false;
  if (source.bytes.size() == before) return false;
  if (!failed(folder_.sync(source.file.instance))) return true;
  source.bytes.resize(before);
  return false;
}

void Forwarder::take(Source& source, TimeMs now) {
  bool is_at_end = false;
  while (flights_.size() < rules_.in_flight_max && paused_until_ <= now) {
    std::size_t const from = source.read_to - source.bytes_at;
    Found const found = find_record(source.bytes, std::min(from, source.bytes.size()), is_at_end && source.is_left);
    if (found.kind != Found::Kind::record) {
      bool const is_large = source.bytes.size() - std::min(from, source.bytes.size()) >= kRecordBytesMax + kReadBytes;
      if (!is_at_end && !is_large) {
        is_at_end = !read_more(source);
        continue;
      }
      // Nothing before the place of an unfinished row is needed again.
      figures_.damaged_bytes += found.damaged_bytes;
      source.read_to = source.bytes_at + found.begin;
      return;
    }
    if (!source.is_named) {
      if (failed(folder_.keep({source.kept}))) return;
      source.is_named = true;
    }
    figures_.damaged_bytes += found.damaged_bytes;
    Taken const taken{source.bytes_at + found.begin, source.bytes_at + found.end, source.ordinal, false};
    std::string_view const record = std::string_view{source.bytes}.substr(found.begin, found.end - found.begin);
    take_one(source, record, found.body, taken, now);
  }
}

void Forwarder::take_one(Source& source, std::string_view record, std::string_view body, Taken taken, TimeMs now) {
  Message message;
  Status status = protocol::parse_frame(body, message);
  if (status.ok()) status = check_row(message);
  if (!status.ok()) {
    if (failed(folder_.set_aside(record, status))) return pause(now);
    ++figures_.set_aside;
    taken.is_settled = true;
  }
  source.read_to = taken.end;
  ++source.ordinal;
  source.taken.push_back(taken);
  if (taken.is_settled) return;
  message.set("client", std::string_view{source.kept.client});
  message.set_integer("sequence", static_cast<std::int64_t>(taken.ordinal));
  std::string const table{message.text("table")};
  if (held_.contains(table)) return hold(table, message, source.taken.back(), now);
  fly(message, {source.file.instance, table, false, taken.begin});
}

void Forwarder::fly(Message const& message, Flight flight) {
  std::uint64_t const number = next_number_++;
  flights_[number] = std::move(flight);
  ++figures_.sent;
  link_.send(message, number);
}

// `message` has its identity.
void Forwarder::hold(std::string const& table, Message const& message, Taken& taken, TimeMs now) {
  std::string record;
  Status status = append_record(message.params(), record);
  if (status.ok()) status = folder_.hold(table, record);
  if (failed(std::move(status))) return pause(now);  // it is read again, with everything behind it
  ++figures_.held;
  held_[table].is_at_end = false;
  taken.is_settled = true;
}

// ---------------------------------------------------------------------------
// Rows of tables that are held

void Forwarder::take_held(std::string const& table, Held& held, TimeMs now) {
  if (held.next_try > now) {
    next_date_ = std::min(next_date_, held.next_try);
    return;
  }
  std::size_t const most = held.is_open ? rules_.in_flight_max : 1;
  auto unsettled = static_cast<std::size_t>(
      std::count_if(held.taken.begin(), held.taken.end(), [](Taken const& one) { return !one.is_settled; }));
  if (unsettled >= most) return;
  std::string bytes;
  std::uint64_t const at = held.read_to;
  std::size_t asked = kReadBytes;
  if (failed(folder_.read_held(table, at, asked, bytes))) return;
  // Only this process writes the file: what is not whole was cut by the end of an earlier one, and is in its source.
  bool is_settled = bytes.size() < asked;
  if (!is_settled && find_record(bytes, 0, false).kind == Found::Kind::unfinished) {
    asked = kRecordBytesMax;
    bytes.clear();
    if (failed(folder_.read_held(table, at, asked, bytes))) return;
    is_settled = bytes.size() < asked;
  }
  for (std::size_t from = 0; unsettled < most && flights_.size() < rules_.in_flight_max;) {
    Found const found = find_record(bytes, from, is_settled);
    if (found.kind != Found::Kind::record) {
      held.read_to = at + found.begin;
      held.is_at_end = is_settled;
      return;
    }
    from = found.end;
    held.read_to = at + found.end;
    Message message;
    if (!protocol::parse_frame(found.body, message).ok()) continue;
    held.taken.push_back({at + found.begin, at + found.end, 0, false});
    ++unsettled;
    fly(message, {{}, table, true, at + found.begin});
  }
}

// ---------------------------------------------------------------------------
// Answers

Forwarder::Taken* Forwarder::taken_of(Flight const& flight) {
  std::deque<Taken>* taken = nullptr;
  if (flight.is_held) {
    if (auto const found = held_.find(flight.table); found != held_.end()) taken = &found->second.taken;
  } else if (auto const found = sources_.find(flight.file); found != sources_.end()) {
    taken = &found->second.taken;
  }
  if (taken == nullptr) return nullptr;
  auto const place = std::lower_bound(taken->begin(), taken->end(), flight.begin,
                                      [](Taken const& one, std::uint64_t begin) { return one.begin < begin; });
  return place != taken->end() && place->begin == flight.begin ? &*place : nullptr;
}

void Forwarder::answered(std::uint64_t number, Status const& answer, TimeMs now) {
  auto const found = flights_.find(number);
  if (found == flights_.end()) return;
  Flight const flight = std::move(found->second);
  flights_.erase(found);
  if (!answer.ok()) return refuse(flight, answer, now);
  ++figures_.confirmed;
  pause_ms_ = 0;
  if (Taken* const taken = taken_of(flight)) taken->is_settled = true;
  if (!flight.is_held) return;
  Held& held = held_.at(flight.table);
  held.is_open = true;
  held.retry_ms = 0;
}

void Forwarder::refuse(Flight const& flight, Status const& answer, TimeMs now) {
  problem_ = answer;
  Verdict const verdict = verdict_of(answer.code());
  if (verdict == Verdict::later_all) return pause(now);
  Taken* const taken = taken_of(flight);
  if (taken == nullptr) return;
  if (flight.is_held && verdict == Verdict::later_table) {
    // From the first one without an answer, and later.
    Held& held = held_.at(flight.table);
    held.retry_ms = longer(held.retry_ms, rules_);
    held.next_try = after(now, held.retry_ms);
    held.is_open = false;
    held.is_at_end = false;
    while (!held.taken.empty() && held.taken.front().is_settled) {
      held.settled_to = held.taken.front().end;
      held.taken.pop_front();
    }
    held.read_to = held.taken.empty() ? held.settled_to : held.taken.front().begin;
    held.taken.clear();
    std::erase_if(flights_,
                  [&](auto const& entry) { return entry.second.is_held && entry.second.table == flight.table; });
    return;
  }
  std::string record;
  Status read = flight.is_held ? folder_.read_held(flight.table, taken->begin, taken->end - taken->begin, record)
                               : folder_.read(flight.file, taken->begin, taken->end - taken->begin, record);
  if (failed(std::move(read))) return pause(now);
  // Names come from producers: their number is bounded.
  bool const is_full = held_.size() >= kHeldTablesMax && !held_.contains(flight.table);
  if (verdict == Verdict::never || is_full) {
    if (failed(folder_.set_aside(record, answer))) return pause(now);
    ++figures_.set_aside;
    taken->is_settled = true;
    return;
  }
  Message message;
  Source const& source = sources_.at(flight.file);
  if (!protocol::parse_frame(find_record(record, 0, true).body, message).ok()) return pause(now);
  message.set("client", std::string_view{source.kept.client});
  message.set_integer("sequence", static_cast<std::int64_t>(taken->ordinal));
  Held& held = held_[flight.table];
  if (held.retry_ms == 0) {
    held.retry_ms = longer(0, rules_);
    held.next_try = after(now, held.retry_ms);
  }
  hold(flight.table, message, *taken, now);
}

// The daemon, or the folder, takes nothing now.
void Forwarder::pause(TimeMs now) {
  pause_ms_ = longer(pause_ms_, rules_);
  paused_until_ = after(now, pause_ms_);
  lost();
}

void Forwarder::lost() {
  flights_.clear();
  auto const back = [](std::deque<Taken>& taken) {
    auto const first = std::find_if(taken.begin(), taken.end(), [](Taken const& one) { return !one.is_settled; });
    Taken const none{};
    Taken const from = first == taken.end() ? none : *first;
    taken.erase(first, taken.end());
    return from;
  };
  for (auto& [instance, source] : sources_) {
    Taken const from = back(source.taken);
    if (from.end == 0) continue;
    source.read_to = from.begin;
    source.ordinal = from.ordinal;
    source.bytes.clear();
    source.bytes_at = from.begin;
  }
  for (auto& [table, held] : held_) {
    Taken const from = back(held.taken);
    held.is_open = false;
    if (from.end == 0) continue;
    held.read_to = from.begin;
    held.is_at_end = false;
  }
}

// ---------------------------------------------------------------------------
// What is settled

void Forwarder::keep(TimeMs now) {
  std::vector<Progress> next;
  bool const is_idle = flights_.empty();
  for (auto& [instance, source] : sources_) {
    Progress progress = source.kept;
    for (Taken const& taken : source.taken) {
      if (!taken.is_settled) break;
      progress.offset = taken.end;
      progress.ordinal = taken.ordinal + 1;
    }
    if (progress != source.kept) next.push_back(std::move(progress));
  }
  if (!next.empty() && (is_idle || after(kept_at_, rules_.keep_every_ms) <= now)) {
    if (failed(folder_.keep(next))) return;
    kept_at_ = now;
    for (Progress& progress : next) {
      Source& source = sources_.at(progress.instance);
      // Only now: after an end in between they are sent again, and counted on from the place before them.
      static_cast<void>(failed(folder_.erase(progress.instance, source.kept.offset, progress.offset)));
      while (!source.taken.empty() && source.taken.front().end <= progress.offset) source.taken.pop_front();
      source.kept = std::move(progress);
    }
  } else if (!next.empty()) {
    next_date_ = std::min(next_date_, after(kept_at_, rules_.keep_every_ms));
  }
  for (auto& [table, held] : held_) {
    std::uint64_t const before = held.settled_to;
    while (!held.taken.empty() && held.taken.front().is_settled) {
      held.settled_to = held.taken.front().end;
      held.taken.pop_front();
    }
    if (held.settled_to > before) static_cast<void>(failed(folder_.erase_held(table, held.settled_to)));
  }
}

void Forwarder::remove_finished() {
  std::erase_if(sources_, [&](auto const& entry) {
    auto const& [instance, source] = entry;
    bool const is_done = source.file.is_ended && source.is_left && source.taken.empty() &&
                         source.read_to >= source.file.size && source.kept.offset <= source.read_to;
    return is_done && !failed(folder_.remove(instance));
  });
}

ForwarderFigures Forwarder::figures() const {
  ForwarderFigures out = figures_;
  out.files = sources_.size();
  out.tables_held = held_.size();
  out.in_flight = flights_.size();
  return out;
}

}  // namespace fastjournal::spool
