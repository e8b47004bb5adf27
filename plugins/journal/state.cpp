#include "plugins/journal/state.h"

#include <array>
#include <cstring>
#include <string>

#include "base/check.h"
#include "base/hash.h"

namespace fastjournal::journal {
namespace {

std::uint64_t body_bytes(Facts const& facts) {
  return std::uint64_t{facts.key_bytes} + facts.data_bytes + facts.error_bytes;
}

// In memory: the facts, possibly with room for all of them, and the rest.
struct Front {
  std::array<char, kFactsBytesMax> bytes;
  std::size_t size;

  explicit Front(Facts const& facts) {
    std::size_t const used = payload::write_facts(bytes.data(), facts);
    size = used;
    if (used + body_bytes(facts) < kPaddedFrom) return;
    bytes[0] = static_cast<char>(static_cast<unsigned char>(bytes[0]) | payload::kPadded);
    std::memset(bytes.data() + used, 0, bytes.size() - used);
    size = kFactsBytesMax;
  }
};

// The place of a row among those of its key.
unsigned rank(Place place) { return is_waiting(place) ? 0 : place == Place::processing ? 1 : 2; }

}  // namespace

State::State(std::uint64_t hash_seed, bool has_keys) : hash_seed_(hash_seed) {
  if (has_keys) keys_.emplace();
}

std::uint32_t State::hash_of(std::string_view key) const {
  return static_cast<std::uint32_t>(hash64(key, hash_seed_) >> 32U);
}

// ---------------------------------------------------------------------------
// Reading

std::uint32_t State::find(ObjectId id) const {
  if (id == last_id_ && !id.is_none()) return last_row_;
  last_row_ = ids_.find(id);
  last_id_ = id;
  return last_row_;
}

std::uint32_t State::find_head(std::uint32_t hash, std::string_view key) const {
  return keys_->find(hash, [&](std::uint32_t row) { return view(row).key == key; });
}

KeyRows State::key_rows(std::uint32_t head) const {
  KeyRows out;
  // Waiting, processing, parked: at most one of the first, and concurrency-key of the second.
  for (std::uint32_t at = head; at != kNoRow && out.parked == kNoRow; at = next_sibling(at)) {
    switch (rank(rows_[at].place())) {
      case 0: out.waiting = at; break;
      case 1:
        if (out.processing_count++ == 0) out.processing = at;
        break;
      default: out.parked = at;
    }
  }
  return out;
}

KeyRows State::find_key(std::string_view key) const { return key_rows(find_head(hash_of(key), key)); }

KeyRows State::key_rows_of(std::uint32_t row) const {
  return rows_[row].has_siblings() ? find_key(view(row).key) : key_rows(row);
}

std::uint32_t State::next_sibling(std::uint32_t row) const {
  return rows_[row].has_siblings() ? siblings_.find(row)->second.next : kNoRow;
}

PayloadView State::view(std::uint32_t row) const {
  PayloadView out;
  // Its length follows from the facts, which are valid, as write() wrote them.
  std::string_view rest{payloads_.at(rows_[row].payload), SIZE_MAX / 2};
  static_cast<void>(payload::take_facts(rest, out.facts));
  char const* at = rest.data();
  out.key = {at, out.facts.key_bytes};
  out.data = {at + out.facts.key_bytes, out.facts.data_bytes};
  out.error = {at + out.facts.key_bytes + out.facts.data_bytes, out.facts.error_bytes};
  return out;
}

Leases::Terms State::terms_of(std::uint32_t row) const {
  Lease const& lease = lease_of(row);
  return {lease.epoch, lease.began, lease.ends, lease.connection, lease.start, leases_.worker(lease)};
}

RowBody State::body_of(std::uint32_t index) const {
  Row const& row = rows_[index];
  PayloadView const payload = view(index);
  RowBody body;
  body.status = row.place() == Place::processing ? RowStatus::processing
                : row.place() == Place::parked   ? RowStatus::parked
                                                 : RowStatus::waiting;
  body.priority = row.priority();
  body.date = row.date();
  body.timeouts = row.timeouts();
  body.lifetime = row.lifetime();
  if (body.status == RowStatus::processing) body.lease = terms_of(index);
  body.facts = payload.facts;
  body.key = payload.key;
  body.data = payload.data;
  body.error = payload.error;
  return body;
}

std::uint64_t State::memory_bytes() const {
  return rows_.memory_bytes() + payloads_.memory_bytes() + (keys_ ? keys_->memory_bytes() : 0) + ids_.memory_bytes() +
         order_.memory_bytes() + wheel_.memory_bytes() + leases_.memory_bytes() + clients_.memory_bytes() +
         regions_.memory_bytes() + (expiries_.size() + parked_.size()) * 20 + siblings_.capacity() * 13;
}

// ---------------------------------------------------------------------------
// Schemas

State::SchemaUse* State::use_of(std::uint16_t version) {
  for (auto use = schemas_.rbegin(); use != schemas_.rend(); ++use)
    if (use->schema->version == version) return &*use;
  return nullptr;
}

void State::add_schema(Schema const& schema) {
  SchemaUse* const known = use_of(schema.version);
  if (known == nullptr) {
    schemas_.push_back({std::make_unique<Schema>(schema), DomainColumn::of(order_.rules().domain, schema), 0});
  } else if (known->rows == 0) {
    *known->schema = schema;
    known->domain = DomainColumn::of(order_.rules().domain, schema);
  }
}

Schema const* State::schema(std::uint16_t version) const {
  for (auto use = schemas_.rbegin(); use != schemas_.rend(); ++use)
    if (use->schema->version == version) return use->schema.get();
  return nullptr;
}

// ---------------------------------------------------------------------------
// Payloads

std::uint32_t State::write(Facts const& facts, std::string_view key, std::string_view data, std::string_view error) {
  Front const front{facts};
  std::uint32_t const handle = payloads_.take(front.size + body_bytes(facts));
  char* to = payloads_.at(handle);
  for (std::string_view const part : {std::string_view{front.bytes.data(), front.size}, key, data, error}) {
    if (!part.empty()) std::memcpy(to, part.data(), part.size());
    to += part.size();
  }
  return handle;
}

void State::release(std::uint32_t handle, PayloadView const& view) {
  auto const front = static_cast<std::size_t>(view.key.data() - payloads_.at(handle));
  payloads_.release(handle, front + body_bytes(view.facts));
}

void State::rewrite(std::uint32_t index, PayloadView const& old, Facts const& facts, std::string_view data,
                    std::string_view error) {
  Row& row = rows_[index];
  count_rewritten(old, facts);
  Front const front{facts};
  auto const old_front = static_cast<std::size_t>(old.key.data() - payloads_.at(row.payload));
  bool const same_rest = data.data() == old.data.data() && data.size() == old.data.size() &&
                         error.data() == old.error.data() && error.size() == old.error.size();
  if (same_rest && front.size == old_front) {
    std::memcpy(payloads_.at(row.payload), front.bytes.data(), front.size);
    return;
  }
  // The old one is released last, since the new contents may be parts of it.
  std::uint32_t const handle = write(facts, old.key, data, error);
  release(row.payload, old);
  row.payload = handle;
}

void State::count_rewritten(PayloadView const& old, Facts const& facts) {
  row_record_bytes_ += row_record_bytes(facts);
  row_record_bytes_ -= row_record_bytes(old.facts);
  if (facts.schema == old.facts.schema) return;
  --use_of(old.facts.schema)->rows;
  ++use_of(facts.schema)->rows;
}

namespace {

// A part to be written: its source, and its target counted from the front.
struct Move {
  char const* from;
  std::size_t size;
  char* to;
  bool is_here;  // its source is the same block
};

// Parts of a block move within it, and others are inserted. Parts that move up are copied first, from the last to the
// first, then those that move down, so that none is overwritten before it has moved.
void move_all(std::vector<Move> const& moves) {
  for (auto move = moves.rbegin(); move != moves.rend(); ++move)
    if (move->is_here && move->to > move->from) std::memmove(move->to, move->from, move->size);
  for (Move const& move : moves)
    if (move.is_here && move.to < move.from) std::memmove(move.to, move.from, move.size);
  for (Move const& move : moves)
    if (!move.is_here && move.size > 0) std::memcpy(move.to, move.from, move.size);
}

}  // namespace

void State::rewrite(std::uint32_t index, PayloadView const& old, Facts const& facts, model::Pieces const& pieces,
                    std::string_view error) {
  Row& row = rows_[index];
  count_rewritten(old, facts);
  Front const front{facts};
  std::uint32_t const before = row.payload;
  auto const old_front = static_cast<std::size_t>(old.key.data() - payloads_.at(before));
  std::size_t const size = front.size + body_bytes(facts);
  bool const stays = payloads_.room_at(before) >= size && front.size == old_front && pieces.keeps_order();
  std::uint32_t const handle = stays ? before : payloads_.take_to_grow(size);
  char* to = payloads_.at(handle);
  std::vector<Move> moves;
  auto const put = [&](std::string_view part, bool is_old) {
    moves.push_back({part.data(), part.size(), to, stays && is_old});
    to += part.size();
  };
  put({front.bytes.data(), front.size}, false);
  put(old.key, true);
  for (std::string_view const piece : pieces.all()) put(piece, pieces.is_old(piece));
  put(error, error.data() == old.error.data());
  move_all(moves);
  if (stays) return;
  release(before, old);
  row.payload = handle;
}

// ---------------------------------------------------------------------------
// Rows of one key

// `head`: the first row of the key, if there is one.
void State::link(std::uint32_t row, std::uint32_t hash, std::uint32_t head) {
  if (!has_keys()) return;
  if (head == kNoRow) {
    keys_->insert(hash, row);
    return;
  }
  if (!rows_[head].has_siblings()) {
    rows_[head].set_siblings(true);
    siblings_.emplace(head, Sibling{});
  }
  rows_[row].set_siblings(true);
  unsigned const mine = rank(rows_[row].place());
  std::uint32_t before = kNoRow;
  std::uint32_t after = head;
  while (after != kNoRow && rank(rows_[after].place()) < mine) {
    before = after;
    after = siblings_.find(after)->second.next;
  }
  siblings_[row] = Sibling{after, before};
  if (after != kNoRow) siblings_.find(after)->second.prev = row;
  if (before != kNoRow) {
    siblings_.find(before)->second.next = row;
  } else {
    keys_->replace(hash, head, row);
  }
}

void State::unlink(std::uint32_t row, std::string_view key) {
  if (!has_keys()) return;
  std::uint32_t const hash = hash_of(key);
  if (!rows_[row].has_siblings()) {
    keys_->erase(hash, row);
    return;
  }
  auto const found = siblings_.find(row);
  Sibling const sibling = found->second;
  siblings_.erase(found);
  rows_[row].set_siblings(false);
  if (sibling.next != kNoRow) siblings_.find(sibling.next)->second.prev = sibling.prev;
  if (sibling.prev != kNoRow) {
    siblings_.find(sibling.prev)->second.next = sibling.next;
  } else {
    keys_->replace(hash, row, sibling.next);
  }
  std::uint32_t const neighbour = sibling.next != kNoRow ? sibling.next : sibling.prev;
  auto const left = siblings_.find(neighbour);
  if (left->second.next == kNoRow && left->second.prev == kNoRow) {
    siblings_.erase(left);
    rows_[neighbour].set_siblings(false);
  }
}

void State::set_place(std::uint32_t index, Place place) {
  Row& row = rows_[index];
  if (!row.has_siblings() || rank(place) == rank(row.place())) {
    row.set_place(place);
    return;
  }
  std::string_view const key = view(index).key;
  unlink(index, key);
  row.set_place(place);
  std::uint32_t const hash = hash_of(key);
  link(index, hash, find_head(hash, key));
}

// ---------------------------------------------------------------------------
// Places

void State::expect_expiry(std::uint32_t index) {
  if (rows_[index].expires()) expiries_.emplace(view(index).facts.expires, index);
}

void State::enter_due(std::uint32_t index, TableObserver& observer) { order_.push(index, observer); }

std::string_view State::domain_text_of(PayloadView const& payload) {
  DomainSource const& source = order_.rules().domain;
  if (source.is_none()) return {};
  SchemaUse const& use = *use_of(payload.facts.schema);
  return domain_text(source, use.domain, *use.schema, payload.key, payload.data, domain_scratch_);
}

// The row's place is already a waiting one, or is set here first: the order of its key depends on it.
void State::enter_waiting(std::uint32_t index, TableObserver& observer) {
  set_place(index, Place::behind);
  expect_expiry(index);
  if (rows_[index].has_siblings() && key_rows_of(index).processing_count >= order_.rules().concurrency_key) {
    ++behind_;
    return;
  }
  Row& row = rows_[index];
  if (row.date() <= now_) {
    enter_due(index, observer);
    return;
  }
  row.set_place(Place::future);
  if (wheel_.size() == 0) wheel_.start(TimeMs{now_});
  wheel_.set(index);
  order_.expect(index);
}

// Its limit or its date may have changed.
void State::enter_again(std::uint32_t waiting, TableObserver& observer) {
  leave(waiting, observer);
  enter_waiting(waiting, observer);
}

void State::leave(std::uint32_t index, TableObserver& observer) {
  Row& row = rows_[index];
  switch (row.place()) {
    case Place::future:
      wheel_.cancel(index);
      order_.unexpect(index);
      break;
    case Place::listed:
    case Place::treed: order_.erase(index); break;
    case Place::behind: --behind_; break;
    case Place::processing: {
      Lease const& lease = leases_[row.next];
      std::int64_t const ends = lease.ends;
      observer.lease_ended(row.id(), ConnectionId{lease.connection});
      leases_.remove(row.next);
      order_.end(index, ends, observer);
      return;
    }
    case Place::parked:
      parked_.erase({view(index).facts.parked_at, index});
      if (parked_.empty()) observer.lower_alert("row-failed");
      break;
    case Place::free: return;
  }
  if (row.expires()) expiries_.erase({view(index).facts.expires, index});
}

void State::free_twin(std::uint32_t index, TableObserver& observer) {
  if (!rows_[index].has_siblings()) return;
  std::uint32_t const waiting = key_rows_of(index).waiting;
  if (waiting != kNoRow && waiting != index && rows_[waiting].place() == Place::behind) enter_again(waiting, observer);
}

bool State::advance(std::int64_t now, std::size_t budget, TableObserver& observer) {
  see(now);
  if (order_.advance(now_, budget, observer)) return true;
  return wheel_.advance(TimeMs{now}, budget, [&](std::uint32_t row) {
    order_.unexpect(row);
    enter_due(row, observer);
  });
}

void State::lower_clock(std::int64_t from, std::int64_t to, TableObserver& observer) {
  // Out of all indexes by date, under the old dates.
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t index = 0; index < rows_.end(); ++index) {
    if (!is_waiting(rows_[index].place())) continue;
    leave(index, observer);
    waiting.push_back(index);
  }
  now_ = to;
  order_.see(to);
  for (std::uint32_t index = 0; index < rows_.end(); ++index)
    if (rows_[index].place() != Place::free) lower_dates(index, from, to);
  lower_leases(from, to);
  clients_.lower_clock(to);
  pause_.since = std::min(pause_.since, to);
  for (std::uint32_t const index : waiting) enter_waiting(index, observer);
}

