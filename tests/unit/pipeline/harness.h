// A pipeline table alone (tests/support/table_harness.h).
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "plugins/pipeline/pipeline_table.h"
#include "tests/support/table_harness.h"

namespace fastjournal::pipeline::test {

using fastjournal::test::digest_of;
using fastjournal::test::Reply;
using fastjournal::test::Texts;

inline std::shared_ptr<TypeDeclaration const> pipeline_type() {
  static std::shared_ptr<TypeDeclaration const> const type =
      fastjournal::test::read_table_type(FJ_SOURCE_DIR "/plugins/pipeline/pipeline.xml");
  return type;
}

inline std::shared_ptr<TableDeclaration const> declare(std::string const& plan, Texts options = {}) {
  auto out = std::make_shared<TableDeclaration>();
  out->name = "docs";
  out->type = "pipeline";
  out->file = "docs.xml";
  options["plan"] = plan;
  out->options = fastjournal::test::options_of(*pipeline_type(), options);
  return out;
}

// Plans in few words, as model/plan/codec.h writes them. Numbers of predecessors count sources and steps from 0.
struct PlanText {
  explicit PlanText(int version = 1, std::string const& name = "p")
      : text("plan " + name + " " + std::to_string(version) + " 1 0") {}
  PlanText& source(std::string const& name, int router = 0, int copies = 1, bool remembers = true, int hash = 0) {
    text += " source " + name + " " + std::to_string(hash) + (remembers ? " 1 " : " 0 ") + std::to_string(router) +
            " " + std::to_string(copies);
    return *this;
  }
  // A source that keeps versions.
  PlanText& versions(std::string const& name, int router = 0) {
    text += " source " + name + " 0 2 " + std::to_string(router) + " 1";
    return *this;
  }
  // A source with deleted="tell".
  PlanText& telling(std::string const& name, int router = 0, bool keeps_versions = false) {
    text += " source " + name + " 0 " + (keeps_versions ? "6 " : "5 ") + std::to_string(router) + " 1";
    return *this;
  }
  PlanText& safe(std::string const& name, std::string const& before, int router = 0, int copies = 1) {
    text += " step " + name + " 0 0 0 0 " + std::to_string(router) + " " + std::to_string(copies) + " " + retry + " " +
            before;
    return *this;
  }
  // At most once if potent, at least once if idempotent.
  PlanText& potent(std::string const& name, std::string const& before, bool any_path = false) {
    text += " step " + name + " 2 1 0 " + (any_path ? "1" : "0") + " 0 1 " + retry + " " + before;
    return *this;
  }
  PlanText& idempotent(std::string const& name, std::string const& before, bool any_path = false) {
    text += " step " + name + " 1 1 1 " + (any_path ? "1" : "0") + " 0 1 " + retry + " " + before;
    return *this;
  }

  std::string text;
  // max-attempts first factor max jitter timeout cancel-timeout on-timeout
  std::string retry{"3 1000 2 600000 0 60000 5000 0"};
};
inline constexpr int kByName = 1;
inline constexpr int kAll = 2;
inline constexpr int kRoundRobin = 3;

// A source `s`; `a` at least once, `b` at most once.
inline std::string two_outputs() { return PlanText{}.source("s", kAll).idempotent("a", "0").potent("b", "0").text; }

class Harness : public fastjournal::test::TableHarness<PipelineTable> {
 public:
  explicit Harness(std::string const& plan = two_outputs(), Texts const& options = {})
      : TableHarness(pipeline_type(), declare(plan, options)) {
    pass(0);
  }

  Reply found(std::string const& uri, std::string const& hash = "1", Texts more = {}, std::uint64_t connection = 1) {
    more.try_emplace("source", "s");
    more["uri"] = uri;
    more["hash"] = hash;
    return run("FOUND", more, connection);
  }
  // About the document of an answer.
  Reply of(std::string const& command, Reply const& document, Texts more = {}, std::uint64_t connection = 1) {
    more.try_emplace("document", document.get("document"));
    if (document.get("token") != "-") more.try_emplace("token", document.get("token"));
    return run(command, more, connection);
  }
  Reply sending(Reply const& document, std::string const& destination, std::uint64_t connection = 1) {
    return of("SENDING", document, {{"destination", destination}}, connection);
  }
  Reply sent(Reply const& document, std::string const& destination) {
    return of("SENT", document, {{"destination", destination}});
  }
  Reply failed(Reply const& document, std::string const& destination, std::string const& kind = "k",
               bool permanent = false) {
    return of("FAILED", document,
              {{"destination", destination}, {"class", kind}, {"permanent", permanent ? "1" : "0"}});
  }
  Reply deliver(Reply const& document, std::string const& destination) {
    if (Reply const run = sending(document, destination); run.name() != "RUN") return run;
    return sent(document, destination);
  }
  Reply next(Texts const& with = {}, std::uint64_t connection = 1) { return run("NEXT", with, connection); }
  std::string states(Reply const& document) {
    return run("WHY", {{"document", document.get("document")}}).get("states");
  }
  std::string why(Reply const& document) { return run("WHY", {{"document", document.get("document")}}).get("text"); }
  std::string of_destination(std::string const& destination, std::string const& what) {
    return run("DESTINATIONS", {{"destination", destination}}).get(what);
  }
  // The extents that it named and did not free are those of its pages.
  bool names_its_extents() {
    std::vector<Extent> listed;
    for (std::uint64_t cursor = 0;;) {
      cursor = table->list_extents(cursor, 2, listed);
      if (cursor == 0) break;
    }
    return alerts.extents_wrong == 0 && std::ranges::is_permutation(listed, alerts.extents);
  }
  // Documents in that state.
  std::size_t count(std::string const& status, Texts with = {}) {
    with["status"] = status;
    with["count"] = "1000";
    Reply const reply = run("DOCUMENTS", with);
    return reply.name() == "NOTHING" ? 0 : reply.messages.size();
  }
};

}  // namespace fastjournal::pipeline::test
