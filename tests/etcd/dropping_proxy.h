// Stands between a daemon and the members of etcd, and loses what the test tells it to: a cut cable, which nobody is
// told of, or answers only, so that whoever asked cannot know what was done.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <string>
#include <thread>
#include <vector>

namespace fastjournal::test {

class DroppingProxy {
 public:
  enum class Mode : std::uint8_t {
    passes,
    holds_answers,  // what members say is kept back; what they are asked is passed on
    holds_all,
  };

  // An address of its own for each of these.
  explicit DroppingProxy(std::vector<std::string> const& targets);
  ~DroppingProxy();
  DroppingProxy(DroppingProxy const&) = delete;
  DroppingProxy& operator=(DroppingProxy const&) = delete;

  // With commas between them.
  [[nodiscard]] std::string addresses() const;
  // From now on. Back at `passes`, connections that were held end: what was lost does not come.
  void set(Mode mode);

 private:
  struct Pair {
    int client{-1};
    int member{-1};
    std::string to_client{};
    std::string to_member{};
    bool is_over{false};
  };

  void run();
  void accept(std::size_t at);
  // Reads what is there into `into`; false: the end.
  static bool read(int from, std::string& into);
  static void write(int to, std::string& bytes);
  void wake() const;

  std::vector<std::string> targets_;
  std::vector<std::string> addresses_;
  std::vector<int> listening_;
  int wake_[2]{-1, -1};
  std::atomic<Mode> mode_{Mode::passes};
  std::atomic<bool> ends_{false};
  std::list<Pair> pairs_;  // of the thread
  std::thread thread_;
};

}  // namespace fastjournal::test