void State::lower_dates(std::uint32_t index, std::int64_t from, std::int64_t to) {
  Row& row = rows_[index];
  PayloadView const old = view(index);
  // It was inserted under that clock, and was due by it: so it stays due. Other process dates may have been meant.
  if (old.facts.arrival > to && row.date() > to && row.date() <= from) row.set_date(to);
  Facts facts = old.facts;
  for (std::int64_t* const date : {&facts.arrival, &facts.inserted, &facts.accepted, &facts.parked_at})
    *date = std::min(*date, to);
  if (facts == old.facts) return;
  if (row.place() == Place::parked) {
    parked_.erase({old.facts.parked_at, index});
    parked_.emplace(facts.parked_at, index);
  }
  rewrite(index, old, facts, old.data, old.error);
}

void State::lower_leases(std::int64_t from, std::int64_t to) {
  for (std::uint32_t number = 0; number < leases_.end(); ++number) {
    Lease const& lease = leases_[number];
    if (lease.row == kNoRow || lease.ends <= to) continue;
    std::int64_t const ends = std::max(to, lease.ends - (from - to));
    order_.renew(lease.row, lease.ends, ends);
    leases_.lower(number, std::min(lease.began, to), ends);
  }
}

TimeMs State::next_date() const {
  std::int64_t date = std::min(wheel_.first_date().value, order_.next_token());
  if (!leases_.ends().empty()) date = std::min(date, leases_.ends().begin()->first);
  return TimeMs{date};
}

