// Lives of a pipeline table in the daemon: workers find documents, make children of them and send them to receivers that
// count what comes, through kills and power cuts at any write. What may arrive once at most never arrives twice, what is
// recorded as sent has arrived, and in the end everything has.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <vector>

#include "tests/world/daemon_life.h"
#include "tests/world/lives.h"

namespace fastjournal::sim {
namespace {

using lives::Counts;
using lives::expect;
using lives::parsed;

constexpr std::array<std::string_view, 3> kPipelineWorkers{"w0", "w1", "w2"};
constexpr std::size_t kUrisMax = 12;
constexpr std::uint64_t kChildrenMax = 4;

// The plan (tests/transcripts/plans/docs.xml): index takes a document again, publish once at most.
constexpr std::string_view kAgain = "index";

class PipelineLife final : private lives::DaemonLife {
 public:
  PipelineLife(std::uint64_t seed, Counts& counts) : DaemonLife(seed, counts, {}) {
    std::uint64_t const kind = draw(3);
    keeps_versions_ = kind == 0;
    std::string const folder = keeps_versions_ ? "/tests/world/kept"
                               : kind == 1     ? "/tests/world/ended"
                                               : "/tests/transcripts";
    expect(world_.add_table(FJ_SOURCE_DIR + folder + "/docs.xml").ok(), "the table was refused");
    start();
    uris_ = 2 + draw(kUrisMax - 1);
    for (std::size_t uri = 0; uri < uris_; ++uri) versions_.push_back(1);
  }

  void step(std::uint64_t) {
    std::uint64_t const dice = draw(100);
    Worker& worker = workers_[draw(workers_.size())];
    if (dice < 22) {
      find(worker);
    } else if (dice < 34) {
      world_.send(worker.name, "NEXT table=docs;count=" + std::to_string(1 + draw(3)) + ";request=next");
      settle_some(worker);
    } else if (dice < 74) {
      work(worker);
    } else if (dice < 82) {
      world_.settle();
      read_all();
    } else if (dice < 87) {
      world_.advance(DurationMs{static_cast<std::int64_t>(draw(draw(6) == 0 ? 400'000 : 12'000))});
      read_all();
    } else if (dice < 90) {
      read_all();
      world_.close(worker.name);
      worker.forget();
      world_.settle();
    } else if (dice < 92) {
      resolve();
    } else if (dice < 94) {
      world_.settle();
      read_all();
      check();
    } else {
      end_daemon(dice);
    }
  }
  void end() {
    end_daemon(99);
    drain();
  }

 private:
  // A document in somebody's hands.
  struct Held {
    std::string document;
    std::string token;
    std::string what;  // uri, and the way down to a child
    std::uint64_t version{0};
    std::vector<std::string> destinations{};
    bool makes_children{false};
    std::uint64_t next_child{0};
    bool is_child{false};
  };
  struct Worker {
    std::string name;
    std::vector<Held> held{};
    std::map<std::string, Held> asked{};  // by request: what the answer is about

    void forget() {
      held.clear();
      asked.clear();
    }
  };

  // Every third document has children: as many as its number says.
  static std::uint64_t children_of(std::string const& what) {
    std::uint64_t const uri = what.size() > 1 ? static_cast<std::uint64_t>(what[1] - 'a') : 0;
    return what.find('/') == std::string::npos && uri % 3 == 0 ? 1 + uri % kChildrenMax : 0;
  }
  static std::string uri_of(std::size_t number) { return std::string{"u"} + static_cast<char>('a' + number); }

  void settle_some(Worker& worker) {
    if (draw(3) == 0) return;  // under way
    world_.settle();
    read(worker);
  }

  void find(Worker& worker) {
    std::size_t const uri = draw(uris_);
    if (draw(12) == 0) ++versions_[uri];
    world_.send(worker.name, "FOUND table=docs;source=pages;uri=" + uri_of(uri) +
                                 ";hash=" + std::to_string(versions_[uri]) + (draw(4) == 0 ? ";hand_out=0" : "") +
                                 ";request=next");
    settle_some(worker);
  }

