// Wake-ups of the forwarder beside its daemons: signals, changes of the folder (inotify), and datagrams to
// FOLDER/forwarder/socket, whatever they say (PING). Where inotify does not work, as on some network file systems, the
// folder is looked at once a second.
#pragma once

#include <poll.h>

#include <memory>
#include <vector>

#include "fastjournal/status.h"
#include "platform/files/folder.h"

namespace fastjournal::forwarder {

class Wakes {
 public:
  // io_error with the path: the socket cannot be made. Signals are blocked for this thread and those that it starts.
  // `own`, the folder of the socket, must outlive it; `watched` are those whose changes wake.
  [[nodiscard]] static Result<std::unique_ptr<Wakes>> open(files::Folder const& own,
                                                           std::vector<files::Folder const*> const& watched);
  ~Wakes();
  Wakes(Wakes const&) = delete;
  Wakes& operator=(Wakes const&) = delete;

  // Why the folder's changes are not told; ok if they are.
  [[nodiscard]] Status const& without_changes() const { return without_changes_; }

  // `with_changes` false: it does not matter now whether rows are added.
  void add_polled(std::vector<pollfd>& to, bool with_changes) const;
  // The next signal that has come, or 0.
  [[nodiscard]] int next_signal();
  // A PING has come since the last call.
  [[nodiscard]] bool take_pings();
  // True: there were some, or it is unknown.
  [[nodiscard]] bool take_changes();

 private:
  explicit Wakes(files::Folder const& own) : own_(own) {}
  [[nodiscard]] Status open_socket();
  void watch(files::Folder const& folder);

  files::Folder const& own_;
  int signals_{-1};
  int changes_{-1};
  int socket_{-1};
  bool has_socket_{false};  // of this name
  Status without_changes_;
};

}  // namespace fastjournal::forwarder
