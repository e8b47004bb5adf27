// The verbs `pipeline ...` for people: what is known of documents, and what is to become of them. Those that bring
// documents to their destinations are in pipelines.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <ostream>
#include <thread>

#include "clients/programs/fastjournal/verbs.h"

namespace fastjournal::cli {
namespace {

constexpr std::uint64_t kDocumentsShown = 100;

// ---------------------------------------------------------------------------
// Reading

// All pages of it as one.
struct PipelineStatus {
  OptionSet& to;

  ExitCode run(Call& call) {
    Paging paging{.is_sized = false};
    Result<std::vector<Message>> all = call.all_pages(call.about_table("DESTINATIONS"), paging);
    if (!all.ok()) return call.complain(all.status());
    // A destination that is named for its step, as most are, needs no second name.
    for (Message& one : all.value())
      for (std::string_view const name : {"step", "branches"})
        if (!call.json && one.text(name) == one.text("destination")) one.erase(name);
    call.show(all.value(), "table");
    return all->empty() ? ExitCode::nothing : ExitCode::ok;
  }
};

// With --json all, else a page.
ExitCode list_documents(Call& call, Message command, Page const& pages) {
  Paging paging = pages.paging(call.json ? UINT64_MAX : kDocumentsShown);
  bool is_empty = true;
  Status const listed = call.each_page(std::move(command), paging, [&](std::vector<Message>& page) -> Status {
    paging.left -= std::min<std::uint64_t>(paging.left, page.size());
    is_empty = is_empty && page.empty();
    call.show(page, "table");
    return {};
  });
  if (!listed.ok()) return call.complain(listed);
  if (!paging.after.empty() && !call.json) call.note("there are more: --after " + paging.after);
  return is_empty ? ExitCode::nothing : ExitCode::ok;
}

struct PipelineLs {
  OptionSet& to;
  Text status{to, "--status", pipeline::documents::status, called("STATUS")};
  Text destination{to, "--destination", pipeline::documents::destination, called("NAME")};
  Number<> version{to, "--version", pipeline::documents::version};
  Page pages{to};

  ExitCode run(Call& call) { return list_documents(call, call.about_table("DOCUMENTS", to), pages); }
};

struct PipelineHistory {
  OptionSet& to;
  Text document{to, "--document", pipeline::history::document, called("NUMBER")};
  Flag children{to, "--children", pipeline::history::children};
  Page pages{to};

  ExitCode run(Call& call) { return list_documents(call, call.about_table("HISTORY", to), pages); }
};

// As a file.
struct PipelinePlan {
  OptionSet& to;
  Number<> version{to, "--version", pipeline::documents::version.as("this version; the newest if absent")};

  ExitCode run(Call& call) {
    Result<client::Reply> const reply = call.connection().call(call.about_table("PLANS"));
    if (!reply.ok()) return call.complain(reply.status());
    auto const found = std::ranges::find_if(reply->messages, [&](Message const& one) {
      if (!one.has("xml")) return false;
      return version ? one.integer("version") == static_cast<std::int64_t>(*version) : one.integer("newest") == 1;
    });
    if (found == reply->messages.end())
      return call.complain({Code::not_found, "the table has no such plan: call PLANS lists them"});
    call.console.out << (call.json ? render_json(*found) : printable_lines(found->text("xml")));
    return ExitCode::ok;
  }
};

struct PipelineWhy {
  OptionSet& to;
  Text document{to, "DOCUMENT", pipeline::why::document.as("its number"), required, alone};

