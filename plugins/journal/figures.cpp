#include "plugins/journal/figures.h"

#include <algorithm>

#include "plugins/journal/made.h"

namespace fastjournal::journal {
namespace {

// Beside the figures in a record.
constexpr std::size_t kHeadBytes = 64;

std::uint32_t capped(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, UINT32_MAX));
}
std::uint32_t sum(std::uint32_t one, std::uint32_t other) { return capped(std::uint64_t{one} + other); }

}  // namespace

// ---------------------------------------------------------------------------
// The minute under way

bool Figures::state_minute(Decision& decision) const {
  if (decision.now.value < next_due()) return false;
  Counted const now = Counted::of(statistics_);
  Figure figure;
  figure.number = static_cast<std::uint32_t>(minute_ - 1);
  figure.inserted = capped(now.inserted - base_.inserted);
  figure.leased = capped(now.leased - base_.leased);
  figure.done = capped(now.done - base_.done);
  figure.failed = capped(now.failed - base_.failed);
  figure.timed_out = capped(now.timed_out - base_.timed_out);
  figure.waiting = capped(rows_.places().future() + rows_.order().size() + rows_.places().behind());
  figure.processing = rows_.leases().size();
  figure.late_p50 = capped(lateness_ms_.percentile(50));
  figure.late_p99 = capped(lateness_ms_.percentile(99));
  FiguresBody body;
  body.figures.push_back(figure);
  model::append_record(decision.records, id_, body);
  return true;
}

// ---------------------------------------------------------------------------
// Applying

bool Figures::apply(RecordView const& record, ApplyContext const& context) {
  FiguresBody body;
  if (!model::read_record(record, body)) return false;
  id_ = record.object;
  std::uint32_t const region = rows::Regions::of(record.lsn);
  for (Figure const& one : body.figures)
    put(body.span == Span::minute ? minutes_ : hours_, one, region, body.span == Span::minute ? kMinutes : kHours);
  if (!body.is_whole) add_to_hour(body.figures.front(), region);
  find_oldest();
  if (body.is_whole || !context.live) return true;
  minute_ = 0;
  base_ = Counted::of(statistics_);
  lateness_ms_ = {};
  return true;
}

void Figures::put(Ring& ring, Figure const& figure, std::uint32_t region, std::uint32_t most) {
  auto const place =
      std::ranges::lower_bound(ring, figure.number, {}, [](Kept const& one) { return one.figure.number; });
  if (place != ring.end() && place->figure.number == figure.number) {
    *place = {figure, region};
    return;
  }
  // No more than it may become, and a growing part of that.
  if (ring.size() == ring.capacity()) {
    std::ptrdiff_t const at = place - ring.begin();
    ring.reserve(std::min<std::size_t>(most + 1, ring.size() + ring.size() / 2 + 8));
    ring.insert(ring.begin() + at, {figure, region});
  } else {
    ring.insert(place, {figure, region});
  }
  drop_old(ring, most);
}

void Figures::drop_old(Ring& ring, std::uint32_t most) {
  std::uint32_t const newest = ring.back().figure.number;
  std::erase_if(ring, [&](Kept const& one) { return one.figure.number + most <= newest; });
}

// The clock may have been ahead: then an earlier hour is added to.
void Figures::add_to_hour(Figure const& minute, std::uint32_t region) {
  std::uint32_t const number = minute.number / 60;
  auto const place = std::ranges::lower_bound(hours_, number, {}, [](Kept const& one) { return one.figure.number; });
  if (place == hours_.end() || place->figure.number != number) {
    Figure hour = minute;
    hour.number = number;
    return put(hours_, hour, region, kHours);
  }
  Figure& hour = place->figure;
  std::uint64_t const leased = std::uint64_t{hour.leased} + minute.leased;
  if (leased > 0)
    hour.late_p50 =
        capped((std::uint64_t{hour.late_p50} * hour.leased + std::uint64_t{minute.late_p50} * minute.leased) / leased);
  hour.late_p99 = std::max(hour.late_p99, minute.late_p99);
  hour.inserted = sum(hour.inserted, minute.inserted);
  hour.leased = capped(leased);
  hour.done = sum(hour.done, minute.done);
  hour.failed = sum(hour.failed, minute.failed);
  hour.timed_out = sum(hour.timed_out, minute.timed_out);
  hour.waiting = minute.waiting;
  hour.processing = minute.processing;
}

void Figures::lower_clock(std::int64_t to) {
  std::erase_if(minutes_, [&](Kept const& one) { return one.figure.number > to / kMinuteMs; });
  std::erase_if(hours_, [&](Kept const& one) { return one.figure.number > to / kHourMs; });
  find_oldest();
  minute_ = std::min(minute_, to / kMinuteMs + 1);
}

