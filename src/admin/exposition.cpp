#include "admin/exposition.h"

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
  std::string labels;
  if (!label.empty()) {
    labels.append(label).append("=\"");
    append_escaped(value, true, labels);
    labels += '"';
  }
  labels_.push_back(std::move(labels));
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
    families_.push_back(
        {prefix_, std::string{metric.name}, std::move(name), metric.help, metric.kind, units, is_histogram, {}, {}});
    // Values of a width are whole numbers of at most 2^width - 1.
    for (unsigned width = 0; is_histogram && width <= kWidthMost; width += kWidthStep)
      families_.back().bounds.push_back(bound(static_cast<double>((std::uint64_t{1} << width) - 1) / units));
  }
  expected_ = at->second + 1;
  return families_[at->second];
}

void Exposition::Sink::integer(Metric const& metric, std::int64_t value) {
  owner_.family_of(metric, false).samples.push_back({owner_.labels_.size() - 1, nullptr, 0, value, false});
}

void Exposition::Sink::real(Metric const& metric, double value) {
  owner_.family_of(metric, false).samples.push_back({owner_.labels_.size() - 1, nullptr, value, 0, true});
}

void Exposition::Sink::histogram(Metric const& metric, Histogram const& values) {
  if (values.count() == 0) return;
  owner_.family_of(metric, true).samples.push_back({owner_.labels_.size() - 1, &values, 0, 0, false});
}

void Exposition::write(Format format, std::function<void(std::string_view piece)> const& take) const {
  std::string out;
  out.reserve(kPieceBytes + kPieceBytes / 4);
  for (Family const& family : families_) {
    bool const is_counter = !family.is_histogram && family.kind == Metric::Kind::counter;
    std::string const sample_name = family.name + (is_counter ? "_total" : "");
    std::string const& described = format == Format::text ? sample_name : family.name;
    out.append("# HELP ").append(described).append(" ");
    append_escaped(family.help, format == Format::openmetrics, out);
    out.append("\n# TYPE ").append(described);
    out += family.is_histogram ? " histogram\n" : is_counter ? " counter\n" : " gauge\n";
    for (Sample const& sample : family.samples) {
      if (sample.histogram != nullptr)
        write_histogram(family, sample, out);
      else
        write_number(family, sample_name, sample, out);
      if (out.size() < kPieceBytes) continue;
      take(out);
      out.clear();
    }
  }
  if (format == Format::openmetrics) out += "# EOF\n";
  take(out);
}

void Exposition::write_number(Family const& family, std::string_view name, Sample const& sample,
                              std::string& out) const {
  out += name;
  if (std::string const& labels = labels_[sample.labels]; !labels.empty()) out.append("{").append(labels).append("}");
  out += ' ';
  if (sample.is_real)
    append_number(sample.real / family.units, out);
  else if (family.units != 1)
    append_number(static_cast<double>(sample.integer) / family.units, out);
  else
    append_number(sample.integer, out);
  out += '\n';
}

void Exposition::write_histogram(Family const& family, Sample const& sample, std::string& out) const {
  std::string const& labels = labels_[sample.labels];
  auto const line = [&](std::string_view suffix) -> std::string& { return out.append(family.name).append(suffix); };
  std::array<std::uint64_t, 65> const by_width = sample.histogram->by_width();
  std::uint64_t seen = 0;
  for (unsigned width = 0; width <= kWidthMost; ++width) {
    seen += by_width[width];
    if (width % kWidthStep != 0) continue;
    line("_bucket{").append(labels).append(labels.empty() ? "" : ",").append(family.bounds[width / kWidthStep]);
    append_number(static_cast<std::int64_t>(seen), out);
    out += '\n';
  }
  std::string const braces = labels.empty() ? std::string{" "} : "{" + labels + "} ";
  line("_bucket{").append(labels).append(labels.empty() ? "le=\"+Inf\"} " : ",le=\"+Inf\"} ");
  append_number(static_cast<std::int64_t>(sample.histogram->count()), out);
  out += '\n';
  line("_sum").append(braces);
  append_number(static_cast<double>(sample.histogram->sum()) / family.units, out);
  out += '\n';
  line("_count").append(braces);
  append_number(static_cast<std::int64_t>(sample.histogram->count()), out);
  out += '\n';
}

}  // namespace fastjournal::admin