TimeMs State::next_date(std::string_view domain) const {
  std::int64_t date = order_.next_date(domain);
  // Due rows there may wait for any lease of the table.
  if (order_.is_full() && order_.is_due(domain) && !leases_.ends().empty())
    date = std::min(date, leases_.ends().begin()->first);
  return TimeMs{date};
}

// ---------------------------------------------------------------------------
// Rows

bool State::add(ObjectId id, RowBody const& body, Lsn lsn, TableObserver& observer) {
  SchemaUse* const use = use_of(body.facts.schema);
  if (use == nullptr) return false;
  if (!has_keys() && !body.key.empty()) return false;
  std::uint32_t const hash = has_keys() ? hash_of(body.key) : 0;
  std::uint32_t const head = has_keys() ? find_head(hash, body.key) : kNoRow;
  KeyRows const others = key_rows(head);
  if (body.status == RowStatus::waiting && others.waiting != kNoRow) return false;

  std::uint32_t const index = rows_.add();
  Row& row = rows_[index];
  row.set_id(id);
  row.set_priority(body.priority);
  row.set_date(body.date);
  row.set_timeouts(body.timeouts);
  row.set_lifetime(body.lifetime);
  row.set_expires(body.facts.expires != 0);
  row.payload = write(body.facts, body.key, body.data, body.error);
  row.region = Regions::of(lsn);
  regions_.add(row.region);
  ids_.insert(id, index);
  last_id_ = id;
  last_row_ = index;
  ++use->rows;
  row_record_bytes_ += row_record_bytes(body.facts);
  order_.join(index, domain_text_of({body.facts, body.key, body.data, body.error}));

  switch (body.status) {
    case RowStatus::waiting:
      row.set_place(Place::behind);
      link(index, hash, head);
      enter_waiting(index, observer);
      break;
    case RowStatus::processing:
      row.set_place(Place::processing);
      row.next = leases_.add(index, body.lease);
      last_epoch_ = std::max(last_epoch_, body.lease.epoch);
      link(index, hash, head);
      order_.begin(index, body.lease.epoch, body.lease.began, body.lease.ends, false);
      // A twin that was copied forward may be replayed before the row that it waits for.
      if (others.waiting != kNoRow) enter_again(others.waiting, observer);
      break;
    case RowStatus::parked:
      row.set_place(Place::parked);
      link(index, hash, head);
      parked_.emplace(body.facts.parked_at, index);
      expect_expiry(index);
      break;
  }
  return true;
}

