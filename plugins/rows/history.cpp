#include "plugins/rows/history.h"

#include <limits>
#include <utility>

namespace fastjournal::rows {
namespace {

// Entries in memory from which on a page is written.
constexpr std::size_t kRecentMin = kPageEntriesMax;
// After a failure: until so many more have come. And what stays in memory then: the oldest are lost beyond it.
constexpr std::size_t kRestEntries = 256;
constexpr std::size_t kRecentMax = 65'536;
constexpr std::uint64_t kRecentBytesMax = 32U << 20U;
// Of parts that were read.
constexpr std::size_t kAtHandParts = 128;
constexpr std::uint64_t kAtHandBytes = 4U << 20U;
// Beside its bytes, in memory and in the log.
constexpr std::uint64_t kRecentCost = 128;
constexpr std::uint64_t kPageCost = 224;
constexpr std::uint64_t kRecordCost = 64;

}  // namespace

PageBody body_of(History::Page const& page) {
  return {page.extent, page.index_bytes, page.index_hash, page.first, page.last,
          page.from,   page.to,          page.counts,     page.filter};
}

// ---------------------------------------------------------------------------
// Reading

std::deque<History::Page> const& History::pages() const {
  static std::deque<Page> const none;
  return empty() ? none : parts_->pages;
}
History::Recents const& History::recent() const {
  static Recents const none;
  return empty() ? none : parts_->recent;
}

std::uint64_t History::memory_bytes() const {
  if (empty()) return 0;
  return parts_->pages.size() * (sizeof(Page) + 16) + parts_->filter_bytes + parts_->recent_bytes +
         parts_->recent.size() * kRecentCost + parts_->at_hand_bytes + parts_->regions.memory_bytes() + sizeof(Parts);
}

std::uint64_t History::list_extents(std::uint64_t cursor, std::uint32_t work_units, std::vector<Extent>& found) const {
  auto at = std::ranges::upper_bound(pages(), cursor, {}, &Page::last);
  for (; at != pages().end() && work_units > 0; ++at, --work_units) {
    found.push_back(at->extent);
    cursor = at->last;
  }
  return at == pages().end() ? 0 : cursor;
}

void History::keep(Extent const& extent, std::string_view bytes, Status const& status) {
  Parts& all = parts();
  std::erase_if(all.at_hand, [&](AtHand const& one) {
    if (one.extent == extent) all.at_hand_bytes -= one.bytes.size();
    return one.extent == extent;
  });
  while (!all.at_hand.empty() && (all.at_hand.size() >= kAtHandParts || all.at_hand_bytes > kAtHandBytes)) {
    all.at_hand_bytes -= all.at_hand.front().bytes.size();
    all.at_hand.pop_front();
  }
  all.at_hand.push_back({extent, std::string{bytes}, status, false});
  all.at_hand_bytes += bytes.size();
}

History::AtHand* History::at_hand(Extent const& extent) const {
  if (empty()) return nullptr;
  auto const found = std::ranges::find(parts_->at_hand, extent, &AtHand::extent);
  return found == parts_->at_hand.end() ? nullptr : &*found;
}

// ---------------------------------------------------------------------------
// Applying

void History::add(EndedBody const& body, std::uint32_t region) {
  Parts& all = parts();
  auto const [at, is_new] = all.recent.try_emplace(body.number);
  Recent& one = at->second;
  if (!is_new) {
    all.regions.remove(one.region);
    all.regions.add(region);
    one.region = region;
    return;
  }
  model::write_body(one.bytes, body);
  one.row = body.row;
  one.at = body.at;
  one.region = region;
  one.key_hash = static_cast<std::uint32_t>(hash_of_key(body.key));
  one.end = body.end;
  all.regions.add(region);
  all.recent_bytes += one.bytes.size();
  all.live_bytes += one.bytes.size() + kRecordCost;
}

void History::forget(Recents::iterator at) {
  Parts& all = *parts_;
  all.regions.remove(at->second.region);
  all.recent_bytes -= at->second.bytes.size();
  all.live_bytes -= at->second.bytes.size() + kRecordCost;
  all.recent.erase(at);
}

bool History::apply(RecordView const& record, bool is_live, TableObserver& observer) {
  switch (static_cast<RecordType>(record.type)) {
    case RecordType::ended: {
      EndedBody body;
      if (!model::read_record(record, body)) return false;
      add(body, Regions::of(record.lsn));
      return true;
    }
    case RecordType::page: return apply_page(record, observer);
    case RecordType::page_dropped: {
      PageDroppedBody body;
      if (!model::read_record(record, body)) return false;
      drop_to(body.last, observer);
      if (body.is_lost && is_live)
        observer.alert("history-lost", 70,
                       "the oldest of what is kept of ended rows was dropped, as no page of it could be written to the "
                       "table's files: look at the disk",
                       "journal,manual");
      return true;
    }
    default: return false;
  }
}

bool History::apply_page(RecordView const& record, TableObserver& observer) {
  PageBody body;
  if (!model::read_record(record, body)) return false;
  Parts& all = parts();
  auto const behind = std::ranges::lower_bound(all.pages, body.last, {}, &Page::last);
  std::uint32_t const region = Regions::of(record.lsn);
  if (behind != all.pages.end() && behind->last == body.last) {
    // Compacted: it is known.
    all.regions.remove(behind->region);
    behind->region = region;
    all.regions.add(region);
    return true;
  }
  Page page{.id = record.object,
            .extent = body.extent,
            .region = region,
            .index_bytes = body.index_bytes,
            .index_hash = body.index_hash,
            .first = body.first,
            .last = body.last,
            .from = body.from,
            .to = body.to,
            .counts = body.counts,
            .filter = std::string{body.filter}};
  page.filter.shrink_to_fit();
  all.regions.add(region);
  all.in_pages += page.size();
  all.page_bytes += page.extent.size();
  all.filter_bytes += page.filter.size();
  all.live_bytes += page.filter.size() + kPageCost;
  all.pages.insert(behind, std::move(page));
  observer.stored(body.extent, {});
  while (!all.recent.empty() && all.recent.begin()->first <= body.last) forget(all.recent.begin());
  all.has_failed = false;
  all.rests_at = 0;
  return true;
}

void History::drop_to(std::uint64_t last, TableObserver& observer) {
  Parts& all = parts();
  while (!all.pages.empty() && all.pages.front().last <= last) {
    Page const& page = all.pages.front();
    all.regions.remove(page.region);
    all.in_pages -= page.size();
    all.page_bytes -= page.extent.size();
    all.filter_bytes -= page.filter.size();
    all.live_bytes -= page.filter.size() + kPageCost;
    observer.freed(page.extent);
    all.pages.pop_front();
  }
  while (!all.recent.empty() && all.recent.begin()->first <= last) forget(all.recent.begin());
}

// What has been is no later than `to`. Entries in pages stay as they are there: who reads one takes the page's last date
// as the latest.
void History::lower_clock(std::int64_t to) {
  if (empty()) return;
  for (Page& page : parts_->pages) {
    page.from = std::min(page.from, to);
    page.to = std::min(page.to, to);
  }
  for (auto& [number, one] : parts_->recent) {
    EndedBody body;
    if (!model::read_body(one.bytes, 1, body)) continue;
    for (std::int64_t* const date : {&body.at, &body.began, &body.arrival, &body.inserted}) *date = std::min(*date, to);
    std::string lowered;
    model::write_body(lowered, body);
    parts_->recent_bytes += lowered.size() - one.bytes.size();
    parts_->live_bytes += lowered.size() - one.bytes.size();
    one.bytes = std::move(lowered);
    one.at = body.at;
  }
}

// ---------------------------------------------------------------------------
// Limits

std::uint64_t History::to_drop(HistoryLimits const& limits, std::int64_t now, bool& is_lost) const {
  is_lost = false;
  if (entries() == 0) return 0;
  Parts const& all = *parts_;
  if (limits.age == 0) return UINT64_MAX;
  // Whole pages, as long as enough is left without them.
  std::uint64_t last = 0;
  std::uint64_t left = entries();
  std::uint64_t bytes = all.page_bytes;
  for (Page const& page : all.pages) {
    bool const is_old = page.to + limits.age <= now;
    bool const is_beyond = limits.rows != 0 && left - page.size() >= limits.rows;
    bool const is_too_much = limits.bytes != 0 && bytes > limits.bytes;
    if (!is_old && !is_beyond && !is_too_much) return last;
    last = page.last;
    left -= page.size();
    bytes -= page.extent.size();
  }
  // Then those in memory, some at a time.
  std::uint64_t const slack = std::max<std::uint64_t>(16, limits.rows / 8);
  std::uint64_t beyond = limits.rows != 0 && left > limits.rows + slack ? left - limits.rows : 0;
  if (all.has_failed && (all.recent.size() > kRecentMax || all.recent_bytes > kRecentBytesMax)) {
    is_lost = true;
    beyond = std::max<std::uint64_t>(beyond, all.recent.size() / 8);
  }
  for (auto const& [number, one] : all.recent) {
    bool const is_beyond = beyond > 0;
    if (!is_beyond && one.at + limits.age > now) break;
    if (is_beyond) --beyond;
    last = number;
  }
  return last;
}

TimeMs History::next_due(HistoryLimits const& limits) const {
  if (entries() == 0) return TimeMs::max();
  Parts const& all = *parts_;
  std::int64_t const oldest = all.pages.empty() ? all.recent.begin()->second.at : all.pages.front().to;
  bool const is_now =
      limits.age == 0 || (limits.bytes != 0 && all.page_bytes > limits.bytes) ||
      (limits.rows != 0 && (all.pages.empty() ? entries() > limits.rows + std::max<std::uint64_t>(16, limits.rows / 8)
                                              : entries() - all.pages.front().size() >= limits.rows)) ||
      (all.pages.empty() && all.has_failed && (all.recent.size() > kRecentMax || all.recent_bytes > kRecentBytesMax));
  if (is_now) return TimeMs{0};
  return TimeMs{oldest} + DurationMs{limits.age};
}

bool History::drop(HistoryLimits const& limits, Decision& decision) const {
  PageDroppedBody body;
  body.last = to_drop(limits, decision.now.value, body.is_lost);
  if (body.last == 0) return false;
  model::append_record(decision.records, {}, body);
  return true;
}

// ---------------------------------------------------------------------------
// Pages

bool History::request_offload(std::vector<std::string>& values) {
  if (empty()) return false;
  Parts& all = *parts_;
  if (std::exchange(all.is_given, false)) {
    all.writer.clear();
    all.written = 0;
  }
  bool const is_enough = all.recent.size() >= kRecentMin || all.recent_bytes >= kPageBytesMin;
  if (all.writer.is_empty() && (!is_enough || all.recent.size() < all.rests_at)) return false;
  // One block in each turn, and more of them while more entries wait.
  std::size_t blocks = 1 + all.recent.size() / kRecentMin / 2;
  for (auto at = all.recent.upper_bound(all.written); at != all.recent.end(); ++at) {
    EndedBody body;
    if (!model::read_body(at->second.bytes, 1, body) || !all.writer.add(at->second.bytes, body)) break;
    all.written = at->first;
    if (all.writer.is_full()) break;
    if (all.writer.take_written() && --blocks == 0) return true;
  }
  if (all.writer.is_empty()) return false;
  values.push_back(all.writer.finish(all.page));
  all.is_given = true;
  return false;
}

// Unless all of it was dropped meanwhile.
void History::decide_offloaded(std::span<StoredValue const> values, Decision& decision) const {
  PageBody body = parts_->page;
  if (values.size() != 1 || !parts_->recent.contains(body.last)) return;
  body.extent = values.front().extent;
  // The clock was lowered meanwhile.
  body.to = std::min(body.to, parts_->recent.find(body.last)->second.at);
  body.from = std::min(body.from, body.to);
  model::append_record(decision.records, {}, body);
}

void History::offload_failed() {
  if (empty()) return;
  parts_->has_failed = true;
  parts_->rests_at = parts_->recent.size() + kRestEntries;
}

// ---------------------------------------------------------------------------
// Space, followers, people

bool History::compact(Lsn below, CopyRoom& room, Records& records) const {
  if (empty()) return false;
  std::uint64_t left = parts_->regions.count_below(below);
  for (auto const& [number, one] : parts_->recent) {
    if (left == 0) return false;
    if (Regions::start(one.region) >= below) continue;
    if (!room.take(one.bytes.size() + kRecordCost)) return true;
    EndedBody body;
    if (model::read_body(one.bytes, 1, body)) model::append_record(records, {}, body);
    --left;
  }
  for (Page const& page : parts_->pages) {
    if (left == 0) return false;
    if (Regions::start(page.region) >= below) continue;
    if (!room.take(page.filter.size() + kPageCost)) return true;
    model::append_record(records, page.id, body_of(page));
    --left;
  }
  return left > 0;
}

bool History::snapshot(std::uint64_t& behind, CopyRoom& room, Records& records) const {
  for (auto page = std::ranges::upper_bound(pages(), behind, {}, &Page::last); page != pages().end(); ++page) {
    if (!room.take_one_at_least(page->filter.size() + kPageCost)) return false;
    model::append_record(records, page->id, body_of(*page));
    behind = page->last;
  }
  for (auto at = recent().upper_bound(behind); at != recent().end(); ++at) {
    if (!room.take_one_at_least(at->second.bytes.size() + kRecordCost)) return false;
    EndedBody body;
    if (model::read_body(at->second.bytes, 1, body)) model::append_record(records, {}, body);
    behind = at->first;
  }
  return true;
}

void History::digest(DigestSink& sink) const {
  for (auto const& [number, one] : recent()) sink.object(as_bytes(one.bytes));
  for (Page const& page : pages()) model::digest_object(sink, page.id, body_of(page));
}

}  // namespace fastjournal::rows
