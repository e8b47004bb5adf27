#include "plugins/keyvalue/pattern.h"

#include <algorithm>

#include <re2/re2.h>

namespace fastjournal::keyvalue {
namespace {

// Of the compiled expression. Where its states do not fit, it is followed step by step, which costs more for each byte.
constexpr std::int64_t kMemoryMax = 1 << 20;
constexpr int kInstructionsMax = 2'000;
// Of one page, and what one key costs beside its bytes.
constexpr std::uint64_t kWorkMax = 1 << 20;
constexpr std::uint64_t kWorkPerKey = 48;
constexpr std::uint64_t kWorkPerUnit = 64;
// Expressions up to this size keep to their states.
constexpr int kInstructionsPerCost = 100;

// The plain letters behind ^. RE2's own bounds are those of the matching part, which need not be at the beginning of a key.
std::string_view prefix_of(std::string_view regex) {
  if (!regex.starts_with('^') || regex.find('|') != std::string_view::npos) return {};
  std::string_view const rest = regex.substr(1);
  auto const is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view{":/_-,;=@#% "}.find(c) != std::string_view::npos;
  };
  std::size_t plain = 0;
  while (plain < rest.size() && is_plain(rest[plain])) ++plain;
  // The last one may be repeated, also no times.
  bool const is_counted = plain < rest.size() && std::string_view{"*?+{"}.find(rest[plain]) != std::string_view::npos;
  return rest.substr(0, is_counted && plain > 0 ? plain - 1 : plain);
}

}  // namespace

Pattern::Pattern() = default;
Pattern::~Pattern() = default;

std::string Pattern::read(std::string_view regex) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMemoryMax);
  options.set_never_capture(true);
  regex_ = std::make_unique<re2::RE2>(re2::StringPiece{regex.data(), regex.size()}, options);
  if (!regex_->ok()) return "regex: " + regex_->error() + "; expected an expression as RE2 has them";
  if (regex_->ProgramSize() > kInstructionsMax)
    return "regex is compiled to " + std::to_string(regex_->ProgramSize()) + " instructions; expected at most " +
           std::to_string(kInstructionsMax) + ": fewer repetitions, for example";
  cost_of_byte_ = 1 + static_cast<std::uint64_t>(regex_->ProgramSize() / kInstructionsPerCost);
  prefix_ = prefix_of(regex);
  return {};
}

bool Pattern::matches(std::string_view key) {
  if (regex_ == nullptr) return true;
  work_ += kWorkPerKey + key.size() * cost_of_byte_;
  return regex_->Match(re2::StringPiece{key.data(), key.size()}, 0, key.size(), re2::RE2::UNANCHORED, nullptr, 0);
}

bool Pattern::has_worked_enough() const { return work_ >= kWorkMax; }

std::uint32_t Pattern::work_units() const { return static_cast<std::uint32_t>(work_ / kWorkPerUnit); }

}  // namespace fastjournal::keyvalue
