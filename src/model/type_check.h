// Whether TYPE.xml and the code of its plugin are of one version: they know the same commands, options and protocols.
#pragma once

#include <span>
#include <string_view>

#include "fastjournal/declaration.h"
#include "fastjournal/status.h"

namespace fastjournal::model {

// Ok, or the first difference. Options that only the XML has are fine: the daemon reads some itself.
[[nodiscard]] Status check_type(TypeDeclaration const& type, std::span<std::string_view const> commands,
                                std::span<std::string_view const> options,
                                std::span<std::string_view const> protocols = {});

}  // namespace fastjournal::model
