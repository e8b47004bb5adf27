// Options with a type of ours: durations, dates, sizes, whole numbers. Each is parsed once, where the command line is
// read, so that commands get values and not texts.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include "clients/programs/fastjournal/values.h"
#include "fastjournal/status.h"
#include "model/duration.h"

namespace fastjournal::cli {

// CLI11 expects exceptions for our returned errors: the one door between the two.
template <typename T, typename Parse>
CLI::callback_t into(std::string name, T& out, Parse parse) {
  return [name = std::move(name), &out, parse](CLI::results_t const& given) {
    auto parsed = parse(given.back());
    if (!parsed.ok())
      throw CLI::ValidationError(name + ": " + parsed.status().message(), CLI::ExitCodes::ValidationError);
    out = std::move(parsed).value();
    return true;
  };
}

template <typename T>
struct Plain {
  using Type = T;
};
template <typename T>
struct Plain<std::optional<T>> {
  using Type = T;
};

// Whole numbers from `least` to `most`, without sign or other characters.
struct Numbers {
  std::uint64_t least;
  std::uint64_t most;

  [[nodiscard]] Result<std::uint64_t> operator()(std::string_view text) const {
    std::uint64_t out = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    bool const number = error == std::errc{} && end == text.data() + text.size();
    if (number && out >= least && out <= most) return out;
    std::string range = "expected a whole number";
    if (most != UINT64_MAX)
      range += " from " + std::to_string(least) + " to " + std::to_string(most);
    else if (least > 0)
      range += ", " + std::to_string(least) + " or more";
    return Status{Code::bad_parameter, "found '" + std::string(text) + "', " + range};
  }
};

inline CLI::Option* duration(CLI::App& to, std::string const& name, std::optional<DurationMs>& out,
                             std::string const& description) {
  return to.add_option(name, into(name, out, parse_duration), description)->type_name("DURATION");
}

inline CLI::Option* date(CLI::App& to, std::string const& name, std::optional<client::Date>& out,
                         std::string const& description, Result<client::Date> (*parse)(std::string_view) = parse_date) {
  return to.add_option(name, into(name, out, parse), description)->type_name("DATE");
}

template <typename T>
CLI::Option* number(CLI::App& to, std::string const& name, T& out, std::string const& description,
                    std::uint64_t least = 0, std::uint64_t most = UINT64_MAX) {
  Numbers const numbers{least, most};
  auto const parse = [numbers](std::string_view text) -> Result<T> {
    Result<std::uint64_t> const parsed = numbers(text);
    if (!parsed.ok()) return parsed.status();
    return T(static_cast<typename Plain<T>::Type>(parsed.value()));
  };
  return to.add_option(name, into(name, out, parse), description)->type_name("NUMBER");
}

// In the configuration's spelling.
inline CLI::Option* size(CLI::App& to, std::string const& name, std::optional<std::uint64_t>& out,
                         std::string const& description) {
  return to.add_option(name, into(name, out, model::parse_size), description)->type_name("SIZE");
}

}  // namespace fastjournal::cli
