#include "clients/spool/core/forwarder.h"

#include <algorithm>
#include <utility>

#include "clients/spool/core/record.h"
#include "clients/spool/core/routes.h"
#include "fastjournal/protocol.h"
#include "model/parameters.h"
#include "wire/framer.h"
#include "wire/msgpack.h"

namespace fastjournal::spool {
namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 20U;
constexpr std::size_t kHeldTablesMax = 1'000;
constexpr std::size_t kAwayMax = 10'000;      // files
constexpr std::int64_t kProblemMs = 5'000;    // it is told so long after it was met last
constexpr std::int64_t kLookAgainMs = 1'000;  // files of the next period, and files that producers leave

// What a refusal means for the row.
enum class Verdict : std::uint8_t {
  later_all,    // the daemon takes nothing now
  later_table,  // it does not take rows of this table now
  never,
};

Verdict verdict_of(Status const& answer) {
  if (is_without_owner(answer)) return Verdict::later_table;
  switch (answer.code()) {
    case Code::unavailable:
    case Code::closed:
    case Code::timed_out:
    case Code::io_error:
    case Code::no_space: return Verdict::later_all;
    case Code::unknown_table:
    case Code::unknown_command:  // of a line whose table is not declared
    case Code::paused:
    case Code::moved:  // another node decides for it: the link goes there with the next attempt
    case Code::over_limit:
    case Code::not_allowed: return Verdict::later_table;
    default: return Verdict::never;
  }
}

// The row's insertion_date is beyond the table's max-clock-skew.
bool has_fast_clock(Status const& answer) {
  return std::ranges::any_of(answer.facts(), [](auto const& fact) { return fact.first == model::kAheadFact; });
}

// What may be held together. The table of a line is the daemon's to say.
std::string_view table_of(Message const& row) { return row.command == "INSERT" ? row.text("table") : row.command; }

Status check_name(Message const& row) {
  if (is_table_name(table_of(row))) return {};
  return Status{Code::unknown_table, "no table has such a name: 1 to 64 letters, digits, _ and -"}.with("parameter",
                                                                                                        "table");
}

std::int64_t longer(std::int64_t before, ForwarderRules const& rules) {
  return before == 0 ? rules.retry_first_ms : std::min(before * 2, rules.retry_max_ms);
}

// Of a held table. Which node decides is known again within seconds, and asking costs one row.
std::int64_t pause_after(Status const& answer, std::int64_t before, ForwarderRules const& rules) {
  bool const is_elsewhere = answer.code() == Code::moved || is_without_owner(answer);
  return is_elsewhere ? rules.retry_first_ms : longer(before, rules);
}

TimeMs after(TimeMs now, std::int64_t ms) { return TimeMs{now.value + ms}; }

}  // namespace

Forwarder::Forwarder(Folder& folder, Link& link, ForwarderRules rules, std::function<std::string()> draw_name)
    : folder_(folder), link_(link), rules_(std::move(rules)), draw_name_(std::move(draw_name)) {}

Status Forwarder::start() {
  Result<std::vector<Progress>> kept = folder_.kept();
  if (!kept.ok()) return kept.status();
  for (Progress const& progress : kept.value()) kept_[progress.instance] = {progress, false};
  Result<std::vector<std::string>> held = folder_.held_tables();
  if (!held.ok()) return held.status();
  for (std::string const& table : held.value()) held_[table];
  return recall();
}

// Rows whose records are with the held ones, or aside, whatever became of the call that wrote them.
Status Forwarder::recall() {
  Result<Identities> before = folder_.settled_before();
  if (!before.ok()) return before.status();
  before_ = std::move(before.value());
  for (auto& [instance, source] : sources_) mark_settled(source);
  is_recall_due_ = false;
  return {};
}

void Forwarder::mark_settled(Source& source) {
  for (std::int64_t const ordinal : before_[source.kept.client])
    if (ordinal >= static_cast<std::int64_t>(source.ordinal))
      source.settled.insert(static_cast<std::uint64_t>(ordinal));
  before_.erase(source.kept.client);
}

