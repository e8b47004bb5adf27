#include "plugins/pipeline/archiver.h"

#include <algorithm>
#include <utility>

namespace fastjournal::pipeline {
namespace {

// So many must have ended beyond those that stay, if many stay; and a page is not written for fewer than the half.
constexpr std::uint64_t kEndedMin = 16;
// Pages that one sync makes durable.
constexpr std::size_t kPagesMax = 16;
// Documents that one call looks at.
constexpr std::uint32_t kArchiveWorkUnitsMax = 2'000;
// Of those that ended and do not leave: so large a part more must have ended until they are all looked at again.
constexpr std::uint64_t kPart = 8;
// After a failure: until so many more have ended.
constexpr std::uint64_t kRest = 1'000;
// Of the patterns of one page, in its record.
constexpr std::size_t kPatternBytesMax = 6U << 10U;

std::uint64_t ended_min(Options const& options) {
  return std::clamp<std::uint64_t>(options.ended_in_memory / 4, 1, kEndedMin);
}

ArchivedBody::Pattern pattern_of(DocumentBody const& body) {
  ArchivedBody::Pattern out{body.plan, body.source, {}};
  for (CellBody const& cell : body.cells) out.states.push_back(cell.state);
  return out;
}

}  // namespace

bool Archiver::is_full(Page const& page) const {
  std::size_t pattern_bytes = 0;
  for (ArchivedBody::Pattern const& pattern : page.patterns) pattern_bytes += 16 + pattern.states.size();
  return page.bytes.size() + kArchivedBytesMax > kPageBytesMax || page.documents.size() >= kPageDocumentsMax ||
         pattern_bytes > kPatternBytesMax;
}

void Archiver::take(std::uint32_t document) {
  Documents const& documents = shared_.documents;
  if (!documents.may_be_archived(document)) return;
  DocumentBody const body = documents.body_of(document);
  written_.clear();
  model::write_body(written_, body);
  if (written_.size() > kArchivedBytesMax || !names_.insert(name_hash(body.plan, body.source, body.name)).second)
    return;
  if (pages_.empty() || is_full(pages_.back())) pages_.emplace_back();
  Page& page = pages_.back();
  ArchivedBody::Pattern pattern = pattern_of(body);
  if (std::ranges::find(page.patterns, pattern) == page.patterns.end()) page.patterns.push_back(std::move(pattern));
  Archive::append(page.bytes, written_);
  page.documents.push_back(documents.store()[document].id());
}

bool Archiver::request_offload(std::vector<std::string>& values) {
  Documents const& documents = shared_.documents;
  Store const& store = documents.store();
  if (is_given_) {
    pages_.clear();
    names_.clear();
    looked_ = 0;
    is_given_ = false;
  }
  std::uint64_t const least = ended_min(shared_.options);
  std::uint64_t const stay = shared_.options.ended_in_memory;
  if (documents.counts().ended() < stay + least || documents.counts().ended() < rests_at_ ||
      !documents.archive().has_pattern_left())
    return false;
  rests_at_ = 0;
  std::uint64_t const leaving = documents.counts().ended() - stay;
  auto const is_enough = [&] {
    return names_.size() >= leaving || (pages_.size() == kPagesMax && is_full(pages_.back()));
  };
  for (std::uint32_t count = 0; count < kArchiveWorkUnitsMax && looked_ < store.end() && !is_enough();
       ++count, ++looked_) {
    if (cursor_ >= store.end()) cursor_ = 0;
    std::uint32_t const document = cursor_++;
    if (store.has(document)) take(document);
  }
  if (!is_enough() && looked_ < store.end()) return true;
  is_given_ = true;
  // The others among the ended ones are of no kind that leaves.
  if (!is_enough()) {
    std::uint64_t const others = documents.counts().ended() - names_.size();
    rests_at_ = others + std::max(least, others / kPart);
  }
  if (names_.size() < (least + 1) / 2) return false;
  for (Page const& page : pages_) values.push_back(page.bytes);
  return false;
}

bool Archiver::decide_offloaded(std::span<StoredValue const> values, Decision& decision) const {
  Documents const& documents = shared_.documents;
  Store const& store = documents.store();
  std::uint64_t& at = decision.carry[0];
  if (at >= pages_.size()) return false;
  Page const& page = pages_[at];
  ArchivedBody out;
  out.extent = values[at].extent;
  std::string written;
  bool is_any = false;
  for (std::size_t place = 0; place < page.documents.size(); ++place) {
    ArchivedBody::One& one = out.all.emplace_back();
    std::uint32_t const document = store.find(page.documents[place]);
    if (document == kNone || !documents.may_be_archived(document)) continue;
    DocumentBody const body = documents.body_of(document);
    written.clear();
    model::write_body(written, body);
    if (written != Archive::part(page.bytes, place)) continue;
    ArchivedBody::Pattern const pattern = pattern_of(body);
    auto const known = std::ranges::find(out.patterns, pattern);
    one.pattern = static_cast<std::uint16_t>(known - out.patterns.begin());
    if (known == out.patterns.end()) out.patterns.push_back(pattern);
    one.document = page.documents[place];
    one.name = name_hash(body.plan, body.source, body.name);
    is_any = true;
  }
  if (is_any) model::append_record(decision.records, {}, out);
  return ++at < pages_.size();
}

void Archiver::offload_failed() { rests_at_ = shared_.documents.counts().ended() + kRest; }

}  // namespace fastjournal::pipeline
