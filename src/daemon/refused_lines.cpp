#include "daemon/refused_lines.h"

#include <memory>

#include "base/bytes.h"

namespace fastjournal::daemon {

std::string refused_file(std::string_view table) {
  return std::string{kRefusedFolder} + "/" + std::string{table} + ".txt";
}

Status append_refused(env::Disk& data, std::string_view table, std::string_view text) {
  std::string const path = refused_file(table);
  // The file may have been removed since the last call.
  Result<std::unique_ptr<env::File>> file = data.open(path, env::OpenMode::read_write);
  if (!file.ok() && file.status().code() == Code::not_found) {
    if (Status status = data.make_folder(kRefusedFolder); !status.ok()) return status;
    file = data.open(path, env::OpenMode::create_new);
  }
  if (!file.ok()) return file.status();
  Result<std::uint64_t> const size = file.value()->size();
  if (!size.ok()) return size.status();
  if (size.value() + text.size() > kRefusedBytesMax)
    return {Code::over_limit, path + " in the data folder has " + std::to_string(kRefusedBytesMax >> 20U) +
                                  " MiB: see what is in it, then remove it"};
  Status status = file.value()->write(size.value(), as_bytes(text));
  if (status.ok()) status = file.value()->sync();
  // Syncs the names too, every time: the process that made the file may have failed before they were durable.
  if (status.ok()) status = data.sync_folder(kRefusedFolder);
  if (status.ok()) status = data.sync_folder("");
  return status;
}

}  // namespace fastjournal::daemon
