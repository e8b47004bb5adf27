#include "plugins/journal/effects.h"

#include <string_view>

#include "base/failure.h"
#include "plugins/journal/texts.h"

namespace fastjournal::journal {
namespace {

std::string row_text(ObjectId row, std::string const& table) {
  return "row " + std::to_string(row.value) + " of table " + table;
}

void add_error(std::string& message, std::string_view error) {
  if (!error.empty()) message.append("; last error: ").append(error);
}

}  // namespace

std::string attempts_text(rows::Counters const& counters) {
  return times(counters.attempts(), "attempt") + " (" + std::to_string(counters.failures) + " failed, " +
         std::to_string(counters.timeouts) + " timed out), " + std::to_string(counters.lifetime) + " in its life";
}

// The alert of parked rows is lowered with the last of them; that of deleted rows has nothing left that could end it.
void Effects::alert_parked(std::uint32_t row, TableObserver& observer) const {
  std::string message =
      row_text(rows_.id_of(row), settings_.table()) + " is parked after " + attempts_text(rows_.counters_of(row));
  add_error(message, failure::error_of(rows_.view(row).failure));
  observer.alert("row-failed", 60, message, "journal");
}

void Effects::alert_deleted(std::uint32_t row, rows::RemoveBody const& body, TableObserver& observer) const {
  std::string message = row_text(rows_.id_of(row), settings_.table()) + " is deleted after " +
                        attempts_text(body.has_counters ? body.counters : rows_.counters_of(row));
  add_error(message, failure::error_of(body.error.empty() ? rows_.view(row).failure : body.error));
  observer.alert("row-deleted", 60, message, "journal,manual");
}

// A merge resets a row's attempts, but not those of its life: otherwise a poison row would never be noticed.
void Effects::alert_weary(std::uint32_t row, TableObserver& observer) const {
  std::string const message = row_text(rows_.id_of(row), settings_.table()) + " failed or timed out " +
                              std::to_string(rows_.row(row).lifetime()) +
                              " times in its life and is tried again; above " +
                              std::to_string(settings_.options().attempts.max_lifetime) + " it is given up";
  observer.alert("row-times-out", 55, message, "journal");
}

}  // namespace fastjournal::journal
