// The bytes of one table outside its log, in files of a folder: gives out places at the end of a file, has values
// written there and synced, read again, copied and removed. It decides nothing about them: records of the table name
// places, and the log says when these are durable. This is what the engine and the server see of it; its parts are
//
//   DataFiles       the folder, its files, and the places in them
//   Recovery        the start: what is there, and whether all that records name is
//   CarriedBytes    small values of a command that is decided at once: its record has the bytes until they are synced
//   Staging         values that are stored by a job, before their command is decided
//   Readings        values that are read, by a job or in their place
//   PromisedValues  values of transactions: they stay until these are over, over any number of starts
//   Copying         values that move to another file
//   Tidying         files made and removed, space given back, links set
//   Scrubbing       all that is named is read again, once a day
//
// each in a file of that name. They know one another only as far as their constructors say; the rest they share (Context).
//
// Owned by the server (server/logs/table_files.h). Lives on the loop's thread; jobs run on any thread, one a lane.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/files/carried.h"
#include "engine/files/copying.h"
#include "engine/files/data_files.h"
#include "engine/files/promised.h"
#include "engine/files/readings.h"
#include "engine/files/recovery.h"
#include "engine/files/scrubbing.h"
#include "engine/files/staging.h"
#include "engine/files/tidying.h"
#include "engine/outside.h"

namespace fastjournal::storage {

class ByteFiles final : public engine::Outside {
 public:
  // `table` is there until dropped(), and so is `manager`, the same one. `owner` null: it is looked at in every turn.
  ByteFiles(env::Disk& disk, ByteFilesOptions options, Stores& table, ManagesFiles* manager = nullptr,
            ByteFilesOwner* owner = nullptr);
  virtual ~ByteFiles() = default;
  ByteFiles(ByteFiles const&) = delete;
  ByteFiles& operator=(ByteFiles const&) = delete;

  // -- start --------------------------------------------------------------
  // Finds the files that are there; before the first record is replayed.
  [[nodiscard]] Status open() { return recovery_.open(); }
  // After the replay: everything that is named must be there. What the replay wrote is synced, garbage is removed.
  // `end`: of the log.
  [[nodiscard]] Status begin(Lsn end);
  // At a start, and at a clean end: the log alone need not have the bytes then.
  [[nodiscard]] Status sync_carried() { return carried_.sync(); }

  // Of what is there, and of what is made from now on.
  [[nodiscard]] Status set_access(std::optional<env::Access> const& access) { return files_.set_access(access); }
  [[nodiscard]] std::optional<env::Access> const& access() const { return context_.options.access; }

  // -- engine::Outside ------------------------------------------------------
  void named(Extent const& extent, std::string_view carried) override;
  void freed(Extent const& extent, Lsn lsn) override;
  [[nodiscard]] Lsn oldest_needed() const override { return carried_.oldest_needed(); }
  [[nodiscard]] Status promised(Extent const& extent) override { return promised_.add(extent); }
  [[nodiscard]] Extent place_of(Extent const& extent) const override { return promised_.place_of(extent); }
  void let_go(Extent const& extent) override { promised_.let_go(extent); }
  void table_changed() override { touch(); }
  void metrics(MetricSink& sink) const override;
  void dropped(Lsn lsn) override;

  // -- values ---------------------------------------------------------------
  // A place for a value whose record carries it. not_supported: this file system cannot promise the space; stage it.
  [[nodiscard]] Result<StoredValue> carry(std::string_view bytes, bool is_text) {
    return carried_.place(bytes, is_text);
  }
  // It was not named by what was decided.
  void give_back(Extent const& extent) { files_.give_back(extent); }
  [[nodiscard]] Staging& staging() { return staging_; }
  [[nodiscard]] Readings& readings() { return readings_; }
  [[nodiscard]] Copying& copying() { return copying_; }
  // Null: there is none of this number.
  [[nodiscard]] FilePtr file(std::uint32_t number) const {
    DataFile const* const found = files_.find(number);
    return found == nullptr ? nullptr : found->file;
  }
  // In the root of the disk.
  [[nodiscard]] std::string path_of(std::uint32_t file) const { return files_.path_of(file); }

  // -- turns ----------------------------------------------------------------
  [[nodiscard]] ByteFilesOwner* owner() const { return context_.owner; }
  // Something may be to be done in this turn: owner() is told.
  void touch() { context_.touch(); }
  // The owner looks at it now. Whatever touches it from here on is for the next turn.
  void begin_look() { context_.is_touched = false; }
  // Nothing is to be done before it is touched, or the time of next_us() has come.
  [[nodiscard]] bool is_settled() const;
  // After the log's turn: it is durable up to `durable`, and ends at `end`.
  void end_turn(Lsn durable, Lsn end, std::int64_t now_us);
  // When a turn is wanted without a cause; INT64_MAX: not before there is one.
  [[nodiscard]] std::int64_t next_us() const;
  [[nodiscard]] std::unique_ptr<Job> take_job(Lane lane, std::int64_t now_us);
  void finish_job(Lane lane, std::unique_ptr<Job> job);
  // As in DataFiles.
  [[nodiscard]] Status look(bool all) { return files_.look(all); }
  [[nodiscard]] bool wants_look() const { return files_.wants_look(); }
  [[nodiscard]] bool has_folder() const { return files_.has_folder(); }
  // Nothing is removed or given back meanwhile: a copy of the files is made.
  void hold(bool held) {
    context_.is_held = held;
    touch();
  }
  // Not ok: a sync failed, and what is durable is not known.
  [[nodiscard]] Status const& failure() const { return context_.failure; }
  // Damage that was found, once each: for an alert.
  [[nodiscard]] std::vector<std::string> take_damage() { return std::exchange(context_.damage, {}); }
  [[nodiscard]] bool is_dropped() const { return context_.is_dropped(); }
  // Dropped, and nothing of it is left to be done.
  [[nodiscard]] bool is_over() const;
  [[nodiscard]] ByteFigures figures() const;
  [[nodiscard]] std::string const& folder() const { return context_.options.folder; }
  // Files that records name, for a backup.
  [[nodiscard]] std::vector<std::uint32_t> files() const { return files_.in_use(); }

 private:
  Context context_;
  Lsn dropped_at_{};
  DataFiles files_{context_};
  Recovery recovery_{context_, files_};
  CarriedBytes carried_{context_, files_};
  Readings readings_{context_, files_, carried_};
  Staging staging_{context_, files_, carried_};
  PromisedValues promised_{context_, files_};
  Copying copying_{context_, files_, promised_};
  Tidying tidying_{context_, files_, carried_, readings_, promised_};
  Scrubbing scrubbing_{context_, files_, readings_};
};

}  // namespace fastjournal::storage
