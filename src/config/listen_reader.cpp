// See listen_reader.h.
#include "config/listen_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "config/address.h"
#include "config/fields.h"
#include "model/value.h"

namespace fastjournal::config {

namespace {

// Of <listen hosts="...">: a name of DNS, and how many.
constexpr std::size_t kHostBytesMax = 253;
constexpr std::size_t kHostsMax = 16;
// Of <socket users="..." groups="...">: a name, and how many.
constexpr std::size_t kAccountBytesMax = 64;
constexpr std::size_t kAccountsMax = 32;

constexpr std::array<Unsupported, 1> kOfTable{{{"table", "listeners in a table's file are for that table"}}};

void expect(Element const& element, ListenSource const& source, Shape shape) {
  if (!source.table.empty()) return element.expect(shape, kOfTable);
  shape.attributes.push_back({"table"});
  element.expect(shape);
}

// rights="" is for connections that log in.
std::optional<Rights> listener_rights(Element const& element, DaemonDeclaration const* daemon) {
  std::optional<std::string_view> const text = element.attribute("rights");
  if (!text || !text->empty()) return rights_field(element, "rights");
  if (daemon != nullptr && daemon->access.users_file.empty())
    element.problem_at("rights",
                       "attribute \"rights\": found none, and nobody can log in; expected words out of read, add, "
                       "work, manage and admin, or all alone, or the element <access users=\"...\"/>");
  return Rights{};
}

// A client that can reach an address has its rights without a login.
void check_open(Element const& element, std::string_view address, ListenDeclaration const& listen,
                DaemonDeclaration const* daemon) {
  if (listen.open || listen.rights.is_empty() || (listen.tls && daemon == nullptr)) return;
  if (listen.tls && daemon->tls && daemon->tls->client_certificates == ClientCertificates::required) return;
  element.problem_at("address", "address " + model::shown(address) +
                                    " can be reached from other machines, and everybody there has the rights \"" +
                                    listen.rights.names() +
                                    "\" without a login; expected rights=\"\" and the element <access "
                                    "users=\"...\"/>, or open=\"true\" beside it");
}

bool read_listening_tls(Element const& element, DaemonDeclaration const* daemon) {
  bool const tls = boolean_field(element, "tls").value_or(false);
  if (tls && daemon != nullptr && !daemon->tls)
    element.problem_at(
        "tls", "attribute \"tls\" without a certificate, expected the element <tls certificate=\"...\" key=\"...\"/>");
  return tls;
}

// Separated by blanks.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t end = 0; !text.empty(); text.remove_prefix(std::min(end + 1, text.size()))) {
    end = std::min(text.find(' '), text.size());
    if (end > 0) out.push_back(text.substr(0, end));
  }
  return out;
}

// What connections speak, and by which names a browser may call it.
void read_protocol(Element const& element, ListenDeclaration& listen) {
  listen.protocol = name_field(element, "protocol", kTypeName).value_or(access::kMessages);
  // Which type has it is looked at where types are known.
  if (!listen.speaks_messages() && !listen.speaks_http() && listen.table.empty())
    static_cast<void>(word_field(element, "protocol", {access::kMessages, access::kHttp}));
  std::string_view const text = element.attribute("hosts").value_or("");
  if (!text.empty() && !listen.speaks_http())
    element.problem_at("hosts", "attribute \"hosts\" without protocol=\"http\", expected both or neither");
  for (std::string_view const name : words_of(text)) {
    bool const is_name = name.size() <= kHostBytesMax && std::all_of(name.begin(), name.end(), [](char c) {
                           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
                         });
    if (is_name && listen.hosts.size() < kHostsMax)
      listen.hosts.emplace_back(name);
    else
      element.problem_at("hosts", "attribute \"hosts\": found " + model::shown(name) + ", expected at most " +
                                      std::to_string(kHostsMax) +
                                      " names of this computer in lower case, separated by blanks: letters, digits, "
                                      "- and .; without ports");
  }
}

// A number must be one that the kernel has: its last one stands for nobody.
bool is_account(std::string_view name) {
  constexpr std::uint64_t kNobody = UINT32_MAX;
  bool const good = name.size() <= kAccountBytesMax && std::all_of(name.begin(), name.end(), [](char c) {
                      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                             std::string_view{"._-@$+\\"}.find(c) != std::string_view::npos;
                    });
  if (!good || name.find_first_not_of("0123456789") != std::string_view::npos) return good;
  std::uint64_t number = kNobody;
  std::from_chars(name.data(), name.data() + name.size(), number);
  return number < kNobody;
}

// Who may come: names are looked up where the socket is opened.
std::vector<std::string> read_accounts(Element const& element, std::string_view attribute) {
  std::optional<std::string_view> const text = element.attribute(attribute);
  if (!text) return {};
  std::vector<std::string> out;
  std::string problem;
  for (std::string_view const name : words_of(*text)) {
    if (is_account(name) && out.size() < kAccountsMax)
      out.emplace_back(name);
    else if (problem.empty())
      problem = model::shown(name);
  }
  if (out.empty() && problem.empty()) problem = "none";
  if (!problem.empty())
    element.problem_at(attribute, "attribute \"" + std::string{attribute} + "\": found " + problem +
                                      ", expected 1 to " + std::to_string(kAccountsMax) + " names or numbers of " +
                                      std::string{attribute} + " of this computer, separated by blanks");
  return out;
}

