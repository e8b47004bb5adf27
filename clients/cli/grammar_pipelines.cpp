// The commands `pipeline ...`, for pipeline tables, with their options and help.
#include "clients/cli/grammar.h"
#include "clients/cli/option_types.h"

namespace fastjournal::cli {

void Grammar::add_pipeline_verbs() {
  CLI::App& pipeline =
      verb("pipeline", "documents of a pipeline table: bring the files of folders to their destinations");
  pipeline.require_subcommand(1);
  pipeline.callback([this] { out_.verb = "pipeline " + pipeline_verb_; });
  CLI::App& run = pipeline_verb(pipeline, "run", "scan folders, run a command for each step, and deliver");
  auto const named = [&run](std::string const& option, std::vector<std::string>& into, std::string const& description,
                            std::string const& type) {
    run.add_option(option, into, description)->type_name(type)->expected(1)->take_all();
  };
  named("--source", out_.pipeline.sources, "the files of this folder are the documents of the source (repeatable)",
        "NAME=FOLDER");
  named("--step", out_.pipeline.steps, "the step is this command: from standard input to standard output (repeatable)",
        "NAME=COMMAND");
  named("--split", out_.pipeline.splits,
        "the step takes documents apart: the command writes files into the folder $FJ_OUT, each a child (repeatable)",
        "NAME=COMMAND");
  named("--route", out_.pipeline.routes, "the router by-name is this command, which prints names of steps (repeatable)",
        "NAME=COMMAND");
  named("--to", out_.pipeline.outputs,
        "the output is this command, with the document on standard input, or folder:PATH (repeatable)", "NAME=COMMAND");
  run.add_flag("--once", out_.once, "one scan; then print what was done, and end");
  duration(run, "--interval", out_.interval, "between two scans where nothing tells of changes (default 10s)");
  run.footer(
      "Steps without a command pass documents on. Commands are run by a shell, with FJ_DOCUMENT, FJ_SOURCE, FJ_URI "
      "and\n"
      "FJ_STEP, outputs with FJ_KEY and FJ_ATTEMPT too. Exit status 0: it is done; 65: it would fail again each time;\n"
      "99: the document goes no further; any other: it is tried again after a rest. Several of these may run at once.");
  pipeline_verb(pipeline, "status", "list the destinations with their documents by state");
}

CLI::App& Grammar::pipeline_verb(CLI::App& pipeline, std::string const& name, std::string const& description) {
  CLI::App* made = pipeline.add_subcommand(name, description);
  made->fallthrough();
  // Called before the callback of `pipeline`.
  made->callback([this, name] { pipeline_verb_ = name; });
  made->add_option("TABLE", out_.table, "name of the table")->required();
  return *made;
}

}  // namespace fastjournal::cli