  std::string about(Held const& held, std::string const& request) {
    return " table=docs;document=" + held.document + ";token=" + held.token + ";request=" + request;
  }
  std::string asks(Worker& worker, Held const& held) {
    std::string request = "r" + std::to_string(++requests_);
    worker.asked.emplace(request, held);
    return request;
  }

  // The next thing that a worker does with one of its documents.
  void work(Worker& worker) {
    if (worker.held.empty()) return;
    std::size_t const which = draw(worker.held.size());
    Held& held = worker.held[which];
    // Children first: without them the document would be done with its last destination.
    if (held.makes_children) {
      std::uint64_t const all = children_of(held.what);
      if (held.next_child < all) {
        Held child = held;
        child.what += "/" + std::to_string(held.next_child++);
        child.is_child = true;
        world_.send(worker.name, "CHILD" + about(held, asks(worker, child)) + ";child=" + child.what.substr(3));
      } else {
        held.makes_children = false;
        world_.send(worker.name, "CHILDREN_DONE" + about(held, asks(worker, held)) + ";count=" + std::to_string(all));
      }
    } else if (!held.destinations.empty()) {
      Held one = held;
      one.destinations = {held.destinations.back()};
      held.destinations.pop_back();
      world_.send(worker.name, "SENDING" + about(held, asks(worker, one)) + ";destination=" + one.destinations[0]);
    } else {
      worker.held.erase(worker.held.begin() + static_cast<std::ptrdiff_t>(which));
    }
    settle_some(worker);
  }

  void read_all() {
    for (Worker& worker : workers_) read(worker);
  }
  void read(Worker& worker) {
    while (std::optional<std::string> line = world_.take_line(worker.name)) {
      Message const answer = parsed(*line);
      std::string const request{answer.text("request")};
      auto const about_it = worker.asked.find(request);
      std::optional<Held> held;
      if (about_it != worker.asked.end()) {
        held = about_it->second;
        worker.asked.erase(about_it);
      }
      if (answer.command == "DOCUMENT" && answer.has("change") && answer.has("uri"))
        found_[std::string{answer.text("uri")}].insert(std::stoull(std::string{answer.text("hash")}));
      if (answer.command == "DOCUMENT" && answer.has("token")) {
        take(worker, answer, held);
      } else if (answer.command == "RUN" && held) {
        send(worker, *held, std::string{answer.text("key")});
      }
    }
  }

  void take(Worker& worker, Message const& answer, std::optional<Held> const& child) {
    Held held;
    held.document = answer.text("document");
    held.token = answer.text("token");
    held.what = child ? child->what : std::string{answer.text("uri")};
    held.version = child ? child->version : std::stoull(std::string{answer.text("hash")});
    held.is_child = child.has_value();
    std::istringstream words{std::string{answer.text("destinations")}};
    for (std::string word; words >> word;) held.destinations.push_back(word);
    held.makes_children = !held.is_child && children_of(held.what) > 0;
    worker.held.push_back(held);
  }

  // The receiver has it from here on; the worker says so, if it still can.
  void send(Worker& worker, Held const& held, std::string const& key) {
    std::string const& destination = held.destinations[0];
    std::string const version = held.what + "@" + std::to_string(held.version) + ">" + destination;
    bool const refuses = draw(8) == 0;
    if (!refuses) {
      ++received_[version];
      ++counts_["deliveries"];
      // Receivers that know the key can tell. A document that has changed back is another version with another key.
      auto const [known, is_new] = keys_.emplace(key, version);
      expect(is_new || known->second == version, "two deliveries have one key: " + version + ", " + known->second);
      // In doubt it stays if the answer never comes.
      std::uint64_t const times = ++by_key_[key];
      if (destination != kAgain) expect(times == 1, version + " arrived " + std::to_string(times) + " times");
      if (destination != kAgain && keeps_versions_ && !held.is_child) keep_order(held);
    }
    std::string const report = refuses ? "FAILED" : "SENT";
    world_.send(worker.name, report + about(held, "report") + ";destination=" + destination);
  }

