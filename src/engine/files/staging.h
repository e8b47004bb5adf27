// Values on their way to a file, whole in memory or coming piece by piece: written and synced by a job; then the
// command that brought them is decided. Values that arrive meanwhile share the next sync. A stage is the values that
// come together; the caller that began it drops it, once its command was decided or will not be: what no record named
// is given back.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "base/hash.h"
#include "engine/files/carried.h"
#include "engine/files/data_files.h"

namespace fastjournal::storage {

class Staging {
 public:
  Staging(Context& context, DataFiles& files, CarriedBytes& carried)
      : context_(context), files_(files), carried_(carried) {}

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
  // Bytes of it that wait to be written: the sender should wait.
  [[nodiscard]] std::uint64_t waiting_bytes(StageId stage) const;
  // Not ok: fewer than was said; it is dropped then.
  [[nodiscard]] Status end_value(StageId stage);
  // Its values are in a file that is not the one for new values any more: they are copied there. Not ok: it is dropped.
  [[nodiscard]] bool is_current(Done const& done) const;
  [[nodiscard]] Status store_again(StageId stage);
  // It is no longer wanted; also of one that is done: what is not named is given back.
  void drop(StageId stage);

  // Each once. drop() follows, when the command was decided.
  [[nodiscard]] std::vector<Done> take_done() { return std::exchange(done_, {}); }

  // In memory.
  [[nodiscard]] std::uint64_t bytes() const { return staged_bytes_; }
  [[nodiscard]] bool is_any() const { return !stages_.empty(); }
  [[nodiscard]] bool is_settled() const { return to_store_.empty(); }
  [[nodiscard]] std::unique_ptr<Job> take_job(std::int64_t now_us);
  void finish_job(StoreJob& job);

 private:
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
  };

  [[nodiscard]] Status place_part(Part& part, std::uint64_t bytes);
  [[nodiscard]] Status move_part(Part& part);
  void erase_stage(StageId id);
  void tell_done(StageId id, Stage& stage, Status status);

  Context& context_;
  DataFiles& files_;
  CarriedBytes& carried_;
  std::map<StageId, Stage> stages_;
  StageId last_stage_{0};
  std::deque<StageId> to_store_;  // stages with bytes to write, or that are whole
  std::vector<Done> done_;
  std::uint64_t staged_bytes_{0};
};

}  // namespace fastjournal::storage
