// The queues, exchanges and bindings of a table, and what is on each queue. Their records are applied here; what is on
// a queue follows from the rows.
//
// A queue that was removed stays as long as it has messages: it is leaving, its name cannot be used, and its messages
// go in the background. So whatever a crash leaves of a removal goes on after the start.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>
#include "base/hash.h"
#include "fastjournal/table.h"
#include "plugins/queue/records.h"
#include "plugins/queue/router.h"
#include "plugins/rows/copy_room.h"
#include "plugins/rows/regions.h"

namespace fastjournal::queue {

// The messages of one SEND are on so many queues, at most. Of a transaction they are those that were bound first.
inline constexpr std::size_t kQueuesOfMessageMax = 256;

struct Queue {
  std::string name{};
  ObjectId id{};  // none: it is leaving
  std::uint32_t region{0};
  Settings settings{};
  std::int64_t made{0};  // as QueueBody
  std::int64_t changed{0};
  std::set<std::tuple<std::string_view, std::string_view, ObjectId>> bindings{};  // exchange, pattern, number
  // Its messages.
  std::uint64_t messages{0};
  std::uint64_t bytes{0};                                     // of bodies
  mutable std::int64_t named{0};                              // when a command named it last, since the start
  mutable std::int64_t look_at{0};                            // whether it is idle
  std::set<std::pair<std::int64_t, std::uint64_t>> parked{};  // (date, id): the first to be parked first

  [[nodiscard]] bool is_there() const { return !id.is_none(); }
  [[nodiscard]] QueueBody body() const { return {name, settings, made, changed}; }
};

struct Exchange {
  std::string name{};
  ObjectId id{};
  std::uint32_t region{0};
  Router router;
  std::set<ObjectId> bindings{};
};

struct Binding {
  std::string exchange{};
  std::string queue{};
  std::string pattern{};
  std::uint32_t region{0};
  Queue* to{nullptr};
};

class Queues {
 public:
  explicit Queues(std::uint64_t hash_seed) : queues_(0, NameHash{hash_seed}), exchanges_(0, NameHash{hash_seed}) {}

  // -- reading ------------------------------------------------------------
  // Null: there is none; `find_any`: also one that is leaving.
  [[nodiscard]] Queue const* find(std::string_view name) const {
    Queue const* const queue = find_any(name);
    return queue == nullptr || !queue->is_there() ? nullptr : queue;
  }
  [[nodiscard]] Queue const* find_any(std::string_view name) const {
    auto const found = queues_.find(name);
    return found == queues_.end() ? nullptr : found->second.get();
  }
  [[nodiscard]] Exchange const* find_exchange(std::string_view name) const {
    auto const found = exchanges_.find(name);
    return found == exchanges_.end() ? nullptr : found->second.get();
  }
  // None: there is no such binding.
  [[nodiscard]] ObjectId find_binding(Exchange const& exchange, std::string_view queue, std::string_view pattern) const;
  // In the order of their names, and of their numbers.
  [[nodiscard]] absl::btree_set<std::string_view> const& names() const { return names_; }
  [[nodiscard]] absl::btree_set<std::string_view> const& exchange_names() const { return exchange_names_; }
  [[nodiscard]] std::map<std::uint64_t, Binding> const& bindings() const { return bindings_; }
  // (connection, queue) of those that end with their connections.
  [[nodiscard]] absl::btree_set<std::pair<std::uint64_t, std::string_view>> const& temporary() const {
    return temporary_;
  }
  [[nodiscard]] std::uint32_t temporary_of(std::uint64_t connection) const {
    auto const found = temporary_of_.find(connection);
    return found == temporary_of_.end() ? 0 : found->second;
  }
  [[nodiscard]] absl::btree_set<std::string_view> const& leaving() const { return leaving_; }
  // Grows whenever queues, exchanges or bindings are others; not by what is on them.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  // Queues and exchanges that are there.
  [[nodiscard]] std::size_t size() const { return there_ + exchanges_.size(); }

  // Of all exchanges, what their bindings have added to Router::size().
  [[nodiscard]] std::uint64_t routed_size() const { return routed_size_; }
  // The queues to which the exchange routes this, each once, in the order of their bindings; one more than
  // kQueuesOfMessageMax at most.
  void route(Exchange const& exchange, std::string_view key, std::vector<Queue const*>& found,
             std::uint32_t& work_units) const;

