// A blob table, as a program on the daemon's computer uses it: the daemon says where a blob is, and its bytes are read
// from the data file. From other computers, and where the file must not be read, the daemon sends them.
//
//   auto opened = Blobs::open({.read = "unix:/run/fastjournal/pages-read", .write = "unix:/run/fastjournal/pages-write",
//                              .data_file = "/var/lib/fastjournal/bytes/pages/bcdb_data"});
//   if (!opened.ok()) return complain(opened.status());
//   Blobs& pages = *opened.value();
//   auto const key = bcdb::make_key("http://example.com/");
//   if (auto put = pages.put(key, html); !put.ok()) complain(put.status());
//   Result<std::optional<std::string>> bytes = pages.get(key);
//   if (bytes.ok() && bytes->has_value()) use(**bytes);
//
// It belongs to one thread at a time. Connections are made when they are needed, and once more when one was lost; that the
// daemon ended one means that the data file may be another one by now, and it is opened again. Each call ends within the
// time limit, twice that where it had to begin again; unavailable: not now, as during a maintenance with down time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "clients/cpp/blob_file.h"
#include "clients/cpp/client.h"
#include "wire/bcdb/key.h"

namespace fastjournal::client {

// How bytes are got.
enum class BlobBytes : std::uint8_t {
  file,        // from BlobOptions::data_file
  descriptor,  // from a descriptor that the daemon passes: needs no path (version 2, unix sockets)
  relay,       // the daemon sends them (version 2)
};

struct BlobOptions {
  // Ports, each as Options::server. In version 2 one may do both, if its rights are read and add.
  std::string read{};
  std::string write{};
  // The port for find_once, the path of a unix socket; and where answers are sent: a path, or empty: the system draws an
  // address.
  std::string datagrams{};
  std::string own_path{};
  // The link bcdb_data in the table's folder; with ".new" behind it, the newer file of a table with two.
  std::string data_file{};
  std::string ca_file{};  // as in Options
  std::string certificate_file{};
  std::string key_file{};
  std::uint32_t version{2};  // 1: the packets of the first clients, without results and errors
  bool two_files{false};     // of version 1: maintenance="online"
  BlobBytes bytes{BlobBytes::file};
  Milliseconds time_limit{30'000};
  // Where a blob is may be used for so long, and is then asked for again: the daemon's promise.
  Milliseconds place_limit{60'000};
  std::uint64_t blob_bytes_max{1ULL << 30U};
};

class Blobs {
 public:
  // bad_parameter: options that contradict. Nothing is connected.
  [[nodiscard]] static Result<std::unique_ptr<Blobs>> open(BlobOptions options);
  Blobs(Blobs const&) = delete;
  Blobs& operator=(Blobs const&) = delete;
  ~Blobs();

  // Stored, durable, and seen by whoever asks; a blob of this key is replaced. With version 1 it was sent, and the place
  // has only the key: look for it. Sent again once if the connection was lost, as that changes nothing.
  [[nodiscard]] Result<BlobPlace> put(bcdb::Key const& key, std::string_view bytes);
  // Many over one connection (version 2): results come in the order of the puts. over_limit: 4096 have no result. closed,
  // timed_out: there is no result of this one, nor of those behind it, and they may be put again.
  [[nodiscard]] Status send_put(bcdb::Key const& key, std::string_view bytes);
  [[nodiscard]] Result<BlobPlace> receive_put();

  // Nothing: there is no such blob.
  [[nodiscard]] Result<std::optional<BlobPlace>> find(bcdb::Key const& key);
  // Many over one connection, as with puts.
  [[nodiscard]] Status send_find(bcdb::Key const& key);
  [[nodiscard]] Result<std::optional<BlobPlace>> receive_find();
  // By a datagram: for a process that asks for one blob.
  [[nodiscard]] Result<std::optional<BlobPlace>> find_once(bcdb::Key const& key);

  // find and read.
  [[nodiscard]] Result<std::optional<std::string>> get(bcdb::Key const& key);
  // The bytes at a place; one that is too old, or of a file that is gone, is asked for again, so that they may be newer
  // ones, or nothing.
  [[nodiscard]] Result<std::optional<std::string>> read(BlobPlace const& place);
  // The same without a copy (not by relay).
  [[nodiscard]] Result<std::optional<BlobView>> view(BlobPlace const& place);
  // A part of a blob by relay: from `offset` up to `length` bytes.
  [[nodiscard]] Result<std::optional<std::string>> fetch(bcdb::Key const& key, std::uint64_t offset = 0,
                                                         std::uint64_t length = UINT64_MAX);
  // The current data file by its descriptor (version 2, unix sockets), for a reader of one's own.
  [[nodiscard]] Result<BlobFile> attach();

  // Times that a port for reading was connected to.
  [[nodiscard]] std::uint64_t connects() const;

 private:
  class Body;
  explicit Blobs(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace fastjournal::client
