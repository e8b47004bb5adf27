// check: what is wrong with configuration files. completion: the script of a shell, made of all verbs.
#include <ostream>

#include <fmt/format.h>

#include "clients/programs/fastjournal/check/check.h"
#include "clients/programs/fastjournal/command_line.h"
#include "clients/programs/fastjournal/usage/completion.h"

namespace fastjournal::cli {
namespace {

// One problem per line; the exit code is for CI.
struct CheckFiles {
  OptionSet& to;
  WordList files{
      to, "FILE",
      "NAME.xml of a table, the daemon's file (with all tables that it loads), TYPE.xml, a plan, or a folder "
      "of such; default: the daemon's file where it was installed"};
  Plugins plugins{to};

  ExitCode run(Call& call) {
    check::Report const report = check::check_files(files, plugins);
    for (check::Problem const& problem : report.problems) show(call, problem, "problem");
    for (check::Problem const& note : report.notes) show(call, note, "note");
    if (!report.problems.empty()) return ExitCode::usage;
    if (!call.json)
      call.console.out << (report.files.size() == 1 ? "1 file is good"
                                                    : fmt::format("{} files are good", report.files.size()))
                       << '\n';
    return ExitCode::ok;
  }

  static void show(Call& call, check::Problem const& problem, std::string_view what) {
    if (!call.json) {
      call.console.err << printable(problem.file) << ':' << (problem.line > 0 ? std::to_string(problem.line) + ":" : "")
                       << ' ' << printable_lines(problem.text) << '\n';
      return;
    }
    Message out;
    out.set("file", problem.file);
    out.set_integer("line", problem.line);
    out.set(what, problem.text);
    call.console.out << render_json(out);
  }
};

struct Completion {
  OptionSet& to;
  Text shell{to, "SHELL", "bash, zsh or fish", required, alone, one_of("bash zsh fish")};

  ExitCode run(Call& call) {
    usage::Usage const declared = declared_usage();
    call.console.out << (shell == "bash"  ? usage::bash_completion(declared)
                         : shell == "zsh" ? usage::zsh_completion(declared)
                                          : usage::fish_completion(declared));
    return ExitCode::ok;
  }
};

constexpr Verb kCheck[]{
    {"check", "say what is wrong with configuration files; no daemon is asked", Needs::nothing, declare<CheckFiles>,
     "fastjournal check conf/fastjournal.xml"},
};

constexpr Verb kCompletion[]{
    {"completion", "print a completion script for a shell", Needs::nothing, declare<Completion>,
     "fastjournal completion fish | source",
     "An installation has these scripts where the shells look for them. Elsewhere, in the shell's own file:\n"
     "  bash  . <(fastjournal completion bash)\n"
     "  zsh   . <(fastjournal completion zsh), behind compinit\n"
     "  fish  fastjournal completion fish | source"},
};

}  // namespace

Verbs check_verbs() { return kCheck; }
Verbs completion_verbs() { return kCompletion; }

}  // namespace fastjournal::cli
