// What a life draws by chance: tables, and what is said to them. Values are such that
// rows meet: few keys, few domains, dates of the next seconds.
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
  // What this life's table can be; each call another one.
  Options options();
  std::vector<Column> columns();
  // A command of `client`, most of the time one that makes sense.
  Texts command(Reference const& table, std::string const& client, bool server);
  // Whose effect is known without its answer: the end of a lease, or an insert that waits.
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
  // For life: several leases of a key make the order of time-outs open, jitter their dates, and both at once too much.
  bool several_of_a_key_;
  bool has_key_;  // not drawn: lives of other seeds stay what they were
};

}  // namespace fastjournal::reference
