// What is left of rows and attempts when their records are applied.
#include "base/failure.h"
#include "plugins/rows/row_table.h"

namespace fastjournal::rows {

EndedBody RowTable::ended_of(std::uint32_t index, RemoveBody const& body, std::string& room) const {
  Row const& row = state_.row(index);
  PayloadView const view = state_.view(index);
  EndedBody out;
  out.end = static_cast<End>(body.reason);
  out.row = row.id();
  out.at = body.kept_at;
  out.attempts = body.has_counters ? body.counters.lifetime : row.lifetime();
  if (body.reason == Reason::done) out.attempts = one_more(out.attempts);
  if (has_lease(row.place())) {
    Leases::Terms const terms = state_.terms_of(index);
    out.began = terms.began;
    out.worker = terms.worker;
  }
  out.schema = view.facts.schema;
  out.key = view.key;
  out.error = failure::error_of(body.error.empty() ? view.failure : body.error);
  out.priority = state_.priority_of(index);
  out.date = row.date();
  out.arrival = view.facts.arrival;
  out.inserted = view.facts.inserted;
  out.expires = view.facts.expires;
  out.merges = view.facts.merges;
  out.extras = state_.extras_of(index);
  out.result = body.result;
  out.data = view.data;
  Schema const& schema = *state_.schemas().find(out.schema);
  // Its files give that up now.
  if (state_.has_outside() && model::without_outside(schema, view.data, room)) {
    out.is_partial = true;
    out.data = room;
  }
  if (out.data.size() > kEndedDataMax) {
    room.clear();
    model::append_no_data(schema, room);
    out.is_partial = true;
    out.data = room;
  }
  return out;
}

void RowTable::keep_attempt(std::uint32_t index, Counters const& counters, std::string_view error, std::int64_t at,
                            Lsn lsn) {
  Row const& row = state_.row(index);
  PayloadView const view = state_.view(index);
  EndedBody body;
  body.number = lsn.value;
  body.end = counters.timeouts > row.timeouts() ? End::timeout : End::error;
  body.row = row.id();
  body.at = at;
  if (has_lease(row.place())) {
    Leases::Terms const terms = state_.terms_of(index);
    body.began = terms.began;
    body.worker = terms.worker;
  }
  body.attempts = counters.lifetime;
  body.schema = view.facts.schema;
  body.key = view.key;
  body.error = error;
  history_.add(body, row.region);
}

void RowTable::keep_end(std::uint32_t index, RemoveBody const& body, Lsn lsn) {
  if (body.has_counters && has_lease(state_.row(index).place()))
    keep_attempt(index, body.counters, body.error, body.kept_at, lsn);
  std::string room;
  EndedBody ended = ended_of(index, body, room);
  ended.number = lsn.value + 1;
  history_.add(ended, state_.row(index).region);
}

}  // namespace fastjournal::rows
