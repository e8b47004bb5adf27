#include "plugins/rows/schemas.h"

#include <utility>

#include "model/row_codec.h"

namespace fastjournal::rows {

Schemas::Use* Schemas::use_of(std::uint16_t version) {
  for (auto use = uses_.rbegin(); use != uses_.rend(); ++use)
    if (use->schema->version == version) return &*use;
  return nullptr;
}

void Schemas::add(Schema const& schema) {
  Use* const known = use_of(schema.version);
  if (known == nullptr) {
    uses_.push_back({std::make_unique<Schema>(schema), DomainColumn::of(source_, schema), group_in(schema), 0});
  } else if (known->rows == 0) {
    *known->schema = schema;
    known->domain = DomainColumn::of(source_, schema);
    known->group = group_in(schema);
  }
}

Schema const* Schemas::find(std::uint16_t version) const {
  for (auto use = uses_.rbegin(); use != uses_.rend(); ++use)
    if (use->schema->version == version) return use->schema.get();
  return nullptr;
}

bool Schemas::count(std::uint16_t version) {
  Use* const use = use_of(version);
  if (use == nullptr) return false;
  ++use->rows;
  return true;
}

void Schemas::set_domain(DomainSource source) {
  source_ = std::move(source);
  for (Use& use : uses_) use.domain = DomainColumn::of(source_, *use.schema);
}

void Schemas::set_group(std::string column) {
  group_ = std::move(column);
  for (Use& use : uses_) use.group = group_in(*use.schema);
}

std::string_view Schemas::read_group(PayloadView const& payload) {
  Use const& use = *use_of(payload.facts.schema);
  std::string_view name;
  bool const has_any =
      use.group.place >= 0 &&
      model::data_text(*use.schema, payload.data, static_cast<std::size_t>(use.group.place), scratch_, name);
  return has_any ? name : std::string_view{};
}

std::string_view Schemas::read_domain(PayloadView const& payload) {
  Use const& use = *use_of(payload.facts.schema);
  return domain_text(source_, use.domain, *use.schema, payload.key, payload.data, scratch_);
}

}  // namespace fastjournal::rows
