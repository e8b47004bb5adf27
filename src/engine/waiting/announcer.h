// Tells the row listeners of a table what announcements.h holds for them. Bounded: the next turn continues.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/waiting/served_table.h"
#include "engine/waiting/work_units.h"

namespace fastjournal::work {

class Announcer {
 public:
  Announcer(ReplySink& replies, WorkUnits& work_units) : replies_(replies), work_units_(work_units) {}
  Announcer(Announcer const&) = delete;
  Announcer& operator=(Announcer const&) = delete;

  // True: more is left.
  [[nodiscard]] bool announce(ServedTable const& table);

 private:
  // Returns how many were told.
  std::uint32_t tell_all(ServedTable const& table, Topic const& topic, Announcement const& row);
  void tell_missed(ServedTable const& table);
  void tell_page(ServedTable const& table, Listener& listener);

  ReplySink& replies_;
  WorkUnits& work_units_;
  Answer notice_;
  std::vector<ObjectId> found_;
};

// LISTEN table=...: the head of every notice.
void begin_notice(Answer& message, ServedTable const& table, std::string_view topic);

}  // namespace fastjournal::work
