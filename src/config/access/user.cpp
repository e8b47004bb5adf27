#include "config/access/user.h"

#include <algorithm>
#include <utility>

namespace fastjournal::access {
namespace {

constexpr std::size_t kTableNameBytesMax = 64;

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool is_made_of(std::string_view text, std::string_view extra) {
  return std::all_of(text.begin(), text.end(),
                     [extra](char c) { return is_letter_or_digit(c) || extra.find(c) != std::string_view::npos; });
}

bool is_table_pattern(std::string_view text) {
  if (text.empty() || text.size() > kTableNameBytesMax) return false;
  if (text.back() == '*') text.remove_suffix(1);
  return is_made_of(text, "_.-");
}

}  // namespace

bool is_user_name(std::string_view text) {
  return !text.empty() && text.size() <= kUserNameBytesMax && is_made_of(text, "_.@-");
}

Rights united(Rights one, Rights other) {
  for (std::size_t i = 0; i < kRightNames.size(); ++i)
    if (other.has(static_cast<Right>(i))) one.add(static_cast<Right>(i));
  return one;
}

bool Grant::is_for(std::string_view table) const {
  return is_for_all() || std::any_of(tables.begin(), tables.end(), [table](std::string const& pattern) {
           if (pattern.back() != '*') return table == pattern;
           return table.starts_with(std::string_view{pattern}.substr(0, pattern.size() - 1));
         });
}

std::optional<std::vector<std::string>> parse_tables(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    std::size_t const end = std::min(text.find(' '), text.size());
    std::string_view const word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (!is_table_pattern(word) || out.size() == kGrantTablesMax) return std::nullopt;
    out.emplace_back(word);
  }
  if (out.empty()) return std::nullopt;
  return out;
}

Rights User::everywhere() const {
  Rights out;
  for (Grant const& grant : grants)
    if (grant.is_for_all()) out = united(out, grant.rights);
  return out;
}

Rights User::on(std::string_view table) const {
  Rights out;
  for (Grant const& grant : grants)
    if (grant.is_for(table)) out = united(out, grant.rights);
  return out;
}

bool User::has_grants_for_tables() const {
  return std::any_of(grants.begin(), grants.end(), [](Grant const& grant) { return !grant.is_for_all(); });
}

std::string User::grants_for_tables() const {
  std::string out;
  for (Grant const& grant : grants) {
    if (grant.is_for_all()) continue;
    out += (out.empty() ? "" : ", ") + grant.rights.names() + " on";
    for (std::string const& table : grant.tables) out += " " + table;
  }
  return out;
}

bool User::has_anywhere(Right right) const {
  return std::any_of(grants.begin(), grants.end(), [right](Grant const& grant) { return grant.rights.has(right); });
}

bool Users::add(User user) {
  if (by_name_.contains(user.name) || (user.token && by_salt_.contains(user.token->salt()))) return false;
  auto const kept = std::make_shared<User const>(std::move(user));
  by_name_.emplace(kept->name, kept);
  if (kept->token) by_salt_.emplace(kept->token->salt(), kept);
  return true;
}

UserPtr Users::find(std::string_view name) const {
  auto const found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

UserPtr Users::find_salt(std::string_view salt) const {
  auto const found = by_salt_.find(salt);
  return found == by_salt_.end() ? nullptr : found->second;
}

}  // namespace fastjournal::access