// True: a call of the folder failed. It is tried again with the next run.
bool Forwarder::failed(Status status) {
  if (status.ok()) return false;
  ++figures_.failures;
  problem_ = std::move(status);
  problem_at_ = now_;
  return true;
}

// ---------------------------------------------------------------------------
// Turns

// The clock may have been set back: nothing waits for longer than it was to.
void Forwarder::bound_dates(TimeMs now) {
  paused_until_ = std::min(paused_until_, after(now, pause_ms_));
  kept_at_ = std::min(kept_at_, now);
  problem_at_ = std::min(problem_at_, now);
  for (auto& [instance, source] : sources_)
    source.next_try = std::min(source.next_try, after(now, rules_.retry_first_ms));
  for (auto& [table, held] : held_) held.next_try = std::min(held.next_try, after(now, held.retry_ms));
}

void Forwarder::run(TimeMs now, bool is_changed) {
  bound_dates(now);
  now_ = now;
  if (!problem_.ok() && paused_until_ <= now && problem_at_.value + kProblemMs <= now.value) problem_ = {};
  is_look_due_ = is_look_due_ || is_changed || after(looked_at_, kLookAgainMs) <= now || now < looked_at_;
  // A look costs some microseconds a file: of very many it must leave time for the rows.
  TimeMs const look_at = now < looked_at_ ? now : after(looked_at_, static_cast<std::int64_t>(sources_.size()) / 32);
  if (is_look_due_ && look_at <= now) {
    is_look_due_ = false;
    looked_at_ = now;
    look();
    end_old_files(now);
  }
  for (auto& [instance, source] : sources_)
    if (!source.seed && !source.is_without_head) read_head(source);
  next_date_ = is_look_due_ ? look_at : after(now, kLookAgainMs);
  bool const is_sure = !is_recall_due_ || !failed(recall());
  for (auto& [table, held] : held_)
    if (held.since.value == 0) held.since = now;
  if (link_.is_up() && paused_until_ <= now && is_sure) {
    for (auto& [table, held] : held_) take_held(table, held, now);
    // The oldest first.
    std::vector<Source*> order;
    for (auto& [instance, source] : sources_) order.push_back(&source);
    std::sort(order.begin(), order.end(),
              [](Source const* a, Source const* b) { return a->file.place < b->file.place; });
    for (Source* source : order) take(*source, now);
  }
  write_held(now);
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
  // Deleted by somebody else; or it cannot be read for a while, and its rows must not come again under another name.
  std::erase_if(sources_, [&](auto const& entry) {
    auto const& [instance, source] = entry;
    if (there.contains(instance)) return false;
    // Without a head and a birth nothing tells it from a later one with its number.
    bool const is_known_again = instance.birth_ns != 0 || source.file.place.kind == Kind::rows;
    bool const is_remembered = source.is_named && is_known_again && kept_.size() < kAwayMax;
    if (is_remembered) kept_[instance] = {source.kept, true};
    return true;
  });
  for (Flight& flight : flights_)
    if (flight.held.empty() && !there.contains(flight.file)) land(flight);
  for (auto const& [instance, file] : there) {
    auto [place, is_new] = sources_.try_emplace(instance);
    Source& source = place->second;
    source.file = file;
    if (!is_new) continue;
    if (auto const known = kept_.find(instance); known != kept_.end()) {
      source.kept = std::move(known->second.progress);
      source.is_named = true;
      is_recall_due_ = is_recall_due_ || known->second.was_there;
      kept_.erase(known);
    } else {
      source.kept = {instance, draw_name_(), 0, 1};
    }
    if (file.place.kind == Kind::rows)
      source.kept.offset = std::max<std::uint64_t>(source.kept.offset, kFileHeadBytes);
    else
      source.seed = Seed{};
    source.read_to = source.kept.offset;
    source.ordinal = source.kept.ordinal;
    mark_settled(source);
  }
}

