// XML files as the readers of this folder see them: the only place that knows
// tinyxml2. An Element checks what stands in it (unknown, missing and repeated
// attributes and children, text where none belongs) against a Shape, and each
// problem names the line, what was found and what was expected.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/problems.h"

namespace tinyxml2 {
class XMLDocument;
class XMLElement;
}  // namespace tinyxml2

namespace fastjournal::config {

// How often a child or attribute may stand. Attributes: one or maybe.
enum class Times : std::uint8_t { one, maybe, any, one_or_more };

struct Part {
  std::string_view name;
  Times times{Times::maybe};
};

// What may stand in an element. `refused`: names that exist in the files of others and mean nothing here.
struct Shape {
  std::vector<Part> attributes;
  std::vector<Part> children;
  bool text{false};  // text belongs here
};

// What others' files contain and we do not do: refused with its own reason instead of "unknown".
struct Unsupported {
  std::string_view name;
  std::string_view reason;
};

class Element {
 public:
  Element(tinyxml2::XMLElement const* element, Problems* problems) : element_(element), problems_(problems) {}

  [[nodiscard]] std::string_view name() const;
  [[nodiscard]] int line() const;

  // Reports everything that is not of the shape.
  void expect(Shape const& shape, std::span<Unsupported const> unsupported = {}) const;

  [[nodiscard]] std::optional<std::string_view> attribute(std::string_view wanted) const;
  // The line of an attribute; the element's if it has no such attribute.
  [[nodiscard]] int line_of(std::string_view attribute) const;
  // Without blanks and line ends around it.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::vector<Element> children() const;
  // Of this name, the first one.
  [[nodiscard]] std::optional<Element> child(std::string_view wanted) const;
  [[nodiscard]] std::vector<Element> children(std::string_view wanted) const;

  // The text of the child `description`, or empty; its own shape is checked.
  [[nodiscard]] std::string description() const;

  // Adds a problem at this element's line, or at an attribute's.
  void problem(std::string what) const;
  void problem_at(std::string_view attribute, std::string what) const;

 private:
  void expect_attributes(Shape const& shape, std::span<Unsupported const> unsupported) const;
  void expect_children(Shape const& shape, std::span<Unsupported const> unsupported) const;
  void expect_text(bool allowed) const;

  tinyxml2::XMLElement const* element_;
  Problems* problems_;
};

// A file, read and parsed.
class Document {
 public:
  // A configuration file that is larger is not one.
  static constexpr std::size_t kFileBytesMax = 1U << 20U;

  // Nothing if the file cannot be read or is no well-formed XML: `problems` says why.
  static std::optional<Document> read(std::filesystem::path const& path, Problems& problems);

  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;
  Document(Document const&) = delete;
  Document& operator=(Document const&) = delete;
  ~Document();

  [[nodiscard]] Element root() const;

 private:
  Document(std::unique_ptr<tinyxml2::XMLDocument> document, Problems& problems);

  std::unique_ptr<tinyxml2::XMLDocument> document_;
  Problems* problems_;
};

// `; did you mean "required"?` if one of the names is near, else empty.
[[nodiscard]] std::string near_miss(std::string_view found, std::vector<std::string_view> const& names);
// `a, b or c`.
[[nodiscard]] std::string listed(std::vector<std::string_view> const& names);

}  // namespace fastjournal::config
