// The bytes of blobs for the command line: from the data file where this computer has it and it may be read, otherwise
// brought by the daemon, in pieces. What was read is compared with the content hash, so that neither another file nor
// damage passes for a blob.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "clients/cpp/blob_file.h"
#include "clients/cpp/client.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::cli {

// How a blob is named in a command.
struct BlobKey {
  std::string text;
  bool is_hash{false};  // 24 hex digits

  void set_in(Message& message) const;
};

struct BlobEntry {
  std::string hash;
  std::uint64_t begin{0};
  std::uint64_t end{0};
  std::uint32_t file{0};
  std::optional<std::uint64_t> content_hash{};
  std::string path{};  // of the data file; empty: not told

  [[nodiscard]] std::uint64_t size() const { return end - begin; }
  [[nodiscard]] bool is_same_place(BlobEntry const& other) const {
    return file == other.file && begin == other.begin && end == other.end;
  }
  // Of a message BLOB.
  [[nodiscard]] static BlobEntry of(Message const& blob);
};

class BlobReader {
 public:
  using Take = std::function<Status(std::string_view)>;

  // `connection` must outlive it.
  BlobReader(client::Connection& connection, std::string table);

  // The BLOB of a GET; of an absent one as well.
  [[nodiscard]] Result<Message> ask(BlobKey const& key) const;
  // The whole blob in the data file, if it is there and is what was stored. A path is asked for once a file.
  [[nodiscard]] std::optional<client::BlobView> read_here(BlobEntry const& entry);
  // The daemon sends it. not_found: the blob is gone, or another one was stored meanwhile, which begins it anew.
  // damaged: it is not what was stored.
  [[nodiscard]] Status bring(BlobKey const& key, BlobEntry const& entry, std::uint64_t offset, std::uint64_t length,
                             Take const& take) const;

 private:
  [[nodiscard]] client::BlobFile const* file_of(BlobEntry const& entry);

  client::Connection& connection_;
  std::string table_;
  bool is_here_;
  std::map<std::uint32_t, std::optional<client::BlobFile>> files_;  // nothing: it cannot be read here
};

// Whether the daemon runs on this computer, as far as its address tells.
[[nodiscard]] bool is_here(std::string_view server);

}  // namespace fastjournal::cli
