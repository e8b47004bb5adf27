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
  std::vector<Problem> notes;      // what could not be looked at; no mistake
};

// Files of tables, of the daemon (root <fastjournal>) and of table types (root <table-type>), told by their root
// element; of a folder every *.xml. None: the file that a daemon reads if it is given none.
//
// With a daemon's file comes what that daemon would load: its folder of plugins and its tables folder. All tables of
// a call are held against its logs and against each other. Tables without a daemon's file are held against the one
// that loads their folder, if it stands beside that folder.
//
// `plugins`: the folder of the table types, only looked at if there is a table; empty: as the daemon's file says,
// else where they were installed.
[[nodiscard]] Report check_files(std::vector<std::string> const& paths, std::string const& plugins);

}  // namespace fastjournal::check
