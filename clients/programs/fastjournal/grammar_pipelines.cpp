// The commands `pipeline ...`, for pipeline tables, with their options and help.
#include "clients/programs/fastjournal/grammar.h"
#include "clients/programs/fastjournal/option_types.h"

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
        "the output is this command, with the document on standard input, folder:PATH, or a URL http... (repeatable)",
        "NAME=COMMAND");
  named("--header", out_.pipeline.headers,
        "a header for the URL of this output, as 'Content-Type: text/html', or @FILE with some, a line each "
        "(repeatable)",
        "NAME=HEADER");
  named("--method", out_.pipeline.methods, "POST (default) or PUT to the URL of this output (repeatable)",
        "NAME=METHOD");
  run.add_option("--keep", out_.pipeline.keep,
                 "keep contents of sources with versions=\"all\" in this blob table until they have arrived")
      ->type_name("TABLE");
  run.add_flag("--once", out_.once, "one scan; then print what was done, and end");
  duration(run, "--interval", out_.interval, "between two scans where nothing tells of changes (default 10s)");
  duration(run, "--stop-after", out_.pipeline.stop_after,
           "on SIGTERM or SIGINT, how long to go on with the document at hand (default 30s)");
  run.footer(
      "Steps without a command pass documents on. Commands are run by a shell, with FJ_DOCUMENT, FJ_SOURCE, FJ_URI "
      "and\n"
      "FJ_STEP, outputs with FJ_KEY and FJ_ATTEMPT too. Exit status 0: it is done; 65: it would fail again each time;\n"
      "99: the document goes no further; any other: it is tried again after a rest. Several of these may run at once.\n"
      "In a URL {uri} is the document's path, {path} the same with its slashes. It has arrived with an answer 2xx.\n"
      "A second signal ends the command at once.");
  add_pipeline_reads(pipeline);
  add_pipeline_changes(pipeline);
}

void Grammar::add_pipeline_reads(CLI::App& pipeline) {
  pipeline_verb(pipeline, "status", "list the destinations with their documents by state");
  CLI::App& ls = pipeline_verb(pipeline, "ls", "list documents with their states");
  ls.add_option("--status", out_.filter.status, "stranded, open, failed, in_doubt, orphans, done, or a state as dead")
      ->type_name("STATUS");
  ls.add_option("--destination", out_.pipeline.destination, "in that state at this destination")->type_name("NAME");
  number(ls, "--version", out_.pipeline.version, "of this version of the plan (default: the newest)", 1);
  CLI::App& plan = pipeline_verb(pipeline, "plan", "print the plan that the table has, as its file");
  number(plan, "--version", out_.pipeline.version, "this version (default: the newest)", 1);
  CLI::App& why = pipeline_verb(pipeline, "why", "say why a document is where it is");
  why.add_option("DOCUMENT", out_.words, "its number")->required()->expected(1);
  CLI::App& history =
      pipeline_verb(pipeline, "history", "list what has become of documents, one event after the other");
  history.add_option("--document", out_.pipeline.document, "of this one")->type_name("NUMBER");
  history.add_flag("--children", out_.pipeline.children, "and of all that was made of it");
  for (CLI::App* const pages : {&ls, &history}) {
    pages->add_option("--after", out_.after, "go on where an earlier list ended");
    number(*pages, "--count", out_.count, "how many at most (default 100, with --json all)", 1);
  }
}

void Grammar::add_pipeline_changes(CLI::App& pipeline) {
  CLI::App& retry = pipeline_verb(pipeline, "retry", "try again what failed, as if it had not");
  retry.add_flag("--if-changed", out_.pipeline.if_changed,
                 "of what has arrived instead, if its source finds it changed");
  CLI::App& force = pipeline_verb(pipeline, "force", "send again, also what has arrived");
  CLI::App& drop = pipeline_verb(pipeline, "drop", "drop what has not arrived");
  CLI::App& resolve = pipeline_verb(pipeline, "resolve", "say of what is in doubt whether it arrived");
  resolve.add_option("OUTCOME", out_.words, "sent, or failed: then it is sent again")
      ->required()
      ->expected(1)
      ->check(CLI::IsMember(std::vector<std::string>{"sent", "failed"}));
  for (CLI::App* const many : {&retry, &force, &drop, &resolve}) {
    many->add_option("--document", out_.pipeline.document, "of this document")->type_name("NUMBER");
    many->add_option("--destination", out_.pipeline.destination, "at this destination")->type_name("NAME");
    many->add_option("--class", out_.pipeline.failure, "whose last failure is of this class")->type_name("CLASS");
    many->add_option("--status", out_.filter.status, "in this state, as dead")->type_name("STATUS");
    many->add_flag("--all", out_.all, "needed without any of these");
  }
  CLI::App& kick = pipeline_verb(pipeline, "kick", "take a document back from the workers that have it");
  kick.add_option("DOCUMENT", out_.words, "its number")->required()->expected(1);
  kick.add_option("--destination", out_.pipeline.destination, "only what is to be brought there")->type_name("NAME");
  kick.footer(
      "It is handed out again, nothing is counted, and its workers are refused when they report. What is being sent\n"
      "where it may arrive once at most is in doubt then. Needs the right manage.");
  CLI::App& migrate =
      pipeline_verb(pipeline, "migrate", "take what is known under an older version of the plan over to the newest");
  migrate.add_option("--rename", out_.renamed, "this source or step has another name now (repeatable)")
      ->type_name("OLD=NEW")
      ->expected(1)
      ->take_all();
  CLI::App& forget =
      pipeline_verb(pipeline, "forget", "forget a document with its children, or those of an older version");
  forget.add_option("--document", out_.pipeline.document, "this one")->type_name("NUMBER");
  number(migrate, "--version", out_.pipeline.version, "the older version", 1)->required();
  number(forget, "--version", out_.pipeline.version, "of an older version of the plan", 1);
  for (CLI::App* const many : {&retry, &force, &drop, &resolve, &migrate, &forget})
    number(*many, "--rate", out_.pipeline.rate, "so many a second at most", 1);
  for (CLI::App* const many : {&retry, &force, &drop, &resolve, &migrate})
    many->add_flag("--dry-run", out_.dry_run, "count them, and change nothing");
  CLI::App& pause = pipeline_verb(pipeline, "pause", "hand out nothing for a destination");
  pause.add_option("--reason", out_.reason, "why, for people")->type_name("TEXT");
  CLI::App& resume = pipeline_verb(pipeline, "resume", "open a destination that was paused");
  for (CLI::App* const one : {&pause, &resume})
    one->add_option("DESTINATION", out_.words, "its name")->required()->expected(1);
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
