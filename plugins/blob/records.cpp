#include "plugins/blob/records.h"

#include <array>
#include <string>

#include "base/bytes.h"
#include "plugins/rows/body.h"

namespace fastjournal::blob {
namespace {

using rows::BodyHead;
using rows::BodyReader;

constexpr std::uint8_t kHasCopies = 1;
constexpr std::uint8_t kHasMarks = 2;
constexpr std::size_t kHeaderBytes = 32;

template <typename... Texts>
Lsn append(Records& records, RecordType type, BodyHead const& head, Texts... texts) {
  auto const number = static_cast<std::uint8_t>(type);
  return rows::append_body(records, number, newest_version(number), {}, head, texts...);
}

BodyHead& add_key(BodyHead& head, Key const& key) {
  return head.room(bcdb::kKeyBytes, [&](char* to) {
    store_little(to, key.hash_value);
    store_little(to + sizeof key.hash_value, key.hash_id);
    return bcdb::kKeyBytes;
  });
}

Key take_key(BodyReader& body) {
  std::string_view const bytes = body.bytes(bcdb::kKeyBytes);
  return bytes.empty() ? Key{} : bcdb::unpacked(bytes);
}

std::uint32_t take_u32(BodyReader& body) {
  std::string_view const bytes = body.bytes(sizeof(std::uint32_t));
  return bytes.empty() ? 0 : load_little<std::uint32_t>(bytes.data());
}

BodyHead head_of(PageBody const& page) {
  BodyHead head;
  head.byte(page.depth);
  head.byte(
      static_cast<std::uint8_t>((page.copies == nullptr ? 0 : kHasCopies) | (page.marks == nullptr ? 0 : kHasMarks)));
  add_key(head, page.first);
  add_key(head, page.last).number(page.files.current).number(page.files.next).number(page.count);
  return head;
}

std::string_view part(char const* from, std::size_t bytes) {
  return from == nullptr ? std::string_view{} : std::string_view{from, bytes};
}

BodyHead head_of(State const& state) {
  BodyHead head;
  head.number(state.files.current).number(state.files.next).number(state.last_number).number(state.old_file);
  head.six(state.old_ends).six(state.began).number(state.policy.oldest_entry_s).number(state.policy.oldest_read_s);
  head.number(state.policy.bytes_max).number(state.total).number(state.total_bytes);
  head.number(static_cast<std::uint64_t>(state.mode));
  return head;
}

}  // namespace

Lsn append_put(Records& records, PutBody const& body) {
  BodyHead head;
  add_key(head, body.key).room(sizeof body.entry_time, [&](char* to) {
    store_little(to, body.entry_time);
    return sizeof body.entry_time;
  });
  head.eight(body.extent.hash).number(body.extent.file).number(body.extent.begin).number(body.extent.size());
  return append(records, RecordType::put, head, body.carried);
}

void append_page(Records& records, PageBody const& body) {
  std::size_t const words = std::size_t{body.count} * sizeof(std::uint64_t);
  append(records, RecordType::page, head_of(body), part(body.entries, std::size_t{body.count} * kEntryBytes),
         part(body.hashes, words), part(body.copies, words), part(body.marks, body.count));
}

void append_omit(Records& records, Key const& key) {
  BodyHead head;
  append(records, RecordType::omit, add_key(head, key));
}

void append_damaged(Records& records, Key const& key, std::string_view text) {
  BodyHead head;
  append(records, RecordType::damaged, add_key(head, key), text);
}

void append_moved(Records& records, std::uint32_t file, std::span<Copied const> blobs) {
  std::string bytes;
  bytes.reserve(blobs.size() * (bcdb::kKeyBytes + sizeof(std::uint64_t)));
  for (Copied const& blob : blobs) {
    append_little(bytes, blob.key.hash_value);
    append_little(bytes, blob.key.hash_id);
    append_little(bytes, blob.begin);
  }
  BodyHead head;
  append(records, RecordType::moved, head.number(file), std::string_view{bytes});
}

void append_left(Records& records, std::span<Key const> keys) {
  std::string bytes;
  bytes.reserve(keys.size() * bcdb::kKeyBytes);
  for (Key const& key : keys) {
    append_little(bytes, key.hash_value);
    append_little(bytes, key.hash_id);
  }
  append(records, RecordType::left, BodyHead{}, std::string_view{bytes});
}

void append_state(Records& records, RecordType type, State const& state, std::string_view text) {
  append(records, type, head_of(state), text);
}

std::size_t page_record_bytes(PageBody const& body) {
  std::size_t const each = kEntryBytes + sizeof(std::uint64_t) + (body.copies == nullptr ? 0 : sizeof(std::uint64_t)) +
                           (body.marks == nullptr ? 0 : 1);
  return kHeaderBytes + head_of(body).view().size() + body.count * each;
}

bool read_put(std::string_view bytes, PutBody& out) {
  BodyReader body{bytes};
  out.key = take_key(body);
  out.entry_time = take_u32(body);
  out.extent.hash = body.eight();
  out.extent.file = body.number_as<std::uint32_t>();
  out.extent.begin = body.number();
  std::uint64_t const size = body.number();
  out.extent.end = out.extent.begin + size;
  out.carried = body.rest();
  return body.finished() && out.extent.file != 0 && out.extent.end >= out.extent.begin &&
         (out.carried.empty() || out.carried.size() == size);
}

bool read_page(std::string_view bytes, PageBody& out) {
  BodyReader body{bytes};
  out.depth = body.byte();
  std::uint8_t const kinds = body.byte();
  out.first = take_key(body);
  out.last = take_key(body);
  out.files.current = body.number_as<std::uint32_t>();
  out.files.next = body.number_as<std::uint32_t>();
  out.count = body.number_as<std::uint32_t>();
  if (out.count > kEntriesPerPage || out.depth > kDepthMax || kinds > (kHasCopies | kHasMarks)) return false;
  std::size_t const words = std::size_t{out.count} * sizeof(std::uint64_t);
  out.entries = body.bytes(std::size_t{out.count} * kEntryBytes).data();
  out.hashes = body.bytes(words).data();
  out.copies = (kinds & kHasCopies) == 0 ? nullptr : body.bytes(words).data();
  out.marks = (kinds & kHasMarks) == 0 ? nullptr : body.bytes(out.count).data();
  if (!body.finished() || out.last < out.first || out.files.current == 0) return false;
  // In order, within the range.
  Key last{};
  for (std::uint32_t at = 0; at < out.count; ++at) {
    Entry entry;
    std::memcpy(&entry, out.entries + std::size_t{at} * kEntryBytes, kEntryBytes);
    Key const key = entry.key();
    if (key < out.first || key > out.last || (at > 0 && key <= last) || entry.end < entry.begin) return false;
    last = key;
  }
  return true;
}

bool read_omit(std::string_view bytes, Key& key) {
  BodyReader body{bytes};
  key = take_key(body);
  return body.finished();
}

bool read_damaged(std::string_view bytes, Key& key, std::string_view& text) {
  BodyReader body{bytes};
  key = take_key(body);
  text = body.rest();
  return body.finished();
}

bool read_moved(std::string_view bytes, MovedBody& out) {
  constexpr std::size_t kEach = bcdb::kKeyBytes + sizeof(std::uint64_t);
  BodyReader body{bytes};
  out.file = body.number_as<std::uint32_t>();
  std::string_view blobs = body.rest();
  if (!body.finished() || out.file == 0 || blobs.size() % kEach != 0) return false;
  out.blobs.reserve(blobs.size() / kEach);
  for (; !blobs.empty(); blobs.remove_prefix(kEach))
    out.blobs.push_back({bcdb::unpacked(blobs), load_little<std::uint64_t>(blobs.data() + bcdb::kKeyBytes)});
  return true;
}

bool read_left(std::string_view bytes, std::vector<Key>& keys) {
  if (bytes.size() % bcdb::kKeyBytes != 0) return false;
  keys.reserve(bytes.size() / bcdb::kKeyBytes);
  for (; !bytes.empty(); bytes.remove_prefix(bcdb::kKeyBytes)) keys.push_back(bcdb::unpacked(bytes));
  return true;
}

bool read_state(std::string_view bytes, State& out, std::string_view& text) {
  BodyReader body{bytes};
  out.files.current = body.number_as<std::uint32_t>();
  out.files.next = body.number_as<std::uint32_t>();
  out.last_number = body.number_as<std::uint32_t>();
  out.old_file = body.number_as<std::uint32_t>();
  out.old_ends = body.six();
  out.began = body.six();
  out.policy.oldest_entry_s = body.number_as<std::uint32_t>();
  out.policy.oldest_read_s = body.number_as<std::uint32_t>();
  out.policy.bytes_max = body.number();
  out.total = body.number();
  out.total_bytes = body.number();
  auto const mode = body.number_as<std::uint8_t>();
  out.mode = static_cast<Mode>(mode);
  text = body.rest();
  return body.finished() && out.files.current != 0 && mode <= static_cast<std::uint8_t>(kLastMode);
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

void write_state(std::string& out, State const& state) {
  out += 's';
  out += head_of(state).view();
}

}  // namespace fastjournal::blob
