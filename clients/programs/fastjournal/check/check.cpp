#include "clients/programs/fastjournal/check/check.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "config/daemon_reader.h"
#include "config/plan_reader.h"
#include "config/table_reader.h"
#include "config/type_reader.h"
#include "config/users_reader.h"
#include "config/xml.h"
#include "platform/os/file_access.h"
#include "platform/os/installation.h"
#include "platform/os/plugin_loader.h"
#include "platform/tls/context.h"
#include "server/check_tables.h"
#include "server/table_listeners.h"

namespace fastjournal::check {
namespace {

namespace fs = std::filesystem;

constexpr char kDaemonFile[] = "fastjournal.xml";
constexpr char kTablesFolder[] = "tables.d";

bool is_same(fs::path const& a, fs::path const& b) {
  std::error_code error;
  return fs::equivalent(a, b, error);
}

class Checker {
 public:
  explicit Checker(std::string plugins) : plugins_(std::move(plugins)) {}

  Report run(std::vector<std::string> const& paths) {
    if (paths.empty()) find_files(os::default_configuration());
    for (std::string const& path : paths) find_files(path);
    // A daemon's file adds its tables, so the list grows.
    for (std::size_t i = 0; i < report_.files.size(); ++i) sort_out(std::string{report_.files[i]});
    if (!tables_.empty())
      check_tables();
    else if (daemon_)
      check_listeners({}, {}, true);
    std::stable_sort(report_.problems.begin(), report_.problems.end(),
                     [this](Problem const& a, Problem const& b) { return place_of(a.file) < place_of(b.file); });
    return std::move(report_);
  }

 private:
  [[nodiscard]] std::size_t place_of(std::string const& file) const {
    return static_cast<std::size_t>(std::find(report_.files.begin(), report_.files.end(), file) -
                                    report_.files.begin());
  }

  void find_files(std::string const& path) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      add_file(path);
      return;
    }
    std::vector<std::string> found = files_of(path);
    // A folder without the daemon's file: its tables nevertheless.
    if (fs::is_directory(fs::path{path} / kTablesFolder, error) && !fs::exists(fs::path{path} / kDaemonFile, error))
      for (std::string& file : files_of((fs::path{path} / kTablesFolder).string())) found.push_back(std::move(file));
    if (found.empty() && report_.problems.empty())
      report_.problems.push_back({path, 0, "no file *.xml in this folder"});
    for (std::string const& file : found) add_file(file);
  }

  std::vector<std::string> files_of(std::string const& folder) {
    std::vector<std::string> found;
    std::error_code error;
    fs::directory_iterator at{folder, error};
    for (; !error && at != fs::directory_iterator{}; at.increment(error))
      if (at->path().extension() == ".xml") found.push_back(at->path().string());
    if (error) report_.problems.push_back({folder, 0, error.message() + ", expected a folder that can be read"});
    std::sort(found.begin(), found.end());
    return found;
  }

  // Each file once, even under several names.
  void add_file(std::string const& file) {
    bool const known = std::any_of(report_.files.begin(), report_.files.end(),
                                   [&](std::string const& one) { return one == file || is_same(one, file); });
    if (!known) report_.files.push_back(file);
  }

  // The root element tells the kind of file. Daemon and types are checked at once, tables when everything is known.
  void sort_out(std::string const& file) {
    config::Problems problems{file};
    std::optional<config::Document> const document = config::Document::read(file, problems);
    if (!document) {
      add(file, problems.status());
    } else if (document->root().name() == "fastjournal") {
      take_daemon(file);
    } else if (document->root().name() == "table-type") {
      if (Result<TypeDeclaration> const type = config::read_type(file); !type.ok()) add(file, type.status());
    } else if (document->root().name() == "access") {
      if (Result<access::Users> const users = config::read_users(file); !users.ok()) add(file, users.status());
    } else if (document->root().name() == "plan") {
      check_plan(file);
    } else {
      tables_.push_back(file);
    }
  }

