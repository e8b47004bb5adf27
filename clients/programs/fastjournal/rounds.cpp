#include "clients/programs/fastjournal/rounds.h"

#include <algorithm>
#include <string>
#include <utility>

#include "clients/programs/fastjournal/figures.h"

namespace fastjournal::cli {

Result<bool> Rounds::take(Message push) {
  if (push.command == "STATS") {
    if (push.has("table"))
      tables_.push_back(std::move(push));
    else
      daemon_ = std::move(push);
    return false;
  }
  if (push.command == "FIGURES") {
    finish(push);
    return true;
  }
  if (push.command == "UNWATCHED")
    return Status{Code::unknown_table, "the table was dropped, or may not be read any more"};
  if (push.command == "ERROR") {
    Code const code = code_of_wire_name(push.text("code")).value_or(Code::not_supported);
    return Status{code, std::string{push.text("message")}};
  }
  return false;
}

void Rounds::finish(Message const& figures) {
  Snapshot next;
  date_ = figures.integer("now").value_or(0);
  alerts_ = figures.integer("alerts").value_or(0);
  next.seconds = static_cast<double>(date_) / 1000;
  if (daemon_) next.daemon = *std::exchange(daemon_, std::nullopt);
  next.tables = std::exchange(tables_, {});
  next.alerts = std::move(now_.alerts);
  add_rates(now_, next);
  if (figures.integer("unchanged").value_or(0) > 0) {
    // In the order that they had.
    std::vector<Message> told = std::move(next.tables);
    next.tables.clear();
    for (Message& old : now_.tables) {
      auto const found =
          std::ranges::find_if(told, [&](Message const& one) { return one.text("table") == old.text("table"); });
      if (found != told.end()) {
        next.tables.push_back(std::move(*found));
        told.erase(found);
        continue;
      }
      for (Rate const& rate : cli::figures().rates)
        if (old.has(rate.counter)) old.set(rate.name, Value::of_real(0));
      next.tables.push_back(std::move(old));
    }
    for (Message& one : told) next.tables.push_back(std::move(one));
  }
  now_ = std::move(next);
}

}  // namespace fastjournal::cli
