// The self-description of a table type: its commands, its options and its protocols, each in one table, which
// TYPE.xml is compared with; and the descriptor that the daemon loads.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "fastjournal/declaration.h"
#include "fastjournal/table.h"
#include "model/type_check.h"

namespace fastjournal::rows {

// ---------------------------------------------------------------------------
// Commands

template <typename TableClass>
struct NamedCommand {
  std::string_view name;
  Verdict (*decide)(TableClass const&, Command const&, Decision&);
};

[[nodiscard]] inline std::uint16_t index_of(std::string_view name, TypeDeclaration const& type) {
  auto const found = std::ranges::find(type.commands, name, &CommandDeclaration::name);
  return static_cast<std::uint16_t>(found - type.commands.begin());
}

// The command is decided by this function of that part of the table.
template <auto kPart, auto kDecide, typename TableClass>
Verdict by(TableClass const& table, Command const& command, Decision& decision) {
  return ((table.*kPart).*kDecide)(command, decision);
}

// Those of TableClass::commands(), in the order of TYPE.xml: by Command::index.
template <typename TableClass>
class Commands {
 public:
  explicit Commands(TypeDeclaration const& type) {
    for (CommandDeclaration const& declared : type.commands)
      for (NamedCommand<TableClass> const& known : TableClass::commands())
        if (known.name == declared.name) handlers_.push_back(known.decide);
  }

  Verdict decide(TableClass const& table, Command const& command, Decision& decision) const {
    return handlers_[command.index](table, command, decision);
  }

 private:
  std::vector<Verdict (*)(TableClass const&, Command const&, Decision&)> handlers_;
};

// ---------------------------------------------------------------------------
// Options

template <typename Options>
struct NamedOption {
  std::string_view name;
  void (*read)(Options& to, OptionValue const& value){nullptr};  // null: others read it
};

// The option's value goes to the member at the end of this path.
template <auto... kPath, typename Options>
void into(Options& to, OptionValue const& value) {
  auto& member = (to.*....*kPath);
  using Member = std::remove_reference_t<decltype(member)>;
  if constexpr (std::is_same_v<Member, std::string>)
    member = value.text;
  else if constexpr (requires { member.take(value.text); })
    member.take(value.text);
  else
    member = static_cast<Member>(value.integer);
}

// The declaration of a table, and its options (those of Options::all(); complete() makes what follows from them): all
// that a reload changes.
template <typename Options>
struct Declared {
  explicit Declared(std::shared_ptr<TableDeclaration const> its_declaration) { take(std::move(its_declaration)); }

  [[nodiscard]] std::string const& table() const { return declaration->name; }
  void take(std::shared_ptr<TableDeclaration const> next) {
    options = read(*next);
    declaration = std::move(next);
  }
  [[nodiscard]] static Options read(TableDeclaration const& declaration) {
    Options out;
    for (auto const& one : Options::all())
      if (one.read != nullptr) one.read(out, declaration.option(one.name));
    if constexpr (requires { out.complete(); }) out.complete();
    return out;
  }

  std::shared_ptr<TableDeclaration const> declaration;
  Options options;
};

// ---------------------------------------------------------------------------
// The type

inline constexpr std::array<PluginProtocol, 0> kNoProtocols{};

// A class of tables with commands() and check(), their options, and the protocols that it brings.
template <typename TableClass, typename Options, auto const& kProtocols = kNoProtocols>
[[nodiscard]] PluginDescriptor describe_type(char const* type_name) {
  PluginDescriptor out{.build = "g++ " __VERSION__, .name = type_name, .protocols = kProtocols};
  out.check_type = [](TypeDeclaration const& type) {
    auto const names_of = [](auto const& all) {
      std::vector<std::string_view> names;
      for (auto const& one : all) names.push_back(one.name);
      return names;
    };
    return model::check_type(type, names_of(TableClass::commands()), names_of(Options::all()), names_of(kProtocols));
  };
  out.create = [](TableContext const& context, std::shared_ptr<TypeDeclaration const> type,
                  std::shared_ptr<TableDeclaration const> declaration) -> Result<std::unique_ptr<Table>> {
    if (Status status = TableClass::check(*declaration); !status.ok()) return status;
    return std::unique_ptr<Table>{std::make_unique<TableClass>(context, std::move(type), std::move(declaration))};
  };
  return out;
}

}  // namespace fastjournal::rows
