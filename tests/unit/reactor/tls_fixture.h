// A server with TLS for the tests of the reactor, and what its clients do.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/support/tls_client.h"
#include "tests/unit/reactor/fixture.h"

namespace fastjournal::reactor {

using test::Authority;
using test::TlsClient;
using test::TlsClientOptions;

inline std::string const kNoTls = "speak TLS\n";

// Text in which a lost, doubled or moved byte shows.
inline std::string numbered(std::size_t size) {
  std::string out;
  out.reserve(size + 16);
  for (std::size_t i = 0; out.size() < size; ++i) out.append(std::to_string(i)).push_back(' ');
  out.resize(size);
  return out;
}

// An authority, and contexts with certificates of it.
struct Secured {
  using Context = std::shared_ptr<tls::ServerContext const>;

  Context context(std::vector<std::string> const& protocols = {},
                  tls::ClientCertificates clients = tls::ClientCertificates::none) {
    test::Certificate const own = authority.issue();
    tls::ServerMaterial material;
    material.files.client_certificates = clients;
    material.certificate = own.certificate;
    material.key = own.key;
    material.client_ca = authority.certificate();
    auto made = tls::ServerContext::make(material, protocols);
    BOOST_REQUIRE_MESSAGE(made.ok(), made.status().text());
    return made.value();
  }
  std::string listen(Server& server, Context with, std::uint32_t number = 1) {
    auto bound = server.reactor->listen({kLoopback}, {.number = number}, {std::move(with), kNoTls});
    BOOST_REQUIRE_MESSAGE(bound.ok(), bound.status().text());
    return bound->text;
  }
  std::string listen(Server& server) { return listen(server, context()); }
  TlsClientOptions trusting() const { return {.ca = authority.certificate()}; }

  Authority authority;
};

inline void shake(TlsClient& client) { BOOST_REQUIRE_MESSAGE(client.handshake(), client.error()); }

inline std::string echo(TlsClient& client, std::string const& line) {
  if (!client.send(line + "\n")) return "(not sent)";
  return client.read_line().value_or("(no answer: " + client.error() + ")");
}

}  // namespace fastjournal::reactor
