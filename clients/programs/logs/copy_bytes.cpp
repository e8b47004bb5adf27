#include "clients/programs/logs/copy_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "engine/files/byte_file_format.h"

namespace fastjournal::tools {
namespace {

constexpr std::size_t kBytesPiece = std::size_t{1} << 20U;

bool is_hole(std::span<std::byte const> piece) {
  return std::all_of(piece.begin(), piece.end(), [](std::byte byte) { return byte == std::byte{0}; });
}

Status copy_file(env::File& from, env::File& to, std::uint64_t bytes, Pace const& pace,
                 std::function<void(std::uint64_t)> const& at_offset) {
  std::vector<std::byte> buffer(kBytesPiece);
  for (std::uint64_t at = 0; at < bytes;) {
    std::span<std::byte> const piece =
        std::span(buffer).first(static_cast<std::size_t>(std::min<std::uint64_t>(kBytesPiece, bytes - at)));
    Result<std::size_t> const got = from.read(at, piece);
    if (!got.ok()) return got.status();
    if (got.value() != piece.size()) return {Code::damaged, fmt::format("the file ends at {}, not {}", at, bytes)};
    // The size of the file has to be right at the end.
    bool const is_last = at + piece.size() == bytes;
    if (!is_hole(piece) || is_last)
      if (Status status = to.write(at, piece); !status.ok()) return status;
    at += piece.size();
    pace(piece.size());
    at_offset(at);
  }
  return to.sync();
}

}  // namespace

Result<std::uint64_t> copy_bytes(env::Disk& from, std::string const& from_folder, env::Disk& to,
                                 std::string const& to_folder, std::vector<std::string> const& names, Pace const& pace,
                                 Progress const& progress) {
  if (to.list(to_folder).ok()) return Status{Code::in_use, to_folder + " is there already: a copy wants a new folder"};
  if (Status status = to.make_folder(to_folder); !status.ok()) return status;
  struct Source {
    std::string name;
    std::unique_ptr<env::File> file;
    std::uint64_t bytes{0};
  };
  std::vector<Source> sources;
  std::uint64_t total = 0;
  for (std::string const& name : names) {
    if (!storage::number_of(name).has_value())
      return Status{Code::damaged,
                    "the daemon names a file \"" + name.substr(0, 80) + "\", expected data. and a number"};
    std::string const path = from_folder + "/" + name;
    auto file = from.open(path, env::OpenMode::read_only);
    if (!file.ok()) return file.status();
    Result<std::uint64_t> const size = file.value()->size();
    if (!size.ok()) return size.status();
    if (size.value() < storage::kHeaderBytes) return Status{Code::damaged, path + ": shorter than a header"};
    total += size.value();
    sources.push_back({name, std::move(file).value(), size.value()});
  }
  std::uint64_t done = 0;
  for (Source const& source : sources) {
    auto target = to.open(to_folder + "/" + source.name, env::OpenMode::create_new);
    if (!target.ok()) return target.status();
    Status const copied = copy_file(*source.file, *target.value(), source.bytes, pace, [&](std::uint64_t at) {
      if (progress) progress("copying", done + at, total);
    });
    if (!copied.ok()) return Status{copied.code(), from_folder + "/" + source.name + ": " + copied.message()};
    done += source.bytes;
  }
  if (Status status = to.sync_folder(to_folder); !status.ok()) return status;
  return done;
}

}  // namespace fastjournal::tools