void State::set_counters(std::uint32_t index, Counters const& counters) {
  rows_[index].set_timeouts(counters.timeouts);
  rows_[index].set_lifetime(counters.lifetime);
  if (counters.lifetime >= weary_from_) weary_.insert(index);
}

void State::forget_weary(std::uint32_t index, TableObserver& observer) {
  if (!weary_.empty() && weary_.erase(index) == 1 && weary_.empty()) observer.lower_alert("row-times-out");
}

void State::remove(std::uint32_t index, TableObserver& observer) {
  forget_weary(index, observer);
  leave(index, observer);
  Row& row = rows_[index];
  bool const freed = row.place() == Place::processing && row.has_siblings();
  PayloadView const payload = view(index);
  std::uint32_t const waiting = freed ? key_rows_of(index).waiting : kNoRow;
  order_.part(index);
  unlink(index, payload.key);
  row_record_bytes_ -= row_record_bytes(payload.facts);
  --use_of(payload.facts.schema)->rows;
  release(row.payload, payload);
  regions_.remove(row.region);
  ids_.erase(row.id());
  if (last_row_ == index) last_id_ = {};
  rows_.remove(index);
  if (waiting != kNoRow && rows_[waiting].place() == Place::behind) enter_again(waiting, observer);
}

void State::moved(std::uint32_t index, Lsn lsn) {
  Row& row = rows_[index];
  regions_.remove(row.region);
  row.region = Regions::of(lsn);
  regions_.add(row.region);
}

