#include "plugins/queue/router.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/check.h"

namespace fastjournal::queue {
namespace {

// In a set or a map, beside what is stored: three pointers, a colour, and what the allocator takes.
constexpr std::uint64_t kTreeEntryBytes = 48;

}  // namespace

// A set of places in a key of some words: 0 is before the first of them.
class Router::Places {
 public:
  static constexpr std::size_t kNone = SIZE_MAX;

  explicit Places(std::size_t words) : used_(words / 64 + 1) {}
  // All from this one on.
  [[nodiscard]] static Places from(std::size_t place, std::size_t words) {
    Places out{words};
    if (place > words) return out;
    for (std::size_t i = place / 64; i < out.used_; ++i) out.bits_[i] = ~std::uint64_t{0};
    out.bits_[place / 64] <<= place % 64;
    out.bits_[words / 64] &= ~std::uint64_t{0} >> (63 - words % 64);
    return out;
  }

  void add(std::size_t place) { bits_[place / 64] |= std::uint64_t{1} << (place % 64); }
  [[nodiscard]] bool has(std::size_t place) const { return (bits_[place / 64] >> (place % 64) & 1U) != 0; }
  [[nodiscard]] std::size_t count() const {
    std::size_t out = 0;
    for (std::size_t i = 0; i < used_; ++i) out += static_cast<std::size_t>(std::popcount(bits_[i]));
    return out;
  }
  [[nodiscard]] std::size_t first() const {
    for (std::size_t i = 0; i < used_; ++i)
      if (bits_[i] != 0) return i * 64 + static_cast<std::size_t>(std::countr_zero(bits_[i]));
    return kNone;
  }
  void keep(Places const& others) {
    for (std::size_t i = 0; i < used_; ++i) bits_[i] &= others.bits_[i];
  }
  void drop(Places const& others) {
    for (std::size_t i = 0; i < used_; ++i) bits_[i] &= ~others.bits_[i];
  }
  // Each one further: behind the word that follows.
  [[nodiscard]] Places behind() const {
    Places out{*this};
    for (std::size_t i = used_; i-- > 0;) out.bits_[i] = bits_[i] << 1U | (i == 0 ? 0 : bits_[i - 1] >> 63U);
    return out;
  }

 private:
  std::size_t used_;  // of bits_
  std::array<std::uint64_t, kWordsMax / 64 + 1> bits_{};
};

// The words of a routing key, and the places before each of them.
class Router::Key {
 public:
  explicit Key(std::string_view text) : words_(words_of(text)) {
    FJ_CHECK(words_.size() <= kWordsMax, "a routing key is at most kNameBytesMax long");
    std::vector<std::pair<std::string_view, std::size_t>> sorted;
    for (std::size_t place = 0; place < words_.size(); ++place) sorted.emplace_back(words_[place], place);
    std::ranges::sort(sorted);
    for (auto const& [word, place] : sorted) {
      if (distinct_.empty() || distinct_.back().first != word) distinct_.emplace_back(word, Places{words_.size()});
      distinct_.back().second.add(place);
    }
  }

  [[nodiscard]] std::size_t words() const { return words_.size(); }
  [[nodiscard]] std::string_view word(std::size_t place) const { return words_[place]; }
  // Null: it has no such word.
  [[nodiscard]] Places const* before(std::string_view word) const {
    auto const at = std::ranges::lower_bound(distinct_, word, {}, [](auto const& one) { return one.first; });
    return at == distinct_.end() || at->first != word ? nullptr : &at->second;
  }

 private:
  std::vector<std::string_view> words_;
  std::vector<std::pair<std::string_view, Places>> distinct_;  // sorted
};

struct Router::Walk {
  Key const& key;
  std::vector<ObjectId>& found;
  std::uint32_t& work_units;

  // `places`: those in the key that lead here, at least one.
  void go(Node const& node, Places const& places) {
    bool const is_end = places.has(key.words());
    if (is_end) found.insert(found.end(), node.bindings.begin(), node.bindings.end());
    if (node.many) {
      ++work_units;
      std::size_t const least = places.first();
      if (least <= key.words()) go(*node.many, Places::from(least, key.words()));
    }
    Places before = places;
    if (is_end) before.drop(Places::from(key.words(), key.words()));
    std::size_t const count = before.count();
    if (count == 0) return;
    if (node.one) {
      ++work_units;
      go(*node.one, before.behind());
    }
    if (count <= node.next.size())
      look_up_words(node, before);
    else
      look_up_nodes(node, before);
  }

