// Elements of lists and sorted sets of a Redis on their way to a queue table. Those that are under way are moved, in one
// transaction, into a list of the source, `fj:import:batch`, behind a head that says where they were and which name and
// numbers their messages have. They leave it in one transaction, too, when they are here. So whatever is cut off, the
// source says what has to be sent again, and under which numbers; each import has a name of its own.
//
// An element of a list that is refused waits in `fj:import:refused` until the rest of its list has been moved, and goes
// back to the end at which workers take. One of a sorted set goes back at once, with its score.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/programs/fastjournal/imports/redis_client.h"

namespace fastjournal::imports {

// Where elements are.
struct Origin {
  enum class End : std::uint8_t { left, right, sorted };  // at which workers take; or by score
  std::string key{};
  End end{End::left};
};

struct Element {
  std::string text{};
  std::string score{};       // of a sorted set
  bool is_too_large{false};  // its text is not there
};

// The head, and the first elements: as many as fit into memory.
struct Batch {
  Origin from{};
  std::string name{};      // of its messages
  std::uint64_t first{0};  // the number of the first one
  std::vector<Element> elements{};
};

class RedisBatches {
 public:
  // `redis` must outlive it. `what`: the framework and the table, which an import that goes on must have too.
  RedisBatches(RedisClient& redis, std::string what);

  // What an import that was cut off left in the batch; empty: nothing. wrong_state: it was another kind of import.
  [[nodiscard]] Result<std::optional<Batch>> left_over();
  // The next elements of a list. Empty: there are none. in_use: another import is at work.
  [[nodiscard]] Result<std::optional<Batch>> take(Origin const& from);
  // Those of a sorted set that are wanted, by their score, without the first `skipped` ones: those that are not wanted are
  // counted there, and told by `passed`; so is one that is too large. Whoever refuses one counts it, too. Empty: no more.
  [[nodiscard]] Result<std::optional<Batch>> take_sorted(Origin const& from, std::uint64_t& skipped,
                                                         std::function<bool(Element const&)> const& is_wanted,
                                                         std::function<void(Element const&)> const& passed);
  // The first `refused.size()` elements leave the batch: where it says true, they go back. `also` is done with that.
  [[nodiscard]] Status settle(Batch const& batch, std::vector<bool> const& refused, std::vector<Words> also = {});
  // Elements of lists that were refused, to where they were; also those of an import that was cut off.
  [[nodiscard]] Status put_back();
  // The batch has more than was taken or read last: left_over() has it.
  [[nodiscard]] bool has_rest() const { return has_rest_; }

 private:
  [[nodiscard]] std::string head_of(Batch const& batch) const;
  [[nodiscard]] Status read_head(std::string const& head, Batch& out) const;
  [[nodiscard]] Status watch_empty(Origin const& from);
  [[nodiscard]] Batch begin(Origin const& from);
  [[nodiscard]] Result<std::vector<Element>> page(Origin const& from, std::uint64_t after);

  RedisClient& redis_;
  std::string const what_;
  std::string const name_;
  std::uint64_t next_{0};
  std::size_t refused_{0};  // elements that wait to go back
  bool has_rest_{false};
  std::size_t at_once_;
};

}  // namespace fastjournal::imports
