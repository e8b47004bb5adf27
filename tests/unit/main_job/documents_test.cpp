// Documents: which files count as text, unpacking, removal of markup, and finding the file of a URI, whatever its name.
#include <zlib.h>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "clients/demo/main_job/documents.h"
#include "clients/demo/main_job/extract.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/value_of.h"

namespace fastjournal::main_job {
namespace {

struct Folder {
  test::TemporaryFolder folder;

  std::filesystem::path write(std::string const& name, std::string const& text) const {
    std::filesystem::path const path = folder.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  std::filesystem::path write_gz(std::string const& name, std::string const& text) const {
    std::filesystem::path const path = folder.path() / name;
    gzFile file = gzopen(path.c_str(), "wb");
    BOOST_REQUIRE(gzwrite(file, text.data(), static_cast<unsigned>(text.size())) == static_cast<int>(text.size()));
    gzclose(file);
    return path;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(main_job_documents, Folder)

BOOST_AUTO_TEST_CASE(texts_are_found_in_all_folders_and_nothing_else_is) {
  write("a/one.txt", "text");
  write("a/deep/two", "text");
  write("b/three", "text");
  write("b/empty", "");
  write("b/binary", std::string{"ELF\0\1", 5});
  write_gz("a/packed.gz", "text");
  write_gz("a/packed-binary.gz", std::string{"x\0y", 3});
  std::filesystem::create_symlink("one.txt", folder.path() / "a/link");
  auto const found =
      test::value_of(find_documents({folder.path() / "a", folder.path() / "absent", folder.path() / "b"}, 100));
  BOOST_TEST(found.size() == 4U);
}

BOOST_AUTO_TEST_CASE(the_choice_is_fair_to_folders_and_always_the_same) {
  for (int i = 0; i < 20; ++i) write("many/" + std::to_string(i), "text");
  for (int i = 0; i < 3; ++i) write("few/" + std::to_string(i), "text");
  std::vector<std::filesystem::path> const folders{folder.path() / "many", folder.path() / "few"};
  auto const found = test::value_of(find_documents(folders, 10));
  BOOST_TEST(found.size() == 10U);
  auto const few = std::count_if(found.begin(), found.end(),
                                 [](auto const& path) { return path.parent_path().filename() == "few"; });
  BOOST_TEST(few == 3);
  BOOST_TEST((find_documents(folders, 10).value() == found));
}

BOOST_AUTO_TEST_CASE(a_folder_without_texts_is_an_error_that_names_it) {
  auto const found = find_documents({folder.path()}, 10);
  BOOST_TEST((found.status().code() == Code::not_found));
  BOOST_TEST(found.status().message().find(folder.path().string()) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_packed_document_reads_as_the_plain_one) {
  std::string const text = "\n\n/* -----\n * The Title of It\n */\nbody\n";
  auto const plain = read_document(write("plain.h", text));
  auto const packed = read_document(write_gz("packed.gz", text));
  BOOST_REQUIRE(plain.ok());
  BOOST_REQUIRE(packed.ok());
  BOOST_TEST(plain.value().title == "The Title of It");
  BOOST_TEST(packed.value().title == plain.value().title);
  BOOST_TEST(packed.value().text == text);
  BOOST_TEST(packed.value().bytes_read == text.size());
}

BOOST_AUTO_TEST_CASE(a_document_is_read_to_its_limit_and_no_further) {
  auto const read = test::value_of(read_document(write_gz("large.gz", std::string(kDocumentBytesMax + 100, 'x'))));
  BOOST_TEST(read.text.size() == kDocumentBytesMax);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_says_why) {
  auto const path = write_gz("cut.gz", std::string(100'000, 'a') + "end");
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 9);
  BOOST_TEST((read_document(path).status().code() == Code::damaged));
  auto const absent = read_document(folder.path() / "absent");
  BOOST_TEST((absent.status().code() == Code::io_error));
  BOOST_TEST(absent.status().message().find("No such file") != std::string::npos);
  BOOST_TEST((read_document(folder.path()).status().code() == Code::io_error));
}

BOOST_AUTO_TEST_CASE(markup_goes_and_its_text_stays) {
  auto const read =
      read_document(write("page.html",
                          "<html><head><title>\nGuide &amp; more</title><style>p {color: red}</style></head>"
                          "<body><SCRIPT>var x = '</p>';</SCRIPT><p class=\"x\">if a &lt; b &#38; c &#x3e; d, 1 < "
                          "2</p><!-- <p>no</p> --></body>"));
  BOOST_REQUIRE(read.ok());
  BOOST_TEST(read.value().title == "Guide & more");
  std::string const& text = read.value().text;
  BOOST_TEST(text.find("if a < b & c > d, 1 < 2") != std::string::npos, text);
  for (char const* gone : {"color", "var x", "no", "class"}) BOOST_TEST(text.find(gone) == std::string::npos, gone);
}

BOOST_AUTO_TEST_CASE(text_becomes_valid_utf8_whatever_it_was) {
  BOOST_TEST(clean_text("na\xc3\xafve") == "na\xc3\xafve");
  BOOST_TEST(clean_text("na\xefve") == "na\xc3\xafve");
  BOOST_TEST(clean_text(std::string_view{"a\0\x1b\tb\r\n", 7}) == "a  \tb \n");
  // Overlong, a surrogate, beyond the last character, cut off.
  BOOST_TEST(clean_text("\xc0\xaf") == "\xc3\x80\xc2\xaf");
  BOOST_TEST(clean_text("\xed\xa0\x80") == "\xc3\xad\xc2\xa0\xc2\x80");
  BOOST_TEST(clean_text("\xf4\x90\x80\x80").size() == 8U);
  BOOST_TEST(clean_text("\xe2\x82") == "\xc3\xa2\xc2\x82");
}

BOOST_AUTO_TEST_CASE(titles_are_the_first_line_with_words) {
  BOOST_TEST(first_title("#ifndef X\n") == "ifndef X");
  BOOST_TEST(first_title("=head1 NAME\n\nFoo - bar\n") == "NAME");
  BOOST_TEST(first_title("***\n--\n1 2\n .. Guide (2nd) ..\n") == "Guide (2nd)");
  BOOST_TEST(first_title("") == "");
  BOOST_TEST(first_title("12\n34") == "");
  std::string umlauts = "abc";
  for (int i = 0; i < 100; ++i) umlauts += "\xc3\xa4";
  BOOST_TEST(first_title(umlauts).size() == kTitleBytesMax - 1);
}

BOOST_AUTO_TEST_CASE(a_uri_leads_back_to_its_file) {
  for (std::string const path : {"/usr/share/doc/a b/c;d=\"e\"", "/x/%41", "/\xc3\xa4\xff\n/#?", "/plain-1.0_~+,@:x"}) {
    std::string const uri = uri_of(path);
    BOOST_TEST(uri.find_first_of(" ;\n\"#?\xff") == std::string::npos, uri);
    auto const back = test::value_of(path_of(uri));
    BOOST_TEST(back.string() == path);
  }
  for (char const* bad : {"", "file://", "http://x/", "file://host/x", "file:///%4", "file:///%zz", "file:///%00"})
    BOOST_TEST((path_of(bad).status().code() == Code::bad_parameter), bad);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::main_job
