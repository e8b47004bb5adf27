// Where an exchange routes a message: the bindings that fit its routing key. Pure, without log or messages.
//
//   direct   bindings whose key is equal
//   fanout   all bindings
//   topic    bindings whose pattern fits: words between dots, of which * stands for one and # for any number of them
//
// The patterns of a topic exchange are a tree of their words. A search goes through it once, with the set of all places
// in the key that lead to a node: whatever patterns and keys are, it looks at each node once at most. So a message
// costs no more than size() work units.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/types.h"
#include "plugins/queue/names.h"

namespace fastjournal::queue {

enum class ExchangeKind : std::uint8_t { direct, fanout, topic };
inline constexpr std::string_view kKindNames[] = {"direct", "fanout", "topic"};  // by ExchangeKind

// Of one exchange.
class Router {
 public:
  // Of a key: its bytes may all be dots.
  static constexpr std::size_t kWordsMax = kNameBytesMax + 1;

  explicit Router(ExchangeKind kind) : kind_(kind) {}

  // Each binding once, with its pattern.
  void add(ObjectId binding, std::string_view pattern);
  void remove(ObjectId binding, std::string_view pattern);
  // In the order in which they were made; `work_units`: what it cost.
  void route(std::string_view key, std::vector<ObjectId>& found, std::uint32_t& work_units) const;
  [[nodiscard]] ExchangeKind kind() const { return kind_; }
  // The work units of a message, at most: bindings, and different words of their patterns.
  [[nodiscard]] std::uint64_t size() const { return 1 + nodes_ + bindings_; }
  // The most that a binding of this pattern would add to it.
  [[nodiscard]] std::uint64_t size_of(std::string_view pattern) const {
    return 1 + (kind_ == ExchangeKind::topic ? words_of(pattern).size() : 0);
  }
  [[nodiscard]] std::uint64_t memory_bytes() const;

 private:
  // A place in a pattern, behind some of its words.
  struct Node {
    std::map<std::string, std::unique_ptr<Node>, std::less<>> next;  // by word
    std::unique_ptr<Node> one;                                       // by *
    std::unique_ptr<Node> many;                                      // by #
    std::set<ObjectId> bindings;                                     // that end here

    [[nodiscard]] bool is_empty() const { return next.empty() && !one && !many && bindings.empty(); }
  };
  class Places;
  class Key;
  struct Walk;

  [[nodiscard]] static std::vector<std::string_view> words_of(std::string_view text);
  [[nodiscard]] std::unique_ptr<Node>& made(std::unique_ptr<Node>& node);
  void drop_if_empty(std::unique_ptr<Node>& node);
  void remove_at(Node& node, std::vector<std::string_view> const& words, std::size_t at, ObjectId binding);

  ExchangeKind kind_;
  std::set<ObjectId> all_;                                        // of a fanout exchange
  std::map<std::string, std::set<ObjectId>, std::less<>> equal_;  // of a direct one
  Node root_;                                                     // of a topic one
  std::uint64_t nodes_{0};                                        // beside the root
  std::uint64_t bindings_{0};
  std::uint64_t text_bytes_{0};  // of keys and words
};

}  // namespace fastjournal::queue
