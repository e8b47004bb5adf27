// A regular expression over keys (RE2: its time is linear in the bytes that it looks at, whatever the expression), and
// the work that it has done.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace fastjournal::keyvalue {

inline constexpr std::size_t kRegexBytesMax = 1'024;

class Pattern {
 public:
  Pattern();
  ~Pattern();
  Pattern(Pattern const&) = delete;
  Pattern& operator=(Pattern const&) = delete;

  // Empty, or what is wrong with it. Without it every key matches.
  [[nodiscard]] std::string read(std::string_view regex);
  // A part of the key matches.
  [[nodiscard]] bool matches(std::string_view key);
  // Of an expression that begins with ^ and some text: keys that match begin so.
  [[nodiscard]] std::string const& prefix() const { return prefix_; }
  // So much was looked at that others have their turn.
  [[nodiscard]] bool has_worked_enough() const;
  // As Decision::work_units.
  [[nodiscard]] std::uint32_t work_units() const;

 private:
  std::unique_ptr<re2::RE2> regex_;
  std::string prefix_;
  std::uint64_t work_{0};
  std::uint64_t cost_of_byte_{1};
};

}  // namespace fastjournal::keyvalue
