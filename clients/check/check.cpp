#include "clients/check/check.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "config/daemon_reader.h"
#include "config/table_reader.h"
#include "config/type_reader.h"
#include "config/xml.h"
#include "os/plugin_loader.h"

namespace fastjournal::check {
namespace {

class Checker {
 public:
  explicit Checker(std::string plugins) : plugins_(std::move(plugins)) {}

  Report run(std::vector<std::string> const& paths) {
    for (std::string const& path : paths) find_files(path);
    for (std::string const& file : report_.files) sort_out(file);
    for (std::string const& file : tables_) check_table(file);
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
    if (!std::filesystem::is_directory(path, error)) {
      report_.files.push_back(path);
      return;
    }
    std::vector<std::string> found;
    std::filesystem::directory_iterator at{path, error};
    for (; !error && at != std::filesystem::directory_iterator{}; at.increment(error))
      if (at->path().extension() == ".xml") found.push_back(at->path().string());
    if (error) report_.problems.push_back({path, 0, error.message() + ", expected a folder that can be read"});
    if (!error && found.empty()) report_.problems.push_back({path, 0, "no file *.xml in this folder"});
    std::sort(found.begin(), found.end());
    report_.files.insert(report_.files.end(), found.begin(), found.end());
  }

  // What it is, its root element says; daemon and types are checked at once, tables when all is known.
  void sort_out(std::string const& file) {
    config::Problems problems{file};
    std::optional<config::Document> const document = config::Document::read(file, problems);
    if (!document) {
      add(file, problems.status());
    } else if (document->root().name() == "fastjournal") {
      Result<config::DaemonDeclaration> daemon = config::read_daemon(file);
      if (!daemon.ok()) add(file, daemon.status());
      if (daemon.ok()) daemon_ = std::move(daemon).value();
    } else if (document->root().name() == "table-type") {
      if (Result<TypeDeclaration> const type = config::read_type(file); !type.ok()) add(file, type.status());
    } else {
      tables_.push_back(file);
    }
  }

  void check_table(std::string const& file) {
    if (!load_types()) return;
    Result<TableDeclaration> table = config::read_table(file, types_);
    if (!table.ok()) {
      add(file, table.status());
      return;
    }
    if (daemon_ && table->persistent && daemon_->log(table->log) == nullptr)
      report_.problems.push_back({file, 0, "no log \"" + table->log + "\" is declared in " + daemon_->file});
    // What only the type's own code knows shows when it makes the table.
    auto const declaration = std::make_shared<TableDeclaration const>(std::move(table).value());
    auto const type = loaded_.find(declaration->type);
    auto const made = type->second.plugin->create(TableId{1}, type->second.declaration, declaration);
    if (!made.ok()) add(file, made.status());
  }

  bool load_types() {
    if (tried_) return !loaded_.empty();
    tried_ = true;
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
      types_.emplace(name, type->declaration);
      loaded_.emplace(name, std::move(type).value());
    }
    if (names->empty())
      report_.problems.push_back(
          {plugins_, 0, "no table type in this folder: TYPE.so and TYPE.xml are expected there; see --plugins"});
    return !loaded_.empty();
  }

  // A line for each problem: "FILE:LINE: text", "FILE: text" or a text.
  void add(std::string const& file, Status const& status) {
    std::string_view rest = status.message();
    while (!rest.empty()) {
      std::size_t const end = std::min(rest.find('\n'), rest.size());
      std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      Problem problem{file, 0, {}};
      if (line.starts_with(file + ":")) {
        line.remove_prefix(file.size() + 1);
        auto const [stopped, error] = std::from_chars(line.data(), line.data() + line.size(), problem.line);
        auto const digits = static_cast<std::size_t>(stopped - line.data());
        if (error == std::errc{} && line.substr(digits).starts_with(":")) line.remove_prefix(digits + 1);
        if (line.starts_with(' ')) line.remove_prefix(1);
      }
      problem.text = line;
      report_.problems.push_back(std::move(problem));
    }
  }

  std::string plugins_;
  Report report_;
  std::vector<std::string> tables_;
  std::optional<config::DaemonDeclaration> daemon_;
  bool tried_{false};
  config::TypesByName types_;
  std::map<std::string, os::LoadedType, std::less<>> loaded_;
};

}  // namespace

Report check_files(std::vector<std::string> const& paths, std::string const& plugins, std::string const& installed) {
  return Checker{plugins.empty() ? os::plugins_beside_program(installed) : plugins}.run(paths);
}

}  // namespace fastjournal::check
