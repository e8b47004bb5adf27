// A verb of the command line as a value: what it is called, what must be there before it runs, and how its struct is
// made, which declares the options and runs with them. verbs.h lists all verbs; help, completion and the manual are
// made of that list.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clients/programs/fastjournal/options.h"

namespace fastjournal::cli {

enum class Needs : std::uint8_t {
  nothing,
  address,     // of the daemon
  daemon,      // and a token; the verb connects by itself
  connection,  // an open one
  table,       // the same, and TABLE is its first word
};

// What was given to a verb.
class Action {
 public:
  Action() = default;
  Action(Action const&) = delete;
  Action& operator=(Action const&) = delete;
  virtual ~Action() = default;

  // What contradicts itself in what was given, for people; empty: nothing.
  [[nodiscard]] virtual std::string contradiction(Globals const& all) const = 0;
  // Options may change what the verb needs.
  [[nodiscard]] virtual Needs needs(Needs usual) const = 0;
  [[nodiscard]] virtual ExitCode run(Call& call) = 0;

  std::unique_ptr<OptionSet> options;  // that it was made with
};

struct Verb {
  std::string_view name;  // "log verify" for a verb of a group
  std::string_view description;
  Needs needs;
  std::unique_ptr<Action> (*declare)(OptionSet& to);
  // Of help, one a line; a test runs each of them through the parser.
  std::string_view examples;
  std::string_view footer{};
};

// Of a struct with an Options& first, options as further members, and run(); contradiction() and needs() if it has a
// say.
template <typename T>
struct Held final : Action {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-braces"  // of a T with a base, says clang
  explicit Held(OptionSet& to, auto const&... more) : one{to, more...} {}
#pragma GCC diagnostic pop

  [[nodiscard]] std::string contradiction(Globals const& all) const override {
    if constexpr (requires { one.contradiction(all); })
      return one.contradiction(all);
    else
      return {};
  }
  [[nodiscard]] Needs needs(Needs usual) const override {
    if constexpr (requires { one.needs(usual); })
      return one.needs(usual);
    else
      return usual;
  }
  [[nodiscard]] ExitCode run(Call& call) override { return one.run(call); }

  T one;
};

template <typename T, auto... kMore>
std::unique_ptr<Action> declare(OptionSet& to) {
  return std::make_unique<Held<T>>(to, kMore...);
}

// Verbs in the order of help.
struct Group {
  std::string_view name;  // "log"; empty: its verbs stand alone
  std::string_view description;
  std::vector<std::span<Verb const>> verbs;
};

}  // namespace fastjournal::cli
