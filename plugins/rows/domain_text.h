// The name of a row's domain, from the bytes of its key and data.
#pragma once

#include <string>
#include <string_view>

#include "fastjournal/declaration.h"
#include "plugins/rows/rules.h"

namespace fastjournal::rows {

// Its place in rows of one schema.
struct DomainColumn {
  int place{-1};  // of the column in the schema; -1: they have none
  bool in_key{false};

  [[nodiscard]] static DomainColumn of(DomainSource const& source, Schema const& schema);
};

// At most kDomainBytesMax bytes; empty if the row has none. Borrows from key, data or `scratch`.
[[nodiscard]] std::string_view domain_text(DomainSource const& source, DomainColumn const& column, Schema const& schema,
                                           std::string_view key, std::string_view data, std::string& scratch);

// Without user and port, in lower case; empty if the URI names none. An IPv6 address keeps its brackets.
// Borrows from `uri` or `scratch`. (RFC 3986, 3.1 and 3.2)
[[nodiscard]] std::string_view host_of(std::string_view uri, std::string& scratch);
// scheme://host/, with the host as above and the scheme in lower case; empty if one of both is missing.
[[nodiscard]] std::string site_of(std::string_view uri);

}  // namespace fastjournal::rows
