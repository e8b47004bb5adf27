// The permit of the sender of a message: rights on all tables, and those that a user has on some. A client that comes
// by a listener that is bound to a table has rights on that table only, as a user too. Borrows the user and the name.
#pragma once

#include <string_view>

#include "config/access/user.h"
#include "fastjournal/rights.h"

namespace fastjournal::access {

struct Permit {
  Rights rights{};            // on all tables, and on the daemon itself; with `bound`, on that table alone
  User const* user{nullptr};  // null: not logged in
  std::string_view bound{};   // the only table; empty: all

  [[nodiscard]] bool has(Right right) const { return bound.empty() && rights.has(right); }
  [[nodiscard]] bool has_on(Right right, std::string_view table) const {
    return reaches(table) && (rights.has(right) || (user != nullptr && user->on(table).has(right)));
  }
  // On any table, known or not.
  [[nodiscard]] bool has_anywhere(Right right) const {
    if (!bound.empty()) return has_on(right, bound);
    return rights.has(right) || (user != nullptr && user->has_anywhere(right));
  }
  // Whether it can have any right there.
  [[nodiscard]] bool reaches(std::string_view table) const { return bound.empty() || table == bound; }
};

}  // namespace fastjournal::access
