#include "plugins/rows/extras.h"

#include <algorithm>
#include <utility>

#include "model/duration.h"
#include "model/value.h"

namespace fastjournal::rows {
namespace {

bool is_tag_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view{"._:/@+#-"}.find(c) != std::string_view::npos;
}

Status refuse_tag(std::string_view tag, std::string_view reason) {
  return {Code::bad_parameter, "found the tag " + model::shown(tag) + ", " + std::string{reason}};
}

constexpr std::pair<std::string_view, BackOff::Formula> kFormulas[] = {{"doubling", BackOff::Formula::doubling},
                                                                       {"linear", BackOff::Formula::linear},
                                                                       {"sidekiq", BackOff::Formula::sidekiq}};

}  // namespace

namespace extras {

Extras read(std::string_view bytes) {
  Extras out;
  if (!bytes.empty()) static_cast<void>(model::read_body(bytes, 1, out));
  return out;
}

std::string write(Extras const& extras) {
  std::string out;
  if (!extras.is_empty()) model::write_body(out, extras);
  return out;
}

std::string_view tags_of(std::string_view bytes) { return read(bytes).tags.value_or(std::string_view{}); }

bool is_of_row(std::string_view bytes) {
  Extras found;
  return model::read_body(bytes, 1, found) && found.is_of_row();
}

bool is_change(std::string_view bytes) {
  Extras found;
  return model::read_body(bytes, 1, found) && !found.is_empty();
}

std::string changed(std::string_view bytes, std::string_view change) {
  Extras out = read(bytes);
  Extras const given = read(change);
  auto const take = [](auto& to, auto const& from) {
    if (from) to = from;
  };
  take(out.tags, given.tags);
  take(out.max_attempts, given.max_attempts);
  take(out.back_off, given.back_off);
  take(out.after, given.after);
  take(out.group, given.group);
  take(out.unique_for, given.unique_for);
  take(out.of_schedule, given.of_schedule);
  if (out.tags && out.tags->empty()) out.tags.reset();
  if (out.unique_for == 0) out.unique_for.reset();
  return write(out);
}

}  // namespace extras

// ---------------------------------------------------------------------------
// Tags

Status check_tag(std::string_view tag) {
  if (tag.empty()) return {Code::bad_parameter, "found an empty tag, expected words with commas between them"};
  if (tag.size() > kTagBytesMax)
    return refuse_tag(tag,
                      "of " + std::to_string(tag.size()) + " bytes, expected at most " + std::to_string(kTagBytesMax));
  if (!std::ranges::all_of(tag, is_tag_byte)) return refuse_tag(tag, "expected letters, digits and . _ : / @ + # -");
  return {};
}

Result<std::string> check_tags(std::string_view given) {
  std::string out;
  std::size_t count = 0;
  for (std::string_view left = given; !given.empty();) {
    std::size_t const end = std::min(left.find(','), left.size());
    std::string_view const tag = left.substr(0, end);
    if (Status status = check_tag(tag); !status.ok()) return status;
    if (!has_tag(out, tag)) {
      if (++count > kTagsMax)
        return Status{Code::bad_parameter, "found more than " + std::to_string(kTagsMax) + " tags, expected fewer"};
      if (!out.empty()) out += ',';
      out += tag;
    }
    if (end == left.size()) break;
    left.remove_prefix(end + 1);
  }
  return out;
}

bool has_tag(std::string_view tags, std::string_view tag) {
  bool found = false;
  each_tag(tags, [&](std::string_view one) { found = found || one == tag; });
  return found;
}

// ---------------------------------------------------------------------------
// Rests

void BackOff::take(std::string_view text) {
  if (Result<BackOff> read = parse_back_off(text); read.ok()) *this = std::move(read).value();
}

Result<BackOff> parse_back_off(std::string_view text) {
  BackOff out;
  for (auto const& [name, formula] : kFormulas)
    if (name == text) {
      out.formula = formula;
      return out;
    }
  out.formula = BackOff::Formula::list;
  for (std::string_view left = text;;) {
    std::size_t const end = std::min(left.find(','), left.size());
    Result<std::int64_t> const rest = model::parse_duration(left.substr(0, end));
    if (!rest.ok() || rest.value() > timer::kDateMax || out.rests.size() == kRestsMax)
      return Status{Code::bad_parameter, "found " + model::shown(text) +
                                             ", expected doubling, linear, sidekiq, or up to " +
                                             std::to_string(kRestsMax) + " durations, as in 10s,1m,10m"};
    out.rests.push_back(rest.value());
    if (end == left.size()) return out;
    left.remove_prefix(end + 1);
  }
}

std::string text_of(BackOff const& back_off) {
  for (auto const& [name, formula] : kFormulas)
    if (formula == back_off.formula) return std::string{name};
  std::string out;
  for (std::int64_t const rest : back_off.rests) {
    if (!out.empty()) out += ',';
    out += model::format_duration(rest);
  }
  return out;
}

}  // namespace fastjournal::rows
