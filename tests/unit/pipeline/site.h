// A pipeline table with a worker, receivers that count what comes, and an operator who asks them: for tests by numbers.
#pragma once

#include <deque>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/pipeline/harness.h"

namespace fastjournal::pipeline::test {

inline constexpr std::size_t kDocuments = 44;
// After that every lease of a worker that is gone has ended.
inline constexpr std::int64_t kLeasesOver = 300'001;

inline std::string uri_of(std::size_t number) { return "/" + std::to_string(number); }

inline std::vector<std::string> words_of(std::string const& text) {
  std::istringstream in{text};
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

// They count what comes, by destination and document.
class Receivers {
 public:
  void take(std::string const& destination, std::string const& document) { ++came_[destination][document]; }
  [[nodiscard]] std::size_t times(std::string const& destination, std::string const& document) const {
    auto const its = came_.find(destination);
    if (its == came_.end()) return 0;
    auto const found = its->second.find(document);
    return found == its->second.end() ? 0 : found->second;
  }
  [[nodiscard]] std::size_t documents(std::string const& destination) const {
    auto const its = came_.find(destination);
    return its == came_.end() ? 0 : its->second.size();
  }
  [[nodiscard]] std::size_t deliveries(std::string const& destination) const {
    std::size_t out = 0;
    if (auto const its = came_.find(destination); its != came_.end())
      for (auto const& [document, times] : its->second) out += times;
    return out;
  }
  [[nodiscard]] std::size_t deliveries() const {
    std::size_t out = 0;
    for (auto const& [destination, documents] : came_) out += deliveries(destination);
    return out;
  }

 private:
  std::map<std::string, std::map<std::string, std::size_t>> came_;
};

class Site : public Harness {
 public:
  using Harness::Harness;

  Receivers receivers;
  // Those that an operator resolved.
  std::size_t were_sent{0};
  std::size_t were_not{0};

  // The worker sends it where it has to, and says so.
  void bring(Reply const& document) {
    for (std::string const& destination : words_of(document.get("destinations"))) bring(document, destination);
  }
  bool bring(Reply const& document, std::string const& destination) {
    if (sending(document, destination).name() != "RUN") return false;
    receivers.take(destination, document.get("uri"));
    return sent(document, destination).get("status") == "sent";
  }
  void bring_all() {
    for (Reply document = next(); document.name() == "DOCUMENT"; document = next()) bring(document);
  }
  // All that is missing of the files of a source.
  std::deque<Reply> scan(std::string const& source = "s", std::size_t count = kDocuments) {
    std::deque<Reply> out;
    for (std::size_t at = 0; at < count; ++at)
      if (Reply document = found(uri_of(at), "1", {{"source", source}}); document.get("token") != "-")
        out.push_back(std::move(document));
    return out;
  }
  // An operator asks the receivers.
  void resolve() {
    Reply const all = run("DOCUMENTS", {{"status", "in_doubt"}, {"count", "1000"}});
    if (all.name() == "NOTHING") return;
    for (std::size_t at = 0; at < all.messages.size(); ++at)
      for (std::string const& state : words_of(all.get("states", at))) {
        std::size_t const equal = state.find('=');
        if (state.substr(equal) != "=in_doubt") continue;
        std::string const destination = state.substr(0, equal);
        bool const came = receivers.times(destination, all.get("uri", at)) > 0;
        Reply const resolved = run("RESOLVE", {{"document", all.get("document", at)},
                                               {"destination", destination},
                                               {"outcome", came ? "sent" : "failed"}});
        check(resolved.get("count") == "1", "what is in doubt was not resolved");
        ++(came ? were_sent : were_not);
      }
  }
  std::size_t number(std::string const& destination, std::string const& what) {
    std::string const text = of_destination(destination, what);
    return text == "-" ? 0 : std::stoull(text);
  }
};

inline std::string one_output(bool at_least_once, std::string const& retry = PlanText{}.retry) {
  PlanText plan;
  plan.retry = retry;
  plan.source("s");
  return (at_least_once ? plan.idempotent("out", "0") : plan.potent("out", "0")).text;
}

}  // namespace fastjournal::pipeline::test
