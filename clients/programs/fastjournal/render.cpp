#include "clients/programs/fastjournal/render.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/utf8.h"
#include "clients/cpp/value_text.h"
#include "clients/programs/fastjournal/buffers.h"
#include "clients/programs/fastjournal/dates.h"
#include "clients/programs/fastjournal/json_line.h"
#include "clients/programs/fastjournal/utf8.h"
#include "model/value.h"

namespace fastjournal::cli {

namespace {

constexpr std::size_t kCellWidthMin = 8;
constexpr std::string_view kGap = "  ";

bool steers(std::string_view name) { return name == "request" || name == "left" || name == "after"; }

bool is_date(std::string_view name) {
  static constexpr std::array<std::string_view, 26> kDates{
      "accepted_date",   "access_date",  "changed_date",      "creation_date", "date",         "decided_date",
      "expiration_date", "first_date",   "insertion_date",    "last_date",     "last_success", "lease_end",
      "lock_end",        "made_date",    "modification_date", "next_date",     "now",          "paused_until",
      "prepared_date",   "process_date", "progress_date",     "schedule_date", "sent_date",    "start_processing_date",
      "waiting_date",    "worked_on_end"};
  return std::find(kDates.begin(), kDates.end(), name) != kDates.end();
}

// The order of parameters in a table: first those that identify the row, then its columns, then the rest.
std::size_t rank_of(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kFront{"table", "name",  "type",   "rows",
                                                          "row",   "epoch", "status", "result"};
  static constexpr std::array<std::string_view, 10> kBack{
      "priority", "process_date",   "attempts",      "timeouts",        "lease_end",
      "worker",   "insertion_date", "accepted_date", "expiration_date", "merges"};
  auto const front = std::find(kFront.begin(), kFront.end(), name);
  if (front != kFront.end()) return static_cast<std::size_t>(front - kFront.begin());
  auto const back = std::find(kBack.begin(), kBack.end(), name);
  if (back != kBack.end()) return 100 + static_cast<std::size_t>(back - kBack.begin());
  return 50;
}

std::string cell_text(Param const& param, Look const& look) {
  if (is_date(param.name))
    if (auto const ms = param.value.as_integer()) return *ms == 0 ? "-" : date_text(*ms, look);
  if (param.value.kind == Value::Kind::binary) return fmt::format("({} bytes)", param.value.bytes.size());
  return printable(client::text_of(param.value));
}

std::string cut(std::string const& text, std::size_t width) {
  if (display_width(text) <= width) return text;
  return std::string(cut_to_width(text, width - 1)) + "…";
}

struct TableColumn {
  std::string name;
  std::vector<std::string> cells;
  bool numeric{true};
  bool has_dates{false};
  std::size_t width{0};
  std::size_t wanted{0};  // of the whole cells
};

bool looks_numeric(std::string_view cell) {
  return std::all_of(cell.begin(), cell.end(), [](char c) { return (c >= '0' && c <= '9') || c == '.' || c == '-'; });
}

// As date_text spells them.
bool begins_with_date(std::string_view cell) {
  constexpr std::string_view kDay = "0000-00-00T";
  return cell.size() > kDay.size() && std::equal(kDay.begin(), kDay.end(), cell.begin(), [](char wanted, char c) {
           return wanted == '0' ? c >= '0' && c <= '9' : c == wanted;
         });
}

std::vector<TableColumn> columns_of(std::span<Message const> records, Look const& look, std::string_view hidden) {
  std::vector<TableColumn> out;
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (Param const& param : records[i].params()) {
      if (steers(param.name) || param.name == hidden) continue;
      auto at = std::find_if(out.begin(), out.end(), [&](TableColumn const& c) { return c.name == param.name; });
      if (at == out.end())
        at = out.insert(
            out.end(), TableColumn{.name = std::string(param.name), .cells = std::vector<std::string>(records.size())});
      at->cells[i] = cell_text(param, look);
      // A line has little room: to the second.
      constexpr std::size_t kToSecond = std::string_view{"2026-11-22T06:33:12"}.size();
      bool const is_whole = at->cells[i].size() > kToSecond && at->cells[i][kToSecond] == '.';
      if (!look.utc && is_date(param.name) && is_whole && begins_with_date(at->cells[i]))
        at->cells[i].erase(kToSecond, std::string_view{".250"}.size());
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](TableColumn const& a, TableColumn const& b) { return rank_of(a.name) < rank_of(b.name); });
  for (TableColumn& column : out) {
    column.width = display_width(column.name);
    for (std::string const& cell : column.cells) {
      column.width = std::max(column.width, display_width(cell));
      column.numeric = column.numeric && looks_numeric(cell);
      column.has_dates = column.has_dates || begins_with_date(cell);
    }
    column.wanted = column.width;
  }
  return out;
}

std::size_t width_of(std::vector<TableColumn> const& columns) {
  return std::accumulate(columns.begin(), columns.end(), kGap.size() * (columns.size() - 1),
                         [](std::size_t sum, TableColumn const& c) { return sum + c.width; });
}

// What a line is about. Of rows: the first column of the table's own, its key; where there is none, the first one that
// has text.
std::size_t important_of(std::vector<TableColumn> const& columns, Message const& record) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kAbout{{{"TABLE", "name"},
                                                                                         {"ALERT", "name"},
                                                                                         {"WAITER", "worker"},
                                                                                         {"QUEUE", "queue"},
                                                                                         {"EXCHANGE", "exchange"},
                                                                                         {"NODE", "node"},
                                                                                         {"SHARED_LOG", "log"},
                                                                                         {"DESTINATION", "destination"},
                                                                                         {"DOCUMENT", "uri"},
                                                                                         {"EVENT", "what"},
                                                                                         {"BRANCH", "xid"},
                                                                                         {"DOMAIN", "domain"}}};
  auto const find = [&](auto const& fits) {
    return static_cast<std::size_t>(std::find_if(columns.begin(), columns.end(), fits) - columns.begin());
  };
  std::size_t at = columns.size();
  auto const find_named = [&find](std::string_view name) {
    return find([name](TableColumn const& one) { return one.name == name; });
  };
  if (auto const about =
          std::ranges::find(kAbout, record.command, &std::pair<std::string_view, std::string_view>::first);
      about != kAbout.end())
    at = find_named(about->second);
  // Whatever the key is called, it stands behind the row's number.
  if (auto const row = std::ranges::find(record.params(), "row", &Param::name);
      record.command == "ROW" && row != record.params().end() && row + 1 != record.params().end())
    at = find_named((row + 1)->name);
  if (at == columns.size()) at = find([](TableColumn const& one) { return rank_of(one.name) == 50; });
  if (at == columns.size()) at = find([](TableColumn const& one) { return !one.numeric; });
  return at == columns.size() ? 0 : at;
}

