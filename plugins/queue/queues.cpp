#include "plugins/queue/queues.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"

namespace fastjournal::queue {
namespace {

// Objects that one search for those to compact looks at.
constexpr std::uint32_t kQueueCompactWorkUnitsMax = 20'000;

// What a queue or an exchange takes beside itself: its places in the maps and sets of names and numbers.
constexpr std::uint64_t kNamedBytes = 160;
// The texts of its name: its own, the key of its map, and that of its place.
constexpr std::uint64_t kNamePlaces = 3;
// What a binding takes beside itself: five places in maps and sets.
constexpr std::uint64_t kBindingBytes = 320;

// Of a text that is too long for the place of a string.
std::uint64_t bytes_of(std::string_view text) {
  constexpr std::size_t kInPlace = 15;
  constexpr std::uint64_t kAllocated = 16;
  return text.size() <= kInPlace ? 0 : text.size() + kAllocated;
}
std::uint64_t bytes_of(Binding const& binding) {
  return bytes_of(binding.exchange) + bytes_of(binding.queue) + bytes_of(binding.pattern);
}

std::vector<ObjectId> bindings_of(Queue const& queue) {
  std::vector<ObjectId> out;
  for (auto const& [exchange, pattern, id] : queue.bindings) out.push_back(id);
  return out;
}

}  // namespace

// ---------------------------------------------------------------------------
// Reading

ObjectId Queues::find_binding(Exchange const& exchange, std::string_view queue, std::string_view pattern) const {
  Queue const* const found = find(queue);
  if (found == nullptr) return {};
  auto const at = found->bindings.lower_bound({exchange.name, pattern, ObjectId{}});
  if (at == found->bindings.end()) return {};
  auto const& [its_exchange, its_pattern, id] = *at;
  return its_exchange == exchange.name && its_pattern == pattern ? id : ObjectId{};
}

void Queues::route(Exchange const& exchange, std::string_view key, std::vector<Queue const*>& found,
                   std::uint32_t& work_units) const {
  std::vector<ObjectId> fitting;
  exchange.router.route(key, fitting, work_units);
  found.clear();
  for (ObjectId const id : fitting) {
    Queue const* const queue = bindings_.find(id.value)->second.to;
    if (!queue->is_there() || std::ranges::find(found, queue) != found.end()) continue;
    found.push_back(queue);
    if (found.size() > kQueuesOfMessageMax) return;
  }
}

// ---------------------------------------------------------------------------
// Applying

Queue& Queues::any(std::string_view name) {
  auto const found = queues_.find(name);
  if (found != queues_.end()) return *found->second;
  auto made = std::make_unique<Queue>();
  made->name = name;
  Queue& queue = *made;
  text_bytes_ += kNamePlaces * bytes_of(name);
  queues_.emplace(queue.name, std::move(made));
  names_.insert(queue.name);
  return queue;
}

void Queues::drop_if_empty(Queue& queue) {
  if (queue.is_there() || queue.messages > 0 || !queue.bindings.empty()) return;
  if (leaving_.erase(queue.name) > 0) ++version_;
  forget_look(queue);
  names_.erase(queue.name);
  text_bytes_ -= kNamePlaces * bytes_of(queue.name);
  queues_.erase(queue.name);
}

void Queues::leave(Queue& queue) {
  if (leaving_.insert(queue.name).second) ++version_;
}

Queue& Queues::add_message(std::string_view name, std::uint64_t bytes) {
  Queue& queue = any(name);
  ++queue.messages;
  queue.bytes += bytes;
  // Of a replay, or of a removal that goes on: its queue is not known (yet).
  if (!queue.is_there()) leave(queue);
  return queue;
}

void Queues::remove_message(std::string_view name, std::uint64_t bytes) {
  Queue& queue = any(name);
  --queue.messages;
  queue.bytes -= bytes;
  drop_if_empty(queue);
}

void Queues::lower_clock(std::int64_t from, std::int64_t to, Paused const& paused) {
  for (std::string_view const name : names_) {
    Queue& queue = any(name);
    queue.made = std::min(queue.made, to);
    queue.changed = std::min(queue.changed, to);
    if (queue.settings.paused_until <= to || queue.settings.paused_until > from) continue;
    queue.settings.paused_until = to;
    paused(queue);
  }
}

void Queues::place(std::uint32_t& region, Lsn lsn, bool is_new) {
  if (is_new)
    ++regions_count_;
  else
    regions_.remove(region);
  region = rows::Regions::of(lsn);
  regions_.add(region);
}

void Queues::forget(std::uint32_t region) {
  --regions_count_;
  regions_.remove(region);
}

bool Queues::apply(RecordView const& record, ApplyContext const& context, Paused const& paused) {
  switch (static_cast<RecordType>(record.type)) {
    case RecordType::queue: return apply_queue(record, paused);
    case RecordType::exchange: return apply_exchange(record);
    case RecordType::binding: return apply_binding(record);
    case RecordType::ended: return apply_ended(record, context, paused);
    case RecordType::shared_body:
    case RecordType::deduplication:
    case RecordType::deduplications_over: break;
  }
  return false;
}

bool Queues::apply_queue(RecordView const& record, Paused const& paused) {
  QueueBody body;
  if (!model::read_record(record, body)) return false;
  Queue& queue = any(body.name);
  bool const is_new = !queue.is_there();
  if (!is_new && queue.id != record.object) return false;
  if (is_new) {
    queue.id = record.object;
    places_.emplace(record.object.value, Place{What::queue, queue.name});
    leaving_.erase(queue.name);
    ++there_;
  }
  // It is also written again as it is, to be compacted.
  if (is_new || queue.settings != body.settings) ++version_;
  remove_temporary(queue);
  bool const changes_pause = queue.settings.paused_until != body.settings.paused_until;
  properties_bytes_ += body.settings.properties.size() - queue.settings.properties.size();
  queue.settings = body.settings;
  queue.made = body.made;
  queue.changed = body.changed;
  if (changes_pause) paused(queue);
  add_temporary(queue);
  if (queue.settings.is_made && is_new) look(queue, 0);
  place(queue.region, record.lsn, is_new);
  return true;
}

bool Queues::apply_exchange(RecordView const& record) {
  ExchangeBody body;
  if (!model::read_record(record, body)) return false;
  auto found = exchanges_.find(body.name);
  bool const is_new = found == exchanges_.end();
  if (!is_new && (found->second->id != record.object || found->second->router.kind() != body.kind)) return false;
  if (is_new) {
    ++version_;
    auto made = std::make_unique<Exchange>(
        Exchange{.name = std::string{body.name}, .id = record.object, .router = Router{body.kind}});
    if (auto const early = early_.find(made->name); early != early_.end()) {
      made->bindings = std::move(early->second);
      early_.erase(early);
      for (ObjectId const id : made->bindings) attach(*made, id, bindings_.find(id.value)->second);
    }
    text_bytes_ += kNamePlaces * bytes_of(made->name);
    places_.emplace(record.object.value, Place{What::exchange, made->name});
    found = exchanges_.emplace(made->name, std::move(made)).first;
    exchange_names_.insert(found->second->name);
  }
  place(found->second->region, record.lsn, is_new);
  return true;
}

bool Queues::apply_binding(RecordView const& record) {
  BindingBody body;
  if (!model::read_record(record, body)) return false;
  auto const [at, is_new] = bindings_.try_emplace(record.object.value);
  Binding& binding = at->second;
  if (is_new) {
    ++version_;
    binding.exchange = body.exchange;
    binding.queue = body.queue;
    binding.pattern = body.pattern;
    places_.emplace(record.object.value, Place{What::binding, {}});
    binding.to = &any(binding.queue);
    binding.to->bindings.emplace(binding.exchange, binding.pattern, record.object);
    text_bytes_ += bytes_of(binding);
    if (auto const exchange = exchanges_.find(binding.exchange); exchange != exchanges_.end()) {
      exchange->second->bindings.insert(record.object);
      attach(*exchange->second, record.object, binding);
    } else {
      early_[binding.exchange].insert(record.object);
    }
  }
  place(binding.region, record.lsn, is_new);
  return true;
}

// A replay may know bindings whose queue or exchange it does not: that was not compacted any more, as it has ended
// here.
bool Queues::apply_ended(RecordView const& record, ApplyContext const& context, Paused const& paused) {
  EndedBody body;
  if (!model::read_record(record, body)) return false;
  auto const found = places_.find(record.object.value);
  if (found == places_.end()) {
    if (record.object.value >= context.base.value) return false;
    ++ignored_;
    if (body.what == What::queue) {
      if (auto const queue = queues_.find(body.name); queue != queues_.end()) {
        end_bindings(bindings_of(*queue->second));
        drop_if_empty(*queue->second);
      }
    } else if (auto const early = early_.find(body.name); body.what == What::exchange && early != early_.end()) {
      end_bindings({early->second.begin(), early->second.end()});
    }
    return true;
  }
  if (found->second.what != body.what || found->second.name != body.name) return false;
  switch (body.what) {
    case What::queue: {
      Queue& queue = any(body.name);
      bool const was_paused = std::exchange(queue.settings.paused_until, 0) != 0;
      if (was_paused) paused(queue);
      end_queue(queue);
      break;
    }
    case What::exchange: end_exchange(std::string{body.name}); break;
    case What::binding: end_binding(record.object); break;
  }
  return true;
}

void Queues::attach(Exchange& exchange, ObjectId id, Binding const& binding) {
  routed_size_ -= exchange.router.size();
  routers_bytes_ -= exchange.router.memory_bytes();
  exchange.router.add(id, binding.pattern);
  routed_size_ += exchange.router.size();
  routers_bytes_ += exchange.router.memory_bytes();
}

void Queues::detach(Exchange& exchange, ObjectId id, Binding const& binding) {
  routed_size_ -= exchange.router.size();
  routers_bytes_ -= exchange.router.memory_bytes();
  exchange.router.remove(id, binding.pattern);
  routed_size_ += exchange.router.size();
  routers_bytes_ += exchange.router.memory_bytes();
}

void Queues::end_bindings(std::vector<ObjectId> const& ending) {
  for (ObjectId const id : ending) {
    end_binding(id);
  }
}

void Queues::add_temporary(Queue const& queue) {
  if (!queue.settings.is_temporary()) return;
  temporary_.emplace(queue.settings.connection, queue.name);
  ++temporary_of_[queue.settings.connection];
}

void Queues::remove_temporary(Queue const& queue) {
  if (temporary_.erase({queue.settings.connection, queue.name}) == 0) return;
  auto const of = temporary_of_.find(queue.settings.connection);
  if (--of->second == 0) temporary_of_.erase(of);
}

void Queues::end_queue(Queue& queue) {
  end_bindings(bindings_of(queue));
  remove_temporary(queue);
  places_.erase(queue.id.value);
  forget(queue.region);
  --there_;
  ++version_;
  properties_bytes_ -= queue.settings.properties.size();
  queue.id = {};
  queue.settings = {};
  queue.made = queue.changed = 0;
  if (queue.messages > 0) leave(queue);
  drop_if_empty(queue);
}

void Queues::end_exchange(std::string const& name) {
  auto const found = exchanges_.find(name);
  Exchange& exchange = *found->second;
  end_bindings({exchange.bindings.begin(), exchange.bindings.end()});
  text_bytes_ -= kNamePlaces * bytes_of(name);
  places_.erase(exchange.id.value);
  forget(exchange.region);
  ++version_;
  exchange_names_.erase(exchange.name);
  exchanges_.erase(found);
}

void Queues::end_binding(ObjectId id) {
  auto const found = bindings_.find(id.value);
  Binding const& binding = found->second;
  binding.to->bindings.erase({binding.exchange, binding.pattern, id});
  if (auto const exchange = exchanges_.find(binding.exchange); exchange != exchanges_.end()) {
    exchange->second->bindings.erase(id);
    detach(*exchange->second, id, binding);
  } else if (auto const early = early_.find(binding.exchange); early != early_.end()) {
    early->second.erase(id);
    if (early->second.empty()) early_.erase(early);
  }
  text_bytes_ -= bytes_of(binding);
  places_.erase(id.value);
  forget(binding.region);
  ++version_;
  bindings_.erase(found);
}

// ---------------------------------------------------------------------------
// Queues that end when they are idle

void Queues::look(Queue const& queue, std::int64_t at) const {
  forget_look(queue);
  queue.look_at = at;
  looks_.emplace(at, queue.name);
}

void Queues::look_again() const {
  for (std::string_view const name : names_)
    if (Queue const& queue = *find_any(name); queue.settings.is_made) look(queue, 0);
}

// ---------------------------------------------------------------------------
// Space, people

std::uint64_t Queues::memory_bytes() const {
  std::uint64_t const bytes =
      queues_.size() * (sizeof(Queue) + kNamedBytes) + exchanges_.size() * (sizeof(Exchange) + kNamedBytes) +
      bindings_.size() * (sizeof(Binding) + kBindingBytes) + (leaving_.size() + looks_.size()) * 32 + text_bytes_;
  return bytes + routers_bytes_ + properties_bytes_;
}

bool Queues::compact(Lsn below, rows::CopyRoom& room, Records& records) const {
  std::uint64_t left = regions_.count_below(below);
  std::uint32_t looked = 0;
  auto const is_below = [&](std::uint32_t region) { return rows::Regions::start(region) < below; };
  for (int round = 0; round < 2 && left > 0; ++round) {
    auto at = places_.lower_bound(compact_from_);
    for (; at != places_.end() && left > 0 && looked < kQueueCompactWorkUnitsMax; ++at, ++looked) {
      ObjectId const id{at->first};
      compact_from_ = at->first;
      Place const& place = at->second;
      if (place.what == What::queue) {
        Queue const& queue = *queues_.find(place.name)->second;
        if (!is_below(queue.region)) continue;
        if (!room.take(kObjectRecordBytes + queue.settings.properties.size())) return true;
        model::append_record(records, id, queue.body());
      } else if (place.what == What::exchange) {
        Exchange const& exchange = *exchanges_.find(place.name)->second;
        if (!is_below(exchange.region)) continue;
        if (!room.take(kObjectRecordBytes)) return true;
        model::append_record(records, id, ExchangeBody{exchange.name, exchange.router.kind()});
      } else {
        Binding const& binding = bindings_.find(id.value)->second;
        if (!is_below(binding.region)) continue;
        if (!room.take(kObjectRecordBytes)) return true;
        model::append_record(records, id, BindingBody{binding.exchange, binding.queue, binding.pattern});
      }
      --left;
    }
    if (at == places_.end()) compact_from_ = 0;
    if (looked == kQueueCompactWorkUnitsMax) break;
  }
  return left > 0;
}

void Queues::digest(DigestSink& sink) const {
  for (auto const& [id, place] : places_) {
    if (place.what == What::queue) {
      Queue const& queue = *queues_.find(place.name)->second;
      model::digest_object(sink, ObjectId{id}, queue.body());
    } else if (place.what == What::exchange) {
      Exchange const& exchange = *exchanges_.find(place.name)->second;
      model::digest_object(sink, ObjectId{id}, ExchangeBody{exchange.name, exchange.router.kind()});
    } else {
      Binding const& binding = bindings_.find(id)->second;
      model::digest_object(sink, ObjectId{id}, BindingBody{binding.exchange, binding.queue, binding.pattern});
    }
  }
}

}  // namespace fastjournal::queue
