// Lists and sorted sets of a Redis become queues. A batch of elements is moved aside there, sent, and leaves the source
// when it is here (redis_batches.h); an import that begins after one that was cut off sends first what is in the batch.
#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "clients/programs/fastjournal/exit_code.h"
#include "clients/programs/fastjournal/imports/redis_framework.h"
#include "clients/programs/fastjournal/imports/run.h"
#include "clients/programs/fastjournal/refused_rows.h"

namespace fastjournal::imports {
namespace {

class Lists {
 public:
  explicit Lists(Run& run)
      : run_(run),
        redis_(run.wish.from.place, run.wish.limit),
        framework_(framework_of(run.wish.framework, redis_)),
        batches_(redis_, run.wish.framework + " table " + run.wish.table) {}

  Status import();

 private:
  Result<std::vector<Place>> with_jobs();
  Status count(Place const& place, std::uint64_t elements);
  Status check(Place const& place);
  Status drain(Place const& place);
  Result<std::optional<Batch>> next(Place const& place);
  Status move(Place const& place, Batch batch);
  [[nodiscard]] bool is_wanted(std::string const& queue) const;

  Run& run_;
  RedisClient redis_;
  std::unique_ptr<Framework> framework_;
  RedisBatches batches_;
  std::uint64_t skipped_{0};       // of a sorted set, at its beginning
  std::uint64_t refused_here_{0};  // of a list or sorted set
  std::set<std::pair<std::string, bool>> checked_;
};

Status Lists::import() {
  Address const& from = run_.wish.from;
  if (Status status = redis_.connect(from.user, run_.wish.password, from.database); !status.ok()) return status;
  Result<std::vector<Place>> const places = with_jobs();
  if (!places.ok() || run_.wish.dry_run) return places.status();
  for (Place const& place : places.value())
    if (Status status = check(place); !status.ok()) return status;
  Result<std::optional<Batch>> left = batches_.left_over();
  while (left.ok() && left.value()) {
    auto const place = framework_->place_of(left.value()->from);
    if (!place) return redis_.peer().failed(Code::wrong_state, "has a batch that is not of " + run_.wish.framework);
    if (Status status = move(*place, std::move(*left.value())); !status.ok()) return status;
    left = batches_.left_over();
  }
  if (!left.ok()) return left.status();
  if (Status status = batches_.put_back(); !status.ok()) return status;
  for (Place const& place : places.value()) {
    if (run_.stops()) return {};
    Status const status = drain(place);
    Status const back = batches_.put_back();
    if (!status.ok()) return status;
    if (!back.ok()) return back;
  }
  return {};
}

Result<std::vector<Place>> Lists::with_jobs() {
  std::vector<std::string> notes;
  Result<std::vector<Place>> all = framework_->places(run_.wish.queues, notes);
  if (!all.ok()) return all;
  for (std::string& note : notes) run_.note(std::move(note));
  std::vector<Place> out;
  for (Place& place : all.value()) {
    bool const is_sorted = place.from.end == Origin::End::sorted;
    Result<std::uint64_t> const elements = redis_.count({is_sorted ? "ZCARD" : "LLEN", place.from.key});
    if (!elements.ok()) return elements.status();
    if (elements.value() == 0) continue;
    if (run_.wish.dry_run)
      if (Status status = count(place, elements.value()); !status.ok()) return status;
    out.push_back(std::move(place));
  }
  return out;
}

// What a dry run tells.
Status Lists::count(Place const& place, std::uint64_t elements) {
  auto const of = [&](std::string const& queue) -> std::uint64_t& {
    Counts& counts = run_.of(queue);
    return place.standing == Standing::parked    ? counts.parked
           : place.standing == Standing::delayed ? counts.delayed
                                                 : counts.ready;
  };
  of(place.queue.empty() ? place.from.key : place.queue) += elements;
  return {};
}

Status Lists::check(Place const& place) {
  bool const parks = place.standing == Standing::parked;
  if (!checked_.emplace(place.queue, parks).second) return {};
  Status const status = run_.target.check(place.queue, std::nullopt, parks);
  if (status.code() != Code::not_found) return status;
  return {Code::not_found, fmt::format("{}: make the queue by `fastjournal queue make {} {}`, or put "
                                       "<create-queues>true</create-queues> into the table's file; nothing was moved",
                                       status.message(), run_.wish.table, place.queue)};
}

bool Lists::is_wanted(std::string const& queue) const {
  std::vector<std::string> const& wanted = run_.wish.queues;
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), queue) != wanted.end();
}

