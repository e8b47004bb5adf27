#include "plugins/queue/router.h"

#include <algorithm>
#include <utility>

#include "plugins/queue/mutants.h"

namespace fastjournal::queue {

// One search. A pattern with several # could lead to the same place by many ways: each is gone once.
struct Router::Walk {
  std::vector<std::string_view> const& words;
  std::vector<ObjectId>& found;
  std::uint32_t& looks;
  std::set<std::pair<Node const*, std::size_t>> seen{};

  void go(Node const& node, std::size_t at) {
    ++looks;
    if (!seen.emplace(&node, at).second) return;
    if (at == words.size()) found.insert(found.end(), node.bindings.begin(), node.bindings.end());
    auto const many = node.next.find("#");
    if (many != node.next.end()) {
      std::size_t const least = is_mutant(Mutant::hash_needs_a_word) ? at + 1 : at;
      for (std::size_t rest = least; rest <= words.size(); ++rest) go(*many->second, rest);
    }
    if (at == words.size()) return;
    if (auto const one = node.next.find("*"); one != node.next.end()) go(*one->second, at + 1);
    // A word of the key that is * or # is no pattern.
    if (words[at] == "*" || words[at] == "#") return;
    if (auto const same = node.next.find(words[at]); same != node.next.end()) go(*same->second, at + 1);
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

void Router::add(ObjectId binding, std::string_view pattern) {
  switch (kind_) {
    case ExchangeKind::fanout: all_.insert(binding); return;
    case ExchangeKind::direct: equal_[std::string{pattern}].insert(binding); return;
    case ExchangeKind::topic: break;
  }
  Node* node = &root_;
  for (std::string_view const word : words_of(pattern)) {
    auto& next = node->next[std::string{word}];
    if (next == nullptr) next = std::make_unique<Node>();
    node = next.get();
  }
  node->bindings.insert(binding);
}

// True: nothing is left of the node.
bool Router::remove_at(Node& node, std::vector<std::string_view> const& words, std::size_t at, ObjectId binding) {
  if (at == words.size()) {
    node.bindings.erase(binding);
  } else if (auto const next = node.next.find(words[at]); next != node.next.end()) {
    if (remove_at(*next->second, words, at + 1, binding)) node.next.erase(next);
  }
  return node.bindings.empty() && node.next.empty();
}

void Router::remove(ObjectId binding, std::string_view pattern) {
  switch (kind_) {
    case ExchangeKind::fanout: all_.erase(binding); return;
    case ExchangeKind::direct:
      if (auto const same = equal_.find(pattern); same != equal_.end()) {
        same->second.erase(binding);
        if (same->second.empty()) equal_.erase(same);
      }
      return;
    case ExchangeKind::topic: remove_at(root_, words_of(pattern), 0, binding); return;
  }
}

void Router::route(std::string_view key, std::vector<ObjectId>& found, std::uint32_t& looks) const {
  switch (kind_) {
    case ExchangeKind::fanout:
      found.assign(all_.begin(), all_.end());
      looks += static_cast<std::uint32_t>(found.size());
      return;
    case ExchangeKind::direct:
      found.clear();
      ++looks;
      if (auto const same = equal_.find(key); same != equal_.end())
        found.assign(same->second.begin(), same->second.end());
      return;
    case ExchangeKind::topic: break;
  }
  found.clear();
  std::vector<std::string_view> const words = words_of(key);
  Walk{words, found, looks}.go(root_, 0);
  std::ranges::sort(found);
}

}  // namespace fastjournal::queue
