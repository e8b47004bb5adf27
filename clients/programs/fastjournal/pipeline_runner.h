// One document on its way through a plan: its steps are commands between files, its outputs commands, folders or URLs, and
// the table is told what happens. Everything is decided by the plan and by what the table says is missing.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clients/cpp/documents.h"
#include "clients/programs/fastjournal/filter.h"
#include "clients/programs/fastjournal/group_guard.h"
#include "clients/programs/fastjournal/http_target.h"
#include "clients/programs/fastjournal/stop.h"
#include "model/plan/destinations.h"
#include "model/plan/plan.h"

namespace fastjournal::cli {

struct PipelineWishes {
  std::map<std::string, std::string> sources;  // name: folder
  std::map<std::string, std::string> steps;    // name: command
  std::map<std::string, std::string> routes;   // source or step: command that prints names
  std::map<std::string, std::string> splits;   // step: command that writes files into $FJ_OUT
  std::map<std::string, std::string> outputs;  // step: command, folder:PATH, or URL
  // Of outputs that are URLs.
  std::map<std::string, std::string> methods;
  std::map<std::string, std::vector<std::string>> headers;
};

struct PipelineCounts {
  std::uint64_t sent{0};
  std::uint64_t failed{0};
  std::uint64_t dropped{0};
  std::uint64_t cancelled{0};
  std::uint64_t in_doubt{0};  // or soon
  bool operator==(PipelineCounts const&) const = default;
};

// Exit statuses of commands with a meaning of their own; another one that is not 0 is a failure that is tried again.
inline constexpr int kStatusPermanent = 65;  // it would fail again each time (EX_DATAERR)
inline constexpr int kStatusDrop = 99;       // the document is not to go on

class PipelineRunner {
 public:
  // All outlive it. `work`: a folder for files of documents under way, which it empties. `tell`: what people should know.
  PipelineRunner(plan::Plan const& plan, PipelineWishes const& wishes, client::Documents& documents,
                 std::filesystem::path work, Stop& stop, std::function<void(std::string const&)> tell);

  // What is wrong with the wishes: steps that the plan does not have, outputs without a command. Empty: nothing.
  [[nodiscard]] std::string check() const;
  // Whether the programs are there that the wishes name. Not ok: one is not, of which of them.
  [[nodiscard]] Status find_commands();
  // A document with this content, which one that is gone does not have; not ok: the daemon cannot be asked. When the time
  // to stop is over it ends early.
  [[nodiscard]] Status run(client::Document const& document, std::string const& content);
  [[nodiscard]] PipelineCounts const& counts() const { return counts_; }

 private:
  // A copy of the document at one place of the plan.
  struct Copy {
    plan::StepIndex at{0};
    plan::Branches branches{};
    std::string content{};
  };

  // Without its steps: at each destination where it is missing.
  [[nodiscard]] Status take_away(client::Document const& document);
  [[nodiscard]] Status walk(client::Document const& document, Copy copy, bool is_behind);
  [[nodiscard]] Status pass(client::Document const& document, Copy& copy, bool& goes_on);
  [[nodiscard]] Status filter(client::Document const& document, Copy& copy, bool& goes_on);
  [[nodiscard]] Status split(client::Document const& document, Copy const& copy);
  [[nodiscard]] Status deliver(client::Document const& document, std::size_t destination, Copy const& copy,
                               bool& goes_on);
  [[nodiscard]] std::optional<client::NotSent> send(client::Document const& document, plan::Step const& step,
                                                    std::string const& target, Copy const& copy,
                                                    client::Sending const& sending);
  [[nodiscard]] std::optional<client::NotSent> post(client::Document const& document, plan::Step const& step,
                                                    Copy const& copy, client::Sending const& sending);
  [[nodiscard]] HttpTarget http_target_of(std::string const& output) const;
  // What is behind this place cannot be reached now.
  [[nodiscard]] Status fail_behind(client::Document const& document, Copy const& copy, client::NotSent const& why,
                                   bool drops);
  [[nodiscard]] Result<std::vector<plan::StepIndex>> choose(client::Document const& document, Copy const& copy);
  [[nodiscard]] plan::StepIndex turn_of(client::Document const& document, Copy const& copy);
  [[nodiscard]] std::vector<std::string> variables(client::Document const& document, plan::Step const& step) const;
  [[nodiscard]] std::optional<std::size_t> destination_of(Copy const& copy) const;
  [[nodiscard]] bool is_missing(client::Document const& document, std::size_t destination) const;
  [[nodiscard]] std::string new_file();
  // What a command made in this folder: only files that are in it, whatever links lead elsewhere. Name, and path.
  using Made = std::vector<std::pair<std::string, std::string>>;
  [[nodiscard]] Result<Made> take_made(std::string const& folder);
  bool beat(client::Document const& document);
  // False: the command under way is to end.
  bool may_go_on(client::Document const& document);
  // Of a command for this document, which outlives it.
  [[nodiscard]] Watch watch(client::Document const& document);

  plan::Plan const& plan_;
  plan::Destinations const destinations_;
  PipelineWishes const& wishes_;
  client::Documents& documents_;
  std::filesystem::path work_;
  Stop& stop_;
  GroupGuard guard_;
  std::function<void(std::string const&)> tell_;
  bool is_ended_{false};  // a command, before its time
  PipelineCounts counts_;
  std::uint64_t files_{0};
  std::map<plan::StepIndex, std::size_t> turns_;
  std::map<std::pair<std::uint64_t, plan::StepIndex>, plan::StepIndex> ways_;  // of document and router, in this run
  std::chrono::steady_clock::time_point beat_{};
};

}  // namespace fastjournal::cli
