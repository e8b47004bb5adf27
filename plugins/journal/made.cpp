// Made by ./mk generate from plugins/journal/journal.xml: do not edit.
// clang-format off
#include "plugins/journal/made.h"

#include <array>

namespace fastjournal::journal::made {

bool Insert::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 6:
        if (model::is(param, "client")) model::read_text(param, 128, client, why);
        break;
      case 8:
        if (model::is(param, "priority")) model::read_integer(param, 0, 255, priority, why);
        else if (model::is(param, "sequence")) model::read_unsigned(param, sequence, why);
        break;
      case 12:
        if (model::is(param, "process_date")) model::read_date(param, decision.asked().value, process_date, why);
        break;
      case 14:
        if (model::is(param, "insertion_date")) model::read_date(param, decision.asked().value, insertion_date, why);
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
      default: break;
    }
  }
  return why.ok();
}

bool Count::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
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
      {"concurrency"},  // others read it
      {"concurrency-domain"},  // others read it
      {"concurrency-key"},  // others read it
      {"rate"},  // others read it
      {"rate-domain"},  // others read it
      {"wake-timeout"},  // others read it
      {"rows-max", into<&Options::rows_max>},
      {"memory-max", into<&Options::memory_max>},
      {"spill", into<&Options::spill>},
      {"client-keep", into<&Options::lifetimes, &rows::Lifetimes::client>},
      {"clients-max", into<&Options::clients_max>},
      {"pause-after-failures", into<&Options::pause_after_failures>},
  });
  return all;
}

}  // namespace fastjournal::journal::made
