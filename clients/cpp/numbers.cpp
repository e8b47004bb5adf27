#include "clients/cpp/numbers.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace fastjournal::client {
namespace {

constexpr std::chrono::minutes kWithoutRoom{1};

}  // namespace

std::string drawn_name() {
  std::array<unsigned char, 16> bits{};
  // Interrupted only by a signal while the computer boots.
  while (::getrandom(bits.data(), bits.size(), 0) < 0) {
  }
  std::string out = "client-";
  for (unsigned char const byte : bits) fmt::format_to(std::back_inserter(out), "{:02x}", byte);
  return out;
}

Numbers::Numbers(std::string client)
    : is_drawn_(client.empty()), client_(client.empty() ? drawn_name() : std::move(client)) {}

void Numbers::give(Message& command) {
  if (command.has("client") || command.has("sequence")) return;
  std::string_view const table = command.text("table");
  auto of = tables_.find(table);
  if (of == tables_.end()) of = tables_.emplace(table, OfTable{}).first;
  if (of->second.none_until != Moment{} && std::chrono::steady_clock::now() < of->second.none_until) return;
  command.set("client", std::string_view{client_});
  command.set("sequence", Value::of_unsigned(++of->second.last));
}

bool Numbers::has_no_room(std::string_view table, Status const& refusal) {
  bool const is_of_name = std::ranges::any_of(
      refusal.facts(), [](auto const& fact) { return fact.first == "parameter" && fact.second == "client"; });
  if (!is_of_name) return false;
  if (refusal.code() == Code::not_allowed && is_drawn_) {
    std::string const next = drawn_name();
    client_.assign(next);  // where it was: callers may have its address
    tables_.clear();
  }
  if (refusal.code() != Code::over_limit) return false;
  tables_[std::string{table}].none_until = std::chrono::steady_clock::now() + kWithoutRoom;
  return true;
}

}  // namespace fastjournal::client
