// Checks configuration files without a daemon: what its loader and the
// plugins would say, for `fastjournal check` and whoever else works on such
// files. A folder of its own, as it is the one client that stands on the
// daemon's readers and loads its plugins.
#pragma once

#include <string>
#include <vector>

namespace fastjournal::check {

struct Problem {
  std::string file;
  int line{0};  // 0: the file as a whole
  std::string text;
};

struct Report {
  std::vector<std::string> files;  // that were read
  std::vector<Problem> problems;   // in the order of the files
};

// Files of tables, of the daemon (root <fastjournal>) and of table types (root <table-type>), told by their root
// element; of a folder every *.xml. Tables of one call are held against a daemon's file among them: its logs.
// `plugins`: the folder of the table types, only looked at if there is a table; empty: where the program that
// runs finds `installed` (os/plugin_loader.h).
[[nodiscard]] Report check_files(std::vector<std::string> const& paths, std::string const& plugins,
                                 std::string const& installed);

}  // namespace fastjournal::check
