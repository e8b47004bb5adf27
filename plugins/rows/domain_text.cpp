#include "plugins/rows/domain_text.h"

#include <algorithm>

#include "model/key_codec.h"
#include "model/row_codec.h"
#include "model/shortened.h"

namespace fastjournal::rows {
namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return is_upper(c) || (c >= 'a' && c <= 'z'); }

bool is_scheme(std::string_view text) {
  return !text.empty() && is_letter(text[0]) && std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
  });
}

}  // namespace

DomainColumn DomainColumn::of(DomainSource const& source, Schema const& schema) {
  DomainColumn out;
  for (std::size_t i = 0; i < schema.columns.size() && !source.is_none(); ++i) {
    if (schema.columns[i].name != source.column) continue;
    // In an older schema the name may have been a column of another type.
    if (source.is_of_uri() && schema.columns[i].type != ColumnType::string) continue;
    out.place = static_cast<int>(i);
    out.in_key = std::find(schema.key.begin(), schema.key.end(), i) != schema.key.end();
  }
  return out;
}

std::string_view domain_text(DomainSource const& source, DomainColumn const& column, Schema const& schema,
                             std::string_view key, std::string_view data, std::string& scratch) {
  if (column.place < 0) return {};
  std::string_view text;
  auto const place = static_cast<std::size_t>(column.place);
  bool const there = column.in_key ? model::key_text(schema, key, place, scratch, text)
                                   : model::data_text(schema, data, place, scratch, text);
  if (!there) return {};
  std::string lower;
  if (source.part == DomainSource::Part::host) {
    text = host_of(text, lower);
  } else if (source.part == DomainSource::Part::site) {
    lower = site_of(text);
    text = lower;
  }
  text = model::shortened(text, kDomainBytesMax);
  if (lower.empty()) return text;
  scratch.assign(text);
  return scratch;
}

std::string_view host_of(std::string_view uri, std::string& scratch) {
  std::size_t const mark = uri.find("//");
  bool const absolute = mark != std::string_view::npos && mark > 0 && uri[mark - 1] == ':';
  if (mark != 0 && !(absolute && is_scheme(uri.substr(0, mark - 1)))) return {};
  std::string_view host = uri.substr(mark + 2);
  host = host.substr(0, host.find_first_of("/?#"));
  if (std::size_t const user = host.rfind('@'); user != std::string_view::npos) host.remove_prefix(user + 1);
  std::size_t const bracket = host.starts_with('[') ? host.find(']') : std::string_view::npos;
  host = bracket != std::string_view::npos ? host.substr(0, bracket + 1) : host.substr(0, host.find(':'));
  if (std::none_of(host.begin(), host.end(), is_upper)) return host;
  scratch.assign(host);
  for (char& c : scratch)
    if (is_upper(c)) c = static_cast<char>(c - 'A' + 'a');
  return scratch;
}

std::string site_of(std::string_view uri) {
  std::string lower;
  std::string_view const host = host_of(uri, lower);
  std::size_t const mark = uri.find("://");
  // A host follows "//", so without a scheme the mark belongs to something else, or is missing.
  if (host.empty() || mark == std::string_view::npos || uri.starts_with("//")) return {};
  std::string out;
  out.reserve(mark + 4 + host.size());
  for (char const c : uri.substr(0, mark)) out += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  return out.append("://").append(host).append("/");
}

}  // namespace fastjournal::rows
