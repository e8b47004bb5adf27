#include "engine/engine.h"

namespace fastjournal::engine {

Engine::Engine(TableTypes const& types, work::ReplySink& replies)
    : types_(types),
      tables_(due_tables_, replies),
      service_(replies, work_units_),
      transactions_({tables_, due_tables_, decider_, memory_, shortages_, replies}),
      two_phase_({tables_, alerting_, shortages_, transactions_, replies}),
      configuration_({types, tables_, due_tables_, memory_, alerting_, service_, volatile_tables_}),
      recovery_(types, tables_, due_tables_, configuration_, decider_, alerting_) {}

void Engine::declare(Declarations declarations, Declarations forget) {
  configuration_.declare(std::move(declarations));
  recovery_.forget(std::move(forget));
}

Status Engine::finish_recovery(TimeMs now) {
  timers_.begin(now);
  Status status = branches_.check_tables(configuration_.declarations());
  if (status.ok()) moving_.settle(now);
  if (status.ok()) status = recovery_.finish(now);
  if (status.ok()) status = branches_.restore(now);
  return status;
}

FollowedLog& Engine::add_shared_log(std::string name) {
  HostedLog& hosted = tables_.add_log(std::move(name));
  hosted.is_shared = true;
  hosted.is_ours = hosted.serves = hosted.is_caught_up = false;
  hosted.away = Status{Code::unavailable, "log " + hosted.name + " was not read so far"}.with("retry", "100");
  return *followed_.emplace_back(std::make_unique<FollowedLog>(
      hosted, FollowedLog::Parts{tables_, recovery_, configuration_, due_tables_, memory_, alerting_, service_,
                                 transactions_, branches_, moving_}));
}

HostedLog* Engine::log_of_declared(std::string_view table) const {
  Declaration const declaration = configuration_.declared(table);
  return declaration == nullptr ? nullptr : tables_.find_log(declaration->log);
}

// Dates that came meanwhile are due now.
void Engine::set_serving(HostedLog& log, Status away, TimeMs now) {
  log.serves = away.ok();
  if (!log.serves) transactions_.give_up(log, now, away);
  log.away = std::move(away);
  if (!log.serves) return;
  for (auto const& [id, table] : log.tables) {
    if (table == nullptr || table->is_dropped()) continue;
    due_tables_.mark(*table);
    due_tables_.refresh(*table);
    log.needs.note(*table);
  }
}

Outcome Engine::commit(ConnectionId connection, Message const& command, TimeMs now, Answer& answer) {
  if (Transaction* const one = transactions_.over_several_logs(connection))
    return Outcome::later(two_phase_.commit(*one, {connection, &command}, now));
  return transactions_.commit(connection, now, answer);
}

bool Engine::end_of_turn(TimeMs now) {
  if (two_phase_.is_under_way()) two_phase_.advance(now);
  connections_.give_back(now);
  connections_.end_turn();
  serving_.serve_marked(now);
  alerting_.log_alone(now);
  volatile_tables_.end_turn(now);
  transactions_.end_turn();
  return due_tables_.has_marked() || connections_.has_lost();
}

bool Engine::committed(TimeMs now) {
  // A pending alert may be about a table that was dropped.
  if (!alerting_.has_pending()) tables_.free_dropped();
  for (auto const& log : tables_.logs()) log->clock_in_batch = false;
  bool const again = moving_.committed(now);
  return space_.committed(now) || again;
}

}  // namespace fastjournal::engine
