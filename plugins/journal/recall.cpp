#include "plugins/journal/recall.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "model/key_codec.h"
#include "model/row_codec.h"
#include "model/value.h"
#include "plugins/journal/texts.h"
#include "plugins/rows/extras.h"
#include "plugins/rows/failure.h"
#include "plugins/rows/lease_times.h"

namespace fastjournal::journal {
namespace {

// What one call reads at most: parts of pages, and entries where all of them are at hand. Then its page ends.
constexpr std::uint32_t kRecallFetchesMax = 256;
constexpr std::uint64_t kRecallEntriesMax = 20'000;
constexpr std::uint64_t kRecallBytesMax = 1U << 20U;
// Entries of rows that REDO puts again have room in one step.
constexpr std::size_t kRedoBytesMax = 12U << 10U;

// Decision::carry while bytes are read: where the search goes on. Of WAIT the first one is the row.
enum RecallCarry : std::size_t { kBefore, kPage, kEntry, kRow };

rows::HistorySearch::Place place_of(Decision const& decision, std::uint64_t before) {
  if (decision.step == 0) return {.before = before};
  return {decision.carry[kBefore], decision.carry[kPage], decision.carry[kEntry]};
}
void keep_place(rows::HistorySearch::Place const& place, Decision& decision) {
  decision.carry[kBefore] = place.before;
  decision.carry[kPage] = place.page;
  decision.carry[kEntry] = place.entry;
}

constexpr std::string_view name_of(rows::End end) {
  switch (end) {
    case rows::End::done: return "done";
    case rows::End::deleted: return "deleted";
    case rows::End::expired: return "expired";
    case rows::End::failed: return "failed";
    case rows::End::error:
    case rows::End::timeout: return "attempt";
  }
  return "";
}

void ask_for_rows(rows::HistoryQuery& query) {
  for (rows::End const end : {rows::End::done, rows::End::deleted, rows::End::expired, rows::End::failed})
    query.ends[static_cast<std::size_t>(end)] = true;
}

}  // namespace

// ---------------------------------------------------------------------------
// What is asked for

Status Recall::read_key_if_given(Command const& command, bool& is_given) const {
  Schema const& schema = settings_.schema();
  is_given = std::ranges::any_of(schema.columns, [&](Column const& one) { return command.message->has(one.name); });
  return is_given ? selection_.read_key(command) : Status{};
}

Status Recall::read_query(Command const& command, made::History const& given, rows::HistoryQuery& query) const {
  if (given.row) query.row = ObjectId{*given.row};
  bool has_key = false;
  if (Status status = read_key_if_given(command, has_key); !status.ok()) return status;
  if (has_key && given.row) return model::refused(Code::bad_parameter, "row", "HISTORY takes a row or a key, not both");
  if (has_key) query.key = selection_.key();
  if (given.tag.is_given) query.tag = given.tag;
  query.since = given.from_date.value_or(0);
  query.until = given.to_date.value_or(INT64_MAX);
  query.error = given.error;
  bool const is_any = !given.end;
  std::string_view const end = is_any ? std::string_view{} : made::name_of(*given.end);
  for (std::size_t i = 1; i < rows::kEnds; ++i) query.ends[i] = is_any || name_of(static_cast<rows::End>(i)) == end;
  return {};
}

// ---------------------------------------------------------------------------
// Answers

Status Recall::describe(rows::EndedBody const& body, Answer& answer) const {
  Schema const* const schema = table_.state().schemas().find(body.schema);
  bool const is_row = !rows::is_attempt(body.end);
  if (schema == nullptr || (is_row && !model::is_data(*schema, body.data)))
    return {Code::damaged, fmt::format("entry {} of the history of table {} is not of a schema that it had",
                                       body.number, settings_.table())};
  answer.message("ENTRY").add("table", Value::of_text(settings_.table())).add("row", body.row.value);
  if (!schema->key.empty()) model::add_key(*schema, body.key, answer);
  if (is_row) model::add_data(*schema, body.data, answer);
  answer.add("end", Value::of_text(name_of(body.end))).add("end_date", body.at);
  if (body.began != 0) answer.add("start_date", body.began);
  answer.add(is_row ? std::string_view{"attempts"} : std::string_view{"attempt"}, std::uint64_t{body.attempts});
  if (!is_row) answer.add("cause", Value::of_text(body.end == rows::End::error ? "error" : "timeout"));
  if (!body.worker.empty()) answer.add("worker", body.worker);
  if (is_row) {
    if (!body.result.empty()) answer.add("result", body.result);
    answer.add("priority", std::uint64_t{body.priority}).add("process_date", body.date);
    answer.add("insertion_date", body.inserted).add("arrival_date", body.arrival);
    if (body.expires != 0) answer.add("expiration_date", body.expires);
    if (body.merges != 0) answer.add("merges", std::uint64_t{body.merges});
    if (rows::extras::is_of_row(body.extras))
      if (auto const tags = rows::extras::read(body.extras).tags) answer.add("tags", *tags);
    if (body.is_partial) answer.add("partial", std::int64_t{1});
  }
  rows::add_failure(body.error, answer);
  if (body.number != 0) answer.add("entry", body.number);
  return {};
}

// ---------------------------------------------------------------------------
// HISTORY

Verdict Recall::history(Command const& command, Decision& decision) const {
  made::History given;
  if (!given.read(command, decision)) return Verdict::done;
  rows::HistoryQuery query;
  if (decision.refuses(read_query(command, given, query))) return Verdict::done;
  rows::History const& history = table_.history();
  if (history.entries() == 0 && settings_.options().keep_done == 0)
    return decision.refuse({Code::not_supported, "table " + settings_.table() +
                                                     " keeps nothing of rows that ended: give it keep-done, for "
                                                     "instance <keep-done>7d</keep-done>"});
  rows::HistorySearch search{history, query, place_of(decision, given.after.value_or(UINT64_MAX))};
  search.pause_after(kRecallEntriesMax);
  rows::EndedBody body;
  std::uint64_t shown = 0;
  std::uint64_t bytes = 0;
  bool has_more = true;
  rows::HistorySearch::Place place = search.place();
  while (shown < given.count && bytes < kRecallBytesMax) {
    rows::HistorySearch::Next const next = search.next(body);
    if (next == rows::HistorySearch::Next::wants) {
      // What was shown has to be at hand again then: the search is begun anew before the first of it.
      if (shown == 0) keep_place(search.place(), decision);
      if (decision.step >= kRecallFetchesMax) break;
      if (shown > 0 && decision.step == 0) keep_place({.before = given.after.value_or(UINT64_MAX)}, decision);
      decision.wanted = search.wanted();
      decision.work_units += static_cast<std::uint32_t>(search.read() / 8);
      return Verdict::fetch;
    }
    if (next == rows::HistorySearch::Next::damaged) {
      // First what was found, and then, by itself, what cannot be read.
      if (shown > 0) break;
      return decision.refuse(search.status());
    }
    if (next != rows::HistorySearch::Next::entry) {
      has_more = next == rows::HistorySearch::Next::pause;
      place = search.place();
      break;
    }
    place = search.place();
    if (Status status = describe(body, decision.answer); !status.ok()) {
      if (shown > 0) break;
      return decision.refuse(std::move(status).with("after", std::to_string(body.number)));
    }
    ++shown;
    bytes += 300 + body.key.size() + body.data.size() + body.result.size() + body.error.size();
  }
  if (shown == 0) place = search.place();
  decision.work_units += static_cast<std::uint32_t>(search.read() / 8 + shown * 4);
  if (shown == 0) decision.answer.message("NOTHING").add("table", Value::of_text(settings_.table()));
  decision.answer.add("looked", search.looked()).add("kept", history.entries());
  if (has_more) decision.answer.add("after", place.before);
  return Verdict::done;
}

bool Recall::find_end(rows::HistoryQuery const& query, Decision& decision, rows::EndedBody& body,
                      Verdict& verdict) const {
  rows::HistorySearch search{table_.history(), query, place_of(decision, UINT64_MAX)};
  rows::HistorySearch::Next const next = search.next(body);
  decision.work_units += static_cast<std::uint32_t>(search.read() / 8);
  verdict = Verdict::done;
  if (next == rows::HistorySearch::Next::entry) return true;
  if (next == rows::HistorySearch::Next::wants) {
    keep_place(search.place(), decision);
    decision.wanted = search.wanted();
    verdict = Verdict::fetch;
  } else if (next == rows::HistorySearch::Next::damaged) {
    decision.status = search.status();
  }
  return false;
}

// ---------------------------------------------------------------------------
// WAIT

Verdict Recall::wait(Command const& command, Decision& decision) const {
  made::Wait given;
  if (!given.read(command, decision) || decision.refuses(rows::check_wait(command, given.wait))) return Verdict::done;
  ObjectId id{given.row.value_or(decision.carry[kRow])};
  rows::State const& state = table_.state();
  rows::HistoryQuery query;
  ask_for_rows(query);
  if (id.is_none()) {
    if (decision.refuses(selection_.read_key(command))) return Verdict::done;
    rows::KeyRows const of_key = state.keys().find(selection_.key());
    std::uint32_t const row = of_key.waiting != rows::kNoRow      ? of_key.waiting
                              : of_key.processing != rows::kNoRow ? of_key.processing
                                                                  : of_key.parked;
    if (row == rows::kNoRow)
      query.key = selection_.key();
    else
      id = state.id_of(row);
  }
  if (!id.is_none()) query.row = id;
  // Behind a wait it has its row, also of a key.
  decision.carry[kRow] = id.value;
  if (std::uint32_t const row = id.is_none() ? rows::kNoRow : state.find(id); row != rows::kNoRow)
    return answer_of_live(id, row, given, decision);
  rows::EndedBody body;
  if (Awaited::Outcome const* const outcome = awaited_.outcome_of(id); outcome != nullptr) {
    if (!outcome->into.is_none()) return answer_merged(id, outcome->into, decision);
    if (model::read_body(outcome->body, 1, body)) return decision.refuse(describe(body, decision.answer));
  }
  Verdict verdict = Verdict::done;
  if (find_end(query, decision, body, verdict)) return decision.refuse(describe(body, decision.answer));
  if (verdict == Verdict::fetch || !decision.status.ok()) return verdict;
  Answer& answer = decision.answer.message("NOTHING").add("table", Value::of_text(settings_.table()));
  if (!id.is_none()) answer.add("row", id.value);
  answer.add("reason",
             std::string_view{settings_.options().keep_done == 0
                                  ? "there is no such row: it ended, and the table keeps nothing of rows that "
                                    "ended (keep-done); or it was never there"
                                  : "there is no such row, and nothing is known of one that ended: it is too "
                                    "long ago for keep-done, or it was never there"});
  return Verdict::done;
}

Verdict Recall::answer_of_live(ObjectId id, std::uint32_t index, made::Wait const& given, Decision& decision) const {
  rows::State const& state = table_.state();
  rows::Place const place = state.row(index).place();
  if (place == rows::Place::parked) {
    std::string room;
    rows::RemoveBody said{rows::Reason::failed};
    said.kept_at = state.view(index).facts.parked_at;
    rows::EndedBody const body = table_.ended_of(index, said, room);
    if (decision.refuses(describe(body, decision.answer))) return Verdict::done;
    std::size_t const end = static_cast<std::size_t>(std::ranges::find(decision.answer.params(), "end", &Param::name) -
                                                     decision.answer.params().begin());
    decision.answer.replace(end, Value::of_text("parked"));
    return Verdict::done;
  }
  if (given.wait > 0 && !decision.waited) {
    awaited_.await(id);
    topic_ = Awaited::topic_of(id);
    decision.wait_topic = topic_;
    decision.wait_until = decision.now + DurationMs{given.wait};
    return Verdict::wait;
  }
  decision.answer.message("NOTHING")
      .add("table", Value::of_text(settings_.table()))
      .add("row", id.value)
      .add("reason", std::string_view{fmt::format("it has not ended: it is {}", status_of(place))});
  return Verdict::done;
}

Verdict Recall::answer_merged(ObjectId id, ObjectId into, Decision& decision) const {
  decision.answer.message("NOTHING")
      .add("table", Value::of_text(settings_.table()))
      .add("row", into.value)
      .add("reason",
           std::string_view{fmt::format("row {} was merged into row {}, the other one of its key: wait for that",
                                        id.value, into.value)});
  return Verdict::done;
}

// ---------------------------------------------------------------------------
// REDO

Verdict Recall::redo(Command const& command, Decision& decision) const {
  made::Redo given;
  if (!given.read(command, decision, settings_.options().words.priorities)) return Verdict::done;
  ObjectId const id{given.row};
  std::string const name = fmt::format("row {} of table {}", id.value, settings_.table());
  if (table_.state().find(id) != rows::kNoRow)
    return decision.refuse(
        {Code::wrong_state, name + " has not ended: KICK makes it due, and puts it back if it is parked"});
  rows::HistoryQuery query;
  ask_for_rows(query);
  query.row = id;
  rows::EndedBody body;
  Verdict verdict = Verdict::done;
  if (!find_end(query, decision, body, verdict)) {
    if (verdict == Verdict::done && decision.status.ok())
      decision.status = {Code::unknown_row, "nothing is known of " + name +
                                                ": what is left of rows that ended is kept as "
                                                "long as keep-done says"};
    return verdict;
  }
  Answer columns;
  if (decision.refuses(describe(body, columns))) return Verdict::done;
  Message message{"INSERT"};
  message.set("table", Value::of_text(settings_.table()));
  bool is_changed = false;
  std::size_t bytes = 0;
  for (Column const& column : settings_.schema().columns) {
    Value const* value = command.message->find(column.name);
    is_changed = is_changed || value != nullptr;
    auto const kept = std::ranges::find(columns.params(), column.name, &Param::name);
    if (value == nullptr && kept != columns.params().end()) value = &kept->value;
    if (value == nullptr) continue;
    bytes += value->bytes.size();
    message.set(column.name, *value);
  }
  if (body.is_partial && !is_changed)
    return decision.refuse({Code::missing_parameter,
                            name + " had columns in files, or of more than 1 MiB, which are not kept: give them"});
  if (bytes > kRedoBytesMax)
    return decision.refuse({Code::too_large, fmt::format("{} has {} bytes, and REDO puts up to {} again: read it with "
                                                         "HISTORY, and INSERT it",
                                                         name, bytes, kRedoBytesMax)});
  message.set_integer("priority", static_cast<std::int64_t>(given.priority.value_or(
                                      static_cast<std::uint8_t>(std::min<std::uint32_t>(body.priority, UINT8_MAX)))));
  if (given.process_date) message.set_integer("process_date", *given.process_date);
  if (given.expiration_date) message.set_integer("expiration_date", *given.expiration_date);
  std::string rests;
  if (rows::extras::is_of_row(body.extras)) {
    rows::Extras const all = rows::extras::read(body.extras);
    if (all.tags) message.set("tags", *all.tags);
    if (all.max_attempts) message.set_integer("max_attempts", *all.max_attempts);
    if (all.back_off) message.set("back_off", std::string_view{rests = rows::text_of(*all.back_off)});
  }
  Command const again{.index = insert_,
                      .message = &message,
                      .connection = command.connection,
                      .worker = command.worker,
                      .origin = command.origin,
                      .holds = command.holds,
                      .may_manage = command.may_manage};
  return inserts_.insert(again, decision);
}

}  // namespace fastjournal::journal