  // Those of the key, which are fewer.
  void look_up_words(Node const& node, Places before) {
    for (std::size_t at = before.first(); at != Places::kNone; at = before.first()) {
      ++work_units;
      Places here = *key.before(key.word(at));
      here.keep(before);
      before.drop(here);
      if (auto const next = node.next.find(key.word(at)); next != node.next.end()) go(*next->second, here.behind());
    }
  }

  // Those of the tree.
  void look_up_nodes(Node const& node, Places const& before) {
    for (auto const& [word, next] : node.next) {
      ++work_units;
      Places const* const all = key.before(word);
      if (all == nullptr) continue;
      Places here = *all;
      here.keep(before);
      if (here.first() != Places::kNone) go(*next, here.behind());
    }
  }
};

std::vector<std::string_view> Router::words_of(std::string_view text) {
  std::vector<std::string_view> out;
  if (text.empty()) return out;
  while (true) {
    std::size_t const end = std::min(text.find('.'), text.size());
    out.push_back(text.substr(0, end));
    if (end == text.size()) return out;
    text.remove_prefix(end + 1);
  }
}

std::unique_ptr<Router::Node>& Router::made(std::unique_ptr<Node>& node) {
  if (node == nullptr) {
    node = std::make_unique<Node>();
    ++nodes_;
  }
  return node;
}

void Router::drop_if_empty(std::unique_ptr<Node>& node) {
  if (node == nullptr || !node->is_empty()) return;
  node = nullptr;
  --nodes_;
}

void Router::add(ObjectId binding, std::string_view pattern) {
  ++bindings_;
  switch (kind_) {
    case ExchangeKind::fanout: all_.insert(binding); return;
    case ExchangeKind::direct: {
      auto const [at, is_new] = equal_.try_emplace(std::string{pattern});
      at->second.insert(binding);
      if (is_new) {
        ++nodes_;
        text_bytes_ += pattern.size();
      }
      return;
    }
    case ExchangeKind::topic: break;
  }
  Node* node = &root_;
  for (std::string_view const word : words_of(pattern)) {
    if (word == "*") {
      node = made(node->one).get();
    } else if (word == "#") {
      node = made(node->many).get();
    } else {
      auto& next = node->next[std::string{word}];
      if (next == nullptr) text_bytes_ += word.size();
      node = made(next).get();
    }
  }
  node->bindings.insert(binding);
}

void Router::remove_at(Node& node, std::vector<std::string_view> const& words, std::size_t at, ObjectId binding) {
  if (at == words.size()) {
    bindings_ -= node.bindings.erase(binding);
  } else if (words[at] == "*" || words[at] == "#") {
    auto& next = words[at] == "*" ? node.one : node.many;
    if (next == nullptr) return;
    remove_at(*next, words, at + 1, binding);
    drop_if_empty(next);
  } else if (auto const next = node.next.find(words[at]); next != node.next.end()) {
    remove_at(*next->second, words, at + 1, binding);
    drop_if_empty(next->second);
    if (next->second != nullptr) return;
    text_bytes_ -= words[at].size();
    node.next.erase(next);
  }
}

void Router::remove(ObjectId binding, std::string_view pattern) {
  switch (kind_) {
    case ExchangeKind::fanout: bindings_ -= all_.erase(binding); return;
    case ExchangeKind::direct:
      if (auto const same = equal_.find(pattern); same != equal_.end()) {
        bindings_ -= same->second.erase(binding);
        if (!same->second.empty()) return;
        --nodes_;
        text_bytes_ -= pattern.size();
        equal_.erase(same);
      }
      return;
    case ExchangeKind::topic: remove_at(root_, words_of(pattern), 0, binding); return;
  }
}

std::uint64_t Router::memory_bytes() const {
  std::uint64_t const of_node = kind_ == ExchangeKind::topic
                                    ? sizeof(Node) + sizeof(decltype(Node::next)::value_type) + kTreeEntryBytes
                                    : sizeof(decltype(equal_)::value_type) + kTreeEntryBytes;
  return nodes_ * of_node + text_bytes_ + bindings_ * (sizeof(ObjectId) + kTreeEntryBytes);
}

void Router::route(std::string_view text, std::vector<ObjectId>& found, std::uint32_t& work_units) const {
  found.clear();
  ++work_units;
  switch (kind_) {
    case ExchangeKind::fanout: found.assign(all_.begin(), all_.end()); break;
    case ExchangeKind::direct:
      if (auto const same = equal_.find(text); same != equal_.end())
        found.assign(same->second.begin(), same->second.end());
      break;
    case ExchangeKind::topic: {
      Key const key{text};
      Places start{key.words()};
      start.add(0);
      Walk{key, found, work_units}.go(root_, start);
      std::ranges::sort(found);
      break;
    }
  }
  work_units += static_cast<std::uint32_t>(found.size());
}

}  // namespace fastjournal::queue