// ---------------------------------------------------------------------------
// Space, followers, digest

void Figures::find_oldest() {
  oldest_ = UINT32_MAX;
  for (Ring const* ring : {&minutes_, &hours_})
    for (Kept const& one : *ring) oldest_ = std::min(oldest_, one.region);
}

// True: there was no room.
bool Figures::restate(Ring const& ring, Span span, ObjectId id, Lsn below, rows::CopyRoom& room, Records& records) {
  FiguresBody body;
  body.span = span;
  body.is_whole = true;
  auto const tell = [&] {
    if (!body.figures.empty()) model::append_record(records, id, body);
    body.figures.clear();
  };
  for (Kept const& one : ring) {
    if (rows::Regions::start(one.region) >= below) continue;
    if (!room.take(kFigureBytesMax + (body.figures.empty() ? kHeadBytes : 0))) {
      tell();
      return true;
    }
    body.figures.push_back(one.figure);
    if (body.figures.size() == FiguresBody::kFiguresMax) tell();
  }
  tell();
  return false;
}

bool Figures::compact(Lsn below, rows::CopyRoom& room, Records& records) const {
  return restate(minutes_, Span::minute, id_, below, room, records) ||
         restate(hours_, Span::hour, id_, below, room, records);
}

bool Figures::snapshot(std::uint64_t& after, rows::CopyRoom& page, Records& records) const {
  // Minutes by their number, then hours by theirs, which are smaller.
  constexpr std::uint64_t kHoursFrom = 1ULL << 32U;
  for (bool const is_hours : {false, true}) {
    Ring const& ring = is_hours ? hours_ : minutes_;
    FiguresBody body;
    body.span = is_hours ? Span::hour : Span::minute;
    body.is_whole = true;
    bool is_full = false;
    for (Kept const& one : ring) {
      std::uint64_t const place = (is_hours ? kHoursFrom : 0) + one.figure.number;
      if (place <= after) continue;
      is_full =
          body.figures.size() == FiguresBody::kFiguresMax || !page.take_one_at_least(kHeadBytes + kFigureBytesMax);
      if (is_full) break;
      body.figures.push_back(one.figure);
      after = place;
    }
    if (!body.figures.empty()) model::append_record(records, id_, body);
    if (is_full) return false;
  }
  return true;
}

void Figures::digest(DigestSink& sink) const {
  for (bool const is_hours : {false, true})
    for (Kept const& one : is_hours ? hours_ : minutes_) {
      FiguresBody body;
      body.span = is_hours ? Span::hour : Span::minute;
      body.is_whole = true;
      body.figures.push_back(one.figure);
      model::digest_object(sink, id_, body);
    }
}

// ---------------------------------------------------------------------------
// FIGURES

Verdict Figures::tell(Command const& command, Decision& decision) const {
  made::Figures given;
  if (!given.read(command, decision)) return Verdict::done;
  bool const by_hours = given.per == made::PerChoice::hour;
  std::int64_t const span = by_hours ? kHourMs : kMinuteMs;
  Answer& answer = decision.answer;
  std::string_view const table{settings_.table()};
  std::uint32_t told = 0;
  std::int64_t last = 0;
  for (Kept const& one : by_hours ? hours_ : minutes_) {
    Figure const& figure = one.figure;
    std::int64_t const from = figure.number * span;
    if (from <= static_cast<std::int64_t>(given.after) || from < given.since.value_or(0)) continue;
    if (given.until && from >= *given.until) break;
    if (told == given.count) {
      answer.add("after", last);
      return Verdict::done;
    }
    last = from;
    ++told;
    answer.message("FIGURE").add("table", table).add("date", from);
    answer.add("inserted", std::uint64_t{figure.inserted}).add("leased", std::uint64_t{figure.leased});
    answer.add("done", std::uint64_t{figure.done}).add("failed", std::uint64_t{figure.failed});
    answer.add("timed_out", std::uint64_t{figure.timed_out}).add("waiting", std::uint64_t{figure.waiting});
    answer.add("processing", std::uint64_t{figure.processing});
    answer.add("lateness_ms_p50", std::uint64_t{figure.late_p50});
    answer.add("lateness_ms_p99", std::uint64_t{figure.late_p99});
  }
  if (told > 0) return Verdict::done;
  answer.message("NOTHING").add("table", table);
  if (!settings_.options().keep_figures)
    answer.add("reason", Value::of_text("the table keeps no figures: its declaration has no "
                                        "<keep-figures>true</keep-figures>"));
  return Verdict::done;
}

}  // namespace fastjournal::journal
