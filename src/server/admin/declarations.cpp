#include "server/admin/declarations.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/name_table.h"
#include "config/type_reader.h"
#include "server/embedded.h"

namespace fastjournal::admin {
namespace {

config::OwnDeclarations const& declared() {
  static config::OwnDeclarations const kAll = [] {
    Result<config::OwnDeclarations> read = config::read_own(embedded().front().bytes);
    FJ_CHECK(read.ok(), "daemon.xml is as the tests found it");
    return std::move(read).value();
  }();
  return kAll;
}

}  // namespace

std::span<OwnCommand const> own_commands() { return declared().commands; }

std::span<OwnAnswer const> own_answers() { return declared().answers; }

std::string_view help_of_figure(std::string_view name) {
  static std::map<std::string_view, std::string_view> const kFigures = [] {
    std::map<std::string_view, std::string_view> out;
    auto const stats = std::ranges::find(own_answers(), "STATS", &OwnAnswer::name);
    for (ParameterDeclaration const& one : stats->declared.parameters) out.emplace(one.name, one.description);
    return out;
  }();
  auto const found = kFigures.find(name);
  FJ_CHECK(found != kFigures.end(), "daemon.xml declares each figure of the daemon");
  return found->second;
}

bool goes_with_listen(TypeDeclaration const& type, CommandDeclaration const& command,
                      ParameterDeclaration const& parameter) {
  static constexpr std::array<std::string_view, 4> kOfListen{"table", "request", "wait", "worker"};
  return !parameter.right && parameter.name != type.topic && parameter.name != command.deliver_count &&
         std::ranges::find(kOfListen, parameter.name) == kOfListen.end();
}

std::vector<ParameterDeclaration> with_topics(std::vector<ParameterDeclaration> const& parameters,
                                              engine::TableTypes const& types) {
  std::vector<ParameterDeclaration> out;
  auto const add = [&out](ParameterDeclaration one) {
    if (std::ranges::find(out, one.name, &ParameterDeclaration::name) == out.end()) out.push_back(std::move(one));
  };
  auto const add_of_type = [&](ParameterDeclaration const& place, TypeDeclaration const& type,
                               std::uint32_t delivering) {
    bool const is_topic = place.name == config::kTopicPlace;
    if (is_topic && !type.topic.empty()) {
      ParameterDeclaration topic{place};
      topic.name = type.topic;
      add(std::move(topic));
    }
    if (is_topic || delivering == NameTable::kAbsent) return;
    CommandDeclaration const& command = type.commands[delivering];
    for (ParameterDeclaration const& one : command.parameters)
      if (goes_with_listen(type, command, one)) add(one);
  };
  for (ParameterDeclaration const& one : parameters) {
    if (one.name != config::kTopicPlace && one.name != config::kFurtherPlace)
      add(one);
    else
      for (auto const& [name, type] : types) add_of_type(one, *type->declaration(), type->delivering());
  }
  return out;
}

}  // namespace fastjournal::admin
