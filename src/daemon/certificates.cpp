#include "daemon/certificates.h"

#include <fstream>
#include <iterator>
#include <utility>

namespace fastjournal::daemon {
namespace {

tls::NamedFile named(config::TlsDeclaration::File const& file) { return {file.path, file.place}; }

tls::ServerFiles files_of(config::TlsDeclaration const& declared) {
  constexpr tls::ClientCertificates kRules[] = {tls::ClientCertificates::none, tls::ClientCertificates::accepted,
                                                tls::ClientCertificates::required};
  return {.certificate = named(declared.certificate),
          .key = named(declared.key),
          .client_ca = named(declared.client_ca),
          .client_certificates = kRules[static_cast<std::size_t>(declared.client_certificates)]};
}

// Empty: it cannot be read, which is told by who needs it.
std::string content_of(tls::NamedFile const& file) {
  std::ifstream in{file.path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

}  // namespace

Status Certificates::read(config::TlsDeclaration const& declared) {
  Result<tls::ServerMaterial> material = tls::ServerMaterial::read(files_of(declared));
  if (!material.ok()) return material.status();
  // Whether they can be used, before anything else is done.
  auto const made = tls::ServerContext::make(material.value(), {});
  if (!made.ok()) return made.status();
  material_ = std::move(material).value();
  valid_until_s_ = made.value()->valid_until_s();
  return {};
}

std::string Certificates::warning() const {
  if (!material_) return {};
  auto const made = tls::ServerContext::make(*material_, {});
  if (!made.ok() || made.value()->odd_validity().empty()) return {};
  return tls::file_problem(material_->files.certificate, made.value()->odd_validity()).message();
}

Result<std::shared_ptr<tls::ServerContext const>> Certificates::context(std::uint32_t listener,
                                                                        std::string const& protocol) {
  protocols_[listener] = protocol;
  return tls::ServerContext::make(*material_, {protocol});
}

Result<std::vector<std::string>> Certificates::read_again() {
  next_.reset();
  next_contexts_.clear();
  if (!material_) return std::vector<std::string>{};
  Result<tls::ServerMaterial> material = tls::ServerMaterial::read(material_->files);
  if (!material.ok()) return material.status();
  // Without a change the sessions stay that clients may resume.
  if (material->same_as(*material_)) return std::vector<std::string>{};
  for (auto const& [listener, protocol] : protocols_) {
    auto made = tls::ServerContext::make(material.value(), {protocol});
    if (!made.ok()) return made.status();
    if (!made.value()->odd_validity().empty())
      return tls::file_problem(material->files.certificate, made.value()->odd_validity());
    next_contexts_[listener] = std::move(made).value();
  }
  next_ = std::move(material).value();
  return std::vector<std::string>{"certificate " + next_->files.certificate.path + ": read again, for new connections"};
}

void Certificates::use(reactor::Reactor& reactor) {
  if (!next_) return;
  // Of listeners that came since they were read.
  for (auto const& [listener, protocol] : protocols_) {
    if (next_contexts_.contains(listener)) continue;
    if (auto made = tls::ServerContext::make(*next_, {protocol}); made.ok())
      next_contexts_[listener] = std::move(made).value();
  }
  for (auto const& [listener, context] : next_contexts_) {
    valid_until_s_ = context->valid_until_s();
    reactor.use_certificates(listener, context);
  }
  material_ = std::move(next_);
  next_.reset();
  next_contexts_.clear();
}

// ---------------------------------------------------------------------------

Status EtcdCertificates::read(tls::ClientFiles files) {
  files_ = std::move(files);
  return read();
}

Status EtcdCertificates::read() {
  next_contents_.clear();
  for (tls::NamedFile const* const file : {&files_->ca, &files_->certificate, &files_->key})
    if (!file->path.empty()) next_contents_ += content_of(*file);
  Result<std::shared_ptr<tls::ClientContext>> made = tls::ClientContext::make(*files_, "", "");
  if (!made.ok()) return made.status();
  next_ = std::move(made).value();
  return {};
}

Result<std::vector<std::string>> EtcdCertificates::read_again() {
  next_.reset();
  if (!files_) return std::vector<std::string>{};
  if (Status status = read(); !status.ok()) return status;
  if (next_contents_ != contents_)
    return std::vector<std::string>{"certificates for etcd: read again, for new connections"};
  next_.reset();
  return std::vector<std::string>{};
}

void EtcdCertificates::use(reactor::Reactor& reactor) {
  if (next_ == nullptr) return;
  contents_ = std::move(next_contents_);
  reactor.use_client_certificates(kNumber, std::exchange(next_, nullptr));
}

}  // namespace fastjournal::daemon
