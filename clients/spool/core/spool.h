// The local journal of a producer: rows are appended to a file of a folder on this computer, and the producer goes on.
// The forwarder brings them to the daemon, whenever there is one, and each row counts once.
//
//   Result<std::unique_ptr<Spool>> opened = Spool::open({.folder = "/var/spool/fastjournal/site"});
//   if (!opened.ok()) return complain(opened.status());
//   Spool& spool = *opened.value();
//   Message row = Spool::row_of("pages");
//   row.set("uri", std::string_view{"http://example.com/"});
//   row.set_integer("priority", 20);
//   if (Status saved = spool.save(row); !saved.ok()) complain(saved);
//
// A row is one append of one write. Any number of threads, processes and Spools write to one folder: none of them waits
// for another, and none of them for the forwarder. What is saved survives the end of the process. It survives a power
// cut once it is synced.
//
// While a producer has a file open it holds a shared flock on it, which its forked children share. The forwarder ends a
// file by clearing its write bits; a producer notices that behind its next write, which still counts, and goes on with
// another file. The forwarder deletes a file only once that lock is free. A Spool that saves nothing for long keeps one
// file from being deleted; its disk space is freed all the same. A child may go on with the Spool of its parent, if no
// other thread used that at the moment of the fork.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "fastjournal/declaration.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::spool {

enum class Sync : std::uint8_t {
  none,      // when the kernel, or the forwarder, does it
  interval,  // by a thread of this Spool, Options::interval after a save at the latest. Not by forked children
  each,      // before save returns
};

struct Options {
  std::string folder{};  // is made, with mode 0750, if it is not there; its parent must be
  Sync sync{Sync::none};
  std::chrono::milliseconds interval{100};
  std::chrono::seconds period{3600};                   // of one file; 1 s to 7 days
  std::size_t file_bytes_max{std::size_t{64} << 20U};  // then a file is ended early
  unsigned file_mode{0640};                            // minus the process's umask. Who may write must also read
};

class Spool {
 public:
  // bad_parameter, or io_error with path and reason. Nothing is kept open so far.
  [[nodiscard]] static Result<std::unique_ptr<Spool>> open(Options options);
  // Syncs if Options::sync says interval. A failure then is lost: call sync() to hear of it.
  ~Spool();
  Spool(Spool const&) = delete;
  Spool& operator=(Spool const&) = delete;

  // The message of a row: an INSERT without columns so far. Its parameters are those of INSERT (doc/protocol.md), but
  // client and sequence, which the forwarder sets. The name must live as long as the message.
  [[nodiscard]] static Message row_of(std::string_view table);

  // From then on rows of this table are checked as the daemon will do it (model/row_check.h), before anything is written.
  // Rows of other tables are not. A table that is declared again is replaced. Not while another thread uses the Spool.
  // bad_parameter: the type is another one than the table's.
  [[nodiscard]] Status declare(TableDeclaration const& table, TypeDeclaration const& type);

  // Appends the row. From any thread.
  //   missing_parameter, bad_parameter   no table, or client and sequence are there
  //   expired                            it expires before it is due, or has expired: it would never be handed
  //                                      out. Dates as +N count from when the daemon has it, and are left to it
  //   as the daemon's                    the table is declared, and the row does not fit: the fact `parameter` says which
  //                                      column or parameter, the sentence why
  //   too_large                          more than 16 MiB
  //   no_space                           the disk is full; nothing was saved
  //   io_error                           any other failure, with the path. With Sync::each the row may be saved, but is
  //                                      not known to be synced
  // A row without insertion_date gets that of this computer: of rows with one key, the last saved counts, in whatever
  // order they arrive.
  [[nodiscard]] Status save(Message const& row);

  // What was saved so far is on the disk when this returns ok.
  [[nodiscard]] Status sync();

  // Wakes the forwarder, which looks for new rows by itself as well: a datagram to FOLDER/forwarder/socket. Never waits.
  // unavailable: no forwarder runs. The rows wait for the next one.
  [[nodiscard]] Status ping();

 private:
  class Body;
  explicit Spool(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace fastjournal::spool
