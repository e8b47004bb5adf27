// Blob tables in the C API.
#include "clients/cpp/blob.h"

#include <chrono>
#include <optional>

#include "clients/c/handles.h"

struct fj_blobs {
  std::unique_ptr<fastjournal::client::Blobs> blobs;
  bool broken{false};  // memory ended within a call: nobody knows what was half done
};

struct fj_blob {
  std::string copy{};
  fastjournal::client::BlobView view{};

  [[nodiscard]] std::string_view bytes() const { return view.bytes().empty() ? std::string_view{copy} : view.bytes(); }
};

namespace {

using fastjournal::Code;
using fastjournal::Result;
using fastjournal::Status;
using fastjournal::bcdb::Key;
using fastjournal::c::guarded;
using fastjournal::c::made;
using fastjournal::c::missing;
using fastjournal::client::BlobBytes;
using fastjournal::client::BlobFile;
using fastjournal::client::BlobOptions;
using fastjournal::client::BlobPlace;
using fastjournal::client::Blobs;
using fastjournal::client::BlobView;
using fastjournal::client::Milliseconds;
using std::chrono::steady_clock;

Key key_of(bcdb_key const& key) { return {.hash_value = key.hash_value, .hash_id = key.hash_id}; }

void tell(BlobPlace const& from, fj_blob_place* to) {
  if (to == nullptr) return;
  *to = {.key = {from.key.hash_value, from.key.hash_id},
         .begin = from.begin,
         .end = from.end,
         .entry_time = from.entry_time,
         .file = from.file,
         .newer = from.newer ? 1U : 0U,
         .zero = 0,
         .own = {static_cast<std::uint64_t>(from.asked.time_since_epoch().count()), from.connection}};
}

BlobPlace place_of(fj_blob_place const& from) {
  return {.key = key_of(from.key),
          .entry_time = from.entry_time,
          .begin = from.begin,
          .end = from.end,
          .file = from.file,
          .newer = from.newer != 0,
          .asked = steady_clock::time_point{steady_clock::duration{static_cast<std::int64_t>(from.own[0])}},
          .connection = from.own[1]};
}

Status absent() { return {Code::not_found, "there is no such blob"}; }

// Runs `act` for a handle that can be used.
template <typename Do>
int on_blobs(fj_blobs* handle, Do const& act) noexcept {
  return guarded([&]() -> Status {
    if (handle == nullptr) return missing("blobs");
    if (handle->broken) return {Code::closed, "there was too little memory in a call before: close these blobs"};
    try {
      return act(*handle->blobs);
    } catch (...) {
      handle->broken = true;
      throw;
    }
  });
}

// The same, about a key.
template <typename Do>
int on_key(fj_blobs* handle, bcdb_key const* key, Do const& act) noexcept {
  return on_blobs(handle, [&](Blobs& blobs) -> Status {
    if (key == nullptr) return missing("key");
    return act(blobs, key_of(*key));
  });
}

Status tell_found(Result<std::optional<BlobPlace>> const& found, fj_blob_place* place) {
  if (!found.ok()) return found.status();
  if (!found.value()) return absent();
  tell(*found.value(), place);
  return {};
}

Status give(Result<std::optional<std::string>> bytes, fj_blob** blob) {
  if (!bytes.ok()) return bytes.status();
  if (!bytes.value()) return absent();
  *blob = new fj_blob{.copy = std::move(*bytes.value())};
  return {};
}

Result<std::string_view> bytes_of(void const* bytes, size_t size) {
  if (bytes == nullptr && size != 0) return missing("bytes");
  return std::string_view{static_cast<char const*>(bytes), size};
}

std::string text_of(char const* text) { return text == nullptr ? std::string{} : std::string{text}; }

}  // namespace

