// What all connections of the protocol `beanstalkd` to one table share: the tubes that they use and watch, and what is
// counted since the start. A tube is a queue of the table; one that nobody names and that has no jobs is not there for
// clients, whether or not the table still has its queue.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace fastjournal::queue::beanstalk {

// As in `stats`, without "cmd-"; the order of `kOpNames`.
enum class Op : std::uint8_t {
  put,
  peek,
  peek_ready,
  peek_delayed,
  peek_buried,
  reserve,
  reserve_with_timeout,
  delete_job,
  release,
  use,
  watch,
  ignore,
  bury,
  kick,
  touch,
  stats,
  stats_job,
  stats_tube,
  list_tubes,
  list_tube_used,
  list_tubes_watched,
  pause_tube,
};
inline constexpr std::size_t kOps = 22;

struct Tube {
  std::uint32_t using_it{0};  // connections
  std::uint32_t watching{0};
  std::uint32_t waiting{0};
  std::uint64_t jobs{0};  // that were put
  std::uint64_t deletes{0};
  std::uint64_t pauses{0};
  std::int64_t pause_s{0};  // as the last pause said

  [[nodiscard]] bool is_named() const { return using_it > 0 || watching > 0; }
};

struct Totals {
  std::array<std::uint64_t, kOps> ops{};
  std::uint64_t jobs{0};
  std::uint64_t connections{0};  // open ones, likewise the next three
  std::uint64_t producers{0};
  std::uint64_t workers{0};
  std::uint64_t waiting{0};
  std::uint64_t connections_ever{0};
};

class Tubes {
 public:
  using All = std::map<std::string, Tube, std::less<>>;

  // If there are more, figures of those that nobody names any more are not kept.
  static constexpr std::size_t kMax = 10'000;

  [[nodiscard]] All const& all() const { return all_; }
  [[nodiscard]] Tube const* find(std::string_view name) const {
    auto const found = all_.find(name);
    return found == all_.end() ? nullptr : &found->second;
  }
  // Of one that may be new.
  [[nodiscard]] Tube& at(std::string_view name);
  // A connection names it no more.
  void leave(std::string_view name);
  // It has no jobs: if nobody names it, it is not there.
  void forget_if_unnamed(std::string_view name);

  Totals totals;

 private:
  All all_;
};

}  // namespace fastjournal::queue::beanstalk
