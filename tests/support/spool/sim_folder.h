// A spool folder on a disk in memory: what the forwarder needs of it (spool::Folder), what producers do to it, and what
// goes wrong with both. The faults:
//
//   power cut        cut_power(): of what no sync covered each sector keeps its new or its old content, a file is as long
//                    as before, as after or in between, a new name may be lost with its file, and an end, a cleared
//                    write bit or a removal may not have happened. A sync of a file covers its name, as in ext4, XFS
//                    and Btrfs. Of rows that are held, or set aside, what a failed call wrote is not covered.
//   kill             stop_after(n): so many calls of the forwarder are carried out, the next one perhaps in part, and
//                    none after it, until begin_again().
//   failing calls    fail_one_in: a call of the forwarder fails; it may have had its effect, or a part of it.
//   full disk        fill(): appends leave a part of their bytes, or none, and fail; nothing is kept.
//   damage           flip().
//   slow writes      while a producer has a file, only a part of its last append may be seen so far.
//
// Inodes come again; births do not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clients/spool/core/forwarding.h"
#include "fastjournal/message.h"

namespace fastjournal::sim {

class SimFolder final : public spool::Folder {
 public:
  using Instance = spool::Instance;
  struct File {
    spool::Place place{};
    std::string bytes{};
    std::string durable{};
    bool is_dirty{false};  // the two differ
    bool is_name_durable{false};
    bool is_ended{false};    // among the closing ones
    bool is_writable{true};  // its write bit
    bool is_end_durable{true};
    bool is_removed{false};  // a power cut may bring it back
    std::size_t last_append{0};
    std::uint32_t holders{0};  // producers with a shared lock
    bool is_locked{false};     // by the forwarder, alone
    bool is_hidden{false};     // the forwarder may not read it
  };
  // A row that was set aside.
  struct Refused {
    std::string file;  // the table, or spool::kOtherTable
    std::string code;
    std::string reason;
    std::string id;         // its column of this name
    bool is_wrapped_twice;  // what was set aside is no row, but one that was set aside before
    bool has_identity;      // of the forwarder
  };

  explicit SimFolder(std::uint64_t seed) : chance_(seed) {}

  // -- producers ----------------------------------------------------------------
  // The head of a new file.
  [[nodiscard]] std::string draw_head() { return spool::head_of_file(draw_seed()); }
  // The file of this name among those that are not ended, made if it is not there. Nothing: it has no write bit.
  [[nodiscard]] std::optional<Instance> open(spool::Place const& place);
  // False: the forwarder has it alone.
  [[nodiscard]] bool lock(Instance const& file);
  void unlock(Instance const& file);
  // One write at the end. On a full disk it fails, and a part may be there; a producer that is killed meanwhile leaves
  // at most `most` bytes.
  [[nodiscard]] Status append(Instance const& file, std::string_view bytes, std::size_t most = SIZE_MAX);
  void sync_file(Instance const& file);

  // -- faults -------------------------------------------------------------------
  // Called before each call of the forwarder: others act then.
  std::function<void()> before_call;
  std::uint64_t fail_one_in{0};
  void stop_after(std::uint64_t calls) { calls_left_ = calls; }
  [[nodiscard]] bool is_stopped() const { return calls_left_ == 0; }
  // Another forwarder begins. The locks of the one before are gone.
  void begin_again();
  // Of this computer: no producer has a file any more.
  void cut_power();
  // Of the last append to a file that a producer has, the last bytes cannot be seen so far.
  std::size_t unseen_bytes{0};
  bool slow_writes{false};  // from time to time some of them cannot
  bool fail_reads{false};
  // What the forwarder appends is there, and the call fails.
  bool fail_behind_appends{false};
  // The forwarder may not read it, or may again. Producers go on. No-op for rows that were set aside: they are its own.
  void hide(Instance const& file, bool is_hidden);
  void fill(bool full) { is_full_ = full; }
  [[nodiscard]] bool is_full() const { return is_full_; }
  // An operator moves the rows that were set aside among the closing files: all of one table.
  void resend(std::int64_t now_s);
  void flip(Instance const& file, std::size_t offset, std::uint8_t bits);

