#include "clients/programs/manual/types.h"

#include <fmt/format.h>

#include "config/fields.h"
#include "fastjournal/rights.h"
#include "server/admin/declarations.h"

namespace fastjournal::manual {
namespace {

std::string_view effect_of(CommandKind kind) {
  switch (kind) {
    case CommandKind::read: return "changes nothing";
    case CommandKind::add: return "is refused while disk or memory is short";
    case CommandKind::change: return "changes rows";
    case CommandKind::remove: return "works also while disk and memory are short";
    case CommandKind::touch: return "changes nothing but dates";
  }
  return "";
}

std::string_view resend_of(Resend resend) {
  switch (resend) {
    case Resend::never: return "must not be sent again where its answer was lost";
    case Resend::always: return "may be sent again where its answer was lost";
    case Resend::numbered: return "may be sent again where its answer was lost, if it has `client` and `sequence`";
  }
  return "";
}

std::string option_text(OptionDeclaration const& option) {
  std::string out = sentence(option.description);
  std::string const type{config::option_type_words()[static_cast<std::size_t>(option.type)]};
  if (option.type == OptionType::choice) {
    std::string choices;
    for (std::string const& choice : option.choices) choices += (choices.empty() ? "`" : ", `") + choice + "`";
    out += " One of " + choices + ".";
  } else {
    out += " Value: " + type;
    bool const least = option.min != INT64_MIN;
    bool const most = option.max != INT64_MAX;
    if (least && most)
      out += fmt::format(", {} to {}", config::format_option(option.type, option.min),
                         config::format_option(option.type, option.max));
    else if (least)
      out += fmt::format(", at least {}", config::format_option(option.type, option.min));
    out += ".";
  }
  out += option.default_text.empty() ? " Default: none." : " Default: `" + option.default_text + "`.";
  if (!option.changes_live) out += " Needs a restart to change.";
  return out;
}

void add_parameters(std::vector<ParameterDeclaration> const& parameters, Page& page) {
  for (ParameterDeclaration const& one : parameters)
    page.item("`" + one.name + "` (" + one.type + (one.required ? ", required" : "") +
                  (one.right ? ", right " + std::string{name_of(*one.right)} : "") + ")",
              sentence(one.description) + config::limits_of(one));
}

}  // namespace

Page type_page(TypeDeclaration const& type) {
  Page page{"fastjournal-" + type.name, 7, plain(type.description), {}};
  while (page.title.ends_with('.')) page.title.pop_back();
  page.heading("Synopsis");
  page.code("<table name=\"NAME\" model=\"" + type.name + "\">");
  page.heading("Description");
  page.paragraph(type.description +
                 " This page lists its options, which are elements of a table's file (`fastjournal-table(5)`), the "
                 "commands that its tables answer, and the answers.");
  page.paragraph("Durations are written `1500ms`, `10s`, `5m`, `1h`, `2d`; sizes `512KiB`, `16MiB`, `1GiB`.");
  page.heading("Options");
  for (OptionDeclaration const& option : type.options) page.item("`<" + option.name + ">`", option_text(option));
  page.heading("Commands");
  page.paragraph(
      "A command is a line `COMMAND name=value;name=value`, or the same by the command line: "
      "`fastjournal call COMMAND name=value`.");
  for (CommandDeclaration const& command : type.commands) {
    page.subheading(command.name);
    page.paragraph(command.description);
    page.paragraph(fmt::format("Needs the right `{}`; {}; {}. Answers: `{}`.{}", name_of(command.right),
                               effect_of(command.kind), resend_of(command.resend), command.answers,
                               command.takes_columns ? " Columns of the table are parameters as well." : ""));
    add_parameters(command.parameters, page);
  }
  page.heading("Answers");
  for (AnswerDeclaration const& answer : type.answers) {
    page.subheading(answer.name);
    page.paragraph(answer.description);
    if (answer.has_columns) page.paragraph("With the columns of the row.");
    if (answer.is_counted) page.paragraph("Each message says in `left` how many of its answer follow.");
    add_parameters(answer.parameters, page);
  }
  return page;
}

void add_daemon_commands(Page& page) {
  page.heading("Commands");
  page.paragraph(
      "What the daemon itself answers, beside the commands of its tables' types (`fastjournal-journal(7)`); "
      "with the right that each needs, and its parameters. `{topic}` is what a table's type calls it, `domain` or "
      "`queue`.");
  for (admin::OwnCommand const& command : admin::own_commands()) {
    if (command.kind == admin::OwnCommand::Kind::silent) continue;
    page.subheading(std::string{command.name()});
    page.paragraph(command.declared.description);
    page.paragraph(fmt::format("Right: {}. Answers: `{}`.", command.needed(), command.declared.answers));
    add_parameters(command.declared.parameters, page);
  }
}

}  // namespace fastjournal::manual
