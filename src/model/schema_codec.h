// A table's schema as bytes, for the catalogue. Rows name the version of their schema, and the log has every schema in
// use before the first row that needs it. The first byte is the version of this format.
#pragma once

#include <string>
#include <string_view>

#include "fastjournal/declaration.h"
#include "fastjournal/status.h"

namespace fastjournal::model {

// Appends.
void encode_schema(Schema const& schema, std::string& out);

// `damaged`: the bytes are not a schema; `not_supported`: a later format.
[[nodiscard]] Result<Schema> decode_schema(std::string_view bytes);

}  // namespace fastjournal::model
