// The limit of open files and connections of this process. Our own limits bound them, not the defaults of a shell.
#pragma once

namespace fastjournal::os {

// Raises the limit to the maximum for an ordinary user.
void allow_most_open_files();

}  // namespace fastjournal::os
