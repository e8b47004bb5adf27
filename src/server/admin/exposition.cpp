#include "server/admin/exposition.h"

#include <array>
#include <charconv>
#include <cmath>

namespace fastjournal::admin {
namespace {

// Of the widths of values: every third, so that a histogram has 12 buckets. The last bound is 2.4 hours in us.
constexpr unsigned kWidthStep = 3;
constexpr unsigned kWidthMost = 33;

// A piece of the text; a line more may come with it.
constexpr std::size_t kPieceBytes = 64U << 10U;

// Label values and help texts: `"` stands as itself in a help text, which is not quoted.
void append_escaped(std::string_view text, bool is_quoted, std::string& out) {
  for (char const c : text) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\\')
      out += "\\\\";
    else if (c == '"' && is_quoted)
      out += "\\\"";
    else
      out += c;
  }
}

void append_number(std::int64_t value, std::string& out) {
  std::array<char, 24> digits;
  auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

// The shortest form that is read back as the same.
void append_number(double value, std::string& out) {
  if (std::isnan(value)) {
    out += "NaN";
  } else if (std::isinf(value)) {
    out += value < 0 ? "-Inf" : "+Inf";
  } else {
    std::array<char, 40> digits;
    auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    out.append(digits.data(), end);
  }
}

// The label of a bucket: OpenMetrics wants a real number, with a point.
std::string bound(double value) {
  std::string out{"le=\""};
  append_number(value, out);
  if (out.find_first_of(".e", 4) == std::string::npos) out += ".0";
  return out + "\"} ";
}

// lateness_us -> lateness_seconds, turn_us_max -> turn_seconds_max, next_date -> next_date_timestamp_seconds.
std::string in_seconds(std::string_view name, double& units) {
  std::string out;
  units = 1;
  while (true) {
    std::size_t const end = std::min(name.find('_'), name.size());
    std::string_view const word = name.substr(0, end);
    bool const is_last = end == name.size();
    if (word == "ms" || word == "us") {
      units = word == "ms" ? 1e3 : 1e6;
      out += "seconds";
    } else if (word == "date" && is_last) {
      units = 1e3;
      out += "date_timestamp_seconds";
    } else {
      out += word;
    }
    if (is_last) return out;
    out += '_';
    name.remove_prefix(end + 1);
  }
}

}  // namespace

MetricSink& Exposition::begin(std::string_view prefix, std::string_view label, std::string_view value) {
  prefix_ = prefix;
  expected_ = families_.size();
  labels_.clear();
  if (!label.empty()) {
    labels_.append(label).append("=\"");
    append_escaped(value, true, labels_);
    labels_ += '"';
  }
  return sink_;
}

Exposition::Family& Exposition::family_of(Metric const& metric, bool is_histogram) {
  if (expected_ < families_.size() && families_[expected_].told == metric.name &&
      families_[expected_].prefix == prefix_)
    return families_[expected_++];
  double units = 1;
  std::string name{prefix_};
  name += in_seconds(metric.name, units);
  auto const [at, is_new] = by_name_.try_emplace(name, families_.size());
  if (is_new) {
    bool const is_counter = !is_histogram && metric.kind == Metric::Kind::counter;
    families_.push_back({prefix_, std::string{metric.name}, std::move(name), units, is_counter, {}, {}});
    describe(families_.back(), metric, is_histogram);
  }
  expected_ = at->second + 1;
  return families_[at->second];
}

void Exposition::describe(Family& family, Metric const& metric, bool is_histogram) const {
  // Values of a width are whole numbers of at most 2^width - 1.
  for (unsigned width = 0; is_histogram && width <= kWidthMost; width += kWidthStep)
    family.bounds.push_back(bound(static_cast<double>((std::uint64_t{1} << width) - 1) / family.units));
  std::string const described = family.name + (family.is_counter && format_ == Format::text ? "_total" : "");
  family.text.append("# HELP ").append(described).append(" ");
  append_escaped(metric.help, format_ == Format::openmetrics, family.text);
  family.text.append("\n# TYPE ").append(described);
  family.text += is_histogram ? " histogram\n" : family.is_counter ? " counter\n" : " gauge\n";
}

std::string& Exposition::begin_line(Family& family) const {
  family.text.append(family.name).append(family.is_counter ? "_total" : "");
  if (!labels_.empty()) family.text.append("{").append(labels_).append("}");
  return family.text.append(" ");
}

void Exposition::Sink::integer(Metric const& metric, std::int64_t value) {
  Family& family = owner_.family_of(metric, false);
  std::string& line = owner_.begin_line(family);
  if (family.units != 1)
    append_number(static_cast<double>(value) / family.units, line);
  else
    append_number(value, line);
  line += '\n';
}

void Exposition::Sink::real(Metric const& metric, double value) {
  Family& family = owner_.family_of(metric, false);
  std::string& line = owner_.begin_line(family);
  append_number(value / family.units, line);
  line += '\n';
}

void Exposition::Sink::histogram(Metric const& metric, Histogram const& values) {
  if (values.count() != 0) owner_.write_histogram(owner_.family_of(metric, true), values);
}

void Exposition::write_histogram(Family& family, Histogram const& values) const {
  std::string& out = family.text;
  auto const line = [&](std::string_view suffix) -> std::string& { return out.append(family.name).append(suffix); };
  std::array<std::uint64_t, 65> const by_width = values.by_width();
  std::uint64_t seen = 0;
  for (unsigned width = 0; width <= kWidthMost; ++width) {
    seen += by_width[width];
    if (width % kWidthStep != 0) continue;
    line("_bucket{").append(labels_).append(labels_.empty() ? "" : ",").append(family.bounds[width / kWidthStep]);
    append_number(static_cast<std::int64_t>(seen), out);
    out += '\n';
  }
  std::string const braces = labels_.empty() ? std::string{" "} : "{" + labels_ + "} ";
  line("_bucket{").append(labels_).append(labels_.empty() ? "le=\"+Inf\"} " : ",le=\"+Inf\"} ");
  append_number(static_cast<std::int64_t>(values.count()), out);
  out += '\n';
  line("_sum").append(braces);
  append_number(static_cast<double>(values.sum()) / family.units, out);
  out += '\n';
  line("_count").append(braces);
  append_number(static_cast<std::int64_t>(values.count()), out);
  out += '\n';
}

template <typename Take>
void Exposition::cut(Cut& from, Take&& take) const {
  for (std::size_t bytes = 0; from.family < families_.size() && bytes < kPieceBytes;) {
    std::string_view const text{families_[from.family].text};
    std::size_t const room = kPieceBytes - bytes;
    std::size_t const end = text.size() - from.at <= room ? text.size() : text.find('\n', from.at + room - 1) + 1;
    take(text.substr(from.at, end - from.at));
    bytes += end - from.at;
    from = end == text.size() ? Cut{from.family + 1, 0} : Cut{from.family, end};
  }
}

std::size_t Exposition::end() {
  if (format_ == Format::openmetrics) families_.emplace_back().text = "# EOF\n";
  std::size_t pieces = 0;
  Cut at;
  do {
    cut(at, [](std::string_view) {});
    ++pieces;
  } while (at.family < families_.size());
  return pieces;
}

std::string Exposition::take() {
  std::string out;
  out.reserve(kPieceBytes + kPieceBytes / 4);
  std::size_t const first = taken_.family;
  cut(taken_, [&](std::string_view text) { out += text; });
  for (std::size_t family = first; family < taken_.family; ++family) std::string{}.swap(families_[family].text);
  return out;
}

std::uint64_t Exposition::bytes() const {
  std::uint64_t out = 0;
  for (Family const& family : families_) out += family.text.capacity();
  return out;
}

}  // namespace fastjournal::admin
