// The random parts of a life: tables, and the messages to them. Values are chosen so that rows meet: few keys, few
// domains, dates within the next seconds.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/model/reference.h"

namespace fastjournal::reference {

class Chance {
 public:
  explicit Chance(std::uint64_t seed);

  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  bool one_in(std::uint64_t n) { return draw(n) == 0; }
  // A random table; another one at each call.
  Options options();
  std::vector<Column> columns();
  // A command of `client`, which makes sense most of the time.
  Texts command(Reference const& table, std::string const& client, bool server);
  // A command whose effect is known without its answer: the end of a lease, or an insert that waits.
  Texts silent_command(Reference const& table, bool insert);

 private:
  std::vector<Column> draw_columns();
  Texts insert(Reference const& table);
  Texts next(bool server);
  Texts of_lease(Reference const& table, std::string const& client, std::string const& name);
  Texts of_row(Reference const& table, std::string const& name);
  Texts of_many(Reference const& table, std::string const& name);
  Texts listen();
  void add_domain(Texts& texts, std::uint64_t one_in_n);
  Row const* any(Reference const& table, State state);

  std::mt19937_64 random_;
  // For the whole life. Several leases of a key leave the order of time-outs open, and jitter leaves their dates open;
  // both at once could not be checked.
  bool several_of_a_key_;
  bool has_key_;  // by seed, not drawn, so that lives of other seeds did not change
};

}  // namespace fastjournal::reference
