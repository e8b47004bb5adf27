// The bytes of one table outside its log, in files of a folder: gives out places at the end of a file, has values
// written there and synced, read again, copied and removed. It decides nothing about them: records of the table name
// places, and the log says when these are durable.
//
//   store   values that are whole in memory, or come piece by piece: written and synced by a job; then the command that
//           brought them is decided. Values that arrive meanwhile share the next sync.
//   carry   small values of a command that is decided at once: its record has the bytes, the file gets them at the end
//           of the turn, and is synced later; until then the record is needed (oldest_needed).
//   free    what no record names is given back once that is durable and nobody reads it.
//   promise values of transactions: they stay at their place until the transaction is over, over any number of starts.
//           Where the table exchanges its files they are copied like the others; a start copies them again
//           (promised.cpp).
//
// No byte of a file is written twice: a place that was given out and not named, or is named no more, is garbage. So what
// is read under a name is never overwritten, whatever a crash undid. A start goes on behind the end of each file.
//
// Owned by the server (server/logs/table_files.h). Lives on the loop's thread; jobs run on any thread, one a lane.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "base/env/disk.h"
#include "base/hash.h"
#include "engine/files/jobs.h"
#include "engine/outside.h"
#include "fastjournal/capabilities.h"
#include "fastjournal/extent.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"

