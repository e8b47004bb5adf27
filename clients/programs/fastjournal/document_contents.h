// Where the content of a document is: the file of its source; and of a source that keeps versions, the copy in a blob
// table, as the file may have another version by now.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "clients/cpp/documents.h"
#include "clients/cpp/folder_scanner.h"
#include "clients/programs/fastjournal/blob_reader.h"
#include "model/plan/plan.h"

namespace fastjournal::cli {

[[nodiscard]] client::ContentHash hash_of(plan::Step const& source);

// Which content: it is stored under "SOURCE/URI#HASH".
struct ContentName {
  std::string source;
  std::string uri;
  std::string hash;
};

// In a blob table, so that a version that its source does not have any more is still delivered (`pipeline run --keep`).
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

class DocumentContents {
 public:
  struct Found {
    std::string path{};  // empty of one that is gone from its source
    // Of a document that cannot be brought, or taken away: the class of its failure, and why.
    std::string failure{};
    std::string why{};
  };

  // `folders`: by source. `table`: of blobs; empty: nothing is kept. `work`: a folder for copies. All outlive it.
  DocumentContents(plan::Plan const& plan, std::map<std::string, std::string> const& folders,
                   client::Connection& connection, client::Documents& documents, std::string const& table,
                   std::filesystem::path work);

  // What is wrong with --keep. Empty: nothing.
  [[nodiscard]] std::string check() const;
  // A source that keeps versions, whose contents are not kept. Empty: there is none.
  [[nodiscard]] std::string unkept() const;
  enum class Kept : std::uint8_t {
    yes,       // or it need not be
    changing,  // the file changes while it is read: it is to be found another time
    too_large,
  };
  // Before FOUND: if the table does not know this version, its content is kept.
  [[nodiscard]] Result<Kept> keep(std::string const& source, client::ScannedFile const& file);
  // Not ok: the daemon cannot be asked, or this computer's disk cannot be written.
  [[nodiscard]] Result<Found> find(client::Document const& document);
  // Something of it has arrived. Once the newest version has arrived everywhere, contents are not kept any more: before
  // that, another version may have the content of this one.
  [[nodiscard]] Status look_at_end(client::Document const& document);

 private:
  [[nodiscard]] plan::Step const& source(std::string const& name) const;
  [[nodiscard]] bool keeps(std::string const& name) const { return source(name).keeps_versions; }
  [[nodiscard]] Result<Found> find_version(client::Document const& document, std::string const& path);
  // Empty: there is no such file. The copy cannot change while it is used.
  [[nodiscard]] Result<std::string> copy_and_hash(std::string const& source, std::string const& path,
                                                  std::filesystem::path const& copy) const;

  plan::Plan const& plan_;
  std::map<std::string, std::string> const& folders_;
  client::Connection& connection_;
  client::Documents& documents_;
  std::string table_;
  std::optional<KeptContents> kept_;
  std::filesystem::path work_;
  // Of earlier versions that have arrived: hashes by source and URI. What is not in it when the newest one arrives
  // stays until the blob table expires it.
  std::map<std::pair<std::string, std::string>, std::set<std::string>> arrived_;
};

}  // namespace fastjournal::cli
