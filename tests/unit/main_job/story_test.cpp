// The whole main job on a small folder, with the real daemon, forwarder and processes: the daemon is away for a while, it
// ends, its result is correct, and it leaves no process behind, also if it cannot begin or is interrupted.
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <boost/test/unit_test.hpp>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "clients/demo/main_job/story.h"
#include "tests/support/temporary_folder.h"

namespace fastjournal::main_job {
namespace {

struct Stage {
  test::TemporaryFolder documents;
  test::TemporaryFolder run;
  std::sig_atomic_t volatile interrupted{0};

  explicit Stage(int pages = 120) {
    for (int i = 0; i < pages; ++i)
      std::ofstream(documents.path() / (std::to_string(i) + ".txt")) << "Page " << i << "\n"
                                                                     << std::string(2000, 'x') << " journal cabinet\n";
  }
  [[nodiscard]] Settings settings() const {
    Settings made{.style = Progress::Style::none, .interrupted = &interrupted};
    made.folders = {documents.path()};
    made.program = FJ_BINARY_DIR "/bin/main_job";
    made.run_folder = run.path();
    return made;
  }
  static void no_process_is_left() {
    int status = 0;
    BOOST_TEST(::waitpid(-1, &status, WNOHANG) == -1);
    BOOST_TEST(errno == ECHILD);
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(main_job_story)

BOOST_AUTO_TEST_CASE(a_small_folder_is_indexed_and_nothing_is_lost_or_double) {
  Stage const stage;
  auto const outcome = play(stage.settings());
  BOOST_REQUIRE_MESSAGE(outcome.ok(), outcome.status().message());
  for (std::string const& wrong : what_is_wrong(outcome.value())) BOOST_ERROR(wrong);
  BOOST_TEST(outcome.value().counts.pages == 120U);
  BOOST_TEST(outcome.value().counts.saved > outcome.value().counts.done + 20U);
  BOOST_TEST(outcome.value().forwarder.confirmed == outcome.value().counts.saved);
  BOOST_TEST(outcome.value().outage.seconds >= 3.0);
  BOOST_TEST(outcome.value().outage.caught_up_seconds > 0.0);
  BOOST_TEST(outcome.value().index_pages == 120U);
  // The documents have none of the words asked for: a word of the index was taken instead.
  BOOST_TEST(outcome.value().query != "license AND warranty");
  Stage::no_process_is_left();
}

BOOST_AUTO_TEST_CASE(a_document_that_cannot_be_read_any_more_is_parked) {
  Stage const stage(10);
  // Its beginning is text and can be unpacked; only reading all of it shows that the end is missing.
  std::filesystem::path const path = stage.documents.path() / "damaged.gz";
  gzFile file = gzopen(path.c_str(), "wb");
  std::uint32_t number = 1;
  for (int i = 0; i < 100'000; ++i) gzprintf(file, "%u\n", number = number * 1'664'525 + 1'013'904'223);
  gzclose(file);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  auto const outcome = play(stage.settings());
  BOOST_REQUIRE_MESSAGE(outcome.ok(), outcome.status().message());
  for (std::string const& wrong : what_is_wrong(outcome.value())) BOOST_ERROR(wrong);
  // Once for each row: if the page is changed again after it was parked, that is a new row.
  BOOST_TEST(outcome.value().counts.parked >= 1U);
  BOOST_TEST(outcome.value().index_pages == 10U);
}

BOOST_AUTO_TEST_CASE(an_interrupt_ends_it_and_its_processes) {
  Stage stage;
  stage.interrupted = 1;
  auto const outcome = play(stage.settings());
  BOOST_TEST((outcome.status().code() == Code::closed));
  Stage::no_process_is_left();
}

BOOST_AUTO_TEST_CASE(a_query_that_cannot_be_read_is_refused_before_the_work) {
  Stage const stage(1);
  Settings settings = stage.settings();
  settings.query = "AND AND";
  auto const refused = play(settings);
  BOOST_TEST((refused.status().code() == Code::io_error));
  BOOST_TEST(refused.status().message().find("AND AND") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(without_documents_or_daemon_it_does_not_begin) {
  Stage const empty(0);
  auto const nothing = play(empty.settings());
  BOOST_TEST((nothing.status().code() == Code::not_found));
  BOOST_TEST(nothing.status().message().find(empty.documents.path().string()) != std::string::npos);

  Stage const stage(1);
  Settings elsewhere = stage.settings();
  elsewhere.program = stage.run.path() / "main_job";
  auto const alone = play(elsewhere);
  BOOST_TEST((alone.status().code() == Code::not_found));
  BOOST_TEST(alone.status().message().find("fastjournald") != std::string::npos);
  Stage::no_process_is_left();
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::main_job
