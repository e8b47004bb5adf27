#include "plugins/journal/row_answers.h"

#include "model/key_codec.h"
#include "model/row_codec.h"
#include "plugins/journal/texts.h"
#include "plugins/rows/failure.h"
#include "plugins/rows/leased.h"

namespace fastjournal::journal {
namespace {

void add_extras(rows::State const& rows, std::uint32_t index, Answer& answer) {
  rows::Extras const extras = rows::extras::read(rows.extras_of(index));
  if (extras.tags) answer.add("tags", *extras.tags);
  if (extras.max_attempts) answer.add("max_attempts", std::uint64_t{*extras.max_attempts});
  if (extras.back_off) answer.add("back_off", std::string_view{rows::text_of(*extras.back_off)});
  if (extras.group)
    if (rows::JobGroup const* const group = rows.job_groups().find(*extras.group); group != nullptr)
      answer.add("group", std::string_view{group->name});
  if (extras.unique_for) answer.add("unique_for", *extras.unique_for);
  if (std::int64_t const lease = rows.detail_of(index).lease; lease != 0) answer.add("lease", lease);
}

}  // namespace

std::uint64_t add_row_columns(rows::State const& rows, std::uint32_t index, rows::PayloadView const& view,
                              Answer& answer, StoredValue::As as) {
  rows::Row const& row = rows.row(index);
  Schema const& schema = *rows.schemas().find(view.facts.schema);
  model::add_key(schema, view.key, answer);
  std::uint64_t const outside = model::add_data(schema, view.data, answer, as);
  if (outside != 0 && as == StoredValue::As::place) answer.add("places", std::int64_t{1});
  answer.add("priority", std::uint64_t{row.priority()}).add("process_date", row.date());
  answer.add("insertion_date", view.facts.inserted).add("timeouts", std::uint64_t{row.timeouts()});
  answer.add("attempts", std::uint64_t{row.timeouts()} + view.facts.failures);
  if (row.has_detail()) [[unlikely]]
    add_extras(rows, index, answer);
  return outside;
}

std::uint64_t describe_row(rows::State const& rows, Settings const& settings, Command const& command,
                           std::uint32_t index, Answer& answer, StoredValue::As as) {
  rows::Row const& row = rows.row(index);
  rows::PayloadView const view = rows.view(index);
  answer.message("ROW").add("table", std::string_view{settings.table()}).add("row", row.id().value);
  std::uint64_t const outside = add_row_columns(rows, index, view, answer, as);
  answer.add("status", Value::of_text(status_of(row.place())));
  if (row.place() == rows::Place::blocked)
    answer.add("waits_for", std::uint64_t{rows.places().waits().after_of(index).all.size()});
  if (view.facts.accepted != view.facts.inserted) answer.add("accepted_date", view.facts.accepted);
  if (view.facts.merges > 0) answer.add("merges", std::uint64_t{view.facts.merges});
  if (view.facts.expires != 0) answer.add("expiration_date", view.facts.expires);
  if (row.place() == rows::Place::processing) {
    rows::Lease const& lease = rows.lease_of(index);
    answer.add("lease_end", lease.ends).add("started_date", lease.began).add("worker", rows.leases().worker(lease));
    if (rows::may_see_epoch(lease, command)) answer.add("epoch", lease.epoch.value);
    add_progress(rows, index, answer);
  }
  rows::add_error(view.failure, answer);
  return outside;
}

void add_progress(rows::State const& rows, std::uint32_t row, Answer& answer) {
  rows::Progress const* const progress = rows.progress_of(row);
  if (progress == nullptr) [[likely]]
    return;
  answer.add("progress", std::uint64_t{progress->percent}).add("progress_date", progress->at);
  if (!progress->note.empty()) answer.add("progress_note", std::string_view{progress->note});
}

void add_schedule(rows::State const& rows, rows::Schedules const& schedules, std::uint32_t row, Answer& answer) {
  std::string_view const bytes = rows.extras_of(row);
  if (bytes.empty()) [[likely]]
    return;
  std::optional<rows::OfSchedule> const of = rows::extras::read(bytes).of_schedule;
  if (!of) return;
  rows::Schedule const* const schedule = schedules.find(ObjectId{of->schedule});
  if (schedule != nullptr) answer.add("schedule", std::string_view{schedule->rules.name});
  answer.add("schedule_date", of->date);
}

void answer_ended(Settings const& settings, ObjectId row, std::string_view waiting, rows::Ended const& ended,
                  Decision& decision) {
  std::string_view const command = ended.how == rows::Ended::waits    ? waiting
                                   : ended.how == rows::Ended::parked ? "PARKED"
                                                                      : "DELETED";
  Answer& answer = decision.answer.message(command);
  answer.add("table", std::string_view{settings.table()}).add("row", row.value);
  if (ended.how == rows::Ended::waits) answer.add("process_date", ended.date);
}

}  // namespace fastjournal::journal
