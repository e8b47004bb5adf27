// main_job: reads its command line, makes the folder of the run, and plays the story. It starts itself with --as as the
// producer and the backends.
#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "clients/demo/main_job/backend.h"
#include "clients/demo/main_job/daemon_process.h"
#include "clients/demo/main_job/documents.h"
#include "clients/demo/main_job/producer.h"
#include "clients/demo/main_job/story.h"

namespace fastjournal::main_job {
namespace {

namespace fs = std::filesystem;

constexpr int kExitRight = 0;
constexpr int kExitWrong = 1;
constexpr int kExitCannot = 2;
constexpr int kExitInterrupted = 130;

volatile std::sig_atomic_t interrupted = 0;
extern "C" void on_interrupt(int) { interrupted = 1; }

struct CommandLine {
  std::string folder;
  std::uint32_t pages{4000};
  std::string query;
  bool keep{false};
  bool json{false};
  std::uint64_t seed{1};
  // The role of a process started by the job.
  std::string as;
  std::string name;
  std::string server;
  std::string run_folder;
};

void declare(CLI::App& app, CommandLine& line) {
  app.add_option("FOLDER", line.folder,
                 "folder of documents; default: the texts of this machine (/usr/share/doc, /usr/include, ...)");
  app.add_option("--pages", line.pages, "at most so many documents")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--query", line.query,
                 "what to ask the index in the end, in the words of SQLite's FTS5; default: license AND warranty");
  app.add_option("--seed", line.seed, "which pages are touched when: the same seed, the same plan")
      ->capture_default_str();
  app.add_flag("--keep", line.keep, "keep the run's folder: data, index, and what each process wrote down");
  app.add_flag("--json", line.json, "print one JSON object and nothing else");
  // Options with an empty group are hidden.
  app.add_option("--as", line.as)->group("");
  app.add_option("--name", line.name)->group("");
  app.add_option("--server", line.server)->group("");
  app.add_option("--run-folder", line.run_folder)->group("");
  app.footer(
      "Starts a daemon and a forwarder of its own. A producer saves one row a page in a spool and touches many several "
      "times; two\n"
      "backends put the pages into a full-text index. In the middle the daemon is killed with -9 and is away for 3 s, "
      "and later one\n"
      "backend is killed. Ends by itself and leaves nothing behind.\n"
      "Exit status: 0 nothing lost, nothing done twice, every page in the index; 1 something of this is not so; 2 it "
      "could not be\n"
      "done (options, documents, daemon); 130 interrupted.");
}

int say(Status const& status) {
  if (status.ok()) return kExitRight;
  fmt::print(stderr, "main_job: {}\n", status.message());
  return kExitCannot;
}

int play_part(CommandLine const& line) {
  RunFolder const folder{line.run_folder};
  if (line.as == "backend")
    return say(
        work({.server = line.server, .name = line.name, .index = folder.index(), .events = folder.events(line.name)}));
  if (line.as != "producer")
    return say({Code::bad_parameter, fmt::format("--as {}: expected producer or backend", line.as)});
  return say(produce(
      {.pages = folder.pages(), .spool = folder.spool(), .events = folder.events(line.name), .seed = line.seed}));
}

// A new folder below $TMPDIR, removed with its contents at the end unless it is to be kept.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(bool keep) : keep_(keep) {
    char const* const base = std::getenv("TMPDIR");
    std::string name = fmt::format("{}/fastjournal-main-job.XXXXXX", base == nullptr || *base == '\0' ? "/tmp" : base);
    if (::mkdtemp(name.data()) == nullptr) {
      status_ = {Code::io_error, fmt::format("create {}: {}", name, std::strerror(errno))};
    } else {
      path_ = name;
    }
  }
  TemporaryFolder(TemporaryFolder const&) = delete;
  TemporaryFolder& operator=(TemporaryFolder const&) = delete;
  ~TemporaryFolder() {
    std::error_code error;
    if (!keep_ && !path_.empty()) fs::remove_all(path_, error);
    if (error) fmt::print(stderr, "main_job: could not remove {}: {}\n", path_.string(), error.message());
  }

  [[nodiscard]] Status const& status() const { return status_; }
  [[nodiscard]] fs::path const& path() const { return path_; }

 private:
  bool keep_;
  fs::path path_;
  Status status_;
};

