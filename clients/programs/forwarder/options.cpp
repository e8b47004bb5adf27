#include "clients/programs/forwarder/options.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <utility>

#include "base/terminal_text.h"
#include "clients/cpp/routes.h"

namespace fastjournal::forwarder {

void declare_options(CLI::App& app, Options& options) {
  app.name("fastjournal-client");
  app.description(
      "fastjournal-client: brings the rows of a spool folder to a fastjournald, each of them once, whatever is stopped "
      "or killed meanwhile. One for each folder.");
  app.set_version_flag("--version", "fastjournal-client " FJ_VERSION);
  app.set_config("--config", "", "a file with these options, a line each, as in: server = [\"127.0.0.1:4050\"]");
  app.add_option("folder,--folder", options.folder, "the spool folder; made if it is not there")
      ->type_name("FOLDER")
      ->required();
  app.add_option("--server", options.servers,
                 "a daemon: 127.0.0.1:4050, name:4050, unix:/path, each with tls: before it to encrypt. Several with "
                 "commas between them, or the option several times: a row goes to the first one that is there and has "
                 "its table, or to the node that this one names as the table's owner. Default 127.0.0.1:4050")
      ->type_name("ADDRESS")
      ->allow_extra_args(false)
      ->envname("FASTJOURNAL_SERVER");
  app.add_option("--ca", options.ca_file, "for tls: the authorities to trust, PEM; default: the system's")
      ->envname("FASTJOURNAL_CA");
  app.add_option("--certificate", options.certificate_file, "for tls: shown to the daemon, PEM")
      ->type_name("FILE")
      ->envname("FASTJOURNAL_CERTIFICATE");
  app.add_option("--key", options.key_file, "for tls: of the certificate, PEM")
      ->type_name("FILE")
      ->envname("FASTJOURNAL_KEY");
  app.add_option("--token-file", options.token_file, "says who we are; mode 0600; read again for each connection")
      ->envname("FASTJOURNAL_TOKEN_FILE");
  app.add_option("--period", options.period_s,
                 "a file of rows is ended after so long: 300, 300s, 5m, 1h; as the producers' own")
      ->transform(
          CLI::AsNumberWithUnit(std::map<std::string, std::int64_t>{{"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}}))
      ->check(CLI::Range(1, 604'800).description("1 s to 7 d"))
      ->default_str("1h");
  app.add_option("--file-size", options.file_bytes_max, "a file of rows is ended when it is so large: 64MiB")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(std::uint64_t{4096}, std::uint64_t{1} << 40U).description("4 KiB to 1 TiB"))
      ->default_str("64MiB");
  app.add_option("--lines", options.lines_command,
                 "the folder has the files of a list system too, 0.msg to 23.msg: each of their lines is sent as the "
                 "parameters of this message, such as LISTDATA, which a table must declare as an alias");
  app.add_option("--metrics", options.metrics_file,
                 "written each second for a scraper, in Prometheus' text format; default FOLDER/forwarder/metrics.prom")
      ->type_name("FILE");
  app.add_option("--flags", options.flags_folder, "alerts become flag files in this folder, for a watcher")
      ->type_name("FOLDER");
  app.add_option("--alert-command", options.alert_command,
                 "a program that is run for each alert: up|down SECTION NAME, and FASTJOURNAL_ALERT_... variables")
      ->type_name("FILE");
  app.add_option("--log-file", options.log_file, "default: standard error; USR1 opens it again")->type_name("FILE");
  app.add_option("--log-level", options.log_level, "debug, info, warn or error")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}))
      ->capture_default_str();
  app.add_flag("--once", options.once,
               "end when all rows that are there have been brought over. Rows that are held or set aside end it too, "
               "with exit status 1");
  app.footer(
      "Signals: TERM and INT stop, USR1 opens the log file again, HUP tries a daemon that is away at once.\n"
      "Exit status: 0 stopped; 1 it could not start, or --once left rows behind; 2 wrong usage.\n"
      "`fastjournal spool status FOLDER` shows how it is.\n"
      "Example:\n"
      "  fastjournal-client /var/spool/fastjournal/site --server 127.0.0.1:4050");
}

Options parse_options(int count, char** words) {
  Options options;
  CLI::App app;
  declare_options(app, options);
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
  if (options.servers.empty()) options.servers.emplace_back("127.0.0.1:4050");
  std::vector<std::string> servers;
  for (std::string const& some : options.servers)
    for (std::string& one : client::addresses_of(some)) servers.push_back(std::move(one));
  options.servers = std::move(servers);
  std::error_code error;
  std::filesystem::path const folder = std::filesystem::absolute(options.folder, error).lexically_normal();
  if (!error) options.folder = folder.string();
  while (options.folder.size() > 1 && options.folder.ends_with('/')) options.folder.pop_back();
  return options;
}

}  // namespace fastjournal::forwarder
