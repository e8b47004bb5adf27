#include "clients/programs/fastjournal/pipeline_runner.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "platform/files/new_file.h"

namespace fastjournal::cli {
namespace {

namespace fs = std::filesystem;
using client::Document;
using client::NotSent;

constexpr std::string_view kFolder = "folder:";
constexpr auto kBeatEvery = std::chrono::seconds{3};  // well within the grace, 10 s by default

// The daemon cannot be asked, or the lease is over: what is of the daemon alone.
bool is_over(Status const& status) { return status.code() == Code::stale_epoch || status.code() == Code::unknown_row; }

// How a command ended.
std::optional<NotSent> why_not_sent(std::string const& step, Result<Filtered> const& done) {
  if (!done.ok()) return NotSent{.kind = step + ": not run", .error = done.status().message()};
  if (done->end.ok()) return std::nullopt;
  std::string kind = step + ": " + done->end.text();
  kind.resize(std::min<std::size_t>(kind.size(), 64));
  return NotSent{.kind = std::move(kind),
                 .error = done->errors,
                 .permanent = done->end.status == kStatusPermanent,
                 .error_trace = done->trace};
}

bool is_drop(Result<Filtered> const& done) {
  return done.ok() && done->end.signal == 0 && done->end.status == kStatusDrop;
}

// Whole, or not there; on the disk when it returns.
Status put_file(fs::path const& from, fs::path const& to) {
  files::Descriptor const content{files::open_regular(from.string(), O_RDONLY)};
  struct stat found {};
  if (!content.is_open() || ::fstat(content.fd, &found) != 0) return files::failure("open of", from.string(), errno);
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  if (error) return {Code::io_error, "make " + to.parent_path().string() + ": " + error.message()};
  Result<files::NewFile> file = files::NewFile::make(to.string(), 0666);
  if (!file.ok()) return file.status();
  if (Status status = file->copy(content.fd); !status.ok()) return status;
  if (::fchmod(file->fd(), found.st_mode & 0777U) != 0) return files::failure("chmod of", to.string(), errno);
  return file->finish(files::NewFile::Durable::yes);
}

// Not there, and on the disk that it is not. Folders stay; without its folder it cannot be there.
Status remove_file(fs::path const& path) {
  struct stat above {};
  bool const is_known = ::stat(path.parent_path().c_str(), &above) == 0;
  if (is_known ? !S_ISDIR(above.st_mode) : errno == ENOENT || errno == ENOTDIR) return {};
  Result<files::Folder> const folder = files::Folder::open(path.parent_path().string());
  if (!folder.ok()) return folder.status();
  if (folder->remove(path.filename().string()) != 0 && errno != ENOENT)
    return files::failure("remove of", path.string(), errno);
  return folder->sync();
}

constexpr std::size_t kMadeMax = 100'000;
constexpr int kDepthMax = 64;

// A file that a command made in a folder, moved to where no other process has a name for it.
struct Entry {
  std::string name;  // below the first folder
  std::string path;
  struct stat look {};
};

// Takes all files that are below a folder. Nothing is followed: what else is there goes to `others`.
class Taking {
 public:
  explicit Taking(std::function<std::string()> new_file) : new_file_(std::move(new_file)) {}

  Status take(files::Folder const& folder, std::string const& above, int depth) {
    Result<std::vector<std::string>> names = folder.names();
    if (!names.ok()) return names.status();
    std::ranges::sort(names.value());
    for (std::string const& name : names.value()) {
      if (made.size() + others.size() >= kMadeMax || depth == kDepthMax)
        return {Code::too_large, fmt::format("it has more than {} files, or folders {} deep", kMadeMax, kDepthMax)};
      Status taken = take_one(folder, name, above + name, depth);
      if (!taken.ok()) return taken;
    }
    return {};
  }
  // A file may have more names than one, as archives know it, if all of them are below the folder.
  void leave_links() {
    std::map<std::pair<dev_t, ino_t>, nlink_t> names;
    for (Entry const& entry : made) ++names[{entry.look.st_dev, entry.look.st_ino}];
    std::erase_if(made, [&](Entry const& entry) {
      bool const is_elsewhere = entry.look.st_nlink > names[{entry.look.st_dev, entry.look.st_ino}];
      if (is_elsewhere) others.push_back(entry.name);
      return is_elsewhere;
    });
  }