Result<std::vector<fs::path>> folders_of(CommandLine const& line) {
  if (line.folder.empty()) return default_folders();
  std::error_code error;
  fs::path const folder = fs::canonical(line.folder, error);
  if (error) return Status{Code::not_found, fmt::format("{}: {}", line.folder, error.message())};
  if (!fs::is_directory(folder, error)) return Status{Code::not_found, fmt::format("{}: not a folder", line.folder)};
  return std::vector<fs::path>{folder};
}

void take_signals() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  for (int const number : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(number, &action, nullptr);
  // The reader of our output may stop reading; the processes must be ended nevertheless.
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &action, nullptr);
}

Progress::Style style_of(CommandLine const& line) {
  if (line.json) return Progress::Style::none;
  return ::isatty(STDOUT_FILENO) != 0 ? Progress::Style::bar : Progress::Style::lines;
}

void say_how_to_go_on(fs::path const& program, CommandLine const& line, fs::path const& run_folder) {
  fs::path const absolute = program.parent_path() / "fastjournal";
  std::error_code error;
  fs::path const relative = fs::relative(absolute, error);
  bool const below = !error && !relative.empty() && *relative.begin() != "..";
  std::string const cli = below ? relative.string() : absolute.string();
  fmt::print(
      "\n  Go on by hand. In one terminal:\n\n    ./mk serve\n\n  In another:\n\n"
      "    {0} put pages uri=http://example.com/\n    {0} take pages --hold      # shows ROW and EPOCH\n"
      "    {0} done pages ROW EPOCH   # in a third one\n",
      cli);
  if (line.keep) fmt::print("\n  Kept: {}\n", run_folder.string());
}

int play_story(CommandLine const& line) {
  std::error_code error;
  Settings settings{.pages_max = line.pages, .seed = line.seed, .style = style_of(line), .interrupted = &interrupted};
  settings.program = fs::read_symlink("/proc/self/exe", error);
  if (error) return say({Code::io_error, fmt::format("read /proc/self/exe: {}", error.message())});
  auto folders = folders_of(line);
  if (!folders.ok()) return say(folders.status());
  settings.folders = std::move(folders).value();
  settings.query_given = !line.query.empty();
  if (settings.query_given) settings.query = line.query;

  take_signals();
  TemporaryFolder const run_folder{line.keep};
  if (!run_folder.status().ok()) return say(run_folder.status());
  settings.run_folder = run_folder.path();
  auto const outcome = play(settings);
  if (!outcome.ok()) {
    say(outcome.status());
    if (line.keep) fmt::print(stderr, "main_job: kept {}\n", run_folder.path().string());
    return interrupted != 0 ? kExitInterrupted : kExitCannot;
  }
  fmt::print("{}", line.json ? json_of(outcome.value()) : table_of(outcome.value()));
  if (!line.json) say_how_to_go_on(settings.program, line, run_folder.path());
  return what_is_wrong(outcome.value()).empty() ? kExitRight : kExitWrong;
}

}  // namespace
}  // namespace fastjournal::main_job

int main(int count, char** words) {
  using namespace fastjournal::main_job;
  CommandLine line;
  CLI::App app{"The main job, end to end, on real documents", "main_job"};
  declare(app, line);
  try {
    app.parse(count, words);
  } catch (CLI::ParseError const& error) {
    return app.exit(error) == 0 ? kExitRight : kExitCannot;
  }
  return line.as.empty() ? play_story(line) : play_part(line);
}
