// What will happen in a simulated etcd cluster, in order of time, and the draws that decide it. Apart from the cluster,
// since the nodes (sim_etcd_nodes.h) and the sessions (sim_etcd.h) share one agenda and one source of draws: two things
// due at the same microsecond happen in the order in which they were planned, so a seed determines everything.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "base/check.h"

namespace fastjournal::sim {

inline constexpr std::int64_t kNeverUs = std::numeric_limits<std::int64_t>::max();

class EtcdAgenda {
 public:
  explicit EtcdAgenda(std::int64_t now_us) : now_us_(now_us) {}

  [[nodiscard]] std::int64_t now_us() const { return now_us_; }
  // kNeverUs: nothing is planned.
  [[nodiscard]] std::int64_t next_us() const { return heap_.empty() ? kNeverUs : heap_.front().at_us; }
  void at(std::int64_t at_us, std::function<void()> what) {
    heap_.push_back({std::max(at_us, now_us_), planned_++, std::move(what)});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  void after(std::int64_t span_us, std::function<void()> what) { at(now_us_ + span_us, std::move(what)); }
  // The next thing happens. False: nothing is planned.
  bool step() {
    if (heap_.empty()) return false;
    std::pop_heap(heap_.begin(), heap_.end(), later);
    Item item = std::move(heap_.back());
    heap_.pop_back();
    now_us_ = item.at_us;
    item.what();
    return true;
  }
  void advance_to(std::int64_t at_us) {
    while (next_us() <= at_us) step();
    now_us_ = std::max(now_us_, at_us);
  }

 private:
  struct Item {
    std::int64_t at_us;
    std::uint64_t number;
    std::function<void()> what;
  };
  static bool later(Item const& a, Item const& b) {
    return a.at_us != b.at_us ? a.at_us > b.at_us : a.number > b.number;
  }

  std::int64_t now_us_;
  std::uint64_t planned_{0};
  std::vector<Item> heap_;
};

// Both included.
struct EtcdBounds {
  std::int64_t least_us{0};
  std::int64_t most_us{0};
};

class EtcdChance {
 public:
  // A number below `below`, which is at least 2. For a search through all lives: it returns each in turn.
  using Chooser = std::function<std::uint64_t(std::uint64_t below)>;

  explicit EtcdChance(std::uint64_t seed, Chooser chooser = {}) : random_(seed), chooser_(std::move(chooser)) {}

  // Nothing is drawn where there is no choice, so that a Chooser sees only real ones.
  [[nodiscard]] std::uint64_t below(std::uint64_t limit) {
    if (limit <= 1) return 0;
    return chooser_ ? chooser_(limit) : random_() % limit;
  }
  [[nodiscard]] bool thousandths(std::uint32_t weight) {
    if (weight == 0 || weight >= 1000) return weight != 0;
    return chooser_ ? chooser_(2) == 1 : random_() % 1000 < weight;
  }
  [[nodiscard]] std::int64_t in(EtcdBounds bounds) {
    FJ_CHECK(bounds.least_us <= bounds.most_us, "bounds in order");
    return bounds.least_us +
           static_cast<std::int64_t>(below(static_cast<std::uint64_t>(bounds.most_us - bounds.least_us) + 1));
  }

 private:
  std::mt19937_64 random_;
  Chooser chooser_;
};

}  // namespace fastjournal::sim
