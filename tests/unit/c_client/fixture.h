// Handles of the C API that free themselves, and a real daemon for one test.
#pragma once

#include <boost/test/unit_test.hpp>

#include <fastjournal/fastjournal.h>

#include <csignal>
#include <memory>
#include <set>
#include <string>

#include "tests/integration/daemon.h"

namespace fastjournal::test {

struct Free {
  void operator()(fj_connection* one) const { fj_close(one); }
  void operator()(fj_message* one) const { fj_message_free(one); }
  void operator()(fj_reply* one) const { fj_reply_free(one); }
  void operator()(fj_pipeline* one) const { fj_pipeline_free(one); }
};
template <typename T>
using Owned = std::unique_ptr<T, Free>;

inline std::string said() { return std::string{fj_code_name(fj_error_code())} + ": " + fj_error_text(); }

struct Fixture {
  Fixture() { BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output()); }
  ~Fixture() {
    daemon.kill(SIGKILL);
    static_cast<void>(daemon.wait());
  }

  [[nodiscard]] Owned<fj_connection> open(fj_options options = {}) {
    std::string const server = daemon.local();
    options.size = sizeof options;
    if (options.server == nullptr) options.server = server.c_str();
    if (options.reconnect_ms == 0) options.reconnect_ms = 1;
    Owned<fj_connection> out{fj_open(&options)};
    BOOST_REQUIRE_MESSAGE(out != nullptr, said());
    return out;
  }
  void restart() {
    daemon.kill(SIGKILL);
    static_cast<void>(daemon.wait());
    bool const ready = daemon.start();
    BOOST_REQUIRE_MESSAGE(ready, daemon.output());
  }
  // Rows of "jobs", by LIST.
  std::set<std::string> names(fj_connection* connection) {
    std::set<std::string> out;
    Owned<fj_message> list{fj_message_new("LIST")};
    fj_set_text(list.get(), "table", "jobs", FJ_NUL);
    fj_set_integer(list.get(), "count", 1000);
    for (int64_t after = 0; after >= 0;) {
      fj_reply* reply = nullptr;
      BOOST_REQUIRE_MESSAGE(fj_call(connection, list.get(), &reply) == FJ_OK, said());
      Owned<fj_reply> const page{reply};
      for (size_t i = 0; i < fj_reply_rows(reply); ++i)
        BOOST_TEST(out.insert(fj_get_text(fj_reply_row(reply, i), "name", nullptr)).second);
      after = -1;
      fj_message const* const last = fj_reply_message(reply, fj_reply_count(reply) - 1);
      if (fj_get_integer(last, "after", &after) == FJ_OK) fj_set_integer(list.get(), "after", after);
    }
    return out;
  }

  RealDaemon daemon{
      "<grace>10s</grace><back-off-first>1ms</back-off-first><processing-timeout>60s</processing-timeout>"};
};

}  // namespace fastjournal::test