Result<std::optional<Batch>> Lists::next(Place const& place) {
  if (batches_.has_rest()) return batches_.left_over();
  if (place.from.end != Origin::End::sorted) return batches_.take(place.from);
  auto const queue_of = [&](Element const& one) {
    return place.queue.empty() && !one.is_too_large ? framework_->queue_in(one) : place.queue;
  };
  return batches_.take_sorted(
      place.from, skipped_,
      [&](Element const& one) {
        std::string const queue = queue_of(one);
        return !one.is_too_large && !queue.empty() && is_wanted(queue);
      },
      [&](Element const& one) {
        std::string const queue = queue_of(one);
        if (one.is_too_large)
          run_.refuse(place.from.key, "?", {Code::too_large, "it has more than 66 MiB"});
        else if (queue.empty())
          run_.refuse(place.from.key, "?",
                      {Code::invalid, "it names no queue: it is no job of " + run_.wish.framework});
      });
}

Status Lists::drain(Place const& place) {
  skipped_ = refused_here_ = 0;
  while (!run_.stops()) {
    Result<std::optional<Batch>> batch = next(place);
    if (!batch.ok()) return batch.status();
    if (!batch.value()) return {};
    if (Status status = move(place, std::move(*batch.value())); !status.ok()) return status;
  }
  return {};
}

// All of the batch, in parts where it is large.
Status Lists::move(Place const& place, Batch batch) {
  bool const is_sorted = place.from.end == Origin::End::sorted;
  while (!batch.elements.empty()) {
    Result<std::vector<Made>> made = framework_->made_of(place, batch.elements);
    if (!made.ok()) return made.status();
    std::size_t const count = made->size();
    std::vector<Job> jobs;
    std::vector<std::size_t> of_job;
    for (std::size_t i = 0; i < count; ++i) {
      Made& one = made.value()[i];
      if (batch.elements[i].is_too_large && one.refused.ok())
        one.refused = {Code::too_large, "it has more than 66 MiB"};
      one.job.queue = place.queue.empty() ? framework_->queue_in(batch.elements[i]) : place.queue;
      one.job.is_parked = place.standing == Standing::parked;
      if (place.priority != 100) one.job.priority = place.priority;
      one.job.client = batch.name;
      one.job.sequence = batch.first + i;
      if (!one.refused.ok()) continue;
      of_job.push_back(i);
      jobs.push_back(std::move(one.job));
    }
    std::vector<Outcome> const outcomes = run_.target.send(jobs);
    std::vector<bool> refused(count, false);
    std::vector<Words> also;
    Status failed;
    std::size_t done = 0;
    for (std::size_t at = 0; done < count; ++done) {
      Made& one = made.value()[done];
      bool const was_sent = at < of_job.size() && of_job[at] == done;
      if (was_sent) {
        Outcome const& outcome = outcomes[at];
        Job const& job = jobs[at++];
        if (outcome.status.ok()) {
          run_.count(job, outcome.was_there);
          std::move(one.also.begin(), one.also.end(), std::back_inserter(also));
          continue;
        }
        // It may be here, or is: it stays in the batch, and so do those behind it.
        bool const is_in_doubt =
            outcome.message != 0 || cli::exit_code_of(outcome.status.code()) == cli::ExitCode::unreachable;
        if (failed.ok() && (is_in_doubt || !cli::is_about_the_row(outcome.status.code()))) failed = outcome.status;
        if (is_in_doubt) break;
        if (cli::is_about_the_row(outcome.status.code())) one.refused = outcome.status;
      }
      refused[done] = true;
      if (is_sorted) ++skipped_;
      if (one.refused.ok()) continue;  // due to what ends the import
      ++refused_here_;
      run_.refuse(was_sent ? jobs[at - 1].queue : one.job.queue, one.id, one.refused);
    }
    refused.resize(done);
    if (Status status = batches_.settle(batch, refused, std::move(also)); !status.ok()) return status;
    if (!failed.ok()) return failed;
    run_.moved(run_);
    batch.elements.erase(batch.elements.begin(), batch.elements.begin() + static_cast<std::ptrdiff_t>(count));
    batch.first += count;
    if (refused_here_ >= kRefusedMax)
      return {Code::over_limit,
              fmt::format("{} jobs of {} are refused: fix that first", refused_here_, place.from.key)};
  }
  return {};
}

}  // namespace

Status import_redis(Run& run) { return Lists{run}.import(); }

}  // namespace fastjournal::imports