  // -- applying -----------------------------------------------------------
  // False: damage. `paused`: is told of a queue whose pause is another one; it has ended if it is not there.
  using Paused = std::function<void(Queue const& queue)>;
  [[nodiscard]] bool apply(RecordView const& record, ApplyContext const& context, Paused const& paused);
  // A message of so many bytes is on the queue; is not any more.
  Queue& add_message(std::string_view queue, std::uint64_t bytes);
  void remove_message(std::string_view queue, std::uint64_t bytes);
  void park(std::string_view queue, std::int64_t at, ObjectId message) { any(queue).parked.emplace(at, message.value); }
  void unpark(std::string_view queue, std::int64_t at, ObjectId message) {
    any(queue).parked.erase({at, message.value});
  }
  // The clock was ahead, at `from`. A pause that was over by then is over.
  void lower_clock(std::int64_t from, std::int64_t to, Paused const& paused);
  void unpark_all() {
    for (std::string_view const name : names_) any(name).parked.clear();
  }
  [[nodiscard]] std::uint64_t ignored() const { return ignored_; }

  // -- queues that end when they are idle ----------------------------------
  // Those that their first use made, and when to look at them: (date, queue).
  using Looks = absl::btree_set<std::pair<std::int64_t, std::string_view>>;
  [[nodiscard]] Looks const& looks() const { return looks_; }
  void look(Queue const& queue, std::int64_t at) const;
  void forget_look(Queue const& queue) const { looks_.erase({queue.look_at, queue.name}); }
  // At all of them, as soon as possible.
  void look_again() const;

  // -- space, people ------------------------------------------------------
  [[nodiscard]] rows::Regions const& regions() const { return regions_; }
  [[nodiscard]] std::uint64_t live_bytes() const { return regions_count_ * kObjectRecordBytes + properties_bytes_; }
  [[nodiscard]] std::uint64_t memory_bytes() const;
  bool compact(Lsn below, rows::CopyRoom& room, Records& records) const;
  void digest(DigestSink& sink) const;

 private:
  struct Place {
    What what{};
    std::string name{};  // none of a binding
  };

  [[nodiscard]] Queue& any(std::string_view name);
  [[nodiscard]] bool apply_queue(RecordView const& record, Paused const& paused);
  [[nodiscard]] bool apply_exchange(RecordView const& record);
  [[nodiscard]] bool apply_binding(RecordView const& record);
  [[nodiscard]] bool apply_ended(RecordView const& record, ApplyContext const& context, Paused const& paused);
  void end_bindings(std::vector<ObjectId> const& ending);
  void attach(Exchange& exchange, ObjectId id, Binding const& binding);
  void detach(Exchange& exchange, ObjectId id, Binding const& binding);
  void place(std::uint32_t& region, Lsn lsn, bool is_new);
  void forget(std::uint32_t region);
  void end_queue(Queue& queue);
  void add_temporary(Queue const& queue);
  void remove_temporary(Queue const& queue);
  void end_exchange(std::string const& name);
  void end_binding(ObjectId id);
  void drop_if_empty(Queue& queue);
  void leave(Queue& queue);
  absl::flat_hash_map<std::string, std::unique_ptr<Queue>, NameHash, std::equal_to<>> queues_;
  absl::flat_hash_map<std::string, std::unique_ptr<Exchange>, NameHash, std::equal_to<>> exchanges_;
  std::map<std::uint64_t, Binding> bindings_;                     // their addresses stay
  std::map<std::string, std::set<ObjectId>, std::less<>> early_;  // of a replay: their exchange is not known yet
  absl::btree_map<std::uint64_t, Place> places_;                  // of all by id
  absl::btree_set<std::string_view> names_;
  absl::btree_set<std::string_view> exchange_names_;
  absl::btree_set<std::string_view> leaving_;
  absl::btree_set<std::pair<std::uint64_t, std::string_view>> temporary_;
  absl::btree_map<std::uint64_t, std::uint32_t> temporary_of_;  // their number, by connection
  mutable Looks looks_;
  rows::Regions regions_;
  std::size_t there_{0};
  std::uint64_t regions_count_{0};  // objects
  std::uint64_t ignored_{0};
  std::uint64_t version_{1};
  std::uint64_t routed_size_{0};
  std::uint64_t routers_bytes_{0};
  std::uint64_t text_bytes_{0};  // of names and patterns that are too long for their places
  std::uint64_t properties_bytes_{0};
  mutable std::uint64_t compact_from_{0};
};

}  // namespace fastjournal::queue
