// Where an exchange routes a message: the bindings that fit its routing key. Pure, without log or messages.
//
//   direct   bindings whose key is equal
//   fanout   all bindings
//   topic    bindings whose pattern fits: words between dots, of which * stands for one and # for any number of them
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/types.h"

namespace fastjournal::queue {

enum class ExchangeKind : std::uint8_t { direct, fanout, topic };
inline constexpr std::string_view kKindNames[] = {"direct", "fanout", "topic"};  // by ExchangeKind

// Of one exchange.
class Router {
 public:
  explicit Router(ExchangeKind kind) : kind_(kind) {}

  // Each binding once, with its pattern.
  void add(ObjectId binding, std::string_view pattern);
  void remove(ObjectId binding, std::string_view pattern);
  // In the order in which they were made; `looks`: what it cost.
  void route(std::string_view key, std::vector<ObjectId>& found, std::uint32_t& looks) const;
  [[nodiscard]] ExchangeKind kind() const { return kind_; }

 private:
  // A place in a pattern, behind some of its words.
  struct Node {
    std::map<std::string, std::unique_ptr<Node>, std::less<>> next;  // by word, * and # among them
    std::set<ObjectId> bindings;                                     // that end here
  };
  struct Walk;

  [[nodiscard]] static std::vector<std::string_view> words_of(std::string_view text);
  static bool remove_at(Node& node, std::vector<std::string_view> const& words, std::size_t at, ObjectId binding);

  ExchangeKind kind_;
  std::set<ObjectId> all_;                                        // of a fanout exchange
  std::map<std::string, std::set<ObjectId>, std::less<>> equal_;  // of a direct one
  Node root_;                                                     // of a topic one
};

}  // namespace fastjournal::queue
