// What few rows have beside key and data: words that people find them by, limits and rests of their own, rows that they
// wait for, the group or the schedule that they are of. In records and in memory they are one string, so that a row
// without any pays nothing: version 7 of a row has it, version 3 of a merge has what an insert changes of it.
//
// A change is written as the extras of a row are. What it names replaces that of the row, and `tags` without a tag and
// `unique_for` of 0 remove it.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/status.h"
#include "fastjournal/types.h"
#include "model/body.h"
#include "model/timer/wheel.h"

namespace fastjournal::rows {

inline constexpr std::size_t kTagsMax = 16;
inline constexpr std::size_t kTagBytesMax = 64;
inline constexpr std::size_t kRestsMax = 16;    // of a back-off that is a list
inline constexpr std::size_t kAfterMax = 1000;  // rows and groups that one row waits for
inline constexpr std::size_t kTagsBytesMax = kTagsMax * (kTagBytesMax + 1) - 1;

// How long a row rests after an attempt that failed.
struct BackOff {
  enum class Formula : std::uint8_t {
    doubling = 1,  // as back-off-first, back-off-max say, twice as long each time
    linear = 2,    // the same, longer by back-off-first each time
    sidekiq = 3,   // count^4 + 15 s, and a chance part that grows with the count
    list = 4,      // one after the other, then always the last
  };
  Formula formula{Formula::doubling};
  std::vector<std::int64_t> rests{};  // ms; of a list

  bool operator==(BackOff const&) const = default;
  // Of an option, which was checked; what is no back-off leaves it as it is.
  void take(std::string_view text);
  static void fields(auto& io, auto& body) {
    io.byte(body.formula, Formula::list).must(body.formula >= Formula::doubling);
    if (body.formula != Formula::list) return;
    io.list(
        body.rests, [&](auto& rest) { io.number(rest).must(rest >= 0 && rest <= timer::kDateMax); }, kRestsMax);
    io.must(!body.rests.empty());
  }
};

// What a row waits for (waits.h): rows, and groups of jobs; and what becomes of it if one of these fails.
struct After {
  enum class Policy : std::uint8_t {
    wait,  // it waits until that one has ended well after all, or an operator acts
    fail,  // it fails too
    run,   // it runs all the same
  };
  enum class Kind : std::uint8_t {
    row,           // until this row has ended
    group_ended,   // until all rows of this group have
    group_done,    // until all of them have ended well
    group_failed,  // until one of them has failed
    broken,        // this one failed
    needless,      // this one did not fail, and for its failure was waited
  };
  struct One {
    ObjectId id{};
    Kind kind{Kind::row};

    auto operator<=>(One const&) const = default;
  };
  static constexpr std::size_t kBytesOfOne = 7;
  Policy policy{Policy::wait};
  std::vector<One> all{};

  bool operator==(After const&) const = default;
  static void fields(auto& io, auto& body) {
    io.byte(body.policy, Policy::run);
    io.list(
        body.all, [&](auto& one) { io.id(one.id).byte(one.kind, Kind::needless).must(!one.id.is_none()); }, kAfterMax);
    io.must(!body.all.empty() && std::ranges::adjacent_find(body.all, std::greater_equal<>{}) == body.all.end());
  }
};

// The schedule that made a row, and for which of its dates.
struct OfSchedule {
  std::uint64_t schedule{0};
  std::int64_t date{0};

  bool operator==(OfSchedule const&) const = default;
  static void fields(auto& io, auto& body) {
    io.number(body.schedule).six(body.date).must(body.date >= 0 && body.date <= timer::kDateMax);
  }
};

// Texts are of the bytes they were read from.
struct Extras {
  std::optional<std::string_view> tags{};  // as check_tags() writes them
  std::optional<std::uint8_t> max_attempts{};
  std::optional<BackOff> back_off{};
  std::optional<After> after{};
  std::optional<ObjectId> group{};
  std::optional<std::int64_t> unique_for{};  // ms
  std::optional<OfSchedule> of_schedule{};

  bool operator==(Extras const&) const = default;
  [[nodiscard]] bool is_empty() const { return *this == Extras{}; }
  // Whether it can be that of a row, and not only a change.
  [[nodiscard]] bool is_of_row() const { return !is_empty() && !(tags && tags->empty()) && unique_for != 0; }

  static void fields(auto& io, auto& body) {
    constexpr std::uint8_t kTags = 1;
    constexpr std::uint8_t kMaxAttempts = 2;
    constexpr std::uint8_t kBackOff = 4;
    constexpr std::uint8_t kAfter = 8;
    constexpr std::uint8_t kGroup = 16;
    constexpr std::uint8_t kUniqueFor = 32;
    constexpr std::uint8_t kSchedule = 64;
    auto has = io.flags(std::uint8_t{127});
    if (has(kTags, body.tags.has_value())) {
      io.text(io.there(body.tags));
      io.must(body.tags->size() <= kTagsBytesMax);
    }
    if (has(kMaxAttempts, body.max_attempts.has_value())) io.byte(io.there(body.max_attempts));
    io.optional(body.back_off, has(kBackOff, body.back_off.has_value()));
    io.optional(body.after, has(kAfter, body.after.has_value()));
    if (has(kGroup, body.group.has_value())) io.id(io.there(body.group));
    if (has(kUniqueFor, body.unique_for.has_value())) {
      io.number(io.there(body.unique_for));
      io.must(*body.unique_for >= 0 && *body.unique_for <= timer::kDateMax);
    }
    io.optional(body.of_schedule, has(kSchedule, body.of_schedule.has_value()));
  }
};

namespace extras {

// Empty bytes: none. Of bytes that is_change() or is_of_row() found good.
[[nodiscard]] Extras read(std::string_view bytes);
// Nothing if it is empty.
[[nodiscard]] std::string write(Extras const& extras);
// Of these bytes, empty: none.
[[nodiscard]] std::string_view tags_of(std::string_view bytes);
// Whether bytes of a record may be those of a row, or what an insert changes.
[[nodiscard]] bool is_of_row(std::string_view bytes);
[[nodiscard]] bool is_change(std::string_view bytes);
// The extras of a row after a change.
[[nodiscard]] std::string changed(std::string_view bytes, std::string_view change);

}  // namespace extras

// Words with commas between them: `urgent,customer:42`. Each one at most once, in the order given.
[[nodiscard]] Result<std::string> check_tags(std::string_view given);
[[nodiscard]] Status check_tag(std::string_view tag);
// Calls for each tag.
template <typename Each>
void each_tag(std::string_view tags, Each const& each) {
  while (!tags.empty()) {
    std::size_t const end = std::min(tags.find(','), tags.size());
    each(tags.substr(0, end));
    tags.remove_prefix(std::min(end + 1, tags.size()));
  }
}
[[nodiscard]] bool has_tag(std::string_view tags, std::string_view tag);

// `doubling`, `linear`, `sidekiq`, or durations: `10s,1m,10m`.
[[nodiscard]] Result<BackOff> parse_back_off(std::string_view text);
[[nodiscard]] std::string text_of(BackOff const& back_off);

}  // namespace fastjournal::rows