  // As they were found: each version is a document of its own, and FOUND of two workers may overtake each other. What is
  // tried again by an operator may come late.
  void keep_order(Held const& held) {
    std::uint64_t const document = std::stoull(held.document);
    std::uint64_t& last = last_[held.what];
    if (last > document && !drains_)
      expect(false, held.what + "@" + std::to_string(held.version) + ", document " + held.document + ", came after " +
                        std::to_string(last) + ":" + story_of(held.what));
    last = std::max(last, document);
  }

  // An operator asks the receiver, who knows.
  void resolve() {
    world_.settle();
    read_all();
    for (Message const& one : ask("DOCUMENTS table=docs;status=in_doubt;count=1000")) {
      if (one.command != "DOCUMENT") continue;
      std::string const what = name_of(one);
      for (std::string_view const destination : {std::string_view{"publish"}}) {
        if (one.text("states").find(std::string{destination} + "=in_doubt") == std::string_view::npos) continue;
        std::string const version = what + "@" + version_of(one) + ">" + std::string{destination};
        bool const has = received_[version] > 0;
        ask("RESOLVE table=docs;document=" + std::string{one.text("document")} +
            ";destination=" + std::string{destination} + ";outcome=" + (has ? "sent" : "failed"));
      }
    }
  }

  // As FOUND and CHILD were told.
  std::string name_of(Message const& document) {
    if (!document.has("child")) return std::string{document.text("uri")};
    return original_of(document).first + "/" + std::string{document.text("child")};
  }
  std::string version_of(Message const& document) {
    if (!document.has("child")) return std::string{document.text("hash")};
    return original_of(document).second;
  }
  std::pair<std::string, std::string> original_of(Message const& child) {
    std::string const id{child.text("original")};
    for (Message const& one : ask("DOCUMENTS table=docs;count=1;after=" + std::to_string(std::stoull(id) - 8)))
      if (one.text("document") == id) return {std::string{one.text("uri")}, std::string{one.text("hash")}};
    expect(false, "an original is gone");
    return {};
  }

  void end_daemon(std::uint64_t dice) {
    read_all();
    if (dice < 98) {
      // The power goes at one of the next writes; what is acknowledged before counts.
      world_.disk().stop_after(draw(8));
      for (Worker& worker : workers_)
        for (int at = 0; at < 3; ++at) work(worker);
      world_.settle();
      read_all();
    }
    start_again(dice < 99, workers_);
    check();
  }

  // What is recorded as sent has arrived; what is in doubt may have.
  void check() {
    std::string after;
    do {
      std::vector<Message> const page =
          ask("DOCUMENTS table=docs;count=1000" + (after.empty() ? "" : ";after=" + after));
      std::map<std::string, std::pair<std::string, std::string>> originals;
      for (Message const& one : page) {
        if (one.command != "DOCUMENT") continue;
        if (!one.has("child"))
          originals[std::string{one.text("document")}] = {std::string{one.text("uri")}, std::string{one.text("hash")}};
        if (one.has("orphan")) continue;
        auto const& [uri, hash] = originals.at(std::string{one.text(one.has("child") ? "original" : "document")});
        std::string const what = one.has("child") ? uri + "/" + std::string{one.text("child")} : uri;
        std::istringstream states{std::string{one.text("states")}};
        for (std::string state; states >> state;) {
          std::size_t const equal = state.find('=');
          std::string const version = what + "@" + hash + ">" + state.substr(0, equal);
          if (state.substr(equal + 1) == "sent")
            expect(received_[version] > 0, version + " is said to be sent, and never came");
        }
      }
      after = page.back().text("after");
    } while (!after.empty());
  }

