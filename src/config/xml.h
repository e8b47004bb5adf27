// XML files as the readers of this folder see them: only these and users_writer.cpp use tinyxml2. An Element checks its
// contents (unknown, missing and repeated attributes and children, text where none belongs) against a Shape. Each
// problem has the line, what was found and what was expected.
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

// Allowed number of a child or attribute. Attributes: one or maybe.
enum class Times : std::uint8_t { one, maybe, any, one_or_more };

struct Part {
  std::string_view name;
  Times times{Times::maybe};
};

// The allowed contents of an element.
struct Shape {
  std::vector<Part> attributes;
  std::vector<Part> children;
  bool text{false};  // text is allowed
};

// Part of other systems' files that is not supported: refused with its own reason instead of "unknown".
struct Unsupported {
  std::string_view name;
  std::string_view reason;
};

class Element {
 public:
  Element(tinyxml2::XMLElement const* element, Problems* problems) : element_(element), problems_(problems) {}

  [[nodiscard]] std::string_view name() const;
  [[nodiscard]] int line() const;

  // Reports everything that does not match the shape.
  void expect(Shape const& shape, std::span<Unsupported const> unsupported = {}) const;

  [[nodiscard]] std::optional<std::string_view> attribute(std::string_view wanted) const;
  // The line of an attribute; the element's line if the attribute is absent.
  [[nodiscard]] int line_of(std::string_view attribute) const;
  // Without leading and trailing blanks and line ends.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::vector<Element> children() const;
  // The first child of this name.
  [[nodiscard]] std::optional<Element> child(std::string_view wanted) const;
  [[nodiscard]] std::vector<Element> children(std::string_view wanted) const;

  // The text of the child `description`, or empty; checks the shape of that child.
  [[nodiscard]] std::string description() const;

  // Adds a problem at the element's line, or at an attribute's line.
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
  // A larger file is refused.
  static constexpr std::size_t kFileBytesMax = 1U << 20U;

  // Empty if the file cannot be read or is not well-formed XML: `problems` has the reason.
  static std::optional<Document> read(std::filesystem::path const& path, Problems& problems);
  // The same of its text.
  static std::optional<Document> parse(std::string_view text, Problems& problems);

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