void Forwarder::end_old_files(TimeMs now) {
  std::vector<Source*> left;
  for (auto& [instance, source] : sources_) {
    Place const& place = source.file.place;
    std::int64_t const period_s = place.kind == Kind::rows ? rules_.period_s : kLinesPeriodS;
    bool const is_old = place.begin_s + period_s <= now.value / 1000;
    bool const is_over = is_old || source.file.size >= rules_.file_bytes_max || source.damaged_to > 0;
    if (!source.file.is_ended && is_over) source.file.is_ended = !failed(folder_.end(instance));
    if (!source.file.is_ended || source.is_left) continue;
    Result<bool> const is_left = folder_.is_left(instance);
    source.is_left = is_left.ok() ? is_left.value() : !failed(is_left.status());
    if (source.is_left) left.push_back(&source);
  }
  if (left.empty()) return;
  // What the last producers wrote is behind the sizes that were listed.
  Result<std::vector<Listed>> const again = folder_.list();
  std::map<Instance, std::uint64_t> sizes;
  if (again.ok())
    for (Listed const& file : again.value()) sizes[file.instance] = file.size;
  // Of one that is not there any more the lock is given back.
  for (auto& [instance, source] : sources_)
    source.is_left = source.is_left && (!again.ok() || sizes.contains(instance));
  for (Source* const source : left) {
    source->is_left = source->is_left && again.ok();
    if (auto const size = sizes.find(source->file.instance); size != sizes.end()) source->file.size = size->second;
  }
}

// ---------------------------------------------------------------------------
// Rows of producers

// A producer may be about to write it, as long as one has the file.
void Forwarder::read_head(Source& source) {
  std::string head;
  if (failed(folder_.read(source.file.instance, 0, kFileHeadBytes, head))) return;
  source.seed = seed_of_file(head);
  if (source.seed) return;
  // Whole, and none: its producers are told by its end, and people at once.
  bool const is_damaged = head.size() == kFileHeadBytes && source.file.size > kFileHeadBytes;
  if (source.is_left || is_damaged) {
    figures_.damaged_bytes += source.file.size - std::min(source.file.size, source.damaged_to);
    source.damaged_to = std::max(source.damaged_to, source.file.size);
  }
  source.is_without_head = source.is_left;
}

// Reads on behind what is there, and makes it durable: what is sent must not be lost by a power cut here, or the next
// row would get its ordinal.
Forwarder::More Forwarder::read_more(Source& source) {
  if (source.read_to > source.bytes_at) {
    source.bytes.erase(0, std::min<std::size_t>(source.bytes.size(), source.read_to - source.bytes_at));
    source.bytes_at = source.read_to;
  }
  // What was written since the files were looked at has its turn when they are looked at again.
  std::size_t const before = source.bytes.size();
  std::uint64_t const at = source.bytes_at + before;
  if (at >= source.file.size) return More::end;
  auto const most = std::min<std::uint64_t>(kReadBytes, source.file.size - at);
  if (failed(folder_.read(source.file.instance, at, most, source.bytes))) return More::failed;
  if (source.bytes.size() == before) return More::end;
  // One sync is for all that was there when it began.
  std::uint64_t const end = source.bytes_at + source.bytes.size();
  if (end <= source.synced_to) return More::some;
  if (!failed(folder_.sync(source.file.instance))) {
    source.synced_to = std::max(end, source.file.size);
    return More::some;
  }
  source.bytes.resize(before);
  return More::failed;
}

Found Forwarder::find(Source const& source, std::string_view bytes, std::size_t from, bool is_settled) const {
  return source.file.place.kind == Kind::rows ? find_record(bytes, from, *source.seed, is_settled)
                                              : find_line(bytes, from, is_settled);
}

Status Forwarder::read_row(Source const& source, std::string_view body, Message& row, Unwrapped& out) {
  if (source.file.place.kind == Kind::rows) return unwrap(body, row, out, rules_.lines_command);
  Status status = read_line(body, rules_.lines_command, row, frame_);
  out = {.row = status.ok() ? std::string_view{frame_} : body};
  return status;
}

