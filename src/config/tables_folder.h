// All tables of conf/tables.d/: every *.xml, sorted by name; other files are ignored. The problems of all files are
// reported at once.
//
// The folder is looked at while the daemon serves, and may hold thousands of files. One is read again only if it, or a
// file that it names, is another by now: by device, inode, size and times.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/table_reader.h"
#include "fastjournal/declaration.h"
#include "fastjournal/status.h"

namespace fastjournal::config {

// All are looked at, at a start and at each reload.
inline constexpr std::size_t kTableFilesMax = 20'000;

// Of a file; another one as soon as its content is.
struct FileStamp {
  std::uint64_t device{0};
  std::uint64_t inode{0};
  std::uint64_t bytes{0};
  std::int64_t modified_ns{0};
  std::int64_t changed_ns{0};
  [[nodiscard]] bool operator==(FileStamp const&) const = default;
};

struct KnownTable {
  std::shared_ptr<TableDeclaration const> table;  // the same one as long as its files are the same
  std::vector<ListenDeclaration> listen;
};

class KnownTables {
 public:
  // None: it cannot be told, or was changed so recently that a change of this moment might not be seen by it.
  using StampOf = std::function<std::optional<FileStamp>(std::string const& path)>;

  explicit KnownTables(StampOf stamp_of) : stamp_of_(std::move(stamp_of)) {}

  // bad_configuration: the problems of the first bad files, each as a line "FILE:LINE: what". A folder without tables is
  // valid. `types` and `daemon` are the same at each call.
  [[nodiscard]] Result<std::vector<KnownTable>> read(std::filesystem::path const& folder, TypesByName const& types,
                                                     DaemonDeclaration const* daemon);
  [[nodiscard]] std::uint64_t files_read() const { return files_read_; }

 private:
  struct Known {
    std::vector<std::pair<std::string, FileStamp>> files;  // its own first
    KnownTable table;
  };

  [[nodiscard]] Result<KnownTable> read_one(std::filesystem::path const& path, TypesByName const& types,
                                            DaemonDeclaration const* daemon);
  [[nodiscard]] bool is_as_before(Known const& known) const;

  StampOf stamp_of_;
  std::map<std::string, Known, std::less<>> known_;  // by path
  std::uint64_t files_read_{0};
};

}  // namespace fastjournal::config
