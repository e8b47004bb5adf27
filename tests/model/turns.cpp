#include "tests/model/turns.h"

#include <algorithm>

namespace fastjournal::reference {

void Turns::seat(std::set<Seat> const& wanted, WeightOf const& weight_of) {
  std::erase_if(places_, [&](auto const& entry) { return !wanted.contains(entry.first); });
  std::erase_if(front_, [&](auto const& entry) { return !wanted.contains({entry.first, entry.second}); });
  for (Seat const& seat : wanted)
    if (!places_.contains(seat)) places_[seat].credit = weight_of(seat.second);
}

std::set<std::string> Turns::allowed(int ring, WeightOf const& weight_of) const {
  if (auto const front = front_.find(ring); front != front_.end()) return {front->second};
  std::set<std::string> out;
  for (auto const& [seat, place] : places_) {
    if (seat.first != ring) continue;
    std::string const& name = seat.second;
    std::uint64_t const most = std::max(weight_of(name), place.credit_max);
    bool const too_often = std::any_of(places_.begin(), places_.end(), [&](auto const& other) {
      auto const count = other.second.overtook.find(name);
      return other.first.first == ring && count != other.second.overtook.end() &&
             count->second >= std::max(most, other.second.bounds.at(name));
    });
    if (!too_often) out.insert(name);
  }
  return out;
}

void Turns::hand_out(Seat const& seat, bool asked, WeightOf const& weight_of) {
  auto const found = places_.find(seat);
  if (found == places_.end()) return;
  auto const& [ring, name] = seat;
  Place& place = found->second;
  place.overtook.clear();
  place.bounds.clear();
  bool alone = true;
  for (auto& [other, waiting] : places_) {
    if (other.first != ring || other.second == name) continue;
    alone = false;
    if (asked) continue;
    ++waiting.overtook[name];
    waiting.bounds[name] = std::max({waiting.bounds[name], weight_of(name), place.credit_max});
  }
  if (!asked) {
    front_.erase(ring);
    if (place.credit) front_[ring] = name;
  }
  if (!place.credit || --*place.credit > 0) return;
  place.credit = weight_of(name);
  if (auto const front = front_.find(ring); !alone && front != front_.end() && front->second == name)
    front_.erase(front);
}

void Turns::forget_credits(WeightOf const& old_weight_of) {
  for (auto& [seat, place] : places_) {
    place.credit.reset();
    place.credit_max = std::max(place.credit_max, old_weight_of(seat.second));
  }
  front_.clear();
}

std::string Turns::text() const {
  std::string out;
  for (auto const& [seat, place] : places_) {
    auto const front = front_.find(seat.first);
    out += " " + std::to_string(seat.first) + "/\"" + seat.second + "\"";
    if (front != front_.end() && front->second == seat.second) out += " begun";
    out += place.credit ? " credit " + std::to_string(*place.credit) : " credit unknown";
    for (auto const& [name, count] : place.overtook)
      out += ", overtaken " + std::to_string(count) + " x by \"" + name + "\"";
    out += ";";
  }
  return out;
}

void Turns::clear() {
  places_.clear();
  front_.clear();
}

}  // namespace fastjournal::reference
