// What is left of a row that ended, and of an attempt that failed: an entry of the history (history.h). Its number is the
// LSN of the record that ended it, and one more for the end of a row, as one record may end both.
//
// The record that ends a row says only that it is kept, and when it ended: the rest is known when it is applied, of the
// row. So a start needs the row's own record until the entry is in a page, or was stated whole.
#pragma once

#include <cstdint>
#include <string_view>

#include "fastjournal/types.h"
#include "model/body.h"
#include "plugins/rows/records.h"

namespace fastjournal::rows {

// The first four as Reason.
enum class End : std::uint8_t { done = 1, deleted = 2, expired = 3, failed = 4, error = 5, timeout = 6 };
inline constexpr std::size_t kEnds = 7;
[[nodiscard]] constexpr bool is_attempt(End end) { return end >= End::error; }

// Data of more bytes is not kept.
inline constexpr std::size_t kEndedDataMax = 1U << 20U;
inline constexpr std::size_t kResultBytesMax = 64U << 10U;

struct EndedBody {
  static constexpr auto kType = RecordType::ended;
  std::uint64_t number{0};
  End end{End::done};
  ObjectId row{};
  std::int64_t at{0};
  std::int64_t began{0};      // of the lease that it ended; 0: there was none
  std::uint8_t attempts{0};   // of an attempt: its number; of a row: how many there were
  std::uint16_t schema{0};    // of key and data
  std::string_view worker{};  // of that lease
  std::string_view key{};
  std::string_view error{};  // as rows have it (base/failure.h); of a row without its trace
  // Of a row.
  std::uint32_t priority{0};
  std::int64_t date{0};
  std::int64_t arrival{0};
  std::int64_t inserted{0};
  std::int64_t expires{0};
  std::uint32_t merges{0};
  bool is_partial{false};  // data was left out: it was in files, or too large
  std::string_view data{};
  std::string_view extras{};
  std::string_view result{};

  static void fields(auto& io, auto& body) {
    constexpr std::uint16_t kEnd = 7;
    constexpr std::uint16_t kBegan = 8;
    constexpr std::uint16_t kWorker = 16;
    constexpr std::uint16_t kError = 32;
    constexpr std::uint16_t kExpires = 64;
    constexpr std::uint16_t kMerges = 128;
    constexpr std::uint16_t kPartial = 256;
    constexpr std::uint16_t kExtras = 512;
    constexpr std::uint16_t kResult = 1024;
    auto has = io.flags(std::uint16_t{2047});
    has.value(kEnd, body.end);
    io.must(body.end >= End::done && body.end <= End::timeout);
    ObjectId record{body.number / kLsnAlign * kLsnAlign};
    io.id(record);
    io.set(body.number, record.value + (is_attempt(body.end) ? 0 : 1));
    io.id(body.row).six(body.at);
    io.relative(body.began, has(kBegan, body.began != 0), body.at, 0);
    io.byte(body.attempts).number(body.schema).text(body.key);
    if (has(kWorker, !body.worker.empty())) io.text(body.worker);
    if (has(kError, !body.error.empty())) io.text(body.error);
    if (is_attempt(body.end)) return;
    io.number(body.priority);
    std::int64_t const none = 0;
    io.relative(body.date, true, body.at, none);
    io.relative(body.arrival, true, body.at, none);
    io.relative(body.inserted, true, body.arrival, none);
    io.relative(body.expires, has(kExpires, body.expires != 0), body.at, none);
    io.number(body.merges, has(kMerges, body.merges != 0));
    io.set(body.is_partial, has(kPartial, body.is_partial));
    if (has(kExtras, !body.extras.empty())) io.text(body.extras);
    if (has(kResult, !body.result.empty())) io.text(body.result);
    io.rest(body.data);
  }
};

// The oldest entries up to `last` are there, and no more in memory: a value of the table's files (ended_page.h).
struct PageBody {
  static constexpr auto kType = RecordType::page;
  Extent extent{};
  std::uint32_t index_bytes{0};  // at its end
  std::uint64_t index_hash{0};
  std::uint64_t first{0};  // numbers of entries
  std::uint64_t last{0};
  std::int64_t from{0};  // dates of their ends
  std::int64_t to{0};
  std::array<std::uint32_t, kEnds> counts{};  // by End
  std::string_view filter{};

  static void fields(auto& io, auto& body) {
    io.fixed(body.extent.file).fixed(body.extent.begin).fixed(body.extent.end).fixed(body.extent.hash);
    io.must(body.extent.file != 0 && body.extent.begin != 0 && body.extent.begin < body.extent.end);
    io.fixed(body.index_bytes).fixed(body.index_hash).must(body.index_bytes <= body.extent.size());
    io.fixed(body.first).fixed(body.last).must(body.first <= body.last).six(body.from).six(body.to);
    for (auto& count : body.counts) io.number(count);
    io.rest(body.filter).must(!body.filter.empty());
  }
};

// All entries up to this number.
struct PageDroppedBody {
  static constexpr auto kType = RecordType::page_dropped;
  std::uint64_t last{0};
  bool is_lost{false};  // no file could be written for them
  static void fields(auto& io, auto& body) { io.fixed(body.last).byte(body.is_lost, true); }
};

}  // namespace fastjournal::rows