// Columns that are long and that few read, and those that leave no room for the message of an alert: they are left out
// before others are cut.
bool is_for_few(std::string_view command, std::string_view name) {
  static constexpr std::array<std::string_view, 6> kForFew{"branches", "content_hash", "generation",
                                                           "hash",     "step",         "token"};
  static constexpr std::array<std::string_view, 6> kOfAlerts{"count",       "first",    "last",
                                                             "manual_down", "priority", "tags"};
  return std::ranges::find(kForFew, name) != kForFew.end() ||
         (command == "ALERT" && std::ranges::find(kOfAlerts, name) != kOfAlerts.end());
}

// Gives cut columns the room that those left out have made.
void widen(std::vector<TableColumn>& columns, std::size_t width) {
  for (TableColumn& one : columns) {
    std::size_t const used = width_of(columns);
    if (used < width) one.width = std::min(one.wanted, one.width + width - used);
  }
}

// Until a line fits: the important column comes first; columns for few are left out; others than the important one are
// cut, the widest first, but dates, of which a part says little; then columns are left out from the end; then the
// important one is cut. Returns the names of those left out.
std::string fit(std::vector<TableColumn>& columns, Message const& record, std::size_t width) {
  std::string out;
  if (width_of(columns) <= width) return out;
  auto const important = columns.begin() + static_cast<std::ptrdiff_t>(important_of(columns, record));
  std::rotate(columns.begin(), important, important + 1);
  auto const leave_out = [&](std::size_t at) {
    out = columns[at].name + (out.empty() ? "" : ", ") + out;
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(at));
  };
  for (std::size_t at = columns.size() - 1; at > 0 && width_of(columns) > width; --at)
    if (is_for_few(record.command, columns[at].name)) leave_out(at);
  while (width_of(columns) > width) {
    TableColumn* widest = nullptr;
    for (TableColumn& one : std::span{columns}.subspan(1)) {
      bool const can_be_cut = one.width > kCellWidthMin && !one.has_dates;
      if (can_be_cut && (widest == nullptr || one.width > widest->width)) widest = &one;
    }
    if (widest != nullptr) {
      --widest->width;
    } else if (columns.size() > 1) {
      leave_out(columns.size() - 1);
    } else {
      columns.front().width = std::max(kCellWidthMin, std::min(columns.front().width, width));
      return out;
    }
  }
  widen(columns, width);
  return out;
}

