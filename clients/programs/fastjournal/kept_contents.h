// Contents of documents in a blob table, so that a version that its source does not have any more is still delivered
// (`pipeline run --keep`).
#pragma once

#include <filesystem>
#include <string>

#include "clients/cpp/client.h"
#include "clients/programs/fastjournal/blob_reader.h"
#include "fastjournal/status.h"

namespace fastjournal::cli {

// Which content: it is stored under "SOURCE/URI#HASH".
struct ContentName {
  std::string source;
  std::string uri;
  std::string hash;
};

class KeptContents {
 public:
  // `connection` must outlive it.
  KeptContents(client::Connection& connection, std::string table);

  // The bytes of this file, whose hash was compared. Ok: they are on the disk.
  [[nodiscard]] Status keep(ContentName const& name, std::string const& path);
  // Into this file. False: they were not kept, or are not there any more.
  [[nodiscard]] Result<bool> bring(ContentName const& name, std::filesystem::path const& to);
  // They are not needed any more.
  [[nodiscard]] Status drop(ContentName const& name);

 private:
  client::Connection& connection_;
  std::string table_;
  BlobReader reader_;
};

}  // namespace fastjournal::cli
