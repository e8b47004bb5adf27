// Finds what was installed with the running program, relative to the program's own path: an installation may be
// anywhere (cmake/folders.cmake). A program of a build folder finds the files of that build. No folder is compiled in,
// so one build works with every prefix, with a DESTDIR and after a folder was moved.
#pragma once

#include <string>
#include <vector>

namespace fastjournal::os {

// The program fastjournald; empty if there is none.
[[nodiscard]] std::string installed_daemon();
// The folder of table types.
[[nodiscard]] std::string installed_plugins();
// The default configuration file of the daemon; it need not exist.
[[nodiscard]] std::string default_configuration();
// Paths of the administrator's socket of a daemon installed or built with this program; the most likely first.
[[nodiscard]] std::vector<std::string> administrator_sockets();
// Where the installed service keeps which data folders it has used, whatever its prefix; empty: this is a build.
[[nodiscard]] std::string installed_state();
// A folder with fastjournal.xml and tables.d; empty if there is none.
[[nodiscard]] std::string installed_examples();
// Of this computer; empty if it has none.
[[nodiscard]] std::string host_name();

}  // namespace fastjournal::os
