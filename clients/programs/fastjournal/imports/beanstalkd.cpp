// Tubes of a beanstalkd become queues. A job is deleted there when it is here, synced; what is between the two is found
// again by its name and number, also by an import that begins after this one was killed.
//
// A number of a job is given again when beanstalkd is started without its binlog. So the name is that of a marker: a job
// that no worker is handed, put into a tube of its own before the first job is moved, and deleted at the end. It is lost
// when the jobs are, and comes back with those that a power cut brings back, as a binlog is in the order of what happened.
// A beanstalkd that was started since may have lost the youngest jobs and given their numbers again: then a job that is
// here already counts as such only if its body is the same.
//
// Ready jobs are reserved, many at a time. Delayed and buried ones are not, as a connection that is lost makes them ready:
// the first one is looked at, sent and deleted, then the next. A job that is refused must get out of the way of the next
// ones: it is reserved, kept so by `touch`, and goes back at the end of its state. beanstalkd 1.12 is needed for that.
#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "clients/programs/fastjournal/imports/beanstalkd_client.h"
#include "clients/programs/fastjournal/imports/run.h"
#include "clients/programs/fastjournal/refused_rows.h"
#include "platform/os/random.h"

namespace fastjournal::imports {
namespace {

using Clock = std::chrono::steady_clock;
using Figures = BeanstalkdClient::Figures;

constexpr std::string_view kMarkerTube = "fastjournal-import";
constexpr std::string_view kMarkerWord = "fastjournal-import-1";
// Ten years: nobody is handed the marker before.
constexpr std::string_view kMarkerDelay = "315360000";
constexpr std::size_t kMarkerBytesMax = 4096;
// A table knows the last 65,536 numbers of a name.
constexpr unsigned kBlockBits = 15;
// A delayed job with less left is reserved, as it may become ready before it is deleted.
constexpr std::uint64_t kDelayMinS = 3;
constexpr std::size_t kTubeBytesMax = 200;

constexpr char kAnotherWasThere[] =
    "beanstalkd was started again since an import was cut off, which moved a job of this number, message {}: it is "
    "done, "
    "or its body is another. Delete this one there if it is done, else put it again";

enum class State : std::uint8_t { ready, delayed, buried };

// A job of the source.
struct Found {
  std::uint64_t id{0};
  std::uint64_t priority{0};
  std::uint64_t delay_s{0};  // that is left, not rounded up
  std::uint64_t ttr_s{1};
  Job job{};
  Clock::time_point due{};  // of a delayed one
  bool is_there{false};     // stats-job knew it
};

class Tubes {
 public:
  explicit Tubes(Run& run) : run_(run), source_(run.wish.from.place, run.wish.limit) {}

  Status import();

 private:
  Status begin();
  Result<std::vector<std::string>> wanted();
  Status plan(std::string const& tube, bool& has_some);
  Status find_marker();
  Status drain(std::string const& tube);
  Status drain_ready(std::string const& tube);
  Result<std::size_t> reserve_batch(std::vector<Found>& batch, std::string const& tube);
  Status drain_by_one(State state);
  Status describe(std::vector<Found*> const& jobs, State state);
  Status move(std::vector<Found>& batch, State state, bool are_reserved);
  Result<bool> was_it_this(Found const& found, std::uint64_t message);
  Status remove(std::vector<Found> const& moved);
  Status hold(Found found, State state, bool is_reserved);
  Status keep_held();
  Status put_back();
  Status refuse_too_large(std::uint64_t id, std::uint64_t bytes, State state, bool is_reserved);
  void refuse(std::uint64_t id, Status why);
  void give_numbers(Found& found, State state) const;