void State::lease(std::uint32_t index, Leases::Terms const& terms, bool live) {
  // The end of a waiting row has no effect on others.
  Row& row = rows_[index];
  // The next NEXT needs the row after it: prefetched, as memory is slower than everything else here.
  if (row.place() == Place::listed && row.next != kNoRow) {
    Row const& second = rows_[row.next];
    fastjournal::prefetch(payloads_.at(second.payload));
    if (second.next != kNoRow) fastjournal::prefetch(&rows_[second.next]);
  }
  if (row.place() == Place::future) {
    wheel_.cancel(index);
    order_.unexpect(index);
  } else if (row.place() == Place::behind) {
    --behind_;
  } else {
    order_.erase(index);
  }
  if (row.expires()) expiries_.erase({view(index).facts.expires, index});
  set_place(index, Place::processing);
  row.next = leases_.add(index, terms);
  last_epoch_ = std::max(last_epoch_, terms.epoch);
  see(terms.began);
  order_.begin(index, terms.epoch, terms.began, terms.ends, live);
}

void State::renew(std::uint32_t index, Leases::Terms const& terms) {
  order_.renew(index, lease_of(index).ends, terms.ends);
  leases_.change(rows_[index].next, terms);
}

void State::wait(std::uint32_t index, GiveBackBody const& body, TableObserver& observer) {
  order_.keep_turn(index);
  leave(index, observer);
  PayloadView const old = view(index);
  Facts facts = old.facts;
  facts.parked_at = 0;
  facts.failures = body.counters.failures;
  std::string_view const error = body.error.empty() ? old.error : body.error;
  facts.error_bytes = static_cast<std::uint32_t>(error.size());
  if (facts.parked_at != old.facts.parked_at || facts.failures != old.facts.failures || !body.error.empty())
    rewrite(index, old, facts, old.data, error);
  rows_[index].set_date(body.date);
  set_counters(index, body.counters);
  enter_waiting(index, observer);
  order_.let_turn();
}

