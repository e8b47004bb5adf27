// Words between blanks: `plan NAME VERSION FAULT-TOLERANT STRICT`, then for each source `source NAME HASH REMEMBERS ROUTER
// COPIES`, for each step `step NAME KIND EFFECT GUARANTEE ANY-PATH ROUTER COPIES RETRY BEFORE`. RETRY is 8 numbers, BEFORE
// the numbers of the predecessors between commas. REMEMBERS is 2 if older versions are kept, and 4 more if what is gone
// is told. Enumerations are numbers: they last, as those of plan.h do.
#include "model/plan/codec.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "model/plan/checks.h"

namespace fastjournal::plan {
namespace {

constexpr std::int64_t kTellsDeleted = 4;

class Writer {
 public:
  Writer& word(std::string_view text) {
    if (!out_.empty()) out_.push_back(' ');
    out_.append(text);
    return *this;
  }
  Writer& number(std::int64_t value) { return word(std::to_string(value)); }
  template <typename Enum>
  Writer& of(Enum value) {
    return number(static_cast<std::int64_t>(value));
  }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::string_view word() {
    std::size_t const end = std::min(rest_.find(' '), rest_.size());
    std::string_view const out = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (out.empty()) ok_ = false;
    return out;
  }
  std::int64_t number(std::int64_t min, std::int64_t max) { return read(word(), min, max); }
  template <typename Enum>
  Enum of(Enum last) {
    return static_cast<Enum>(number(0, static_cast<std::int64_t>(last)));
  }
  bool flag() { return number(0, 1) == 1; }
  std::string name() {
    std::string_view const out = word();
    if (out.size() > kStepNameBytesMax) ok_ = false;
    return std::string{out};
  }
  std::vector<StepIndex> indices() {
    std::vector<StepIndex> out;
    for (std::string_view list = word(); !list.empty() && out.size() < kStepsMax;) {
      std::size_t const end = std::min(list.find(','), list.size());
      out.push_back(static_cast<StepIndex>(read(list.substr(0, end), 0, kStepsMax - 1)));
      list.remove_prefix(std::min(end + 1, list.size()));
    }
    return out;
  }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  std::int64_t read(std::string_view text, std::int64_t min, std::int64_t max) {
    std::int64_t out = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc{} || end != text.data() + text.size() || out < min || out > max) {
      ok_ = false;
      return min;
    }
    return out;
  }

  std::string_view rest_;
  bool ok_{true};
};

void write(Retry const& retry, Writer& out) {
  out.number(retry.max_attempts).number(retry.first_ms).number(retry.factor).number(retry.max_ms);
  out.number(retry.jitter_percent).number(retry.timeout_ms).number(retry.cancel_timeout_ms).of(retry.on_timeout);
}

Retry read_retry(Reader& in) {
  constexpr std::int64_t kMonth = 30LL * 24 * 3'600'000;
  Retry out;
  out.max_attempts = static_cast<std::uint32_t>(in.number(1, 1'000));
  out.first_ms = in.number(0, kMonth);
  out.factor = static_cast<std::uint32_t>(in.number(1, 100));
  out.max_ms = in.number(0, kMonth);
  out.jitter_percent = static_cast<std::uint32_t>(in.number(0, 100));
  out.timeout_ms = in.number(1, kMonth);
  out.cancel_timeout_ms = in.number(0, kMonth);
  out.on_timeout = in.of(OnTimeout::permanent);
  return out;
}

void read_step(std::string_view word, Reader& in, Step& out) {
  out.is_source = word == "source";
  out.name = in.name();
  if (out.is_source) {
    out.hash = in.of(Hash::none);
    std::int64_t const remembers = in.number(0, kTellsDeleted + 2);
    out.tells_deleted = remembers >= kTellsDeleted;
    out.remembers = remembers % kTellsDeleted != 0;
    out.keeps_versions = remembers % kTellsDeleted == 2;
  } else {
    out.kind = in.of(Kind::potent);
    out.effect = in.of(Effect::preserving);
    out.guarantee = in.of(Guarantee::at_least_once);
    out.any_path = in.flag();
  }
  out.router = in.of(Router::round_robin);
  out.copies_max = static_cast<std::uint32_t>(in.number(1, kStepsMax));
  if (out.is_source) return;
  out.retry = read_retry(in);
  out.before = in.indices();
}

}  // namespace

std::string encode(Plan const& plan) {
  Writer out;
  out.word("plan").word(plan.name).number(plan.version).number(plan.fault_tolerant ? 1 : 0);
  out.number(plan.strict ? 1 : 0);
  for (Step const& step : plan.steps) {
    out.word(step.is_source ? "source" : "step").word(step.name);
    if (step.is_source)
      out.of(step.hash).number((step.keeps_versions ? 2
                                : step.remembers    ? 1
                                                    : 0) +
                               (step.tells_deleted ? kTellsDeleted : 0));
    else
      out.of(step.kind).of(step.effect).of(step.guarantee).number(step.any_path ? 1 : 0);
    out.of(step.router).number(step.copies_max);
    if (step.is_source) continue;
    write(step.retry, out);
    std::string before;
    for (StepIndex const index : step.before) before += (before.empty() ? "" : ",") + std::to_string(index);
    out.word(before);
  }
  return out.take();
}

std::optional<Plan> decode(std::string_view text) {
  Reader in{text};
  Plan out;
  if (in.word() != "plan") return std::nullopt;
  out.name = in.name();
  out.version = static_cast<std::uint32_t>(in.number(1, kVersionMax));
  out.fault_tolerant = in.flag();
  out.strict = in.flag();
  while (in.ok() && !in.at_end()) {
    std::string_view const word = in.word();
    if ((word != "source" && word != "step") || out.steps.size() == kStepsMax) return std::nullopt;
    read_step(word, in, out.steps.emplace_back());
  }
  if (!in.ok()) return std::nullopt;
  for (std::size_t i = 0; i < out.steps.size(); ++i)
    for (StepIndex const before : out.steps[i].before) {
      if (before >= out.steps.size()) return std::nullopt;
      out.steps[before].after.push_back(static_cast<StepIndex>(i));
    }
  if (!is_usable(check(out), out.strict)) return std::nullopt;
  return out;
}

}  // namespace fastjournal::plan
