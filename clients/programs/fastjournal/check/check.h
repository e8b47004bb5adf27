// Checks configuration files without a daemon: reports the same mistakes as its loader and the plugins. For
// `fastjournal check` and other programs that work on such files. A folder of its own, because no other client uses the
// daemon's readers and loads its plugins.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fastjournal::check {

struct Problem {
  std::string file;
  int line{0};  // 0: the whole file
  std::string text;
};

// Of the daemon's listeners with TLS.
struct Certificate {
  std::string file;
  std::int64_t valid_until_s{0};  // when the first one of its chain, or of the CAs of clients, ends; since 1970
};

// Who may open the files of a table, where it says so.
struct FileAccess {
  std::string table;
  std::uint32_t mode{0};
  std::optional<std::uint32_t> group;
};

struct Report {
  std::vector<std::string> files;  // the files read
  std::vector<Problem> problems;   // in the order of the files
  std::vector<Problem> notes;      // parts that could not be checked, and warnings; not mistakes
  std::vector<Certificate> certificates;
  std::vector<FileAccess> accesses;
};

// Files of tables, of the daemon (root <fastjournal>), of table types (root <table-type>), of users (root <access>) and of
// plans (root <plan>), distinguished by their root element; for a folder every *.xml. No path: the daemon's default file.
//
// A daemon's file adds everything that the daemon would load: its folder of plugins, its tables folder, its users and
// certificates. All tables
// of a call are checked against its logs and against each other. Tables without a daemon's file are checked against the
// daemon that loads their folder, if its file is next to that folder.
//
// `plugins`: the folder of the table types, used only if there is a table; empty: that of the daemon's file, or else of
// this installation.
[[nodiscard]] Report check_files(std::vector<std::string> const& paths, std::string const& plugins);

}  // namespace fastjournal::check
