// A worker of the pipeline table of Served, on one connection: its leases end with it.
#pragma once

#include <stdexcept>
#include <string>

#include "tests/page/served.h"

namespace fastjournal::test {

class Worker {
 public:
  explicit Worker(std::string const& address) : client_{address} {}

  // "document=8;token=7;", for reports.
  std::string found(std::string const& source, std::string const& uri) {
    std::string const answer = ask("FOUND table=docs;source=" + source + ";uri=" + uri + ";hash=1;worker=crawler-3");
    return "document=" + Served::fact(answer, "document") + ";token=" + Served::fact(answer, "token") + ";";
  }
  void say(std::string const& command, std::string const& document, std::string const& more) {
    ask(command + " table=docs;" + document + more);
  }
  void deliver(std::string const& document, std::string const& destination) {
    say("SENDING", document, "destination=" + destination);
    say("SENT", document, "destination=" + destination);
  }
  // For good.
  void fail(std::string const& document, std::string const& destination, std::string const& error) {
    say("FAILED", document, "destination=" + destination + ";class=bad;permanent=1;error=" + error);
  }

 private:
  std::string ask(std::string const& line) {
    std::string answer = client_.ask(line);
    if (answer.starts_with("ERROR")) throw std::runtime_error(answer);
    return answer;
  }

  LineClient client_;
};

}  // namespace fastjournal::test
