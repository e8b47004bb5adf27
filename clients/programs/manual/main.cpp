// Makes the manual and the completion scripts of all programs, for the build: nothing of this is installed.
//   manual OUT DATE REFERENCE TYPE.xml...
// REFERENCE is doc/table-reference.md. OUT/man gets the pages for `man`, OUT/markdown those for the site, OUT/completion
// the scripts.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "clients/programs/fastjournal/command_line.h"
#include "clients/programs/fastjournal/usage/completion.h"
#include "clients/programs/forwarder/options.h"
#include "clients/programs/manual/page.h"
#include "clients/programs/manual/programs.h"
#include "clients/programs/manual/reference.h"
#include "clients/programs/manual/types.h"
#include "config/type_reader.h"
#include "daemon/options.h"

namespace {

namespace fs = std::filesystem;
using namespace fastjournal;
using manual::Page;

[[nodiscard]] bool write(fs::path const& path, std::string const& text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream file{path, std::ios::binary};
  file << text;
  file.close();
  if (!file) fmt::print(stderr, "manual: cannot write {}\n", path.string());
  return static_cast<bool>(file);
}

std::optional<std::string> read(std::string const& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file) {
    fmt::print(stderr, "manual: cannot read {}\n", path);
    return {};
  }
  return std::string{std::istreambuf_iterator<char>{file}, {}};
}

usage::Usage daemon_usage() {
  daemon::Options options;
  options.config = FJ_CONF_FOLDER_FULL "/fastjournal.xml";
  daemon::ListenWords listen;
  CLI::App app;
  daemon::declare_options(app, options, listen);
  return usage::usage_of(app);
}

usage::Usage forwarder_usage() {
  forwarder::Options options;
  CLI::App app;
  forwarder::declare_options(app, options);
  return usage::usage_of(app);
}

struct FilePage {
  char const* name;
  char const* title;
  char const* heading;  // of the reference
  bool parts;           // without its last part, which is a type's
};

constexpr FilePage kFiles[] = {
    {"fastjournal.xml", "the configuration file of fastjournald", "## The daemon", false},
    {"fastjournal-table", "the declaration of a table, NAME.xml", "## A table:", true},
    {"fastjournal-users", "the users of fastjournald, users.xml", "## Users", false},
    {"fastjournal-table-type", "the declaration of a table type, TYPE.xml", "## A table type", false},
};

// What the options of a type are is told by its own page.
void drop_type(Page& page) {
  for (std::size_t i = 0; i < page.blocks.size(); ++i)
    if (page.blocks[i].kind == manual::Block::Kind::subheading && page.blocks[i].text.starts_with("Options of ")) {
      page.blocks.resize(i);
      return;
    }
}

void add_see_also(std::vector<std::string> const& all, Page& page) {
  std::string out;
  for (std::string const& name : all)
    if (name != fmt::format("{}({})", page.name, page.section)) out += (out.empty() ? "`" : ", `") + name + "`";
  page.heading("See also");
  page.paragraph(out);
}

}  // namespace

int main(int count, char** words) {
  std::vector<std::string> const given(words + 1, words + count);
  if (given.size() < 4) {
    fmt::print(stderr, "usage: manual OUT DATE REFERENCE TYPE.xml...\n");
    return 2;
  }
  fs::path const out = given[0];
  manual::Edition const edition{FJ_VERSION, given[1]};
  std::optional<std::string> const reference = read(given[2]);
  if (!reference) return 1;

  std::vector<std::string> see_also{"fastjournal(1)", "fastjournal-client(1)", "fastjournald(8)"};
  for (FilePage const& file : kFiles) see_also.push_back(std::string{file.name} + "(5)");
  std::vector<Page> types;
  for (std::size_t i = 3; i < given.size(); ++i) {
    Result<TypeDeclaration> const type = config::read_type(given[i]);
    if (!type.ok()) {
      fmt::print(stderr, "{}\n", type.status().message());
      return 1;
    }
    types.push_back(manual::type_page(type.value()));
    see_also.push_back(types.back().name + "(7)");
  }

  usage::Usage const programs[] = {cli::declared_usage(), daemon_usage(), forwarder_usage()};
  std::vector<Page> pages = manual::program_pages(programs[0], {1, see_also});
  for (Page& page : manual::program_pages(programs[1], {8, see_also})) {
    // Before the last section, which says what else to see.
    Page commands;
    manual::add_daemon_commands(commands);
    page.blocks.insert(page.blocks.end() - 2, commands.blocks.begin(), commands.blocks.end());
    pages.push_back(std::move(page));
  }
  for (Page& page : manual::program_pages(programs[2], {1, see_also})) pages.push_back(std::move(page));
  for (FilePage const& file : kFiles) {
    Page page{file.name, 5, file.title, {}};
    page.heading("Description");
    if (!manual::add_section(*reference, file.heading, page) ||
        (page.heading("Values"), !manual::add_opening(*reference, "# ", page))) {
      fmt::print(stderr, "manual: {} has no heading '{}'\n", given[2], file.heading);
      return 1;
    }
    if (file.parts) {
      Page values{"", 5, "", {}};
      static_cast<void>(manual::add_opening(*reference, "# ", values));
      drop_type(page);
      page.paragraph("The options of a type are listed in the page of the type, such as `fastjournal-journal(7)`.");
      page.heading("Values");
      page.blocks.insert(page.blocks.end(), values.blocks.begin(), values.blocks.end());
    }
    add_see_also(see_also, page);
    pages.push_back(std::move(page));
  }
  for (Page& page : types) {
    // What a type says about its options in sentences.
    Page more;
    if (manual::add_section(*reference, "#### Domains and limits", more) && page.name == "fastjournal-journal") {
      page.heading("Domains and limits");
      page.blocks.insert(page.blocks.end(), more.blocks.begin(), more.blocks.end());
    }
    add_see_also(see_also, page);
    pages.push_back(std::move(page));
  }

  for (Page const& page : pages) {
    std::string const file = fmt::format("{}.{}", page.name, page.section);
    if (!write(out / "man" / fmt::format("man{}", page.section) / file, manual::as_roff(page, edition)) ||
        !write(out / "markdown" / (file + ".md"), manual::as_markdown(page)))
      return 1;
  }
  for (usage::Usage const& program : programs)
    if (!write(out / "completion/bash" / program.name, usage::bash_completion(program)) ||
        !write(out / "completion/zsh" / ("_" + program.name), usage::zsh_completion(program)) ||
        !write(out / "completion/fish" / (program.name + ".fish"), usage::fish_completion(program)))
      return 1;
  return 0;
}
