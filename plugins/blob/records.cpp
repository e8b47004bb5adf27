#include "plugins/blob/records.h"

#include <cstring>

#include "base/bytes.h"

namespace fastjournal::blob {

bool is_in_order(PageBody const& page) {
  Key last{};
  for (std::uint32_t at = 0; at < page.count; ++at) {
    Entry entry;
    std::memcpy(&entry, page.entries + std::size_t{at} * kEntryBytes, kEntryBytes);
    Key const key = entry.key();
    if (key < page.first || key > page.last || (at > 0 && key <= last) || entry.end < entry.begin) return false;
    last = key;
  }
  return true;
}

void write_blob(std::string& out, Blob const& blob, std::uint32_t next_file) {
  out += 'b';
  append_little(out, blob.entry_time);
  append_little(out, blob.key.hash_value);
  append_little(out, blob.key.hash_id);
  append_little(out, blob.extent.begin);
  append_little(out, blob.extent.end);
  append_little(out, blob.extent.hash);
  append_little(out, blob.extent.file);
  append_little(out, static_cast<std::uint8_t>(blob.marks & marks::kLogged));
  if (!blob.has_copy()) return;
  append_little(out, next_file);
  append_little(out, blob.copy_begin);
}

}  // namespace fastjournal::blob
