// Whose turn it is among the domains, as far as the rules define it (doc/table-reference.md, "Domains and limits"):
// each hands out as many rows as its weight, then it is another one's turn; a new domain, or one that a limit has
// released, is last. The rules do not define the order of several such domains, so the answer is a set of domains that
// may be next:
//
//   - a domain whose turn has begun keeps it while it has rows and credit;
//   - between two of its own turns, a domain is overtaken by another one at most as often as that one's weight.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace fastjournal::reference {

class Turns {
 public:
  // A domain in a ring: one ring for each class of priority, or ring 0 alone with aging.
  using Seat = std::pair<int, std::string>;
  using WeightOf = std::function<std::uint64_t(std::string const&)>;

  // The seats that have rows to hand out now; called after each change.
  void seat(std::set<Seat> const& wanted, WeightOf const& weight_of);
  // The domains of this ring that may be next; empty only if it has none.
  [[nodiscard]] std::set<std::string> allowed(int ring, WeightOf const& weight_of) const;
  // A row was handed out; `asked`: for a NEXT that named this domain.
  void hand_out(Seat const& seat, bool asked, WeightOf const& weight_of);
  // Weights are about to change; the seats are kept.
  void forget_credits(WeightOf const& old_weight_of);
  void clear();
  // The present state as text, for the report of a failure.
  [[nodiscard]] std::string text() const;

 private:
  struct Place {
    std::optional<std::uint64_t> credit;            // rows left in its turn, if known
    std::uint64_t credit_max{0};                    // upper limit of the credit, besides the weight
    std::map<std::string, std::uint64_t> overtook;  // other domain -> how often it went first since
    std::map<std::string, std::uint64_t> bounds;    // other domain -> how often it may do so
  };

  std::map<Seat, Place> places_;
  std::map<int, std::string> front_;  // ring -> the domain whose turn has begun, if known
};

}  // namespace fastjournal::reference
