// The files of bytes outside the log: their names and the header that each begins with. What follows the header are
// values, one behind the other, as they came; the records of the table say where each is. The layout is written here
// only; doc/blob.md tells it to readers.
//
//   0   8  magic "FJBYTES\n"
//   8   4  version, 1
//   12  4  number of the file
//   16  4  number of the table in its log
//   20  4  0
//   24  8  store id of the log: a file of another daemon is none of ours
//   32  8  XXH3-64 of the 32 bytes before
//   40     zeros up to kHeaderBytes
//
// Numbers are little endian.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/hash.h"
#include "fastjournal/types.h"

namespace fastjournal::storage {

inline constexpr std::size_t kHeaderBytes = 4096;
inline constexpr std::string_view kMagic{"FJBYTES\n"};
inline constexpr std::uint32_t kFormatVersion = 1;

struct FileHeader {
  std::uint32_t number{0};
  TableId table{};
  std::uint64_t store_id{0};
  bool operator==(FileHeader const&) const = default;
};

[[nodiscard]] inline std::string header_bytes(FileHeader const& header) {
  std::string out{kMagic};
  append_little(out, kFormatVersion);
  append_little(out, header.number);
  append_little(out, static_cast<std::uint32_t>(header.table));
  append_little(out, std::uint32_t{0});
  append_little(out, header.store_id);
  append_little(out, hash64(out));
  out.resize(kHeaderBytes, '\0');
  return out;
}

// None: these are not the first bytes of such a file.
[[nodiscard]] inline std::optional<FileHeader> read_header(std::string_view bytes) {
  if (bytes.size() < 40 || !bytes.starts_with(kMagic)) return std::nullopt;
  if (load_little<std::uint32_t>(bytes.data() + 8) != kFormatVersion) return std::nullopt;
  if (load_little<std::uint64_t>(bytes.data() + 32) != hash64(bytes.substr(0, 32))) return std::nullopt;
  return FileHeader{load_little<std::uint32_t>(bytes.data() + 12),
                    TableId{load_little<std::uint32_t>(bytes.data() + 16)},
                    load_little<std::uint64_t>(bytes.data() + 24)};
}

// data.000001
inline constexpr std::string_view kFilePrefix{"data."};
// Of a value whose size is not known before its end; never named by a record, and removed at a start.
inline constexpr std::string_view kStagePrefix{"stage."};

[[nodiscard]] inline std::string file_name(std::uint32_t number) {
  std::string digits = std::to_string(number);
  if (digits.size() < 6) digits.insert(0, 6 - digits.size(), '0');
  return std::string{kFilePrefix} + digits;
}

// None: another name than file_name() makes.
[[nodiscard]] inline std::optional<std::uint32_t> number_of(std::string_view name) {
  if (!name.starts_with(kFilePrefix)) return std::nullopt;
  std::string_view const digits = name.substr(kFilePrefix.size());
  std::uint32_t number = 0;
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size() || number == 0) return std::nullopt;
  if (file_name(number) != name) return std::nullopt;
  return number;
}

}  // namespace fastjournal::storage
