// Converts the bytes of a file to searchable text: markup, encodings and titles. Apart from documents.h because it uses
// no files.
#pragma once

#include <string>
#include <string_view>

namespace fastjournal::main_job {

// UTF-8 unchanged; bytes that are not UTF-8 are read as Latin-1. Control characters become blanks.
[[nodiscard]] std::string clean_text(std::string_view bytes);

// HTML or XML without tags, scripts and styles; the common entities become characters.
[[nodiscard]] std::string without_markup(std::string_view html);
// The text between <title> and </title>; empty if there is none.
[[nodiscard]] std::string html_title(std::string_view html);

// The first line with three letters in a row, without its frame (comment signs, underlines, `=head1`); at most
// kTitleBytesMax bytes, cut between characters. Empty if there is none.
[[nodiscard]] std::string first_title(std::string_view text);

}  // namespace fastjournal::main_job
