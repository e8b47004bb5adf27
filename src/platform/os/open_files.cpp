#include "platform/os/open_files.h"

#include <sys/resource.h>

namespace fastjournal::os {

void allow_most_open_files() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &files));
}

}  // namespace fastjournal::os
