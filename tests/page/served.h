// The real daemon with a page: a listener with all that loopback has, one on which rows can only be seen, one without
// rights, and the administrator's socket.
#pragma once

#include <csignal>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/integration/daemon.h"
#include "tests/support/child_process.h"
#include "tests/support/line_client.h"

namespace fastjournal::test {

class Served {
 public:
  static constexpr char kCatalog[] =
      "<plan name=\"catalog\" version=\"1\"><retry first=\"1h\" jitter=\"0\"/>\n"
      "<source name=\"pages\"/>\n<source name=\"mails\"/>\n"
      "<step name=\"extract\" after=\"pages mails\" router=\"duplicate-all\"/>\n"
      "<step name=\"index\" after=\"extract\" kind=\"idempotent\" guarantee=\"at-least-once\"/>\n"
      "<step name=\"stamp\" after=\"extract\"/>\n"
      "<step name=\"publish\" after=\"stamp\" kind=\"potent\"/>\n</plan>\n";

  Served() : daemon_{"<domain>payload</domain><keep-done>1d</keep-done>"} {
    add_user();
    configure("127.0.0.1:0");
    daemon_.write_table("mail", "");
    daemon_.write_table("notify", "");
    daemon_.write("tables/values.xml", "<table name=\"values\" model=\"keyvalue\"/>\n");
    daemon_.write("tables/post.xml", "<table name=\"post\" model=\"queue\"><queues>orders failed</queues></table>\n");
    daemon_.write("tables/images.xml", "<table name=\"images\" model=\"blob\"/>\n");
    daemon_.write("catalog.xml", kCatalog);
    daemon_.write("tables/docs.xml",
                  "<table name=\"docs\" type=\"pipeline\"><description>Product pages and mails become searchable, and "
                  "are published once.</description><plan>../catalog.xml</plan><grace>100ms</grace>"
                  "<failing>0</failing></table>\n");
    daemon_.listens_as_configured = true;
    start();
  }
  ~Served() { stop(); }
  Served(Served const&) = delete;
  Served& operator=(Served const&) = delete;

  void start() {
    if (!daemon_.start()) throw std::runtime_error(daemon_.output());
    runs_ = true;
    std::string const output = daemon_.output();
    addresses_.clear();
    for (std::size_t at = output.find("listening 127"); at != std::string::npos;
         at = output.find("listening 127", at + 1))
      addresses_.push_back(output.substr(at + 10, output.find_first_of(" \n", at + 10) - at - 10));
    // The page finds it again at the same place.
    configure(addresses_.at(0));
  }
  void stop(int signal = SIGTERM) {
    if (!runs_) return;
    daemon_.kill(signal);
    static_cast<void>(daemon_.wait());
    runs_ = false;
  }

  [[nodiscard]] std::string url() const { return "http://" + addresses_.at(0) + "/"; }
  [[nodiscard]] std::string read_only_url() const { return "http://" + addresses_.at(1) + "/"; }
  [[nodiscard]] std::string closed_url() const { return "http://" + addresses_.at(2) + "/"; }
  [[nodiscard]] std::string administrators_url() const { return "http://" + addresses_.at(3) + "/"; }
  [[nodiscard]] std::string const& token() const { return token_; }

  // As an administrator.
  std::string ask(std::string const& line) { return LineClient{daemon_.local()}.ask(line); }
  [[nodiscard]] std::string const& local() const { return daemon_.local(); }
  // The number of the row.
  std::string insert(std::string const& table, std::string const& name, std::string const& more = "") {
    return fact(ask("INSERT table=" + table + ";name=" + name + ";" + more), "row");
  }
  // "7" of "...;row=7;..."
  static std::string fact(std::string const& answer, std::string const& name) {
    std::size_t at = answer.find(name + "=");
    while (at != std::string::npos && at != 0 && answer[at - 1] != ' ' && answer[at - 1] != ';')
      at = answer.find(name + "=", at + 1);
    if (at == std::string::npos) throw std::runtime_error("no " + name + " in " + answer);
    at += name.size() + 1;
    return answer.substr(at, answer.find(';', at) - at);
  }
  // name-0, name-1 and so on, many at once.
  void fill(std::string const& table, std::string const& name, int count) {
    LineClient client{daemon_.local()};
    constexpr int kTogether = 1000;
    for (int at = 0; at < count; at += kTogether) {
      std::string lines;
      for (int one = at; one < at + kTogether && one < count; ++one)
        lines += "INSERT table=" + table + ";process_date=+86400000;name=" + name + "-" + std::to_string(one) + "\n";
      if (!client.send(lines)) throw std::runtime_error("the daemon takes nothing");
      for (int one = at; one < at + kTogether && one < count; ++one)
        if (!client.read_line().value_or("").starts_with("INSERTED")) throw std::runtime_error("not inserted");
    }
  }

 private:
  void configure(std::string const& address) {
    daemon_.write("fastjournal.xml", "<fastjournal>\n<access users=\"users.xml\"/>\n<listen address=\"" + address +
                                         "\" protocol=\"http\"/>\n"
                                         "<listen address=\"127.0.0.1:0\" protocol=\"http\" rights=\"read\"/>\n"
                                         "<listen address=\"127.0.0.1:0\" protocol=\"http\" rights=\"\"/>\n"
                                         "<listen address=\"127.0.0.1:0\" protocol=\"http\" rights=\"all\"/>\n"
                                         "<socket path=\"socket\" rights=\"all\"/>\n</fastjournal>\n");
  }
  void add_user() {
    ChildProcess add{{FJ_BINARY_DIR "/bin/fastjournal", "user", "add", "anna", "--rights", "read add", "--tables",
                      "jobs", "--file", (daemon_.folder() / "users.xml").string()}};
    static_cast<void>(add.wait());
    std::size_t const at = add.output().find("fj_");
    if (at == std::string::npos) throw std::runtime_error(add.output());
    token_ = add.output().substr(
        at,
        add.output().find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", at) - at);
  }

  RealDaemon daemon_;
  std::vector<std::string> addresses_;
  std::string token_;
  bool runs_{false};
};

}  // namespace fastjournal::test
