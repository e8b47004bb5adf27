// Blob tables in the C API.
#include "clients/cpp/blob.h"

#include <chrono>
#include <optional>

#include "clients/c/handles.h"

struct fj_blobs {
  std::unique_ptr<fastjournal::client::Blobs> blobs;
  bool broken{false};  // memory ended within a call: it is unknown what was half done
};

struct fj_blob {
  explicit fj_blob(std::string bytes) : copy(std::move(bytes)) {}
  explicit fj_blob(fastjournal::client::BlobView bytes) : view(std::move(bytes)) {}
  [[nodiscard]] std::string_view bytes() const { return view.bytes().empty() ? std::string_view{copy} : view.bytes(); }

  std::string copy{};
  fastjournal::client::BlobView view{};
};

using namespace fastjournal;
using namespace fastjournal::c;
using namespace fastjournal::client;
using bcdb::Key;
using std::chrono::steady_clock;

namespace {

Key blob_key_of(bcdb_key const& key) { return {.hash_value = key.hash_value, .hash_id = key.hash_id}; }

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
  return {.key = blob_key_of(from.key),
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
int on_blobs(fj_blobs* handle, AllNeeded needed, Do const& act) noexcept {
  return guarded({{handle, "blobs"}}, [&]() -> Status {
    if (handle->broken) return {Code::closed, "there was too little memory in a call before: close these blobs"};
    try {
      Status given = check(needed);
      return given.ok() ? act(*handle->blobs) : given;
    } catch (...) {
      handle->broken = true;
      throw;
    }
  });
}

Status tell_put(Result<BlobPlace> const& put, fj_blob_place* place) {
  if (put.ok()) tell(put.value(), place);
  return put.status();
}

Status tell_found(Result<std::optional<BlobPlace>> const& found, fj_blob_place* place) {
  if (!found.ok()) return found.status();
  if (!found.value()) return absent();
  tell(*found.value(), place);
  return {};
}

// Copied bytes, or a view.
template <typename Bytes>
Status give(Result<std::optional<Bytes>> found, fj_blob** blob) {
  if (!found.ok()) return found.status();
  if (!found.value()) return absent();
  *blob = new fj_blob{std::move(*found.value())};
  return {};
}

std::string_view bytes_of(void const* bytes, size_t size) { return {static_cast<char const*>(bytes), size}; }

// Bytes that are there, or none.
Needed given(void const* bytes, size_t size) { return {size == 0 ? "" : bytes, "bytes"}; }

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
  Key const key = bcdb::make_key(name, secret == nullptr ? std::string_view{} : std::string_view{secret});
  return {.hash_value = key.hash_value, .hash_id = key.hash_id};
}

void fj_blob_options_init_sized(fj_blob_options* options, size_t size) { init_options(options, size); }

fj_blobs* fj_blobs_open(fj_blob_options const* options) {
  return made<fj_blobs>({{options, "options"}}, [&]() -> Result<std::unique_ptr<fj_blobs>> {
    fj_blob_options given;
    if (Status read = read_options(options, given); !read.ok()) return read;
    if (given.bytes > FJ_BLOB_RELAY)
      return refused("bytes", "bytes: expected FJ_BLOB_FILE, FJ_BLOB_DESCRIPTOR or FJ_BLOB_RELAY");
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
    return std::make_unique<fj_blobs>(fj_blobs{.blobs = std::move(opened).value()});
  });
}

void fj_blobs_close(fj_blobs* blobs) { delete blobs; }

int fj_blob_put(fj_blobs* blobs, bcdb_key const* key, void const* bytes, size_t size, fj_blob_place* place) {
  return on_blobs(blobs, {{key, "key"}, given(bytes, size)},
                  [&](Blobs& at) { return tell_put(at.put(blob_key_of(*key), bytes_of(bytes, size)), place); });
}

int fj_blob_find(fj_blobs* blobs, bcdb_key const* key, fj_blob_place* place) {
  return on_blobs(blobs, {{key, "key"}}, [&](Blobs& at) { return tell_found(at.find(blob_key_of(*key)), place); });
}

int fj_blob_find_once(fj_blobs* blobs, bcdb_key const* key, fj_blob_place* place) {
  return on_blobs(blobs, {{key, "key"}}, [&](Blobs& at) { return tell_found(at.find_once(blob_key_of(*key)), place); });
}

int fj_blob_get(fj_blobs* blobs, bcdb_key const* key, fj_blob** blob) {
  return on_blobs(blobs, {{key, "key"}, cleared(blob, "blob")},
                  [&](Blobs& at) { return give(at.get(blob_key_of(*key)), blob); });
}

int fj_blob_read(fj_blobs* blobs, fj_blob_place const* place, fj_blob** blob) {
  return on_blobs(blobs, {{place, "place"}, cleared(blob, "blob")},
                  [&](Blobs& at) { return give(at.read(place_of(*place)), blob); });
}

int fj_blob_view(fj_blobs* blobs, fj_blob_place const* place, fj_blob** blob) {
  return on_blobs(blobs, {{place, "place"}, cleared(blob, "blob")},
                  [&](Blobs& at) { return give(at.view(place_of(*place)), blob); });
}

int fj_blob_fetch(fj_blobs* blobs, bcdb_key const* key, uint64_t offset, uint64_t length, fj_blob** blob) {
  return on_blobs(blobs, {{key, "key"}, cleared(blob, "blob")},
                  [&](Blobs& at) { return give(at.fetch(blob_key_of(*key), offset, length), blob); });
}

void const* fj_blob_bytes(fj_blob const* blob) {
  if (blob == nullptr) return nullptr;
  std::string_view const bytes = blob->bytes();
  return bytes.data() == nullptr ? "" : bytes.data();
}

size_t fj_blob_size(fj_blob const* blob) { return blob == nullptr ? 0 : blob->bytes().size(); }

void fj_blob_free(fj_blob* blob) { delete blob; }

int fj_blob_send_put(fj_blobs* blobs, bcdb_key const* key, void const* bytes, size_t size) {
  return on_blobs(blobs, {{key, "key"}, given(bytes, size)},
                  [&](Blobs& at) { return at.send_put(blob_key_of(*key), bytes_of(bytes, size)); });
}

int fj_blob_receive_put(fj_blobs* blobs, fj_blob_place* place) {
  return on_blobs(blobs, {}, [&](Blobs& at) { return tell_put(at.receive_put(), place); });
}

int fj_blob_send_find(fj_blobs* blobs, bcdb_key const* key) {
  return on_blobs(blobs, {{key, "key"}}, [&](Blobs& at) { return at.send_find(blob_key_of(*key)); });
}

int fj_blob_receive_find(fj_blobs* blobs, fj_blob_place* place) {
  return on_blobs(blobs, {}, [&](Blobs& at) { return tell_found(at.receive_find(), place); });
}

int fj_blob_attach(fj_blobs* blobs, int* descriptor, uint32_t* file) {
  if (descriptor != nullptr) *descriptor = -1;
  return on_blobs(blobs, {{descriptor, "descriptor"}}, [&](Blobs& at) -> Status {
    Result<BlobFile> attached = at.attach();
    if (!attached.ok()) return attached.status();
    if (file != nullptr) *file = attached->number();
    *descriptor = attached->release();
    return {};
  });
}

}  // extern "C"
