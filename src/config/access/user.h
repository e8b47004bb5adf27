// Users and what they may do: rights on all tables, or on tables by their names. Plain values; config/users_reader.h
// reads them from a file.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/access/signing_key.h"
#include "config/access/token.h"
#include "fastjournal/rights.h"

namespace fastjournal::access {

// The limits of a file: a user's rights on a table are looked up by going through his grants.
inline constexpr std::size_t kUsersMax = 2048;
inline constexpr std::size_t kGrantsMax = 32;       // of a user
inline constexpr std::size_t kGrantTablesMax = 64;  // names in one grant
inline constexpr std::size_t kUserNameBytesMax = 64;
inline constexpr std::string_view kUserNameRule =
    "letters A-Z and a-z, digits, or _ . @ -, at most 64 characters together";
inline constexpr std::string_view kTableListRule =
    "names of tables with blanks between them, where a * at the end of one stands for any ending";

[[nodiscard]] bool is_user_name(std::string_view text);

[[nodiscard]] Rights united(Rights one, Rights other);

struct Grant {
  Rights rights{};
  std::vector<std::string> tables{};  // "jobs", "mail*"; empty: all, and the daemon itself

  [[nodiscard]] bool is_for_all() const { return tables.empty(); }
  [[nodiscard]] bool is_for(std::string_view table) const;
  bool operator==(Grant const&) const = default;
};

// The names in tables="..."; empty: one of them is no name, there is none, or there are too many.
[[nodiscard]] std::optional<std::vector<std::string>> parse_tables(std::string_view text);

struct User {
  std::string name;
  std::vector<Grant> grants;
  std::optional<TokenHash> token;  // neither: known by a client certificate only
  std::optional<SigningKey> signing_key{};

  // On all tables, and on the daemon itself.
  [[nodiscard]] Rights everywhere() const;
  // On this table, `everywhere` included.
  [[nodiscard]] Rights on(std::string_view table) const;
  // Whether there are more rights on some tables.
  [[nodiscard]] bool has_grants_for_tables() const;
  // Those, in words: "add work on jo*, read on mail".
  [[nodiscard]] std::string grants_for_tables() const;
  // Whether it has the right on any table, known or not.
  [[nodiscard]] bool has_anywhere(Right right) const;
  bool operator==(User const&) const = default;
};
using UserPtr = std::shared_ptr<User const>;

// All users of a daemon.
class Users {
 public:
  // False: the name, or the token, belongs to one that was added before.
  [[nodiscard]] bool add(User user);
  // Null: there is none.
  [[nodiscard]] UserPtr find(std::string_view name) const;
  // By the salt of the user's token.
  [[nodiscard]] UserPtr find_salt(std::string_view salt) const;
  [[nodiscard]] std::size_t size() const { return by_name_.size(); }
  [[nodiscard]] std::map<std::string, UserPtr, std::less<>> const& all() const { return by_name_; }

 private:
  std::map<std::string, UserPtr, std::less<>> by_name_;
  std::map<std::string, UserPtr, std::less<>> by_salt_;
};

}  // namespace fastjournal::access
