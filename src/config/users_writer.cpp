// See users_writer.h.
#include "config/users_writer.h"

#include <tinyxml2.h>

#include <system_error>

#include "config/users_reader.h"

namespace fastjournal::config {

namespace {

constexpr char const* kNewFile =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<!-- Who may do what. `fastjournal user add` and `fastjournal user remove` change this file, RELOAD applies it.\n"
    "     The tokens themselves are in no file; signing keys are in this one: only its owner may read it (mode 0600). "
    "-->\n"
    "<access>\n</access>\n";

std::string joined(std::vector<std::string> const& words) {
  std::string out;
  for (std::string const& word : words) out.append(out.empty() ? "" : " ").append(word);
  return out;
}

void set_grant(tinyxml2::XMLElement& element, access::Grant const& grant) {
  element.SetAttribute("rights", grant.rights == kAllRights ? "all" : grant.rights.names().c_str());
  if (!grant.tables.empty()) element.SetAttribute("tables", joined(grant.tables).c_str());
}

std::string text_of(tinyxml2::XMLDocument const& document) {
  tinyxml2::XMLPrinter printer;
  document.Print(&printer);
  return printer.CStr();
}

// The readers have accepted the file before.
Status load(std::filesystem::path const& path, tinyxml2::XMLDocument& document) {
  if (document.LoadFile(path.string().c_str()) == tinyxml2::XML_SUCCESS) return {};
  return {Code::io_error, path.string() + ": " + document.ErrorName()};
}

}  // namespace

Result<std::string> users_with(std::filesystem::path const& path, access::User const& user) {
  tinyxml2::XMLDocument document;
  std::error_code error;
  if (std::filesystem::exists(path, error)) {
    Result<access::Users> const before = read_users(path);
    if (!before.ok()) return before.status();
    if (before->find(user.name) != nullptr)
      return Status{Code::in_use, path.string() + ": there is a user " + user.name +
                                      " already; `fastjournal user remove " + user.name + "` removes it"};
    if (before->size() >= access::kUsersMax)
      return Status{Code::over_limit, path.string() + ": there are " + std::to_string(before->size()) +
                                          " users, and more are not allowed"};
    if (Status status = load(path, document); !status.ok()) return status;
  } else {
    document.Parse(kNewFile);
  }
  tinyxml2::XMLElement* const element = document.NewElement("user");
  element->SetAttribute("name", user.name.c_str());
  if (user.grants.size() == 1) set_grant(*element, user.grants.front());
  if (user.token) element->SetAttribute("hash", user.token->text().c_str());
  if (user.signing_key) element->SetAttribute("signing-key", std::string{user.signing_key->text()}.c_str());
  if (user.grants.size() > 1)
    for (access::Grant const& grant : user.grants) {
      tinyxml2::XMLElement* const child = document.NewElement("grant");
      set_grant(*child, grant);
      element->InsertEndChild(child);
    }
  document.RootElement()->InsertEndChild(element);
  return text_of(document);
}

Result<std::string> users_without(std::filesystem::path const& path, std::string_view name) {
  Result<access::Users> const before = read_users(path);
  if (!before.ok()) return before.status();
  if (before->find(name) == nullptr)
    return Status{Code::not_found, path.string() + ": there is no user " + std::string{name.substr(0, 64)}};
  tinyxml2::XMLDocument document;
  if (Status status = load(path, document); !status.ok()) return status;
  for (tinyxml2::XMLElement* at = document.RootElement()->FirstChildElement("user"); at != nullptr;
       at = at->NextSiblingElement("user"))
    if (char const* const its = at->Attribute("name"); its != nullptr && its == name) {
      document.RootElement()->DeleteChild(at);
      break;
    }
  return text_of(document);
}

}  // namespace fastjournal::config