  Run& run_;
  BeanstalkdClient source_;
  std::string tube_;
  std::string name_;  // of the marker
  std::uint64_t marker_{0};
  bool is_restarted_{false};  // since the marker was put
  std::string instance_;
  std::uint64_t at_once_{kBatchJobs};
  struct Held {
    Found found;
    State state{};
  };
  std::vector<Held> held_;
  Clock::time_point touch_at_{};
  std::set<std::uint64_t> told_;  // jobs of this tube that are refused
};

Status Tubes::import() {
  if (Status status = begin(); !status.ok()) return status;
  Result<std::vector<std::string>> const tubes = wanted();
  if (!tubes.ok()) return tubes.status();
  std::vector<std::string> with_jobs;
  for (std::string const& tube : tubes.value()) {
    bool has_some = false;
    if (Status status = plan(tube, has_some); !status.ok()) return status;
    if (has_some) with_jobs.push_back(tube);
  }
  if (run_.wish.dry_run) return {};
  if (Status status = find_marker(); !status.ok()) return status;
  for (std::string const& tube : with_jobs) {
    if (run_.stops()) break;
    Status status = drain(tube);
    // What is reserved goes back as it was, also where the import ends early.
    Status const back = put_back();
    if (status.ok()) status = back;
    if (!status.ok()) return status;
  }
  if (marker_ == 0) return {};
  return source_.ask(fmt::format("delete {}", marker_)).status();
}

Status Tubes::begin() {
  if (Status status = source_.connect(); !status.ok()) return status;
  Result<Figures> const figures = source_.figures("stats");
  if (!figures.ok()) return figures.status();
  auto const instance = figures->find("id");
  if (instance != figures->end()) instance_ = instance->second.substr(0, 64);
  std::erase(instance_, ' ');
  at_once_ = std::clamp<std::uint64_t>(
      kBatchBytes / std::max<std::uint64_t>(1, figure_of(figures.value(), "max-job-size")), 1, kBatchJobs);
  // No job has this number.
  Result<Said> const said = source_.ask("reserve-job 0");
  if (!said.ok()) return said.status();
  if (said->word != "UNKNOWN_COMMAND") return {};
  auto const version = figures->find("version");
  return source_.peer().failed(
      Code::not_supported,
      fmt::format("is beanstalkd {}: 1.12 is needed, as older ones have no reserve-job. With a binlog (-b) a newer one "
                  "takes over the jobs of an older one",
                  version == figures->end() ? "of an unknown version" : version->second));
}

Result<std::vector<std::string>> Tubes::wanted() {
  if (run_.wish.queues.empty()) {
    Result<std::vector<std::string>> all = source_.tubes();
    if (all.ok()) std::erase(all.value(), kMarkerTube);
    return all;
  }
  for (std::string const& tube : run_.wish.queues)
    if (tube.empty() || tube.size() > kTubeBytesMax || tube.find_first_of(" \r\n") != std::string::npos)
      return Status{Code::bad_parameter, "'" + tube + "' is no name of a tube"};
  return run_.wish.queues;
}

// Counts what there is, and asks the table before anything moves.
Status Tubes::plan(std::string const& tube, bool& has_some) {
  Result<Figures> const figures = source_.figures("stats-tube " + tube);
  if (figures.status().code() == Code::not_found) {
    // One of the list that has gone meanwhile has nothing.
    if (run_.wish.queues.empty()) return {};
    return source_.peer().failed(Code::not_found, "has no tube " + tube);
  }
  if (!figures.ok()) return figures.status();
  Counts there{.ready = figure_of(figures.value(), "current-jobs-ready"),
               .delayed = figure_of(figures.value(), "current-jobs-delayed"),
               .parked = figure_of(figures.value(), "current-jobs-buried"),
               .reserved = figure_of(figures.value(), "current-jobs-reserved")};
  if (there.ready + there.delayed + there.parked + there.reserved == 0) return {};
  run_.of(tube).reserved = there.reserved;
  if (run_.wish.dry_run) run_.of(tube) = there;
  has_some = there.ready + there.delayed + there.parked > 0;
  if (run_.wish.dry_run || !has_some) return {};
  Status status = run_.target.check(tube, UINT32_MAX, there.parked > 0);
  if (status.code() == Code::bad_parameter)
    return {
        Code::bad_parameter,
        fmt::format("priorities of beanstalkd have 32 bits, and table {0} is without <priorities>32</priorities>: put "
                    "that into its file, and `fastjournal apply` it; nothing was moved ({1})",
                    run_.wish.table, status.message())};
  if (status.code() == Code::not_found)
    return {Code::not_found, fmt::format("{}: make the queue by `fastjournal queue make {} {}`, or put "
                                         "<create-queues>true</create-queues> into the table's file; nothing was moved",
                                         status.message(), run_.wish.table, tube)};
  return status;
}

Status Tubes::find_marker() {
  if (Result<Said> const used = source_.expect(fmt::format("use {}", kMarkerTube), "USING"); !used.ok())
    return used.status();
  Result<Said> const found = source_.ask("peek-delayed", kMarkerBytesMax);
  if (!found.ok()) return found.status();
  if (found->word == "FOUND") {
    // "WORD NAME INSTANCE TABLE"
    std::string_view rest{found->data};
    std::vector<std::string> words;
    for (; words.size() < 3; rest.remove_prefix(std::min(words.back().size() + 1, rest.size())))
      words.emplace_back(rest.substr(0, rest.find(' ')));
    if (words[0] != kMarkerWord || words[1].size() != 32)
      return source_.peer().failed(Code::wrong_state,
                                   fmt::format("has a job in tube {} that is not of an import", kMarkerTube));
    if (rest != run_.wish.table)
      return source_.peer().failed(
          Code::wrong_state,
          fmt::format("was being imported into table {}, and that was cut off: import into that table "
                      "first, or delete job {} if its jobs may come twice",
                      rest, found->id));
    marker_ = found->id;
    name_ = words[1];
    is_restarted_ = words[2] != instance_;
    return {};
  }
  name_ = fmt::format("{:016x}{:016x}", os::random_bits(), os::random_bits());
  std::string const body = fmt::format("{} {} {} {}", kMarkerWord, name_, instance_, run_.wish.table);
  Result<Said> const put = source_.ask(fmt::format("put 0 {} 60 {}\r\n{}", kMarkerDelay, body.size(), body));
  if (!put.ok()) return put.status();
  if (put->word == "INSERTED") {
    marker_ = put->id;
    return {};
  }
  if (put->word != "DRAINING")
    return source_.peer().failed(Code::invalid, "answers " + put->word + " to the put of a marker");
  // It takes no jobs, and never will again: its own name says which jobs are meant as long as it runs.
  if (!instance_.empty()) name_ = instance_;
  return {};
}

Status Tubes::drain(std::string const& tube) {
  if (Result<Said> const said = source_.expect("watch " + tube, "WATCHING"); !said.ok()) return said.status();
  std::string const before = std::exchange(tube_, tube);
  // NOT_IGNORED: it is the only one, and so the one that is wanted.
  Result<Said> const ignored = source_.ask("ignore " + (before.empty() ? "default" : before));
  if (!ignored.ok()) return ignored.status();
  if (ignored->word != "WATCHING" && ignored->word != "NOT_IGNORED")
    return source_.peer().failed(Code::invalid, "answers " + ignored->word + " to 'ignore'");
  if (Result<Said> const said = source_.expect("use " + tube, "USING"); !said.ok()) return said.status();
  told_.clear();
  Status status = drain_ready(tube);
  if (status.ok()) status = drain_by_one(State::delayed);
  if (status.ok()) status = drain_by_one(State::buried);
  // Delayed ones that have become ready meanwhile.
  if (status.ok()) status = drain_ready(tube);
  if (!status.ok()) return status;
  Result<Figures> const figures = source_.figures("stats-tube " + tube);
  if (figures.ok()) run_.of(tube).reserved = figure_of(figures.value(), "current-jobs-reserved");
  return figures.status().code() == Code::not_found ? Status{} : figures.status();
}

// Numbers are known within a block of them.
void Tubes::give_numbers(Found& found, State state) const {
  Job& job = found.job;
  job.queue = tube_;
  job.priority = found.priority;
  std::int64_t const ttr_ms =
      std::int64_t{1000} * static_cast<std::int64_t>(std::clamp<std::uint64_t>(found.ttr_s, 1, kLeaseMax.value / 1000));
  job.lease = DurationMs{ttr_ms};
  job.is_parked = state == State::buried;
  // It is said in whole seconds that are left: never earlier.
  if (state == State::delayed)
    job.date = client::Date::in(DurationMs{static_cast<std::int64_t>(found.delay_s + 1) * 1000});
  job.client = fmt::format("import-{}-{}", name_, found.id >> kBlockBits);
  job.sequence = found.id & ((std::uint64_t{1} << kBlockBits) - 1);
}

// What is not in the answer that has their bodies. `stats-job` must say it before a job is reserved if it is delayed.
Status Tubes::describe(std::vector<Found*> const& jobs, State state) {
  for (Found const* const one : jobs) source_.put(fmt::format("stats-job {}", one->id));
  if (Status status = source_.flush(); !status.ok()) return status;
  for (Found* const one : jobs) {
    Result<Said> const said = source_.answer(BeanstalkdClient::kDataBytesMax);
    if (!said.ok()) return said.status();
    if (said->word != "OK") continue;
    one->is_there = true;
    Figures const figures = figures_in(said->data);
    one->priority = std::min<std::uint64_t>(figure_of(figures, "pri"), UINT32_MAX);
    one->ttr_s = figure_of(figures, "ttr");
    one->delay_s = std::min<std::uint64_t>(figure_of(figures, "time-left"), UINT32_MAX);
    one->due = Clock::now() + std::chrono::seconds{one->delay_s + 1};
    give_numbers(*one, state);
  }
  return {};
}

// Returns how many are there no more for now; the batch has those whose bodies came whole.
Result<std::size_t> Tubes::reserve_batch(std::vector<Found>& batch, std::string const& tube) {
  std::uint64_t const asked = at_once_;
  for (std::uint64_t i = 0; i < asked; ++i) source_.put("reserve-with-timeout 0");
  if (Status status = source_.flush(); !status.ok()) return status;
  std::size_t bytes = 0;
  std::size_t none = 0;
  std::vector<std::uint64_t> too_much;
  for (std::uint64_t i = 0; i < asked; ++i) {
    std::size_t const room = std::min(kBodyBytesMax, bytes > 0 ? kBodyBytesMax + kBatchBytes - bytes : kBodyBytesMax);
    Result<Said> said = source_.answer(room);
    if (!said.ok()) return said.status();
    if (said->word != "RESERVED") {
      ++none;
      continue;
    }
    if (said->is_dropped && said->bytes <= kBodyBytesMax) {
      // No room beside the others: alone it has.
      too_much.push_back(said->id);
      continue;
    }
    if (said->is_dropped) {
      if (Status status = refuse_too_large(said->id, said->bytes, State::ready, true); !status.ok()) return status;
      continue;
    }
    bytes += said->data.size();
    if (bytes > kBatchBytes) at_once_ = 1;
    Found found{.id = said->id};
    found.job.body = std::move(said->data);
    found.job.queue = tube;
    batch.push_back(std::move(found));
  }
  if (too_much.empty()) return none;
  at_once_ = 1;
  std::vector<Found> others(too_much.size());
  std::vector<Found*> pointers;
  for (std::size_t i = 0; i < others.size(); ++i) {
    others[i].id = too_much[i];
    pointers.push_back(&others[i]);
  }
  if (Status status = describe(pointers, State::ready); !status.ok()) return status;
  for (Found const& one : others)
    if (Result<Said> const said = source_.ask(fmt::format("release {} {} 0", one.id, one.priority)); !said.ok())
      return said.status();
  return std::size_t{0};
}

Status Tubes::drain_ready(std::string const& tube) {
  while (!run_.stops()) {
    std::vector<Found> batch;
    Result<std::size_t> const none = reserve_batch(batch, tube);
    if (!none.ok()) return none.status();
    std::vector<Found*> jobs;
    for (Found& one : batch) jobs.push_back(&one);
    if (Status status = describe(jobs, State::ready); !status.ok()) return status;
    std::erase_if(batch, [](Found const& one) { return !one.is_there; });  // their ttr was over
    if (Status status = move(batch, State::ready, true); !status.ok()) return status;
    if (jobs.empty() && none.value() > 0) break;
  }
  // Those of a tube that is paused; what was refused is out of the way still.
  return drain_by_one(State::ready);
}

// Sends the batch, and deletes there what is here.
Status Tubes::move(std::vector<Found>& batch, State state, bool are_reserved) {
  std::vector<Job> jobs;
  for (Found& one : batch) jobs.push_back(std::move(one.job));
  std::vector<Outcome> const outcomes = run_.target.send(jobs);
  std::vector<Found> moved;
  Status failed;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    Found& one = batch[i];
    one.job = std::move(jobs[i]);
    Status status = outcomes[i].status;
    bool is_about_it = cli::is_about_the_row(status.code());
    if (status.ok() && outcomes[i].was_there && is_restarted_) {
      Result<bool> const same = was_it_this(one, outcomes[i].message);
      is_about_it = same.ok() && !same.value();
      status =
          is_about_it ? Status{Code::wrong_state, fmt::format(kAnotherWasThere, outcomes[i].message)} : same.status();
    }
    if (status.ok()) {
      run_.count(one.job, outcomes[i].was_there);
      moved.push_back(std::move(one));
      continue;
    }
    if (!is_about_it && failed.ok()) failed = status;
    // Of a failure that is not its own it is kept as it is, and not told.
    if (!is_about_it && !are_reserved) continue;
    if (is_about_it) refuse(one.id, status);
    if (Status held = hold(std::move(one), state, are_reserved); !held.ok()) return held;
  }
  Status const removed = remove(moved);
  if (!failed.ok()) return failed;
  if (!removed.ok()) return removed;
  run_.moved(run_);
  return keep_held();
}

// A number that a beanstalkd may have given twice.
Result<bool> Tubes::was_it_this(Found const& found, std::uint64_t message) {
  Result<std::string> const body = run_.target.body(message);
  if (body.status().code() == Code::unknown_row) return false;
  if (!body.ok()) return body.status();
  return body.value() == found.job.body;
}

Status Tubes::remove(std::vector<Found> const& moved) {
  for (Found const& one : moved) source_.put(fmt::format("delete {}", one.id));
  if (Status status = source_.flush(); !status.ok()) return status;
  for (Found const& one : moved) {
    Result<Said> const said = source_.answer(0);
    if (!said.ok()) return said.status();
    if (said->word == "DELETED") continue;
    run_.refuse(tube_, fmt::format("{}", one.id),
                {Code::wrong_state, "it was moved, and beanstalkd answers " + said->word +
                                        " to its delete: a worker took it there meanwhile, and it may be done twice"});
  }
  return {};
}

Status Tubes::refuse_too_large(std::uint64_t id, std::uint64_t bytes, State state, bool is_reserved) {
  Found found{.id = id};
  if (Status status = describe({&found}, state); !status.ok()) return status;
  if (!found.is_there) return {};
  refuse(id, {Code::too_large, fmt::format("it has {} bytes, and a message has 64 MiB at most", bytes)});
  return hold(std::move(found), state, is_reserved);
}

// Once, however often it is tried.
void Tubes::refuse(std::uint64_t id, Status why) {
  if (told_.insert(id).second) run_.refuse(tube_, fmt::format("{}", id), std::move(why));
}

// Out of the way of the others, until put_back().
Status Tubes::hold(Found found, State state, bool is_reserved) {
  if (!is_reserved) {
    Result<Said> const said = source_.ask(fmt::format("reserve-job {}", found.id), 0);
    if (!said.ok()) return said.status();
    if (said->word != "RESERVED") return {};  // a worker has it, or it is gone
  }
  found.job.body.clear();
  if (held_.empty()) touch_at_ = Clock::now();
  held_.push_back({std::move(found), state});
  if (held_.size() < kRefusedMax) return {};
  return {Code::over_limit, fmt::format("{} jobs of tube {} are refused: fix that first", held_.size(), tube_)};
}

// Before their ttr is over, which may be a second.
Status Tubes::keep_held() {
  if (held_.empty() || Clock::now() - touch_at_ < std::chrono::milliseconds{300}) return {};
  touch_at_ = Clock::now();
  for (Held const& one : held_) source_.put(fmt::format("touch {}", one.found.id));
  if (Status status = source_.flush(); !status.ok()) return status;
  for (std::size_t i = 0; i < held_.size(); ++i)
    if (Result<Said> const said = source_.answer(0); !said.ok()) return said.status();
  return {};
}

// As they were, in their order.
Status Tubes::put_back() {
  std::vector<Held> const held = std::exchange(held_, {});
  for (Held const& one : held) {
    Found const& found = one.found;
    auto const left = std::chrono::ceil<std::chrono::seconds>(found.due - Clock::now()).count();
    if (one.state == State::buried)
      source_.put(fmt::format("bury {} {}", found.id, found.priority));
    else
      source_.put(fmt::format("release {} {} {}", found.id, found.priority,
                              one.state == State::delayed ? std::max<std::int64_t>(0, left) : 0));
  }
  if (Status status = source_.flush(); !status.ok()) return status;
  for (Held const& one : held) {
    Result<Said> const said = source_.answer(0);
    if (!said.ok()) return said.status();
    if (said->word == "BURIED" || said->word == "RELEASED") continue;
    run_.note(fmt::format("job {} of tube {} was not put back as it was: beanstalkd answers {}", one.found.id, tube_,
                          said->word));
  }
  return {};
}

Status Tubes::drain_by_one(State state) {
  static constexpr std::array<std::string_view, 3> kPeeks{"peek-ready", "peek-delayed", "peek-buried"};
  std::string_view const peek = kPeeks[static_cast<std::size_t>(state)];
  std::uint64_t last = 0;
  while (!run_.stops()) {
    Result<Said> said = source_.ask(peek, kBodyBytesMax);
    if (!said.ok()) return said.status();
    if (said->word != "FOUND") break;
    if (said->id == std::exchange(last, said->id))
      return source_.peer().failed(Code::wrong_state, fmt::format("still shows job {} of tube {}, which was moved; is "
                                                                  "another import at work?",
                                                                  last, tube_));
    if (said->is_dropped) {
      if (Status status = refuse_too_large(said->id, said->bytes, state, false); !status.ok()) return status;
      continue;
    }
    std::vector<Found> batch(1);
    batch[0].id = said->id;
    batch[0].job.body = std::move(said->data);
    if (Status status = describe({batch.data()}, state); !status.ok()) return status;
    if (!batch[0].is_there) continue;
    bool const is_soon = state == State::ready || (state == State::delayed && batch[0].delay_s < kDelayMinS);
    if (is_soon) {
      Result<Said> const reserved = source_.ask(fmt::format("reserve-job {}", batch[0].id), 0);
      if (!reserved.ok()) return reserved.status();
      if (reserved->word != "RESERVED") continue;
    }
    if (Status status = move(batch, state, is_soon); !status.ok()) return status;
  }
  return put_back();
}

}  // namespace

Status import_beanstalkd(Run& run) { return Tubes{run}.import(); }

}  // namespace fastjournal::imports
