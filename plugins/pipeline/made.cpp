// Made by ./mk generate from plugins/pipeline/pipeline.xml: do not edit.
// clang-format off
#include "plugins/pipeline/made.h"

#include <array>

namespace fastjournal::pipeline::made {

bool Found::read(Command const& command, Decision& decision, model::Range const& lease_range) {
  Status& why = decision.status;
  lease = lease_range.absent;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 3:
        if (model::is(param, "uri")) model::read_text(param, 4'096, uri, why);
        break;
      case 4:
        if (model::is(param, "hash")) model::read_text(param, 128, hash, why);
        else if (model::is(param, "gone")) model::read_flag(param, gone, why);
        break;
      case 5:
        if (model::is(param, "lease")) model::read_integer(param, lease_range, lease, why);
        break;
      case 6:
        if (model::is(param, "source")) model::read_bytes(param, source);
        break;
      case 7:
        if (model::is(param, "dry_run")) model::read_flag(param, dry_run, why);
        break;
      case 8:
        if (model::is(param, "hand_out")) model::read_flag(param, hand_out, why);
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
        if (model::is(param, "source")) model::read_bytes(param, source);
        break;
      case 11:
        if (model::is(param, "destination")) model::read_bytes(param, destination);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Sending::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 5:
        if (model::is(param, "token")) model::read_unsigned(param, token, why);
        break;
      case 7:
        if (model::is(param, "batched")) model::read_flag(param, batched, why);
        break;
      case 8:
        if (model::is(param, "document")) model::read_unsigned(param, document, why);
        break;
      case 11:
        if (model::is(param, "destination")) model::read_bytes(param, destination);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Sent::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 5:
        if (model::is(param, "token")) model::read_unsigned(param, token, why);
        break;
      case 8:
        if (model::is(param, "document")) model::read_unsigned(param, document, why);
        break;
      case 11:
        if (model::is(param, "destination")) model::read_bytes(param, destination);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Failed::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 5:
        if (model::is(param, "token")) model::read_unsigned(param, token, why);
        else if (model::is(param, "class")) model::read_text(param, 64, class_word, why);
        else if (model::is(param, "error")) model::read_bytes(param, error);
        break;
      case 8:
        if (model::is(param, "document")) model::read_unsigned(param, document, why);
        break;
      case 9:
        if (model::is(param, "permanent")) model::read_flag(param, permanent, why);
        break;
      case 11:
        if (model::is(param, "destination")) model::read_bytes(param, destination);
        else if (model::is(param, "error_trace")) model::read_bytes(param, error_trace);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Dropped::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 5:
        if (model::is(param, "token")) model::read_unsigned(param, token, why);
        break;
      case 6:
        if (model::is(param, "reason")) model::read_bytes(param, reason);
        break;
      case 8:
        if (model::is(param, "document")) model::read_unsigned(param, document, why);
        break;
      case 11:
        if (model::is(param, "destination")) model::read_bytes(param, destination);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Routed::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 5:
        if (model::is(param, "token")) model::read_unsigned(param, token, why);
        break;
      case 6:
        if (model::is(param, "router")) model::read_text(param, 64, router, why);
        else if (model::is(param, "chosen")) model::read_bytes(param, chosen);
        break;
      case 8:
        if (model::is(param, "document")) model::read_unsigned(param, document, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Child::read(Command const& command, Decision& decision, model::Range const& lease_range) {
  Status& why = decision.status;
  lease = lease_range.absent;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 4:
        if (model::is(param, "step")) model::read_bytes(param, step);
        break;
      case 5:
        if (model::is(param, "child")) model::read_text(param, 4'096, child, why);
        else if (model::is(param, "token")) model::read_unsigned(param, token, why);
        else if (model::is(param, "again")) model::read_flag(param, again, why);
        else if (model::is(param, "lease")) model::read_integer(param, lease_range, lease, why);
        break;
      case 8:
        if (model::is(param, "document")) model::read_unsigned(param, document, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool ChildrenDone::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 5:
        if (model::is(param, "count")) model::read_integer(param, 0, 1'000'000'000, count, why);
        else if (model::is(param, "token")) model::read_unsigned(param, token, why);
        break;
      case 8:
        if (model::is(param, "document")) model::read_unsigned(param, document, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Heartbeat::read(Command const& command, Decision& decision, model::Range const& lease_range) {
  Status& why = decision.status;
  lease = lease_range.absent;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 5:
        if (model::is(param, "token")) model::read_unsigned(param, token, why);
        else if (model::is(param, "lease")) model::read_integer(param, lease_range, lease, why);
        break;
      case 8:
        if (model::is(param, "document")) model::read_unsigned(param, document, why);
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
      case 5:
        if (model::is(param, "token")) model::read_unsigned(param, token, why);
        break;
      case 8:
        if (model::is(param, "document")) model::read_unsigned(param, document, why);
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
      case 8:
        if (model::is(param, "document")) model::read_unsigned(param, document, why);
        break;
      case 11:
        if (model::is(param, "destination")) model::read_bytes(param, destination);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Retry::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 3:
        if (model::is(param, "all")) model::read_flag(param, all, why);
        break;
      case 5:
        if (model::is(param, "class")) model::read_text(param, 64, class_word, why);
        else if (model::is(param, "count")) model::read_integer(param, 1, 10'000, count, why);
        else if (model::is(param, "after")) model::read_unsigned(param, after, why);
        break;
      case 6:
        if (model::is(param, "source")) model::read_bytes(param, source);
        else if (model::is(param, "status")) model::read_choice_or_none(param, kRetryStatusWords, status, why);
        break;
      case 7:
        if (model::is(param, "dry_run")) model::read_flag(param, dry_run, why);
        break;
      case 8:
        if (model::is(param, "document")) model::read_unsigned(param, document, why);
        break;
      case 10:
        if (model::is(param, "if_changed")) model::read_flag(param, if_changed, why);
        break;
      case 11:
        if (model::is(param, "destination")) model::read_text(param, 4'096, destination, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Force::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 3:
        if (model::is(param, "all")) model::read_flag(param, all, why);
        break;
      case 5:
        if (model::is(param, "class")) model::read_text(param, 64, class_word, why);
        else if (model::is(param, "count")) model::read_integer(param, 1, 10'000, count, why);
        else if (model::is(param, "after")) model::read_unsigned(param, after, why);
        break;
      case 6:
        if (model::is(param, "source")) model::read_bytes(param, source);
        else if (model::is(param, "status")) model::read_choice_or_none(param, kRetryStatusWords, status, why);
        break;
      case 7:
        if (model::is(param, "dry_run")) model::read_flag(param, dry_run, why);
        break;
      case 8:
        if (model::is(param, "document")) model::read_unsigned(param, document, why);
        break;
      case 11:
        if (model::is(param, "destination")) model::read_text(param, 4'096, destination, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Drop::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 3:
        if (model::is(param, "all")) model::read_flag(param, all, why);
        break;
      case 5:
        if (model::is(param, "class")) model::read_text(param, 64, class_word, why);
        else if (model::is(param, "count")) model::read_integer(param, 1, 10'000, count, why);
        else if (model::is(param, "after")) model::read_unsigned(param, after, why);
        break;
      case 6:
        if (model::is(param, "source")) model::read_bytes(param, source);
        else if (model::is(param, "status")) model::read_choice_or_none(param, kRetryStatusWords, status, why);
        break;
      case 7:
        if (model::is(param, "dry_run")) model::read_flag(param, dry_run, why);
        break;
      case 8:
        if (model::is(param, "document")) model::read_unsigned(param, document, why);
        break;
      case 11:
        if (model::is(param, "destination")) model::read_text(param, 4'096, destination, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Resolve::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 3:
        if (model::is(param, "all")) model::read_flag(param, all, why);
        break;
      case 5:
        if (model::is(param, "class")) model::read_text(param, 64, class_word, why);
        else if (model::is(param, "count")) model::read_integer(param, 1, 10'000, count, why);
        else if (model::is(param, "after")) model::read_unsigned(param, after, why);
        break;
      case 6:
        if (model::is(param, "source")) model::read_bytes(param, source);
        else if (model::is(param, "status")) model::read_choice_or_none(param, kRetryStatusWords, status, why);
        break;
      case 7:
        if (model::is(param, "outcome")) model::read_choice(param, kOutcomeChoiceWords, outcome, why);
        else if (model::is(param, "dry_run")) model::read_flag(param, dry_run, why);
        break;
      case 8:
        if (model::is(param, "document")) model::read_unsigned(param, document, why);
        break;
      case 11:
        if (model::is(param, "destination")) model::read_text(param, 4'096, destination, why);
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
      case 11:
        if (model::is(param, "destination")) model::read_text(param, 4'096, destination, why);
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
      case 11:
        if (model::is(param, "destination")) model::read_text(param, 4'096, destination, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Forget::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 5:
        if (model::is(param, "count")) model::read_integer(param, 1, 10'000, count, why);
        break;
      case 7:
        if (model::is(param, "version")) model::read_integer(param, 0, 1'000'000'000, version, why);
        break;
      case 8:
        if (model::is(param, "document")) model::read_unsigned(param, document, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Migrate::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 5:
        if (model::is(param, "count")) model::read_integer(param, 1, 10'000, count, why);
        else if (model::is(param, "after")) model::read_unsigned(param, after, why);
        break;
      case 6:
        if (model::is(param, "rename")) model::read_bytes(param, rename);
        break;
      case 7:
        if (model::is(param, "version")) model::read_integer(param, 1, 1'000'000'000, version, why);
        else if (model::is(param, "dry_run")) model::read_flag(param, dry_run, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Documents::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 5:
        if (model::is(param, "count")) model::read_integer(param, 1, 1'000, count, why);
        else if (model::is(param, "after")) model::read_unsigned(param, after, why);
        break;
      case 6:
        if (model::is(param, "status")) model::read_choice_or_none(param, kDocumentsStatusWords, status, why);
        else if (model::is(param, "source")) model::read_bytes(param, source);
        break;
      case 7:
        if (model::is(param, "version")) model::read_integer(param, 1, 1'000'000'000, version, why);
        break;
      case 11:
        if (model::is(param, "destination")) model::read_bytes(param, destination);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Destinations::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 5:
        if (model::is(param, "after")) model::read_unsigned(param, after, why);
        break;
      case 6:
        if (model::is(param, "source")) model::read_bytes(param, source);
        break;
      case 7:
        if (model::is(param, "version")) model::read_integer(param, 1, 1'000'000'000, version, why);
        break;
      case 11:
        if (model::is(param, "destination")) model::read_bytes(param, destination);
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
      case 8:
        if (model::is(param, "document")) model::read_unsigned(param, document, why);
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
      case 5:
        if (model::is(param, "count")) model::read_integer(param, 1, 1'000, count, why);
        else if (model::is(param, "after")) model::read_unsigned(param, after, why);
        break;
      case 8:
        if (model::is(param, "document")) model::read_unsigned(param, document, why);
        else if (model::is(param, "children")) model::read_flag(param, children, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Steps::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 5:
        if (model::is(param, "count")) model::read_integer(param, 1, 1'000, count, why);
        else if (model::is(param, "after")) model::read_unsigned(param, after, why);
        break;
      case 7:
        if (model::is(param, "version")) model::read_integer(param, 1, 1'000'000'000, version, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

std::span<rows::NamedOption<Options> const> Options::all() {
  using rows::into;
  static constexpr auto all = std::to_array<rows::NamedOption<Options>>({
      {"plan", into<&Options::plan>},
      {"processing-timeout", into<&Options::times, &rows::LeaseTimes::usual>},
      {"processing-timeout-min", into<&Options::times, &rows::LeaseTimes::min>},
      {"processing-timeout-max", into<&Options::times, &rows::LeaseTimes::max>},
      {"grace", into<&Options::grace>},
      {"losses-max", into<&Options::losses_max>},
      {"failing", into<&Options::failing>},
      {"failing-for", into<&Options::failing_for>},
      {"probe-every", into<&Options::probe_every>},
      {"documents-max", into<&Options::documents_max>},
      {"memory-max", into<&Options::memory_max>},
      {"history", into<&Options::history>},
      {"ended-in-memory", into<&Options::ended_in_memory>},
      {"wake-timeout"},  // others read it
  });
  return all;
}

}  // namespace fastjournal::pipeline::made
