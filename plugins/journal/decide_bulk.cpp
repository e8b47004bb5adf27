// KICK and DELETE of many rows, selected by a filter. Done here and not by clients, because a row that has changed
// since it was listed must not be changed. A command handles one page: it looks at a bounded number of rows, changes
// one in each step (a kicked row may be merged into another that matches too), and its answer says where the next page
// begins. KICK without a status takes only parked rows: a forgotten word must not make all future rows due.
#include <algorithm>
#include <array>

#include "model/key_codec.h"
#include "plugins/journal/journal.h"

namespace fastjournal::journal {
namespace {

constexpr std::int64_t kBulkCountMax = 1000;
// Rows that one command looks at, as LIST.
constexpr std::uint64_t kBulkLooksMax = 10'000;

constexpr std::array<std::string_view, 6> kStatusWords = {"waiting", "due", "processing", "behind", "parked", "paused"};
constexpr std::array<std::string_view, 7> kBulkNames = {"status", "domain", "prefix", "error",
                                                        "count",  "after",  "dry_run"};

// Values kept between the steps, in Decision::carry.
enum Carried : std::size_t { kHits, kLooks, kBehind };

}  // namespace

bool Journal::is_bulk(Command const& command) {
  return std::any_of(kBulkNames.begin(), kBulkNames.end(),
                     [&](std::string_view name) { return command.message->has(name); });
}

Status Journal::read_filter(Command const& command, Filter& filter) const {
  Parameters parameters{*command.message};
  filter.status = command.message->text("status");
  if (!filter.status.empty() &&
      std::find(kStatusWords.begin(), kStatusWords.end(), filter.status) == kStatusWords.end())
    parameters.refuse(Code::bad_parameter, "status",
                      "status is \"" + std::string{filter.status.substr(0, 40)} +
                          "\": expected waiting, due, processing, behind, parked or paused");
  filter.by_domain = parameters.has("domain");
  filter.domain = parameters.text("domain", kDomainBytesMax);
  if (filter.by_domain && state_.order().rules().domain.is_none())
    parameters.refuse(Code::not_supported, "domain",
                      "table " + declaration_->name + " has no domains: leave domain out");
  filter.by_error = parameters.has("error");
  filter.error = parameters.text("error", kErrorBytesMax);
  if (!state_.has_keys() && parameters.has("prefix"))
    parameters.refuse(Code::bad_parameter, "prefix",
                      "table " + declaration_->name + " has no row-key, so no key begins with this: leave prefix out");
  if (!parameters.ok()) return parameters.take_status();
  key_.clear();
  if (std::string_view const prefix = command.message->text("prefix"); !prefix.empty())
    if (Status status = model::encode_key_prefix(declaration_->schema, prefix, key_); !status.ok()) return status;
  filter.key_prefix = key_;
  return {};
}

bool Journal::fits(std::uint32_t index, Filter const& filter, std::int64_t now) const {
  Row const& row = state_.row(index);
  // `paused`: rows that would be handed out if the table were not paused.
  bool const of_status = filter.status.empty() || status_of(row.place()) == filter.status ||
                         (filter.status == "paused" && is_paused() && is_waiting(row.place()));
  if (!of_status || (filter.by_domain && state_.order().domain_of(index) != filter.domain)) return false;
  if (!is_visible(index, now)) return false;
  if (filter.key_prefix.empty() && !filter.by_error) return true;
  PayloadView const view = state_.view(index);
  if (filter.by_error && (view.error.empty() || view.error.find(filter.error) == std::string_view::npos)) return false;
  return view.key.starts_with(filter.key_prefix);
}

// Rows that KICK may change: parked ones, unless another status is given; never one that is being processed.
Status Journal::read_bulk(Command const& command, Filter& filter) const {
  bool const kicks = command.message->command == "KICK";
  if (Status status = read_filter(command, filter); !status.ok()) return status;
  if (command.message->has("row") ||
      std::any_of(declaration_->schema.columns.begin(), declaration_->schema.columns.end(),
                  [&](Column const& column) { return command.message->has(column.name); }))
    return Status{Code::bad_parameter,
                  std::string{command.message->command} +
                      (state_.has_keys() ? " takes a row or a key, or else a filter (status, domain, prefix, error), "
                                         : " takes a row, or else a filter (status, domain, error), ") +
                      "not both"};
  if (!kicks && filter.is_empty())
    return Status{Code::missing_parameter, std::string{"a DELETE of many rows needs a filter: status, domain"} +
                                               (state_.has_keys() ? ", prefix or error" : " or error")}
        .with("parameter", "status");
  if (kicks && filter.status == "processing")
    return Status{Code::bad_parameter, "status is \"processing\": a row that is being processed cannot be kicked"}.with(
        "parameter", "status");
  if (kicks && filter.status.empty()) filter.status = status_of(Place::parked);
  return {};
}

Verdict Journal::change_many(Command const& command, Decision& decision) const {
  Filter filter;
  decision.status = read_bulk(command, filter);
  if (!decision.status.ok()) return Verdict::done;
  Parameters parameters{*command.message};
  auto const count = static_cast<std::uint64_t>(parameters.integer("count", kBulkCountMax, 1, kBulkCountMax));
  ObjectId const begin{parameters.unsigned_integer("after", 0)};
  bool const dry_run = parameters.integer("dry_run", 0, 0, 1) == 1;
  if (!parameters.ok()) {
    decision.status = parameters.take_status();
    return Verdict::done;
  }
  std::uint64_t& hits = decision.carry[kHits];
  std::uint64_t& looks = decision.carry[kLooks];
  std::uint64_t& behind = decision.carry[kBehind];
  if (decision.step == 0) behind = begin.value;

  bool const kicks = command.message->command == "KICK";
  std::uint32_t row = state_.ids().next(ObjectId{behind});
  for (; row != kNoRow && looks < kBulkLooksMax && hits < count; row = state_.ids().next(ObjectId{behind})) {
    ++looks;
    ++decision.looks;
    behind = state_.row(row).id().value;
    bool const kickable = !kicks || state_.row(row).place() != Place::processing;
    if (!kickable || !fits(row, filter, decision.now.value)) continue;
    ++hits;
    if (dry_run) continue;
    if (kicks)
      put_back(row, decision);
    else
      append_remove(decision.records, state_.row(row).id(), Reason::deleted);
    return Verdict::again;
  }
  Answer& answer = decision.answer.message(kicks ? "KICKED" : "DELETED");
  answer.add("table", std::string_view{declaration_->name}).add("count", hits).add("looked", looks);
  if (row != kNoRow) answer.add("after", behind);
  if (dry_run) answer.add("dry_run", std::uint64_t{1});
  return Verdict::done;
}

}  // namespace fastjournal::journal
