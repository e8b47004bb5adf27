// The examples in the documents: blocks fenced by ``` with a word for their kind.
//
//   transcript TABLE...   messages and answers, played in the simulator (tests/world/documents_test.cpp) with these
//                         tables of conf/tables.d; without tables it continues the previous one of the page
//   xml                   a configuration file, or elements of a <table>, which the loader must accept (same test)
//   xml trial             a configuration of doc/security.md that the test `tls` starts a daemon with
//   console               `$ command` and its output, in a real shell beside a real daemon
//                         (tests/integration/people/documents_test.cpp)
//   sh                    commands of doc/security.md, run by the test `tls` (tests/integration/doors/tls_test.cpp)
//   sh, console WHERE     of doc/cluster.md: on which of its computers (tests/etcd/document_test.cpp)
//   http                  `$ curl ...` and its answer, of doc/http.md (tests/integration/doors/http_clients_test.cpp)
//   python, javascript    programs of the same page, and the same test
//   cpp, c                programs of doc/blob.md, with what they print (tests/integration/people/library_test.cpp)
//   LANGUAGE FILE         of documents with a daemon of their own (below): a file; `console terminal` there: a command
//                         that goes on running (tests/integration/people/tutorial_test.cpp)
//   fj TABLE              bytes of doc/fj-protocol.md, sent in the simulator (tests/world/fj_frames_test.cpp)
//   sql                   tables and a query of doc/queue.md, beside what the daemon made (tests/integration/tables/export_test.cpp)
//   stomp                 frames of doc/stomp.md, sent to a real daemon (tests/integration/tables/stomp_test.cpp)
//   text                  not tested
//
// Numbers and dates stand for real ones, so that a document looks as a reader would see it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fastjournal::test {

struct Example {
  std::string document;  // relative to the root of the checkout
  int line{0};           // of the first line inside the block
  std::string language;
  std::vector<std::string> words;  // after the language
  std::vector<std::string> lines;
};

// README.md and doc/*.md, and their examples in the order of lines.
[[nodiscard]] std::vector<std::string> documents(std::string const& root);
[[nodiscard]] std::vector<Example> examples_of(std::string const& root, std::string const& document);

// Those that tell their reader to make a folder and to start a daemon there.
[[nodiscard]] bool has_daemon_of_its_own(std::string_view document);

// Whether the text is as shown, where each `...` stands for any text.
[[nodiscard]] bool is_as_shown(std::string_view text, std::string_view shown);

// A command of a console block, with what it prints.
struct Shown {
  std::string command;
  int line{0};
  std::vector<std::string> output;
};

// Of a block whose first line begins with `$ `; a command may go on behind a backslash.
[[nodiscard]] std::vector<Shown> commands_of(Example const& example);

// Empty if the output is as shown, where a line `...` stands for any lines; otherwise the difference.
[[nodiscard]] std::string difference(std::vector<std::string> const& output, std::vector<std::string> const& shown);

}  // namespace fastjournal::test