  void check_plan(std::string const& file) {
    Result<config::PlanFile> const plan = config::read_plan(file);
    if (!plan.ok()) {
      add(file, plan.status());
      return;
    }
    for (plan::Finding const& finding : plan->findings) {
      bool const is_problem = !finding.is_warning || (plan->plan && plan->plan->strict);
      (is_problem ? report_.problems : report_.notes)
          .push_back({file, finding.line, std::string{finding.name} + ": " + finding.what});
    }
  }

  // With everything that the daemon would load.
  void take_daemon(std::string const& file) {
    Result<config::DaemonDeclaration> daemon = config::read_daemon(file);
    if (!daemon.ok()) {
      add(file, daemon.status());
      return;
    }
    for (std::string const& table : files_of(daemon->tables_folder)) add_file(table);
    if (plugins_.empty()) plugins_ = daemon->plugins_folder;
    if (!daemon->access.users_file.empty()) add_file(daemon->access.users_file);
    if (daemon->tls) check_certificates(*daemon->tls);
    daemon_ = std::move(daemon).value();
    knows_all_tables_ = true;
  }

  // As a start does: what ends it is a problem, what it warns of a note.
  void check_certificates(config::TlsDeclaration const& declared) {
    constexpr tls::ClientCertificates kRules[] = {tls::ClientCertificates::none, tls::ClientCertificates::accepted,
                                                  tls::ClientCertificates::required};
    auto const named = [](config::TlsDeclaration::File const& file) { return tls::NamedFile{file.path, file.place}; };
    Result<tls::ServerMaterial> const material = tls::ServerMaterial::read(
        {.certificate = named(declared.certificate),
         .key = named(declared.key),
         .client_ca = named(declared.client_ca),
         .client_certificates = kRules[static_cast<std::size_t>(declared.client_certificates)]});
    if (!material.ok()) return add({}, material.status());
    auto const made = tls::ServerContext::make(material.value(), {});
    if (!made.ok()) return add({}, made.status());
    report_.certificates.push_back({material->files.certificate.path, made.value()->valid_until_s()});
    if (!made.value()->odd_validity().empty())
      report_.notes.push_back(
          problem_of(tls::file_problem(material->files.certificate, made.value()->odd_validity()).message(), {}));
  }

  // Finds the daemon that loads this table, if its file is in the usual place.
  void find_daemon() {
    for (std::string const& table : tables_) {
      fs::path const folder = fs::absolute(table).parent_path();
      for (fs::path const& place : {folder.parent_path(), folder}) {
        std::error_code error;
        if (!fs::is_regular_file(place / kDaemonFile, error)) continue;
        Result<config::DaemonDeclaration> daemon = config::read_daemon(place / kDaemonFile);
        if (!daemon.ok() || !is_same(daemon->tables_folder, folder)) continue;
        if (plugins_.empty()) plugins_ = daemon->plugins_folder;
        daemon_ = std::move(daemon).value();
        return;
      }
    }
  }

  void check_tables() {
    if (!daemon_) find_daemon();
    if (!load_types()) return;
    engine::Declarations declared;
    std::vector<config::ListenDeclaration> listeners;
    bool is_whole = true;
    for (std::string const& file : tables_) {
      Result<config::TableFile> read = config::read_table_file(file, declared_types_, daemon_ ? &*daemon_ : nullptr);
      is_whole = is_whole && read.ok();
      if (!read.ok()) {
        add(file, read.status());
        continue;
      }
      if (Result<std::optional<env::Access>> const access = os::declared_access(read->table); !access.ok())
        add(file, access.status());
      else if (access.value())
        report_.accesses.push_back({read->table.name, access.value()->mode, access.value()->group});
      declared.push_back(std::make_shared<TableDeclaration const>(std::move(read->table)));
      for (config::ListenDeclaration& one : read->listen) listeners.push_back(std::move(one));
    }
    check_listeners(declared, listeners, is_whole);
    std::vector<std::string> const names = daemon_ ? daemon_->log_names() : std::vector<std::string>{};
    std::vector<std::string> const shared = daemon_ ? daemon_->log_names(true) : std::vector<std::string>{};
    server::DeclaredLogs const logs{daemon_ ? daemon_->file : std::string{}, names, shared};
    add({}, server::check_tables(types_, declared, daemon_ ? &logs : nullptr));
    if (daemon_) return;
    for (engine::Declaration const& table : declared)
      if (table->log != config::LogDeclaration{}.name && table->persistent)
        report_.notes.push_back(
            {table->file, line_of(*table, "log"),
             "whether log \"" + table->log + "\" is declared was not looked at: give the daemon's file as well"});
  }

