#include "engine/waiting/announcer.h"

#include <algorithm>
#include <utility>

namespace fastjournal::work {
namespace {

// For one table in one turn: announcements, and rows looked at for new row listeners. A few milliseconds each.
constexpr std::uint32_t kAnnouncementsPerTurn = 16'384;
constexpr std::uint32_t kWorkUnitsPerTurn = 16'384;
constexpr std::uint32_t kWorkUnitsPerPage = 1024;
constexpr std::uint64_t kWorkUnitsPerPush = 8;

}  // namespace

void begin_notice(Answer& message, ServedTable const& table, std::string_view topic) {
  message.clear();
  message.message("LISTEN").add("table", table.name);
  if (!topic.empty()) message.add(table.type.topic, topic);
}

bool Announcer::announce(ServedTable const& table) {
  Announcements& waiting = table.subscriptions.announcements();
  std::uint32_t told = 0;
  tell_missed(table);
  while (Announcement const* const row = waiting.first()) {
    if (told >= kAnnouncementsPerTurn) return true;
    begin_notice(notice_, table, {});
    if (table.can.topics->announce(row->object, notice_)) {
      told += tell_all(table, table.subscriptions.topics().whole(), *row);
      if (row->topic != nullptr) {
        // Unless the table told it to all.
        if (std::ranges::find(notice_.params(), table.type.topic, &Param::name) == notice_.params().end())
          notice_.add(table.type.topic, std::string_view{row->topic->name});
        told += tell_all(table, *row->topic, *row);
      }
    }
    waiting.end_first();
  }
  waiting.count_lost();
  tell_missed(table);
  for (std::uint32_t work_units = 0; Listener* const listener = waiting.first_paging();
       work_units += kWorkUnitsPerPage) {
    if (work_units >= kWorkUnitsPerTurn) return true;
    tell_page(table, *listener);
  }
  return false;
}

std::uint32_t Announcer::tell_all(ServedTable const& table, Topic const& topic, Announcement const& row) {
  std::uint32_t told = 0;
  for (Listener* const listener : topic.rows) {
    // One of its pages will have that row.
    if (listener->paging && row.object > listener->paged_to) continue;
    if (!listener->stalled && replies_.is_full(listener->connection)) table.subscriptions.stall(listener->connection);
    if (listener->stalled) {
      table.subscriptions.announcements().note_missed(*listener, 1);
      continue;
    }
    replies_.push(table.log, listener->connection, notice_, row.due, ListenMode::row);
    work_units_.add(kWorkUnitsPerPush);
    ++told;
  }
  return told;
}

void Announcer::tell_missed(ServedTable const& table) {
  while (Listener* const listener = table.subscriptions.announcements().take_missed()) {
    if (replies_.is_full(listener->connection)) {
      table.subscriptions.stall(listener->connection);
      continue;
    }
    begin_notice(notice_, table, listener->topic->name);
    notice_.add("missed", std::exchange(listener->missed, 0));
    replies_.push(table.log, listener->connection, notice_, {}, ListenMode::row);
  }
}

// One page, by id, of the rows that were due before the listener.
void Announcer::tell_page(ServedTable const& table, Listener& listener) {
  Announcements& waiting = table.subscriptions.announcements();
  std::string_view const topic = listener.topic->name;
  found_.clear();
  ObjectId const next = table.can.topics->find_available(topic, listener.paged_to, kWorkUnitsPerPage, found_);
  work_units_.add(kWorkUnitsPerPage + kWorkUnitsPerPush * found_.size());
  ObjectId told = listener.paged_to;
  for (ObjectId const object : found_) {
    if (replies_.is_full(listener.connection)) {
      waiting.page_told(listener, told, false);
      table.subscriptions.stall(listener.connection);
      return;
    }
    begin_notice(notice_, table, topic);
    if (table.can.topics->announce(object, notice_))
      replies_.push(table.log, listener.connection, notice_, {}, ListenMode::row);
    told = object;
  }
  waiting.page_told(listener, next, next.is_none());
}

}  // namespace fastjournal::work
