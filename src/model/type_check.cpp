#include "model/type_check.h"

#include <algorithm>
#include <string>

namespace fastjournal::model {
namespace {

template <typename Declared>
bool declares(Declared const& all, std::string_view name) {
  return std::ranges::any_of(all, [&](auto const& declared) { return declared.name == name; });
}

Status differ(std::string const& what) { return {Code::bad_configuration, what + ": install files of one version"}; }

}  // namespace

Status check_type(TypeDeclaration const& type, std::span<std::string_view const> commands,
                  std::span<std::string_view const> options, std::span<std::string_view const> protocols) {
  std::string const file = type.name + ".xml";
  for (CommandDeclaration const& command : type.commands)
    if (std::ranges::find(commands, command.name) == commands.end())
      return differ(file + " declares the command " + command.name + ", which " + type.name + ".so does not know");
  for (std::string_view const name : commands)
    if (!declares(type.commands, name)) return differ(file + " lacks the command " + std::string{name});
  for (ProtocolDeclaration const& protocol : type.protocols)
    if (std::ranges::find(protocols, protocol.name) == protocols.end())
      return differ(file + " declares the protocol " + protocol.name + ", which " + type.name + ".so does not know");
  for (std::string_view const name : protocols)
    if (!declares(type.protocols, name)) return differ(file + " lacks the protocol " + std::string{name});
  for (std::string_view const name : options)
    if (!declares(type.options, name)) return differ(file + " lacks the option " + std::string{name});
  return {};
}

}  // namespace fastjournal::model