std::string padded(std::string const& text, TableColumn const& column) {
  std::string const shown = cut(text, column.width);
  std::string const blanks(column.width - display_width(shown), ' ');
  return column.numeric ? blanks + shown : shown + blanks;
}

void append_line(std::string& out, std::string line) {
  while (line.ends_with(' ')) line.pop_back();
  out += line;
  out += '\n';
}

// Between words, so that no line is wider, unless a word is.
void append_wrapped(std::string& out, std::string_view text, std::size_t width) {
  while (text.size() > width) {
    std::size_t at = text.rfind(' ', width);
    if (at == std::string_view::npos) at = text.find(' ');
    if (at == std::string_view::npos) break;
    append_line(out, std::string{text.substr(0, at)});
    text.remove_prefix(at + 1);
  }
  append_line(out, std::string{text});
}

nlohmann::ordered_json json_of(Value const& value) {
  switch (value.kind) {
    case Value::Kind::integer: return value.integer;
    case Value::Kind::unsigned_integer: return value.unsigned_integer;
    case Value::Kind::real: return value.real;
    case Value::Kind::boolean: return value.boolean;
    case Value::Kind::binary: {
      // In a form that can be put again: text if possible, otherwise base64 with its prefix.
      if (is_utf8(value.bytes) && !value.bytes.starts_with(kBase64Prefix)) break;
      std::string spelled{kBase64Prefix};
      append_base64(value.bytes, spelled);
      return spelled;
    }
    case Value::Kind::text: break;
  }
  return std::string(value.bytes);
}

}  // namespace

std::string trace_lines(std::string_view trace) {
  std::string out;
  while (!trace.empty()) {
    std::size_t const end = std::min(trace.find('\n'), trace.size());
    append_line(out, "    " + printable(trace.substr(0, end)));
    trace.remove_prefix(std::min(end + 1, trace.size()));
  }
  return out;
}

std::string render_table(std::span<Message const> records, Look const& look, std::string_view hidden) {
  std::vector<TableColumn> columns = columns_of(records, look, hidden);
  if (columns.empty()) return {};
  std::string const left_out = look.terminal ? fit(columns, records.front(), look.width) : std::string{};
  std::string out;
  std::string head;
  for (TableColumn const& column : columns) head.append(head.empty() ? "" : kGap).append(padded(column.name, column));
  append_line(out, std::move(head));
  if (look.terminal) out = "\x1b[1m" + out.substr(0, out.size() - 1) + "\x1b[0m\n";
  for (std::size_t i = 0; i < records.size(); ++i) {
    std::string line;
    for (std::size_t c = 0; c < columns.size(); ++c)
      line.append(c == 0 ? "" : kGap).append(padded(columns[c].cells[i], columns[c]));
    append_line(out, std::move(line));
  }
  if (!left_out.empty())
    append_wrapped(out, "no room for " + left_out + ": --json has them, a wider terminal too", look.width);
  return out;
}

std::string render_sheet(Message const& record, Look const& look) {
  std::size_t width = 0;
  for (Param const& param : record.params())
    if (!steers(param.name)) width = std::max(width, param.name.size());
  std::string out;
  for (Param const& param : record.params())
    if (param.name == "error_trace")
      out.append(param.name).append("\n").append(trace_lines(param.value.bytes));
    else if (!steers(param.name))
      append_line(out, fmt::format("{:<{}}  {}", param.name, width, cell_text(param, look)));
  return out;
}

std::string render_line(Message const& record, Look const& look) {
  std::string out(record.command);
  for (Param const& param : record.params())
    if (!steers(param.name)) out.append(" ").append(param.name).append("=").append(cell_text(param, look));
  return out + '\n';
}

std::string render_json(Message const& record, bool with_command) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  if (with_command) out["command"] = std::string(record.command);
  for (Param const& param : record.params())
    if (!steers(param.name)) out[std::string(param.name)] = json_of(param.value);
  return json_line(out);
}

}  // namespace fastjournal::cli
