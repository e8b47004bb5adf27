// Whose turn it is among the domains, as far as the rules say it (doc/table-reference.md,
// "Domains and limits"): each hands out as many rows as its weight, then it is another's
// turn; one that comes anew, or back from a limit, is last. Which of several newcomers is
// first the rules leave open, so the answer is a set of domains that may be next:
//
//   - one whose turn has begun keeps it, while it has rows and credit;
//   - nobody is overtaken by another domain more often than that one's weight, between two of its own turns.
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
  // A domain in a ring: rings are priorities, or 0 alone where rows age.
  using Seat = std::pair<int, std::string>;
  using WeightOf = std::function<std::uint64_t(std::string const&)>;

  // Who has something to hand out now, after any change.
  void seat(std::set<Seat> const& wanted, WeightOf const& weight_of);
  // Of that ring, those who may be next; never empty if it has any.
  [[nodiscard]] std::set<std::string> allowed(int ring, WeightOf const& weight_of) const;
  // A row was handed out; `asked`: to somebody who asked for this domain alone.
  void hand_out(Seat const& seat, bool asked, WeightOf const& weight_of);
  // The weights will be others, the seats are kept.
  void forget_credits(WeightOf const& old_weight_of);
  void clear();
  // What is known, for whoever reads a failure.
  [[nodiscard]] std::string text() const;

 private:
  struct Place {
    std::optional<std::uint64_t> credit;            // rows until it is another's turn, if that is known
    std::uint64_t credit_max{0};                    // it is no more than that, or than its weight
    std::map<std::string, std::uint64_t> overtook;  // how often, since its own last turn
    std::map<std::string, std::uint64_t> bounds;    // how often it may at the most
  };

  std::map<Seat, Place> places_;
  std::map<int, std::string> front_;  // whose turn has begun, if that is known
};

}  // namespace fastjournal::reference
