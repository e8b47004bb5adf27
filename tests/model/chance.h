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
  // What an insert says of other rows.
  void add_others(Reference const& table, Texts& insert);
  Texts of_group();
  std::string group() { return "g" + std::to_string(waits_() % 4); }
  Row const* any(Reference const& table, State state);

  std::mt19937_64 random_;
  // For the whole life. Several leases of a key leave the order of time-outs open, and jitter leaves their dates open;
  // both at once could not be checked.
  bool several_of_a_key_;
  bool has_key_;  // by seed, not drawn, so that lives of other seeds did not change
  // For what rows wait for, and NEXT with both wait and done; in a quarter of the lives none waits for others.
  std::mt19937_64 waits_;
  bool has_waits_;
  std::vector<std::uint64_t> known_;  // rows that are there, or were
};

}  // namespace fastjournal::reference
