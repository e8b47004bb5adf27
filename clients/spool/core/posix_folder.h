// A spool folder on the disk, for the forwarder that has it: files of rows, of which some hundreds at most are open at a
// time, and beside them what the forwarder keeps.
//
//   FOLDER/forwarder/lock          held as long as a forwarder runs; its process id, for people
//   FOLDER/forwarder/progress      a line for each change (progress_file.h)
//   FOLDER/forwarder/held/T.rows   rows of table T that no daemon takes now
//   FOLDER/forwarder/aside/T.rows  rows of table T that no daemon will take; under its lock only (folder_tools.h)
#pragma once

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clients/spool/core/aside_files.h"
#include "clients/spool/core/forwarding.h"
#include "clients/spool/core/progress_file.h"
#include "clients/spool/core/syncs.h"
#include "platform/files/folder.h"

namespace fastjournal::spool {

class PosixFolder final : public Folder {
 public:
  // in_use: another forwarder has the folder. io_error: with path and reason; the folder must be there. not_allowed: what
  // has the names of the forwarder's folders belongs to somebody else. The folder may be writable for all producers.
  // `with_lines`: the files of a list system too.
  [[nodiscard]] static Result<std::unique_ptr<PosixFolder>> open(std::string folder, bool with_lines = false);
  ~PosixFolder() override;
  PosixFolder(PosixFolder const&) = delete;
  PosixFolder& operator=(PosixFolder const&) = delete;

  // What it finds that is no file of rows is left alone. A file that cannot be opened is skipped.
  [[nodiscard]] Result<std::vector<Listed>> list() override;
  [[nodiscard]] Status read(Instance const& file, std::uint64_t offset, std::size_t bytes, std::string& to) override;
  [[nodiscard]] Status sync(Instance const& file) override;
  // Without effect for a file of somebody else that may only be read: it is freed when it is removed.
  [[nodiscard]] Status erase(Instance const& file, std::uint64_t from, std::uint64_t to) override;
  [[nodiscard]] Status end(Instance const& file) override;
  [[nodiscard]] Result<bool> is_left(Instance const& file) override;
  [[nodiscard]] Status remove(Instance const& file) override;
  [[nodiscard]] Status put_apart(Instance const& file) override;

  [[nodiscard]] Result<std::vector<Progress>> kept() override;
  [[nodiscard]] Status keep(std::vector<Progress> const& progress) override;

  [[nodiscard]] Result<std::vector<std::string>> held_tables() override;
  [[nodiscard]] Result<Seed> held_seed(std::string const& table) override;
  [[nodiscard]] Status read_held(std::string const& table, std::uint64_t offset, std::size_t bytes,
                                 std::string& to) override;
  [[nodiscard]] Status hold(std::string const& table, std::string_view records) override;
  [[nodiscard]] Status erase_held(std::string const& table, std::uint64_t to) override;
  [[nodiscard]] Status remove_held(std::string const& table) override;
  // in_use: somebody is resending or purging the rows of this table.
  [[nodiscard]] Status set_aside(std::string_view table, Aside const& aside) override;
  // Reads all rows that are held or were set aside.
  [[nodiscard]] Result<Identities> settled_before() override;

  // The folder of what the forwarder keeps, and that of ended files.
  [[nodiscard]] files::Folder const& own() const { return folders_.own; }
  [[nodiscard]] files::Folder const& closing() const { return folders_.closing; }
  [[nodiscard]] files::Folder const& spool() const { return folders_.spool; }
  // The files that were skipped by the last list(): with the reason and what to do. Their progress is kept.
  [[nodiscard]] std::vector<Status> skipped() const;
  // Files that are there, and are shorter than what was read of them, as long as they are there.
  [[nodiscard]] std::vector<Status> doubtful() const;

 private:
  struct File;
  struct Skipped {
    std::uint64_t inode;
    Status why;
  };
  // Of one spool, opened once: whatever becomes of its name, or of a name in it, it is these.
  struct Folders {
    files::Folder spool;
    files::Folder closing;
    files::Folder own;
    files::Folder held;
    files::Folder aside;
  };
  PosixFolder(Folders folders, bool with_lines);
  [[nodiscard]] Status lock();
  [[nodiscard]] Status list_in(files::Folder const& folder, bool is_ended, std::vector<Listed>& out);
  [[nodiscard]] std::string held_path(std::string const& table) const;
  [[nodiscard]] int open_held(std::string const& table, int flags) const;
  [[nodiscard]] Status look_at_held(std::string const& table, Identities const& aside, Identities& held);
  [[nodiscard]] Result<File*> opened(Instance const& instance);
  [[nodiscard]] int open_with_room(File& file);
  void close(File& file);
  void forget(Instance const& instance);
  // What remains of one that is gone.
  [[nodiscard]] Status forgotten(Instance const& file);
  [[nodiscard]] std::optional<Instance> instance_of(Instance const& found, files::Folder const& folder,
                                                    std::string const& name, Place const& place, std::uint64_t size);
  [[nodiscard]] bool is_same(Instance const& instance, File& file, std::uint64_t size);
  [[nodiscard]] Result<int> open_new(File& file);
  [[nodiscard]] Instance kept_of(File& file, std::uint64_t size, Instance free);
  [[nodiscard]] bool is_skipped(std::uint64_t inode) const;

  Folders const folders_;
  bool const with_lines_;
  Syncs syncs_;
  AsideFiles aside_;
  ProgressFile progress_;
  files::Descriptor lock_{};
  std::map<Instance, std::unique_ptr<File>> files_;
  std::map<Instance, Instance> known_;  // of these: by what the system tells
  std::list<Instance> in_use_;          // those that are open and not locked; the last one was not used for longest
  std::size_t locked_{0};
  std::vector<Skipped> skipped_;  // by the last list()
  std::map<std::int64_t, std::uint32_t>
      free_numbers_;  // by periods: closing files have those below it, as far as is known
};

}  // namespace fastjournal::spool