  // For people, when something is wrong: what has become of it.
  std::string story_of(std::string const& uri) {
    std::string out;
    for (Message const& one : ask("HISTORY table=docs;count=1000")) {
      if (one.text("uri") != uri && one.has("uri")) continue;
      out += "\n";
      for (std::string_view const name : {"date", "document", "what", "destination", "worker", "class"})
        if (one.has(name)) out.append(" ").append(one.text(name));
    }
    return out;
  }
  std::string why_of(std::string const& uri) {
    std::string out;
    for (Message const& one : ask("DOCUMENTS table=docs;count=1000")) {
      if (one.command != "DOCUMENT" || (!one.has("child") && one.text("uri") != uri)) continue;
      out += "\n" + std::string{one.text("document")} + " " + std::string{one.text("states")} + ": ";
      out += ask("WHY table=docs;document=" + std::string{one.text("document")}).front().text("text");
    }
    return out;
  }

  // Workers that do what they should, and an operator who knows: in the end everything has arrived.
  void drain() {
    for (std::size_t uri = 0; uri < uris_; ++uri)
      world_.send("w0", "FOUND table=docs;source=pages;uri=" + uri_of(uri) + ";hash=" + std::to_string(versions_[uri]) +
                            ";hand_out=0");
    world_.settle();
    drop_answers("w0");
    drains_ = true;
    for (int round = 0; round < 400; ++round) {
      world_.advance(DurationMs{700'000});
      resolve();
      ask("RETRY table=docs;all=1");
      world_.send("w0", "NEXT table=docs;request=next");
      world_.settle();
      read(workers_[0]);
      for (int at = 0; at < 60 && !workers_[0].held.empty(); ++at) {
        work(workers_[0]);
        world_.settle();
        read(workers_[0]);
      }
      workers_[0].forget();
      bool const is_over = ask("DOCUMENTS table=docs;status=open;count=1000").front().command == "NOTHING" &&
                           ask("DOCUMENTS table=docs;status=failed;count=1000").front().command == "NOTHING";
      if (is_over) break;
    }
    check();
    for (std::size_t uri = 0; uri < uris_; ++uri) {
      std::set<std::uint64_t> versions{versions_[uri]};
      if (keeps_versions_) versions.merge(found_[uri_of(uri)]);
      for (std::uint64_t const version : versions) check_arrived(uri_of(uri), version);
    }
  }
  void check_arrived(std::string const& uri, std::uint64_t number) {
    std::vector<std::string> all{uri};
    for (std::uint64_t child = 0; child < children_of(uri); ++child) all.push_back(uri + "/" + std::to_string(child));
    for (std::string const& what : all)
      for (std::string_view const destination : {std::string_view{"index"}, std::string_view{"publish"}}) {
        std::string const version = what + "@" + std::to_string(number) + ">" + std::string{destination};
        expect(received_[version] > 0, version + " never arrived: " + why_of(uri));
      }
  }

  std::size_t uris_{0};
  std::vector<std::uint64_t> versions_;
  bool keeps_versions_{false};
  bool drains_{false};
  std::map<std::string, std::set<std::uint64_t>> found_;  // by uri: versions that the table has acknowledged
  std::map<std::string, std::uint64_t> last_;             // by uri: the last document that was published
  std::array<Worker, kPipelineWorkers.size()> workers_{
      {{std::string{kPipelineWorkers[0]}}, {std::string{kPipelineWorkers[1]}}, {std::string{kPipelineWorkers[2]}}}};
  std::map<std::string, std::uint64_t> received_;
  std::map<std::string, std::uint64_t> by_key_;
  std::map<std::string, std::string> keys_;
  std::uint64_t requests_{0};
};

}  // namespace

test::LifeResult live_with_pipelines(std::uint64_t seed, std::uint64_t steps) {
  return test::live<PipelineLife>(seed, steps);
}

}  // namespace fastjournal::sim
