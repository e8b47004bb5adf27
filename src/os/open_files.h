// How many files and connections this process may have open. What we do bounds
// that by limits of its own, not by what a shell happens to allow.
#pragma once

namespace fastjournal::os {

// As many as the system lets an ordinary user have.
void allow_most_open_files();

}  // namespace fastjournal::os
