#include "clients/cpp/routes.h"

#include <algorithm>

#include "clients/cpp/link.h"

namespace fastjournal::client {

namespace {

constexpr std::string_view kTlsScheme = "tls:";

bool has_prefix(std::string_view address) {
  return address.starts_with(kTlsScheme) || address.starts_with("unix:") || address.starts_with('/');
}

}  // namespace

Moved moved_of(Message const& message, std::string_view told_by) {
  Moved out;
  out.address = message.text("address");
  if (!out.address.empty() && Socket::is_tls(told_by) && !has_prefix(out.address)) out.address.insert(0, kTlsScheme);
  if (Value const* const token = message.find("token")) out.token = token->as_unsigned();
  return out;
}

std::vector<std::string> addresses_of(std::string_view server) {
  std::vector<std::string> out;
  while (true) {
    std::size_t const end = std::min(server.find(','), server.size());
    std::string_view one = server.substr(0, end);
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    out.emplace_back(one);
    if (end == server.size()) return out;
    server.remove_prefix(end + 1);
  }
}

Route* Routes::find(std::string_view table) {
  auto const found = routes_.find(table);
  return found == routes_.end() ? nullptr : &found->second;
}

Route& Routes::of(std::string_view table) {
  if (Route* const route = find(table)) return *route;
  return routes_.emplace(table, Route{.link = &home_}).first->second;
}

Link* Routes::target_of(std::string_view table) {
  Route const* const route = find(table);
  return route == nullptr ? &home_ : route->link;
}

bool Routes::follow(Route& route, Moved const& moved, Link const& link) {
  route.is_shared = true;
  if (moved.address.empty()) {
    // Home has what the nodes know, sooner or later.
    if (route.link == &link) {
      route.address.clear();
      route.link = &home_;
    }
    return false;
  }
  std::uint64_t const token = moved.token.value_or(route.token);
  if (token < route.token) return route.link != &link;
  // Of two that point at each other, both say the same token.
  bool const is_first = route.address.empty() && &link == &home_;
  bool const is_new = token > route.token || is_first || moved.address == route.address;
  if (moved.address != route.address) {
    route.address = moved.address;
    route.link = nullptr;
  }
  route.token = token;
  return is_new && route.link != &link && moved.address != link.address();
}

void Routes::forget(std::string_view address) {
  for (auto& [table, route] : routes_) {
    if (route.address != address) continue;
    route.address.clear();
    route.token = 0;
    route.link = &home_;
  }
}

void Routes::doubt(std::string_view table, Link const& link) {
  Route* const route = find(table);
  if (route == nullptr || route->link != &link || &link == &home_) return;
  route->address.clear();
  route->link = &home_;
  route->unsettled = true;
}

void Routes::forget_home() {
  for (auto& [table, route] : routes_) {
    if (route.link != &home_) continue;
    route.address.clear();
    route.token = 0;
  }
}

bool Routes::has_route_to(Link const& link) const {
  return std::ranges::any_of(routes_, [&](auto const& entry) { return entry.second.link == &link; });
}

void Routes::unblock() {
  for (auto& [table, route] : routes_) route.unsettled = route.blocked = false;
}

}  // namespace fastjournal::client
