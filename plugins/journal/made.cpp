// Made by ./mk generate from plugins/journal/journal.xml: do not edit.
// clang-format off
#include "plugins/journal/made.h"

#include <array>

namespace fastjournal::journal::made {

bool Insert::read(Command const& command, Decision& decision, model::PriorityNames const& names) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 4:
        if (model::is(param, "tags")) model::read_text(param, 1'039, tags, why);
        break;
      case 5:
        if (model::is(param, "after")) model::read_text(param, 24'000, after, why);
        else if (model::is(param, "group")) model::read_text(param, 128, group, why);
        else if (model::is(param, "lease")) model::read_integer(param, 1, 31'536'000'000, lease, why);
        break;
      case 6:
        if (model::is(param, "client")) model::read_text(param, 128, client, why);
        break;
      case 8:
        if (model::is(param, "priority")) model::read_priority(param, names, 0, 255, priority, why);
        else if (model::is(param, "sequence")) model::read_unsigned(param, sequence, why);
        else if (model::is(param, "back_off")) model::read_text(param, 256, back_off, why);
        break;
      case 10:
        if (model::is(param, "after_keys")) model::read_text(param, 65'536, after_keys, why);
        else if (model::is(param, "unique_for")) model::read_integer(param, 0, 31'536'000'000, unique_for, why);
        break;
      case 11:
        if (model::is(param, "when_failed"))
          model::read_choice_or_none(param, kInsertWhenFailedWords, when_failed, why);
        else if (model::is(param, "after_group")) model::read_text(param, 128, after_group, why);
        break;
      case 12:
        if (model::is(param, "process_date")) model::read_date(param, decision.asked().value, process_date, why);
        else if (model::is(param, "max_attempts")) model::read_integer(param, 0, 250, max_attempts, why);
        break;
      case 14:
        if (model::is(param, "insertion_date")) model::read_date(param, decision.asked().value, insertion_date, why);
        else if (model::is(param, "after_group_is"))
          model::read_choice_or_none(param, kAfterGroupIsChoiceWords, after_group_is, why);
        break;
      case 15:
        if (model::is(param, "expiration_date")) model::read_date(param, decision.asked().value, expiration_date, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Next::read(Command const& command, Decision& decision, model::Range const& lease_range) {
  Status& why = decision.status;
  lease = lease_range.absent;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 4:
        if (model::is(param, "wait")) model::read_integer(param, 0, 86'400'000, wait, why);
        else if (model::is(param, "done")) model::read_flag(param, done, why);
        break;
      case 5:
        if (model::is(param, "count")) model::read_integer(param, 1, 1'024, count, why);
        else if (model::is(param, "lease")) model::read_integer(param, lease_range, lease, why);
        break;
      case 6:
        if (model::is(param, "domain")) model::read_text(param, 256, domain, why);
        else if (model::is(param, "places")) model::read_flag(param, places, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Touch::read(Command const& command, Decision& decision, model::Range const& lease_range) {
  Status& why = decision.status;
  lease = lease_range.absent;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 3:
        if (model::is(param, "row")) model::read_unsigned(param, row, why);
        break;
      case 5:
        if (model::is(param, "epoch")) model::read_unsigned(param, epoch, why);
        else if (model::is(param, "lease")) model::read_integer(param, lease_range, lease, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Progress::read(Command const& command, Decision& decision, model::Range const& lease_range) {
  Status& why = decision.status;
  lease = lease_range.absent;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 3:
        if (model::is(param, "row")) model::read_unsigned(param, row, why);
        break;
      case 4:
        if (model::is(param, "note")) model::read_bytes(param, note);
        break;
      case 5:
        if (model::is(param, "epoch")) model::read_unsigned(param, epoch, why);
        else if (model::is(param, "lease")) model::read_integer(param, lease_range, lease, why);
        break;
      case 7:
        if (model::is(param, "percent")) model::read_integer(param, 0, 100, percent, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Done::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 3:
        if (model::is(param, "row")) model::read_unsigned(param, row, why);
        break;
      case 4:
        if (model::is(param, "next")) model::read_flag(param, next, why);
        break;
      case 5:
        if (model::is(param, "epoch")) model::read_unsigned(param, epoch, why);
        break;
      case 6:
        if (model::is(param, "domain")) model::read_text(param, 256, domain, why);
        else if (model::is(param, "result")) model::read_bytes(param, result);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Release::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 3:
        if (model::is(param, "row")) model::read_unsigned(param, row, why);
        break;
      case 5:
        if (model::is(param, "epoch")) model::read_unsigned(param, epoch, why);
        else if (model::is(param, "error")) model::read_bytes(param, error);
        break;
      case 6:
        if (model::is(param, "failed")) model::read_flag(param, failed, why);
        break;
      case 11:
        if (model::is(param, "error_trace")) model::read_bytes(param, error_trace);
        else if (model::is(param, "error_class")) model::read_bytes(param, error_class);
        break;
      case 12:
        if (model::is(param, "process_date")) model::read_date(param, decision.asked().value, process_date, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Fail::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 3:
        if (model::is(param, "row")) model::read_unsigned(param, row, why);
        break;
      case 5:
        if (model::is(param, "epoch")) model::read_unsigned(param, epoch, why);
        else if (model::is(param, "error")) model::read_bytes(param, error);
        break;
      case 11:
        if (model::is(param, "error_trace")) model::read_bytes(param, error_trace);
        else if (model::is(param, "error_class")) model::read_bytes(param, error_class);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Delete::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 3:
        if (model::is(param, "row")) model::read_unsigned(param, row, why);
        else if (model::is(param, "tag")) model::read_text(param, 64, tag, why);
        break;
      case 5:
        if (model::is(param, "error")) model::read_text(param, 1'024, error, why);
        else if (model::is(param, "after")) model::read_unsigned(param, after, why);
        else if (model::is(param, "count")) model::read_integer(param, 1, 1'000, count, why);
        break;
      case 6:
        if (model::is(param, "status")) model::read_choice_or_none(param, kStatusChoiceWords, status, why);
        else if (model::is(param, "domain")) model::read_text(param, 256, domain, why);
        else if (model::is(param, "prefix")) model::read_bytes(param, prefix);
        break;
      case 7:
        if (model::is(param, "dry_run")) model::read_flag(param, dry_run, why);
        break;
      case 11:
        if (model::is(param, "error_class")) model::read_text(param, 128, error_class, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Kick::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 3:
        if (model::is(param, "row")) model::read_unsigned(param, row, why);
        else if (model::is(param, "tag")) model::read_text(param, 64, tag, why);
        break;
      case 5:
        if (model::is(param, "error")) model::read_text(param, 1'024, error, why);
        else if (model::is(param, "after")) model::read_unsigned(param, after, why);
        else if (model::is(param, "count")) model::read_integer(param, 1, 1'000, count, why);
        break;
      case 6:
        if (model::is(param, "status")) model::read_choice_or_none(param, kStatusChoiceWords, status, why);
        else if (model::is(param, "domain")) model::read_text(param, 256, domain, why);
        else if (model::is(param, "prefix")) model::read_bytes(param, prefix);
        break;
      case 7:
        if (model::is(param, "dry_run")) model::read_flag(param, dry_run, why);
        break;
      case 11:
        if (model::is(param, "error_class")) model::read_text(param, 128, error_class, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Peek::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 3:
        if (model::is(param, "row")) model::read_unsigned(param, row, why);
        break;
      case 5:
        if (model::is(param, "after")) model::read_unsigned(param, after, why);
        else if (model::is(param, "count")) model::read_integer(param, 1, 1'000, count, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool List::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 3:
        if (model::is(param, "tag")) model::read_text(param, 64, tag, why);
        break;
      case 5:
        if (model::is(param, "error")) model::read_text(param, 1'024, error, why);
        else if (model::is(param, "after")) model::read_unsigned(param, after, why);
        else if (model::is(param, "count")) model::read_integer(param, 1, 1'000, count, why);
        break;
      case 6:
        if (model::is(param, "status")) model::read_choice_or_none(param, kStatusChoiceWords, status, why);
        else if (model::is(param, "domain")) model::read_text(param, 256, domain, why);
        else if (model::is(param, "prefix")) model::read_bytes(param, prefix);
        else if (model::is(param, "traces")) model::read_flag(param, traces, why);
        break;
      case 11:
        if (model::is(param, "error_class")) model::read_text(param, 128, error_class, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Count::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 3:
        if (model::is(param, "tag")) model::read_text(param, 64, tag, why);
        break;
      case 5:
        if (model::is(param, "error")) model::read_text(param, 1'024, error, why);
        else if (model::is(param, "after")) model::read_unsigned(param, after, why);
        else if (model::is(param, "count")) model::read_integer(param, 1, 10'000, count, why);
        break;
      case 6:
        if (model::is(param, "status")) model::read_choice_or_none(param, kStatusChoiceWords, status, why);
        else if (model::is(param, "domain")) model::read_text(param, 256, domain, why);
        else if (model::is(param, "prefix")) model::read_bytes(param, prefix);
        break;
      case 11:
        if (model::is(param, "error_class")) model::read_text(param, 128, error_class, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Why::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 3:
        if (model::is(param, "row")) model::read_unsigned(param, row, why);
        break;
      case 5:
        if (model::is(param, "after")) model::read_unsigned(param, after, why);
        else if (model::is(param, "count")) model::read_integer(param, 1, 1'000, count, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool History::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 3:
        if (model::is(param, "row")) model::read_unsigned(param, row, why);
        else if (model::is(param, "tag")) model::read_text(param, 64, tag, why);
        else if (model::is(param, "end")) model::read_choice_or_none(param, kEndChoiceWords, end, why);
        break;
      case 5:
        if (model::is(param, "error")) model::read_text(param, 1'024, error, why);
        else if (model::is(param, "after")) model::read_unsigned(param, after, why);
        else if (model::is(param, "count")) model::read_integer(param, 1, 1'000, count, why);
        break;
      case 7:
        if (model::is(param, "to_date")) model::read_date(param, decision.asked().value, to_date, why);
        break;
      case 9:
        if (model::is(param, "from_date")) model::read_date(param, decision.asked().value, from_date, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Wait::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 3:
        if (model::is(param, "row")) model::read_unsigned(param, row, why);
        break;
      case 4:
        if (model::is(param, "wait")) model::read_integer(param, 0, 86'400'000, wait, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Redo::read(Command const& command, Decision& decision, model::PriorityNames const& names) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 3:
        if (model::is(param, "row")) model::read_unsigned(param, row, why);
        break;
      case 8:
        if (model::is(param, "priority")) model::read_priority(param, names, 0, 255, priority, why);
        break;
      case 12:
        if (model::is(param, "process_date")) model::read_date(param, decision.asked().value, process_date, why);
        break;
      case 15:
        if (model::is(param, "expiration_date")) model::read_date(param, decision.asked().value, expiration_date, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Timeline::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 3:
        if (model::is(param, "now")) model::read_integer(param, 0, 281'474'890'310'655, now, why);
        break;
      case 5:
        if (model::is(param, "after")) model::read_integer(param, 0, 4'294'967'295, after, why);
        break;
      case 6:
        if (model::is(param, "domain")) model::read_text(param, 256, domain, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Domains::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 5:
        if (model::is(param, "after")) model::read_integer(param, 0, 4'294'967'295, after, why);
        else if (model::is(param, "count")) model::read_integer(param, 1, 1'000, count, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Group::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 5:
        if (model::is(param, "group")) model::read_text(param, 128, group, why);
        else if (model::is(param, "state")) model::read_choice_or_none(param, kStateChoiceWords, state, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Groups::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 5:
        if (model::is(param, "group")) model::read_text(param, 128, group, why);
        else if (model::is(param, "after")) model::read_unsigned(param, after, why);
        else if (model::is(param, "count")) model::read_integer(param, 1, 1'000, count, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Cancel::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 3:
        if (model::is(param, "how")) model::read_choice_or_none(param, kHowChoiceWords, how, why);
        break;
      case 5:
        if (model::is(param, "group")) model::read_text(param, 128, group, why);
        else if (model::is(param, "after")) model::read_unsigned(param, after, why);
        else if (model::is(param, "count")) model::read_integer(param, 1, 1'000, count, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Graph::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 3:
        if (model::is(param, "row")) model::read_unsigned(param, row, why);
        break;
      case 5:
        if (model::is(param, "group")) model::read_text(param, 128, group, why);
        else if (model::is(param, "after")) model::read_unsigned(param, after, why);
        else if (model::is(param, "count")) model::read_integer(param, 1, 1'000, count, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Figures::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 3:
        if (model::is(param, "per")) model::read_choice_or_none(param, kPerChoiceWords, per, why);
        break;
      case 5:
        if (model::is(param, "since")) model::read_date(param, decision.asked().value, since, why);
        else if (model::is(param, "until")) model::read_date(param, decision.asked().value, until, why);
        else if (model::is(param, "after")) model::read_integer(param, 0, 281'474'890'310'655, after, why);
        else if (model::is(param, "count")) model::read_integer(param, 1, 1'500, count, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Pause::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 6:
        if (model::is(param, "reason")) model::read_bytes(param, reason);
        break;
      case 8:
        if (model::is(param, "schedule")) model::read_text(param, 64, schedule, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Resume::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 6:
        if (model::is(param, "reason")) model::read_bytes(param, reason);
        break;
      case 8:
        if (model::is(param, "schedule")) model::read_text(param, 64, schedule, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Schedule::read(Command const& command, Decision& decision, model::PriorityNames const& names) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 4:
        if (model::is(param, "cron")) model::read_text(param, 256, cron, why);
        else if (model::is(param, "ends")) model::read_date(param, decision.asked().value, ends, why);
        break;
      case 5:
        if (model::is(param, "every")) model::read_integer(param, 1'000, 316'224'000'000, every, why);
        break;
      case 6:
        if (model::is(param, "jitter")) model::read_integer(param, 0, 86'400'000, jitter, why);
        else if (model::is(param, "begins")) model::read_date(param, decision.asked().value, begins, why);
        break;
      case 7:
        if (model::is(param, "overlap")) model::read_choice_or_none(param, kOverlapChoiceWords, overlap, why);
        break;
      case 8:
        if (model::is(param, "schedule")) model::read_text(param, 64, schedule, why);
        else if (model::is(param, "catch_up")) model::read_choice_or_none(param, kCatchUpChoiceWords, catch_up, why);
        else if (model::is(param, "priority")) model::read_priority(param, names, 0, 255, priority, why);
        break;
      case 9:
        if (model::is(param, "time_zone")) model::read_text(param, 64, time_zone, why);
        break;
      case 10:
        if (model::is(param, "expires_in")) model::read_integer(param, 0, 316'224'000'000, expires_in, why);
        break;
      case 11:
        if (model::is(param, "pause_after")) model::read_integer(param, 0, 1'000'000, pause_after, why);
        else if (model::is(param, "alert_after")) model::read_integer(param, 0, 316'224'000'000, alert_after, why);
        break;
      case 12:
        if (model::is(param, "catch_up_max")) model::read_integer(param, 1, 1'000, catch_up_max, why);
        break;
      case 15:
        if (model::is(param, "catch_up_window")) model::read_integer(param, 0, 316'224'000'000, catch_up_window, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Unschedule::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 8:
        if (model::is(param, "schedule")) model::read_text(param, 64, schedule, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Schedules::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 5:
        if (model::is(param, "dates")) model::read_integer(param, 0, 100, dates, why);
        else if (model::is(param, "after")) model::read_unsigned(param, after, why);
        else if (model::is(param, "count")) model::read_integer(param, 1, 1'000, count, why);
        break;
      case 8:
        if (model::is(param, "schedule")) model::read_text(param, 64, schedule, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Trigger::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 8:
        if (model::is(param, "schedule")) model::read_text(param, 64, schedule, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Backfill::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 5:
        if (model::is(param, "count")) model::read_integer(param, 1, 500, count, why);
        break;
      case 7:
        if (model::is(param, "to_date")) model::read_date(param, decision.asked().value, to_date, why);
        break;
      case 8:
        if (model::is(param, "schedule")) model::read_text(param, 64, schedule, why);
        break;
      case 9:
        if (model::is(param, "from_date")) model::read_date(param, decision.asked().value, from_date, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

std::span<rows::NamedOption<Options> const> Options::all() {
  using rows::into;
  static constexpr auto all = std::to_array<rows::NamedOption<Options>>({
      {"processing-timeout", into<&Options::times, &rows::LeaseTimes::usual>},
      {"processing-timeout-min", into<&Options::times, &rows::LeaseTimes::min>},
      {"processing-timeout-max", into<&Options::times, &rows::LeaseTimes::max>},
      {"processing-timeout-http", into<&Options::times, &rows::LeaseTimes::http>},
      {"grace", into<&Options::lifetimes, &rows::Lifetimes::grace>},
      {"max-timeouts", into<&Options::attempts, &rows::AttemptRules::max_timeouts>},
      {"max-attempts", into<&Options::attempts, &rows::AttemptRules::max_attempts>},
      {"max-lifetime-timeouts", into<&Options::attempts, &rows::AttemptRules::max_lifetime>},
      {"when-failed", into<&Options::when_failed>},
      {"keep-parked", into<&Options::lifetimes, &rows::Lifetimes::parked>},
      {"back-off", into<&Options::attempts, &rows::AttemptRules::formula>},
      {"back-off-first", into<&Options::attempts, &rows::AttemptRules::back_off_first>},
      {"back-off-factor", into<&Options::attempts, &rows::AttemptRules::back_off_factor>},
      {"back-off-max", into<&Options::attempts, &rows::AttemptRules::back_off_max>},
      {"back-off-jitter", into<&Options::attempts, &rows::AttemptRules::back_off_jitter>},
      {"max-postpone", into<&Options::max_postpone>},
      {"max-clock-skew", into<&Options::max_clock_skew>},
      {"one-at-a-time"},  // others read it
      {"domain"},  // others read it
      {"domain-weights"},  // others read it
      {"slow-from"},  // others read it
      {"aging"},  // others read it
      {"priority-words", into<&Options::words, &rows::Words::priorities>},
      {"concurrency"},  // others read it
      {"concurrency-domain"},  // others read it
      {"concurrency-key"},  // others read it
      {"rate"},  // others read it
      {"rate-domain"},  // others read it
      {"wake-timeout"},  // others read it
      {"unique-for", into<&Options::unique_for>},
      {"when-unique", into<&Options::when_unique>},
      {"uniques-max", into<&Options::lifetimes, &rows::Lifetimes::uniques>},
      {"tag-index", into<&Options::tag_index>},
      {"rows-max", into<&Options::rows_max>},
      {"memory-max", into<&Options::memory_max>},
      {"spill", into<&Options::spill>},
      {"keep-done", into<&Options::keep_done>},
      {"keep-done-rows", into<&Options::keep_done_rows>},
      {"keep-done-bytes", into<&Options::keep_done_bytes>},
      {"client-keep", into<&Options::lifetimes, &rows::Lifetimes::client>},
      {"clients-max", into<&Options::clients_max>},
      {"keep-groups", into<&Options::lifetimes, &rows::Lifetimes::group>},
      {"groups-max", into<&Options::groups_max>},
      {"keep-figures", into<&Options::keep_figures>},
      {"pause-after-failures", into<&Options::pause_after_failures>},
  });
  return all;
}

}  // namespace fastjournal::journal::made
