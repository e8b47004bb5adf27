// The examples of the documents: blocks fenced by ``` with a word that says what they are.
//
//   transcript TABLE...   messages and answers, played in the simulator (tests/world/documents_test.cpp); the tables are
//                         those of conf/tables.d; without any it goes on where the last one of the page ended
//   xml                   a configuration file, or elements of a <table>: the loader takes it (there, too)
//   console               `$ command` and what it prints, in a real shell beside a real daemon (tests/integration/documents_test.cpp)
//   text                  neither
//
// Numbers and dates stand for real ones, so that a document looks as a reader sees it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fastjournal::test {

struct Example {
  std::string document;  // from the root of the checkout
  int line{0};           // of the first line inside
  std::string language;
  std::vector<std::string> words;  // behind the language
  std::vector<std::string> lines;
};

// README.md, doc/*.md: by document and line.
[[nodiscard]] std::vector<std::string> documents(std::string const& root);
[[nodiscard]] std::vector<Example> examples_of(std::string const& root, std::string const& document);

// Whether the text is as shown, where each `...` is any text.
[[nodiscard]] bool is_as_shown(std::string_view text, std::string_view shown);

}  // namespace fastjournal::test
