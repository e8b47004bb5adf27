// The program whose instructions callgrind counts for `./mk count`: messages through the whole server in the simulator,
// so that every run executes the same instructions. It plays the named steps, one after the other, on `--rows` rows.
// The cost of a step is the difference between a run with it and one without.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "tests/world/world.h"
#include "wire/fj/frame.h"

namespace {

using fastjournal::sim::World;
namespace fj = fastjournal::fj;

// Number of messages that arrive together.
constexpr std::uint64_t kTogether = 64;
constexpr std::uint16_t kPairsOfRange = 1000;
constexpr std::size_t kAnswerBytesMax = std::size_t{1} << 20U;
constexpr char kFramesDoor[] = "127.0.0.1:4060";

[[noreturn]] void fail(std::string const& what) {
  fmt::print(stderr, "hot_path: {}\n", what);
  std::exit(1);
}

class HotPath {
 public:
  explicit HotPath(std::uint64_t rows) : rows_(rows), world_(1), payload_(200, 'p') {
    world_.log_options.segment_bytes = 16U << 20U;
    fastjournal::Status status = world_.add_table(FJ_SOURCE_DIR "/tests/transcripts/jobs.xml");
    if (status.ok()) status = world_.add_table(FJ_SOURCE_DIR "/tests/transcripts/values.xml");
    if (status.ok()) status = world_.add_table(FJ_SOURCE_DIR "/tests/transcripts/post.xml");
    fastjournal::access::ListenDeclaration door;
    door.address = kFramesDoor;
    door.protocol = "fj";
    door.table = "values";
    world_.own_listeners = {door};
    if (status.ok()) status = world_.start();
    if (!status.ok()) fail(status.message());
    world_.come_by("frames", kFramesDoor);
  }

  void play(std::string const& step) {
    if (step == "insert") {
      each("INSERTED ",
           [&](std::uint64_t i) { return fmt::format("INSERT table=jobs;name=key{};payload={}", i, payload_); });
    } else if (step == "merge") {
      each("INSERTED ",
           [&](std::uint64_t i) { return fmt::format("INSERT table=jobs;name=key{};payload={}", i % 1000, payload_); });
    } else if (step == "lease") {
      each("ROW ", [](std::uint64_t) { return std::string{"NEXT table=jobs"}; });
    } else if (step == "done") {
      std::vector<std::string> const leased = std::move(leased_);
      each("COMPLETED ", [&](std::uint64_t i) { return leased.at(i); });
    } else if (step == "send") {
      each("SENT ", [&](std::uint64_t) { return fmt::format("SEND table=post;queue=orders;body={}", payload_); });
    } else if (step == "acquire") {
      each("MESSAGE ", [](std::uint64_t) { return std::string{"ACQUIRE table=post;queue=orders"}; });
    } else if (step == "accept") {
      std::vector<std::string> const leased = std::move(leased_);
      each("ACCEPTED ", [&](std::uint64_t i) { return leased.at(i); });
    } else if (step == "set") {
      each_frame([&](std::uint64_t i) {
        auto request = request_of(fj::Function::set, i);
        request.flags = fj::flag::kOverwrite;
        request.value = fj::TypedValue{2, payload_};
        return request;
      });
    } else if (step == "get") {
      each_frame([&](std::uint64_t i) {
        auto request = request_of(fj::Function::get, i);
        request.flags = fj::flag::kData;
        return request;
      });
    } else if (step == "range") {
      // A thousand pairs by each frame, so that the figure is that of one pair.
      each_frame(
          [&](std::uint64_t i) {
            auto request = request_of(fj::Function::get, i - i % kPairsOfRange);
            request.flags = fj::flag::kData;
            request.set_query(fj::Query::range);
            request.upper = "z";
            request.count = kPairsOfRange;
            return request;
          },
          kPairsOfRange);
    } else {
      fail("no step \"" + step + "\"; there are insert, merge, lease, done, send, acquire, accept, set, get and range");
    }
  }

 private:
  template <typename Line>
  void each(std::string_view good, Line const& line) {
    for (std::uint64_t from = 0; from < rows_; from += kTogether) {
      std::uint64_t const to = std::min(from + kTogether, rows_);
      std::string lines;
      for (std::uint64_t i = from; i < to; ++i) lines += (i == from ? "" : "\n") + line(i);
      world_.send("bench", lines);
      world_.settle();
      for (std::uint64_t i = from; i < to; ++i) note(good, world_.take_line("bench"));
    }
  }
  fj::Request request_of(fj::Function function, std::uint64_t number) {
    key_ = fmt::format("key{:017}", number);
    return {.function = static_cast<std::uint16_t>(function), .identifier = 7, .key = key_};
  }
  template <typename Request>
  void each_frame(Request const& request, std::uint64_t step = 1) {
    for (std::uint64_t from = 0; from < rows_; from += kTogether * step) {
      std::uint64_t const to = std::min(from + kTogether * step, rows_);
      std::string frames;
      for (std::uint64_t i = from; i < to; i += step) fj::write(request(i), frames);
      world_.connection("frames").to_server.append(frames);
      world_.settle();
      std::string const answers = std::exchange(world_.connection("frames").to_client, {});
      std::string_view rest = answers;
      for (std::uint64_t i = from; i < to; i += step) {
        fj::Reply reply;
        fj::Cut const cut = fj::read(rest, kAnswerBytesMax, reply);
        if (cut.kind != fj::Cut::Kind::whole || reply.error) fail("a frame was not answered well");
        rest.remove_prefix(static_cast<std::size_t>(cut.bytes));
      }
    }
  }
  void note(std::string_view good, std::optional<std::string> const& answer) {
    if (!answer || !answer->starts_with(good))
      fail("expected " + std::string{good} + ", got " + answer.value_or("nothing"));
    if (good == "ROW ")
      leased_.push_back(
          fmt::format("DONE table=jobs;row={};epoch={}", field(*answer, ";row="), field(*answer, ";epoch=")));
    if (good == "MESSAGE ")
      leased_.push_back(
          fmt::format("ACCEPT table=post;message={};epoch={}", field(*answer, ";message="), field(*answer, ";epoch=")));
  }
  static std::string field(std::string const& line, std::string const& name) {
    std::size_t const from = line.find(name) + name.size();
    return line.substr(from, line.find(';', from) - from);
  }

  std::uint64_t rows_;
  World world_;
  std::string payload_;
  std::vector<std::string> leased_;
  std::string key_;
};

}  // namespace

int main(int count, char** words) {
  std::uint64_t rows = 20'000;
  std::vector<std::string> steps;
  CLI::App app{"messages through the whole server in the simulator, to be counted by callgrind"};
  app.add_option("--rows", rows, "of each step")->check(CLI::Range(1, 10'000'000))->capture_default_str();
  app.add_option("steps", steps,
                 "insert merge lease done send acquire accept set get range, in the order to be played");
  CLI11_PARSE(app, count, words);
  HotPath path{rows};
  for (std::string const& step : steps) path.play(step);
  return 0;
}
