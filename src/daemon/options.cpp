#include "daemon/options.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "base/terminal_text.h"
#include "config/address.h"
#include "config/fields.h"
#include "platform/os/event_log.h"
#include "platform/os/installation.h"
#include "platform/reactor/address.h"

namespace fastjournal::daemon {
namespace {

bool is_unix(std::string_view address) { return address.starts_with("unix:") || address.starts_with('/'); }

// The same rules as for <listen> and <socket> of the configuration.
std::string listen_problem(std::string const& address, bool plain_text) {
  if (!is_unix(address)) {
    std::string const problem =
        config::listen_problem(address, plain_text, "--listen", "tls: before it, or --plain-text");
    return config::parse_address(address) ? problem : problem + ", or unix:/PATH";
  }
  Result<reactor::SocketAddress> const parsed = reactor::parse_address(address);
  return parsed.ok() ? std::string{} : "--listen: " + parsed.status().message();
}

// The same declaration as from the configuration.
Result<config::ListenDeclaration> declare(std::string const& text, bool plain_text, std::string const& rights) {
  constexpr std::string_view kTls = "tls:";
  bool const tls = text.starts_with(kTls);
  std::string const address = tls ? text.substr(kTls.size()) : text;
  if (std::string problem = listen_problem(address, plain_text || tls); !problem.empty())
    return Status{Code::bad_parameter, std::move(problem)};
  if (is_unix(address))
    return config::ListenDeclaration{
        .address = address, .rights = kAllRights, .unix_mode = config::kAdministratorMode, .tls = tls};
  bool const loopback = config::parse_address(address)->loopback;
  config::ListenDeclaration out{.address = address, .loopback = loopback, .plain_text = plain_text, .tls = tls};
  if (!rights.empty()) {
    Result<Rights> const given = config::parse_rights(rights);
    if (!given.ok()) return Status{Code::bad_parameter, "--rights: " + given.status().message()};
    out.rights = given.value();
  } else if (!loopback) {
    return Status{Code::bad_parameter,
                  "--listen " + text +
                      " can be reached from other machines, expected --rights beside it, what they "
                      "may do: read, add, work, manage, admin, or all"};
  }
  return out;
}

}  // namespace

void declare_options(CLI::App& app, Options& options, ListenWords& listen) {
  app.name("fastjournald");
  app.description("fastjournald: durable, merged, exactly timed work in one small daemon");
  app.set_version_flag("--version", "fastjournald " FJ_VERSION);
  app.add_option("--config", options.config, "the daemon's XML file")->type_name("FILE")->capture_default_str();
  app.add_option("--tables", options.tables,
                 "folder of table declarations (NAME.xml); default: as the configuration says")
      ->type_name("FOLDER");
  app.add_option("--data", options.data, "folder of the logs; default: as the configuration says")->type_name("FOLDER");
  app.add_option("--plugins", options.plugins,
                 "folder of table types (TYPE.so, TYPE.xml); default: as the configuration says")
      ->type_name("FOLDER");
  CLI::Option* const listening =
      app.add_option(
             "--listen", listen.addresses,
             "address to listen on: 127.0.0.1:4050, [::1]:0, unix:/path (port 0: the system chooses), each with "
             "tls: before it to encrypt, with the certificate of the configuration; may be given several times; "
             "replaces those of the configuration. A unix socket is the administrator's: "
             "mode 0600, all rights")
          ->type_name("ADDRESS")
          ->allow_extra_args(false);
  app.add_flag("--plain-text", listen.plain_text,
               "allow --listen on addresses that other machines reach: what is said there is not encrypted, and "
               "anybody may say it")
      ->needs(listening);
  app.add_option(
         "--rights", listen.rights,
         "what those may do who come by TCP: words out of \"read add work manage admin\", or \"all\"; default: all "
         "but admin on addresses of this machine, none on others")
      ->type_name("RIGHTS")
      ->needs(listening);
  app.add_flag("--create", options.create,
               "make logs that are not there in a data folder that holds other things; in an empty one they are made "
               "without. A log that was there and is gone is not made anew");
  app.add_flag(
      "--new-data", options.new_data,
      "begin with an empty journal, though this installation has used this data folder before and finds nothing "
      "in it. Once; refused where there is a journal");
  app.add_option(
         "--state", options.state,
         "folder, on another disk than the data, that keeps which data folders were used, so that an empty one in "
         "the place of one of them is refused; the service has one (STATE_DIRECTORY)")
      ->type_name("FOLDER")
      ->envname("STATE_DIRECTORY");
  app.add_option("--forget", options.forget, "drop this table, which must no longer be declared, and its rows for good")
      ->type_name("TABLE")
      ->allow_extra_args(false);
  app.add_flag(
      "--accept-clock", options.accept_clock,
      "this computer's clock is right, though it is behind the last date of a log: it was ahead before. Once; "
      "without it a start is refused where the clock is behind by more than max-clock-behind (1 h by default)");
  app.add_option(
         "--message-files", options.message_files,
         "write the definition files (COMMAND.conf) of all commands into this folder, for communicator systems, and "
         "end; with the columns of the tables as they are now")
      ->type_name("FOLDER");
  app.add_flag("--check", options.check, "read configuration, plugins and tables, say what is wrong, and end");
  app.footer(
      "Signals: TERM and INT stop cleanly, also during a long start; HUP reads the tables folder and certificates "
      "again, USR1 reopens "
      "the log file.\n"
      "Exit status: 0 stopped cleanly or during the start, 1 could not start or a write failed, 2 wrong usage, 3 start "
      "it again "
      "(RESTART).\n"
      "Example:\n"
      "  fastjournald --config /etc/fastjournal/fastjournal.xml --check\n"
      "  fastjournald --data /var/lib/fastjournal --listen 127.0.0.1:4050");
}

Options parse_options(int count, char** words) {
  Options options;
  options.config = os::default_configuration();
  ListenWords listen;
  CLI::App app;
  declare_options(app, options, listen);
  try {
    app.parse(count, words);
  } catch (CLI::ParseError const& error) {
    std::ostringstream answer;
    std::ostringstream mistake;
    int const code = app.exit(error, answer, mistake);
    std::fputs(wrapped_help(answer.str()).c_str(), stdout);
    std::fputs(printable_lines(mistake.str()).c_str(), stderr);
    std::exit(code == 0 ? 0 : 2);
  }
  for (std::string const& address : listen.addresses) {
    Result<config::ListenDeclaration> declared = declare(address, listen.plain_text, listen.rights);
    if (!declared.ok()) {
      os::print_failure("fastjournald", declared.status().message());
      std::exit(2);
    }
    options.listen.push_back(std::move(declared).value());
  }
  return options;
}

}  // namespace fastjournal::daemon
