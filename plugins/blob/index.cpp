#include "plugins/blob/index.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "base/prefetch.h"

namespace fastjournal::blob {
namespace {

// The directory may double as long as it stays small beside the pages.
constexpr std::size_t kSlotsPerPage = 16;
constexpr std::size_t kSlotsFirst = 64;
// Of a record that states a page: its header and the head of its body, at most; and each entry with its hash.
constexpr std::uint64_t kPageRecordBytes = 80;
constexpr std::uint64_t kEntryRecordBytes = kEntryBytes + sizeof(std::uint64_t) + 1;

// A blob without bytes has no place.
void tell_stored(Extent const& extent, std::string_view carried, TableObserver& observer) {
  if (extent.size() > 0) observer.stored(extent, carried);
}
void tell_freed(Extent const& extent, TableObserver& observer) {
  if (extent.size() > 0) observer.freed(extent);
}

Key before(Key const& key) {
  Key out = key;
  if (out.hash_id-- == 0) --out.hash_value;
  return out;
}

std::uint64_t eighth(char const* from, std::uint32_t at) {
  return from == nullptr ? 0 : load_little<std::uint64_t>(from + std::size_t{at} * sizeof(std::uint64_t));
}

}  // namespace

Index::Index() {
  directory_.push_back(add_leaf());
  settle_at_ = leaves_.size();
}

// ---------------------------------------------------------------------------
// Looking

std::uint32_t Index::page_of(Key const& key) const {
  std::uint32_t number = directory_[slot_of(key.hash_value)];
  for (std::uint32_t next = leaves_[number]->page.next; next != kNoPage; next = leaves_[number]->page.next) {
    if (key < leaves_[next]->page.first()) break;
    number = next;
  }
  return number;
}

std::uint32_t Index::lower(Leaf const& leaf, Key const& key) {
  auto const* const begin = leaf.page.entries.data();
  auto const* const end = begin + leaf.page.count;
  return static_cast<std::uint32_t>(
      std::lower_bound(begin, end, key, [](Entry const& entry, Key const& wanted) { return entry.key() < wanted; }) -
      begin);
}

std::optional<Key> Index::behind(std::uint32_t number) const {
  Page const& page = leaves_[number]->page;
  if (page.next != kNoPage) return leaves_[page.next]->page.first();
  std::uint64_t const width = width_of(page.depth);
  std::uint64_t const next = (page.first_value & ~(width - 1)) + width;
  if (next > UINT32_MAX) return std::nullopt;
  return Key{static_cast<std::uint32_t>(next), 0};
}

std::optional<Blob> Index::view(Leaf const& leaf, std::uint32_t at) const {
  Page const& page = leaf.page;
  Entry const& entry = page.entries[at];
  std::uint64_t const copy = leaf.copy_of(at);
  Blob blob{.key = entry.key(),
            .entry_time = entry.entry_time,
            .read_s = leaf.read_s[at],
            .extent = {files_.current, entry.begin, entry.end, leaf.hashes[at]},
            .copy_begin = 0,
            .marks = leaf.marks[at]};
  if (page.files.current == files_.current) {
    if (page.files.next == files_.next) blob.copy_begin = copy;
    return blob;
  }
  // The files were exchanged.
  if (page.files.next != files_.current || copy == 0) return std::nullopt;
  blob.extent = {files_.current, copy, copy + entry.size(), leaf.hashes[at]};
  return blob;
}

std::optional<Blob> Index::find(Key const& key) const {
  Leaf const& leaf = *leaves_[page_of(key)];
  std::uint32_t const at = lower(leaf, key);
  if (at == leaf.page.count || leaf.page.entries[at].key() != key) return std::nullopt;
  return view(leaf, at);
}

void Index::prefetch(Key const& key) const {
  Leaf const* const leaf = leaves_[directory_[slot_of(key.hash_value)]].get();
  fastjournal::prefetch(leaf);
  for (std::size_t at = kEntriesPerPage / 8; at < kEntriesPerPage; at += kEntriesPerPage / 8)
    fastjournal::prefetch(&leaf->page.entries[at]);
}

void Index::note_read(Key const& key, std::uint32_t now_s) const {
  Leaf& leaf = *leaves_[page_of(key)];
  std::uint32_t const at = lower(leaf, key);
  if (at < leaf.page.count && leaf.page.entries[at].key() == key) leaf.read_s[at] = now_s;
}

std::uint32_t Index::longest_chain() const {
  std::uint32_t longest = 0;
  for (std::uint32_t const head : directory_) {
    std::uint32_t length = 0;
    for (std::uint32_t number = head; number != kNoPage; number = leaves_[number]->page.next) ++length;
    longest = std::max(longest, length);
  }
  return longest;
}

// ---------------------------------------------------------------------------
// Pages

std::uint32_t Index::add_leaf() {
  auto leaf = std::make_unique<Leaf>();
  leaf->page.files = {files_.current, 0};
  leaves_.push_back(std::move(leaf));
  return static_cast<std::uint32_t>(leaves_.size() - 1);
}

void Index::make_copies(Leaf& leaf) {
  if (leaf.copies != nullptr) return;
  leaf.copies = std::make_unique<std::array<std::uint64_t, kEntriesPerPage>>();
  ++copy_arrays_;
}

void Index::drop_copies(Leaf& leaf) {
  if (leaf.copies == nullptr) return;
  leaf.copies.reset();
  --copy_arrays_;
}

// `region`: of a page that gets its first entries.
void Index::set_count(Leaf& leaf, std::uint32_t count, std::uint32_t region) {
  Page& page = leaf.page;
  entries_ += count;
  entries_ -= page.count;
  if (page.count == 0 && count > 0) {
    page.region = region;
    regions_.add(region);
    ++full_pages_;
  } else if (page.count > 0 && count == 0) {
    regions_.remove(page.region);
    --full_pages_;
  }
  page.count = static_cast<std::uint16_t>(count);
}

void Index::count_in(std::uint64_t size, bool has_copy) {
  ++blobs_;
  bytes_ += size;
  if (!has_copy) return;
  ++copied_;
  copied_bytes_ += size;
}

void Index::count_out(std::uint64_t size, bool has_copy) {
  --blobs_;
  bytes_ -= size;
  if (!has_copy) return;
  --copied_;
  copied_bytes_ -= size;
}

void Index::note_end(Extent const& extent) {
  std::uint64_t& end = extent.file == files_.next && files_.next != 0 ? next_end_ : file_end_;
  end = std::max(end, extent.end);
}

// Both have the same kind of copies.
void Index::move_slots(Leaf& from, std::uint32_t at, Leaf& to, std::uint32_t to_at, std::uint32_t count) {
  if (count == 0) return;
  auto const move = [&](auto& source, auto& target) {
    std::memmove(target.data() + to_at, source.data() + at, count * sizeof source[0]);
  };
  move(from.page.entries, to.page.entries);
  move(from.hashes, to.hashes);
  move(from.read_s, to.read_s);
  move(from.marks, to.marks);
  if (from.copies != nullptr) move(*from.copies, *to.copies);
}

void Index::settle(Leaf& leaf, TableObserver& observer) {
  Page& page = leaf.page;
  if (is_current(page)) return;
  Files const was = page.files;
  bool const is_exchanged = was.current != files_.current;
  bool const came = is_exchanged && was.next == files_.current;
  std::uint32_t kept = 0;
  for (std::uint32_t at = 0; at < page.count; ++at) {
    Entry& entry = page.entries[at];
    std::uint64_t const copy = leaf.copy_of(at);
    Extent const older{was.current, entry.begin, entry.end, leaf.hashes[at]};
    Extent const newer{was.next, copy, copy + entry.size(), leaf.hashes[at]};
    if (copy != 0 && !came) tell_freed(newer, observer);
    if (is_exchanged) {
      tell_freed(older, observer);
      if (!came || copy == 0) continue;
      entry.begin = newer.begin;
      entry.end = newer.end;
    }
    if (kept != at) move_slots(leaf, at, leaf, kept, 1);
    leaf.marks[kept] &= static_cast<std::uint8_t>(~(marks::kJudged | marks::kNew));
    ++kept;
  }
  drop_copies(leaf);
  page.files = {files_.current, 0};
  set_count(leaf, kept, page.region);
}

bool Index::settle_some(std::size_t pages_max, TableObserver& observer) {
  for (; pages_max > 0 && settle_at_ < leaves_.size(); --pages_max) settle(*leaves_[settle_at_++], observer);
  return !is_settled();
}

void Index::set_files(Files const& files, TableObserver& observer) {
  if (files == files_) return;
  // Pages know one exchange, or one copy, behind them. Only a replay gets here with more.
  settle_some(leaves_.size(), observer);
  bool const is_exchanged = files.current != files_.current;
  if (is_exchanged) {
    blobs_ = files.current == files_.next ? copied_ : 0;
    bytes_ = files.current == files_.next ? copied_bytes_ : 0;
    file_end_ = files.current == files_.next ? next_end_ : 0;
  }
  if (files.next != files_.next) copied_ = copied_bytes_ = next_end_ = 0;
  bool const begins = !is_exchanged && files_.next == 0;
  files_ = files;
  if (!begins) settle_at_ = 0;
}

// ---------------------------------------------------------------------------
// Splitting

std::uint32_t Index::make_boundary(Key const& key) {
  std::uint32_t const number = page_of(key);
  if (leaves_[number]->page.first() == key) return number;
  std::uint32_t const added = add_leaf();
  Leaf& left = *leaves_[number];
  Leaf& right = *leaves_[added];
  std::uint32_t const at = lower(left, key);
  std::uint32_t const count = left.page.count - at;
  bool const was_settled = is_current(left.page);
  right.page.depth = left.page.depth;
  right.page.next = std::exchange(left.page.next, added);
  right.page.files = left.page.files;
  right.page.first_value = key.hash_value;
  right.page.first_id = key.hash_id;
  if (left.copies != nullptr) make_copies(right);
  move_slots(left, at, right, 0, count);
  set_count(right, count, left.page.region);
  set_count(left, at, left.page.region);
  // Nothing before the place of settling is left unsettled, and no settled page makes others look so.
  if (was_settled && settle_at_ == added) ++settle_at_;
  return added;
}

// By its next bit, if that separates something and the directory stays small.
bool Index::may_split(std::uint32_t head) const {
  Page const& page = leaves_[head]->page;
  if (page.depth >= kDepthMax) return false;
  if (page.depth == depth_ && (std::size_t{2} << depth_) > kSlotsFirst + kSlotsPerPage * leaves_.size()) return false;
  std::uint32_t const bit = 1U << (31U - page.depth);
  bool has_low = false;
  bool has_high = false;
  for (std::uint32_t number = head; number != kNoPage; number = leaves_[number]->page.next) {
    Page const& part = leaves_[number]->page;
    if (part.count == 0) continue;
    has_low = has_low || (part.entries[0].hash_value & bit) == 0;
    has_high = has_high || (part.entries[part.count - 1U].hash_value & bit) != 0;
  }
  return has_low && has_high;
}

void Index::split_bucket(Key const& key) {
  std::uint32_t const head = directory_[slot_of(key.hash_value)];
  unsigned const depth = leaves_[head]->page.depth;
  if (depth == depth_) {
    std::vector<std::uint32_t> twice(directory_.size() * 2);
    for (std::size_t i = 0; i < twice.size(); ++i) twice[i] = directory_[i / 2];
    directory_ = std::move(twice);
    ++depth_;
  }
  std::uint64_t const half = width_of(depth + 1);
  Key const middle{static_cast<std::uint32_t>((key.hash_value & ~(half * 2 - 1)) + half), 0};
  std::uint32_t const right = make_boundary(middle);
  for (std::uint32_t number = head; number != kNoPage;) {
    Page& page = leaves_[number]->page;
    page.depth = static_cast<std::uint8_t>(depth + 1);
    number = page.next;
    if (number == right) page.next = kNoPage;
  }
  // The chain of the head has ended at the middle.
  for (std::uint32_t number = right; number != kNoPage; number = leaves_[number]->page.next)
    leaves_[number]->page.depth = static_cast<std::uint8_t>(depth + 1);
  std::size_t const from = slot_of(middle.hash_value);
  std::fill_n(directory_.begin() + static_cast<std::ptrdiff_t>(from), std::size_t{1} << (depth_ - depth - 1), right);
}

void Index::make_room(Key const& key) {
  for (;;) {
    Page const& page = leaves_[page_of(key)]->page;
    if (page.count < kEntriesPerPage) return;
    if (may_split(directory_[slot_of(key.hash_value)]))
      split_bucket(key);
    else
      make_boundary(page.entries[kEntriesPerPage / 2].key());
  }
}

// ---------------------------------------------------------------------------
// Changing

void Index::put(Blob const& blob, std::string_view carried, Lsn lsn, TableObserver& observer) {
  std::uint32_t number = page_of(blob.key);
  settle(*leaves_[number], observer);
  if (leaves_[number]->page.count == kEntriesPerPage) {
    std::uint32_t const at = lower(*leaves_[number], blob.key);
    bool const is_there = at < kEntriesPerPage && leaves_[number]->page.entries[at].key() == blob.key;
    if (!is_there) make_room(blob.key);
    number = page_of(blob.key);
  }
  Leaf& leaf = *leaves_[number];
  std::uint32_t const at = lower(leaf, blob.key);
  tell_stored(blob.extent, carried, observer);
  if (at < leaf.page.count && leaf.page.entries[at].key() == blob.key) {
    Entry const& last = leaf.page.entries[at];
    std::uint64_t const copy = leaf.copy_of(at);
    tell_freed({files_.current, last.begin, last.end, leaf.hashes[at]}, observer);
    if (copy != 0) tell_freed({files_.next, copy, copy + last.size(), leaf.hashes[at]}, observer);
    count_out(last.size(), copy != 0);
  } else {
    move_slots(leaf, at, leaf, at + 1, leaf.page.count - at);
    set_count(leaf, leaf.page.count + 1U, rows::Regions::of(lsn));
  }
  leaf.page.entries[at] = {blob.entry_time, blob.key.hash_value, blob.key.hash_id, blob.extent.begin, blob.extent.end};
  leaf.hashes[at] = blob.extent.hash;
  leaf.read_s[at] = 0;
  leaf.marks[at] = blob.marks;
  if (leaf.copies != nullptr) (*leaf.copies)[at] = 0;
  count_in(blob.extent.size(), false);
  note_end(blob.extent);
}

bool Index::mark(Key const& key, std::uint8_t marks, TableObserver& observer) {
  Leaf& leaf = *leaves_[page_of(key)];
  settle(leaf, observer);
  std::uint32_t const at = lower(leaf, key);
  if (at == leaf.page.count || leaf.page.entries[at].key() != key) return false;
  leaf.marks[at] |= marks;
  return true;
}

bool Index::remove(Key const& key, TableObserver& observer) {
  Leaf& leaf = *leaves_[page_of(key)];
  settle(leaf, observer);
  std::uint32_t const at = lower(leaf, key);
  if (at == leaf.page.count || leaf.page.entries[at].key() != key) return false;
  Entry const& entry = leaf.page.entries[at];
  std::uint64_t const copy = leaf.copy_of(at);
  tell_freed({files_.current, entry.begin, entry.end, leaf.hashes[at]}, observer);
  if (copy != 0) tell_freed({files_.next, copy, copy + entry.size(), leaf.hashes[at]}, observer);
  count_out(entry.size(), copy != 0);
  move_slots(leaf, at + 1, leaf, at, leaf.page.count - at - 1U);
  set_count(leaf, leaf.page.count - 1U, leaf.page.region);
  return true;
}

bool Index::add_copy(Key const& key, std::uint64_t begin, TableObserver& observer) {
  Leaf& leaf = *leaves_[page_of(key)];
  settle(leaf, observer);
  std::uint32_t const at = lower(leaf, key);
  if (at == leaf.page.count || leaf.page.entries[at].key() != key) return false;
  make_copies(leaf);
  leaf.page.files.next = files_.next;
  std::uint64_t& copy = (*leaf.copies)[at];
  std::uint64_t const size = leaf.page.entries[at].size();
  Extent const extent{files_.next, begin, begin + size, leaf.hashes[at]};
  tell_stored(extent, {}, observer);
  if (copy != 0) tell_freed({files_.next, copy, copy + size, leaf.hashes[at]}, observer);
  if (copy == 0) {
    ++copied_;
    copied_bytes_ += size;
  }
  copy = begin;
  note_end(extent);
  return true;
}

void Index::lower_clock(std::uint32_t to_s, TableObserver& observer) {
  settle_some(leaves_.size(), observer);
  for (auto const& leaf : leaves_)
    for (std::uint32_t at = 0; at < leaf->page.count; ++at) {
      leaf->page.entries[at].entry_time = std::min(leaf->page.entries[at].entry_time, to_s);
      leaf->read_s[at] = std::min(leaf->read_s[at], to_s);
    }
}

// ---------------------------------------------------------------------------
// Whole pages

PageBody Index::body_of(std::uint32_t number, Buffer& buffer) const {
  Leaf const& leaf = *leaves_[number];
  PageBody body;
  body.depth = leaf.page.depth;
  body.first = leaf.page.first();
  std::optional<Key> const end = behind(number);
  body.last = end.has_value() ? before(*end) : kLastKey;
  body.files = {files_.current, 0};
  bool has_marks = false;
  for (std::uint32_t at = 0; at < leaf.page.count; ++at) {
    std::optional<Blob> const blob = view(leaf, at);
    if (!blob.has_value()) continue;
    std::uint32_t const to = body.count++;
    buffer.entries[to] = {blob->entry_time, blob->key.hash_value, blob->key.hash_id, blob->extent.begin,
                          blob->extent.end};
    buffer.hashes[to] = blob->extent.hash;
    buffer.copies[to] = blob->copy_begin;
    buffer.marks[to] = blob->marks & marks::kLogged;
    if (blob->has_copy()) body.files.next = files_.next;
    has_marks = has_marks || buffer.marks[to] != 0;
  }
  body.entries = reinterpret_cast<char const*>(buffer.entries.data());
  body.hashes = reinterpret_cast<char const*>(buffer.hashes.data());
  if (body.files.next != 0) body.copies = reinterpret_cast<char const*>(buffer.copies.data());
  if (has_marks) body.marks = reinterpret_cast<char const*>(buffer.marks.data());
  return body;
}

void Index::replace_range(PageBody const& body, Lsn lsn, TableObserver& observer) {
  while (leaves_[directory_[slot_of(body.first.hash_value)]]->page.depth < body.depth) split_bucket(body.first);
  std::uint32_t number = make_boundary(body.first);
  if (body.last != kLastKey) make_boundary(after(body.last));
  std::uint32_t from = 0;
  for (;;) {
    std::optional<Key> const end = behind(number);
    bool const is_last = !end.has_value() || *end > body.last;
    std::uint32_t to = is_last ? body.count : from;
    for (Entry entry; to < body.count; ++to) {
      std::memcpy(&entry, body.entries + std::size_t{to} * kEntryBytes, kEntryBytes);
      if (entry.key() >= *end) break;
    }
    replace(*leaves_[number], body, from, to, lsn, observer);
    if (is_last) return;
    from = to;
    number = page_of(*end);
  }
}

// The page has these entries of the body, and no others.
void Index::replace(Leaf& leaf, PageBody const& body, std::uint32_t from, std::uint32_t to, Lsn lsn,
                    TableObserver& observer) {
  settle(leaf, observer);
  Page& page = leaf.page;
  std::uint32_t const count = to - from;
  std::array<Entry, kEntriesPerPage> next;
  std::memcpy(next.data(), body.entries + std::size_t{from} * kEntryBytes, count * kEntryBytes);
  // What is known already is not told, and keeps what is derived.
  std::array<std::uint32_t, kEntriesPerPage> read_s{};
  std::array<std::uint8_t, kEntriesPerPage> derived{};
  std::uint32_t old = 0;
  auto const older = [&](std::uint32_t at) {
    return Extent{files_.current, page.entries[at].begin, page.entries[at].end, leaf.hashes[at]};
  };
  auto const older_copy = [&](std::uint32_t at) {
    std::uint64_t const copy = leaf.copy_of(at);
    return Extent{files_.next, copy, copy == 0 ? 0 : copy + page.entries[at].size(), leaf.hashes[at]};
  };
  auto const drop = [&](std::uint32_t at) {
    tell_freed(older(at), observer);
    tell_freed(older_copy(at), observer);
    count_out(page.entries[at].size(), leaf.copy_of(at) != 0);
  };
  for (std::uint32_t at = 0; at < count; ++at) {
    Entry const& entry = next[at];
    std::uint64_t const hash = eighth(body.hashes, from + at);
    std::uint64_t const copy = eighth(body.copies, from + at);
    Extent const extent{files_.current, entry.begin, entry.end, hash};
    Extent const copied{files_.next, copy, copy == 0 ? 0 : copy + entry.size(), hash};
    while (old < page.count && page.entries[old].key() < entry.key()) drop(old++);
    bool const is_known = old < page.count && page.entries[old].key() == entry.key();
    bool const is_same = is_known && older(old) == extent;
    bool const is_same_copy = is_known && older_copy(old) == copied;
    if (!is_same) tell_stored(extent, {}, observer);
    if (copy != 0 && !is_same_copy) tell_stored(copied, {}, observer);
    if (is_known) {
      if (!is_same) tell_freed(older(old), observer);
      if (!is_same_copy) tell_freed(older_copy(old), observer);
      count_out(page.entries[old].size(), leaf.copy_of(old) != 0);
      read_s[at] = leaf.read_s[old];
      derived[at] = leaf.marks[old] & static_cast<std::uint8_t>(~marks::kLogged);
      ++old;
    }
    count_in(entry.size(), copy != 0);
    note_end(extent);
    if (copy != 0) note_end(copied);
  }
  while (old < page.count) drop(old++);

  set_count(leaf, count, rows::Regions::of(lsn));
  if (count > 0) {
    regions_.remove(page.region);
    page.region = rows::Regions::of(lsn);
    regions_.add(page.region);
  }
  std::memcpy(page.entries.data(), next.data(), count * kEntryBytes);
  std::memcpy(leaf.hashes.data(), body.hashes + std::size_t{from} * sizeof(std::uint64_t),
              count * sizeof(std::uint64_t));
  for (std::uint32_t at = 0; at < count; ++at)
    leaf.marks[at] =
        derived[at] | (body.marks == nullptr ? std::uint8_t{0} : static_cast<std::uint8_t>(body.marks[from + at]));
  std::memcpy(leaf.read_s.data(), read_s.data(), count * sizeof(std::uint32_t));
  if (body.copies == nullptr) {
    drop_copies(leaf);
    page.files = {files_.current, 0};
    return;
  }
  make_copies(leaf);
  std::memcpy(leaf.copies->data(), body.copies + std::size_t{from} * sizeof(std::uint64_t),
              count * sizeof(std::uint64_t));
  page.files = files_;
}

// ---------------------------------------------------------------------------
// Space

std::uint64_t Index::live_bytes() const {
  return full_pages_ * kPageRecordBytes + entries_ * kEntryRecordBytes + copied_ * sizeof(std::uint64_t);
}

std::uint64_t Index::memory_bytes() const {
  return leaves_.size() * sizeof(Leaf) + leaves_.capacity() * sizeof leaves_[0] +
         directory_.capacity() * sizeof(std::uint32_t) +
         copy_arrays_ * sizeof(std::array<std::uint64_t, kEntriesPerPage>) + regions_.memory_bytes();
}

}  // namespace fastjournal::blob
