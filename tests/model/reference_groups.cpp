// The reference's groups of jobs, as commands and answers have them; their rules are in reference_waits.h.
#include "tests/model/reference.h"

namespace fastjournal::reference {
namespace {

std::string group_error(Texts const& answer, std::string const& code) {
  return text(answer, "") == "ERROR" && text(answer, "code") == code ? "" : "expected ERROR " + code;
}

}  // namespace

std::string Reference::check_waits(std::uint64_t row, Texts const& answer) const {
  std::size_t const count = waits_.rows.at(row).after.size();
  std::string const expected = count == 0 ? "" : std::to_string(count);
  return text(answer, "waits_for") == expected ? "" : "waits_for: expected \"" + expected + "\"";
}

std::string Reference::change_group(Texts const& command, Texts const& answer) {
  std::string const name = text(command, "group");
  auto const known = waits_.groups.find(name);
  bool const was_there = known != waits_.groups.end();
  bool const was_open = was_there && known->second.is_open;
  bool const opens = text(command, "state") != "closed";
  if (std::string const code = waits_.change_group(name, opens); !code.empty()) return group_error(answer, code);
  ReferenceGroup const& group = waits_.groups.at(name);
  bool const is_changed = was_there && group.is_open != was_open;
  synced_ = !was_there || is_changed;
  std::string const result = !was_there ? "made" : !is_changed ? "unchanged" : opens ? "opened" : "closed";
  if (text(answer, "result") != result) return "result: expected " + result;
  return compare_group(name, group, answer);
}

// Rows that fail were perhaps at work; but nobody's attempt failed.
std::string Reference::cancel(Texts const& command, Texts const& answer) {
  std::string const name = text(command, "group");
  auto const group = waits_.groups.find(name);
  if (group == waits_.groups.end()) return group_error(answer, "unknown_row");
  bool const fails = text(command, "how") == "fail";
  synced_ = group->second.is_open;
  group->second.is_open = false;
  auto const count = static_cast<std::uint64_t>(number(command, "count", 1000));
  std::vector<std::uint64_t> const ends =
      waits_.to_cancel(name, static_cast<std::uint64_t>(number(command, "after")), count);
  for (std::uint64_t const id : ends) {
    synced_ = true;
    if (fails)
      park(id, {{"error", "its group was cancelled"}});
    else
      erase(id);
    seat();
  }
  if (text(answer, "") != "CANCELLED") return "expected CANCELLED";
  return number(answer, "count", -1) == static_cast<std::int64_t>(ends.size())
             ? ""
             : "count: expected " + std::to_string(ends.size());
}

std::string Reference::compare_group(std::string const& name, ReferenceGroup const& group, Texts const& told) const {
  std::string wrong;
  auto const same = [&](std::string const& what, std::string const& expected) {
    if (text(told, what) != expected && wrong.empty())
      wrong = what + ": expected \"" + expected + "\" in " + shown(told);
  };
  same("state", group.has_ended ? "ended" : group.is_open ? "open" : "closed");
  same("rows", std::to_string(waits_.count(name, WaitingRow::State::parked, false)));
  same("parked", std::to_string(waits_.count(name, WaitingRow::State::parked, true)));
  same("done", std::to_string(group.done));
  same("failed", std::to_string(group.failed));
  same("ended_date", group.has_ended ? std::to_string(group.ended) : "");
  return wrong;
}

void Reference::hear_ends(std::vector<Texts> const& told, std::int64_t since) {
  for (Texts const& message : told) {
    auto const group = waits_.groups.find(text(message, "group"));
    if (group == waits_.groups.end() || !group->second.has_ended || group->second.ended < since) continue;
    std::int64_t const ended = number(message, "ended_date");
    if (ended >= since && ended <= now_) group->second.ended = ended;
  }
}

std::string Reference::compare_groups(std::vector<Texts> const& told) const {
  std::size_t seen = 0;
  for (Texts const& message : told) {
    if (text(message, "") != "GROUP") continue;
    ++seen;
    auto const found = waits_.groups.find(text(message, "group"));
    if (found == waits_.groups.end()) return "an unknown group: " + shown(message);
    if (std::string wrong = compare_group(found->first, found->second, message); !wrong.empty()) return wrong;
  }
  return seen == waits_.groups.size() ? "" : "expected " + std::to_string(waits_.groups.size()) + " groups";
}

}  // namespace fastjournal::reference