// All that have a head and no name so far: one sync for all of them. The seed in the head is kept with the name.
bool Forwarder::name_files() {
  std::vector<Progress> names;
  for (auto const& [instance, source] : sources_)
    if (!source.is_named && source.seed) names.push_back(source.kept);
  if (failed(folder_.keep(names))) return false;
  for (auto& [instance, source] : sources_) source.is_named = source.is_named || source.seed;
  return true;
}

void Forwarder::take(Source& source, TimeMs now) {
  bool is_at_end = false;
  source.is_at_end = !source.seed;
  if (source.next_try > now) return;
  while (source.seed && has_room() && source.taken.size() < rules_.span_max && paused_until_ <= now) {
    std::size_t const from = source.read_to - source.bytes_at;
    bool const is_settled = is_at_end && source.is_left;
    Found const found = find(source, source.bytes, std::min(from, source.bytes.size()), is_settled);
    if (found.kind != Found::Kind::record) {
      bool const is_large = source.bytes.size() - std::min(from, source.bytes.size()) >= kRecordBytesMax + kReadBytes;
      if (!is_at_end && !is_large) {
        More const more = read_more(source);
        if (more == More::failed) {
          source.next_try = after(now, rules_.retry_first_ms);
          return;
        }
        is_at_end = more != More::some;
        continue;
      }
      // Nothing before the place of an unfinished row is needed again.
      figures_.damaged_bytes += found.damaged_bytes;
      source.read_to = source.bytes_at + found.begin;
      source.is_at_end = true;
      // There may be many files, and each had up to a MiB.
      if (source.read_to < source.bytes_at + source.bytes.size()) return;
      std::string{}.swap(source.bytes);
      source.bytes_at = source.read_to;
      return;
    }
    if (!source.is_named && !name_files()) return;
    figures_.damaged_bytes += found.damaged_bytes;
    Taken const taken{source.bytes_at + found.begin, source.bytes_at + found.end, source.ordinal, false};
    source.read_to = taken.begin;
    if (!take_one(source, found.body, taken, now)) return;
  }
}

// False: not now.
bool Forwarder::take_one(Source& source, std::string_view body, Taken taken, TimeMs now) {
  Message& message = row_;
  Unwrapped unwrapped;
  Status status = read_row(source, body, message, unwrapped);
  bool const is_row = status.ok();
  if (is_row) status = check_name(message);
  if (unwrapped.is_aside && is_resent_too_early(unwrapped.aside, table_of(message))) return false;
  taken.is_settled = source.settled.erase(taken.ordinal) > 0;
  if (!taken.is_settled && !status.ok()) {
    Aside const aside{row_of(status.code()).wire_name,          status.message(), now.value, source.kept.client,
                      static_cast<std::int64_t>(taken.ordinal), unwrapped.row};
    if (failed(folder_.set_aside(kOtherTable, aside))) {
      is_recall_due_ = true;  // it may be there all the same
      pause(now);
      return false;
    }
    ++figures_.set_aside;
    taken.is_settled = true;
  }
  source.read_to = taken.end;
  ++source.ordinal;
  source.taken.push_back(taken);
  if (taken.is_settled) return true;
  std::size_t const params = message.params().size();
  message.set("client", std::string_view{source.kept.client});
  message.set_integer("sequence", static_cast<std::int64_t>(taken.ordinal));
  bool const is_new = message.params().size() == params + 2 && !message.has("request");
  std::string const table{table_of(message)};
  if (held_.contains(table))
    hold(table, message, source.file.instance, taken, now);
  else
    fly(message, is_new ? unwrapped.row : std::string_view{},
        {.file = source.file.instance, .begin = taken.begin, .bytes = taken.end - taken.begin});
  return true;
}

// Where it came from has it as well, until that is erased, or the progress behind it is kept: after an end in between
// it would be sent from there, under another identity.
bool Forwarder::is_resent_too_early(Aside const& aside, std::string_view table) const {
  if (auto const held = held_.find(std::string{table}); held != held_.end())
    if (held->second.aside_to > held->second.erased_to) return true;
  auto const is_of = [&aside](Progress const& kept) {
    return kept.client == aside.client && aside.sequence >= static_cast<std::int64_t>(kept.ordinal);
  };
  return std::any_of(sources_.begin(), sources_.end(), [&](auto const& entry) { return is_of(entry.second.kept); }) ||
         std::any_of(kept_.begin(), kept_.end(), [&](auto const& entry) { return is_of(entry.second.progress); });
}

