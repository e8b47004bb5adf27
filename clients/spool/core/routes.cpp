#include "clients/spool/core/routes.h"

#include <algorithm>

namespace fastjournal::spool {
namespace {

constexpr std::size_t kRoutesMax = 1'000;
constexpr std::string_view kTls = "tls:";

std::string_view fact_of(Status const& status, std::string_view name) {
  for (auto const& [fact, value] : status.facts())
    if (fact == name) return value;
  return {};
}

// A node tells its address without it.
std::string like(std::string_view told_by, std::string_view address) {
  bool const is_bare = !address.starts_with(kTls) && !address.starts_with("unix:") && !address.starts_with('/');
  return std::string{told_by.starts_with(kTls) && is_bare ? kTls : ""} + std::string{address};
}

}  // namespace

bool is_without_owner(Status const& answer) {
  return answer.code() == Code::unavailable && !fact_of(answer, "retry").empty();
}

std::size_t Routes::first_of(std::string_view table) const {
  auto const route = routes_.find(table);
  return route == routes_.end() ? 0 : route->second;
}

std::size_t Routes::find_or_add(std::string_view address, std::size_t told_by) {
  std::string const full = like(addresses_[told_by], address);
  auto const found = std::ranges::find(addresses_, full);
  if (found != addresses_.end()) return static_cast<std::size_t>(found - addresses_.begin());
  // Without an address, or after so many others: the next one may know better.
  if (address.empty() || addresses_.size() >= named_ + kToldMax) return (told_by + 1) % addresses_.size();
  addresses_.push_back(full);
  return addresses_.size() - 1;
}

void Routes::answered(std::string_view table, std::size_t daemon, Status const& answer) {
  bool const is_moved = answer.code() == Code::moved;
  if (!is_moved && answer.code() != Code::unknown_table && !is_without_owner(answer)) return;
  auto const route = routes_.find(table);
  if (route == routes_.end() && routes_.size() >= kRoutesMax) return;
  std::size_t const next =
      is_moved ? find_or_add(fact_of(answer, "address"), daemon) : (daemon + 1) % addresses_.size();
  routes_.insert_or_assign(std::string{table}, next);
}

}  // namespace fastjournal::spool
