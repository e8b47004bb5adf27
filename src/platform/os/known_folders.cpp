#include "platform/os/known_folders.h"

#include "base/bytes.h"

namespace fastjournal::os {
namespace {

constexpr std::uint64_t kBytesMax = 1U << 20U;

// All lines; a last one that is not whole does not count, as its start was not over.
Result<std::string> read_lines(env::File& file) {
  Result<std::uint64_t> const size = file.size();
  if (!size.ok()) return size.status();
  if (size.value() > kBytesMax)
    return Status{Code::over_limit, std::string{kKnownFoldersFile} + ": more than 1 MiB; remove lines that are old"};
  std::string text(size.value(), '\0');
  Result<std::size_t> const got = file.read(0, std::as_writable_bytes(std::span{text.data(), text.size()}));
  if (!got.ok()) return got.status();
  text.resize(got.value());
  text.resize(text.rfind('\n') + 1);  // npos + 1: nothing
  return text;
}

bool has_line(std::string_view text, std::string_view path) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const end = text.find('\n', at);
    if (text.substr(at, end - at) == path) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace

Result<bool> is_known_folder(env::Disk& state, std::string_view path) {
  Result<std::unique_ptr<env::File>> file = state.open(kKnownFoldersFile, env::OpenMode::read_only);
  if (!file.ok() && file.status().code() == Code::not_found) return false;
  if (!file.ok()) return file.status();
  Result<std::string> const text = read_lines(*file.value());
  if (!text.ok()) return text.status();
  return has_line(text.value(), path);
}

Status remember_folder(env::Disk& state, std::string_view path) {
  if (path.find('\n') != std::string_view::npos)
    return {Code::bad_configuration, "the path of the data folder has a line break in it, and cannot be remembered"};
  if (Status status = state.make_folder(""); !status.ok()) return status;
  Result<std::unique_ptr<env::File>> file = state.open(kKnownFoldersFile, env::OpenMode::read_write);
  if (!file.ok() && file.status().code() == Code::not_found)
    file = state.open(kKnownFoldersFile, env::OpenMode::create_new);
  if (!file.ok()) return file.status();
  Result<std::string> const text = read_lines(*file.value());
  if (!text.ok()) return text.status();
  if (has_line(text.value(), path)) return {};
  std::string const line = std::string{path} + "\n";
  Status status = file.value()->truncate(text->size());
  if (status.ok()) status = file.value()->write(text->size(), as_bytes(line));
  if (status.ok()) status = file.value()->sync();
  if (status.ok()) status = state.sync_folder("");
  return status;
}

}  // namespace fastjournal::os