void Forwarder::fly(Message const& message, std::string_view body, Flight flight) {
  std::uint64_t const number = first_number_ + flights_.size();
  flight_bytes_ += flight.bytes;
  ++open_flights_;
  flights_.push_back(std::move(flight));
  ++figures_.sent;
  link_.send(message, body, number);
}

// It has its answer, or needs none any more.
void Forwarder::land(Flight& flight) {
  if (!std::exchange(flight.is_open, false)) return;
  --open_flights_;
  flight_bytes_ -= flight.bytes;
}

void Forwarder::forget_flights() {
  first_number_ += flights_.size();
  flights_.clear();
  open_flights_ = 0;
  flight_bytes_ = 0;
}

// ---------------------------------------------------------------------------
// Answers

Forwarder::Taken* Forwarder::taken_of(Flight const& flight) {
  std::deque<Taken>* taken = nullptr;
  if (!flight.held.empty()) {
    if (auto const found = held_.find(flight.held); found != held_.end()) taken = &found->second.taken;
  } else if (auto const found = sources_.find(flight.file); found != sources_.end()) {
    taken = &found->second.taken;
  }
  if (taken == nullptr) return nullptr;
  auto const place = std::lower_bound(taken->begin(), taken->end(), flight.begin,
                                      [](Taken const& one, std::uint64_t begin) { return one.begin < begin; });
  return place != taken->end() && place->begin == flight.begin ? &*place : nullptr;
}

void Forwarder::answered(std::uint64_t number, Status const& answer, TimeMs now) {
  if (number < first_number_ || number - first_number_ >= flights_.size()) return;
  Flight& answered = flights_[number - first_number_];
  if (!answered.is_open) return;
  land(answered);
  Flight const flight = std::move(answered);
  while (!flights_.empty() && !flights_.front().is_open) {
    flights_.pop_front();
    ++first_number_;
  }
  if (!answer.ok()) return refuse(flight, answer, now);
  ++figures_.confirmed;
  pause_ms_ = 0;
  if (Taken* const taken = taken_of(flight)) taken->is_settled = true;
  if (flight.held.empty()) return;
  Held& held = held_.at(flight.held);
  held.is_open = true;
  held.retry_ms = 0;
}

void Forwarder::refuse(Flight const& flight, Status const& answer, TimeMs now) {
  Verdict const verdict = verdict_of(answer);
  bool const is_ahead = has_fast_clock(answer);
  if (verdict == Verdict::later_all) {
    problem_ = answer;
    problem_at_ = now;
    return pause(now);
  }
  Taken* const taken = taken_of(flight);
  if (taken == nullptr) return;
  if (!flight.held.empty() && verdict == Verdict::later_table) {
    // From the first one without an answer, and later.
    Held& held = held_.at(flight.held);
    held.reason = answer;
    held.retry_ms = pause_after(answer, held.retry_ms, rules_);
    held.next_try = after(now, held.retry_ms);
    go_back(held);
    for (Flight& other : flights_)
      if (other.held == flight.held) land(other);
    return;
  }
  std::string record;
  Status read = flight.held.empty() ? folder_.read(flight.file, taken->begin, taken->end - taken->begin, record)
                                    : folder_.read_held(flight.held, taken->begin, taken->end - taken->begin, record);
  if (failed(std::move(read))) return pause(now);
  Message message;
  Unwrapped unwrapped;
  std::string_view body;
  if (flight.held.empty()) {
    Source const& source = sources_.at(flight.file);
    body = find(source, record, 0, true).body;
    if (failed(read_row(source, body, message, unwrapped))) return pause(now);
  } else {
    body = find_record(record, 0, *held_.at(flight.held).seed, true).body;
    if (failed(protocol::parse_frame(body, message))) return pause(now);
  }
  std::string const table{table_of(message)};
  if (is_ahead && message.has("insertion_date")) {
    send_without_date(flight, *taken, message, table, now);
    return;
  }
  // Names come from producers: their number is bounded.
  bool const is_full = held_.size() >= kHeldTablesMax && !held_.contains(table);
  if (verdict == Verdict::never || is_full) {
    if (failed(set_aside(flight, *taken, message, unwrapped.row, answer, now))) {
      is_recall_due_ = true;
      return pause(now);
    }
    ++figures_.set_aside;
    taken->is_settled = true;
    if (!flight.held.empty()) held_.at(table).aside_to = std::max(held_.at(table).aside_to, taken->end);
    return;
  }
  message.set("client", std::string_view{sources_.at(flight.file).kept.client});
  message.set_integer("sequence", static_cast<std::int64_t>(taken->ordinal));
  Held& held = held_[table];
  if (held.retry_ms == 0) {
    held.since = now;
    held.reason = answer;
    held.retry_ms = longer(0, rules_);
    held.next_try = after(now, held.retry_ms);
  }
  hold(table, message, flight.file, *taken, now);
}

