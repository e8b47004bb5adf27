#include "engine/pending_alerts.h"

#include <algorithm>

#include "base/check.h"
#include "fastjournal/table.h"

namespace fastjournal::engine {
namespace {

// At most `size` bytes, and no character of UTF-8 in parts.
std::string_view cut(std::string_view text, std::size_t size) {
  if (text.size() <= size) return text;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
  return text.substr(0, size);
}

bool has_tag(std::string_view tags, std::string_view wanted) {
  while (!tags.empty()) {
    std::size_t const end = tags.find(',');
    if (tags.substr(0, end) == wanted) return true;
    tags = end == std::string_view::npos ? std::string_view{} : tags.substr(end + 1);
  }
  return false;
}

}  // namespace

PendingAlerts::Change* PendingAlerts::entry(HostedTable const* table, std::string_view name) {
  for (Change& change : changes_)
    if (change.table == table && change.alert.name == name) return &change;
  if (changes_.size() >= kMax) {
    ++dropped_;
    return nullptr;
  }
  changes_.push_back({.table = table, .alert = {}, .raised = 0, .lowered = false});
  changes_.back().alert.name = name;
  return &changes_.back();
}

void PendingAlerts::raise(HostedTable const* table, std::string_view name, std::uint8_t priority,
                          std::string_view message, std::string_view tags) {
  FJ_CHECK(!name.empty() && name.size() <= log::kAlertNameBytesMax, "an alert's name is short");
  Change* const change = entry(table, name);
  if (change == nullptr) return;
  ++change->raised;
  change->alert.priority = std::min<std::uint8_t>(priority, 100);
  change->alert.manual = has_tag(tags, kManualTag);
  change->alert.message = cut(message, log::kAlertMessageBytesMax);
  change->alert.tags = cut(tags, log::kAlertTagsBytesMax);
}

bool PendingAlerts::has(HostedTable const* table, std::string_view name) const {
  return std::any_of(changes_.begin(), changes_.end(),
                     [&](Change const& change) { return change.table == table && change.alert.name == name; });
}

void PendingAlerts::lower(HostedTable const* table, std::string_view name) {
  Change* const change = entry(table, name);
  if (change == nullptr) return;
  change->raised = 0;
  change->lowered = true;
}

}  // namespace fastjournal::engine
