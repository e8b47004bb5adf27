#include "clients/programs/fastjournal/blob_reader.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/base64.h"
#include "base/hash.h"
#include "clients/cpp/key_text.h"

namespace fastjournal::cli {
namespace {

constexpr std::uint64_t kPieceBytes = 4U << 20U;

std::uint64_t reader_number(Message const& message, std::string_view name) {
  Value const* const value = message.find(name);
  return value == nullptr ? 0 : value->as_unsigned().value_or(0);
}

std::optional<std::uint64_t> number_of_digits(std::string_view digits) {
  std::uint64_t out = 0;
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out, 16);
  bool const is_whole = !digits.empty() && error == std::errc{} && end == digits.data() + digits.size();
  return is_whole ? std::optional{out} : std::nullopt;
}

// Of "OFFSET LENGTH PATH".
std::string path_of(std::string_view place) {
  for (int i = 0; i < 2; ++i) {
    std::size_t const blank = place.find(' ');
    if (blank == std::string_view::npos) return {};
    place.remove_prefix(blank + 1);
  }
  return std::string{place};
}

}  // namespace

void BlobKey::set_in(Message& message) const {
  std::string_view const copied = message.arena().copy(text);
  if (is_hash)
    message.set("hash", copied);
  else
    client::set_key(message, "key", copied);
}

BlobEntry BlobEntry::of(Message const& blob) {
  return {.hash = std::string{blob.text("hash")},
          .begin = reader_number(blob, "begin"),
          .end = std::max(reader_number(blob, "begin"), reader_number(blob, "end")),
          .file = static_cast<std::uint32_t>(reader_number(blob, "file")),
          .content_hash = number_of_digits(blob.text("content_hash")),
          .path = path_of(blob.text("place"))};
}

bool is_here(std::string_view server) {
  if (server.starts_with("tls:")) server.remove_prefix(4);
  return server.starts_with('/') || server.starts_with("unix:") || server.starts_with("127.") ||
         server.starts_with("localhost:") || server.starts_with("[::1]:");
}

BlobReader::BlobReader(client::Connection& connection, std::string table)
    : connection_(connection), table_(std::move(table)), is_here_(is_here(connection.options().server)) {}

Result<Message> BlobReader::ask(BlobKey const& key) const {
  Message get("GET");
  get.set("table", table_);
  key.set_in(get);
  if (is_here_) get.set_integer("place", 1);
  Result<client::Reply> reply = connection_.call(get);
  if (!reply.ok()) return reply.status();
  return std::move(reply->messages.front());
}

client::BlobFile const* BlobReader::file_of(BlobEntry const& entry) {
  if (!is_here_) return nullptr;
  auto found = files_.find(entry.file);
  if (found == files_.end()) {
    std::string path = entry.path;
    if (path.empty()) {
      Result<Message> const blob = ask({entry.hash, true});
      if (!blob.ok()) return nullptr;
      BlobEntry const now = BlobEntry::of(blob.value());
      // Files were exchanged: the next one is asked for again.
      if (now.file != entry.file) return nullptr;
      path = now.path;
    }
    Result<client::BlobFile> opened = client::BlobFile::open(path);
    std::optional<client::BlobFile> file;
    if (opened.ok() && opened->number() == entry.file) file = std::move(opened).value();
    found = files_.emplace(entry.file, std::move(file)).first;
  }
  return found->second ? &*found->second : nullptr;
}

std::optional<client::BlobView> BlobReader::read_here(BlobEntry const& entry) {
  if (!entry.content_hash) return std::nullopt;
  client::BlobFile const* const file = file_of(entry);
  if (file == nullptr) return std::nullopt;
  Result<client::BlobView> view = file->view(entry.begin, entry.end, UINT64_MAX);
  if (!view.ok() || hash128(view->bytes()).low != *entry.content_hash) return std::nullopt;
  return std::move(view).value();
}

Status BlobReader::bring(BlobKey const& key, BlobEntry const& entry, std::uint64_t offset, std::uint64_t length,
                         Take const& take) const {
  std::uint64_t const from = std::min(offset, entry.size());
  std::uint64_t const to = from + std::min(length, entry.size() - from);
  Hasher128 hasher;
  std::string decoded;
  for (std::uint64_t at = from; at < to;) {
    Message get("GET");
    get.set("table", table_);
    key.set_in(get);
    get.set_integer("data", 1);
    get.set("offset", Value::of_unsigned(at));
    get.set("length", Value::of_unsigned(std::min(kPieceBytes, to - at)));
    Result<client::Reply> const reply = connection_.call(get);
    if (!reply.ok()) return reply.status();
    BlobEntry const now = BlobEntry::of(reply->first());
    // A maintenance moves it; its bytes are the same.
    if (now.size() != entry.size() || now.content_hash != entry.content_hash)
      return {Code::not_found, "the blob was replaced while it was read"};
    Value const* const data = reply->first().find("data");
    std::string_view bytes = data == nullptr ? std::string_view{} : data->bytes;
    if (data != nullptr && data->kind == Value::Kind::text) {
      if (!decode_base64(bytes, decoded)) return {Code::invalid, "the daemon's bytes are no base64"};
      bytes = decoded;
    }
    if (bytes.size() != std::min(kPieceBytes, to - at))
      return {Code::damaged, "the daemon sent " + std::to_string(bytes.size()) + " bytes from " + std::to_string(at) +
                                 "; expected " + std::to_string(std::min(kPieceBytes, to - at))};
    hasher.add(bytes);
    if (Status status = take(bytes); !status.ok()) return status;
    at += bytes.size();
  }
  bool const is_whole = to - from == entry.size();
  if (is_whole && entry.content_hash && hasher.hash().low != *entry.content_hash)
    return {Code::damaged, "the bytes have another content hash than those that were stored"};
  return {};
}

}  // namespace fastjournal::cli