// The clock of this computer is fast: with the date of its arrival the row is taken. Only at once: a row that waits
// keeps its own date, which may be past when it is sent, and then counts before what was saved meanwhile.
void Forwarder::send_without_date(Flight const& flight, Taken const& taken, Message& message, std::string const& table,
                                  TimeMs now) {
  bool const waits = flight.held.empty() && held_.contains(table);
  if (!waits) {
    message.erase("insertion_date");
    ++figures_.redated;
  }
  if (!flight.held.empty())
    return fly(message, {}, {.held = flight.held, .begin = flight.begin, .bytes = flight.bytes});
  message.set("client", std::string_view{sources_.at(flight.file).kept.client});
  message.set_integer("sequence", static_cast<std::int64_t>(taken.ordinal));
  if (waits) return hold(table, message, flight.file, taken, now);
  fly(message, {}, {.file = flight.file, .begin = flight.begin, .bytes = flight.bytes});
}

// `message` is the row; `body` as its producer saved it, unless it is held.
Status Forwarder::set_aside(Flight const& flight, Taken const& taken, Message& message, std::string_view body,
                            Status const& why, TimeMs now) {
  Aside aside{.code = row_of(why.code()).wire_name, .reason = why.message(), .date_ms = now.value};
  if (flight.held.empty()) {
    aside.client = sources_.at(flight.file).kept.client;
    aside.sequence = static_cast<std::int64_t>(taken.ordinal);
    aside.row = body;
    return folder_.set_aside(std::string{table_of(message)}, aside);
  }
  std::string const client{message.text("client")};
  aside.client = client;
  aside.sequence = message.integer("sequence").value_or(0);
  message.erase("client");
  message.erase("sequence");
  std::string frame;
  protocol::append_frame({.command = message.command, .params = message.params()}, frame);
  aside.row = std::string_view{frame}.substr(protocol::kFrameHeaderBytes);
  return folder_.set_aside(flight.held, aside);
}

// The daemon, or the folder, takes nothing now.
void Forwarder::pause(TimeMs now) {
  pause_ms_ = longer(pause_ms_, rules_);
  paused_until_ = after(now, pause_ms_);
  lost();
}

void Forwarder::lost() {
  forget_flights();
  for (auto& [instance, source] : sources_) go_back(source);
  for (auto& [table, held] : held_) {
    go_back(held);
    forget_pending(held);
  }
}

// To the first row without an answer. Those behind it that have one need not be sent again; one that was set aside must
// not: it may be resent from there.
void Forwarder::go_back(Source& source) {
  auto const first =
      std::find_if(source.taken.begin(), source.taken.end(), [](Taken const& one) { return !one.is_settled; });
  if (first == source.taken.end()) return;
  source.read_to = first->begin;
  source.ordinal = first->ordinal;
  source.bytes.clear();
  source.bytes_at = first->begin;
  for (auto one = first; one != source.taken.end(); ++one)
    if (one->is_settled) source.settled.insert(one->ordinal);
  source.taken.erase(first, source.taken.end());
}

