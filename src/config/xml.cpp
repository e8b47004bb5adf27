// The door to tinyxml2 for reading. See xml.h.
#include "config/xml.h"

#include <tinyxml2.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "config/well_formed.h"
#include "model/nearest.h"
#include "model/value.h"

namespace fastjournal::config {

namespace {

std::string tag(std::string_view name) { return "<" + std::string{name} + ">"; }

// Attributes on the root element by which editors find the schema.
bool is_schema_hint(tinyxml2::XMLElement const& element, std::string_view name) {
  bool const root = element.Parent() == element.GetDocument();
  return root && (name == "xmlns:xsi" || name == "xsi:noNamespaceSchemaLocation");
}

std::vector<std::string_view> names_of(std::vector<Part> const& parts) {
  std::vector<std::string_view> out;
  for (Part const& part : parts) out.push_back(part.name);
  return out;
}

Part const* find(std::vector<Part> const& parts, std::string_view name) {
  auto const at = std::find_if(parts.begin(), parts.end(), [&](Part const& part) { return part.name == name; });
  return at == parts.end() ? nullptr : &*at;
}

Unsupported const* find(std::span<Unsupported const> all, std::string_view name) {
  auto const at = std::find_if(all.begin(), all.end(), [&](Unsupported const& one) { return one.name == name; });
  return at == all.end() ? nullptr : &*at;
}

std::string expected_attributes(Shape const& shape) {
  if (shape.attributes.empty()) return "expected no attribute";
  return "expected " + listed(names_of(shape.attributes));
}

std::string expected_children(Shape const& shape) {
  if (shape.children.empty()) return shape.text ? "expected only text" : "expected nothing inside";
  std::vector<std::string> tags;
  for (Part const& part : shape.children) tags.push_back(tag(part.name));
  return "expected " + listed({tags.begin(), tags.end()});
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kAround = " \t\r\n";
  std::size_t const from = text.find_first_not_of(kAround);
  return from == std::string_view::npos ? std::string_view{}
                                        : text.substr(from, text.find_last_not_of(kAround) - from + 1);
}

bool read_whole(std::filesystem::path const& path, std::string& text, Problems& problems) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    problems.add(0, "no such file, expected an XML file that can be read");
    return false;
  }
  auto const size = std::filesystem::file_size(path, error);
  if (!error && size > Document::kFileBytesMax) {
    problems.add(
        0, "a file of " + std::to_string(size) + " bytes, expected at most " + std::to_string(Document::kFileBytesMax));
    return false;
  }
  std::ifstream file{path, std::ios::binary};
  text.assign(std::istreambuf_iterator<char>{file}, {});
  if (file.good() || file.eof()) return true;
  problems.add(0, "the file cannot be read, expected a file with read permission");
  return false;
}

}  // namespace

// ---------------------------------------------------------------------------
// Element

std::string_view Element::name() const { return element_->Name(); }
int Element::line() const { return element_->GetLineNum(); }

void Element::expect(Shape const& shape, std::span<Unsupported const> unsupported) const {
  expect_attributes(shape, unsupported);
  expect_children(shape, unsupported);
  expect_text(shape.text);
}

void Element::expect_attributes(Shape const& shape, std::span<Unsupported const> unsupported) const {
  for (auto const* at = element_->FirstAttribute(); at != nullptr && !problems_->is_full(); at = at->Next()) {
    std::string_view const found = at->Name();
    if (find(shape.attributes, found) != nullptr || is_schema_hint(*element_, found)) continue;
    if (Unsupported const* const known = find(unsupported, found))
      problems_->add(at->GetLineNum(), "attribute " + model::shown(found) + " in " + tag(name()) +
                                           " is not supported: " + std::string{known->reason} + "; " +
                                           expected_attributes(shape));
    else
      problems_->add(at->GetLineNum(), "unknown attribute " + model::shown(found) + " in " + tag(name()) + ", " +
                                           expected_attributes(shape) + near_miss(found, names_of(shape.attributes)));
  }
  for (Part const& part : shape.attributes)
    if (part.times == Times::one && !attribute(part.name))
      problem("missing attribute " + model::shown(part.name) + " in " + tag(name()) + ", expected " +
              std::string{part.name} + "=\"...\"");
}

