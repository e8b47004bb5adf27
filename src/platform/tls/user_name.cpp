#include "platform/tls/user_name.h"

#include <openssl/x509.h>

#include <string_view>

#include "platform/tls/context.h"

namespace fastjournal::tls {
namespace {

constexpr std::string_view kCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.@-";

Status no_user(std::string_view why) {
  return {Code::not_allowed, "the client's certificate names no user: " + std::string{why} +
                                 "; expected one common name (CN) of at most 64 characters out of A-Z a-z 0-9 _ . @ -"};
}

}  // namespace

Result<std::string> user_name_of(x509_st const* certificate) {
  X509_NAME const* const subject = X509_get_subject_name(certificate);
  int const at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at < 0) return no_user("it has no common name");
  if (X509_NAME_get_index_by_NID(subject, NID_commonName, at) >= 0) return no_user("it has several common names");
  unsigned char* text = nullptr;
  int const size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
  if (size < 0) return no_user("its common name cannot be read");
  std::string name{reinterpret_cast<char const*>(text), static_cast<std::size_t>(size)};
  OPENSSL_free(text);
  if (name.empty() || name.size() > kUserBytesMax || name.find_first_not_of(kCharacters) != std::string::npos)
    return no_user("its common name has other characters, or too many");
  return name;
}

}  // namespace fastjournal::tls
