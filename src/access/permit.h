// What the sender of a message may do: rights on all tables, and those that a user has on some. Borrows the user.
#pragma once

#include <string_view>

#include "access/user.h"
#include "fastjournal/rights.h"

namespace fastjournal::access {

struct Permit {
  Rights rights{};            // on all tables, and on the daemon itself
  User const* user{nullptr};  // null: nobody has logged in

  [[nodiscard]] bool has(Right right) const { return rights.has(right); }
  [[nodiscard]] bool has_on(Right right, std::string_view table) const {
    return rights.has(right) || (user != nullptr && user->on(table).has(right));
  }
  // On any table, known or not.
  [[nodiscard]] bool has_anywhere(Right right) const {
    return rights.has(right) || (user != nullptr && user->has_anywhere(right));
  }
};

}  // namespace fastjournal::access
