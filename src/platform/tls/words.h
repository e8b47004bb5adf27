// OpenSSL's errors in words.
#pragma once

#include <string>
#include <string_view>

#include "fastjournal/status.h"

struct x509_st;

namespace fastjournal::tls {

class Stream;

// The oldest error of this thread's queue, which is emptied: "no shared cipher". `otherwise` if there is none.
[[nodiscard]] std::string take_error_words(std::string_view otherwise);

// "Mar  1 12:00:00 2027 GMT".
[[nodiscard]] std::string end_of_validity(x509_st const* certificate);

// The names and addresses that it is for, at most eight: "a.example, 10.0.0.1".
[[nodiscard]] std::string names_of(x509_st const* certificate);

// Why a client's stream failed, in words about the server ("its certificate ..."), and what to do about it. unavailable:
// in the handshake; not_allowed: the server refuses this client's certificate, now and the next time; else closed.
[[nodiscard]] Status explain_to_client(Stream const& stream);
// The same words for a connection to any other server: without advice that only users of our programs understand.
[[nodiscard]] std::string explain_plainly(Stream const& stream);

}  // namespace fastjournal::tls
