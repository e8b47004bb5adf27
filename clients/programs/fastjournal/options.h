// The words and options of a verb, as members of its own struct: each is declared where it stands, is checked and
// converted where the command line is read, and is then the value itself, so that verbs get values and not texts. Only
// command_line.cpp sees CLI11 behind it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "clients/programs/fastjournal/call.h"
#include "clients/programs/fastjournal/help.h"
#include "clients/programs/fastjournal/made_parameters.h"
#include "clients/programs/fastjournal/values.h"
#include "model/duration.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the name of the library
class App;
class Option;
}  // namespace CLI

namespace fastjournal::cli {

// What else holds of an option that was declared.
using Rule = std::function<void(CLI::Option& option)>;

class OneOption;

void required(CLI::Option& option);
// One word that must be there, beside no others.
void alone(CLI::Option& option);
// Its value is the next word only, however often it is given.
void one_each(CLI::Option& option);
[[nodiscard]] Rule expected(int least, int most);
// What its value is called in help.
[[nodiscard]] Rule called(std::string const& value);
// Given as often as wanted, with one such value each.
[[nodiscard]] Rule repeated(std::string const& value);
// Words between blanks; none: any.
[[nodiscard]] Rule one_of(std::string_view words);
[[nodiscard]] Rule excludes(OneOption const& other);
[[nodiscard]] Rule only_with(OneOption const& other);

class OneOption {
 public:
  OneOption(CLI::Option* made, Help const& help, auto const&... rules) : made_(made) {
    (Rule{rules}(*made), ..., one_of(help.choices)(*made));
  }
  [[nodiscard]] CLI::Option* made() const { return made_; }

 private:
  CLI::Option* made_;
};

// Sets what was given.
struct Switch {
  bool is_on{false};
};
void set_given(Message& message, std::string_view name, std::string const& text);
void set_given(Message& message, std::string_view name, Switch const& flag);
template <typename T>
void set_given(Message& message, std::string_view name, std::optional<T> const& value) {
  if (!value) return;
  if constexpr (std::is_same_v<T, client::Date>)
    set_date(message, name, *value);
  else if constexpr (std::is_same_v<T, DurationMs>)
    message.set_integer(name, value->value);
  else if constexpr (std::is_integral_v<T>)
    message.set(name, Value::of_unsigned(*value));
  else
    message.set(name, *value);
}

// Where options are declared: by the constructors of a verb's members, which stay where they are.
class OptionSet {
 public:
  using Take = std::function<Status(std::string_view text)>;

  OptionSet(CLI::App& app, Globals& all) : app_(app), all_(all) {}

  CLI::Option* flag(std::string const& name, bool& out, std::string const& description);
  CLI::Option* text(std::string const& name, std::string& out, std::string const& description);
  CLI::Option* words(std::string const& name, std::vector<std::string>& out, std::string const& description);
  CLI::Option* parsed(std::string const& name, std::string const& value, std::string const& description, Take take);
  std::string& table() { return all_.table; }
  void command(std::vector<std::string>& out) { command_ = &out; }
  // Of a parameter.
  void keep(Help const& help, auto const& option) {
    if (help.parameter.empty()) return;
    parameters_.push_back([name = help.parameter, &option](Message& to) { set_given(to, name, option); });
  }
  // Sets the parameters that were given.
  void fill(Message& to) const {
    for (auto const& set : parameters_) set(to);
  }

 private:
  friend class Grammar;

