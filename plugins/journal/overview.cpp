#include "plugins/journal/overview.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "plugins/journal/made.h"
#include "plugins/journal/texts.h"

namespace fastjournal::journal {
namespace {

constexpr std::int64_t kSecond = 1'000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

// Headers that are read in the time of one look.
constexpr std::uint32_t kRowsPerWorkUnit = 16;
// The most rows of a domain that are counted one by one, in any order of memory.
constexpr std::size_t kRowsOfDomainMax = 10'000;

// The most places of domains, perhaps empty, that one DOMAINS looks at; the cost of one that is told.
constexpr std::uint32_t kPlacesMax = 10'000;
constexpr std::uint32_t kWorkUnitsPerDomain = 16;

// Rows by their dates: due; the seconds of the next minute; the further minutes of the next hour; the further hours of
// the next day; later.
class Buckets {
 public:
  static constexpr std::size_t kDue = 0;
  static constexpr std::size_t kLater = 1 + 60 + 59 + 23;

  // `in`: until its date.
  void count(std::int64_t in) { ++rows_[of(in)]; }
  void count_due(std::uint64_t rows) { rows_[kDue] += rows; }

  // Calls tell(from, to, rows) for each with rows; dates above `from`, up to `to`, where 0 is no bound.
  template <typename Tell>
  void tell(std::int64_t now, Tell const& tell) const {
    for (std::size_t bucket = 0; bucket < rows_.size(); ++bucket)
      if (rows_[bucket] != 0)
        tell(bucket == kDue ? 0 : now + end_of(bucket - 1), bucket == kLater ? 0 : now + end_of(bucket), rows_[bucket]);
  }

 private:
  static std::size_t of(std::int64_t in) {
    if (in <= 0) return kDue;
    if (in <= kMinute) return 1 + static_cast<std::size_t>((in - 1) / kSecond);
    if (in <= kHour) return 60 + static_cast<std::size_t>((in - 1) / kMinute);
    if (in <= kDay) return 60 + 59 + static_cast<std::size_t>((in - 1) / kHour);
    return kLater;
  }
  // The last date in it.
  static std::int64_t end_of(std::size_t bucket) {
    auto const number = static_cast<std::int64_t>(bucket);
    if (number <= 60) return number * kSecond;
    if (number <= 60 + 59) return (number - 59) * kMinute;
    return (number - 60 - 58) * kHour;
  }

  std::array<std::uint64_t, kLater + 1> rows_{};
};

}  // namespace

// ---------------------------------------------------------------------------
// TIMELINE

Verdict Overview::timeline(Command const& command, Decision& decision) const {
  made::Timeline given;
  if (!given.read(command, decision)) return Verdict::done;
  bool const by_domain = given.domain.is_given;
  if (by_domain && decision.refuses(selection_.check_domain(given.domain))) return Verdict::done;
  auto const now = static_cast<std::int64_t>(given.now.value_or(static_cast<std::uint64_t>(decision.now.value)));
  std::uint32_t after = given.after;

  rows::Order const& order = rows_.order();
  std::uint32_t const number = by_domain ? order.domains().find(given.domain) : rows::kNameless;
  std::uint32_t const end = number == rows::kNoDomain ? 0 : rows_.rows().end();
  Buckets buckets;
  // Due rows are counted already, also those that wait for a limit.
  if (after == 0 && number != rows::kNoDomain)
    buckets.count_due(by_domain ? order.domains()[number].due : order.size());
  if (by_domain && after == 0 && end > 0 && order.domains()[number].future.size() <= kRowsOfDomainMax) {
    auto const& future = order.domains()[number].future;
    for (std::uint32_t const row : future) buckets.count(rows_.row(row).date() - now);
    decision.work_units += static_cast<std::uint32_t>(future.size());
    after = end;
  } else {
    std::uint32_t const first = std::min(after, end);
    after = first + std::min(end - first, kRowsPerPage);
    for (std::uint32_t row = first; row < after; ++row)
      if (rows_.row(row).place() == rows::Place::future && (!by_domain || order.domains().of(row) == number))
        buckets.count(rows_.row(row).date() - now);
    decision.work_units += (after - first) / kRowsPerWorkUnit;
  }

  Answer& answer = decision.answer;
  buckets.tell(now, [&](std::int64_t from, std::int64_t to, std::uint64_t rows) {
    answer.message("DUE").add("table", std::string_view{settings_.table()});
    answer.add("from", from).add("to", to).add("rows", rows).add("now", now);
  });
  if (answer.empty()) answer.message("NOTHING").add("table", std::string_view{settings_.table()}).add("now", now);
  // With more to look at, the last message tells how to go on.
  if (after < end) answer.add("after", std::uint64_t{after});
  return Verdict::done;
}

// ---------------------------------------------------------------------------
// DOMAINS

Verdict Overview::domains(Command const& command, Decision& decision) const {
  made::Domains given;
  if (!given.read(command, decision)) return Verdict::done;

  Answer& answer = decision.answer;
  rows::Order const& order = rows_.order();
  if (order.rules().domain.is_none()) {
    answer.message("NOTHING").add("table", std::string_view{settings_.table()});
    answer.add("reason", Value::of_text("the table has no domains: its declaration has no <domain>"));
    return Verdict::done;
  }
  std::uint32_t const first = order.first();
  std::uint32_t const next = first == rows::kNoRow ? rows::kNoDomain : order.domains().of(first);
  std::uint32_t told = 0;
  std::uint32_t const end = order.domains().end();
  std::uint32_t number = given.after;
  for (std::uint32_t looked = 0; number < end && looked < kPlacesMax && told < given.count; ++number, ++looked) {
    ++decision.work_units;
    // Without rows it stays for its tokens only.
    if (!order.domains().exists(number) || order.domains()[number].rows == 0) continue;
    tell(order.domains()[number], next, answer);
    ++told;
    decision.work_units += kWorkUnitsPerDomain;
  }
  if (told == 0) answer.message("NOTHING").add("table", std::string_view{settings_.table()});
  if (number < end) answer.add("after", std::uint64_t{number});
  return Verdict::done;
}

// `next`: the domain whose turn it is.
void Overview::tell(rows::Domain const& domain, std::uint32_t next, Answer& answer) const {
  rows::Order const& order = rows_.order();
  bool const is_paused = pauses_.is_paused();
  std::uint64_t const ready = is_paused ? 0 : order.available(domain);
  answer.message("DOMAIN").add("table", std::string_view{settings_.table()});
  answer.add("domain", std::string_view{domain.name});
  answer.add("rows", std::uint64_t{domain.rows}).add("waiting", std::uint64_t{domain.future.size()});
  answer.add("due", std::uint64_t{domain.due}).add("ready", ready).add("processing", std::uint64_t{domain.leased});
  answer.add("weight", std::uint64_t{domain.weight});
  if (domain.number == next)
    answer.add("turn", Value::of_text("next"));
  else if (order.takes_turns(domain))
    answer.add("turn", Value::of_text("waits"));
  if (domain.due > 0 && ready == 0)
    answer.add("limit", Value::of_text(is_paused ? "pause" : option_of(order.limit_of(domain))));
  if (std::uint32_t const row = order.head_of(domain); row != rows::kNoRow)
    answer.add("first_date", rows_.row(row).date());
  if (std::int64_t const date = order.next_date(domain); date != INT64_MAX) answer.add("next_date", date);
}

}  // namespace fastjournal::journal