void State::park(std::uint32_t index, ParkBody const& body, TableObserver& observer) {
  forget_weary(index, observer);  // row-failed replaces it from here on
  leave(index, observer);
  Row& row = rows_[index];
  row.set_timeouts(body.counters.timeouts);
  row.set_lifetime(body.counters.lifetime);
  PayloadView const old = view(index);
  Facts facts = old.facts;
  facts.parked_at = body.at;
  facts.failures = body.counters.failures;
  std::string_view const error = body.error.empty() ? old.error : body.error;
  facts.error_bytes = static_cast<std::uint32_t>(error.size());
  rewrite(index, old, facts, old.data, error);
  set_place(index, Place::parked);
  parked_.emplace(body.at, index);
  expect_expiry(index);
  free_twin(index, observer);
}

void State::change(std::uint32_t index, Change const& change, TableObserver& observer) {
  order_.keep_turn(index);
  leave(index, observer);
  PayloadView const old = view(index);
  Facts facts = change.facts;
  facts.failures = change.counters.failures;
  facts.key_bytes = old.facts.key_bytes;
  facts.data_bytes = static_cast<std::uint32_t>(change.pieces != nullptr ? change.pieces->size() : change.data.size());
  facts.error_bytes = static_cast<std::uint32_t>(change.error.size());
  if (change.pieces != nullptr)
    rewrite(index, old, facts, *change.pieces, change.error);
  else
    rewrite(index, old, facts, change.data, change.error);
  if (!order_.rules().domain.is_none()) {
    std::string_view const domain = domain_text_of(view(index));
    if (domain != order_.domain_of(index)) {
      order_.part(index);
      order_.join(index, domain);
    }
  }
  Row& row = rows_[index];
  row.set_priority(change.priority);
  row.set_date(change.date);
  set_counters(index, change.counters);
  row.set_expires(facts.expires != 0);
  enter_waiting(index, observer);
  order_.let_turn();
}

// ---------------------------------------------------------------------------
// Rules

// Adds a row with a known place to the order.
void State::tell_order(std::uint32_t index, TableObserver& observer) {
  Row const& row = rows_[index];
  order_.join(index, domain_text_of(view(index)));
  if (is_due(row.place())) {
    order_.push(index, observer);
  } else if (row.place() == Place::future) {
    order_.expect(index);
  } else if (row.place() == Place::processing) {
    Lease const& lease = lease_of(index);
    order_.begin(index, lease.epoch, lease.began, lease.ends, false);
  }
}

void State::set_rules(Rules rules, TableObserver& observer) {
  bool const other_key = rules.concurrency_key != order_.rules().concurrency_key;
  if (rules.orders_like(order_.rules())) {
    order_.change_limits(std::move(rules));
  } else {
    order_.start_again(std::move(rules));
    for (SchemaUse& use : schemas_) use.domain = DomainColumn::of(order_.rules().domain, *use.schema);
    for (std::uint32_t index = 0; index < rows_.end(); ++index)
      if (rows_[index].place() != Place::free) tell_order(index, observer);
  }
  // Twins of rows in process become behind, or due.
  for (std::uint32_t number = 0; other_key && number < leases_.end(); ++number) {
    std::uint32_t const row = leases_[number].row;
    std::uint32_t const waiting = row == kNoRow ? kNoRow : key_rows_of(row).waiting;
    if (waiting != kNoRow) enter_again(waiting, observer);
  }
  order_.tell_soon();
}

// ---------------------------------------------------------------------------
// Pauses

void State::set_pause(ObjectId id, PauseBody const& body, Lsn lsn) {
  end_pause();
  pause_ = {body.standing,        body.by_failures,        id, Regions::of(lsn), body.since,
            std::string{body.by}, std::string{body.reason}};
  regions_.add(pause_.region);
}

void State::end_pause() {
  if (!pause_.id.is_none()) regions_.remove(pause_.region);
  pause_ = {};
}

}  // namespace fastjournal::journal