  CLI::App& app_;
  Globals& all_;
  std::vector<std::string>* command_{nullptr};
  std::vector<std::function<void(Message& to)>> parameters_;
};

struct Text : std::string, OneOption {
  Text(OptionSet& to, char const* name, Help const& help, auto const&... rules)
      : OneOption(to.text(name, *this, help.text()), help, rules...) {
    to.keep(help, *this);
  }
  [[nodiscard]] std::string const& str() const { return *this; }
  [[nodiscard]] std::string or_else(std::string_view other) const { return std::string{empty() ? other : *this}; }
};

struct WordList : std::vector<std::string>, OneOption {
  WordList(OptionSet& to, char const* name, Help const& help, auto const&... rules)
      : OneOption(to.words(name, *this, help.text()), help, rules...) {}
};

// The words behind --, which are a command's.
struct CommandWords : std::vector<std::string> {
  explicit CommandWords(OptionSet& to) { to.command(*this); }
};

struct Flag : Switch, OneOption {
  Flag(OptionSet& to, char const* name, Help const& help, auto const&... rules)
      : Switch{}, OneOption(to.flag(name, is_on, help.text()), help, rules...) {
    to.keep(help, *this);
  }
  operator bool() const { return is_on; }  // NOLINT(google-explicit-constructor)
};

// Of another type than text. `Parse` has the name of its value in help, and makes the value of a word.
template <typename T, typename Parse>
struct Typed : std::optional<T>, OneOption {
  Typed(OptionSet& to, char const* name, Help const& help, auto const&... rules)
      : Typed(to, name, help, parse_of(help), rules...) {}
  Typed(OptionSet& to, char const* name, Help const& help, Parse const& parse, auto const&... rules)
      : OneOption(to.parsed(name, Parse::kName, help.text(),
                            [this, parse](std::string_view text) {
                              auto value = parse(text);
                              Status const status = value.status();
                              if (status.ok()) this->emplace(static_cast<T>(std::move(value).value()));
                              return status;
                            }),
                  help, rules...) {
    to.keep(help, *this);
  }

 private:
  static Parse parse_of(Help const& help) {
    if constexpr (requires { Parse{help.least, help.most}; })
      return Parse{help.least, help.most};
    else
      return Parse{};
  }
};

// Whole numbers from `least` to `most`, without sign or other characters.
struct WholeNumbers {
  static constexpr char kName[] = "NUMBER";
  std::uint64_t least{0};
  std::uint64_t most{UINT64_MAX};

  [[nodiscard]] Result<std::uint64_t> operator()(std::string_view text) const;
};

struct Durations {
  static constexpr char kName[] = "DURATION";
  [[nodiscard]] Result<DurationMs> operator()(std::string_view text) const { return parse_duration(text); }
};

template <auto parse>
struct Dates {
  static constexpr char kName[] = "DATE";
  [[nodiscard]] Result<client::Date> operator()(std::string_view text) const { return parse(text); }
};

// In the configuration's spelling.
struct Sizes {
  static constexpr char kName[] = "SIZE";
  [[nodiscard]] auto operator()(std::string_view text) const { return model::parse_size(text); }
};

// Empty is a value, too.
struct Texts {
  static constexpr char kName[] = "TEXT";
  [[nodiscard]] Result<std::string> operator()(std::string_view text) const { return std::string{text}; }
};

template <typename T = std::uint64_t>
using Number = Typed<T, WholeNumbers>;
using Duration = Typed<DurationMs, Durations>;
using When = Typed<client::Date, Dates<parse_date>>;
using Expiration = Typed<client::Date, Dates<parse_expiration>>;  // or never
using Size = Typed<std::uint64_t, Sizes>;
using MaybeText = Typed<std::string, Texts>;

// Of the table that errors name.
struct TableName : OneOption {
  explicit TableName(OptionSet& to) : TableName(to, "TABLE", "name of the table", required) {}
  TableName(OptionSet& to, char const* name, Help const& help, auto const&... rules)
      : OneOption(to.text(name, to.table(), help.text()), help, rules...) {}
};

// Of the folder with the table types.
struct Plugins : Text {
  explicit Plugins(OptionSet& to, std::string const& otherwise = "where they were installed")
      : Text(to, "--plugins", "folder of the table types (default: " + otherwise + ")", called("FOLDER")) {}
};

// Of lists that come in pages.
struct Page {
  OptionSet& to;
  Text after{to, "--after", "go on where an earlier list ended"};
  Number<> count{to, "--count", "how many at most (default 100, with --json all)", WholeNumbers{1}};

  // `most`: unless --count says otherwise.
  [[nodiscard]] Paging paging(std::uint64_t most) const { return {after.str(), count.value_or(most)}; }
};

}  // namespace fastjournal::cli
