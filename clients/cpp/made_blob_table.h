// Made by ./mk generate from plugins/blob/blob.xml and clients/calls/blob.toml: do not edit.
// clang-format off
// Bytes of any length under keys, in one data file that readers on the same computer read themselves. Options,
// records, calls: for blob_table.h, which has what is special.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clients/cpp/client.h"
#include "fastjournal/types.h"

namespace fastjournal::client {

// The blob is stored.
struct StoredBlob {
  std::string hash{};           // what is made of the key
  std::uint64_t entry_time{0};  // when it was stored, in seconds since 1970
  std::uint64_t begin{0};       // offset of its first byte in the data file
  std::uint64_t end{0};         // offset of its last byte + 1
  std::uint64_t file{0};        // number of the data file
  std::string result{};         // stored; replaced: in place of another; duplicate: it was stored before
};
// From a STORED; invalid for any other message.
[[nodiscard]] Result<StoredBlob> stored_blob_of(Message const& message);

// A blob.
struct Blob {
  std::string hash{};           // what is made of its key
  std::string result{};         // found; or absent, then what follows is 0
  std::uint64_t entry_time{0};  // when it was stored, in seconds since 1970
  std::uint64_t begin{0};       // offset of its first byte in the data file
  std::uint64_t end{0};         // offset of its last byte + 1
  std::uint64_t length{0};      // its bytes
  std::uint64_t file{0};        // number of the data file
  std::string content_hash{};   // the low half of XXH3-128 of its bytes, 16 hex digits
  std::string data{};           // the bytes that are wanted
};
// From a BLOB; invalid for any other message.
[[nodiscard]] Result<Blob> blob_of(Message const& message);

// The state of the maintenance.
struct Maintaining {
  std::string result{};  // begun, running, cancelled; idle: there was none to be cancelled
  std::string mode{};    // of this maintenance, or of the last one: modern, online, offline
  // of one that is running: judging, what is left out; copying, what is kept; quiet: readers by name are refused until
  // the exchange. Else as the result
  std::string phase{};
  std::uint64_t file{0};   // number of the new data file; 0: there is none
  std::uint64_t total{0};  // blobs when it began
  std::uint64_t done{0};   // blobs that are in the new data file
};
// From a MAINTAINING; invalid for any other message.
[[nodiscard]] Result<Maintaining> maintaining_of(Message const& message);

struct StoreOptions {
  std::string hash{};          // in place of the key, what is made of it: 24 hex digits
  std::string content_hash{};  // XXH3-128 of the bytes, 32 hex digits: other bytes are refused
  // the writer's name for this start of it; with sequence: a resent command is done once (at most 128 bytes)
  std::string client{};
  std::optional<std::uint64_t> sequence{};  // the number of this command by this client
};

struct BlobPart {
  std::optional<std::uint64_t> offset{};  // of the bytes that are wanted, within the blob (0 if absent)
  std::optional<std::uint64_t> length{};  // so many bytes at most; up to the end if absent
  std::string hash{};                     // in place of the key, what is made of it: 24 hex digits
};

struct MaintainOptions {
  // blobs stored longer ago are left out; 0: none (0 to 281474976710655; expire-age if absent)
  std::optional<DurationMs> age{};
  // the oldest blobs beyond so many bytes are left out; 0: none (0 to 9223372036854775807; expire-size if absent)
  std::optional<std::uint64_t> size{};
  // blobs not read for so long are left out; 0: none (0 to 281474976710655; expire-unreferenced if absent)
  std::optional<DurationMs> unreferenced{};
  bool cancel{false};  // the maintenance that runs is given up
};

// The calls of blob_table.h that are one command each.
class BlobTable {
 public:
  // `connection` must outlive it.
  BlobTable(Connection& connection, std::string table) : connection_(connection), table_(std::move(table)) {}

  // Stores a blob under a key, in place of the one that is there. Numbered (Connection::number): a put whose answer was
  // lost is sent again, and counts once.
  [[nodiscard]] Result<StoredBlob> put(std::string_view key, std::string_view data, StoreOptions const& options = {});
  // Shows a blob, with its bytes or a part of them; nothing where there is none.
  [[nodiscard]] Result<std::optional<Blob>> get(std::string_view key, BlobPart const& options = {});
  // Blobs in the order of their hashes.
  [[nodiscard]] Result<std::vector<Blob>> list();
  // The next maintenance leaves this blob out, unless it is stored again before. Returns omitted; absent: there is no
  // such blob.
  [[nodiscard]] Result<std::string> omit(std::string_view key, std::string_view hash = {});
  // Begins a maintenance: blobs that are kept are copied into a new data file, which takes the place of the old one. Or
  // shows, or ends, the one that runs.
  [[nodiscard]] Result<Maintaining> maintain(MaintainOptions const& options = {});

  // For pipelining and transactions: what these calls send. Texts are borrowed.
  [[nodiscard]] Message put_of(std::string_view key, std::string_view data, StoreOptions const& options = {}) const;
  [[nodiscard]] Message omit_of(std::string_view key, std::string_view hash = {}) const;

 protected:
  Connection& connection_;
  std::string table_;
};

}  // namespace fastjournal::client