void Element::expect_children(Shape const& shape, std::span<Unsupported const> unsupported) const {
  std::vector<std::optional<Element>> first(shape.children.size());
  for (Element const& inner : children()) {
    if (problems_->is_full()) return;
    Part const* const part = find(shape.children, inner.name());
    if (part == nullptr) {
      if (Unsupported const* const known = find(unsupported, inner.name()))
        inner.problem("element " + tag(inner.name()) + " in " + tag(name()) +
                      " is not supported: " + std::string{known->reason} + "; " + expected_children(shape));
      else
        inner.problem("unknown element " + tag(inner.name()) + " in " + tag(name()) + ", " + expected_children(shape) +
                      near_miss(inner.name(), names_of(shape.children)));
      continue;
    }
    std::optional<Element>& before = first[static_cast<std::size_t>(part - shape.children.data())];
    bool const once = part->times == Times::one || part->times == Times::maybe;
    if (once && before)
      inner.problem("element " + tag(inner.name()) + " again in " + tag(name()) + " (the first is on line " +
                    std::to_string(before->line()) + "), expected it once");
    if (!before) before = inner;
  }
  for (Part const& part : shape.children)
    if ((part.times == Times::one || part.times == Times::one_or_more) && !child(part.name))
      problem("missing element " + tag(part.name) + " in " + tag(name()) + ", expected " +
              (part.times == Times::one ? "it once" : "at least one"));
}

void Element::expect_text(bool allowed) const {
  if (allowed) return;
  for (auto const* node = element_->FirstChild(); node != nullptr && !problems_->is_full();
       node = node->NextSibling()) {
    auto const* const text_node = node->ToText();
    if (text_node == nullptr) continue;
    std::string_view const found = trimmed(text_node->Value());
    if (!found.empty())
      problems_->add(text_node->GetLineNum(),
                     "text " + model::shown(found) + " in " + tag(name()) + ", expected only elements");
  }
}

std::optional<std::string_view> Element::attribute(std::string_view wanted) const {
  char const* const value = element_->Attribute(std::string{wanted}.c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

int Element::line_of(std::string_view attribute_name) const {
  auto const* const found = element_->FindAttribute(std::string{attribute_name}.c_str());
  return found == nullptr ? line() : found->GetLineNum();
}

std::string Element::text() const {
  std::string out;
  for (auto const* node = element_->FirstChild(); node != nullptr; node = node->NextSibling())
    if (node->ToText() != nullptr) out.append(node->Value());
  return std::string{trimmed(out)};
}

std::vector<Element> Element::children() const {
  std::vector<Element> out;
  for (auto const* at = element_->FirstChildElement(); at != nullptr; at = at->NextSiblingElement())
    out.emplace_back(at, problems_);
  return out;
}

std::optional<Element> Element::child(std::string_view wanted) const {
  auto const* const found = element_->FirstChildElement(std::string{wanted}.c_str());
  if (found == nullptr) return std::nullopt;
  return Element{found, problems_};
}

std::vector<Element> Element::children(std::string_view wanted) const {
  std::vector<Element> out = children();
  std::erase_if(out, [&](Element const& one) { return one.name() != wanted; });
  return out;
}

std::string Element::description() const {
  std::optional<Element> const found = child("description");
  if (!found) return {};
  found->expect({.attributes = {}, .children = {}, .text = true});
  return found->text();
}

void Element::problem(std::string what) const { problems_->add(line(), std::move(what)); }
void Element::problem_at(std::string_view attribute_name, std::string what) const {
  problems_->add(line_of(attribute_name), std::move(what));
}

// ---------------------------------------------------------------------------
// Document

Document::Document(std::unique_ptr<tinyxml2::XMLDocument> document, Problems& problems)
    : document_(std::move(document)), problems_(&problems) {}
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

std::optional<Document> Document::read(std::filesystem::path const& path, Problems& problems) {
  std::string text;
  return read_whole(path, text, problems) ? parse(text, problems) : std::nullopt;
}

std::optional<Document> Document::parse(std::string_view text, Problems& problems) {
  if (!check_well_formed(text, problems)) return std::nullopt;
  auto document = std::make_unique<tinyxml2::XMLDocument>();
  if (document->Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
    problems.add(document->ErrorLineNum(), std::string{"XML that tinyxml2 does not read ("} + document->ErrorName() +
                                               "), expected well-formed XML");
    return std::nullopt;
  }
  return Document{std::move(document), problems};
}

Element Document::root() const { return {document_->RootElement(), problems_}; }

// ---------------------------------------------------------------------------
// Names

std::string near_miss(std::string_view found, std::vector<std::string_view> const& names) {
  std::string_view const best = model::nearest(found, names);
  return best.empty() ? std::string{} : "; did you mean " + model::shown(best) + "?";
}

std::string listed(std::vector<std::string_view> const& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out.append(i + 1 == names.size() ? " or " : ", ");
    out.append(names[i]);
  }
  return out;
}

}  // namespace fastjournal::config
