#include "plugins/journal/fast_clocks.h"

#include "model/date.h"

namespace fastjournal::journal {

void FastClocks::tell(std::string const& table, TableObserver& observer) {
  has_news_ = false;
  observer.alert("producer-clock", 50,
                 "the clock of producer " + origins_.back() + (client_.empty() ? "" : " (client " + client_ + ")") +
                     " is ahead by " + model::format_span(ahead_ms_) + ": its inserts into table " + table +
                     " are refused (max-clock-skew), and rows of a spool get the date of their arrival. Set that "
                     "clock, then lower this alert",
                 "journal,manual");
}

}  // namespace fastjournal::journal
