// A stream connection to a port of a blob table (wire/bcdb/packet.h): queries of version 1 and 2, puts, fetches and
// descriptors of version 2, one at a time or many in flight; and the write of version 1, a connection each.
//
// It belongs to one thread at a time, and never reconnects: that the daemon ended it means that the data file is to be
// opened again, which Blobs (blob.h) does. Everything ends within the time limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "clients/cpp/client.h"
#include "clients/cpp/socket.h"
#include "wire/bcdb/packet.h"

namespace fastjournal::client {

struct BlobStreamOptions {
  std::string server{};  // as Options::server, and the same files for "tls:"
  std::string ca_file{};
  std::string certificate_file{};
  std::string key_file{};
  std::uint32_t version{bcdb::kVersion};      // 1 or 2
  bool two_files{false};                      // of version 1: responses have flags
  Milliseconds time_limit{30'000};            // of a connection, of a send and of an answer
  std::uint64_t blob_bytes_max{1ULL << 30U};  // of a fetch
  std::size_t in_flight_max{4096};            // frames without an answer
};

struct BlobAnswer {
  bcdb::Reply reply{};
  std::string content{};  // of a fetch
  int descriptor{-1};     // of an attach; the caller's
};

class BlobStream {
 public:
  // unavailable: no answer; bad_parameter: no address; not_supported: it does not speak this version.
  [[nodiscard]] static Result<std::unique_ptr<BlobStream>> open(BlobStreamOptions options);
  // The whole write of version 1: there is no result. closed: it was refused, or its time was over.
  [[nodiscard]] static Status write_version_1(BlobStreamOptions const& options, bcdb::Key const& key,
                                              std::string_view bytes);
  BlobStream(BlobStream const&) = delete;
  BlobStream& operator=(BlobStream const&) = delete;
  ~BlobStream();

  // The number of the data file by the daemon's hello; 0: not told.
  [[nodiscard]] std::uint32_t file() const { return file_; }
  // More can be sent.
  [[nodiscard]] bool is_open() const { return socket_.is_open() && !has_failed_; }
  [[nodiscard]] std::size_t in_flight() const { return in_flight_.size(); }

  // Each is answered, in this order, by receive(). over_limit: receive() first, as it must be before anything is sent
  // behind a fetch; not_supported: not in version 1. What is small leaves with the next receive(). closed, timed_out: no
  // more can be sent; answers may be there still.
  [[nodiscard]] Status send(bcdb::Frame frame);
  // `bytes` are borrowed during the call.
  [[nodiscard]] Status send_put(bcdb::Key const& key, std::string_view bytes);
  // wrong_state: nothing was sent. closed, timed_out, invalid (it makes no sense), too_large: the connection is lost, and
  // there is no answer to this one, nor to those behind it. What the
  // daemon refuses is an answer (status_of).
  [[nodiscard]] Result<BlobAnswer> receive();

  // Ok for `ok` and `absent`.
  [[nodiscard]] static Status status_of(bcdb::Reply const& reply);

 private:
  explicit BlobStream(BlobStreamOptions options) : options_(std::move(options)) {}
  [[nodiscard]] static Result<Socket> connect(BlobStreamOptions const& options, Moment until);
  [[nodiscard]] Status greet(Moment until);
  [[nodiscard]] Status begin_frame(bcdb::Frame& frame);
  [[nodiscard]] Status send_all(std::string_view bytes);
  // Sends `out_` and then `bytes`, from which it takes what went, and receives what has come; waits for either.
  [[nodiscard]] Status exchange(std::string_view& bytes, Moment until);
  [[nodiscard]] Status send_some(std::string_view& bytes);
  [[nodiscard]] Status receive_some();
  [[nodiscard]] Result<std::size_t> receive_with_descriptors(std::span<char> into);
  [[nodiscard]] std::string_view unread() const { return std::string_view{in_}.substr(read_); }
  void drop(std::size_t bytes);
  [[nodiscard]] bcdb::Cut cut(bcdb::Reply& reply) const;
  [[nodiscard]] Status lost(Status why);
  [[nodiscard]] Status wait_for_bytes(std::size_t bytes, Moment until);

  BlobStreamOptions options_;
  Socket socket_;
  bool has_failed_{false};  // a frame was sent in part: no other can follow it
  bool may_pass_{false};    // descriptors can come: a unix socket without TLS
  std::uint32_t file_{0};
  std::uint32_t last_echo_{0};
  std::deque<bcdb::Frame> in_flight_;
  std::deque<int> passed_;  // descriptors that no answer was asked for
  std::string out_;
  std::string in_;
  std::size_t read_{0};  // of `in_`: answers that were received
};

}  // namespace fastjournal::client