extern "C" {

bcdb_key bcdb_make_key(char const* key_string, size_t key_length) {
  return bcdb_make_key_with_secret(key_string, key_length, nullptr);
}

bcdb_key bcdb_make_key_with_secret(char const* key_string, size_t key_length, char const* secret) {
  std::string_view name{};
  if (key_string != nullptr)
    name = key_length == 0 ? std::string_view{key_string} : std::string_view{key_string, key_length};
  Key const key = fastjournal::bcdb::make_key(name, secret == nullptr ? std::string_view{} : std::string_view{secret});
  return {.hash_value = key.hash_value, .hash_id = key.hash_id};
}

void fj_blob_options_init_sized(fj_blob_options* options, size_t size) { fastjournal::c::init_options(options, size); }

fj_blobs* fj_blobs_open(fj_blob_options const* options) {
  return made<fj_blobs>([&](fj_blobs*& out) -> Status {
    if (options == nullptr) return missing("options");
    fj_blob_options given;
    if (Status read = fastjournal::c::read_options(options, given); !read.ok()) return read;
    if (given.bytes > FJ_BLOB_RELAY)
      return Status{Code::bad_parameter, "bytes: expected FJ_BLOB_FILE, FJ_BLOB_DESCRIPTOR or FJ_BLOB_RELAY"}.with(
          "parameter", "bytes");
    BlobOptions wanted{.read = text_of(given.read),
                       .write = text_of(given.write),
                       .datagrams = text_of(given.datagrams),
                       .own_path = text_of(given.own_path),
                       .data_file = text_of(given.data_file),
                       .ca_file = text_of(given.ca_file),
                       .certificate_file = text_of(given.certificate_file),
                       .key_file = text_of(given.key_file),
                       .two_files = given.two_files != 0,
                       .bytes = static_cast<BlobBytes>(given.bytes)};
    if (given.version != 0) wanted.version = given.version;
    if (given.time_limit_ms != 0) wanted.time_limit = Milliseconds{given.time_limit_ms};
    if (given.blob_bytes_max != 0) wanted.blob_bytes_max = given.blob_bytes_max;
    Result<std::unique_ptr<Blobs>> opened = Blobs::open(std::move(wanted));
    if (!opened.ok()) return opened.status();
    out = new fj_blobs{.blobs = std::move(opened).value()};
    return {};
  });
}

void fj_blobs_close(fj_blobs* blobs) { delete blobs; }

int fj_blob_put(fj_blobs* blobs, bcdb_key const* key, void const* bytes, size_t size, fj_blob_place* place) {
  return on_key(blobs, key, [&](Blobs& at, Key const& of) -> Status {
    Result<std::string_view> const given = bytes_of(bytes, size);
    if (!given.ok()) return given.status();
    Result<BlobPlace> const put = at.put(of, given.value());
    if (!put.ok()) return put.status();
    tell(put.value(), place);
    return {};
  });
}

int fj_blob_find(fj_blobs* blobs, bcdb_key const* key, fj_blob_place* place) {
  return on_key(blobs, key, [&](Blobs& at, Key const& of) { return tell_found(at.find(of), place); });
}

int fj_blob_find_once(fj_blobs* blobs, bcdb_key const* key, fj_blob_place* place) {
  return on_key(blobs, key, [&](Blobs& at, Key const& of) { return tell_found(at.find_once(of), place); });
}

int fj_blob_get(fj_blobs* blobs, bcdb_key const* key, fj_blob** blob) {
  if (blob != nullptr) *blob = nullptr;
  return on_key(blobs, key, [&](Blobs& at, Key const& of) -> Status {
    if (blob == nullptr) return missing("blob");
    return give(at.get(of), blob);
  });
}

int fj_blob_read(fj_blobs* blobs, fj_blob_place const* place, fj_blob** blob) {
  if (blob != nullptr) *blob = nullptr;
  return on_blobs(blobs, [&](Blobs& at) -> Status {
    if (place == nullptr) return missing("place");
    if (blob == nullptr) return missing("blob");
    return give(at.read(place_of(*place)), blob);
  });
}

int fj_blob_view(fj_blobs* blobs, fj_blob_place const* place, fj_blob** blob) {
  if (blob != nullptr) *blob = nullptr;
  return on_blobs(blobs, [&](Blobs& at) -> Status {
    if (place == nullptr) return missing("place");
    if (blob == nullptr) return missing("blob");
    Result<std::optional<BlobView>> view = at.view(place_of(*place));
    if (!view.ok()) return view.status();
    if (!view.value()) return absent();
    *blob = new fj_blob{.view = std::move(*view.value())};
    return {};
  });
}

int fj_blob_fetch(fj_blobs* blobs, bcdb_key const* key, uint64_t offset, uint64_t length, fj_blob** blob) {
  if (blob != nullptr) *blob = nullptr;
  return on_key(blobs, key, [&](Blobs& at, Key const& of) -> Status {
    if (blob == nullptr) return missing("blob");
    return give(at.fetch(of, offset, length), blob);
  });
}

void const* fj_blob_bytes(fj_blob const* blob) {
  if (blob == nullptr) return nullptr;
  std::string_view const bytes = blob->bytes();
  return bytes.data() == nullptr ? "" : bytes.data();
}

size_t fj_blob_size(fj_blob const* blob) { return blob == nullptr ? 0 : blob->bytes().size(); }

void fj_blob_free(fj_blob* blob) { delete blob; }

int fj_blob_send_put(fj_blobs* blobs, bcdb_key const* key, void const* bytes, size_t size) {
  return on_key(blobs, key, [&](Blobs& at, Key const& of) -> Status {
    Result<std::string_view> const given = bytes_of(bytes, size);
    return given.ok() ? at.send_put(of, given.value()) : given.status();
  });
}

int fj_blob_receive_put(fj_blobs* blobs, fj_blob_place* place) {
  return on_blobs(blobs, [&](Blobs& at) -> Status {
    Result<BlobPlace> const put = at.receive_put();
    if (!put.ok()) return put.status();
    tell(put.value(), place);
    return {};
  });
}

int fj_blob_send_find(fj_blobs* blobs, bcdb_key const* key) {
  return on_key(blobs, key, [](Blobs& at, Key const& of) { return at.send_find(of); });
}

int fj_blob_receive_find(fj_blobs* blobs, fj_blob_place* place) {
  return on_blobs(blobs, [&](Blobs& at) { return tell_found(at.receive_find(), place); });
}

int fj_blob_attach(fj_blobs* blobs, int* descriptor, uint32_t* file) {
  if (descriptor != nullptr) *descriptor = -1;
  return on_blobs(blobs, [&](Blobs& at) -> Status {
    if (descriptor == nullptr) return missing("descriptor");
    Result<BlobFile> attached = at.attach();
    if (!attached.ok()) return attached.status();
    if (file != nullptr) *file = attached->number();
    *descriptor = attached->release();
    return {};
  });
}

}  // extern "C"
