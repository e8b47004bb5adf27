#include "plugins/pipeline/pipeline_table.h"

#include <algorithm>
#include <array>
#include <string>

#include "model/value.h"
#include "plugins/pipeline/returns.h"

namespace fastjournal::pipeline {
// What each command of pipeline.xml is decided by.
std::span<rows::NamedCommand<PipelineTable> const> PipelineTable::commands() {
  using rows::by;
  static constexpr auto all = std::to_array<rows::NamedCommand<PipelineTable>>({
      {"FOUND", by<&PipelineTable::runs_, &Runs::found>},
      {"NEXT", by<&PipelineTable::runs_, &Runs::next>},
      {"SENDING", by<&PipelineTable::runs_, &Runs::sending>},
      {"HEARTBEAT", by<&PipelineTable::runs_, &Runs::heartbeat>},
      {"RELEASE", by<&PipelineTable::runs_, &Runs::release>},
      {"KICK", by<&PipelineTable::runs_, &Runs::kick>},
      {"SENT", by<&PipelineTable::reports_, &Reports::sent>},
      {"FAILED", by<&PipelineTable::reports_, &Reports::failed>},
      {"DROPPED", by<&PipelineTable::reports_, &Reports::dropped>},
      {"ROUTED", by<&PipelineTable::reports_, &Reports::routed>},
      {"CHILD", by<&PipelineTable::children_, &Children::child>},
      {"CHILDREN_DONE", by<&PipelineTable::children_, &Children::children_done>},
      {"RETRY", by<&PipelineTable::operators_, &Operators::retry>},
      {"FORCE", by<&PipelineTable::operators_, &Operators::force>},
      {"DROP", by<&PipelineTable::operators_, &Operators::drop>},
      {"RESOLVE", by<&PipelineTable::operators_, &Operators::resolve>},
      {"PAUSE", by<&PipelineTable::operators_, &Operators::pause>},
      {"RESUME", by<&PipelineTable::operators_, &Operators::resume>},
      {"DRAIN", by<&PipelineTable::operators_, &Operators::drain>},
      {"FORGET", by<&PipelineTable::operators_, &Operators::forget>},
      {"MIGRATE", by<&PipelineTable::migrations_, &Migrations::migrate>},
      {"DOCUMENTS", by<&PipelineTable::reads_, &Reads::documents>},
      {"DESTINATIONS", by<&PipelineTable::reads_, &Reads::destinations>},
      {"WHY", by<&PipelineTable::reads_, &Reads::why>},
      {"HISTORY", by<&PipelineTable::history_, &HistoryReads::history>},
      {"PLANS", by<&PipelineTable::reads_, &Reads::plans>},
      {"STEPS", by<&PipelineTable::reads_, &Reads::steps>},
  });
  return all;
}

PipelineTable::PipelineTable(TableContext const& context, std::shared_ptr<TypeDeclaration const> type,
                             std::shared_ptr<TableDeclaration const> declaration)
    : shared_(std::move(declaration), context.hash_seed), commands_(*type) {
  for (CommandDeclaration const& command : type->commands) {
    bool const names_one =
        std::ranges::find(command.parameters, "document", &ParameterDeclaration::name) != command.parameters.end();
    changes_documents_.push_back(names_one && command.kind != CommandKind::read);
  }
}

// A document that it is to change is brought back from the archive before; its own steps begin then.
Verdict PipelineTable::decide(Command const& command, Decision& decision) const {
  if (!changes_documents_[command.index]) return commands_.decide(*this, command, decision);
  std::uint64_t& steps = decision.carry[3];
  Archive const& archive = shared_.documents.archive();
  if (archive.size() > 0 && !decision.short_of_space) {
    ObjectId const id{static_cast<std::uint64_t>(command.message->integer("document").value_or(0))};
    if (Archive::Number const number = archive.find(id); number != Archive::kNone) {
      ++steps;
      Verdict const verdict = bring_back(shared_, number, decision);
      bool const may_forget = command.message->command == "FORGET" && !command.message->has("version");
      if (decision.status.ok() || !may_forget) return verdict;
      decision.status = {};
      return operators_.forget_unreadable(id, decision);
    }
  }
  decision.step -= static_cast<std::uint32_t>(steps);
  Verdict const verdict = commands_.decide(*this, command, decision);
  decision.step += static_cast<std::uint32_t>(steps);
  return verdict;
}

// ---------------------------------------------------------------------------
// Stores

// The cursor is the number of the page to go on with.
std::uint64_t PipelineTable::list_extents(std::uint64_t cursor, std::uint32_t work_units,
                                          std::vector<Extent>& found) const {
  Archive const& archive = shared_.documents.archive();
  std::uint64_t const end = std::min(archive.end(), cursor + work_units);
  static_cast<void>(archive.for_each_page(cursor, end, [&](Archive::Page const& page) {
    found.push_back(page.extent);
    return true;
  }));
  return end == archive.end() ? 0 : end;
}

// ---------------------------------------------------------------------------
// Reload

// A new plan begins a state space of its own, so it must say that it is one.
Status PipelineTable::check_change(TableDeclaration const& next) const {
  Options const options = TableState::read(next);
  if (Status status = options.check(next); !status.ok()) return status;
  Plan const* const newest = shared_.plan();
  if (newest == nullptr || newest->text == options.plan) return {};
  std::string const version = std::to_string(options.read_plan->version);
  if (newest->rules.name != options.read_plan->name)
    return {Code::bad_configuration, next.at("plan") + ": element <plan> names plan " + options.read_plan->name +
                                         ", and the table has plan " + newest->rules.name +
                                         ": a table keeps the plan of its name; make another table"};
  if (options.read_plan->version <= newest->rules.version)
    return {Code::bad_configuration,
            next.at("plan") + ": element <plan> names version " + version + " of plan " + options.read_plan->name +
                (options.read_plan->version == newest->rules.version
                     ? ", which is not what the table has under this version"
                     : ", and the table has version " + std::to_string(newest->rules.version)) +
                ": a changed plan needs a higher version"};
  if (shared_.documents.plans().is_full())
    return {Code::bad_configuration, next.at("plan") + ": the table has documents of " + std::to_string(kPlansMax) +
                                         " versions of its plan: FORGET those of an older one"};
  return {};
}

void PipelineTable::change(std::shared_ptr<TableDeclaration const> next) {
  shared_.take(std::move(next));
  shared_.documents.set_probe_every(shared_.options.probe_every);
  shared_.documents.set_history_bytes(shared_.options.history);
}

// ---------------------------------------------------------------------------
// Records and timers

bool PipelineTable::apply(RecordView const& record, ApplyContext const& context, TableObserver& observer) noexcept {
  if (context.live) {
    shared_.documents.see(context.now.value);
    rows::Failing& deliveries = shared_.statistics.deliveries;
    if (deliveries.has_news()) deliveries.tell("attempts", shared_.table(), "pipeline", observer);
  }
  return shared_.documents.apply(record, context, observer);
}

TimeMs PipelineTable::next_due() const {
  bool const is_due =
      operators_.has_to_take_plan() || operators_.has_to_retire() || !shared_.documents.counts().leaving().empty();
  return is_due ? TimeMs{0} : std::min(shared_.work().next_due(), TimeMs{shared_.statistics.deliveries.next_look()});
}

bool PipelineTable::decide_timer(Decision& decision) const {
  if (operators_.take_plan(decision) || operators_.retire_plans(decision) || operators_.forget_done(decision))
    return true;
  return reports_.end_leases(decision);
}

// All connections have ended.
bool PipelineTable::decide_recovered(Decision& decision) const {
  return operators_.take_plan(decision) || holders_.recovered(decision);
}

// ---------------------------------------------------------------------------
// Those who wait

std::uint64_t PipelineTable::available(std::string_view topic) const {
  if (topic.empty() || shared_.plan() == nullptr) return shared_.work().available(std::nullopt);
  std::optional<std::uint16_t> const source = shared_.plan()->source_named(topic);
  return source ? shared_.work().available(source) : 0;
}

Status PipelineTable::check_topic(std::string_view topic) const {
  if (shared_.plan() == nullptr) return {Code::unavailable, "table " + shared_.table() + " has no plan so far"};
  plan::Plan const& plan = shared_.plan()->rules;
  auto const found = std::ranges::find(plan.steps, topic, &plan::Step::name);
  if (found != plan.steps.end() && found->is_source) return {};
  return Status{Code::not_found, "plan " + plan.name + " has no source " + model::shown(topic)}.with("parameter",
                                                                                                     "source");
}

ObjectId PipelineTable::find_available(std::string_view topic, ObjectId after, std::uint32_t work_units,
                                       std::vector<ObjectId>& found) const {
  Store const& store = shared_.store();
  std::uint32_t at = store.next(after);
  for (std::uint32_t looked = 0; at != kNone && looked < work_units; ++looked) {
    after = store[at].id();
    if ((topic.empty() || topic_of(after) == topic) && !runs_.missing(at, std::nullopt).empty()) found.push_back(after);
    at = store.next(after);
  }
  return at == kNone ? ObjectId{} : after;
}

std::string_view PipelineTable::topic_of(ObjectId object) const {
  std::uint32_t const document = shared_.store().find(object);
  if (document == kNone || !shared_.documents.plan_of(document).is_known()) return {};
  return shared_.documents.plan_of(document).rules.step(shared_.store()[document].source).name;
}

bool PipelineTable::announce(ObjectId object, Answer& answer) const {
  std::uint32_t const document = shared_.store().find(object);
  if (document == kNone) return false;
  // The source is the topic, which may be told already.
  answer.add("document", object.value);
  if (std::ranges::find(answer.params(), "source", &Param::name) == answer.params().end())
    answer.add("source", topic_of(object));
  runs_.describe_content(document, answer);
  return true;
}

// ---------------------------------------------------------------------------
// People

void PipelineTable::metrics(TimeMs now, MetricSink& sink) const {
  static_cast<void>(now);
  Documents const& documents = shared_.documents;
  Archive const& archive = documents.archive();
  sink.gauge("rows", "documents that are known, children among them", documents.size());
  sink.gauge("documents_archived", "of these, ended ones in files beside the log", archive.size());
  sink.gauge("archive_bytes", "bytes of their pages", archive.page_bytes());
  sink.gauge("documents_open", "documents that are missing somewhere", documents.counts().not_done().size());
  sink.gauge("rows_due", "deliveries ready for a worker", shared_.work().listed());
  sink.gauge("rows_future", "deliveries that rest after a failure", shared_.work().resting());
  sink.gauge("rows_processing", "deliveries that workers have",
             shared_.work().leases().size() - documents.counts().in_doubt().size());
  sink.gauge("rows_parked", "deliveries that failed for good", documents.counts().failed().size());
  sink.gauge("in_doubt", "deliveries that may or may not have arrived", documents.counts().in_doubt().size());
  std::uint64_t paused = 0;
  if (shared_.plan() != nullptr)
    for (Plan::Target const& target : shared_.plan()->targets) paused += target.mode == Mode::open ? 0 : 1;
  sink.gauge("draining", "1: inserts are refused", shared_.plan() != nullptr && shared_.plan()->drain ? 1 : 0);
  sink.gauge("destinations_paused", "destinations that are not open", paused);
  sink.gauge("failing", "1: more than half of the attempts of the last minutes failed",
             shared_.statistics.deliveries.is_failing() ? 1 : 0);
  sink.gauge("plans", "versions of the plan that have documents", documents.plans().count());
  sink.gauge("memory_bytes", "memory of documents and indexes", memory_bytes());
  sink.gauge("live_bytes", "log bytes needed by live objects", live_bytes());
  sink.gauge("grace_ms", "how long the leases of a lost connection last",
             static_cast<std::uint64_t>(shared_.options.grace));
  Statistics const& counted = shared_.statistics;
  sink.counter("records_ignored", "records of a replay about what was gone", documents.ignored());
  sink.counter("found", "documents that were new", counted.found);
  sink.counter("changed", "documents that had changed", counted.changed);
  sink.counter("unchanged", "documents that were found complete", counted.unchanged);
  sink.counter("handed_out", "documents handed to workers", counted.handed_out);
  sink.counter("runs_again", "originals handed out for their children", counted.runs_again);
  sink.counter("sendings", "deliveries that were begun", counted.sendings);
  sink.counter("sent", "deliveries that arrived", counted.sent);
  sink.counter("dropped", "deliveries dropped", counted.dropped);
  sink.counter("failures", "deliveries that failed", counted.failures);
  sink.counter("stale", "reports of workers whose lease was over", counted.stale);
  sink.counter("timed_out", "leases that ran out", counted.timed_out);
  sink.counter("doubts", "deliveries that came in doubt", counted.in_doubt);
  sink.counter("dead", "deliveries that failed for good", counted.dead);
  sink.counter("pauses", "destinations paused by failures", counted.pauses);
  sink.histogram({"sending_ms", "from SENDING to SENT"}, counted.sending_ms);
}

PluginDescriptor const& table_type() {
  static PluginDescriptor const descriptor = rows::describe_type<PipelineTable, Options>("pipeline");
  return descriptor;
}

}  // namespace fastjournal::pipeline
