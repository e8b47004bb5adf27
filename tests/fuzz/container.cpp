// libFuzzer target for the readers of segments. Random bytes never pass a
// checksum, so most inputs are edits of a sound log with corrected checksums,
// as an attacker could forge them or a bug in the writer could have produced.
// The reader must end with an answer, and a start that accepts such a log must
// be able to read it again.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "base/hash.h"
#include "log/file/file_log.h"
#include "log/file/newest.h"
#include "tests/crash/scenario.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::log::file;

using Image = std::map<std::string, std::vector<std::byte>, std::less<>>;

constexpr std::size_t kBlock = 512;
constexpr std::size_t kEditBytes = 5;

// Logs that went through something: starts, a base, a torn tail, both markers.
Image const& sound_log(std::size_t number) {
  constexpr std::array<std::string_view, 4> kLives{"pgs", "bmbmxpws", "gggmccpk", "pgbbkpbgbpsq"};
  static std::array<Image, kLives.size()> images;
  Image& image = images[number % images.size()];
  if (image.empty()) {
    log::file::test::Scenario scenario;
    scenario.world.options = log::file::test::small_options(kBlock, 6);
    FJ_CHECK(scenario.open(), "a new log opens");
    for (char const letter : kLives[number % images.size()]) FJ_CHECK(scenario.step(letter), "a life without faults");
    image = scenario.world.disk.image();
  }
  return image;
}

// Header and batches get the checksums that their bytes ask for.
void put_checksums_right(std::vector<std::byte>& file) {
  std::uint64_t store_id = 0;
  for (std::size_t copy = 0; copy < kHeaderBlocks && (copy + 1) * kBlock <= file.size(); ++copy) {
    std::span<std::byte> const block = std::span(file).subspan(copy * kBlock, kBlock);
    std::span<std::byte> const covered = block.subspan(8, kSegmentHeaderBytes - 8);
    store_little(block.data(), hash64(as_text(covered)));
    store_id = load_little<std::uint64_t>(block.data() + 24);
  }
  for (std::size_t at = kHeaderBlocks * kBlock; at + kBatchHeaderBytes <= file.size(); at += kBlock) {
    auto const field32 = [&](std::size_t offset) { return load_little<std::uint32_t>(file.data() + at + offset); };
    auto const field64 = [&](std::size_t offset) { return load_little<std::uint64_t>(file.data() + at + offset); };
    BatchHeader header;
    header.length = field32(12);
    header.used = field32(48);
    if (field32(8) != kBatchMagic || header.length > file.size() - at || header.used > header.length) continue;
    if (header.length < kBatchHeaderBytes) continue;
    header.lsn.value = field64(16);
    header.generation = field64(24);
    header.durable.value = field64(32);
    header.base.value = field64(40);
    header.flags = field32(52);
    close_batch(header, store_id, std::span(file).subspan(at, header.length));
  }
}

// The same of each place of `newest`; or it says nothing, so that the segments alone count.
void put_newest_right(std::vector<std::byte>& file, bool forget) {
  for (std::size_t at = 0; at + kNewestBytes <= file.size(); at += kNewestPlaceBytes) {
    if (forget && file.size() == kNewestFileBytes) std::memset(file.data() + at + 40, 0, kNewestBytes - 40);
    std::span<std::byte> const place = std::span(file).subspan(at, kNewestBytes);
    store_little(place.data(), hash64(as_text(place.subspan(8))));
  }
}

Image image_from(std::uint8_t const* data, std::size_t size) {
  std::uint8_t const how = data[0];
  if (how % 8 == 0) {
    auto const* bytes = reinterpret_cast<std::byte const*>(data + 1);
    return {{"data/log/container-000001", {bytes, bytes + size - 1}}};
  }
  Image image = sound_log(how / 16U);
  for (std::size_t at = 1; at + kEditBytes <= size; at += kEditBytes) {
    auto file = image.begin();
    std::advance(file, static_cast<std::ptrdiff_t>(data[at] % image.size()));
    std::size_t const offset = (data[at + 1] << 8U | data[at + 2]) % file->second.size();
    file->second[offset] = std::byte{data[at + 3]};
    if (data[at + 4] == 0xFF) file->second.resize(offset);
    if (file->second.empty()) file->second.resize(1);
  }
  if (how % 8 > 1)
    for (auto& [name, file] : image) {
      bool const is_newest = name.ends_with(kNewestName);
      if (is_newest) put_newest_right(file, how / 8 % 2 == 1);
      if (!is_newest) put_checksums_right(file);
    }
  return image;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  log::file::test::World world;
  world.options = log::file::test::small_options(kBlock, 6);
  world.disk.restore(image_from(data, size));
  // As much disk as a forged header may ask for, and no more.
  world.disk.set_capacity(16U << 20U);
  if (!world.open().ok()) return 0;
  static_cast<void>(world.log->usage());
  if (!world.put("row")) return 0;
  world.crash(sim::keep_none());
  Status const again = world.open();
  FJ_CHECK(again.ok() || again.code() == Code::damaged || again.code() == Code::no_space, "an answer that makes sense");
  return 0;
}
