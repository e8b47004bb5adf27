#include "plugins/journal/pauses.h"

#include <algorithm>

#include "base/bytes.h"
#include "model/date.h"
#include "model/shortened.h"
#include "plugins/rows/regions.h"

namespace fastjournal::journal {
namespace {

constexpr std::string_view kBySelf = "fastjournal";

std::string_view state_of(Standing standing) {
  switch (standing) {
    case Standing::open: return "open";
    case Standing::paused: return "paused";
    case Standing::draining: return "draining";
  }
  return "";
}

}  // namespace

std::string Pauses::text() const {
  std::string out = pause_.standing == Standing::draining ? "draining" : "paused";
  out.append(" by ").append(pause_.by).append(" since ").append(model::format_date(pause_.since));
  if (!pause_.reason.empty()) out.append(": ").append(pause_.reason);
  return out;
}

Status Pauses::refusal(std::string_view what) const {
  return Status{Code::paused,
                "table " + settings_.table() + " is " + text() + " (" + std::string{what} + "; RESUME opens it again)"}
      .with("state", std::string{state_of(pause_.standing)})
      .with("by", pause_.by)
      .with("since", std::to_string(pause_.since))
      .with("reason", pause_.reason);
}

Verdict Pauses::stand(Standing standing, std::string_view answer, Command const& command, Decision& decision) const {
  PauseBody body;
  body.standing = standing;
  body.since = decision.now.value;
  body.by = command.worker;
  body.reason = model::shortened(command.message->text("reason"), kReasonBytesMax);
  if (body.by.size() > kWorkerBytesMax)
    return decision.refuse(
        Status{Code::too_large, "worker has more than " + std::to_string(kWorkerBytesMax) + " bytes"}.with("parameter",
                                                                                                           "worker"));
  model::append_record(decision.records, pause_.id, body);
  decision.answer.message(answer).add("table", std::string_view{settings_.table()});
  decision.answer.add("by", body.by).add("since", body.since);
  if (!body.reason.empty()) decision.answer.add("reason", body.reason);
  return Verdict::done;
}

Verdict Pauses::pause(Command const& command, Decision& decision) const {
  return stand(Standing::paused, "PAUSED", command, decision);
}

Verdict Pauses::drain(Command const& command, Decision& decision) const {
  return stand(Standing::draining, "DRAINING", command, decision);
}

// Has no effect on an open table, so that a repeated command gets the same answer.
Verdict Pauses::resume(Command const& command, Decision& decision) const {
  if (!pause_.id.is_none()) model::append_record(decision.records, pause_.id, ResumeBody{});
  decision.answer.message("RESUMED").add("table", std::string_view{settings_.table()});
  decision.answer.add("was", Value::of_text(state_of(pause_.standing))).add("by", command.worker);
  if (std::string_view const reason = command.message->text("reason"); !reason.empty())
    decision.answer.add("reason", model::shortened(reason, kReasonBytesMax));
  return Verdict::done;
}

bool Pauses::pause_after_failures(Decision& decision) const {
  if (settings_.options().pause_after_failures == 0 || failures_in_row_ < settings_.options().pause_after_failures ||
      !pause_.id.is_none())
    return false;
  std::string const reason =
      std::to_string(failures_in_row_) + " rows failed in a row (pause-after-failures): see LIST status=parked";
  model::append_record(decision.records, ObjectId{},
                       PauseBody{Standing::paused, true, decision.now.value, kBySelf, reason});
  return true;
}

// ---------------------------------------------------------------------------
// Applying

bool Pauses::apply(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  return record.type == static_cast<std::uint8_t>(RecordType::pause) ? apply_pause(record, context, observer)
                                                                     : apply_resume(record, context, observer);
}

// The alert of a table that was paused by failures lasts as long as the pause.
bool Pauses::apply_pause(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  PauseBody body;
  if (!model::read_record(record, body)) return false;
  bool const was_paused = is_paused();
  bool const copied = pause_.id == record.object && pause_.since == body.since;
  pause_ = {body.standing, body.by_failures,     record.object,           rows::Regions::of(record.lsn),
            body.since,    std::string{body.by}, std::string{body.reason}};
  if (was_paused && !is_paused()) observer.available_again({}, order_.available());
  if (copied || !context.live) return true;
  if (body.by_failures)
    observer.alert("paused", 80, "table " + settings_.table() + " is " + text(), "journal");
  else
    observer.lower_alert("paused");
  return true;
}

bool Pauses::apply_resume(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  if (!record.body.empty()) return false;
  // Also if the pause itself was dropped from the log: earlier failures must not count again.
  failures_in_row_ = 0;
  if (pause_.id != record.object) {
    if (record.object >= ObjectId{context.base.value}) return false;
    ++ignored_;
    return true;
  }
  pause_ = {};
  observer.lower_alert("paused");
  observer.available_again({}, order_.available());
  return true;
}

// ---------------------------------------------------------------------------
// Space, followers, digest

Lsn Pauses::oldest_lsn() const { return pause_.id.is_none() ? kNoLsn : rows::Regions::start(pause_.region); }

bool Pauses::compact(Lsn below, rows::CopyRoom& room, Records& records) const {
  if (pause_.id.is_none() || rows::Regions::start(pause_.region) >= below) return false;
  if (!room.take(pause_record_bytes(pause_))) return true;
  model::append_record(records, pause_.id, body_of(pause_));
  return false;
}

void Pauses::snapshot(Records& records) const {
  if (!pause_.id.is_none()) model::append_record(records, pause_.id, body_of(pause_));
}

void Pauses::digest(DigestSink& sink) const {
  if (pause_.id.is_none()) return;
  model::digest_object(sink, pause_.id, body_of(pause_));
}

}  // namespace fastjournal::journal