  // `is_whole`: all tables' files could be read.
  void check_listeners(engine::Declarations const& tables, std::vector<config::ListenDeclaration> const& of_tables,
                       bool is_whole) {
    if (!daemon_) {
      for (config::ListenDeclaration const& one : of_tables)
        if (one.tls || !one.loopback || one.rights.is_empty())
          report_.notes.push_back(problem_of(one.place + ": whether the daemon has certificates and users for " +
                                                 one.address + " was not looked at: give the daemon's file as well",
                                             {}));
    }
    std::vector<config::ListenDeclaration> own;
    if (daemon_) own = daemon_->listen;
    if (daemon_)
      for (config::UdpDeclaration const& udp : daemon_->udp)
        own.push_back({.address = {}, .table = udp.table, .place = udp.place});
    // Only some tables were given, or read: that another one is declared nowhere is not known.
    if (!is_whole || !knows_all_tables_)
      for (config::ListenDeclaration& one : own) one.table.clear();
    add({}, server::check_listeners(types_, tables, own, of_tables));
  }

  static int line_of(TableDeclaration const& table, std::string_view element) {
    auto const found = table.lines.find(element);
    return found == table.lines.end() ? 0 : found->second;
  }

  bool load_types() {
    if (plugins_.empty()) plugins_ = os::installed_plugins();
    Result<std::vector<std::string>> const names = os::list_types(plugins_);
    if (!names.ok()) {
      add(plugins_, names.status());
      return false;
    }
    for (std::string const& name : names.value()) {
      Result<os::LoadedType> type = os::load_type(plugins_, name);
      if (!type.ok()) {
        add(plugins_, type.status());
        continue;
      }
      declared_types_.emplace(name, type->declaration);
      types_.emplace(name, std::make_unique<engine::TableType>(*type->plugin, type->declaration));
    }
    if (names->empty())
      report_.problems.push_back(
          {plugins_, 0, "no table type in this folder: TYPE.so and TYPE.xml are expected there; see --plugins"});
    return !types_.empty();
  }

  // One line per problem: "FILE:LINE: text", "FILE: text", or a text about `file`.
  void add(std::string const& file, Status const& status) {
    std::string_view rest = status.message();
    while (!rest.empty()) {
      std::size_t const end = std::min(rest.find('\n'), rest.size());
      std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      report_.problems.push_back(problem_of(line, file));
    }
  }

  [[nodiscard]] Problem problem_of(std::string_view line, std::string const& file) const {
    Problem problem{file, 0, {}};
    if (std::string const named = file_of(line, file); !named.empty()) {
      problem.file = named;
      line.remove_prefix(named.size() + 1);
      auto const [stopped, error] = std::from_chars(line.data(), line.data() + line.size(), problem.line);
      auto const digits = static_cast<std::size_t>(stopped - line.data());
      if (error == std::errc{} && line.substr(digits).starts_with(":")) line.remove_prefix(digits + 1);
      if (line.starts_with(' ')) line.remove_prefix(1);
    }
    problem.text = line;
    return problem;
  }

  // The file at the beginning of a problem; empty: none of the files read.
  [[nodiscard]] std::string file_of(std::string_view line, std::string const& expected) const {
    if (!expected.empty() && line.starts_with(expected + ":")) return expected;
    for (std::string const& file : report_.files)
      if (line.starts_with(file + ":")) return file;
    return {};
  }

  std::string plugins_;
  Report report_;
  std::vector<std::string> tables_;
  std::optional<config::DaemonDeclaration> daemon_;
  bool knows_all_tables_{false};  // its folder was read
  config::TypesByName declared_types_;
  engine::TableTypes types_;
};

}  // namespace

Report check_files(std::vector<std::string> const& paths, std::string const& plugins) {
  return Checker{plugins}.run(paths);
}

}  // namespace fastjournal::check
