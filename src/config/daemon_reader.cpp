// See daemon_reader.h.
#include "config/daemon_reader.h"

#include <algorithm>

#include "config/address.h"
#include "config/fields.h"
#include "config/listen_reader.h"
#include "config/xml.h"
#include "model/value.h"

namespace fastjournal::config {

namespace {

constexpr std::int64_t kKiB = 1 << 10;
constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kGiB = 1 << 30;
// The default for sync="interval".
constexpr std::int64_t kSyncIntervalMs = 100;
constexpr std::int64_t kScrubMsMin = 1000;
constexpr std::int64_t kHourMs = 3'600'000;
constexpr std::int64_t kDayMs = 24 * kHourMs;
constexpr std::int64_t kScrubMsMax = 365 * kDayMs;
constexpr std::int64_t kSilenceMsMin = 1000;

void read_access(Element const& element, std::filesystem::path const& base, AccessDeclaration& out) {
  element.expect({.attributes = {{"users", Times::one}}, .children = {}});
  if (auto const file = text_field(element, "users")) out.users_file = joined(base, *file);
}

// The path of a file, and where it stands.
void read_file(Element const& element, std::string_view name, std::filesystem::path const& base, std::string_view in,
               TlsDeclaration::File& out) {
  out.place =
      std::string{in} + ":" + std::to_string(element.line_of(name)) + ": attribute \"" + std::string{name} + "\"";
  if (auto const path = text_field(element, name)) out.path = joined(base, *path);
}

void read_tls(Element const& element, std::filesystem::path const& base, DaemonDeclaration& out) {
  element.expect(
      {.attributes = {{"certificate", Times::one}, {"key", Times::one}, {"client-ca"}, {"client-certificates"}},
       .children = {}});
  TlsDeclaration& tls = out.tls.emplace();
  read_file(element, "certificate", base, out.file, tls.certificate);
  read_file(element, "key", base, out.file, tls.key);
  read_file(element, "client-ca", base, out.file, tls.client_ca);
  constexpr ClientCertificates kWords[] = {ClientCertificates::none, ClientCertificates::accepted,
                                           ClientCertificates::required};
  if (auto const word = word_field(element, "client-certificates", {"none", "accepted", "required"}))
    tls.client_certificates = kWords[*word];
  bool const wanted = tls.client_certificates != ClientCertificates::none;
  if (wanted && !element.attribute("client-ca"))
    element.problem_at("client-certificates",
                       "attribute \"client-certificates\" without an authority that clients' certificates come from, "
                       "expected client-ca=\"...\" beside it");
  if (!wanted && element.attribute("client-ca"))
    element.problem_at("client-ca",
                       "attribute \"client-ca\" though clients show no certificates, expected "
                       "client-certificates=\"accepted\" or client-certificates=\"required\" beside it");
}

void read_udp(Element const& element, std::filesystem::path const& base, DaemonDeclaration& out) {
  element.expect({.attributes = {{"address", Times::one},
                                 {"plain-text"},
                                 {"interface"},
                                 {"secret-file"},
                                 {"messages-per-second"},
                                 {"table"}},
                  .children = {}});
  UdpDeclaration udp;
  udp.place = out.file + ":" + std::to_string(element.line()) + ": <udp>";
  udp.table = name_field(element, "table", kColumnName).value_or("");
  bool const plain_text = boolean_field(element, "plain-text").value_or(false);
  std::string_view const text = element.attribute("address").value_or("");
  std::optional<ParsedAddress> const address = parse_address(text);
  udp.address = text;
  if (!address && !text.empty())
    element.problem_at("address", "attribute \"address\": found " + model::shown(text) +
                                      ", expected an IP address and a port, as in 127.0.0.1:4052, or a group, as in "
                                      "239.1.2.3:4052");
  if (address && !address->loopback && !plain_text)
    element.problem_at("address",
                       "address " + model::shown(text) +
                           " can be reached from other machines, and everything on it travels unencrypted, the secret "
                           "too; expected a loopback address (127.0.0.1, [::1]), or plain-text=\"true\" beside it");
  udp.interface = interface_field(element, "interface");
  if (auto const file = text_field(element, "secret-file")) udp.secret_file = joined(base, *file);
  if (auto const most = integer_field(element, "messages-per-second", 1, 1'000'000))
    udp.messages_per_second = static_cast<std::uint32_t>(*most);
  out.udp.push_back(std::move(udp));
}

// Lower case, digits and what separates: it is part of a key, and of a line of text.
constexpr NameRule kNodeName{"-_", 32, "a letter a-z, then a-z, 0-9, - or _, at most 32 characters"};
constexpr std::int64_t kLeaseMsMin = 1000;
constexpr std::int64_t kLeaseMsMax = 60'000;
constexpr std::size_t kPrefixBytesMax = 128;

void read_cluster(Element const& element, std::filesystem::path const& base, DaemonDeclaration& out) {
  element.expect({.attributes = {{"node", Times::one},
                                 {"address", Times::one},
                                 {"etcd", Times::one},
                                 {"prefix"},
                                 {"user"},
                                 {"password-file"},
                                 {"server-name"},
                                 {"ca"},
                                 {"certificate"},
                                 {"key"},
                                 {"quota"}},
                  .children = {}});
  ClusterDeclaration& cluster = out.cluster.emplace();
  cluster.node = name_field(element, "node", kNodeName).value_or("");
  cluster.address = text_field(element, "address").value_or("");
  if (cluster.address.find_first_of(" \t\n\r,;") != std::string::npos)
    element.problem_at("address", "attribute \"address\": found " + model::shown(cluster.address) +
                                      ", expected where clients reach this node, as in 192.0.2.1:4050");
  std::optional<std::string> const etcd = text_field(element, "etcd");
  Result<Endpoints> const endpoints = etcd ? read_endpoints(*etcd) : Endpoints{};
  if (endpoints.ok())
    cluster.etcd = endpoints.value();
  else
    element.problem_at("etcd", "attribute \"etcd\": " + endpoints.status().message());
  if (auto const prefix = text_field(element, "prefix")) cluster.prefix = *prefix;
  if (!cluster.prefix.starts_with('/') || !cluster.prefix.ends_with('/') || cluster.prefix.size() > kPrefixBytesMax)
    element.problem_at("prefix", "attribute \"prefix\": found " + model::shown(cluster.prefix) +
                                     ", expected a path that begins and ends with /, at most 128 characters");
  if (auto const size = size_field(element, "quota", 64 * kMiB, 1024 * kGiB)) cluster.quota_bytes = *size;
  cluster.user = text_field(element, "user").value_or("");
  cluster.server_name = text_field(element, "server-name").value_or("");
  read_file(element, "password-file", base, out.file, cluster.password_file);
  read_file(element, "ca", base, out.file, cluster.ca);
  read_file(element, "certificate", base, out.file, cluster.certificate);
  read_file(element, "key", base, out.file, cluster.key);
  if (cluster.user.empty() != cluster.password_file.path.empty())
    element.problem("attribute \"user\" or \"password-file\" alone, expected both or neither");
  if (cluster.certificate.path.empty() != cluster.key.path.empty())
    element.problem("attribute \"certificate\" or \"key\" alone, expected both or neither");
  bool const names_certificates =
      !cluster.ca.path.empty() || !cluster.certificate.path.empty() || !cluster.server_name.empty();
  if (names_certificates && endpoints.ok() && !cluster.etcd.tls)
    element.problem_at("etcd",
                       "attribute \"etcd\" without https://, though a certificate is named, expected both or neither");
}

void read_shared_log(Element const& element, LogDeclaration& log) {
  element.expect({.attributes = {{"name", Times::one}, {"engine"}, {"lease"}, {"max-size"}}, .children = {}});
  if (auto const span = duration_field(element, "lease", kLeaseMsMin, kLeaseMsMax)) log.lease_ms = *span;
  if (log.lease_ms % 1000 != 0)
    element.problem_at("lease", "attribute \"lease\": found a part of a second, expected whole seconds");
  if (auto const size = size_field(element, "max-size", 8 * kMiB, 8 * kGiB))
    log.bytes_max = static_cast<std::uint64_t>(*size);
}

// A name that is in the data folder anyway, or that leads out of it or nowhere.
bool may_be_folder_of_log(std::filesystem::path const& path) {
  for (std::filesystem::path const& part : path)
    if (part == ".." || part == ".") return false;
  if (path.is_absolute()) return path.has_relative_path();
  std::string const first = path.begin()->string();
  return first.front() != '.' && first != "lock" && first != "bytes" && first != "refused.messages";
}

void read_file_log(Element const& element, LogDeclaration& log) {
  element.expect({.attributes = {{"name", Times::one},
                                 {"engine"},
                                 {"folder"},
                                 {"container-size"},
                                 {"initial-containers"},
                                 {"sync"},
                                 {"sync-interval"},
                                 {"sync-place"},
                                 {"sync-method"},
                                 {"max-write-buffers"},
                                 {"when-empty"},
                                 {"period"},
                                 {"scrub"},
                                 {"wipe"}},
                  .children = {}});
  if (auto folder = text_field(element, "folder")) {
    while (folder->size() > 1 && folder->ends_with('/')) folder->pop_back();
    if (!may_be_folder_of_log(*folder))
      element.problem_at("folder",
                         "attribute \"folder\": found " + model::shown(*folder) +
                             ", expected a path without \".\" and \"..\": an absolute one, or one in the data "
                             "folder that is not \"bytes\", \"lock\" or \"refused.messages\"");
    log.folder = *std::move(folder);
  }
  // Smaller ones are rounded up, and all of them to whole blocks.
  if (auto const size = size_field(element, "container-size", 1, 4 * kGiB))
    log.segment_bytes = std::max(static_cast<std::uint64_t>(*size), std::uint64_t{512} * kKiB);
  if (auto const count = integer_field(element, "initial-containers", 2, 10'000))
    log.initial_segments = static_cast<std::uint32_t>(*count);
  bool const by_interval = word_field(element, "sync", {"always", "interval"}) == 1U;
  std::int64_t const interval = duration_field(element, "sync-interval", 1, 3'600'000).value_or(kSyncIntervalMs);
  if (by_interval)
    log.sync_interval_ms = static_cast<std::uint32_t>(interval);
  else if (element.attribute("sync-interval"))
    element.problem_at("sync-interval",
                       "attribute \"sync-interval\" without sync=\"interval\", expected both or neither");
  constexpr log::SyncPlace kSyncPlace[] = {log::SyncPlace::automatic, log::SyncPlace::on_loop,
                                           log::SyncPlace::on_thread};
  if (auto const word = word_field(element, "sync-place", {"auto", "inline", "thread"}))
    log.sync_place = kSyncPlace[*word];
  constexpr log::SyncMethod kSyncMethod[] = {log::SyncMethod::automatic, log::SyncMethod::fdatasync,
                                             log::SyncMethod::direct};
  if (auto const word = word_field(element, "sync-method", {"auto", "fdatasync", "direct"}))
    log.sync_method = kSyncMethod[*word];
  if (auto const size = size_field(element, "max-write-buffers", kMiB, 4 * kGiB))
    log.write_buffer_bytes = static_cast<std::uint64_t>(*size);
  constexpr log::WhenEmpty kWhenEmpty[] = {log::WhenEmpty::reset, log::WhenEmpty::truncate, log::WhenEmpty::remove};
  if (auto const word = word_field(element, "when-empty", {"reset", "truncate", "delete"}))
    log.when_empty = kWhenEmpty[*word];
  constexpr log::Period kPeriods[] = {log::Period::none, log::Period::hour, log::Period::day, log::Period::month};
  if (auto const word = word_field(element, "period", {"none", "hour", "day", "month"})) log.period = kPeriods[*word];
  if (auto const span = duration_field(element, "scrub", 0, kScrubMsMax)) log.scrub_ms = *span;
  if (log.scrub_ms != 0 && log.scrub_ms < kScrubMsMin)
    element.problem_at("scrub", "attribute \"scrub\": found less than a second, expected 0 (never), or 1s to 365d");
  log.wipe = word_field(element, "wipe", {"no", "zero"}) == 1U;
}

void read_log(Element const& element, DaemonDeclaration& out) {
  LogDeclaration log;
  log.is_shared = word_field(element, "engine", {"file", "etcd"}) == 1U;
  if (log.is_shared)
    read_shared_log(element, log);
  else
    read_file_log(element, log);
  log.name = name_field(element, "name", kLogName).value_or("");
  if (log.is_shared && !out.cluster)
    element.problem_at("engine", "a log with engine=\"etcd\" without the element <cluster>, expected both");
  if (!log.name.empty() && out.log(log.name) != nullptr)
    element.problem_at("name", "log " + model::shown(log.name) + " twice, expected each name once");
  std::string const& folder = log.folder.empty() ? log.name : log.folder;
  for (LogDeclaration const& other : out.logs) {
    std::string const& taken = other.folder.empty() ? other.name : other.folder;
    bool const is_inside = folder == taken || folder.starts_with(taken + "/") || taken.starts_with(folder + "/");
    if (is_inside && other.name != log.name && !log.is_shared && !other.is_shared)
      element.problem_at("folder", "log " + model::shown(log.name) + " is in the folder of log " +
                                       model::shown(other.name) + ", " + model::shown(taken) +
                                       ", expected a folder of its own for each");
  }
  out.logs.push_back(std::move(log));
}

void read_limits(Element const& element, LimitsDeclaration& out) {
  element.expect({.attributes = {{"connections"},
                                 {"line-bytes"},
                                 {"frame-bytes"},
                                 {"output-bytes"},
                                 {"memory-bytes"},
                                 {"client-memory"},
                                 {"reserved-connections"},
                                 {"connections-per-peer"},
                                 {"first-message"},
                                 {"idle"},
                                 {"transaction-timeout"}},
                  .children = {}});
  auto const count = [&](std::string_view name, std::int64_t min, std::int64_t max, std::uint32_t& to) {
    if (auto const number = integer_field(element, name, min, max)) to = static_cast<std::uint32_t>(*number);
  };
  count("connections", 1, 1'000'000, out.connections);
  count("reserved-connections", 0, 1000, out.reserved_connections);
  count("connections-per-peer", 1, 1'000'000, out.connections_per_peer);
  auto const silence = [&](std::string_view name, std::int64_t max, std::int64_t& to) {
    if (auto const span = duration_field(element, name, 0, max)) to = *span;
    if (to != 0 && to < kSilenceMsMin)
      element.problem_at(name, "attribute \"" + std::string{name} +
                                   "\": found less than a second, expected 0 (never), or at least 1s");
  };
  silence("first-message", kHourMs, out.first_message_ms);
  silence("idle", 365 * kDayMs, out.idle_ms);
  if (auto const span = duration_field(element, "transaction-timeout", 1000, kHourMs)) out.transaction_ms = *span;
  auto const size = [&](std::string_view name, std::int64_t min, std::int64_t max, std::uint64_t& to) {
    if (auto const bytes = size_field(element, name, min, max)) to = static_cast<std::uint64_t>(*bytes);
  };
  size("line-bytes", kKiB, 32 * kMiB, out.line_bytes);
  // A body of 64 MiB, as queue tables take it, with all that goes with it.
  size("frame-bytes", kKiB, 80 * kMiB, out.frame_bytes);
  size("output-bytes", 64 * kKiB, 4 * kGiB, out.output_bytes);
  size("memory-bytes", 16 * kMiB, 64 * 1024 * kGiB, out.memory_bytes);
  // At least the largest message and its answer, whatever the other limits are.
  std::uint64_t const least = 2 * std::max(out.frame_bytes, out.line_bytes);
  out.client_memory_bytes = std::max(least, std::min<std::uint64_t>(out.memory_bytes / 4, 4 * kGiB));
  size("client-memory", kMiB, 64 * 1024 * kGiB, out.client_memory_bytes);
  if (out.client_memory_bytes < least)
    element.problem_at("client-memory",
                       "attribute \"client-memory\": found less than twice the largest message, "
                       "expected at least " +
                           std::to_string(least) + " bytes, or a smaller frame-bytes or line-bytes");
}

void read_start(Element const& element, StartDeclaration& out) {
  element.expect({.attributes = {{"max-clock-behind"}}, .children = {}});
  if (auto const most = duration_field(element, "max-clock-behind", 0, 3650LL * 86'400'000))
    out.clock_behind_ms_max = *most;
}

void read_logging(Element const& element, std::filesystem::path const& base, LoggingDeclaration& out) {
  std::vector<std::string_view> const levels{"trace", "debug", "info", "warn", "error"};
  element.expect({.attributes = {{"level"}, {"file"}}, .children = {}});
  if (auto const word = word_field(element, "level", levels)) out.level = levels[*word];
  if (auto const file = text_field(element, "file")) out.file = joined(base, *file);
}

// An address to connect to, in the reactor's syntax.
std::string read_peer(Element const& element, std::filesystem::path const& base) {
  std::optional<std::string_view> const text = element.attribute("address");
  bool const plain_text = boolean_field(element, "plain-text").value_or(false);
  if (!text) return {};
  if (text->starts_with("unix:") && text->size() > 5) {
    std::string const path = joined(base, text->substr(5));
    if (path.size() <= kSocketPathBytesMax) return "unix:" + path;
    element.problem_at("address",
                       "attribute \"address\": found a path that is too long with its folder, expected at most " +
                           std::to_string(kSocketPathBytesMax) + " bytes");
    return {};
  }
  std::optional<ParsedAddress> const address = parse_address(*text);
  if (!address)
    element.problem_at("address", "attribute \"address\": found " + model::shown(*text) +
                                      ", expected unix:/PATH, or an IP address and a port, as in 127.0.0.1:4040");
  else if (!address->loopback && !plain_text)
    element.problem_at("address",
                       "address " + model::shown(*text) +
                           " is on another machine, and everything on the way travels unencrypted; "
                           "expected a loopback address (127.0.0.1, [::1]), or plain-text=\"true\" beside it");
  return std::string{*text};
}

void read_alerts(Element const& element, std::filesystem::path const& base, DaemonDeclaration& out) {
  element.expect(
      {.attributes =
           {{"flags"}, {"service"}, {"address"}, {"plain-text"}, {"on-alert"}, {"on-alert-timeout"}, {"interval"}},
       .children = {}});
  AlertsDeclaration& alerts = out.alerts;
  if (auto const folder = text_field(element, "flags")) alerts.flags_folder = joined(base, *folder);
  if (auto const service = name_field(element, "service", kServiceName)) alerts.service = *service;
  alerts.address = read_peer(element, base);
  if (auto const command = text_field(element, "on-alert")) alerts.command = joined(base, *command);
  if (auto const limit = duration_field(element, "on-alert-timeout", 1000, 3'600'000)) alerts.command_limit_ms = *limit;
  if (auto const interval = duration_field(element, "interval", 1000, 7LL * 86'400'000)) alerts.interval_ms = *interval;
  if (!alerts.service.empty() && alerts.address.empty() && out.communicator.address.empty())
    element.problem_at("service",
                       "attribute \"service\" without a way to it, expected address=\"...\" beside it, or the "
                       "element <communicator>");
}

void read_communicator(Element const& element, std::filesystem::path const& base, CommunicatorDeclaration& out) {
  element.expect({.attributes = {{"address", Times::one}, {"plain-text"}, {"service"}}, .children = {}});
  out.address = read_peer(element, base);
  if (auto const service = name_field(element, "service", kServiceName)) out.service = *service;
}

std::string read_folder(Element const& root, std::string_view name, std::filesystem::path const& base,
                        std::string_view by_default) {
  std::optional<Element> const element = root.child(name);
  if (!element) return by_default.empty() ? std::string{} : joined(base, by_default);
  std::vector<Part> attributes{{"folder", Times::one}};
  if (name == "tables") attributes.push_back({"auto-reload"});
  element->expect({.attributes = attributes, .children = {}});
  std::optional<std::string> const folder = text_field(*element, "folder");
  return folder ? joined(base, *folder) : std::string{};
}

void read(Element const& root, std::filesystem::path const& base, DaemonDeclaration& out) {
  root.expect({.attributes = {},
               .children = {{"access"},
                            {"listen", Times::any},
                            {"udp", Times::any},
                            {"tls"},
                            {"data"},
                            {"tables"},
                            {"plugins"},
                            {"cluster"},
                            {"log", Times::any},
                            {"limits"},
                            {"start"},
                            {"logging"},
                            {"socket", Times::any},
                            {"alerts"},
                            {"communicator"}}});
  if (auto const element = root.child("access")) read_access(*element, base, out.access);
  if (auto const element = root.child("tls")) read_tls(*element, base, out);
  ListenSource const source{.file = out.file, .daemon = &out};
  for (Element const& element : root.children("listen")) read_listen(element, source, out.listen);
  if (out.listen.empty()) out.listen.emplace_back();
  for (Element const& element : root.children("socket")) read_socket(element, source, out.listen);
  for (Element const& element : root.children("udp")) read_udp(element, base, out);
  if (auto const element = root.child("cluster")) read_cluster(*element, base, out);
  for (Element const& element : root.children("log")) read_log(element, out);
  out.data_folder = read_folder(root, "data", base, "data");
  out.tables_folder = read_folder(root, "tables", base, "tables.d");
  if (auto const element = root.child("tables"))
    out.auto_reload = boolean_field(*element, "auto-reload").value_or(false);
  out.plugins_folder = read_folder(root, "plugins", base, "");
  if (auto const element = root.child("limits")) read_limits(*element, out.limits);
  if (auto const element = root.child("start")) read_start(*element, out.start);
  if (auto const element = root.child("logging")) read_logging(*element, base, out.logging);
  if (auto const element = root.child("communicator")) read_communicator(*element, base, out.communicator);
  if (auto const element = root.child("alerts")) read_alerts(*element, base, out);
  if (out.log("shared") == nullptr) out.logs.insert(out.logs.begin(), LogDeclaration{});
  if (out.log_names(false).empty())
    root.problem(
        "every log has engine=\"etcd\", expected one with files, as in <log name=\"local\"/>: the daemon's own "
        "alerts are there");
}

}  // namespace

Result<DaemonDeclaration> read_daemon(std::filesystem::path const& path) {
  Problems problems{path.string()};
  DaemonDeclaration out;
  out.file = path.string();
  if (std::optional<Document> const document = Document::read(path, problems)) {
    Element const root = document->root();
    if (root.name() == "fastjournal")
      read(root, path.parent_path(), out);
    else
      root.problem("root element <" + std::string{root.name()} + ">, expected <fastjournal>");
  }
  if (!problems.empty()) return problems.status();
  return out;
}

}  // namespace fastjournal::config
