// <aliases> and <wake-message> of a table file: messages of other systems. The table takes aliases as its own commands;
// the wake message leaves when there is work. Apart from the table's reader, because a parameter's target is checked
// against the type's commands and the columns.
#pragma once

#include <vector>

#include "config/xml.h"
#include "fastjournal/declaration.h"

namespace fastjournal::config {

inline constexpr std::size_t kAliasesMax = 16;
inline constexpr std::size_t kAliasParametersMax = 64;

[[nodiscard]] std::vector<AliasDeclaration> read_aliases(Element const& aliases, TypeDeclaration const& type,
                                                         Schema const& schema);

inline constexpr std::size_t kWakeParametersMax = 16;
inline constexpr std::size_t kWakeValueBytesMax = 1024;

// `topic`: the type's name for it. `has_topics`: the table has topics, which a value may name.
[[nodiscard]] WakeMessage read_wake_message(Element const& element, std::string_view topic, bool has_topics);

}  // namespace fastjournal::config
