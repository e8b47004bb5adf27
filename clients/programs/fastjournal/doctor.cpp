#include "clients/programs/fastjournal/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "clients/programs/fastjournal/doctor/look.h"
#include "clients/programs/fastjournal/token.h"
#include "clients/programs/fastjournal/verbs.h"

namespace fastjournal::cli {
namespace {

constexpr std::size_t kSeverityWidth = 9;
constexpr std::size_t kCheckWidth = 15;
constexpr std::size_t kTextWidthMin = 30;

// At blanks; a longer word stays whole.
std::vector<std::string_view> broken(std::string_view text, std::size_t width) {
  std::vector<std::string_view> lines;
  while (text.size() > width) {
    std::size_t at = text.rfind(' ', width);
    if (at == std::string_view::npos || at == 0) at = text.find(' ');
    if (at == std::string_view::npos) break;
    lines.push_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  lines.push_back(text);
  return lines;
}

Message finding_message(doctor::Finding const& finding) {
  Message out("FINDING");
  out.set("severity", doctor::name_of(finding.severity));
  out.set("check", finding.check);
  out.set("found", finding.found);
  if (!finding.expected.empty()) out.set("expected", finding.expected);
  if (!finding.advice.empty()) out.set("advice", finding.advice);
  return out;
}

std::string summary_of(std::vector<doctor::Finding> const& findings) {
  std::string out;
  for (auto const severity : {doctor::Severity::error, doctor::Severity::warning, doctor::Severity::advice,
                              doctor::Severity::unseen, doctor::Severity::ok}) {
    auto const count = std::count_if(findings.begin(), findings.end(),
                                     [&](doctor::Finding const& one) { return one.severity == severity; });
    if (count > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, doctor::name_of(severity));
  }
  return out;
}

}  // namespace

std::string render_findings(std::vector<doctor::Finding> const& findings, Look const& look) {
  std::size_t const indent = kSeverityWidth + kCheckWidth;
  std::size_t const width = look.terminal ? std::max(look.width, indent + kTextWidthMin) - indent : std::string::npos;
  std::string out;
  for (doctor::Finding const& finding : findings) {
    std::string const severity{doctor::name_of(finding.severity)};
    std::string const gap(kSeverityWidth - severity.size(), ' ');
    bool const is_bold = look.terminal && finding.severity >= doctor::Severity::warning;
    out += is_bold ? "\x1b[1m" + severity + "\x1b[0m" + gap : severity + gap;
    out += fmt::format("{:<{}}", finding.check, kCheckWidth);
    bool is_first = true;
    auto const add = [&](std::string_view name, std::string const& text) {
      if (text.empty()) return;
      std::string const whole = std::string{name} + printable(text);
      for (std::string_view const line : broken(whole, width)) {
        if (!is_first) out += std::string(indent, ' ');
        is_first = false;
        out += std::string{line} + '\n';
      }
    };
    add("", finding.found);
    add("expected: ", finding.expected);
    add("do: ", finding.advice);
  }
  return out;
}

ExitCode exit_code_of(doctor::Severity worst) {
  switch (worst) {
    case doctor::Severity::warning: return ExitCode::warnings;
    case doctor::Severity::error: return ExitCode::errors;
    default: return ExitCode::ok;
  }
}

namespace {

struct Doctor {
  OptionSet& to;
  Text config{to, "--config", "the daemon's file (default: of the one that runs, else installed)", called("FILE")};
  Plugins plugins{to, "as the daemon's file says"};
  Text state{to, "--state", "the daemon's --state (default: of the one that runs, or of the service)",
             called("FOLDER")};

  ExitCode run(Call& call) {
    TokenSources const sources = TokenSources::of_environment();
    doctor::Request wish{.config = config.str(),
                         .plugins = plugins.str(),
                         .state = state.str(),
                         .server = call.server,
                         .connection = connection_options(call),
                         .version = FJ_VERSION};
    if (!sources.kept_in.empty()) wish.tokens.push_back(sources.kept_in);
    if (!call.token_file.empty()) wish.tokens.push_back(call.token_file);
    // One that cannot be read is a finding.
    if (Result<std::string> token = find_token(call, sources); token.ok())
      wish.connection.token = std::move(token).value();
    std::vector<doctor::Finding> const findings = doctor::judge(doctor::look(wish));
    if (call.json)
      for (doctor::Finding const& finding : findings) call.console.out << render_json(finding_message(finding));
    else
      call.console.out << render_findings(findings, call.console.look) << summary_of(findings) << '\n';
    return exit_code_of(doctor::worst_of(findings));
  }
};

constexpr Verb kDoctor[]{
    {"doctor", "check the installation on this computer, and say what to do", Needs::nothing, declare<Doctor>,
     "fastjournal doctor --config /etc/fastjournal/fastjournal.xml",
     "Looks at the configuration, rights and owners, disks and the speed of their syncs, clock, limits, kernel "
     "settings,\nversions, certificates, and the daemon if one answers. It changes nothing. Severities: ok, unseen (no "
     "right to look),\nadvice, warning, error. Exit code 0 without warnings and errors, 9 with warnings, 10 with "
     "errors."},
};

}  // namespace

Verbs doctor_verbs() { return kDoctor; }

}  // namespace fastjournal::cli
