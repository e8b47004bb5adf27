// The schemas that rows were written with, and where each has the domain of a row. A schema stays while it is known: rows
// of an older one are read by it. Answers borrow its names of columns.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/declaration.h"
#include "plugins/rows/domain_text.h"
#include "plugins/rows/payload.h"
#include "plugins/rows/rules.h"

namespace fastjournal::rows {

class Schemas {
 public:
  // A version that is known and has no rows is replaced.
  void add(Schema const& schema);
  // nullptr: unknown.
  [[nodiscard]] Schema const* find(std::uint16_t version) const;

  // From here on domains come from there.
  void set_domain(DomainSource source);
  // The same of groups.
  void set_group(std::string column);
  // Empty if it has none. Borrows from the payload, or lasts until the next call.
  [[nodiscard]] std::string_view domain_of(PayloadView const& payload) {
    return source_.is_none() ? std::string_view{} : read_domain(payload);
  }

  // Empty if it has none. Borrows from the payload.
  [[nodiscard]] std::string_view group_of(PayloadView const& payload) {
    return group_.empty() ? std::string_view{} : read_group(payload);
  }

  // A row of this schema begins; false: it is unknown. One ends. One changes to another schema, which is known.
  [[nodiscard]] bool count(std::uint16_t version);
  void discount(std::uint16_t version) { --use_of(version)->rows; }
  void recount(std::uint16_t before, std::uint16_t version) {
    if (version == before) return;
    discount(before);
    ++use_of(version)->rows;
  }

 private:
  struct Use {
    std::unique_ptr<Schema> schema;  // does not move
    DomainColumn domain;
    DomainColumn group;
    std::uint64_t rows{0};
  };

  [[nodiscard]] Use* use_of(std::uint16_t version);
  [[nodiscard]] std::string_view read_domain(PayloadView const& payload);
  [[nodiscard]] std::string_view read_group(PayloadView const& payload);
  [[nodiscard]] DomainColumn group_in(Schema const& schema) const {
    return DomainColumn::of({.column = group_}, schema);
  }

  DomainSource source_;
  std::string group_;
  std::vector<Use> uses_;
  std::string scratch_;
};

}  // namespace fastjournal::rows
