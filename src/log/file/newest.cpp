#include "log/file/newest.h"

#include <algorithm>
#include <type_traits>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "log/file/segment.h"

namespace fastjournal::log::file {

namespace {

constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kUnsyncedPlace = 4;
constexpr std::string_view kUnfinishedName = "newest.new";

struct Place {
  Newest what;
  std::uint64_t sequence{0};
};

// Behind magic and version, in the order of the layout; `io` puts or takes them.
template <typename What, typename Sequence, typename Io>
void fields_of(What& what, Sequence& sequence, Io const& io) {
  io(what.start, what.store_id, sequence, what.generation, what.durable.value);
}

std::optional<Place> decode(std::span<std::byte const> bytes) {
  if (bytes.size() < kNewestBytes) return std::nullopt;
  ByteReader reader(as_text(bytes.first(kNewestBytes)));
  auto const sum = reader.number<std::uint64_t>();
  if (sum != hash64(reader.rest())) return std::nullopt;
  if (reader.number<std::uint64_t>() != kNewestMagic || reader.number<std::uint32_t>() != kVersion) return std::nullopt;
  Place out;
  fields_of(out.what, out.sequence, [&reader](auto&... values) {
    ((values = reader.number<std::remove_reference_t<decltype(values)>>()), ...);
  });
  return out;
}

}  // namespace

NewestBytes encode(Newest const& what, std::uint64_t sequence) {
  NewestBytes out{};
  std::byte* at = out.data() + sizeof(std::uint64_t);
  auto const put = [&at](auto... values) { ((store_little(at, values), at += sizeof values), ...); };
  put(kNewestMagic, kVersion);
  fields_of(what, sequence, put);
  store_little(out.data(), hash64(as_text(std::span<std::byte const>(out).subspan(sizeof(std::uint64_t)))));
  return out;
}

bool is_unfinished_newest(std::string_view name) { return name == kUnfinishedName; }

Result<FoundNewest> read_newest(env::Disk& disk, std::string const& folder) {
  std::string const path = join_path(folder, std::string{kNewestName});
  FoundNewest out;
  auto file = disk.open(path, env::OpenMode::read_only);
  if (!file.ok() && file.status().code() == Code::not_found) return out;
  if (!file.ok()) return file.status();
  std::vector<std::byte> bytes(kNewestFileBytes);
  auto const got = file.value()->read(0, bytes);
  if (!got.ok()) return got.status();
  bytes.resize(got.value());
  out.is_there = true;
  std::array<std::optional<Place>, kNewestPlaces> places;
  for (std::size_t i = 0; i < kNewestPlaces; ++i) {
    if ((i + 1) * kNewestPlaceBytes <= bytes.size())
      places[i] = decode(std::span<std::byte const>(bytes).subspan(i * kNewestPlaceBytes));
    if (!places[i]) continue;
    Newest const& what = places[i]->what;
    if (out.what.store_id == 0) out.what.store_id = what.store_id;
    if (what.store_id != out.what.store_id)
      return Status{Code::damaged, fmt::format("{} offset {}: of store {:016x}, and another place of {:016x}; nothing "
                                               "was changed",
                                               path, i * kNewestPlaceBytes, what.store_id, out.what.store_id)};
    out.sequence[i] = places[i]->sequence;
    out.what.generation = std::max(out.what.generation, what.generation);
    out.what.durable = std::max(out.what.durable, what.durable);
    out.what.start = std::max(out.what.start, what.start);
  }
  for (std::size_t first = 0; first < kUnsyncedPlace; first += 2) {
    if (!places[first] && !places[first + 1])
      return Status{Code::damaged,
                    fmt::format("{} offset {}: what the newest segment is, and what is durable, cannot be read; "
                                "nothing was changed. Restore the file, or salvage what is left",
                                path, first * kNewestPlaceBytes)};
    if (!places[first] || !places[first + 1])
      out.notes.push_back(fmt::format("{} offset {}: one of two places cannot be read, the other was used", path,
                                      (first + (places[first] ? 1 : 0)) * kNewestPlaceBytes));
  }
  return out;
}

Status make_newest(env::Disk& disk, std::string const& folder, Newest const& what) {
  std::string const path = join_path(folder, std::string{kUnfinishedName});
  {
    auto file = disk.open(path, env::OpenMode::create_new);
    if (!file.ok()) return file.status();
    std::vector<std::byte> bytes(kNewestFileBytes);
    for (std::size_t i = 0; i < kUnsyncedPlace; ++i) {
      NewestBytes const place = encode(what, 2 - i % 2);
      std::copy(place.begin(), place.end(), bytes.begin() + static_cast<std::ptrdiff_t>(i * kNewestPlaceBytes));
    }
    Status status = file.value()->write(0, bytes);
    if (status.ok()) status = file.value()->sync();
    if (!status.ok()) return status;
  }
  if (Status status = disk.rename(path, join_path(folder, std::string{kNewestName})); !status.ok()) return status;
  return disk.sync_folder(folder);
}

NewestWriter::NewestWriter(std::unique_ptr<env::File> file, std::size_t first_place, FoundNewest const& found)
    : file_(std::move(file)),
      first_place_(first_place),
      sequence_(std::max(found.sequence[first_place], found.sequence[first_place + 1])) {}

Status NewestWriter::write(Newest const& what) {
  ++sequence_;
  NewestBytes const bytes = encode(what, sequence_);
  if (Status status = file_->write((first_place_ + sequence_ % 2) * kNewestPlaceBytes, bytes); !status.ok())
    return status;
  return file_->sync();
}

Status NewestWriter::write_unsynced(Newest const& what) {
  return file_->write(kUnsyncedPlace * kNewestPlaceBytes, encode(what, ++unsynced_));
}

}  // namespace fastjournal::log::file
