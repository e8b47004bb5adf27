// The protocol of beanstalkd from its client's side, as far as an import speaks it: commands leave together, answers are
// read one after the other. Nothing that it says is believed without a limit.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/programs/fastjournal/imports/peer.h"

namespace fastjournal::imports {

// An answer, without its data.
struct Said {
  std::string word;  // "RESERVED"
  std::uint64_t id{0};
  std::string data{};
  std::uint64_t bytes{0};  // of the data
  bool is_dropped{false};  // more than was to be kept
};

class BeanstalkdClient {
 public:
  BeanstalkdClient(std::string place, std::chrono::milliseconds limit) : peer_(std::move(place), limit) {}

  [[nodiscard]] Status connect() { return peer_.connect(); }
  [[nodiscard]] Peer const& peer() const { return peer_; }

  // One line, or with a body behind it. Leaves with flush().
  void put(std::string_view line) { peer_.out().append(line).append("\r\n"); }
  [[nodiscard]] Status flush() { return peer_.flush(); }
  // The next answer; data of more than `kept` bytes are dropped. invalid: it cannot be read.
  [[nodiscard]] Result<Said> answer(std::size_t kept);

  [[nodiscard]] Result<Said> ask(std::string_view line, std::size_t kept = kDataBytesMax);
  // The same; another answer than `word` is an error, NOT_FOUND: not_found.
  [[nodiscard]] Result<Said> expect(std::string_view line, std::string_view word);
  // What a `stats...` says.
  using Figures = std::map<std::string, std::string, std::less<>>;
  [[nodiscard]] Result<Figures> figures(std::string_view line);
  [[nodiscard]] Result<std::vector<std::string>> tubes();

  // Of figures and lists.
  static constexpr std::size_t kDataBytesMax = std::size_t{16} << 20U;

 private:
  Peer peer_;
};

// Of its figures; 0 if it is not there.
[[nodiscard]] std::uint64_t figure_of(BeanstalkdClient::Figures const& all, std::string_view name);
[[nodiscard]] BeanstalkdClient::Figures figures_in(std::string_view data);
[[nodiscard]] std::optional<std::uint64_t> whole_number(std::string_view text);

}  // namespace fastjournal::imports