  ExitCode run(Call& call) { return call.report(call.about_table("WHY", to), reason_of); }
};

// ---------------------------------------------------------------------------
// Changing

using Sums = std::map<std::string, std::uint64_t, std::less<>>;

std::string deliveries(Sums& sums) {
  return fmt::format("{} {}", sums["count"], sums["count"] == 1 ? "delivery" : "deliveries");
}
std::string documents(Sums& sums) {
  return fmt::format("{} {}", sums["count"], sums["count"] == 1 ? "document" : "documents");
}
std::string migrated(Sums& sums) {
  return fmt::format("{}, {} there before, {} stay", documents(sums), sums["there"], sums["stay"]);
}

// Page by page, not faster than wished.
ExitCode change_documents(Call& call, std::string_view name, OptionSet const& given, std::optional<std::uint64_t> rate,
                          bool is_dry, std::string (*so_far)(Sums&), std::string const& renamed = {}) {
  using namespace std::chrono;
  std::uint64_t const page = std::min(rate.value_or(Paging::kPageMax), Paging::kPageMax);
  Sums sums;
  auto const begun = steady_clock::now();
  for (std::string after;;) {
    Message command = call.about_table(name, given);
    set_given(command, "rename", renamed);
    command.set("count", Value::of_unsigned(page));
    set_given(command, "after", after);
    Result<Message> const answer = call.ask(command);
    if (!answer.ok()) return call.complain(answer.status(), so_far(sums));
    for (std::string_view const counted : {"count", "there", "stay"})
      if (std::optional<std::int64_t> const number = answer->integer(counted))
        sums[std::string{counted}] += static_cast<std::uint64_t>(*number);
    if (call.console.progress) call.console.err << '\r' << so_far(sums) << std::flush;
    after = std::to_string(answer->integer("after").value_or(0));
    if (after == "0" && answer->integer("more").value_or(0) != 1) break;
    if (after == "0") after.clear();
    if (rate) std::this_thread::sleep_until(begun + milliseconds{sums["count"] * 1000 / *rate});
  }
  if (call.console.progress) call.console.err << '\r' << std::string(40, ' ') << '\r';
  Message out{"CHANGED"};
  for (auto const& [counted, sum] : sums) out.set(counted, Value::of_unsigned(sum));
  call.say(out, so_far(sums) + (is_dry ? ": nothing was changed" : ""));
  return sums["count"] == 0 ? ExitCode::nothing : ExitCode::ok;
}

constexpr char kRateHelp[] = "so many a second at most";

// Deliveries that are meant.
struct Deliveries {
  OptionSet& to;
  Text document{to, "--document", pipeline::retry::document, called("NUMBER")};
  Text destination{to, "--destination", pipeline::retry::destination, called("NAME")};
  Text failure{to, "--class", pipeline::retry::the_class, called("CLASS")};
  Text status{to, "--status", pipeline::retry::status, called("STATUS")};
  Flag all{to, "--all", pipeline::retry::all};
  Number<> rate{to, "--rate", kRateHelp, WholeNumbers{1}};
  Flag dry_run{to, "--dry-run", pipeline::retry::dry_run};

  ExitCode change(Call& call, std::string_view name) const {
    return change_documents(call, name, to, rate, dry_run, deliveries);
  }
};

struct PipelineRetry {
  OptionSet& to;
  Flag if_changed{to, "--if-changed", pipeline::retry::if_changed};
  Deliveries meant{to};

  ExitCode run(Call& call) { return meant.change(call, "RETRY"); }
};

struct PipelineForce : Deliveries {
  ExitCode run(Call& call) { return change(call, "FORCE"); }
};

struct PipelineDrop : Deliveries {
  ExitCode run(Call& call) { return change(call, "DROP"); }
};

struct PipelineResolve {
  OptionSet& to;
  Text outcome{to, "OUTCOME", pipeline::resolve::outcome.as("sent, or failed: then it is sent again"), required, alone};
  Deliveries meant{to};

  ExitCode run(Call& call) { return meant.change(call, "RESOLVE"); }
};

struct PipelineMigrate {
  OptionSet& to;
  WordList renamed{to, "--rename", "this source or step has another name now (repeatable)", repeated("OLD=NEW")};
  Number<> version{to, "--version", pipeline::migrate::version.as("the older version"), required};
  Number<> rate{to, "--rate", kRateHelp, WholeNumbers{1}};
  Flag dry_run{to, "--dry-run", pipeline::retry::dry_run};

  ExitCode run(Call& call) {
    std::string const names = fmt::format("{}", fmt::join(renamed, " "));
    return change_documents(call, "MIGRATE", to, rate, dry_run, migrated, names);
  }
};

struct PipelineForget {
  OptionSet& to;
  Text document{to, "--document", pipeline::forget::document.as("this one"), called("NUMBER")};
  Number<> version{to, "--version", pipeline::forget::version.as("of an older version of the plan")};
  Number<> rate{to, "--rate", kRateHelp, WholeNumbers{1}};

