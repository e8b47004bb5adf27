#include "log/etcd/entry.h"

#include <charconv>
#include <system_error>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/hash.h"

namespace fastjournal::log::etcd {
namespace {

constexpr std::uint32_t kMagic = 0x31'45'4A'46;  // "FJE1"
constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kIsFirst = 1;
constexpr std::size_t kHeadBytes = 48;
constexpr std::size_t kFirstBytes = 16;
static_assert(kHeadBytes + kFirstBytes <= kEntryHeadBytesMax);

// The next number of a line; the text is what follows it.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t out = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.starts_with(' ')) text.remove_prefix(1);
  return out;
}

}  // namespace

std::string encode(Entry const& entry, std::uint64_t store_id) {
  std::string out;
  out.reserve(kEntryHeadBytesMax + entry.bytes.size());
  append_little(out, std::uint64_t{0});
  append_little(out, kMagic);
  append_little(out, kVersion);
  append_little(out, entry.is_first ? kIsFirst : std::uint8_t{0});
  append_little(out, std::uint16_t{0});
  append_little(out, entry.token);
  append_little(out, entry.sequence);
  append_little(out, entry.lsn.value);
  append_little(out, entry.group.value);
  if (entry.is_first) {
    append_little(out, entry.cut.value);
    append_little(out, entry.start);
    append_little(out, std::uint32_t{0});
  }
  out.append(entry.bytes);
  store_little(out.data(), hash64(std::string_view{out}.substr(sizeof(std::uint64_t)), store_id));
  return out;
}

std::optional<Entry> decode(std::string_view value, std::uint64_t store_id) {
  if (value.size() < kHeadBytes) return std::nullopt;
  char const* const at = value.data();
  if (load_little<std::uint64_t>(at) != hash64(value.substr(sizeof(std::uint64_t)), store_id)) return std::nullopt;
  if (load_little<std::uint32_t>(at + 8) != kMagic || load_little<std::uint8_t>(at + 12) != kVersion)
    return std::nullopt;
  Entry out;
  out.is_first = (load_little<std::uint8_t>(at + 13) & kIsFirst) != 0;
  out.token = load_little<std::uint64_t>(at + 16);
  out.sequence = load_little<std::uint64_t>(at + 24);
  out.lsn = Lsn{load_little<std::uint64_t>(at + 32)};
  out.group = Lsn{load_little<std::uint64_t>(at + 40)};
  std::size_t head = kHeadBytes;
  if (out.is_first) {
    if (value.size() < kHeadBytes + kFirstBytes) return std::nullopt;
    out.cut = Lsn{load_little<std::uint64_t>(at + 48)};
    out.start = load_little<std::uint32_t>(at + 56);
    head += kFirstBytes;
  }
  out.bytes = value.substr(head);
  return out;
}

std::string encode(Base const& base) {
  return fmt::format("{} {} {}", base.sequence, base.lsn.value, base.catalogue.value);
}

std::optional<Base> decode_base(std::string_view value) {
  std::optional<std::uint64_t> const sequence = take_number(value);
  std::optional<std::uint64_t> const lsn = sequence ? take_number(value) : std::nullopt;
  std::optional<std::uint64_t> const catalogue = lsn ? take_number(value) : std::nullopt;
  if (!catalogue || !value.empty() || *sequence == 0) return std::nullopt;
  return Base{*sequence, Lsn{*lsn}, Lsn{*catalogue}};
}

}  // namespace fastjournal::log::etcd
