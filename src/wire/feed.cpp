#include "wire/feed.h"

#include "base/bytes.h"
#include "base/check.h"
#include "base/hash.h"

namespace fastjournal::protocol {
namespace {

constexpr std::string_view kMagic{"FJF\x01", 4};
constexpr std::size_t kChecksumEnd = 12;
constexpr std::size_t kCountAt = 32;
constexpr std::size_t kRecordHeadBytes = 23;
constexpr std::uint8_t kOfCatalogue = 1;
constexpr std::uint8_t kAnnounced = 2;

}  // namespace

void FeedWriter::begin(FeedHead const& head) {
  FJ_CHECK(head.name.size() <= 64, "a table's name is longer than the limit it was checked against");
  records_ = 0;
  bytes_.assign(kMagic);
  append_little(bytes_, std::uint64_t{0});
  append_little(bytes_, head.store_id);
  append_little(bytes_, static_cast<std::uint32_t>(head.table));
  append_little(bytes_, head.previous.value);
  append_little(bytes_, std::uint16_t{0});
  append_little(bytes_, static_cast<std::uint8_t>(head.name.size()));
  bytes_.append(head.name);
}

bool FeedWriter::add(RecordView const& record) {
  std::size_t const room = kFeedDatagramBytesMax - bytes_.size();
  bool const fits = kRecordHeadBytes + record.body.size() <= room;
  if (!fits && records_ > 0) return false;
  bool const begins = record.object == object_of(record.lsn);
  append_little(bytes_, record.lsn.value);
  append_little(bytes_, begins ? std::uint64_t{0} : record.object.value);
  append_little(bytes_, record.type);
  append_little(bytes_, record.version);
  append_little(bytes_, static_cast<std::uint8_t>((record.table == TableId::catalogue ? kOfCatalogue : 0) |
                                                  (fits ? 0 : kAnnounced)));
  append_little(bytes_, static_cast<std::uint32_t>(record.body.size()));
  if (fits) bytes_.append(as_text(record.body));
  ++records_;
  return true;
}

std::string_view FeedWriter::finish() {
  store_little(bytes_.data() + kCountAt, records_);
  store_little(bytes_.data() + kMagic.size(), hash64(std::string_view{bytes_}.substr(kChecksumEnd)));
  return bytes_;
}

bool read_feed(std::string_view bytes, FeedDatagram& out) {
  out.records.clear();
  if (!bytes.starts_with(kMagic) || bytes.size() < kChecksumEnd || bytes.size() > kFeedDatagramBytesMax) return false;
  ByteReader reader{bytes.substr(kMagic.size())};
  if (reader.number<std::uint64_t>() != hash64(bytes.substr(kChecksumEnd))) return false;
  out.head.store_id = reader.number<std::uint64_t>();
  out.head.table = TableId{reader.number<std::uint32_t>()};
  out.head.previous = Lsn{reader.number<std::uint64_t>()};
  auto const count = reader.number<std::uint16_t>();
  out.head.name = reader.bytes(reader.number<std::uint8_t>());
  for (std::uint16_t i = 0; i < count && reader.ok(); ++i) {
    FeedDatagram::Record record;
    record.view.lsn = Lsn{reader.number<std::uint64_t>()};
    ObjectId const object{reader.number<std::uint64_t>()};
    record.view.object = object.is_none() ? object_of(record.view.lsn) : object;
    record.view.type = reader.number<std::uint8_t>();
    record.view.version = reader.number<std::uint8_t>();
    auto const flags = reader.number<std::uint8_t>();
    record.view.table = (flags & kOfCatalogue) != 0 ? TableId::catalogue : out.head.table;
    record.announced = (flags & kAnnounced) != 0;
    auto const size = reader.number<std::uint32_t>();
    if (!record.announced) record.view.body = as_bytes(reader.bytes(size));
    out.records.push_back(record);
  }
  return reader.finished();
}

}  // namespace fastjournal::protocol
