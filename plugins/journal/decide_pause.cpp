// PAUSE, DRAIN, RESUME: whether the table hands out rows and accepts inserts. The last command counts: PAUSE pauses a
// draining table, which then accepts inserts again.
#include "model/date.h"
#include "plugins/journal/journal.h"

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

// "paused by anna since 2026-11-21T12:00:00.000Z: upgrade"
std::string Journal::pause_text() const {
  Pause const& pause = state_.pause();
  std::string out = pause.standing == Standing::draining ? "draining" : "paused";
  out.append(" by ").append(pause.by).append(" since ").append(model::format_date(pause.since));
  if (!pause.reason.empty()) out.append(": ").append(pause.reason);
  return out;
}

Status Journal::refused_by_pause(std::string_view what) const {
  Pause const& pause = state_.pause();
  return Status{Code::paused, "table " + declaration_->name + " is " + pause_text() + " (" + std::string{what} +
                                  "; RESUME opens it again)"}
      .with("state", std::string{state_of(pause.standing)})
      .with("by", pause.by)
      .with("since", std::to_string(pause.since))
      .with("reason", pause.reason);
}

Verdict Journal::stand(Standing standing, std::string_view answer, Command const& command, Decision& decision) const {
  PauseBody body;
  body.standing = standing;
  body.since = decision.now.value;
  body.by = command.worker;
  body.reason = shortened(command.message->text("reason"), kReasonBytesMax);
  if (body.by.size() > kWorkerBytesMax) {
    decision.status =
        Status{Code::too_large, "worker has more than " + std::to_string(kWorkerBytesMax) + " bytes"}.with("parameter",
                                                                                                           "worker");
    return Verdict::done;
  }
  append_pause(decision.records, state_.pause().id, body);
  decision.answer.message(answer).add("table", std::string_view{declaration_->name});
  decision.answer.add("by", body.by).add("since", body.since);
  if (!body.reason.empty()) decision.answer.add("reason", body.reason);
  return Verdict::done;
}

Verdict Journal::pause(Command const& command, Decision& decision) const {
  return stand(Standing::paused, "PAUSED", command, decision);
}

Verdict Journal::drain(Command const& command, Decision& decision) const {
  return stand(Standing::draining, "DRAINING", command, decision);
}

// Has no effect on an open table, so that a repeated command gets the same answer.
Verdict Journal::resume(Command const& command, Decision& decision) const {
  if (!state_.pause().id.is_none()) append_resume(decision.records, state_.pause().id);
  decision.answer.message("RESUMED").add("table", std::string_view{declaration_->name});
  decision.answer.add("was", Value::of_text(state_of(state_.pause().standing))).add("by", command.worker);
  if (std::string_view const reason = command.message->text("reason"); !reason.empty())
    decision.answer.add("reason", shortened(reason, kReasonBytesMax));
  return Verdict::done;
}

// Pauses after so many failures without a DONE that the rows are not the reason: true if it appended a pause.
bool Journal::pause_after_failures(Decision& decision) const {
  if (options_.pause_after_failures == 0 || failures_in_row_ < options_.pause_after_failures ||
      !state_.pause().id.is_none())
    return false;
  std::string const reason =
      std::to_string(failures_in_row_) + " rows failed in a row (pause-after-failures): see LIST status=parked";
  append_pause(decision.records, ObjectId{}, {Standing::paused, true, decision.now.value, kBySelf, reason});
  return true;
}

}  // namespace fastjournal::journal
