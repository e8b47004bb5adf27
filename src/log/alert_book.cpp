#include "log/alert_book.h"

#include <algorithm>

#include "base/bytes.h"
#include "model/body.h"

namespace fastjournal::log {
namespace {

struct RaisedBody {
  static constexpr auto kType = AlertBook::kRaised;
  TableId table{};
  Alert alert{};
  TimeMs told{};
  static void fields(auto& io, auto& body) {
    auto& alert = body.alert;
    io.fixed(body.table).text16(alert.name).byte(alert.priority).byte(alert.manual).text16(alert.message);
    io.text16(alert.tags).fixed(alert.count).fixed(alert.first.value).fixed(alert.last.value).fixed(body.told.value);
  }
};
struct AgainBody {
  static constexpr auto kType = AlertBook::kAgain;
  TableId table{};
  std::string_view name{};
  std::uint64_t count{0};
  TimeMs last{};
  static void fields(auto& io, auto& body) {
    io.fixed(body.table).text16(body.name).fixed(body.count).fixed(body.last.value);
  }
};
struct LoweredBody {
  static constexpr auto kType = AlertBook::kLowered;
  TableId table{};
  std::string_view name{};
  static void fields(auto& io, auto& body) { io.fixed(body.table).text16(body.name); }
};

}  // namespace

void AlertBook::append_raised(Records& records, ObjectId object, TableId table, Alert const& alert, TimeMs told) {
  model::append_record(records, object, RaisedBody{table, alert, told});
}

void AlertBook::append_again(Records& records, TableId table, std::string_view name, std::uint64_t count, TimeMs last) {
  model::append_record(records, {}, AgainBody{table, name, count, last});
}

void AlertBook::append_lowered(Records& records, TableId table, std::string_view name) {
  model::append_record(records, {}, LoweredBody{table, name});
}

bool AlertBook::apply(RecordView const& record) {
  if (record.version == 0 || record.version > newest_version(record.type)) return false;
  if (record.type == kLowered) {
    LoweredBody body;
    if (!model::read_record(record, body)) return false;
    entries_.erase(Key{body.table, body.name});
    return true;
  }
  if (record.type == kAgain) {
    AgainBody body;
    if (!model::read_record(record, body)) return false;
    auto const found = entries_.find(Key{body.table, body.name});
    if (found == entries_.end()) return true;
    found->second.alert.count = body.count;
    found->second.alert.last = body.last;
    return true;
  }
  RaisedBody body;
  if (!model::read_record(record, body)) return false;
  Key key{body.table, body.alert.name};
  entries_[std::move(key)] = Entry{record.object, record.lsn, std::move(body.alert), body.told};
  return true;
}

void AlertBook::forget_table(TableId table) {
  std::erase_if(entries_, [table](auto const& one) { return one.first.first == table; });
}

void AlertBook::lower_clock(TimeMs now) {
  for (auto& [key, entry] : entries_)
    for (TimeMs* const date : {&entry.alert.first, &entry.alert.last, &entry.told}) *date = std::min(*date, now);
}

AlertBook::Entry const* AlertBook::find(TableId table, std::string_view name) const {
  auto const found = entries_.find(Key{table, name});
  return found == entries_.end() ? nullptr : &found->second;
}

bool AlertBook::has_room(TableId table) const {
  if (entries_.size() >= kAlertsMax) return false;
  auto const first = entries_.lower_bound(Key{table, {}});
  auto last = first;
  std::size_t count = 0;
  for (; last != entries_.end() && last->first.first == table; ++last) ++count;
  return count < kAlertsPerTable;
}

Lsn AlertBook::oldest_lsn() const {
  Lsn oldest = kNoLsn;
  for (auto const& [key, entry] : entries_)
    if (oldest.is_none() || entry.lsn < oldest) oldest = entry.lsn;
  return oldest;
}

bool AlertBook::compact_one(Lsn below, Records& records) const {
  for (auto const& [key, entry] : entries_) {
    if (entry.lsn >= below) continue;
    append_raised(records, entry.object, key.first, entry.alert, entry.told);
    return true;
  }
  return false;
}

void AlertBook::digest(DigestSink& sink) const {
  for (auto const& [key, entry] : entries_) model::digest_body(sink, RaisedBody{key.first, entry.alert, entry.told});
}

}  // namespace fastjournal::log