  ExitCode run(Call& call) { return change_documents(call, "FORGET", to, rate, false, documents); }
};

struct PipelineKick {
  OptionSet& to;
  Text document{to, "DOCUMENT", pipeline::kick::document.as("its number"), required, alone};
  Text destination{to, "--destination", pipeline::kick::destination, called("NAME")};

  ExitCode run(Call& call) {
    return call.report(call.about_table("KICK", to), [](Message const& answer) {
      std::int64_t const count = answer.integer("count").value_or(0);
      std::int64_t const doubt = answer.integer("in_doubt").value_or(0);
      return fmt::format("{} lease{} taken back{}", count, count == 1 ? "" : "s",
                         doubt > 0 ? fmt::format(", {} in doubt: `pipeline resolve`", doubt) : "");
    });
  }
};

ExitCode set_mode(Call& call, Message const& command) {
  return call.report(command, [&](Message const& answer) {
    return fmt::format("{} is {}", printable(command.text("destination")), answer.text("mode"));
  });
}

struct PipelinePause {
  OptionSet& to;
  Text reason{to, "--reason", pipeline::pause::reason, called("TEXT")};
  Text destination{to, "DESTINATION", pipeline::pause::destination.as("its name"), required, alone};

  ExitCode run(Call& call) { return set_mode(call, call.about_table("PAUSE", to)); }
};

struct PipelineResume {
  OptionSet& to;
  Text destination{to, "DESTINATION", pipeline::resume::destination.as("its name"), required, alone};

  ExitCode run(Call& call) { return set_mode(call, call.about_table("RESUME", to)); }
};

constexpr Verb kPipelineVerbs[]{
    {"pipeline status", "list the destinations with their documents by state", Needs::table, declare<PipelineStatus>,
     "fastjournal pipeline status docs"},
    {"pipeline ls", "list documents with their states", Needs::table, declare<PipelineLs>,
     "fastjournal pipeline ls docs --status in_doubt"},
    {"pipeline plan", "print the plan that the table has, as its file", Needs::table, declare<PipelinePlan>,
     "fastjournal pipeline plan docs > docs-plan.xml"},
    {"pipeline why", "say why a document is where it is", Needs::table, declare<PipelineWhy>,
     "fastjournal pipeline why docs 69688"},
    {"pipeline history", "list what has become of documents, one event after the other", Needs::table,
     declare<PipelineHistory>, "fastjournal pipeline history docs --document 69688"},
    {"pipeline retry", "try again what failed, as if it had not", Needs::table, declare<PipelineRetry>,
     "fastjournal pipeline retry docs --destination index --class down --rate 100 --dry-run"},
    {"pipeline force", "send again, also what has arrived", Needs::table, declare<PipelineForce>,
     "fastjournal pipeline force docs --destination index --all"},
    {"pipeline drop", "drop what has not arrived", Needs::table, declare<PipelineDrop>,
     "fastjournal pipeline drop docs --status dead"},
    {"pipeline resolve", "say of what is in doubt whether it arrived", Needs::table, declare<PipelineResolve>,
     "fastjournal pipeline resolve docs sent --document 69688"},
    {"pipeline kick", "take a document back from the workers that have it", Needs::table, declare<PipelineKick>,
     "fastjournal pipeline kick docs 69688 --destination index",
     "It is handed out again, nothing is counted, and its workers are refused when they report. What is being sent\n"
     "where it may arrive once at most is in doubt then. Needs the right manage."},
    {"pipeline migrate", "take what is known under an older version of the plan over to the newest", Needs::table,
     declare<PipelineMigrate>, "fastjournal pipeline migrate docs --version 1 --rename index=search --dry-run"},
    {"pipeline forget", "forget a document with its children, or those of an older version", Needs::table,
     declare<PipelineForget>, "fastjournal pipeline forget docs --version 1"},
    {"pipeline pause", "hand out nothing for a destination", Needs::table, declare<PipelinePause>,
     "fastjournal pipeline pause docs index --reason 'a new index'"},
    {"pipeline resume", "open a destination that was paused", Needs::table, declare<PipelineResume>,
     "fastjournal pipeline resume docs index"},
};

}  // namespace

Verbs pipeline_verbs() { return kPipelineVerbs; }

}  // namespace fastjournal::cli