// Only protocols of table types come in datagrams; which of them do is looked at where types are known.
bool read_datagrams(Element const& element, ListenDeclaration const& listen) {
  bool const datagrams = boolean_field(element, "datagrams").value_or(false);
  if (!datagrams) return false;
  if (listen.speaks_messages() || listen.speaks_http())
    element.problem_at("datagrams",
                       "attribute \"datagrams\" with protocol " + model::shown(listen.protocol) +
                           ", expected the protocol of a table's type that comes in datagrams, and its table");
  if (listen.tls) element.problem_at("datagrams", "attributes \"datagrams\" and \"tls\", expected one of both");
  return true;
}

// What both kinds have in common.
ListenDeclaration read_common(Element const& element, ListenSource const& source) {
  ListenDeclaration listen;
  listen.place = source.file + ":" + std::to_string(element.line()) + ": <" + std::string{element.name()} + ">";
  listen.table = source.table;
  if (source.table.empty()) listen.table = name_field(element, "table", kColumnName).value_or("");
  listen.tls = read_listening_tls(element, source.daemon);
  read_protocol(element, listen);
  return listen;
}

// After its rights are known.
void add(Element const& element, std::string_view attribute, std::string_view text, ListenDeclaration listen,
         std::vector<ListenDeclaration>& out) {
  if (!listen.table.empty() && listen.rights.has(Right::admin))
    element.problem_at("rights", "the right admin is for the daemon, not for table " + listen.table +
                                     ", expected words out of read, add, work and manage");
  for (ListenDeclaration const& other : out)
    if (other.address == listen.address && !listen.address.ends_with(":0"))
      element.problem_at(attribute, std::string{attribute} + " " + model::shown(text) + " twice, expected each once");
  out.push_back(std::move(listen));
}

std::optional<std::uint32_t> mode_field(Element const& element) {
  std::optional<std::string_view> const mode = element.attribute("mode");
  if (!mode) return std::nullopt;
  bool const good =
      mode->size() == 4 && (*mode)[0] == '0' && mode->find_first_not_of("01234567") == std::string_view::npos;
  if (!good) {
    element.problem_at(
        "mode", "attribute \"mode\": found " + model::shown(*mode) + ", expected 0 and three octal digits, as in 0660");
    return std::nullopt;
  }
  std::uint32_t out = 0;
  for (char const digit : *mode) out = out * 8 + static_cast<std::uint32_t>(digit - '0');
  return out;
}

}  // namespace

std::string joined(std::filesystem::path const& base, std::string_view path) {
  return (base / std::filesystem::path{path}).lexically_normal().string();
}

void read_listen(Element const& element, ListenSource const& source, std::vector<ListenDeclaration>& out) {
  expect(
      element, source,
      {.attributes = {{"address", Times::one}, {"protocol"}, {"hosts"}, {"plain-text"}, {"tls"}, {"rights"}, {"open"}},
       .children = {}});
  ListenDeclaration listen = read_common(element, source);
  listen.plain_text = boolean_field(element, "plain-text").value_or(false);
  listen.open = boolean_field(element, "open").value_or(false);
  std::optional<std::string_view> const text = element.attribute("address");
  if (!text) return;
  listen.address = *text;
  if (std::string problem = listen_problem(*text, listen.plain_text || listen.tls, "attribute \"address\"",
                                           "tls=\"true\" or plain-text=\"true\"");
      !problem.empty())
    element.problem_at("address", std::move(problem));
  std::optional<ParsedAddress> const address = parse_address(*text);
  if (!address) return;
  listen.loopback = address->loopback;
  bool const has_users = source.daemon == nullptr || !source.daemon->access.users_file.empty();
  std::optional<Rights> const rights = listener_rights(element, source.daemon);
  if (rights)
    listen.rights = *rights;
  else if (!address->loopback && has_users)
    listen.rights = {};  // only those who log in
  else if (!address->loopback && (listen.plain_text || listen.tls) && !element.attribute("rights"))
    element.problem_at("address",
                       "address " + model::shown(*text) +
                           " can be reached from other machines, expected rights=\"...\" beside it, what they "
                           "may do: read, add, work, manage, admin, or all");
  if (!address->loopback && rights) check_open(element, *text, listen, source.daemon);
  add(element, "address", *text, std::move(listen), out);
}

void read_socket(Element const& element, ListenSource const& source, std::vector<ListenDeclaration>& out) {
  expect(element, source,
         {.attributes = {{"path", Times::one},
                         {"protocol"},
                         {"hosts"},
                         {"mode"},
                         {"users"},
                         {"groups"},
                         {"datagrams"},
                         {"tls"},
                         {"rights", Times::one}},
          .children = {}});
  ListenDeclaration listen = read_common(element, source);
  listen.rights = listener_rights(element, source.daemon).value_or(Rights{});
  listen.unix_mode = mode_field(element).value_or(listen.rights.has(Right::admin) ? kAdministratorMode : kSocketMode);
  listen.users = read_accounts(element, "users");
  listen.groups = read_accounts(element, "groups");
  listen.datagrams = read_datagrams(element, listen);
  std::optional<std::string> const text = text_field(element, "path");
  if (!text) return;
  std::string const path = joined(std::filesystem::path{source.file}.parent_path(), *text);
  if (path.size() > kSocketPathBytesMax)
    element.problem_at("path", "attribute \"path\": found a path that is too long with its folder, expected at most " +
                                   std::to_string(kSocketPathBytesMax) +
                                   " bytes, the most that a unix socket's name may be");
  listen.address = "unix:" + path;
  add(element, "path", *text, std::move(listen), out);
}

}  // namespace fastjournal::config