  std::vector<Entry> made;
  std::vector<std::string> others;

 private:
  Status take_one(files::Folder const& folder, std::string const& name, std::string const& full, int depth) {
    Entry entry{full, {}};
    if (!folder.look(name, entry.look)) return files::failure("stat of", folder.path_of(name), errno);
    if (S_ISDIR(entry.look.st_mode)) {
      Result<files::Folder> const below = folder.inner(name);
      return below.ok() ? take(below.value(), full + "/", depth + 1) : below.status();
    }
    entry.path = new_file_();
    if (::renameat(folder.fd(), name.c_str(), AT_FDCWD, entry.path.c_str()) != 0 ||
        ::lstat(entry.path.c_str(), &entry.look) != 0)
      return files::failure("rename of", folder.path_of(name), errno);
    if (S_ISREG(entry.look.st_mode))
      made.push_back(std::move(entry));
    else
      others.push_back(full);
    return {};
  }

  std::function<std::string()> new_file_;
};

}  // namespace

PipelineRunner::PipelineRunner(plan::Plan const& plan, PipelineWishes const& wishes, client::Documents& documents,
                               fs::path work, Stop& stop, std::function<void(std::string const&)> tell)
    : plan_(plan),
      destinations_(plan),
      wishes_(wishes),
      documents_(documents),
      work_(std::move(work)),
      stop_(stop),
      tell_(std::move(tell)) {}

std::string PipelineRunner::check() const {
  auto const find = [&](std::string const& name) { return std::ranges::find(plan_.steps, name, &plan::Step::name); };
  auto const has = [&](std::string const& name, auto const& fits) {
    auto const found = find(name);
    return found != plan_.steps.end() && fits(*found);
  };
  for (auto const& [name, folder] : wishes_.sources)
    if (!has(name, [](plan::Step const& step) { return step.is_source; }))
      return fmt::format("--source {}: plan {} has no source of that name", name, plan_.name);
  for (auto const* const steps : {&wishes_.steps, &wishes_.splits})
    for (auto const& [name, command] : *steps)
      if (!has(name, [](plan::Step const& step) { return !step.is_source && !step.is_output(); }))
        return fmt::format("{} is no step of plan {} that is not an output: --to names outputs", name, plan_.name);
  for (auto const& [name, command] : wishes_.outputs)
    if (!has(name, [](plan::Step const& step) { return step.is_output(); }))
      return fmt::format("--to {}: plan {} has no output of that name", name, plan_.name);
  for (auto const& [name, command] : wishes_.routes)
    if (!has(name, [](plan::Step const& step) { return step.router == plan::Router::by_name; }))
      return fmt::format("--route {}: plan {} has no router by-name there", name, plan_.name);
  for (auto const& [name, target] : wishes_.outputs) {
    if (!is_http(target)) continue;
    if (std::string const wrong = mistake_in(http_target_of(name)); !wrong.empty())
      return "--to " + name + ": " + wrong;
  }
  auto const is_url = [&](std::string const& name) {
    auto const found = wishes_.outputs.find(name);
    return found != wishes_.outputs.end() && is_http(found->second);
  };
  for (auto const& [name, method] : wishes_.methods)
    if (!is_url(name)) return fmt::format("--method {}: --to gives no URL of that name", name);
  for (auto const& [name, headers] : wishes_.headers)
    if (!is_url(name)) return fmt::format("--header {}: --to gives no URL of that name", name);
  if (wishes_.sources.empty()) return "--source NAME=FOLDER is missing: where documents come from";
  for (plan::Step const& step : plan_.steps) {
    if (step.is_output() && !wishes_.outputs.contains(step.name))
      return fmt::format("output {0} has no --to {0}=COMMAND, {0}=folder:PATH or {0}=URL", step.name);
    if (step.router == plan::Router::by_name && !wishes_.routes.contains(step.name))
      return fmt::format("router {} has no --route {}=COMMAND, which prints the names of steps", step.name, step.name);
  }
  return {};
}

Status PipelineRunner::find_commands() {
  Watch const watch{guard_,
                    [this] {
                      static_cast<void>(stop_.look());
                      return !stop_.is_over();
                    },
                    stop_.fd()};
  for (auto const& [commands, option] : {std::pair{&wishes_.steps, "--step"}, std::pair{&wishes_.routes, "--route"},
                                         std::pair{&wishes_.splits, "--split"}, std::pair{&wishes_.outputs, "--to"}})
    for (auto const& [name, command] : *commands)
      if (Status const found = find_filter(command, watch); !found.ok())
        return {Code::not_found, fmt::format("{} {}: {}", option, name, found.message())};
  if (std::ranges::any_of(wishes_.outputs, [](auto const& one) { return is_http(one.second); }))
    return find_curl(watch);
  return {};
}

Watch PipelineRunner::watch(Document const& document) {
  return {guard_, [this, &document] { return may_go_on(document); }, stop_.fd()};
}

HttpTarget PipelineRunner::http_target_of(std::string const& output) const {
  HttpTarget out{.url = wishes_.outputs.at(output)};
  if (auto const method = wishes_.methods.find(output); method != wishes_.methods.end()) out.method = method->second;
  if (auto const headers = wishes_.headers.find(output); headers != wishes_.headers.end())
    out.headers = headers->second;
  return out;
}

std::string PipelineRunner::new_file() { return (work_ / std::to_string(++files_)).string(); }

std::optional<std::size_t> PipelineRunner::destination_of(Copy const& copy) const {
  for (std::size_t at = 0; at < destinations_.all().size(); ++at) {
    plan::Destination const& one = destinations_.all()[at];
    if (one.step == copy.at && (plan_.step(copy.at).any_path || one.branches == copy.branches)) return at;
  }
  return std::nullopt;
}

bool PipelineRunner::is_missing(Document const& document, std::size_t destination) const {
  return std::ranges::find(document.destinations, destinations_.all()[destination].name) != document.destinations.end();
}

std::vector<std::string> PipelineRunner::variables(Document const& document, plan::Step const& step) const {
  return {"FJ_DOCUMENT=" + std::to_string(document.document), "FJ_SOURCE=" + document.source, "FJ_URI=" + document.uri,
          "FJ_STEP=" + step.name, std::string{"FJ_OPERATION="} + (document.is_gone ? "delete" : "store")};
}

// A heartbeat now and then; false: the worker is to stop.
bool PipelineRunner::beat(Document const& document) {
  auto const now = std::chrono::steady_clock::now();
  if (now < beat_ + kBeatEvery) return true;
  beat_ = now;
  Result<bool> const lives = documents_.heartbeat(document);
  return !lives.ok() || lives.value();
}

bool PipelineRunner::may_go_on(Document const& document) {
  static_cast<void>(stop_.look());
  if (!stop_.is_over() && beat(document)) return true;
  is_ended_ = true;
  return false;
}

Status PipelineRunner::run(Document const& document, std::string const& content) {
  is_ended_ = false;
  beat_ = std::chrono::steady_clock::now();
  ways_.clear();
  auto const source = std::ranges::find(plan_.steps, document.source, &plan::Step::name);
  if (source == plan_.steps.end()) return {Code::not_found, "the plan has no source " + document.source};
  Copy copy;
  copy.at = static_cast<plan::StepIndex>(source - plan_.steps.begin());
  copy.content = content;
  Status const done = document.is_gone ? take_away(document) : walk(document, std::move(copy), false);
  std::error_code ignored;
  for (fs::directory_iterator at{work_, ignored}; !ignored && at != fs::directory_iterator{}; at.increment(ignored))
    fs::remove_all(at->path(), ignored);
  return done;
}

// Routers are not asked, as there is nothing to ask them about: it may be at each of them.
Status PipelineRunner::take_away(Document const& document) {
  std::string const nothing = new_file();
  if (!std::ofstream{nothing}) return {Code::io_error, "make " + nothing + ": it cannot be written"};
  for (std::size_t at = 0; at < destinations_.all().size(); ++at) {
    if (is_ended_ || stop_.is_over()) return {};
    if (!is_missing(document, at)) continue;
    bool goes_on = true;
    Copy const copy{destinations_.all()[at].step, destinations_.all()[at].branches, nothing};
    if (Status said = deliver(document, at, copy, goes_on); !said.ok()) return said;
  }
  return {};
}

// `is_behind`: the step at the copy's place was passed before (that is where children begin).
Status PipelineRunner::walk(Document const& document, Copy copy, bool is_behind) {
  if (is_ended_ || stop_.is_over()) return {};
  if (!is_behind) {
    // Nothing is missing here or behind: no step need run.
    std::vector<bool> const behind = plan::below(plan_, copy.at);
    bool is_needed = wishes_.splits.contains(plan_.step(copy.at).name);
    for (std::size_t at = 0; at < destinations_.all().size() && !is_needed; ++at) {
      plan::StepIndex const step = destinations_.all()[at].step;
      is_needed = is_missing(document, at) && (step == copy.at || behind[step]);
    }
    // Something that is made of it may be.
    for (plan::StepIndex step = 0; step < plan_.steps.size() && !is_needed; ++step)
      is_needed = behind[step] && wishes_.splits.contains(plan_.step(step).name);
    if (!is_needed) return {};
    bool goes_on = true;
    if (Status passed = pass(document, copy, goes_on); !passed.ok() || !goes_on) return passed;
  }
  if (plan_.step(copy.at).after.empty()) return {};
  Result<std::vector<plan::StepIndex>> const chosen = choose(document, copy);
  if (!chosen.ok()) return chosen.status();
  for (plan::StepIndex const next : chosen.value()) {
    Copy further = copy;
    further.at = next;
    if (plan_.step(copy.at).duplicates()) further.branches.push_back(next);
    if (Status walked = walk(document, std::move(further), false); !walked.ok()) return walked;
  }
  return {};
}

Status PipelineRunner::pass(Document const& document, Copy& copy, bool& goes_on) {
  plan::Step const& step = plan_.step(copy.at);
  if (step.is_source) return {};
  if (step.is_output()) {
    std::optional<std::size_t> const destination = destination_of(copy);
    return destination && is_missing(document, *destination) ? deliver(document, *destination, copy, goes_on)
                                                             : Status{};
  }
  if (wishes_.splits.contains(step.name)) {
    goes_on = false;
    return split(document, copy);
  }
  return wishes_.steps.contains(step.name) ? filter(document, copy, goes_on) : Status{};
}

Status PipelineRunner::filter(Document const& document, Copy& copy, bool& goes_on) {
  plan::Step const& step = plan_.step(copy.at);
  std::string const out = new_file();
  Result<Filtered> const done =
      run_filter(wishes_.steps.at(step.name), variables(document, step), copy.content, out, watch(document));
  if (is_ended_) {
    goes_on = false;
    return {};
  }
  if (std::optional<NotSent> const why = why_not_sent(step.name, done)) {
    goes_on = false;
    return fail_behind(document, copy, *why, is_drop(done));
  }
  if (step.effect == plan::Effect::mutating) copy.content = out;
  return {};
}

Status PipelineRunner::fail_behind(Document const& document, Copy const& copy, NotSent const& why, bool drops) {
  std::vector<bool> const behind = plan::below(plan_, copy.at);
  for (std::size_t at = 0; at < destinations_.all().size(); ++at) {
    plan::Destination const& one = destinations_.all()[at];
    bool const is_on_way =
        plan_.step(one.step).any_path || (one.branches.size() >= copy.branches.size() &&
                                          std::equal(copy.branches.begin(), copy.branches.end(), one.branches.begin()));
    if (!behind[one.step] || !is_on_way || !is_missing(document, at)) continue;
    Status said;
    if (drops)
      said = documents_.dropped(document, one.name, why.error);
    else
      said = documents_
                 .failed(document, one.name, why.kind,
                         {.error = why.error, .permanent = why.permanent, .error_trace = why.error_trace})
                 .status();
    if (!said.ok() && !is_over(said)) return said;
    ++(drops ? counts_.dropped : counts_.failed);
  }
  return {};
}

// Each file that the command leaves is a child; the document itself goes no further by this way.
Status PipelineRunner::split(Document const& document, Copy const& copy) {
  plan::Step const& step = plan_.step(copy.at);
  fs::path const folder = new_file();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return {Code::io_error, "make " + folder.string() + ": " + error.message()};
  std::vector<std::string> with = variables(document, step);
  with.push_back("FJ_OUT=" + folder.string());
  Result<Filtered> const done =
      run_filter(wishes_.splits.at(step.name), with, copy.content, new_file(), watch(document));
  if (is_ended_) return {};
  if (std::optional<NotSent> const why = why_not_sent(step.name, done))
    return fail_behind(document, copy, *why, is_drop(done));
  Result<Made> const made = take_made(folder.string());
  if (!made.ok())
    return fail_behind(document, copy, {.kind = step.name + ": files", .error = made.status().message()}, false);
  for (auto const& [name, path] : made.value()) {
    if (is_ended_ || stop_.is_over()) return {};
    Result<client::Child> child = documents_.begin_child(document, name, step.name);
    if (!child.ok()) return is_over(child.status()) ? Status{} : child.status();
    if (!child->document.is_mine()) continue;
    child->document.source = document.source;
    child->document.uri = document.uri + "/" + name;
    Copy further = copy;
    further.content = path;
    if (Status walked = walk(child->document, std::move(further), true); !walked.ok()) return walked;
  }
  if (is_ended_ || stop_.is_over()) return {};
  Status const said = documents_.children_done(document, made->size());
  if (!said.ok() && !is_over(said)) return said;
  return fail_behind(document, copy, {.kind = "split", .error = "it was taken apart"}, true);
}

Result<PipelineRunner::Made> PipelineRunner::take_made(std::string const& path) {
  Result<files::Folder> const folder = files::Folder::open(path);
  if (!folder.ok()) return folder.status();
  Taking taking{[this] { return new_file(); }};
  if (Status status = taking.take(folder.value(), {}, 0); !status.ok()) return status;
  taking.leave_links();
  Made out;
  for (Entry& entry : taking.made) out.emplace_back(std::move(entry.name), std::move(entry.path));
  if (std::size_t const count = taking.others.size(); count > 0)
    tell_(fmt::format("of what a document was taken apart into, {} {} and {} not delivered: {}{}", count,
                      count == 1 ? "is a link or no file" : "are links or no files", count == 1 ? "is" : "are",
                      taking.others.front(), count > 1 ? ", ..." : ""));
  return out;
}

Status PipelineRunner::deliver(Document const& document, std::size_t destination, Copy const& copy, bool& goes_on) {
  plan::Step const& step = plan_.step(copy.at);
  Result<client::Delivery> const done = documents_.deliver(
      document, destinations_.all()[destination].name, [&](client::Sending const& sending) -> std::optional<NotSent> {
        return send(document, step, wishes_.outputs.at(step.name), copy, sending);
      });
  if (!done.ok()) {
    goes_on = false;
    if (!is_over(done.status())) return done.status();
    ++counts_.cancelled;
    return {};
  }
  if (done->verdict == client::Sending::Verdict::cancelled) {
    ++counts_.cancelled;
    goes_on = false;
  } else if (done->state == "sending") {
    ++counts_.in_doubt;
    goes_on = false;
  } else if (done->verdict == client::Sending::Verdict::run) {
    goes_on = done->state == "sent";
    ++(goes_on ? counts_.sent : done->state == "dropped" ? counts_.dropped : counts_.failed);
  }
  return {};
}

std::optional<NotSent> PipelineRunner::send(Document const& document, plan::Step const& step, std::string const& target,
                                            Copy const& copy, client::Sending const& sending) {
  if (target.starts_with(kFolder)) {
    fs::path const path = fs::path{target.substr(kFolder.size())} / document.uri;
    Status const put = document.is_gone ? remove_file(path) : put_file(copy.content, path);
    if (put.ok()) return std::nullopt;
    return NotSent{.kind = step.name + ": folder", .error = put.message()};
  }
  if (is_http(target)) return post(document, step, copy, sending);
  std::vector<std::string> with = variables(document, step);
  with.push_back("FJ_KEY=" + sending.key);
  with.push_back("FJ_ATTEMPT=" + std::to_string(sending.attempt));
  Result<Filtered> const done = run_filter(target, with, copy.content, {}, watch(document));
  std::optional<NotSent> why = why_not_sent(step.name, done);
  if (why && is_ended_) why->may_have_arrived = true;
  if (why) why->drop = is_drop(done);
  return why;
}

// The headers say what commands find in their variables.
std::optional<NotSent> PipelineRunner::post(Document const& document, plan::Step const& step, Copy const& copy,
                                            client::Sending const& sending) {
  HttpRequest const request{.content = copy.content,
                            .uri = document.uri,
                            .headers = {{"Idempotency-Key", sending.key},
                                        {"Fastjournal-Document", std::to_string(document.document)},
                                        {"Fastjournal-Source", document.source},
                                        {"Fastjournal-Uri", percent_encoded(document.uri, true)},
                                        {"Fastjournal-Step", step.name},
                                        {"Fastjournal-Attempt", std::to_string(sending.attempt)}},
                            .time_limit_ms = step.retry.timeout_ms,
                            .deletes = document.is_gone};
  std::optional<NotSent> why = send_by_http(http_target_of(step.name), request, watch(document));
  if (why && why->kind == "timeout") why->permanent = step.retry.on_timeout == plan::OnTimeout::permanent;
  return why;
}

// The next by turns. One way for all copies of a document, and the one that it was sent before: elsewhere it is dropped.
plan::StepIndex PipelineRunner::turn_of(Document const& document, Copy const& copy) {
  auto const [known, is_first] = ways_.try_emplace({document.document, copy.at});
  if (!is_first) return known->second;
  std::vector<plan::StepIndex> ways;
  for (plan::StepIndex const next : plan_.step(copy.at).after) {
    std::vector<bool> const behind = plan::below(plan_, next);
    bool is_open = false;
    for (std::size_t at = 0; at < destinations_.all().size() && !is_open; ++at) {
      plan::StepIndex const step = destinations_.all()[at].step;
      is_open = is_missing(document, at) && (step == next || behind[step]);
    }
    if (is_open) ways.push_back(next);
  }
  if (ways.empty()) ways = plan_.step(copy.at).after;
  return known->second = ways[turns_[copy.at]++ % ways.size()];
}

Result<std::vector<plan::StepIndex>> PipelineRunner::choose(Document const& document, Copy const& copy) {
  plan::Step const& step = plan_.step(copy.at);
  if (!step.chooses()) return step.after;
  std::vector<plan::StepIndex> out;
  std::vector<std::string> names;
  if (step.router == plan::Router::round_robin) {
    out.push_back(turn_of(document, copy));
    names.push_back(plan_.step(out.back()).name);
  } else {
    std::string const file = new_file();
    Result<Filtered> const done =
        run_filter(wishes_.routes.at(step.name), variables(document, step), copy.content, file, watch(document));
    if (is_ended_) return std::vector<plan::StepIndex>{};
    std::optional<NotSent> why = why_not_sent(step.name, done);
    std::ifstream words{file};
    for (std::string name; !why && words >> name;) {
      auto const next =
          std::ranges::find_if(step.after, [&](plan::StepIndex at) { return plan_.step(at).name == name; });
      if (next == step.after.end())
        why = NotSent{.kind = step.name + ": route", .error = "no step " + name + " is behind it", .permanent = true};
      else if (std::ranges::find(out, *next) == out.end())
        out.push_back(*next);
    }
    if (!why && (out.empty() || out.size() > step.copies_max))
      why = NotSent{.kind = step.name + ": route",
                    .error = fmt::format("{} names, expected 1 to {}", out.size(), step.copies_max),
                    .permanent = true};
    if (why) {
      Status const said = fail_behind(document, copy, *why, is_drop(done));
      if (!said.ok()) return said;
      return std::vector<plan::StepIndex>{};
    }
    for (plan::StepIndex const at : out) names.push_back(plan_.step(at).name);
  }
  Status const said = documents_.routed(document, step.name, names).status();
  if (said.code() == Code::wrong_state) {
    Status const told =
        fail_behind(document, copy, {.kind = step.name + ": route", .error = said.message(), .permanent = true}, false);
    if (!told.ok()) return told;
    return std::vector<plan::StepIndex>{};
  }
  if (!said.ok() && !is_over(said)) return said;
  return out;
}

}  // namespace fastjournal::cli
