// The record of a journal's figures (figures.h), and the figures of one minute or hour.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "model/body.h"
#include "plugins/journal/records.h"
#include "plugins/journal/statistics.h"

namespace fastjournal::journal {

// What is counted, as the statistics count it.
struct Counted {
  std::uint64_t inserted{0};
  std::uint64_t leased{0};
  std::uint64_t done{0};
  std::uint64_t failed{0};  // attempts
  std::uint64_t timed_out{0};

  bool operator==(Counted const&) const = default;
  static Counted of(Statistics const& now) {
    return {now.inserted, now.leased, now.done, now.attempts_failed, now.timed_out};
  }
};

enum class Span : std::uint8_t { minute, hour };

struct Figure {
  std::uint32_t number{0};  // of the minute or hour since 1970
  std::uint32_t inserted{0};
  std::uint32_t leased{0};
  std::uint32_t done{0};
  std::uint32_t failed{0};
  std::uint32_t timed_out{0};
  std::uint32_t waiting{0};  // at its end
  std::uint32_t processing{0};
  std::uint32_t late_p50{0};  // ms
  std::uint32_t late_p99{0};

  static void fields(auto& io, auto& body) {
    io.number(body.number).number(body.inserted).number(body.leased).number(body.done).number(body.failed);
    io.number(body.timed_out).number(body.waiting).number(body.processing).number(body.late_p50).number(body.late_p99);
    io.must(body.number != 0);
  }
};
inline constexpr std::size_t kFigureBytesMax = 50;

// Figures of one span in their order. Of a minute that ended, which is added to its hour; or `is_whole`, as they are.
struct FiguresBody {
  static constexpr auto kType = RecordType::figures;
  static constexpr std::size_t kFiguresMax = 64;
  Span span{Span::minute};
  bool is_whole{false};
  std::vector<Figure> figures{};

  static void fields(auto& io, auto& body) {
    constexpr std::uint8_t kSpan = 1;
    constexpr std::uint8_t kWhole = 2;
    auto has = io.flags(std::uint8_t{kSpan | kWhole});
    has.value(kSpan, body.span);
    io.set(body.is_whole, has(kWhole, body.is_whole));
    io.list_to_end(body.figures, [&](auto& one) { std::remove_cvref_t<decltype(one)>::fields(io, one); });
    io.must(!body.figures.empty() && body.figures.size() <= kFiguresMax);
    io.must(body.is_whole || (body.span == Span::minute && body.figures.size() == 1));
  }
};

}  // namespace fastjournal::journal
