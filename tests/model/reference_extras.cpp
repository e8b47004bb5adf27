// The reference's rules about what a single row says of itself: its tags, attempts, rests and leases, and for how long no
// further row of its key is taken once it is done.
#include <algorithm>
#include <array>
#include <sstream>

#include "tests/model/reference.h"

namespace fastjournal::reference {
namespace {

constexpr std::array kOwn{"tags", "max_attempts", "back_off", "lease", "unique_for"};

std::vector<std::string> words_of(std::string const& list) {
  std::vector<std::string> out;
  std::stringstream all{list};
  for (std::string word; std::getline(all, word, ',');) out.push_back(word);
  return out;
}

std::int64_t span_of(std::string const& text) {
  std::size_t end = 0;
  std::int64_t const number = std::stoll(text, &end);
  return text.substr(end) == "s" ? number * 1000 : number;
}

}  // namespace

Texts own_of(Texts const& message) {
  Texts out;
  for (std::string const name : kOwn)
    if (auto const found = message.find(name); found != message.end()) out[name] = found->second;
  return out;
}

void take_own(Row& row, Texts const& given) {
  for (auto const& [name, value] : given) row.own[name] = value;
  if (text(row.own, "tags").empty()) row.own.erase("tags");
}

bool has_tag(Row const& row, std::string const& tag) {
  std::vector<std::string> const tags = words_of(text(row.own, "tags"));
  return std::find(tags.begin(), tags.end(), tag) != tags.end();
}

std::int64_t Reference::lease_of(Row const& row, Texts const& command) const {
  return number(command, "lease", number(row.own, "lease", options_.processing_timeout));
}

std::int64_t Reference::rest(Row const& row) const {
  int before = row.timeouts + row.failures - 1;
  std::string const formula = row.own.contains("back_off") ? text(row.own, "back_off") : options_.back_off;
  if (formula == "linear") return std::min(options_.back_off_first * (before + 1), options_.back_off_max);
  if (formula != "doubling") {
    std::vector<std::string> const list = words_of(formula);
    return span_of(list[std::min(static_cast<std::size_t>(before), list.size() - 1)]);
  }
  std::int64_t out = std::min(options_.back_off_first, options_.back_off_max);
  while (before-- > 0) out = std::min(out * options_.back_off_factor, options_.back_off_max);
  return out;
}

bool Reference::is_too_many(Row const& row) const {
  auto const attempts = number(row.own, "max_attempts", options_.max_attempts);
  return row.timeouts > options_.max_timeouts || row.lifetime > options_.max_lifetime ||
         (attempts != 0 && row.failures >= attempts);
}

void Reference::finish(Row const& row) {
  std::int64_t const span = number(row.own, "unique_for", options_.unique_for);
  if (span != 0 && options_.has_key) uniques_[row.key] = {row.id, now_, now_ + span};
  erase(row.id, true);
}

std::optional<std::string> Reference::refuse_unique(Row const& wanted, Texts const& answer, std::uint64_t& done) const {
  auto const found = uniques_.find(wanted.key);
  if (found == uniques_.end() || found->second.until <= now_) return std::nullopt;
  if (options_.refuses_unique)
    return text(answer, "code") == "wrong_state" ? "" : "expected wrong_state: a row of the key is done";
  done = found->second.row;
  if (text(answer, "result") != "unique") return "expected result=unique";
  bool const fits = number(answer, "row") == static_cast<std::int64_t>(done) &&
                    number(answer, "ended_date") == found->second.ended &&
                    number(answer, "unique_until") == found->second.until;
  return fits ? "" : "unique beside another row, or until another date";
}

void Reference::lower_uniques(std::int64_t from, std::int64_t to) {
  std::erase_if(uniques_, [&](auto const& one) { return one.second.until <= from; });
  for (auto& [key, unique] : uniques_) {
    std::int64_t const ahead = std::max<std::int64_t>(0, unique.ended - to);
    unique.ended -= ahead;
    unique.until -= ahead;
  }
}

}  // namespace fastjournal::reference
