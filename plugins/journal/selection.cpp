#include "plugins/journal/selection.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/failure.h"
#include "model/key_codec.h"
#include "plugins/journal/texts.h"

namespace fastjournal::journal {
Status Selection::unknown_key() const {
  return {Code::unknown_row,
          "table " + settings_.table() + " has no row of this key: it is done, deleted, expired or was never there"};
}

Status Selection::read_target(Command const& command, std::optional<std::uint64_t> given, std::int64_t now,
                              ObjectId& row) const {
  if (!given) return read_key(command);
  row = ObjectId{*given};
  std::uint32_t const found = rows_.find(row);
  return found == rows::kNoRow || !rows_.is_visible(found, now) ? names_.unknown(row) : Status{};
}

Status Selection::read_key(Command const& command) const {
  key_.clear();
  if (rows_.keys().has_keys()) return model::encode_key(settings_.schema(), *command.message, key_);
  std::string const reason = "table " + settings_.table() + " has no row-key: its rows are found by row, their number";
  for (Column const& column : settings_.schema().columns)
    if (command.message->has(column.name))
      return Status{Code::bad_parameter, fmt::format("column {} finds no row, as {}", column.name, reason)}.with(
          "parameter", column.name);
  return Status{Code::missing_parameter, "row is missing: " + reason}.with("parameter", "row");
}

Status Selection::check_filter(Filter& filter) const {
  if (filter.domain.is_given && rows_.order().rules().domain.is_none())
    return model::refused(Code::not_supported, "domain",
                          fmt::format("table {} has no domains: leave domain out", settings_.table()));
  if (!rows_.keys().has_keys() && filter.prefix.is_given)
    return model::refused(
        Code::bad_parameter, "prefix",
        "table " + settings_.table() + " has no row-key, so no key begins with this: leave prefix out");
  if (filter.tag.is_given)
    if (Status status = rows::check_tag(filter.tag); !status.ok())
      return model::refused(Code::bad_parameter, "tag", "tag: " + status.message());
  key_.clear();
  if (!filter.prefix.empty())
    if (Status status = model::encode_key_prefix(settings_.schema(), filter.prefix, key_); !status.ok()) return status;
  filter.key_prefix = key_;
  return {};
}

bool Selection::fits(std::uint32_t index, Filter const& filter, std::int64_t now) const {
  rows::Row const& row = rows_.row(index);
  // `paused`: rows that would be handed out if the table were not paused.
  bool const of_status = filter.status.empty() || status_of(row.place()) == filter.status ||
                         (filter.status == "paused" && pauses_.is_paused() && rows::is_waiting(row.place()));
  if (!of_status || (filter.domain.is_given && rows_.order().domain_of(index) != filter.domain)) return false;
  if (!rows_.is_visible(index, now)) return false;
  if (filter.tag.is_given && !rows::has_tag(rows::extras::tags_of(rows_.extras_of(index)), filter.tag)) return false;
  if (filter.key_prefix.empty() && !filter.error.is_given && !filter.error_class.is_given) return true;
  rows::PayloadView const view = rows_.view(index);
  if (filter.error.is_given) {
    std::string_view const error = failure::error_of(view.failure);
    if (error.empty() || error.find(filter.error) == std::string_view::npos) return false;
  }
  if (filter.error_class.is_given && failure::class_of(view.failure) != filter.error_class) return false;
  return view.key.starts_with(filter.key_prefix);
}

Status Selection::check_domain(std::string_view domain) const {
  rows::DomainSource const& source = rows_.order().rules().domain;
  Status refused;
  if (source.is_none()) {
    refused = Status{Code::not_supported,
                     fmt::format("table {} has no domains: leave the parameter domain out", settings_.table())};
  } else if (domain.size() > kDomainBytesMax) {
    refused = Status{Code::too_large, fmt::format("domain has {} bytes: the names of domains have {} at most",
                                                  domain.size(), kDomainBytesMax)};
  } else if (source.is_of_uri() &&
             std::any_of(domain.begin(), domain.end(), [](char c) { return c >= 'A' && c <= 'Z'; })) {
    refused =
        Status{Code::bad_parameter, fmt::format("domain is \"{}\": hosts and sites are known in lower case", domain)};
  }
  return refused.ok() ? std::move(refused) : std::move(refused).with("parameter", "domain");
}

}  // namespace fastjournal::journal
