#include "plugins/rows/rules.h"

#include <charconv>
#include <optional>

#include "model/duration.h"
#include "model/value.h"

namespace fastjournal::rows {
namespace {

class Reader {
 public:
  explicit Reader(TableDeclaration const& declaration) : declaration_(declaration) {}

  [[nodiscard]] std::string const& text(std::string_view option) const { return declaration_.option(option).text; }
  // `absent`: where the type has no such option.
  [[nodiscard]] std::int64_t number(std::string_view option, std::int64_t absent = 0) const {
    OptionValue const& value = declaration_.option(option);
    return value.name.empty() ? absent : value.integer;
  }
  [[nodiscard]] bool is_given(std::string_view option) const {
    return number(option) != 0 || (!text(option).empty() && text(option) != "0");
  }
  // The first refusal stays.
  void refuse(std::string_view option, std::string const& reason) {
    if (status_.ok())
      status_ = Status{Code::bad_configuration,
                       declaration_.at(option) + ": element <" + std::string{option} + ">: " + reason};
  }
  [[nodiscard]] Status take_status() { return std::move(status_); }

  DomainSource domain() {
    std::string_view text = this->text("domain");
    DomainSource out;
    if ((text.starts_with("host(") || text.starts_with("site(")) && text.ends_with(")")) {
      out.part = text.starts_with("host(") ? DomainSource::Part::host : DomainSource::Part::site;
      text = text.substr(5, text.size() - 6);
    }
    out.column = text;
    if (this->text("domain").empty()) return out;
    for (Column const& column : declaration_.schema.columns) {
      if (column.name != text) continue;
      if (out.is_of_uri() ? column.type != ColumnType::string : !model::has_text(column.type))
        refuse("domain", "column " + column.name + " is of type " + std::string{model::name_of(column.type)} +
                             (out.is_of_uri() ? ", expected string: it holds the URI"
                                              : ", expected string, char, bool, a whole number or a date"));
      return out;
    }
    refuse("domain",
           "found " + model::shown(this->text("domain")) +
               ", expected the name of a column of this table, or host(NAME) or site(NAME) of one that holds a URI");
    return out;
  }

  std::map<std::string, std::uint32_t, std::less<>> weights() {
    std::map<std::string, std::uint32_t, std::less<>> out;
    std::string_view rest = text("domain-weights");
    while (!rest.empty()) {
      std::size_t const end = std::min(rest.find_first_of(" \t\r\n"), rest.size());
      std::string_view const word = rest.substr(0, end);
      rest.remove_prefix(end == rest.size() ? end : end + 1);
      if (word.empty()) continue;
      // A name may contain "=".
      std::size_t const mark = word.rfind('=');
      std::optional<std::uint64_t> const weight =
          mark == std::string_view::npos ? std::nullopt : whole(word.substr(mark + 1), kWeightMax);
      if (!weight || *weight == 0) {
        refuse("domain-weights", "found " + model::shown(word) + ", expected NAME=WEIGHT with a weight of 1 to " +
                                     std::to_string(kWeightMax) + ", separated by blanks");
        return out;
      }
      if (!out.emplace(word.substr(0, mark), static_cast<std::uint32_t>(*weight)).second)
        refuse("domain-weights", "domain " + model::shown(word.substr(0, mark)) + " stands there twice");
    }
    return out;
  }

  Rate rate(std::string_view option) {
    std::string_view const text = this->text(option);
    Rate out;
    if (text.empty() || text == "0") return out;
    std::size_t const mark = text.find('/');
    std::optional<std::uint64_t> const count = whole(text.substr(0, mark), kRateCountMax);
    Result<std::int64_t> const span =
        model::parse_duration(mark == std::string_view::npos ? std::string_view{} : text.substr(mark + 1));
    if (!count || *count == 0 || !span.ok() || span.value() < 1 || span.value() > kRateSpanMax) {
      refuse(option, "found " + model::shown(text) +
                         ", expected N/DURATION, as 100/1s: at most N rows, 1 to 100000000, in 1ms to 365d");
      return out;
    }
    out.count = *count;
    out.span_ms = span.value();
    return out;
  }

 private:
  static std::optional<std::uint64_t> whole(std::string_view text, std::uint64_t max) {
    std::uint64_t out = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc{} || end != text.data() + text.size() || out > max) return std::nullopt;
    return out;
  }

  TableDeclaration const& declaration_;
  Status status_;
};

}  // namespace

Result<Rules> Rules::read(TableDeclaration const& declaration) {
  Reader reader{declaration};
  Rules out;
  out.domain = reader.domain();
  out.weights = reader.weights();
  out.slow_from = static_cast<unsigned>(reader.number("slow-from", kNotSlow));
  out.aging = reader.number("aging");
  out.concurrency = static_cast<std::uint32_t>(reader.number("concurrency"));
  out.concurrency_domain = static_cast<std::uint32_t>(reader.number("concurrency-domain"));
  out.rate = reader.rate("rate");
  out.rate_domain = reader.rate("rate-domain");
  // Options without an effect are mistakes.
  if (out.domain.is_none()) {
    for (std::string_view const option : {"domain-weights", "concurrency-domain", "rate-domain"})
      if (reader.is_given(option)) reader.refuse(option, "this table has no domains: say with <domain> what they are");
  }
  bool const one = reader.number("one-at-a-time", 1) != 0;
  std::int64_t const of_a_key = reader.number("concurrency-key", 1);
  if (one && of_a_key > 1)
    reader.refuse("concurrency-key", "found " + std::to_string(of_a_key) +
                                         ", but one row of a key goes at a time: set <one-at-a-time> to false as well");
  if (!one && of_a_key < 2)
    reader.refuse("one-at-a-time",
                  "found false, but not how many rows of a key may be processed at once: say it with "
                  "<concurrency-key>, 2 to 64");
  out.concurrency_key = one ? 1 : static_cast<std::uint32_t>(of_a_key);
  if (Status status = reader.take_status(); !status.ok()) return status;
  return out;
}

}  // namespace fastjournal::rows
