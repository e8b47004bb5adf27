// What was installed with the program that runs, found from where it stands: an installation may be anywhere
// (cmake/folders.cmake). A program of a build finds what that build made. No folder is compiled in: one build serves
// every prefix, a DESTDIR and a folder that was moved.
#pragma once

#include <string>
#include <vector>

namespace fastjournal::os {

// Of table types.
[[nodiscard]] std::string installed_plugins();
// The daemon's file, if nobody names another; it need not be there.
[[nodiscard]] std::string default_configuration();
// Where a daemon that was installed, or built, with this program has its administrator's socket; the likeliest first.
[[nodiscard]] std::vector<std::string> administrator_sockets();
// A folder with fastjournal.xml and tables.d; empty: there is none.
[[nodiscard]] std::string installed_examples();

}  // namespace fastjournal::os