  // -- looking ------------------------------------------------------------------
  // Without those that are removed.
  [[nodiscard]] std::size_t count() const;
  // Of its head, as it is now.
  [[nodiscard]] std::optional<spool::Seed> seed_of(Instance const& file) const;
  // The offset that is kept.
  [[nodiscard]] std::uint64_t settled_to(Instance const& file) const;
  // nullptr: it is not there.
  [[nodiscard]] File const* find(Instance const& file) const;
  [[nodiscard]] std::map<Instance, File> const& files() const { return files_; }
  [[nodiscard]] std::map<std::string, std::string> const& held() const { return held_; }
  // In the files of rows that were set aside.
  [[nodiscard]] std::vector<Refused> aside() const;
  // So far.
  [[nodiscard]] std::uint64_t holds() const { return holds_; }                // calls of hold
  [[nodiscard]] std::size_t asked_bytes_max() const { return asked_bytes_; }  // by one call of read
  // What no forwarder may do. Empty: it did not happen.
  [[nodiscard]] std::uint64_t files_put_apart() const { return put_apart_; }
  [[nodiscard]] std::string const& wrong() const { return wrong_; }

  // -- spool::Folder ------------------------------------------------------------
  [[nodiscard]] Result<std::vector<spool::Listed>> list() override;
  [[nodiscard]] Status read(Instance const& file, std::uint64_t offset, std::size_t bytes, std::string& to) override;
  [[nodiscard]] Status sync(Instance const& file) override;
  [[nodiscard]] Status erase(Instance const& file, std::uint64_t from, std::uint64_t to) override;
  [[nodiscard]] Status end(Instance const& file) override;
  [[nodiscard]] Result<bool> is_left(Instance const& file) override;
  [[nodiscard]] Status remove(Instance const& file) override;
  [[nodiscard]] Status put_apart(Instance const& file) override;
  [[nodiscard]] Result<std::vector<spool::Progress>> kept() override;
  [[nodiscard]] Status keep(std::vector<spool::Progress> const& progress) override;
  [[nodiscard]] Result<std::vector<std::string>> held_tables() override;
  [[nodiscard]] Result<spool::Seed> held_seed(std::string const& table) override;
  [[nodiscard]] Status read_held(std::string const& table, std::uint64_t offset, std::size_t bytes,
                                 std::string& to) override;
  [[nodiscard]] Status hold(std::string const& table, std::string_view records) override;
  [[nodiscard]] Status erase_held(std::string const& table, std::uint64_t to) override;
  [[nodiscard]] Status remove_held(std::string const& table) override;
  [[nodiscard]] Status set_aside(std::string_view table, spool::Aside const& aside) override;
  [[nodiscard]] Result<spool::Identities> settled_before() override;

 private:
  // What becomes of a call.
  enum class Fate : std::uint8_t { done, not_done, in_part };
  [[nodiscard]] Fate enter(bool needs_space = false);
  [[nodiscard]] bool happened(Fate fate) const;
  [[nodiscard]] Status failure() const;
  [[nodiscard]] File& at(Instance const& file);
  [[nodiscard]] bool one_in(std::uint64_t n) { return chance_() % n == 0; }
  [[nodiscard]] std::string torn(std::string const& before, std::string const& after);
  void tear(std::map<std::string, std::string>& files, std::map<std::string, std::string>& durable);
  [[nodiscard]] std::string_view part_of(std::string_view bytes);
  [[nodiscard]] spool::Seed draw_seed() { return spool::Seed{chance_()}; }
  void note_wrong(std::string text);

  std::mt19937_64 chance_;
  std::map<Instance, File> files_;
  std::map<Instance, spool::Progress> kept_;
  std::map<std::string, std::string> held_;
  std::map<std::string, std::string> removed_held_;  // a power cut may bring them back
  std::map<std::string, std::string> aside_;
  std::map<std::string, std::string> unsynced_held_;  // what is durable of those that have more
  std::map<std::string, std::string> unsynced_aside_;
  std::uint64_t inodes_{0};
  std::uint64_t put_apart_{0};
  std::int64_t births_{0};
  std::uint64_t holds_{0};
  std::size_t asked_bytes_{0};
  std::uint64_t calls_left_{UINT64_MAX};
  bool is_full_{false};
  std::string wrong_;
};

}  // namespace fastjournal::sim
