// A program's declaration of its command line, as plain values: of these are made its manual pages and its
// completion. The declaration itself is CLI11's, as for --help.
#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the name of the library
class App;
}

namespace fastjournal::usage {

struct Option {
  std::vector<std::string> names;    // "-j", "--jobs"; empty: a positional argument
  std::string value;                 // the word for its value, as FILE; empty: a flag. Of a positional: its name
  std::vector<std::string> choices;  // the words that it takes; empty: any
  std::string limits;                // in words
  std::string description;
  std::string default_text;
  std::string variable;  // of the environment
  bool required{false};
  bool repeated{false};
  std::vector<std::string> needs;     // names of other options, sorted
  std::vector<std::string> excludes;  // the same
};

struct Usage {
  std::string name;
  std::string description;
  std::string footer;
  std::vector<Option> options;
  std::vector<Option> positionals;
  std::vector<Usage> below;  // subcommands
};

[[nodiscard]] Usage usage_of(CLI::App const& app);

}  // namespace fastjournal::usage
