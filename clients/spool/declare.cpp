#include "clients/spool/declare.h"

#include <dlfcn.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "config/table_reader.h"
#include "config/type_reader.h"

namespace fastjournal::producer {
namespace {

namespace fs = std::filesystem;

// Libraries find what was installed with them by their own place, so that an installation may be anywhere.
std::string own_types() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<void const*>(&own_types), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  fs::path const here = fs::canonical(info.dli_fname, error).parent_path();
  // Beside LIBDIR/libfastjournal-spool.so, or in a build folder.
  for (fs::path const& folder : {here / "fastjournal", here.parent_path() / "plugins"})
    if (fs::is_directory(folder, error)) return folder.string();
  return (here / "fastjournal").string();
}

}  // namespace

Status declare_file(spool::Spool& spool, std::string const& table_file, std::string types_folder) {
  if (types_folder.empty()) types_folder = own_types();
  config::TypesByName types;
  std::string problems;
  std::error_code error;
  fs::directory_iterator at{types_folder, error};
  for (; !error && at != fs::directory_iterator{}; at.increment(error)) {
    if (at->path().extension() != ".xml") continue;
    Result<TypeDeclaration> type = config::read_type(at->path());
    if (!type.ok()) {
      problems += "\n" + type.status().message();
      continue;
    }
    auto declared = std::make_shared<TypeDeclaration const>(std::move(type).value());
    types[declared->name] = declared;
  }
  if (error)
    return Status{Code::bad_configuration,
                  types_folder + ": " + error.message() + ", expected a folder of table types that can be read"}
        .with("path", types_folder);
  Result<TableDeclaration> const table = config::read_table(table_file, types);
  if (!table.ok()) return Status{table.status().code(), table.status().message() + problems}.with("path", table_file);
  auto const type = types.find(table->type);
  if (type == types.end())
    return Status{Code::bad_configuration, table_file + ": no table type " + table->type + " in " + types_folder}.with(
        "path", table_file);
  return spool.declare(table.value(), *type->second);
}

}  // namespace fastjournal::producer
