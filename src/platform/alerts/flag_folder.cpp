#include "platform/alerts/flag_folder.h"

#include <algorithm>
#include <vector>

#include "base/bytes.h"

namespace fastjournal::alerts {
namespace {

// Without ".flag" at the end: an incomplete file is never read.
std::string temporary_of(std::string const& name) { return name + ".new"; }

bool is_of(std::string_view unit, std::string_view file) {
  return file.starts_with(std::string{unit} + "_") && (file.ends_with(".flag") || file.ends_with(".flag.new"));
}

}  // namespace

void FlagFolder::up(log::Alert const& alert) { standing_[communicator::flag_file_name(alert, origin_)] = alert; }

void FlagFolder::down(log::Alert const& alert) { standing_.erase(communicator::flag_file_name(alert, origin_)); }

FlagFolder::Files FlagFolder::wanted() const {
  std::vector<std::pair<std::string const, log::Alert> const*> order;
  for (auto const& one : standing_) order.push_back(&one);
  std::stable_sort(order.begin(), order.end(),
                   [](auto const* a, auto const* b) { return a->second.priority > b->second.priority; });
  if (order.size() > communicator::kFlagsMax) order.resize(communicator::kFlagsMax);
  Files out;
  for (auto const* const one : order) out[one->first] = communicator::flag_content(one->second, origin_);
  return out;
}

// The content of our existing files is unknown: each is rewritten or removed.
Status FlagFolder::look() {
  Result<std::vector<std::string>> const names = disk_.list("");
  if (!names.ok()) return names.status();
  for (std::string const& name : names.value())
    if (is_of(origin_.unit, name)) written_[name];
  looked_ = true;
  return {};
}

Status FlagFolder::agree() {
  if (!looked_)
    if (Status status = look(); !status.ok()) return status;
  Files const want = wanted();
  bool changed = false;
  for (auto at = written_.begin(); at != written_.end();) {
    if (want.contains(at->first)) {
      ++at;
      continue;
    }
    Status status = disk_.remove(at->first);
    if (!status.ok() && status.code() != Code::not_found) return status;  // others may have removed it
    at = written_.erase(at);
    changed = true;
  }
  for (auto const& [name, content] : want) {
    auto const there = written_.find(name);
    if (there != written_.end() && there->second == content) continue;
    if (Status status = write(name, content); !status.ok()) return status;
    written_[name] = content;
    changed = true;
  }
  return changed ? disk_.sync_folder("") : Status{};
}

Status FlagFolder::write(std::string const& name, std::string const& content) {
  std::string const temporary = temporary_of(name);
  Status status = disk_.remove(temporary);
  if (!status.ok() && status.code() != Code::not_found) return status;
  Result<std::unique_ptr<env::File>> const file = disk_.open(temporary, env::OpenMode::create_new);
  if (!file.ok()) return file.status();
  status = file.value()->write(0, as_bytes(content));
  if (status.ok()) status = file.value()->sync();
  if (status.ok()) status = disk_.rename(temporary, name);
  return status;
}

}  // namespace fastjournal::alerts
