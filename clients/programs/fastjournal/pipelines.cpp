// `pipeline run`: folders as sources of a pipeline table, commands as its steps. Nobody has to write a program to index
// a folder so that a crash loses nothing and sends nothing twice.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clients/cpp/documents.h"
#include "clients/cpp/folder_scanner.h"
#include "clients/cpp/secret_file.h"
#include "clients/programs/fastjournal/document_contents.h"
#include "clients/programs/fastjournal/pipeline_runner.h"
#include "clients/programs/fastjournal/stop.h"
#include "clients/programs/fastjournal/verbs.h"
#include "clients/programs/fastjournal/work_folder.h"
#include "model/plan/codec.h"

namespace fastjournal::cli {
namespace {

namespace fs = std::filesystem;
using client::Document;
using client::FolderScanner;
using client::Milliseconds;

// Between two scans where nothing tells of changes, and after the daemon was away.
constexpr DurationMs kEveryDefault{10'000};
constexpr Milliseconds kAway{1'000};
constexpr DurationMs kStopAfterDefault{30'000};
constexpr std::string_view kWorkFolder = "fastjournal-pipeline";

// NAME=VALUE of each; the word that is none.
Result<std::map<std::string, std::string>> pairs_of(std::vector<std::string> const& words, std::string_view option) {
  std::map<std::string, std::string> out;
  for (std::string const& word : words) {
    std::size_t const equal = word.find('=');
    if (equal == std::string::npos || equal == 0 || equal + 1 == word.size())
      return Status{Code::bad_parameter, fmt::format("{} {}: expected NAME=VALUE", option, word)};
    if (!out.emplace(word.substr(0, equal), word.substr(equal + 1)).second)
      return Status{Code::bad_parameter, fmt::format("{} {}: given twice", option, word.substr(0, equal))};
  }
  return out;
}

Result<plan::Plan> plan_of(Call& call) {
  Result<client::Reply> const reply = call.connection().call(call.about_table("PLANS"));
  if (!reply.ok()) return reply.status();
  for (Message const& message : reply->messages) {
    if (message.integer("newest") != 1) continue;
    if (std::optional<plan::Plan> plan = plan::decode(message.text("text"))) return std::move(*plan);
    return Status{Code::invalid, "the table's plan is of a later version of this program"};
  }
  return Status{Code::not_found, "the table has no plan"};
}

struct PipelineRunOptions {
  OptionSet& to;
  WordList sources{to, "--source", "the files of this folder are the documents of the source (repeatable)",
                   repeated("NAME=FOLDER")};
  WordList steps{to, "--step", "the step is this command: from standard input to standard output (repeatable)",
                 repeated("NAME=COMMAND")};
  WordList splits{
      to, "--split",
      "the step takes documents apart: the command writes files into the folder $FJ_OUT, each a child (repeatable)",
      repeated("NAME=COMMAND")};
  WordList routes{to, "--route", "the router by-name is this command, which prints names of steps (repeatable)",
                  repeated("NAME=COMMAND")};
  WordList outputs{
      to, "--to",
      "the output is this command, with the document on standard input, folder:PATH, or a URL http... (repeatable)",
      repeated("NAME=COMMAND")};
  WordList headers{
      to, "--header",
      "a header for the URL of this output, as 'Content-Type: text/html', or @FILE with some, a line each (repeatable)",
      repeated("NAME=HEADER")};
  WordList methods{to, "--method", "POST (default) or PUT to the URL of this output (repeatable)",
                   repeated("NAME=METHOD")};
  Text keep{to, "--keep", "keep contents of sources with versions=\"all\" in this blob table until they have arrived",
            called("TABLE")};
  Flag once{to, "--once", "one scan; then print what was done, and end"};
  Duration interval{to, "--interval", "between two scans where nothing tells of changes (default 10s)"};
  Duration stop_after{to, "--stop-after",
                      "on SIGTERM or SIGINT, how long to go on with the document at hand (default 30s)"};
};

class PipelineCommand {
 public:
  PipelineCommand(PipelineRunOptions const& given, Call& call)
      : one_(given), call_(call), documents_(call.connection(), call.table) {}

  ExitCode run() {
    if (Status read = read_wishes(); !read.ok()) return call_.misuse(read.message());
    Result<plan::Plan> plan = plan_of(call_);
    if (!plan.ok()) return call_.complain(plan.status());
    plan_ = std::move(plan).value();
    if (Status made = make_folders(); !made.ok()) return call_.complain(made);
    if (!stop_.ok()) return call_.complain({Code::io_error, "cannot read signals from a descriptor"});
    runner_ = std::make_unique<PipelineRunner>(plan_, wishes_, documents_, work_.path(), stop_,
                                               [this](std::string const& text) { call_.note(printable(text)); });
    if (std::string const wrong = runner_->check(); !wrong.empty()) return call_.misuse(wrong);
    // Before a document is taken.
    if (Status const found = runner_->find_commands(); !found.ok()) return call_.misuse(found.message());
    contents_ = std::make_unique<DocumentContents>(plan_, wishes_.sources, call_.connection(), documents_, one_.keep,
                                                   contents_folder_.path());
    if (std::string const wrong = contents_->check(); !wrong.empty()) return call_.misuse(wrong);
    if (std::string const name = contents_->unkept(); !name.empty())
      call_.note("source " + name +
                 " keeps versions, and contents are not kept: a version whose file has changed before it arrived will "
                 "be failed for good. --keep TABLE keeps them in a blob table");
    for (auto const& [name, folder] : wishes_.sources) {
      auto const source = std::ranges::find(plan_.steps, name, &plan::Step::name);
      scanners_.emplace(name, std::make_unique<FolderScanner>(client::ScanOptions{folder, hash_of(*source)}));
    }
    return go_on();
  }

 private:
  Status read_wishes() {
    for (auto const& [words, option, into] :
         {std::tuple{&one_.sources, "--source", &wishes_.sources}, std::tuple{&one_.steps, "--step", &wishes_.steps},
          std::tuple{&one_.routes, "--route", &wishes_.routes}, std::tuple{&one_.splits, "--split", &wishes_.splits},
          std::tuple{&one_.outputs, "--to", &wishes_.outputs},
          std::tuple{&one_.methods, "--method", &wishes_.methods}}) {
      Result<std::map<std::string, std::string>> read = pairs_of(*words, option);
      if (!read.ok()) return read.status();
      *into = std::move(read).value();
    }
    for (std::string const& word : one_.headers)
      if (Status read = read_header(word); !read.ok()) return read;
    return {};
  }

  // Two, and none is left of those that were killed.
  Status make_folders() {
    WorkFolder::remove_left(kWorkFolder);
    for (WorkFolder* const folder : {&work_, &contents_folder_}) {
      Result<WorkFolder> made = WorkFolder::make(kWorkFolder);
      if (!made.ok()) return made.status();
      *folder = std::move(made).value();
    }
    return {};
  }

  // NAME='Name: value', or NAME=@FILE with a header a line.
  Status read_header(std::string const& word) {
    std::size_t const equal = word.find('=');
    if (equal == std::string::npos || equal == 0 || equal + 1 == word.size())
      return Status{Code::bad_parameter, "--header: expected NAME='Name: value' or NAME=@FILE"};
    std::vector<std::string>& into = wishes_.headers[word.substr(0, equal)];
    if (word[equal + 1] != '@') {
      into.push_back(word.substr(equal + 1));
      return {};
    }
    Result<std::string> const text = client::read_secret(word.substr(equal + 2));
    if (!text.ok()) return text.status();
    std::istringstream lines{text.value()};
    for (std::string line; std::getline(lines, line);) {
      if (line.ends_with('\r')) line.pop_back();
      if (!line.empty()) into.push_back(line);
    }
    return {};
  }

  // What a crash left comes first, then what is new.
  ExitCode go_on() {
    for (;;) {
      Status done = bring_missing();
      if (done.ok()) done = scan();
      if (done.ok()) done = bring_missing();
      if (!done.ok() && !is_away(done)) return call_.complain(done);
      if (stop_.is_asked() || (done.ok() && one_.once)) return finish();
      if (!done.ok()) {
        call_.note("the daemon is away: " + done.message());
        static_cast<void>(stop_.wait(kAway));
        continue;
      }
      wait();
    }
  }
  static bool is_away(Status const& status) { return exit_code_of(status.code()) == ExitCode::unreachable; }

  Status bring_missing() {
    for (auto const& [source, folder] : wishes_.sources)
      while (!stop_.is_asked()) {
        Result<std::vector<Document>> const next = documents_.next({.source = source});
        if (!next.ok()) return next.status();
        if (next->empty()) break;
        if (Status const brought = bring(next->front()); !brought.ok()) return brought;
      }
    return {};
  }

  Status bring(Document const& document) {
    Result<DocumentContents::Found> const content = contents_->find(document);
    if (!content.ok()) return content.status();
    Status const brought =
        content->failure.empty() ? run(document, content->path) : give_up(document, content->failure, content->why);
    return brought.ok() ? contents_->look_at_end(document) : brought;
  }

  Status run(Document const& document, std::string const& path) {
    PipelineCounts const before = runner_->counts();
    Status const done = runner_->run(document, path);
    if (!done.ok()) return done;
    if (stop_.is_over()) return let_go(document);
    // It would be handed out again and again.
    PipelineCounts const& after = runner_->counts();
    if (after == before) return give_up(document, "no-way", "no step leads there");
    // With children it is not known how many of these are its own.
    std::uint64_t const ended =
        after.sent + after.failed + after.dropped - before.sent - before.failed - before.dropped;
    bool const is_left = ended < document.destinations.size() || document.children || !wishes_.splits.empty();
    return is_left ? let_go(document) : Status{};
  }

  Status give_up(Document const& document, std::string const& kind, std::string const& why) {
    for (std::string const& destination : document.destinations) {
      Status const said = documents_.failed(document, destination, kind, {.error = why, .permanent = true}).status();
      if (is_away(said)) return said;
      if (said.ok()) ++given_up_;
    }
    return let_go(document);
  }
  // What is left of it in our hands: paused destinations.
  Status let_go(Document const& document) {
    Status const said = documents_.release(document);
    return is_away(said) ? said : Status{};
  }

  Status scan() {
    for (auto const& [source, scanner] : scanners_) {
      if (stop_.is_asked()) return {};
      Status asked;
      Status const scanned = scanner->scan([&, &name = source](client::ScannedFile const& file) {
        if (stop_.is_asked()) return false;
        ++files_;
        Result<DocumentContents::Kept> const kept = contents_->keep(name, file);
        asked = kept.status();
        if (is_drained(asked)) return true;
        if (!asked.ok() || kept.value() == DocumentContents::Kept::changing) return asked.ok();
        if (kept.value() == DocumentContents::Kept::too_large)
          call_.note(file.uri + " is not kept, as it is too large for table " + one_.keep);
        Result<Document> const found = documents_.found(name, file.uri, file.hash);
        asked = found.status();
        if (is_drained(asked)) return true;
        if (asked.ok() && found->is_mine()) asked = bring(found.value());
        return asked.ok();
      });
      if (!asked.ok()) return asked;
      if (!scanned.ok()) return scanned;
      if (Status const told = tell_gone(source, *scanner); !told.ok()) return told;
    }
    return {};
  }

  // Documents that the table knows of a source whose plan says deleted="tell", and that the scan has not found. The
  // table is asked for all of them at first, and then whenever a file has gone.
  Status tell_gone(std::string const& source, FolderScanner const& scanner) {
    auto const step = std::ranges::find(plan_.steps, source, &plan::Step::name);
    if (!step->tells_deleted || stop_.is_asked()) return {};
    auto const told = told_gone_.find(source);
    std::uint64_t const gone = scanner.gone();
    if (told != told_gone_.end() && told->second == gone) return {};
    // A disk that is not mounted looks like it.
    if (scanner.is_empty()) {
      if (empty_.insert(source).second)
        call_.note(
            "the folder of source " + source +
            " has no file at all: nothing is deleted for that; what is to be deleted is told by FOUND with gone=1");
      return {};
    }
    empty_.erase(source);
    Message command = call_.about_table("DOCUMENTS");
    command.set("source", std::string_view{source});
    std::vector<std::string> lost;
    Paging paging;
    Status const listed = call_.each_page(std::move(command), paging, [&](std::vector<Message>& page) -> Status {
      for (Message const& message : page)
        if (std::string uri{message.text("uri")};
            !uri.empty() && !message.has("operation") && !message.has("newer") && !scanner.has(uri))
          lost.push_back(std::move(uri));
      return {};
    });
    if (!listed.ok()) return listed;
    bool is_told = true;
    for (std::string const& uri : lost) {
      if (stop_.is_asked()) return {};
      // What came while all were listed is found by the next scan.
      std::error_code error;
      if (fs::symlink_status(fs::path{wishes_.sources.at(source)} / uri, error).type() != fs::file_type::not_found)
        continue;
      Result<Document> const found = documents_.found(source, uri, {}, {.gone = true});
      Status asked = found.status();
      if (is_drained(asked)) {
        is_told = false;
        continue;
      }
      if (asked.ok() && found->is_mine()) asked = bring(found.value());
      if (!asked.ok()) return asked;
    }
    if (is_told) told_gone_[source] = gone;
    return {};
  }

  // What is new or has changed waits for its RESUME, and everything else goes on.
  bool is_drained(Status& asked) {
    if (asked.code() != Code::paused) return false;
    if (!is_drain_told_) call_.note(asked.message());
    is_drain_told_ = true;
    ++drained_;
    asked = {};
    return true;
  }

  // Deliveries that wait for an operator, of this run and of all before.
  Result<std::uint64_t> count_in_doubt() {
    std::uint64_t out = 0;
    Paging paging{.is_sized = false};
    Status const listed =
        call_.each_page(call_.about_table("DESTINATIONS"), paging, [&](std::vector<Message>& page) -> Status {
          for (Message const& message : page)
            out += static_cast<std::uint64_t>(message.integer("in_doubt").value_or(0));
          return {};
        });
    if (!listed.ok()) return listed;
    return out;
  }

  void wait() {
    DurationMs const every = one_.interval.value_or(kEveryDefault);
    std::vector<FolderScanner const*> all;
    for (auto const& [name, scanner] : scanners_) all.push_back(scanner.get());
    if (!stop_.is_asked()) static_cast<void>(FolderScanner::wait_change(all, Milliseconds{every.value}, stop_.fd()));
  }

  ExitCode finish() {
    PipelineCounts counts = runner_->counts();
    counts.failed += given_up_;
    std::uint64_t doubt = counts.in_doubt;
    if (!stop_.is_asked()) {
      Result<std::uint64_t> const all = count_in_doubt();
      if (!all.ok()) return call_.complain(all.status());
      doubt = std::max(doubt, all.value());
    }
    if (call_.console.look.json)
      call_.console.out
          << fmt::format(
                 R"({{"files":{},"sent":{},"failed":{},"dropped":{},"cancelled":{},"in_doubt":{},"drained":{}}})",
                 files_, counts.sent, counts.failed, counts.dropped, counts.cancelled, doubt, drained_)
          << '\n';
    else
      call_.console.out << fmt::format("{} files looked at; {} sent, {} failed, {} dropped{}{}\n", files_, counts.sent,
                                       counts.failed, counts.dropped,
                                       doubt > 0 ? fmt::format(", {} in doubt", doubt) : "",
                                       drained_ > 0 ? fmt::format(", {} not taken", drained_) : "");
    if (doubt > 0 && !call_.console.look.json)
      call_.note(
          fmt::format("nobody knows what became of {}: `fastjournal pipeline ls {} --status in_doubt` lists what is in "
                      "doubt, `pipeline resolve` says whether it arrived",
                      doubt == 1 ? "one delivery" : std::to_string(doubt) + " deliveries", call_.table));
    // Asked to stop, it did what it was asked; what failed is tried again by the next one.
    bool const is_left = doubt > 0 || (drained_ > 0 && !stop_.is_asked()) || (counts.failed > 0 && !stop_.is_asked());
    return is_left ? ExitCode::failed : ExitCode::ok;
  }

  PipelineRunOptions const& one_;
  Call& call_;
  client::Documents documents_;
  PipelineWishes wishes_;
  plan::Plan plan_;
  Stop stop_{one_.stop_after.value_or(kStopAfterDefault)};
  WorkFolder work_;
  WorkFolder contents_folder_;
  std::unique_ptr<DocumentContents> contents_;
  std::unique_ptr<PipelineRunner> runner_;
  std::map<std::string, std::unique_ptr<FolderScanner>> scanners_;
  std::uint64_t files_{0};
  // Destinations of documents that are gone, or that lead nowhere.
  std::uint64_t given_up_{0};
  std::uint64_t drained_{0};  // files that are new or have changed
  bool is_drain_told_{false};
  std::map<std::string, std::uint64_t> told_gone_;  // by source: so many files had gone when all were told
  std::set<std::string> empty_;                     // sources whose folder has nothing, as was said
};

struct PipelineRun {
  OptionSet& to;
  PipelineRunOptions given{to};

  ExitCode run(Call& call) { return PipelineCommand{given, call}.run(); }
};

constexpr Verb kPipelineRun[]{
    {"pipeline run", "scan folders, run a command for each step, and deliver", Needs::table, declare<PipelineRun>,
     "fastjournal pipeline run docs --source pages=pages --to index='./index.sh' --to publish=folder:www\n"
     "fastjournal pipeline run docs --source pages=pages --to index='http://localhost:8983/add?id={uri}'",
     "Steps without a command pass documents on. Commands are run by a shell, with FJ_DOCUMENT, FJ_SOURCE, FJ_URI and\n"
     "FJ_STEP, outputs with FJ_KEY and FJ_ATTEMPT too. Exit status 0: it is done; 65: it would fail again each time;\n"
     "99: the document goes no further; any other: it is tried again after a rest. Several of these may run at once.\n"
     "In a URL {uri} is the document's path, {path} the same with its slashes. It has arrived with an answer 2xx.\n"
     "A second signal ends the command at once."},
};

}  // namespace

Verbs pipeline_run_verbs() { return kPipelineRun; }

}  // namespace fastjournal::cli
