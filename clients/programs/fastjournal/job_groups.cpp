// The verbs about groups of jobs: `groups`, `group`, `cancel`. Rows join one by `put --group`.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "clients/programs/fastjournal/verbs.h"

namespace fastjournal::cli {
namespace {

struct ShowGroups {
  OptionSet& to;
  Text group{to, "GROUP", journal::groups::group};
  Page pages{to};

  ExitCode run(Call& call) {
    Paging paging = pages.paging(call.json ? UINT64_MAX : 100);
    Result<std::vector<Message>> const found = call.all_pages(call.about_table("GROUPS", to), paging);
    if (!found.ok()) return call.complain(found.status());
    if (call.json) {
      call.show(found.value());
      return found->empty() ? ExitCode::nothing : ExitCode::ok;
    }
    if (!group.empty() && found->size() == 1) {
      call.console.out << render_sheet(found->front(), call.console.look);
      return ExitCode::ok;
    }
    if (found->empty()) call.console.out << "no groups of jobs\n";
    call.show(found.value());
    if (!paging.after.empty()) call.note("there are more: --after " + printable(paging.after));
    return ExitCode::ok;
  }
};

struct OpenGroup {
  OptionSet& to;
  std::string_view const* state;
  Text group{to, "GROUP", journal::group::group, required};

  ExitCode run(Call& call) {
    Message command = call.about_table("GROUP", to);
    command.set("state", *state);
    return call.report(command, [&](Message const& answer) {
      return fmt::format("group {} is {}: {} rows have not ended, {} done, {} failed, {} parked", printable(group),
                         answer.text("state"), value_text(answer, "rows"), value_text(answer, "done"),
                         value_text(answer, "failed"), value_text(answer, "parked"));
    });
  }
};

constexpr std::string_view kOpen{"open"};
constexpr std::string_view kClosed{"closed"};

struct CancelGroup {
  OptionSet& to;
  Text group{to, "GROUP", journal::cancel::group, required};
  Text how{to, "--how", journal::cancel::how};

  ExitCode run(Call& call) {
    Message command = call.about_table("CANCEL", to);
    std::int64_t rows = 0;
    for (bool more = true; more;) {
      Result<Message> const answer = call.ask(command);
      if (!answer.ok()) {
        if (rows > 0) call.note(fmt::format("{} rows were ended; the same command goes on", rows));
        return call.complain(answer.status());
      }
      rows += answer->integer("count").value_or(0);
      more = answer->has("after");
      if (more) command.set_integer("after", answer->integer("after").value_or(0));
    }
    Message out{"CANCELLED"};
    out.set("group", out.arena().copy(group));
    out.set_integer("count", rows);
    return call.say(out, fmt::format("group {}: {} rows are ended, and it is closed", printable(group), rows));
  }
};

constexpr Verb kGroupsVerbs[]{
    {"groups", "list the groups of jobs of a journal, or show one", Needs::table, declare<ShowGroups>,
     "fastjournal groups jobs\n"
     "fastjournal groups jobs night --json"},
    {"cancel", "end the rows of a group of jobs that have not ended", Needs::table, declare<CancelGroup>,
     "fastjournal cancel jobs night\n"
     "fastjournal cancel jobs night --how fail"},
};

constexpr Verb kGroupVerbs[]{
    {"group open", "make a group of jobs that does not end until it is closed", Needs::table,
     declare<OpenGroup, &kOpen>, "fastjournal group open jobs night"},
    {"group close", "let a group of jobs end once all its rows have", Needs::table, declare<OpenGroup, &kClosed>,
     "fastjournal group close jobs night"},
};

}  // namespace

Verbs groups_verbs() { return kGroupsVerbs; }
Verbs group_verbs() { return kGroupVerbs; }

}  // namespace fastjournal::cli
