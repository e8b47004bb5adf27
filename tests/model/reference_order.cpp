// The reference's order of NEXT, turns and limits, and handing out.
#include <algorithm>
#include <cctype>
#include <tuple>

#include "tests/model/reference.h"

namespace fastjournal::reference {

namespace {

// scheme://host/ of the URIs in lives, which are "scheme://[user@]host[:port][/...]".
std::string site_of(std::string const& uri) {
  std::size_t const mark = uri.find("://");
  if (mark == std::string::npos) return {};
  std::string rest = uri.substr(mark + 3);
  rest = rest.substr(0, rest.find('/'));
  rest = rest.substr(rest.find('@') == std::string::npos ? 0 : rest.find('@') + 1);
  std::string out = uri.substr(0, mark) + "://" + rest.substr(0, rest.find(':')) + "/";
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

std::string Reference::domain_of(Row const& row) const {
  if (options_.domain.empty()) return {};
  if (options_.domain == "site(d)") return site_of(text(row.values, "d"));
  return options_.domain == "k" ? row.k : text(row.values, options_.domain);
}

int Reference::class_of(Row const& row) const {
  if (options_.aging == 0) return row.priority;
  return row.priority >= options_.slow_from ? 1 : 0;
}

bool Reference::goes_before(Row const& a, Row const& b) const {
  auto const place = [&](Row const& row) {
    return std::make_tuple(class_of(row), row.date + row.priority * options_.aging, row.id);
  };
  return place(a) < place(b);
}

std::uint64_t Reference::weight_of(std::string const& domain) const {
  auto const found = options_.weights.find(domain);
  return found == options_.weights.end() ? 1 : found->second;
}

std::set<std::string> Reference::domains() const {
  std::set<std::string> out;
  for (Row const& row : rows_) out.insert(domain_of(row));
  return out;
}

// ---------------------------------------------------------------------------
// Limits

namespace {

std::uint64_t missing_at(Rate const& rate, std::uint64_t missing, std::int64_t ms) {
  std::uint64_t const back = rate.count * static_cast<std::uint64_t>(ms);
  return missing > back ? missing - back : 0;
}

}  // namespace

std::uint64_t Reference::tokens(Rate const& rate, Bucket const& bucket) const {
  if (rate.count == 0) return UINT64_MAX;
  auto const span = static_cast<std::uint64_t>(rate.span_ms);
  return (rate.count * span - missing_at(rate, bucket.missing, now_ - bucket.at)) / span;
}

std::int64_t Reference::next_token(Rate const& rate, Bucket const& bucket) const {
  std::uint64_t const there = tokens(rate, bucket);
  if (rate.count == 0 || there == rate.count) return INT64_MAX;
  std::uint64_t const wanted = (rate.count - there - 1) * static_cast<std::uint64_t>(rate.span_ms);
  std::uint64_t const missing = missing_at(rate, bucket.missing, now_ - bucket.at);
  return now_ + static_cast<std::int64_t>((missing - wanted + rate.count - 1) / rate.count);
}

void Reference::take_token(Rate const& rate, Bucket& bucket) const {
  if (rate.count == 0) return;
  bucket = {missing_at(rate, bucket.missing, now_ - bucket.at) + static_cast<std::uint64_t>(rate.span_ms), now_};
}

std::uint64_t Reference::due_of(std::string const& domain) const {
  return static_cast<std::uint64_t>(std::count_if(
      rows_.begin(), rows_.end(), [&](Row const& row) { return is_due(row) && domain_of(row) == domain; }));
}

// How many more rows may be handed out at this moment.
std::uint64_t Reference::room() const {
  std::uint64_t room = tokens(options_.rate, bucket_);
  if (options_.concurrency == 0) return room;
  auto const leased = static_cast<std::uint64_t>(
      std::count_if(rows_.begin(), rows_.end(), [](Row const& row) { return row.state == State::processing; }));
  return std::min(room, options_.concurrency - std::min(leased, options_.concurrency));
}

std::uint64_t Reference::room_of(std::string const& domain) const {
  auto const bucket = buckets_.find(domain);
  std::uint64_t room = tokens(options_.rate_domain, bucket == buckets_.end() ? Bucket{0, now_} : bucket->second);
  if (options_.concurrency_domain == 0) return room;
  auto const leased = static_cast<std::uint64_t>(std::count_if(rows_.begin(), rows_.end(), [&](Row const& row) {
    return row.state == State::processing && domain_of(row) == domain;
  }));
  return std::min(room, options_.concurrency_domain - std::min(leased, options_.concurrency_domain));
}

std::uint64_t Reference::available(std::string const& domain) const {
  if (standing_ == "paused") return 0;
  std::uint64_t sum = 0;
  for (std::string const& name : domains())
    if (domain.empty() || name == domain) sum += std::min(due_of(name), room_of(name));
  return std::min(sum, room());
}

// ---------------------------------------------------------------------------
// Handing out

Row const* Reference::best_of(std::string const& domain, std::optional<int> klass) const {
  Row const* best = nullptr;
  for (Row const& row : rows_)
    if (is_due(row) && domain_of(row) == domain && (!klass || class_of(row) == *klass) &&
        (best == nullptr || goes_before(row, *best)))
      best = &row;
  return best;
}

std::vector<Row const*> Reference::choices(std::string const& domain) const {
  if (standing_ == "paused" || room() == 0) return {};
  if (!domain.empty()) {
    Row const* const best = room_of(domain) == 0 ? nullptr : best_of(domain, std::nullopt);
    return best == nullptr ? std::vector<Row const*>{} : std::vector<Row const*>{best};
  }
  std::optional<int> ring;
  for (Row const& row : rows_)
    if (is_due(row) && room_of(domain_of(row)) > 0 && (!ring || ring_of(class_of(row)) < *ring))
      ring = ring_of(class_of(row));
  if (!ring) return {};
  std::vector<Row const*> out;
  for (std::string const& name : turns_.allowed(*ring, [&](auto const& d) { return weight_of(d); }))
    if (Row const* const best = best_of(name, options_.aging == 0 ? std::optional<int>{*ring} : std::nullopt);
        best != nullptr)
      out.push_back(best);
  return out;
}

std::string Reference::lease(std::uint64_t id, std::string const& client, std::string const& worker,
                             std::string const& domain, std::int64_t span, Texts const& shown_row, bool at_once) {
  std::vector<Row const*> const allowed = choices(domain);
  if (std::none_of(allowed.begin(), allowed.end(), [&](Row const* row) { return row->id == id; })) {
    std::string wrong = "handed out: " + shown(shown_row) + "; allowed:";
    for (Row const* const row : allowed) wrong += " " + std::to_string(row->id);
    return wrong + "; turns:" + turns_.text();
  }
  Row& row = *row_of(id);
  if (std::string wrong = compare_row(row, shown_row); !wrong.empty()) return wrong;
  auto const epoch = static_cast<std::uint64_t>(number(shown_row, "epoch"));
  if (at_once && (shown_row.contains("epoch") || shown_row.contains("lease_end"))) return "a lease of what is done";
  if (!at_once && epoch <= highest_epoch_)
    return "lease epoch " + std::to_string(epoch) + " after " + std::to_string(highest_epoch_);
  if (!at_once && number(shown_row, "lease_end") != now_ + span)
    return "lease_end is not now + " + std::to_string(span);
  // Each lease takes the next one of this start: so rows that are done at once have their places between others.
  ++leases_;
  if (!at_once && epoch % kEpochsOfStart != leases_)
    return "lease epoch " + std::to_string(epoch) + " of lease " + std::to_string(leases_) + " of this start";
  highest_epoch_ = std::max(highest_epoch_, epoch);
  Turns::Seat const place{ring_of(class_of(row)), domain_of(row)};
  row.state = State::processing;
  waits_.rows.at(row.id).state = WaitingRow::State::leased;
  row.epoch = epoch;
  row.lease_end = now_ + span;
  row.holder = client;
  row.worker = worker;
  take_token(options_.rate, bucket_);
  take_token(options_.rate_domain, buckets_.try_emplace(place.second, Bucket{0, now_}).first->second);
  // First end the turn of a domain that just lost its last row.
  seat();
  turns_.hand_out(place, !domain.empty(), [&](auto const& name) { return weight_of(name); });
  return {};
}

std::string Reference::hand_out(std::string const& client, std::string const& worker, std::string const& domain,
                                std::int64_t span, Texts const& row, bool at_once) {
  synced_ = at_once;
  Row const* const known = find(static_cast<std::uint64_t>(number(row, "row")));
  // A worker that does not say how long has the row for as long as that says.
  if (known != nullptr && span == options_.processing_timeout) span = lease_of(*known, {});
  auto const id = static_cast<std::uint64_t>(number(row, "row"));
  std::string wrong = lease(id, client, worker, domain, span, row, at_once);
  if (wrong.empty() && at_once) end_at_once(id);
  return wrong;
}

void Reference::end_at_once(std::uint64_t id) {
  failures_ = failures_logged_ = 0;
  finish(Row{*find(id)});
  seat();
}

void Reference::seat() {
  std::set<std::uint64_t> due;
  std::set<Turns::Seat> wanted;
  for (Row const& row : rows_) {
    if (!is_due(row)) continue;
    due.insert(row.id);
    if (!due_.contains(row.id)) became_due_.insert(row.id);
    std::string const domain = domain_of(row);
    if (room_of(domain) == 0) continue;
    wanted.emplace(ring_of(class_of(row)), domain);
  }
  due_ = std::move(due);
  turns_.seat(wanted, [&](auto const& name) { return weight_of(name); });
}

std::set<std::uint64_t> Reference::take_became_due() {
  std::set<std::uint64_t> out;
  for (std::uint64_t const id : became_due_)
    if (due_.contains(id)) out.insert(id);
  became_due_.clear();
  return out;
}

}  // namespace fastjournal::reference
