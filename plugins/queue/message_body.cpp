#include "plugins/queue/message_body.h"

#include <span>

#include <nlohmann/json.hpp>
#include "model/given.h"
#include "model/row_codec.h"
#include "plugins/queue/names.h"

namespace fastjournal::queue {
namespace {

Column column(Part part, ColumnType type, MergeRule merge, std::uint64_t length_max) {
  Column out;
  out.name = name_of(part);
  out.type = type;
  out.merge = merge;
  out.length_max = length_max;
  return out;
}

// A message that moves to another queue keeps all but these two.
Schema make_schema(bool is_grouped) {
  using enum MergeRule;
  Schema out;
  out.version = is_grouped ? 2 : 1;
  out.columns = {column(Part::bytes, ColumnType::uint64, keep, 0),
                 column(Part::origin, ColumnType::uint64, keep, 0),
                 column(Part::queue, ColumnType::string, replace, kNameBytesMax),
                 column(Part::dead_of, ColumnType::string, replace, kNameBytesMax),
                 column(Part::exchange, ColumnType::string, keep, kNameBytesMax),
                 column(Part::routing_key, ColumnType::string, keep, kNameBytesMax),
                 column(Part::properties, ColumnType::string, keep, kPropertiesBytesMax),
                 column(Part::body, ColumnType::string, keep, kBodyBytesMax),
                 column(Part::body_binary, ColumnType::buffer, keep, kBodyBytesMax)};
  if (is_grouped) out.columns.push_back(column(Part::group, ColumnType::string, keep, kGroupBytesMax));
  return out;
}

}  // namespace

Schema const& shared_body_schema() {
  static Schema const schema = make_schema(false);
  return schema;
}

Schema const& grouped_schema() {
  static Schema const schema = make_schema(true);
  return schema;
}

Status check_properties(std::string_view text) {
  if (text.empty()) return {};
  auto const read = nlohmann::json::parse(text, nullptr, false);
  if (read.is_object()) return {};
  return model::refused(
      Code::bad_parameter, "properties",
      "properties is " + model::shown(text) + ", expected an object in JSON, as {\"colour\":\"red\"}");
}

rows::DomainSource queue_source() { return {.column = std::string{name_of(Part::queue)}}; }

MessageBody MessageBody::front(std::string_view data) {
  MessageBody out;
  static_cast<void>(model::read_cells(shared_body_schema(), data, std::span{out.cells_}.first(2)));
  return out;
}

MessageBody MessageBody::whole(std::string_view data) {
  MessageBody out;
  static_cast<void>(model::read_cells(grouped_schema(), data, out.cells_));
  return out;
}

model::Cell const* MessageBody::body() const {
  for (Part const part : {Part::body, Part::body_binary})
    if (has(part)) return &*cell(part);
  return nullptr;
}

Status SharedBodyWriter::write(Schema const& schema, std::string& out) const {
  out.clear();
  return model::encode_data(schema, message_, out);
}

}  // namespace fastjournal::queue