// ---------------------------------------------------------------------------
// What is settled

void Forwarder::keep(TimeMs now) {
  std::vector<Progress> next;
  bool are_many = false;
  for (auto& [instance, source] : sources_) {
    std::size_t& first = source.settled_first;
    while (first < source.taken.size() && source.taken[first].is_settled) ++first;
    if (first == 0) continue;
    are_many = are_many || first >= rules_.span_max / 2;
    Taken const& last = source.taken[first - 1];
    next.push_back({instance, source.kept.client, last.end, last.ordinal + 1});
  }
  if (!next.empty() && (open_flights_ == 0 || are_many || after(kept_at_, rules_.keep_every_ms) <= now)) {
    if (failed(folder_.keep(next))) return;
    kept_at_ = now;
    for (Progress& progress : next) {
      Source& source = sources_.at(progress.instance);
      // Only now: after an end in between they are sent again, and counted on from the place before them.
      static_cast<void>(failed(folder_.erase(progress.instance, source.kept.offset, progress.offset)));
      source.taken.erase(source.taken.begin(),
                         source.taken.begin() + static_cast<std::ptrdiff_t>(source.settled_first));
      source.settled_first = 0;
      source.kept = std::move(progress);
    }
  } else if (!next.empty()) {
    next_date_ = std::min(next_date_, after(kept_at_, rules_.keep_every_ms));
  }
  for (auto& [table, held] : held_) {
    auto const first =
        std::find_if(held.taken.begin(), held.taken.end(), [](Taken const& one) { return !one.is_settled; });
    if (first == held.taken.begin()) continue;
    // What is there after an end would be sent again: until then it counts among those.
    std::uint64_t const to = std::prev(first)->end;
    if (failed(folder_.erase_held(table, to))) continue;
    held.erased_to = to;
    held.taken.erase(held.taken.begin(), first);
  }
}

void Forwarder::remove_finished() {
  std::erase_if(sources_, [&](auto const& entry) {
    auto const& [instance, source] = entry;
    bool const is_read = source.read_to >= source.file.size && source.kept.offset <= source.read_to;
    bool const is_done = source.file.is_ended && source.is_left && source.taken.empty() &&
                         (source.is_without_head || (source.seed && is_read));
    // More than a head that its producer did not end: there are rows behind damage.
    bool const is_damaged = source.is_without_head && source.file.size > kFileHeadBytes;
    return is_done && !failed(is_damaged ? folder_.put_apart(instance) : folder_.remove(instance));
  });
}

ForwarderFigures Forwarder::figures() const {
  ForwarderFigures out = figures_;
  out.files = sources_.size();
  out.tables_held = held_.size();
  out.in_flight = open_flights_;
  for (auto const& [instance, source] : sources_) {
    auto const first =
        std::find_if(source.taken.begin(), source.taken.end(), [](Taken const& one) { return !one.is_settled; });
    std::uint64_t const settled = first == source.taken.end() ? source.read_to : first->begin;
    out.waiting_bytes += source.file.size - std::min(source.file.size, settled);
  }
  return out;
}

std::vector<HeldTable> Forwarder::held() const {
  std::vector<HeldTable> out;
  for (auto const& [table, held] : held_) out.push_back({table, held.reason, held.since, held.next_try});
  return out;
}

bool Forwarder::has_room() const {
  // One answer that does not come must not let the others pile up behind it.
  return open_flights_ < rules_.in_flight_max && flights_.size() < rules_.span_max &&
         flight_bytes_ < rules_.in_flight_bytes_max;
}

bool Forwarder::is_idle() const {
  return open_flights_ == 0 && std::all_of(sources_.begin(), sources_.end(), [](auto const& entry) {
           return entry.second.is_at_end && entry.second.taken.empty();
         });
}

}  // namespace fastjournal::spool
