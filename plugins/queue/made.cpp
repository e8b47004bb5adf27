// Made by ./mk generate from plugins/queue/queue.xml: do not edit.
// clang-format off
#include "plugins/queue/made.h"

#include <array>

namespace fastjournal::queue::made {

bool Send::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 4:
        if (model::is(param, "body")) body = &param.value;
        break;
      case 5:
        if (model::is(param, "queue")) model::read_text(param, 255, queue, why);
        else if (model::is(param, "group")) model::read_text(param, 128, group, why);
        else if (model::is(param, "lease")) model::read_integer(param, 1, 31'536'000'000, lease, why);
        break;
      case 6:
        if (model::is(param, "client")) model::read_text(param, 128, client, why);
        break;
      case 8:
        if (model::is(param, "exchange")) model::read_text(param, 255, exchange, why);
        else if (model::is(param, "priority")) model::read_integer(param, 0, 4'294'967'295, priority, why);
        else if (model::is(param, "sequence")) model::read_unsigned(param, sequence, why);
        break;
      case 9:
        if (model::is(param, "mandatory")) model::read_flag(param, mandatory, why);
        break;
      case 10:
        if (model::is(param, "properties")) model::read_text(param, 65'536, properties, why);
        break;
      case 11:
        if (model::is(param, "routing_key")) model::read_text(param, 255, routing_key, why);
        else if (model::is(param, "body_binary")) body_binary = &param.value;
        break;
      case 12:
        if (model::is(param, "process_date")) model::read_date(param, decision.asked().value, process_date, why);
        else if (model::is(param, "drop_expired")) model::read_flag(param, drop_expired, why);
        break;
      case 13:
        if (model::is(param, "deduplication")) model::read_text(param, 128, deduplication, why);
        break;
      case 15:
        if (model::is(param, "expiration_date")) model::read_date(param, decision.asked().value, expiration_date, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Acquire::read(Command const& command, Decision& decision, model::Range const& lease_range) {
  Status& why = decision.status;
  lease = lease_range.absent;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 4:
        if (model::is(param, "wait")) model::read_integer(param, 0, 31'536'000'000, wait, why);
        break;
      case 5:
        if (model::is(param, "queue")) model::read_text(param, 255, queue, why);
        else if (model::is(param, "count")) model::read_integer(param, 1, 1'024, count, why);
        else if (model::is(param, "lease")) model::read_integer(param, lease_range, lease, why);
        break;
      case 6:
        if (model::is(param, "queues")) model::read_text(param, 4'096, queues, why);
        else if (model::is(param, "accept")) model::read_flag(param, accept, why);
        else if (model::is(param, "places")) model::read_flag(param, places, why);
        break;
      case 7:
        if (model::is(param, "message")) model::read_unsigned(param, message, why);
        break;
      case 12:
        if (model::is(param, "lease_margin")) model::read_integer(param, 0, 31'536'000'000, lease_margin, why);
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
      case 5:
        if (model::is(param, "epoch")) model::read_unsigned(param, epoch, why);
        else if (model::is(param, "lease")) model::read_integer(param, lease_range, lease, why);
        break;
      case 7:
        if (model::is(param, "message")) model::read_unsigned(param, message, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Accept::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 5:
        if (model::is(param, "epoch")) model::read_unsigned(param, epoch, why);
        break;
      case 7:
        if (model::is(param, "message")) model::read_unsigned(param, message, why);
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
        if (model::is(param, "epoch")) model::read_unsigned(param, epoch, why);
        else if (model::is(param, "error")) model::read_bytes(param, error);
        break;
      case 6:
        if (model::is(param, "failed")) model::read_flag(param, failed, why);
        break;
      case 7:
        if (model::is(param, "message")) model::read_unsigned(param, message, why);
        break;
      case 8:
        if (model::is(param, "priority")) model::read_integer(param, 0, 4'294'967'295, priority, why);
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

bool Reject::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 5:
        if (model::is(param, "epoch")) model::read_unsigned(param, epoch, why);
        else if (model::is(param, "error")) model::read_bytes(param, error);
        break;
      case 7:
        if (model::is(param, "message")) model::read_unsigned(param, message, why);
        break;
      case 11:
        if (model::is(param, "error_trace")) model::read_bytes(param, error_trace);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Park::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 5:
        if (model::is(param, "epoch")) model::read_unsigned(param, epoch, why);
        else if (model::is(param, "error")) model::read_bytes(param, error);
        break;
      case 7:
        if (model::is(param, "message")) model::read_unsigned(param, message, why);
        break;
      case 8:
        if (model::is(param, "priority")) model::read_integer(param, 0, 4'294'967'295, priority, why);
        break;
      case 11:
        if (model::is(param, "error_trace")) model::read_bytes(param, error_trace);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Browse::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 4:
        if (model::is(param, "body")) model::read_flag(param, body, why);
        break;
      case 5:
        if (model::is(param, "queue")) model::read_text(param, 255, queue, why);
        else if (model::is(param, "after")) model::read_unsigned(param, after, why);
        else if (model::is(param, "count")) model::read_integer(param, 1, 1'000, count, why);
        break;
      case 6:
        if (model::is(param, "status")) model::read_choice(param, kBrowseStatusWords, status, why);
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
        if (model::is(param, "queue")) model::read_text(param, 255, queue, why);
        else if (model::is(param, "after")) model::read_unsigned(param, after, why);
        else if (model::is(param, "count")) model::read_integer(param, 1, 10'000, count, why);
        break;
      case 6:
        if (model::is(param, "status")) model::read_choice(param, kBrowseStatusWords, status, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Read::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 6:
        if (model::is(param, "offset")) model::read_unsigned(param, offset, why);
        else if (model::is(param, "length")) model::read_unsigned(param, length, why);
        else if (model::is(param, "places")) model::read_flag(param, places, why);
        break;
      case 7:
        if (model::is(param, "message")) model::read_unsigned(param, message, why);
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
      case 5:
        if (model::is(param, "queue")) model::read_text(param, 255, queue, why);
        break;
      case 6:
        if (model::is(param, "status")) model::read_choice(param, kPeekStatusWords, status, why);
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
      case 7:
        if (model::is(param, "message")) model::read_unsigned(param, message, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Declare::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 4:
        if (model::is(param, "kind")) model::read_choice(param, kKindChoiceWords, kind, why);
        break;
      case 5:
        if (model::is(param, "queue")) model::read_text(param, 255, queue, why);
        else if (model::is(param, "lease")) model::read_integer(param, 0, 31'536'000'000, lease, why);
        else if (model::is(param, "delay")) model::read_integer(param, 0, 31'536'000'000, delay, why);
        break;
      case 7:
        if (model::is(param, "expires")) model::read_integer(param, 0, 315'360'000'000, expires, why);
        break;
      case 8:
        if (model::is(param, "exchange")) model::read_text(param, 255, exchange, why);
        break;
      case 9:
        if (model::is(param, "temporary")) model::read_flag(param, temporary, why);
        else if (model::is(param, "max_bytes")) model::read_integer(param, 0, 1'125'899'906'842'624, max_bytes, why);
        else if (model::is(param, "when_full")) model::read_choice(param, kWhenFullChoiceWords, when_full, why);
        break;
      case 10:
        if (model::is(param, "properties")) model::read_text(param, 8'192, properties, why);
        break;
      case 12:
        if (model::is(param, "dead_letters")) model::read_text(param, 255, dead_letters, why);
        else if (model::is(param, "max_messages")) model::read_integer(param, 0, 4'000'000'000, max_messages, why);
        break;
      case 14:
        if (model::is(param, "max_deliveries")) model::read_integer(param, 0, 250, max_deliveries, why);
        break;
      case 17:
        if (model::is(param, "max_message_bytes")) model::read_integer(param, 0, 67'108'864, max_message_bytes, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Remove::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 5:
        if (model::is(param, "queue")) model::read_text(param, 255, queue, why);
        break;
      case 8:
        if (model::is(param, "exchange")) model::read_text(param, 255, exchange, why);
        else if (model::is(param, "if_empty")) model::read_flag(param, if_empty, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Bind::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 5:
        if (model::is(param, "queue")) model::read_text(param, 255, queue, why);
        break;
      case 7:
        if (model::is(param, "declare")) model::read_flag(param, declare, why);
        break;
      case 8:
        if (model::is(param, "exchange")) model::read_text(param, 255, exchange, why);
        break;
      case 9:
        if (model::is(param, "temporary")) model::read_flag(param, temporary, why);
        break;
      case 11:
        if (model::is(param, "routing_key")) model::read_text(param, 255, routing_key, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Unbind::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 5:
        if (model::is(param, "queue")) model::read_text(param, 255, queue, why);
        break;
      case 8:
        if (model::is(param, "exchange")) model::read_text(param, 255, exchange, why);
        break;
      case 11:
        if (model::is(param, "routing_key")) model::read_text(param, 255, routing_key, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Purge::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 5:
        if (model::is(param, "queue")) model::read_text(param, 255, queue, why);
        else if (model::is(param, "count")) model::read_integer(param, 1, 1'000, count, why);
        break;
      case 6:
        if (model::is(param, "status")) model::read_choice(param, kPurgeStatusWords, status, why);
        break;
      case 7:
        if (model::is(param, "dry_run")) model::read_flag(param, dry_run, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Move::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 2:
        if (model::is(param, "to")) model::read_text(param, 255, to, why);
        break;
      case 5:
        if (model::is(param, "queue")) model::read_text(param, 255, queue, why);
        else if (model::is(param, "after")) model::read_unsigned(param, after, why);
        else if (model::is(param, "count")) model::read_integer(param, 1, 1'000, count, why);
        break;
      case 6:
        if (model::is(param, "status")) model::read_choice(param, kPurgeStatusWords, status, why);
        break;
      case 7:
        if (model::is(param, "dry_run")) model::read_flag(param, dry_run, why);
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
      case 7:
        if (model::is(param, "message")) model::read_unsigned(param, message, why);
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
      case 5:
        if (model::is(param, "queue")) model::read_text(param, 255, queue, why);
        else if (model::is(param, "count")) model::read_integer(param, 1, 1'000, count, why);
        break;
      case 6:
        if (model::is(param, "status")) model::read_choice(param, kKickStatusWords, status, why);
        break;
      case 7:
        if (model::is(param, "message")) model::read_unsigned(param, message, why);
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
      case 5:
        if (model::is(param, "queue")) model::read_text(param, 255, queue, why);
        else if (model::is(param, "until")) model::read_date(param, decision.asked().value, until, why);
        break;
      case 6:
        if (model::is(param, "reason")) model::read_text(param, 255, reason, why);
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
      case 5:
        if (model::is(param, "queue")) model::read_text(param, 255, queue, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Queues::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 5:
        if (model::is(param, "queue")) model::read_text(param, 255, queue, why);
        else if (model::is(param, "after")) model::read_text(param, 255, after, why);
        else if (model::is(param, "count")) model::read_integer(param, 1, 1'000, count, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Exchanges::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 5:
        if (model::is(param, "after")) model::read_text(param, 255, after, why);
        else if (model::is(param, "count")) model::read_integer(param, 1, 1'000, count, why);
        break;
      case 8:
        if (model::is(param, "exchange")) model::read_text(param, 255, exchange, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

bool Bindings::read(Command const& command, Decision& decision) {
  Status& why = decision.status;
  for (Param const& param : command.message->params()) {
    switch (param.name.size()) {
      case 5:
        if (model::is(param, "queue")) model::read_text(param, 255, queue, why);
        else if (model::is(param, "after")) model::read_unsigned(param, after, why);
        else if (model::is(param, "count")) model::read_integer(param, 1, 1'000, count, why);
        break;
      case 8:
        if (model::is(param, "exchange")) model::read_text(param, 255, exchange, why);
        break;
      default: break;
    }
  }
  return why.ok();
}

std::span<rows::NamedOption<Options> const> Options::all() {
  using rows::into;
  static constexpr auto all = std::to_array<rows::NamedOption<Options>>({
      {"queues", into<&Options::queues>},
      {"create-queues", into<&Options::create_queues>},
      {"queues-idle", into<&Options::queues_idle>},
      {"priorities", into<&Options::priorities>},
      {"order", into<&Options::order>},
      {"message-counts", into<&Options::message_counts>},
      {"processing-timeout", into<&Options::times, &rows::LeaseTimes::usual>},
      {"processing-timeout-min", into<&Options::times, &rows::LeaseTimes::min>},
      {"processing-timeout-max", into<&Options::times, &rows::LeaseTimes::max>},
      {"processing-timeout-http", into<&Options::times, &rows::LeaseTimes::http>},
      {"grace", into<&Options::lifetimes, &rows::Lifetimes::grace>},
      {"max-deliveries", into<&Options::max_deliveries>},
      {"keep-parked", into<&Options::lifetimes, &rows::Lifetimes::parked>},
      {"back-off-first", into<&Options::attempts, &rows::AttemptRules::back_off_first>},
      {"back-off-factor", into<&Options::attempts, &rows::AttemptRules::back_off_factor>},
      {"back-off-max", into<&Options::attempts, &rows::AttemptRules::back_off_max>},
      {"back-off-jitter", into<&Options::attempts, &rows::AttemptRules::back_off_jitter>},
      {"queues-max", into<&Options::queues_max>},
      {"messages-max", into<&Options::messages_max>},
      {"message-size-max", into<&Options::message_size_max>},
      {"memory-max", into<&Options::memory_max>},
      {"memory-per-message", into<&Options::memory_per_message>},
      {"memory-per-queue", into<&Options::memory_per_queue>},
      {"client-keep", into<&Options::lifetimes, &rows::Lifetimes::client>},
      {"clients-max", into<&Options::clients_max>},
      {"connect"},  // others read it
      {"catalog"},  // others read it
      {"wake-timeout"},  // others read it
  });
  return all;
}

}  // namespace fastjournal::queue::made
