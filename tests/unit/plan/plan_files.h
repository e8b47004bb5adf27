// Plans written down in tests.
#pragma once

#include <boost/test/unit_test.hpp>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "config/plan_reader.h"
#include "tests/support/temporary_folder.h"

namespace fastjournal::plan {

// `head`: attributes of <plan>.
inline config::PlanFile file_of(std::string const& steps, std::string const& head = "name=\"p\" version=\"1\"") {
  test::TemporaryFolder const folder;
  std::string const path = folder / "p.xml";
  std::ofstream{path} << "<plan " << head << ">\n" << steps << "</plan>\n";
  Result<config::PlanFile> file = config::read_plan(path);
  BOOST_REQUIRE_MESSAGE(file.ok(), file.status().text());
  return std::move(file).value();
}

inline Plan plan_of(std::string const& steps, std::string const& head = "name=\"p\" version=\"1\"") {
  config::PlanFile file = file_of(steps, head);
  BOOST_REQUIRE_MESSAGE(file.is_usable(), (file.findings.empty() ? "no plan" : file.findings.front().what));
  return std::move(*file.plan);
}

inline std::string joined(std::vector<std::string> const& words) {
  std::string out;
  for (std::string const& word : words) out.append(out.empty() ? "" : " ").append(word);
  return out;
}

// LINE:NAME of each, a warning with a question mark.
inline std::string named(std::vector<Finding> const& findings) {
  std::vector<std::string> out;
  for (Finding const& one : findings)
    out.push_back(std::to_string(one.line) + ":" + std::string{one.name} + (one.is_warning ? "?" : ""));
  return joined(out);
}

}  // namespace fastjournal::plan
