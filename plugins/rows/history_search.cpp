#include "plugins/rows/history_search.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/failure.h"
#include "plugins/rows/extras.h"

namespace fastjournal::rows {

bool HistoryQuery::fits(EndedBody const& body) const {
  if (!ends[static_cast<std::size_t>(body.end)] || body.at < since || body.at > until) return false;
  if ((row && body.row != *row) || (key && body.key != *key)) return false;
  if (tag &&
      (!extras::is_of_row(body.extras) || !has_tag(extras::read(body.extras).tags.value_or(std::string_view{}), *tag)))
    return false;
  return error.empty() || failure::error_of(body.error).find(error) != std::string_view::npos;
}

std::uint64_t HistorySearch::looked() const {
  std::uint64_t out = 0;
  for (History::Page const& page : history_.pages())
    if (page.first >= before_) out += page.size();
  if (page_last_ != 0) out += index_.entries() - entry_;
  History::Recents const& recent = history_.recent();
  return out + static_cast<std::uint64_t>(std::distance(recent.lower_bound(before_), recent.end()));
}

bool HistorySearch::is_ruled_out(History::Page const& page) const {
  if (page.from > query_.until || page.to < query_.since) return true;
  bool has_any = false;
  for (std::size_t i = 0; i < kEnds; ++i) has_any = has_any || (query_.ends[i] && page.counts[i] > 0);
  if (!has_any) return true;
  return (query_.row && !may_have(page.filter, hash_of_row(*query_.row))) ||
         (query_.key && !may_have(page.filter, hash_of_key(*query_.key))) ||
         (query_.tag && !may_have(page.filter, hash_of_tag(*query_.tag)));
}

HistorySearch::Next HistorySearch::next(EndedBody& body) {
  if (!recent_over_) {
    if (next_recent(body)) return Next::entry;
    recent_over_ = true;
  }
  std::deque<History::Page> const& pages = history_.pages();
  for (;;) {
    if (read_ >= read_max_) return Next::pause;
    // The newest page that has entries below.
    auto const behind = std::ranges::lower_bound(pages, before_, {}, &History::Page::first);
    if (behind == pages.begin()) return Next::end;
    History::Page const& page = *std::prev(behind);
    if (page.to < query_.since) return Next::end;
    if (read_ >= read_max_) return Next::pause;
    if (page_last_ != page.last && is_ruled_out(page)) {
      before_ = page.first;
      continue;
    }
    Next const out = next_of(page, body);
    if (out != Next::end) return out;
    // It is looked through.
    before_ = page.first;
    page_last_ = 0;
  }
}

bool HistorySearch::next_recent(EndedBody& body) {
  History::Recents const& recent = history_.recent();
  auto at = recent.lower_bound(before_);
  std::uint32_t const hash = query_.key ? static_cast<std::uint32_t>(hash_of_key(*query_.key)) : 0;
  while (at != recent.begin()) {
    --at;
    ++read_;
    before_ = at->first;
    History::Recent const& one = at->second;
    if ((query_.key && one.key_hash != hash) || (query_.row && one.row != *query_.row)) continue;
    body = {};
    if (model::read_body(one.bytes, 1, body) && query_.fits(body)) return true;
  }
  return false;
}

HistorySearch::Next HistorySearch::damaged(History::Page const& page, std::string_view what) {
  status_ =
      Status{Code::damaged, fmt::format("entries {} to {} of the history cannot be read, {} of them: {}; the others "
                                        "can: go on with after={}",
                                        page.first, page.last, page.size(), what, page.first)}
          .with("after", std::to_string(page.first));
  before_ = page.first;
  page_last_ = 0;
  return Next::damaged;
}

History::AtHand* HistorySearch::part(Extent const& extent) {
  History::AtHand* const out = history_.at_hand(extent);
  if (out == nullptr) wanted_ = extent;
  return out;
}

bool HistorySearch::open_block(History::Page const& page, std::size_t number, Next& why) {
  if (block_ == number) return true;
  PageIndex::Block const& block = index_.blocks()[number];
  std::uint64_t const begin = page.extent.begin + block.offset;
  History::AtHand* const at_hand = part({page.extent.file, begin, begin + block.size, block.hash});
  why = Next::wants;
  if (at_hand == nullptr) return false;
  if (!at_hand->status.ok()) {
    why = damaged(page, at_hand->status.message());
    return false;
  }
  if (!at_hand->is_inflated) {
    std::string entries;
    if (!inflate_block(at_hand->bytes, entries)) {
      why = damaged(page, "a block is not what was written there");
      return false;
    }
    history_.keep_inflated(*at_hand, std::move(entries));
  }
  entries_ = entries_of(at_hand->bytes);
  if (entries_.size() != std::size_t{block.end} - block.first) {
    why = damaged(page, "a block is not what its index says");
    return false;
  }
  block_ = number;
  return true;
}

HistorySearch::Next HistorySearch::next_of(History::Page const& page, EndedBody& body) {
  if (page_last_ != page.last) {
    Extent const extent{page.extent.file, page.extent.end - page.index_bytes, page.extent.end, page.index_hash};
    History::AtHand const* const at_hand = part(extent);
    if (at_hand == nullptr) return Next::wants;
    if (!at_hand->status.ok()) return damaged(page, at_hand->status.message());
    if (!index_.read(at_hand->bytes, page.extent.size()) || index_.entries() != page.size())
      return damaged(page, "its index is not what was written there");
    page_last_ = page.last;
    if (query_.tag) tagged_ = index_.tagged(*query_.tag);
    block_ = SIZE_MAX;
    entry_ = from_.page == page.last ? std::min<std::size_t>(from_.entry, index_.entries()) : index_.entries();
  }
  std::uint32_t const hash = query_.key ? static_cast<std::uint32_t>(hash_of_key(*query_.key)) : 0;
  while (entry_ > 0) {
    auto const entry = static_cast<std::uint16_t>(entry_ - 1);
    bool const may_fit = query_.ends[static_cast<std::size_t>(index_.end_of(entry))] &&
                         (!query_.row || index_.row_of(entry) == *query_.row) &&
                         (!query_.key || index_.key_hash_of(entry) == hash) && (!query_.tag || tagged_[entry]) &&
                         (query_.error.empty() || index_.has_error(entry));
    if (!may_fit) {
      --entry_;
      continue;
    }
    std::size_t const number = index_.block_of(entry);
    if (block_ != number && read_ >= read_max_) return Next::pause;
    // Of a block all of whose entries ended after `until`, none fits.
    if (block_ != number && index_.blocks()[number].date > query_.until) {
      entry_ = index_.blocks()[number].first;
      continue;
    }
    Next why = Next::wants;
    if (!open_block(page, number, why)) return why;
    body = {};
    if (!model::read_body(entries_[entry - index_.blocks()[number].first], 1, body) || body.number < page.first ||
        body.number > page.last)
      return damaged(page, "an entry is not what was written there");
    --entry_;
    ++read_;
    if (body.number >= before_) continue;
    before_ = body.number;
    // Past dates that a clock gave that was ahead.
    for (std::int64_t* const date : {&body.at, &body.began, &body.arrival}) *date = std::min(*date, page.to);
    if (query_.fits(body)) return Next::entry;
    if (body.at < query_.since) return Next::end;
  }
  return Next::end;
}

}  // namespace fastjournal::rows