namespace fastjournal::storage {

struct ByteFilesOptions {
  std::string folder;  // in the root of the disk: "bytes/NAME"
  TableId table{};
  std::uint64_t store_id{0};                  // of the log
  std::optional<env::Access> access{};        // of the folder and its data files; nothing: as the disk makes them
  std::optional<env::Access> usual{};         // what that is, where `access` may come and go; nothing: it never came
  bool keeps{true};                           // false: its records are not kept either, so nothing is found at a start
  std::uint64_t file_bytes{256U << 20U};      // of a file that it made itself; then another one is begun
  std::uint64_t reserve_bytes{16U << 20U};    // space is asked for in steps of
  std::uint64_t kept_free_bytes{32U << 20U};  // of the disk, for the logs
  std::int64_t sync_after_us{500'000};        // carried bytes are synced so long after the first of them was written
  std::int64_t scrub_every_us{86'400'000'000};
  std::uint64_t scrub_bytes_per_s{32U << 20U};
};

// For STATS and alerts.
struct ByteFigures {
  std::uint64_t files{0};
  std::uint64_t file_bytes{0};      // up to the end of each
  std::uint64_t named_bytes{0};     // of these, named by records
  std::uint64_t promised_bytes{0};  // of values of transactions that are not over
  std::uint64_t staged_bytes{0};    // in memory, on their way to a file
  std::uint64_t stored_bytes{0};    // since the start
  std::uint64_t fetched_bytes{0};
  std::uint64_t copied_bytes{0};
  std::uint64_t given_back_bytes{0};
  std::uint64_t syncs{0};
  std::uint64_t scrubbed_bytes{0};
  std::uint64_t scrub_rounds{0};
  std::uint64_t damaged{0};
};

// For STATS.
void tell_figures(ByteFigures const& figures, MetricSink& sink);

class ByteFiles final : public engine::Outside {
 public:
  // Who looks at it in the turns in which it has something to do, and in no others. Told once a turn.
  class Owner {
   public:
    virtual void touched() = 0;

   protected:
    ~Owner() = default;
  };
  // `table` is there until dropped(). `owner` null: it is looked at in every turn.
  ByteFiles(env::Disk& disk, ByteFilesOptions options, Stores& table, Owner* owner = nullptr);
  virtual ~ByteFiles();
  ByteFiles(ByteFiles const&) = delete;
  ByteFiles& operator=(ByteFiles const&) = delete;

  // -- start --------------------------------------------------------------
  // Finds the files that are there; before the first record is replayed.
  [[nodiscard]] Status open();
  // After the replay: everything that is named must be there. What the replay wrote is synced, garbage is removed.
  // `end`: of the log.
  [[nodiscard]] Status begin(Lsn end);
  // At a start, and at a clean end: the log alone need not have the bytes then.
  [[nodiscard]] Status sync_carried();

  // Of what is there, and of what is made from now on.
  [[nodiscard]] Status set_access(std::optional<env::Access> const& access);
  [[nodiscard]] std::optional<env::Access> const& access() const { return options_.access; }

  // -- engine::Outside ------------------------------------------------------
  void named(Extent const& extent, std::string_view carried) override;
  void freed(Extent const& extent, Lsn lsn) override;
  [[nodiscard]] Lsn oldest_needed() const override;
  [[nodiscard]] Status promised(Extent const& extent) override;
  [[nodiscard]] Extent place_of(Extent const& extent) const override;
  void let_go(Extent const& extent) override;
  void table_changed() override { touch(); }
  void metrics(MetricSink& sink) const override;
  void dropped(Lsn lsn) override;

  // -- storing --------------------------------------------------------------
  // A place for a value whose record carries it. not_supported: this file system cannot promise the space; store() it.
  [[nodiscard]] Result<StoredValue> carry(std::string_view bytes, bool is_text);
  // It was not named by what was decided.
  void give_back(Extent const& extent);

  using StageId = std::uint64_t;
  struct Done {
    StageId stage{0};
    Status status{};                  // not ok: nothing is stored
    std::vector<StoredValue> values;  // in their order
  };
  struct Piece {
    std::string_view bytes;
    bool is_text{false};
  };
  // Values that are whole. `in`: all of them lie in it, and it is taken; null: they are copied. no_space: nothing is
  // taken.
  [[nodiscard]] Result<StageId> store(std::vector<Piece> const& values, Buffer* in = nullptr);
  // A value that comes in pieces; `bytes`: its size, UINT64_MAX: not known yet.
  [[nodiscard]] Result<StageId> begin_value(std::uint64_t bytes, std::uint64_t bytes_max);
  // Not ok: more than was said.
  [[nodiscard]] Status add(StageId stage, std::string_view bytes);
  // Bytes of it that wait to be written: whoever brings them should wait.
  [[nodiscard]] std::uint64_t waiting_bytes(StageId stage) const;
  // Not ok: fewer than was said; it is dropped then.
  [[nodiscard]] Status end_value(StageId stage);
  // Its values are in a file that is not the one for new values any more: they are copied there. Not ok: it is dropped.
  [[nodiscard]] bool is_current(Done const& done) const;
  [[nodiscard]] Status store_again(StageId stage);
  // Nobody wants it any more; also of one that is done: what is not named is given back.
  void drop(StageId stage);

  // Each once. drop() follows, when the command was decided.
  [[nodiscard]] std::vector<Done> take_done() { return std::exchange(done_, {}); }

  // -- reading --------------------------------------------------------------
  using FetchId = std::uint64_t;
  [[nodiscard]] FetchId fetch(std::vector<Extent> const& extents);
  struct Fetched {
    FetchId fetch{0};
    Status status{};
    std::vector<std::string> values;
  };
  [[nodiscard]] std::vector<Fetched> take_fetched() { return std::exchange(fetched_, {}); }
  // The file, to be read where it lies, and a number under which its bytes stay until finish_reading(). Null: it is gone.
  struct Reading {
    FilePtr file{};
    FetchId number{0};
  };
  [[nodiscard]] Reading read_in_place(Extent const& extent);
  void finish_reading(FetchId number) {
    reading_.erase(number);
    touch();
  }
  // For the figures, and of bytes that could not be read: an alert.
  void note_read_in_place(std::uint64_t bytes) { figures_.fetched_bytes += bytes; }
  void note_unreadable(Status const& why) {
    note_damage(why);
    touch();
  }
  // Null: there is none of this number.
  [[nodiscard]] FilePtr file(std::uint32_t number) const {
    File const* const found = find(number);
    return found == nullptr ? nullptr : found->file;
  }
  // In the root of the disk.
  [[nodiscard]] std::string path_of(std::uint32_t file) const;

  // -- turns ----------------------------------------------------------------
  [[nodiscard]] Owner* owner() const { return owner_; }
  // Something may be to be done in this turn: owner() is told.
  void touch() {
    if (!std::exchange(is_touched_, true) && owner_ != nullptr) owner_->touched();
  }
  // The owner looks at it now. Whatever touches it from here on is for the next turn.
  void begin_look() { is_touched_ = false; }
  // Nothing is to be done before it is touched, or the time of next_us() has come.
  [[nodiscard]] bool is_settled() const;
  // After the log's turn: it is durable up to `durable`, and ends at `end`.
  void end_turn(Lsn durable, Lsn end, std::int64_t now_us);
  // When a turn is wanted without a cause; INT64_MAX: not before there is one.
  [[nodiscard]] std::int64_t next_us() const;
  [[nodiscard]] std::unique_ptr<Job> take_job(Lane lane, std::int64_t now_us);
  void finish_job(Lane lane, std::unique_ptr<Job> job);
  // Whether the folder and what was written to since the last look, or `all` of it, are where a start will look for them.
  // Not ok: it has failed.
  [[nodiscard]] Status look(bool all);
  // Something was written to since then.
  [[nodiscard]] bool wants_look() const { return !written_to_.empty(); }
  [[nodiscard]] bool has_folder() const { return has_folder_; }
  // Copies that are done: for Stores::decide_moved. Those that failed are `not_moved`, with the reason of the first.
  struct Copied {
    std::vector<Moved> moved;
    std::vector<CopyWish> not_moved;
    Status why{};
  };
  [[nodiscard]] bool has_copied() const { return copied_ != nullptr; }
  // Then settle_copied(): what was not named is given back.
  [[nodiscard]] Copied const& copied() const { return *copied_; }
  void settle_copied();
  // Nothing is removed or given back meanwhile: a copy of the files is made.
  void hold(bool held) {
    is_held_ = held;
    touch();
  }
  // Not ok: a sync failed, and what is durable is not known.
  [[nodiscard]] Status const& failure() const { return failure_; }
  // Damage that was found, once each: for an alert.
  [[nodiscard]] std::vector<std::string> take_damage() { return std::exchange(damage_, {}); }
  [[nodiscard]] bool is_dropped() const { return is_dropped_; }
  // Dropped, and nothing of it is left to be done.
  [[nodiscard]] bool is_over() const;
  [[nodiscard]] ByteFigures figures() const;
  [[nodiscard]] std::string const& folder() const { return options_.folder; }
  // Files that records name, for a backup.
  [[nodiscard]] std::vector<std::uint32_t> files() const;

 private:
  struct File {
    std::uint32_t number{0};
    FilePtr file{};
    std::uint64_t end{kHeaderBytes};  // the next place
    std::uint64_t reserved{0};        // space is promised up to here
    std::uint64_t found_bytes{0};     // its size at the start
    std::uint64_t named_bytes{0};
    std::uint64_t hollow_bytes{0};  // given back in the middle of it, since the start
    std::uint64_t named{0};         // places
    std::uint64_t outstanding{0};   // places that were given out, and not named so far
    std::uint64_t freeing{0};       // places that wait to be given back
    Lsn unwanted_since{};           // of a table that says its files: it was no longer listed; none: it is
    bool removing{false};
    bool is_stranger{false};  // its header names another log
  };
  struct Part {
    Extent extent{};  // file 0: it is in a file of its own, as its size is not known so far
    FilePtr file{};
    std::string own_path{};  // of that file, as long as it is there
    std::deque<Chunk> waiting{};
    std::uint64_t waiting_bytes{0};
    std::uint64_t taken{0};  // bytes that jobs were given
    Hasher128 hasher{};
    bool is_text{false};
    // It moves from here to its place: once its size is known, and when it is stored again.
    Extent from{};
    FilePtr from_file{};

    [[nodiscard]] bool is_placed() const { return extent.file != 0; }
  };
  struct Stage {
    std::vector<Part> parts;
    std::uint64_t bytes_max{0};
    bool is_open{false};  // more of it may come
    bool is_told{false};  // in done_
    bool is_dropped{false};
    bool in_job{false};
    bool was_taken{false};  // its last bytes are in a job, or written
  };
  using Place = std::pair<std::uint32_t, std::uint64_t>;  // file and begin
  // A value of a transaction that is not over.
  struct Promised {
    Extent extent{};             // as its command names it
    std::vector<Extent> copies;  // in other files, which the table made later
  };
  struct LetGo {
    Extent extent{};
    Lsn lsn{};  // that must be durable before; none: known when the turn ends
  };
  struct Freed {
    Extent extent{};
    Lsn lsn{};
    FetchId before{0};  // readings with smaller numbers may see it
  };

  [[nodiscard]] File* find(std::uint32_t number);
  [[nodiscard]] File const* find(std::uint32_t number) const;
  // The file for new values, with space for these bytes.
  [[nodiscard]] Result<File*> file_for(std::uint64_t bytes);
  [[nodiscard]] Result<File*> make(std::uint32_t number);
  [[nodiscard]] Status prepare_folder();
  [[nodiscard]] Status give_access();
  [[nodiscard]] Status reserve(File& file, std::uint64_t end);
  // A place in this file; counted as outstanding.
  [[nodiscard]] Result<Extent> take_place(File& file, std::uint64_t bytes);
  void tell_taken(File const& file);
  [[nodiscard]] Status place_part(Part& part, std::uint64_t bytes);
  [[nodiscard]] Status move_part(Part& part);
  void settle(Extent const& extent);
  // Only of one that has bytes: an empty value has no place of its own, and begins where the next one does.
  [[nodiscard]] static Place key_of(Extent const& extent) { return {extent.file, extent.begin}; }
  [[nodiscard]] Status find_promised(Extent const& extent);
  [[nodiscard]] Status copy_at_start(Promised& one);
  [[nodiscard]] Extent const* in_file(Promised const& one, std::uint32_t file) const;
  void wish_for_promised(std::uint32_t file, std::vector<CopyWish>& wishes) const;
  void add_copy(CopyJob::Copy& copy, Extent const& to);
  void drop_copies(std::set<std::uint32_t> const& wanted);
  void tell_promised();
  void give_back_let_go(Lsn durable);
  [[nodiscard]] std::uint64_t alignment() const;
  [[nodiscard]] bool says_files() const { return table_ != nullptr && table_->file_for_new() != 0; }
  void erase_stage(StageId id);
  void tell_done(StageId id, Stage& stage, Status status);
  [[nodiscard]] FetchId oldest_reading() const { return reading_.empty() ? next_fetch_ : *reading_.begin(); }
  void fail(Status status);
  void note_damage(Status const& status);

  [[nodiscard]] CopyJob::Copy copy_of(File& to, CopyWish const& wish);
  void write_joined(File const& file, std::uint64_t begin, std::string_view carried);
  void flush_joined();
  [[nodiscard]] Status check_named();
  [[nodiscard]] Status adopt_strangers();
  [[nodiscard]] Status remove_garbage();
  [[nodiscard]] Status link_at_start();
  void free_durable(Lsn durable);
  void follow_wishes(Lsn durable, Lsn end);
  void want_punched(File const& file, std::uint64_t begin, std::uint64_t end);

  [[nodiscard]] std::unique_ptr<Job> store_job(std::int64_t now_us);
  [[nodiscard]] std::unique_ptr<Job> fetch_job();
  [[nodiscard]] std::unique_ptr<Job> copy_job();
  [[nodiscard]] std::unique_ptr<Job> tidy_job();
  [[nodiscard]] std::unique_ptr<Job> scrub_job(std::int64_t now_us);
  void finish(StoreJob& job);
  void finish(FetchJob& job);
  void finish(CopyJob& job);
  void finish(TidyJob& job);
  void finish(ScrubJob& job);

  env::Disk& disk_;
  ByteFilesOptions options_;
  Stores* table_;
  Owner* owner_;
  bool is_touched_{false};
  std::unique_ptr<env::FolderLock> lock_;
  bool has_folder_{false};
  bool is_serving_{false};
  std::map<std::uint32_t, File> files_;
  std::uint32_t last_number_{0};    // the largest that ever was
  std::map<Place, Extent> places_;  // outstanding ones
  std::map<Place, Promised> promised_;
  std::set<std::uint32_t> copied_to_;  // files that may have copies of these
  std::deque<LetGo> let_go_;
  // Of a replay: named and not carried, beyond the end of the file as it was found. What stays here is lost.
  std::map<Place, Extent> missing_;
  std::vector<std::string> left_over_;  // files to be removed when it begins
  // Carried bytes that lie one behind the other, for one write.
  struct Joined {
    FilePtr file{};
    std::uint64_t begin{0};
    std::string bytes{};
  };
  Joined joined_;

  std::map<StageId, Stage> stages_;
  StageId last_stage_{0};
  std::deque<StageId> to_store_;  // stages with bytes to write, or that are whole
  std::vector<Done> done_;
  std::uint64_t staged_bytes_{0};

  std::set<std::uint32_t> written_to_;  // files, since the last look

  std::set<std::uint32_t> carried_;  // files with carried bytes that are not synced,
  Lsn carried_since_{};              // whose records begin here or later,
  std::int64_t carried_at_us_{0};    // the first of them was written about then
  Lsn carried_in_job_{};             // the same of those that a job syncs now
  Lsn turn_began_{};                 // end of the log when the last turn ended
  std::int64_t now_us_{0};

  FetchId next_fetch_{1};
  std::set<FetchId> reading_;
  std::deque<std::vector<FetchJob::Read>> to_fetch_;
  std::vector<Fetched> fetched_;
  std::deque<Freed> freed_;

  std::vector<TidyJob::Punch> to_punch_;
  std::vector<std::uint32_t> to_remove_;
  std::vector<std::uint32_t> to_make_;
  std::map<std::string, std::string, std::less<>> links_;    // as they are
  std::map<std::string, std::string, std::less<>> to_link_;  // what a job makes of them; empty: removed
  std::map<std::string, std::string, std::less<>> wished_links_;
  Lsn links_wished_at_{};
  std::vector<std::uint32_t> removing_;  // by the job that is out
  std::vector<std::string> to_unlink_;   // files of values whose size was not known
  std::unique_ptr<Copied> copied_;
  bool copy_may_help_{true};  // asked for copies since the last one

  std::uint64_t scrub_cursor_{0};
  std::int64_t scrub_next_us_{INT64_MIN};
  FetchId scrub_reading_{0};

  std::set<Lane> out_;  // lanes with a job
  bool is_held_{false};
  bool is_dropped_{false};
  Lsn dropped_at_{};
  bool cannot_punch_{false};
  Status failure_;
  std::vector<std::string> damage_;
  ByteFigures figures_;
};

}  // namespace fastjournal::storage
