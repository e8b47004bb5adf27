#include "plugins/blob/maintenance.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "model/parameters.h"
#include "plugins/blob/records.h"

namespace fastjournal::blob {
namespace {

// New bytes wait while so few are to be copied.
constexpr std::uint64_t kLastRoundBytes = std::uint64_t{1} << 20U;
// Copies of one step, and of one request; and blobs that are left out, of one step.
constexpr std::size_t kCopiesPerStep = 256;
// While the file is made that is to be the current one; more seldom the longer that takes, as on a full disk.
constexpr std::int64_t kLookAgainMs = 10;
constexpr std::int64_t kLookAgainMsMax = 1'000;
// A disk that has lost more than that is not cleaned by leaving blobs out.
constexpr std::uint32_t kDamagedMax = 100;
constexpr std::size_t kWhyBytesMax = 1024;

std::array<std::uint64_t, 2> request_key(Key const& key) { return {key.hash_value, key.hash_id}; }
Key key_of(std::array<std::uint64_t, 2> const& key) { return {static_cast<std::uint32_t>(key[0]), key[1]}; }

}  // namespace

// ---------------------------------------------------------------------------
// From beginning to end

Policy Maintenance::policy_of(std::int64_t age, std::uint64_t bytes_max, std::int64_t unreferenced,
                              std::int64_t now) const {
  Policy policy;
  if (age != 0) policy.oldest_entry_s = TableState::seconds(TimeMs{now - age});
  if (unreferenced != 0) policy.oldest_read_s = TableState::seconds(TimeMs{now - unreferenced});
  policy.bytes_max = bytes_max;
  return policy;
}

void Maintenance::begin(Policy const& policy, Decision& decision) const {
  State state = shared_.state;
  ++state.last_number;
  state.files.next = state.last_number;
  // Seed: what a former maintenance left goes first.
  state.old_file = 0;
  state.began = decision.now.value;
  state.policy = policy;
  state.total = shared_.index.size();
  state.total_bytes = shared_.index.bytes();
  state.mode = shared_.options.mode();
  shared_.one_by_one = 0;
  model::append_record(decision.records, {}, StateBody{state}, RecordType::begun);
  ++shared_.statistics.maintenances;
}

void Maintenance::swap(Decision& decision) const {
  State state = shared_.state;
  state.old_file = state.files.current;
  state.old_ends = decision.now.value + kOldFileMs;
  state.files = {state.files.next, 0};
  shared_.names.open();
  model::append_record(decision.records, {}, StateBody{state}, RecordType::swapped);
}

void Maintenance::cancel(std::string const& why, Decision& decision) const {
  State state = shared_.state;
  if (state.mode == Mode::online) {
    state.old_file = state.files.next;
    state.old_ends = decision.now.value + kOldFileMs;
  }
  state.files.next = 0;
  shared_.names.open();
  model::append_record(decision.records, {}, StateBody{state, std::string_view{why}.substr(0, kWhyBytesMax)},
                       RecordType::cancelled);
  if (!why.empty()) ++shared_.statistics.given_up;
}

bool Maintenance::is_copied_but(std::size_t left) const {
  return shared_.state.is_building() && shared_.survey.has_seen_all() && shared_.survey.size() <= left &&
         !shared_.awaits_promised();
}

bool Maintenance::may_swap(std::size_t left, std::int64_t now) const {
  if (!is_copied_but(left)) return false;
  if (!is_made()) {
    look_at_ = now + std::clamp((now - shared_.state.began) / 8, kLookAgainMs, kLookAgainMsMax);
    return false;
  }
  if (shared_.names.quiet_from() <= now) return true;
  shared_.names.close(shared_.state.mode != Mode::modern);
  return false;
}

bool Maintenance::is_made() const { return shared_.made == shared_.state.files.next; }

bool Maintenance::leave_out(Decision& decision) const {
  std::vector<Key> keys;
  shared_.survey.for_each_left([&](Key const& key) {
    keys.push_back(key);
    return keys.size() < kCopiesPerStep;
  });
  if (keys.empty()) return false;
  model::append_record(decision.records, {}, LeftBody{std::move(keys)});
  return true;
}

Maintenance::Phase Maintenance::phase() const {
  if (!shared_.state.is_building()) return shared_.state.is_waiting() ? Phase::finished : Phase::idle;
  if (shared_.survey.is_judging()) return Phase::judging;
  return is_copied_but(0) ? Phase::quiet : Phase::copying;
}

Verdict Maintenance::maintain(Command const& command, Decision& decision) const {
  model::Parameters parameters{*command.message};
  shared_.see(decision.now);
  Options const& options = shared_.options;
  std::int64_t const age = parameters.integer("age", options.expire_age, 0, model::kDateMax);
  std::int64_t const bytes = parameters.integer("size", static_cast<std::int64_t>(options.expire_size), 0, INT64_MAX);
  std::int64_t const unreferenced = parameters.integer("unreferenced", options.expire_unreferenced, 0, model::kDateMax);
  bool const is_cancel = parameters.integer("cancel", 0, 0, 1) == 1;
  if (!parameters.ok()) return decision.refuse(parameters.take_status());
  State const& state = shared_.state;
  std::string_view result = "running";
  std::uint32_t file = state.files.next;
  if (is_cancel) {
    result = state.is_building() ? "cancelled" : "idle";
    if (state.is_building()) cancel({}, decision);
  } else if (!state.is_building()) {
    if (state.is_waiting() || !shared_.index.is_settled())
      return decision.refuse(
          {Code::unavailable, "table " + shared_.table() +
                                  (state.is_old_given_up() ? " gave a maintenance up a moment ago, and its file"
                                                           : " exchanged its files a moment ago, and the old one") +
                                  " is still there for its readers: try again in a minute"});
    begin(policy_of(age, static_cast<std::uint64_t>(bytes), unreferenced, decision.now.value), decision);
    result = "begun";
    file = state.last_number + 1;
  }
  bool const is_running = result == "running";
  Mode const mode = result == "begun" ? shared_.options.mode() : state.mode;
  decision.answer.message("MAINTAINING")
      .add("table", std::string_view{shared_.table()})
      .add("result", Value::of_text(result))
      .add("mode", Value::of_text(kModeNames[static_cast<std::size_t>(mode)]))
      .add("phase", Value::of_text(is_running ? kPhaseNames[static_cast<std::size_t>(phase())] : result))
      .add("file", std::uint64_t{file})
      .add("total", is_running ? state.total : shared_.index.size())
      .add("done", shared_.index.copied());
  return Verdict::done;
}

// ---------------------------------------------------------------------------
// Time

// Of the next one by the schedule.
std::int64_t Maintenance::due() const {
  State const& state = shared_.state;
  bool const may_begin = !state.is_building() && !state.is_waiting() && shared_.index.file_end() != 0;
  if (!may_begin || shared_.options.maintain_every == 0 || shared_.state_lsn.is_none()) return INT64_MAX;
  return (TimeMs{state.began} + DurationMs{shared_.options.maintain_every}).value;
}

std::int64_t Maintenance::next_due() const {
  if (shared_.survey.has_left()) return 0;
  if (is_copied_but(0)) return is_made() ? shared_.names.quiet_from() : look_at_;
  return shared_.state.is_waiting() ? shared_.state.old_ends : due();
}

bool Maintenance::decide_timer(Decision& decision) const {
  shared_.see(decision.now);
  State const& state = shared_.state;
  std::int64_t const now = decision.now.value;
  if (leave_out(decision)) return true;
  if (may_swap(0, now)) {
    swap(decision);
    return true;
  }
  if (!shared_.index.is_settled()) return false;
  if (state.is_waiting() && state.old_ends <= now) {
    State next = state;
    bool const stays = state.mode != Mode::modern && !state.is_old_given_up();
    if (!stays) next.old_file = 0;
    next.old_ends = 0;
    model::append_record(decision.records, {}, StateBody{next}, RecordType::ended);
    return true;
  }
  if (due() > now) return false;
  Options const& options = shared_.options;
  begin(policy_of(options.expire_age, options.expire_size, options.expire_unreferenced, now), decision);
  return true;
}

void Maintenance::decide_time_lost(DurationMs lost, Decision& decision) const {
  shared_.names.time_lost(lost.value);
  if (!shared_.state.is_waiting()) return;
  State next = shared_.state;
  next.old_ends = (TimeMs{next.old_ends} + lost).value;
  model::append_record(decision.records, {}, StateBody{next}, RecordType::state);
}

// ---------------------------------------------------------------------------
// Files and copies

void Maintenance::list_files(std::vector<FileRequest>& files) const {
  State const& state = shared_.state;
  Files const& known = shared_.index.files();
  bool const has_names = state.mode != Mode::modern;
  std::uint32_t newer = has_names ? known.next : 0;
  std::uint32_t former = 0;
  if (has_names && state.old_file != 0) (state.is_old_given_up() ? newer : former) = state.old_file;
  files.push_back({.number = known.current, .link = kDataLink});
  files.push_back({.number = newer, .link = kNewerLink});
  files.push_back({.number = former, .link = kFormerLink});
  if (known.next != 0) files.push_back({.number = known.next});
  if (state.old_file != 0) files.push_back({.number = state.old_file});
}

bool Maintenance::holds_new() const {
  Survey const& survey = shared_.survey;
  return shared_.state.is_building() && survey.has_seen_all() && (survey.size() > 0 || shared_.awaits_promised()) &&
         survey.bytes() < kLastRoundBytes && shared_.names.is_quiet();
}

std::uint32_t Maintenance::request_copies(std::uint64_t bytes_max, std::vector<CopyRequest>& requests) const {
  if (!shared_.state.is_building()) return 0;
  std::size_t const count_max = shared_.one_by_one > 0 ? 1 : kCopiesPerStep;
  std::uint64_t bytes = 0;
  std::size_t const before = requests.size();
  shared_.survey.for_each([&](Key const& key) {
    std::optional<Blob> const blob = shared_.index.find(key);
    if (!blob.has_value()) return true;
    bool const is_first = requests.size() == before;
    if (!is_first && bytes + blob->extent.size() > bytes_max) return false;
    bytes += blob->extent.size();
    requests.push_back({.key = request_key(key), .from = blob->extent});
    return requests.size() - before < count_max;
  });
  return requests.size() == before ? 0 : shared_.state.files.next;
}

bool Maintenance::decide_moved(std::span<Moved const> moved, Decision& decision) const {
  std::uint64_t& at = decision.carry[0];
  std::span<Moved const> const rest = moved.subspan(std::min<std::size_t>(at, moved.size()));
  std::span<Moved const> const part = rest.first(std::min(kCopiesPerStep, rest.size()));
  MovedBody body{shared_.state.files.next, {}};
  std::vector<Copied>& copied = body.blobs;
  std::size_t awaited = 0;
  std::uint64_t bytes = 0;
  for (Moved const& one : part) {
    Key const key = key_of(one.key);
    std::optional<Blob> const blob = shared_.index.find(key);
    bool const is_it = blob.has_value() && blob->extent == one.from && !blob->has_copy();
    bool const fits =
        one.to.file == shared_.state.files.next && one.to.size() == one.from.size() && one.to.hash == one.from.hash;
    if (!shared_.state.is_building() || !fits || !is_it || !blob.has_value()) continue;
    copied.push_back({key, one.to.begin});
    bytes += one.from.size();
    if (shared_.survey.has(key)) ++awaited;
  }
  at += part.size();
  if (!copied.empty()) model::append_record(decision.records, {}, body);
  shared_.one_by_one -= std::min(shared_.one_by_one, copied.size());
  shared_.statistics.copied += copied.size();
  shared_.statistics.copied_bytes += bytes;
  if (at < moved.size()) return true;
  if (may_swap(awaited, decision.now.value)) swap(decision);
  return false;
}

// Damage ends the blob, which cannot be read any more, and not the maintenance; anything else ends that.
void Maintenance::decide_not_moved(std::span<CopyRequest const> requests, Status const& why, Decision& decision) const {
  if (!shared_.state.is_building() || requests.empty()) return;
  std::string const reason = "maintenance of table " + shared_.table() + " is given up, nothing is lost: " + why.text();
  if (why.code() != Code::damaged) return cancel(reason, decision);
  // Which of them it is, their copies alone will show.
  if (requests.size() > 1) {
    shared_.one_by_one = requests.size();
    return;
  }
  CopyRequest const& request = requests.front();
  Key const key = key_of(request.key);
  shared_.one_by_one -= std::min<std::size_t>(shared_.one_by_one, 1);
  std::optional<Blob> const blob = shared_.index.find(key);
  if (!blob.has_value() || blob->extent != request.from) return;
  if (shared_.damaged >= kDamagedMax) return cancel(reason, decision);
  std::string const text = "the blob " + bcdb::digits_of(key) + " of table " + shared_.table() +
                           " is damaged and will be left out: file " + std::to_string(request.from.file) + ", " +
                           std::to_string(request.from.size()) + " bytes at offset " +
                           std::to_string(request.from.begin) + ": " + why.message();
  model::append_record(decision.records, {}, DamagedBody{key, std::string_view{text}.substr(0, kWhyBytesMax)});
  if (shared_.state.mode == Mode::online) model::append_record(decision.records, {}, LeftBody{{key}});
}

}  // namespace fastjournal::blob
