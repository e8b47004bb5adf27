#include "plugins/queue/beanstalk_tubes.h"

#include <algorithm>

namespace fastjournal::queue::beanstalk {

Tube& Tubes::at(std::string_view name) {
  auto const found = all_.find(name);
  return found != all_.end() ? found->second : all_.emplace(std::string{name}, Tube{}).first->second;
}

void Tubes::forget_if_unnamed(std::string_view name) {
  auto const found = all_.find(name);
  if (found != all_.end() && !found->second.is_named()) all_.erase(found);
}

void Tubes::leave(std::string_view name) {
  if (all_.size() > kMax) forget_if_unnamed(name);
}

}  // namespace fastjournal::queue::beanstalk
