#include "daemon/daemon.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "config/daemon_reader.h"
#include "config/table_reader.h"
#include "config/tables_folder.h"
#include "config/users_reader.h"
#include "daemon/refused_lines.h"
#include "platform/files/new_file.h"
#include "platform/os/event_log.h"
#include "platform/os/installation.h"
#include "platform/os/known_folders.h"
#include "platform/os/plugin_loader.h"
#include "platform/os/random.h"
#include "server/dispatch/message_files.h"
#include "server/session/admission.h"
#include "server/table_listeners.h"
#include "wire/messages.h"
#ifdef FJ_HTTP
#include "server/page/page.h"
#include "wire/http.h"
#endif

namespace fastjournal::daemon {
namespace {

constexpr std::string_view kFlagsFailed = "flags-failed";
Status no_configuration(std::string const& file) {
  std::string const examples = os::installed_examples();
  return {Code::bad_configuration,
          file + ": no such file, expected the daemon's configuration; " +
              (examples.empty() ? std::string{"an example comes with the sources, conf/fastjournal.xml"}
                                : "an example, with tables beside it, is " + examples + "/fastjournal.xml") +
              ": copy it, or name another file with --config"};
}

}  // namespace

Daemon::Daemon(Options options) : options_(std::move(options)) {}

Daemon::~Daemon() {
  // The background threads use the logs, the server and the reactor; so does the sender of alerts.
  alert_sender_.reset();
  background_.reset();
  syncers_.clear();
  byte_workers_ = {};
  hashers_ = {};
  stop_exports_.give();
  exporters_ = {};
  server_.reset();
  shared_logs_.clear();
  logs_.clear();
}

Status Daemon::prepare() {
  if (std::error_code error; !std::filesystem::exists(options_.config, error)) return no_configuration(options_.config);
  Result<config::DaemonDeclaration> declared = config::read_daemon(options_.config);
  if (!declared.ok()) return declared.status();
  declared_ = std::move(declared).value();
  if (!options_.tables.empty()) declared_.tables_folder = options_.tables;
  if (!options_.data.empty()) declared_.data_folder = options_.data;
  if (!options_.listen.empty()) declared_.listen = options_.listen;
  declare_administrator();
  if (!options_.plugins.empty()) declared_.plugins_folder = options_.plugins;
  if (declared_.plugins_folder.empty()) declared_.plugins_folder = os::installed_plugins();
  if (Status status = os::open_event_log("fastjournald", declared_.logging.file, declared_.logging.level); !status.ok())
    return status;
  if (Status status = read_tls(); !status.ok()) return status;
  if (Status status = read_cluster(); !status.ok()) return status;
  Result<engine::TableTypes> types = os::load_table_types(declared_.plugins_folder);
  if (!types.ok()) return types.status();
  types_ = std::move(types).value();
  Status const watched = tables_watch_.begin(declared_.tables_folder);
  if (!watched.ok()) os::log_warning(watched.message());
  Result<Contents> contents = read_declarations();
  if (!contents.ok()) return contents.status();
  tables_ = std::move(contents->tables);
  table_listeners_ = std::move(contents->listeners);
  if (Status status = server::check_listeners(types_, tables_, contents->own, table_listeners_); !status.ok())
    return status;
  if (Result<access::Users> const users = read_users(); !users.ok()) return users.status();
  return server::check_forget(tables_, options_.forget);
}

Status Daemon::read_tls() {
  for (config::ListenDeclaration const& listen : declared_.listen)
    if (listen.tls && !declared_.tls)
      return {Code::bad_configuration, "--listen tls:" + listen.address +
                                           ": the certificate is missing, expected <tls " +
                                           "certificate=\"...\" key=\"...\"/> in " + declared_.file};
  if (!declared_.tls) return {};
  if (Status status = certificates_.read(*declared_.tls); !status.ok()) return status;
  if (std::string const warning = certificates_.warning(); !warning.empty()) os::log_warning(warning);
  return {};
}

// The administrator always has a socket: next to the data, if none was declared.
void Daemon::declare_administrator() {
  auto const is_administrators = [](config::ListenDeclaration const& one) { return one.rights.has(Right::admin); };
  if (std::any_of(declared_.listen.begin(), declared_.listen.end(), is_administrators)) return;
  default_socket_ = "unix:" + data_folder() + "/fastjournal.sock";
  declared_.listen.push_back(
      {.address = default_socket_, .rights = kAllRights, .unix_mode = config::kAdministratorMode});
}

Result<access::Users> Daemon::read_users() {
  if (declared_.access.users_file.empty()) return access::Users{};
  return config::read_users(declared_.access.users_file);
}

access::DigestKey Daemon::login_key() {
  access::DigestKey out{};
  for (std::size_t at = 0; at < out.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t const bits = os::random_bits();
    std::memcpy(out.data() + at, &bits, sizeof bits);
  }
  return out;
}

// Threads of their own, which yield: a hash takes long, and neither other work nor the loop must wait for it.
void Daemon::run_hash(std::unique_ptr<access::HashJob> job) {
  std::unique_ptr<os::Background>& hasher = hashers_[hashes_++ % hashers_.size()];
  if (hasher == nullptr) hasher = std::make_unique<os::Background>([this] { reactor_->wake(); }, true);
  access::HashJob& work = *job;
  hasher->run([&work] { work.run(); }, [this, job = std::move(job)]() mutable { server_->hash_done(std::move(job)); });
}

Status Daemon::write_message_files() const {
  std::string const& folder = options_.message_files;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return {Code::io_error, "make " + folder + ": " + error.message()};
  for (auto const& [name, content] : server::message_files(types_, tables_)) {
    std::string const path = folder + "/" + name;
    Result<files::NewFile> file = files::NewFile::make(path, 0666);
    if (!file.ok()) return file.status();
    if (Status status = file->write(content); !status.ok()) return status;
    if (Status status = file->finish(files::NewFile::Durable::no); !status.ok()) return status;
  }
  return {};
}

Result<std::vector<std::string>> Daemon::read_certificates() {
  Result<std::vector<std::string>> changes = certificates_.read_again();
  if (!changes.ok()) return changes;
  Result<std::vector<std::string>> const of_etcd = etcd_certificates_.read_again();
  if (!of_etcd.ok()) return of_etcd;
  changes->insert(changes->end(), of_etcd->begin(), of_etcd->end());
  return changes;
}

void Daemon::use_certificates() {
  certificates_.use(*reactor_);
  etcd_certificates_.use(*reactor_);
}

Result<Daemon::Contents> Daemon::read_declarations() {
  config::TypesByName types;
  for (auto const& [name, type] : types_) types.emplace(name, type->declaration());
  Result<std::vector<config::KnownTable>> read = known_tables_.read(declared_.tables_folder, types, &declared_);
  if (!read.ok()) return read.status();
  Contents out;
  for (config::KnownTable& file : read.value()) {
    if (Result<std::optional<env::Access>> const access = os::file_access(*file.table); !access.ok())
      return access.status();
    if (Status status = load_sql(*file.table); !status.ok()) return status;
    out.tables.push_back(std::move(file.table));
    for (config::ListenDeclaration& listen : file.listen) out.listeners.push_back(std::move(listen));
  }
  out.own = declared_.listen;
  for (config::UdpDeclaration const& udp : declared_.udp)
    out.own.push_back({.address = {}, .table = udp.table, .place = udp.place});
  std::vector<std::string> const logs = declared_.log_names();
  std::vector<std::string> const shared = declared_.log_names(true);
  server::DeclaredLogs const declared_logs{declared_.file, logs, shared};
  if (Status status = server::check_tables(types_, out.tables, &declared_logs, sound_); !status.ok()) return status;
  sound_ = {out.tables.begin(), out.tables.end()};
  return out;
}

Status Daemon::load_sql(TableDeclaration const& table) {
  if (sql_part_ != nullptr || table.option(kConnectOption).text.empty()) return {};
  Result<void const*> const part = os::load_part(declared_.plugins_folder, kSqlPart, FJ_BUILD);
  if (!part.ok())
    return {Code::bad_configuration,
            "table " + table.name + ": <connect>: no mirror in an SQL database: " + part.status().message()};
  sql_part_ = static_cast<SqlPart const*>(part.value());
  return {};
}

Status Daemon::serve() {
  ballast_.emplace(os::Ballast::kBytes, declared_.logging.file);
  disk_ = std::make_unique<os::PosixDisk>(declared_.data_folder);
  Result<std::unique_ptr<reactor::Reactor>> made =
      reactor::Reactor::create({.connections_reserved = declared_.limits.reserved_connections,
                                .warn = [](std::string_view text) { os::log_warning(text); }});
  if (!made.ok()) return made.status();
  reactor_ = std::move(made).value();
  if (Status status = adopt_sockets(); !status.ok()) return status;
  background_ = std::make_unique<os::Background>([this] { reactor_->wake(); });

  server::ServerLimits limits;
  limits.transaction_timeout = DurationMs{declared_.limits.transaction_ms};
  limits.connections = connection_limits();
  limits.frames = {declared_.limits.line_bytes, declared_.limits.frame_bytes};
  limits.output_bytes = declared_.limits.output_bytes;
  limits.memory_bytes = declared_.limits.memory_bytes;
  limits.client_memory_bytes = declared_.limits.client_memory_bytes;
  server_ = std::make_unique<server::Server>(clock_, *reactor_, types_, limits, *this);
  reactor_->set_handler(*server_);
  join_neighbours();

  // Reading a log may take minutes: an address in use should be reported before. Bound and released again: keeping a
  // socket bound without listening would take the file of a unix socket from a running daemon.
  if (Status status = check_listening(false); !status.ok()) return status;
  if (Status status = take_data_folder(); !status.ok()) return status;
  if (Status status = check_listening(true); !status.ok()) return status;
  if (Status status = open_logs(); !status.ok()) return status;
  if (Status status = take_signals(); !status.ok()) return status;
  start_sending_alerts();
  if (Status status = start_listening(); !status.ok()) return status;
  print_banner();
  for (std::string const& one : server_->listeners().texts()) fmt::print("listening {}\n", one);
  fmt::print("ready\n");
  std::fflush(stdout);

  if (Status status = tell_supervisor(); !status.ok()) return status;
  signals_.release();
  if (Status status = reactor_->run(); !status.ok()) return status;
  if (Status status = server_->finish(); !status.ok()) return status;
  alert_sender_.reset();
  os::log_info("stopped");
  return {};
}

// At most as many as there are descriptors: a peer refused beyond that would not be told which limit applies.
server::ConnectionLimits Daemon::connection_limits() const {
  config::LimitsDeclaration const& declared = declared_.limits;
  server::ConnectionLimits out;
  out.most = declared.connections;
  if (out.most > reactor_->connections_max()) {
    out.most = reactor_->connections_max();
    os::log_warning(
        fmt::format("the limit of open files allows {} connections, not the {} of <limits connections>: raise it",
                    out.most, declared.connections));
  }
  out.reserved = declared.reserved_connections;
  out.per_peer =
      declared.connections_per_peer != 0 ? declared.connections_per_peer : std::max<std::size_t>(1, out.most / 4 * 3);
  out.first_message_us = declared.first_message_ms * 1000;
  out.idle_us = declared.idle_ms * 1000;
  return out;
}

Status Daemon::take_data_folder() {
  log::file::DataFolderRequest wish{.folder = declared_.data_folder,
                                    .logs = declared_.log_names(false),
                                    .create = options_.create,
                                    .begins = options_.new_data};
  if (!options_.state.empty() && !options_.new_data) {
    os::PosixDisk state{options_.state};
    Result<bool> const is_known = os::is_known_folder(state, data_folder());
    if (!is_known.ok()) return is_known.status();
    wish.was_used = is_known.value();
  }
  for (config::LogDeclaration const& log : declared_.logs)
    if (!log.is_shared && !log.folder.empty()) wish.places[log.name] = place_of(log);
  // The daemon's own files next to its logs.
  std::filesystem::path const here = data_folder();
  auto const is_beside = [&](std::string const& file) {
    std::error_code error;
    std::filesystem::path const path = std::filesystem::absolute(file, error).lexically_normal();
    if (!error && path.parent_path() == here) wish.beside.push_back(path.filename().string());
  };
  if (!declared_.logging.file.empty()) is_beside(declared_.logging.file);
  std::vector<config::ListenDeclaration> listening = declared_.listen;
  listening.insert(listening.end(), table_listeners_.begin(), table_listeners_.end());
  for (config::ListenDeclaration const& listen : listening)
    if (listen.address.starts_with("unix:") || listen.address.starts_with('/'))
      is_beside(listen.address.substr(listen.address.starts_with('/') ? 0 : 5));
  for (engine::Declaration const& table : tables_)
    if (std::string const& connect = table->option(kConnectOption).text; !connect.empty() && !is_postgresql(connect))
      for (std::string_view const suffix : {"", "-journal"}) is_beside(export_place(connect).append(suffix));
  Result<log::file::DataFolder> opened = log::file::DataFolder::open(*disk_, wish);
  if (!opened.ok()) return opened.status();
  data_ = std::make_unique<log::file::DataFolder>(std::move(opened).value());
  return {};
}

engine::Declarations Daemon::tables_to_forget() const {
  engine::Declarations out;
  for (std::string const& name : options_.forget)
    for (auto const& [type_name, type] : types_)
      out.push_back(std::make_shared<TableDeclaration>(config::default_table(*type->declaration(), name)));
  return out;
}

void Daemon::end_start_if_told() const {
  if (!signals_.ask_to_end()) return;
  os::log_info(
      "ended during the start, by a signal: nothing was served, and the next start finds all that this one did");
  std::_Exit(0);
}

// Absent: messages.
std::function<std::unique_ptr<Protocol>()> Daemon::protocol_of(config::ListenDeclaration const& listen) const {
  if (listen.speaks_messages()) return {};
  if (!listen.speaks_http()) return protocol_of_type(listen);
#ifdef FJ_HTTP
  auto const site = std::make_shared<protocol::HttpSite const>(
      protocol::HttpOptions{.body_bytes_max = declared_.limits.line_bytes, .is_tls = listen.tls, .names = listen.hosts},
      page::files());
  return [site] { return std::make_unique<protocol::Http>(site); };
#else
  return {};  // refused by check_listening
#endif
}

// Of a protocol and a table, for all listeners.
std::shared_ptr<void> Daemon::shared_by_connections(PluginProtocol const& protocol, std::string const& table) const {
  if (protocol.share == nullptr) return {};
  std::shared_ptr<void>& shared = shared_by_connections_[{std::string{protocol.name}, table}];
  if (shared == nullptr) shared = protocol.share();
  return shared;
}

// Declared for a table whose type has it (check_listeners).
std::function<std::unique_ptr<Protocol>()> Daemon::protocol_of_type(config::ListenDeclaration const& listen) const {
  for (auto const& [name, type] : types_)
    for (PluginProtocol const& protocol : type->plugin().protocols)
      if (protocol.name == listen.protocol && listen.datagrams) {
        if (protocol.make_for_datagram == nullptr) return {};
        return protocol.make_for_datagram;
      } else if (protocol.name == listen.protocol && protocol.make == nullptr)
        return {};  // left out of this build
      else if (protocol.name == listen.protocol)
        return [make = protocol.make,
                place = ProtocolPlace{.piece_bytes_max = declared_.limits.line_bytes, .is_tls = listen.tls},
                shared = shared_by_connections(protocol, listen.table)] { return make(place, shared); };
  return {};
}

Status Daemon::start_listening() {
  std::uint32_t number = 0;
  for (config::ListenDeclaration const& declared : declared_.listen) {
    Result<server::Listener> listener = open_listener(++number, declared);
    if (!listener.ok()) return listener.status();
    server_->listeners().add(number, std::move(listener).value());
  }
  if (Status status = server_->listen_for_tables(table_listeners_); !status.ok()) return status;
  for (config::UdpDeclaration const& udp : declared_.udp)
    if (Status status = take_datagrams(udp); !status.ok()) return status;
  return {};
}

Result<server::Listener> Daemon::open_listener(std::uint32_t number, config::ListenDeclaration const& declared) {
  if (!is_passed(declared)) make_folder_of(declared);
  Result<env::Address> bound = listen(declared, number);
  if (!bound.ok()) return bound.status();
  return server::Listener{std::move(bound->text), declared.rights, protocol_of(declared), declared.table,
                          declared.protocol};
}

Result<env::Address> Daemon::listen(config::ListenDeclaration const& declared, std::uint32_t number) {
  if (declared.datagrams) {
    env::ListenOptions alone{.number = number, .unix_mode = declared.unix_mode};
    if (Status completed = complete(alone, declared); !completed.ok()) return completed;
    Result<env::DatagramSocket> socket = reactor_->receive_local_datagrams({address_of(declared)}, alone);
    return socket.ok() ? Result<env::Address>{std::move(socket->bound)} : socket.status();
  }
  auto const spoken_there = [&]() -> std::unique_ptr<Protocol> {
    if (declared.speaks_messages()) return std::make_unique<protocol::Messages>(protocol::FrameLimits{});
    return protocol_of(declared)();
  };
  env::ListenOptions options{
      .number = number,
      .unix_mode = declared.unix_mode,
      .reserved = declared.rights.has(Right::admin),
      .refusal = server::refusal_by(
          *spoken_there(), "the daemon has no more connections to give; close some, or raise its limit of open files"),
      .refusal_not_allowed =
          server::refusal_by(*spoken_there(), "this socket is for some users and groups only, and you are none of them",
                             Code::not_allowed)};
  if (Status completed = complete(options, declared); !completed.ok()) return completed;
  if (!declared.tls) return reactor_->listen({address_of(declared)}, options);
  std::string const alpn{declared.speaks_messages() ? tls::kMessagesProtocol
                         : declared.speaks_http()   ? tls::kHttpProtocol
                                                    : std::string_view{declared.protocol}};
  auto context = certificates_.context(number, alpn);
  if (!context.ok()) return context.status();
  std::string const refusal = server::refusal_by(
      *spoken_there(),
      declared.speaks_http()
          ? "this address speaks TLS only: use https"
          : "this address speaks TLS only: use tls:HOST:PORT, as in fastjournal --server tls:HOST:PORT, "
            "or a client with TLS");
  Result<env::Address> bound = reactor_->listen({address_of(declared)}, options, {std::move(context).value(), refusal});
  if (bound.ok()) bound->text.insert(0, "tls:");
  return bound;
}

Status Daemon::take_datagrams(config::UdpDeclaration const& udp) {
  communicator::DatagramOptions options;
  options.messages_per_second = udp.messages_per_second;
  options.table = udp.table;
  if (!udp.secret_file.empty()) {
    std::ifstream file{udp.secret_file, std::ios::binary};
    std::getline(file, options.secret);
    while (!options.secret.empty() && (options.secret.back() == '\r' || options.secret.back() == ' '))
      options.secret.pop_back();
    if (options.secret.empty() || options.secret.size() > communicator::kDatagramMessageBytesMax / 2)
      return {Code::bad_configuration, declared_.file + ": <udp secret-file>: " + udp.secret_file +
                                           ": expected a file whose first line is the secret, of 1 to 512 bytes"};
  }
  Result<env::DatagramSocket> socket = reactor_->receive_datagrams({{udp.address}, udp.interface});
  if (!socket.ok()) return socket.status();
  server_->listeners().add_datagrams("udp:" + socket->bound.text + " (messages without answers" +
                                     (udp.table.empty() ? "" : ", table " + udp.table) + ", rights add" +
                                     (options.secret.empty() ? "" : " by the secret") + ")");
  server_->datagrams().take(socket->id, std::move(options));
  return {};
}

void Daemon::join_neighbours() {
  server_->engine().alerting().set_interval(DurationMs{declared_.alerts.interval_ms});
  server_->links().join({.communicator = declared_.communicator.address,
                         .service = declared_.communicator.service,
                         .alert_service = declared_.alerts.service,
                         .alert_address = declared_.alerts.address,
                         .origin = {os::host_name(), FJ_VERSION}});
}

void Daemon::start_sending_alerts() {
  config::AlertsDeclaration const& alerts = declared_.alerts;
  if (alerts.flags_folder.empty() && alerts.command.empty()) return;
  alerts::TellerOptions options;
  // Readable by everybody: the watcher runs as another user.
  if (!alerts.flags_folder.empty()) flags_ = std::make_unique<os::PosixDisk>(alerts.flags_folder, 0644);
  options.flags = flags_.get();
  options.origin = {os::host_name(), FJ_VERSION};
  options.command = alerts.command;
  options.command_limit_us = alerts.command_limit_ms * 1000;
  options.wake = [this] { reactor_->wake(); };
  alert_sender_ = std::make_unique<alerts::AlertSender>(std::move(options), server_->engine().alerting().all());
}

Status Daemon::take_signals() {
  for (int const number : {SIGTERM, SIGINT})
    if (Status status = reactor_->on_signal(number, [this] { stop("a signal"); }); !status.ok()) return status;
  if (Status status = reactor_->on_signal(SIGHUP, [this] { reload_by_signal(); }); !status.ok()) return status;
  if (Status status = tables_watch_.tell(*reactor_, [this] { server_->tables_changed(declared_.auto_reload); });
      !status.ok())
    return status;
  return reactor_->on_signal(SIGUSR1, [this] { static_cast<void>(rotate_log()); });
}

Status Daemon::tell_supervisor() {
  if (!supervisor_.listens()) return {};
  supervisor_.ready(status_line());
  return reactor_->on_interval(supervisor_.period_us(), [this] { supervisor_.serving(status_line()); });
}

std::string Daemon::status_line() const {
  engine::Engine& engine = server_->engine();
  std::size_t tables = 0;
  std::int64_t rows = 0;
  for (auto const& table : engine.tables()) {
    if (table->table == nullptr) continue;
    ++tables;
    rows += engine::metric_of(*table, server_->clock().now(), "rows");
  }
  return fmt::format("tables {}, rows {}, connections {}, alerts {}", tables, rows, reactor_->connections(),
                     engine.alerting().all().size());
}

void Daemon::print_banner() const {
  fmt::print("fastjournald {}\n", FJ_VERSION);
  fmt::print("data       {}\n", declared_.data_folder);
  for (std::string const& line : recovered_) fmt::print("log        {}\n", line);
  for (engine::Forgotten const& one : server_->engine().recovery().forgotten())
    fmt::print("forgotten  {}: {} dropped for good\n", one.table,
               one.rows ? fmt::format("{} {}", *one.rows, *one.rows == 1 ? "row" : "rows") : "its rows, not counted,");
  if (!server_->clock().start_note().empty()) fmt::print("clock      {}\n", server_->clock().start_note());
  fmt::print("durability {}\n", server_->durability());
  for (auto const& table : server_->engine().tables()) {
    if (table->table == nullptr) continue;
    Schema const& schema = table->declaration->schema;
    std::string key;
    for (std::uint16_t const column : schema.key)
      key.append(key.empty() ? "" : ", ").append(schema.columns[column].name);
    // What has no columns has keys of its own kind, or none.
    std::string_view const named = schema.columns.empty() ? "" : key.empty() ? ", no key" : ", key ";
    fmt::print("table      {} ({}){}{}{}\n", table->name, table->type->name(), named, key,
               table->declaration->persistent ? "" : ", not persistent");
  }
}

void Daemon::reload_by_signal() {
  supervisor_.reloading();
  Result<std::vector<std::string>> const changes = server_->reload();
  supervisor_.ready(changes.ok() ? status_line()
                                 : "reload refused, nothing was changed: " + changes.status().message());
  if (!changes.ok()) return;
  if (changes->empty()) os::log_info("reload: nothing to change");
  for (std::string const& change : changes.value()) os::log_info("reload: " + change);
}

void Daemon::reload_refused(Status const& why) {
  os::log_error("reload refused, nothing was changed:");
  std::istringstream mistakes{why.message()};
  for (std::string line; std::getline(mistakes, line);) os::log_error("reload: " + line);
}

Daemon::Handshakes Daemon::handshakes() const {
  reactor::ReactorCounters const& counters = reactor_->counters();
  return {.done = counters.handshakes,
          .resumed = counters.handshakes_resumed,
          .failed = counters.handshakes_failed + counters.handshakes_late + counters.handshakes_plain,
          .under_way = reactor_->handshakes_under_way()};
}

void Daemon::stop(std::string_view reason) {
  os::log_info("stopping: " + std::string{reason});
  supervisor_.stopping("stopping: " + std::string{reason});
  server_->leave();
}

void Daemon::left() { reactor_->stop(); }

void Daemon::restart(std::string_view reason) {
  restart_ = true;
  stop(reason);
}

Status Daemon::rotate_log() {
  Status status = os::reopen_event_log();
  if (!status.ok()) os::log_error(status.text());
  return status;
}

void Daemon::fatal(Status const& status) {
  supervisor_.failed(status.text() + "; nothing more is acknowledged");
  os::LogField const code{"FASTJOURNAL_CODE", std::string{row_of(status.code()).wire_name}};
  // The files being written are no longer those of the folder.
  if (status.code() == Code::damaged)
    os::log_error(status.message() +
                      "; nothing more is acknowledged. What was acknowledged more than 100 ms ago stands where " +
                      declared_.data_folder + " was: put it back, or restore a backup, then start again",
                  {code});
  else
    os::log_error(status.text() + "; nothing more is acknowledged. What was acknowledged is in " +
                      declared_.data_folder + ": mend the disk, then start again",
                  {code});
  std::_Exit(1);
}

void Daemon::tell(log::AlertNotice const& notice) {
  std::string const whose = notice.alert.table.empty() ? "the daemon" : "table " + notice.alert.table;
  if (alert_sender_ != nullptr) alert_sender_->tell(notice);
  if (notice.up)
    os::log_warning(fmt::format("alert {} of {}, priority {}, {} times: {}", notice.alert.name, whose,
                                notice.alert.priority, notice.alert.count, notice.alert.message),
                    {{"FASTJOURNAL_ALERT", notice.alert.name},
                     {"FASTJOURNAL_TABLE", notice.alert.table},
                     {"FASTJOURNAL_STATE", "up"},
                     {"FASTJOURNAL_ALERT_PRIORITY", std::to_string(notice.alert.priority)},
                     {"FASTJOURNAL_COUNT", std::to_string(notice.alert.count)},
                     {"FASTJOURNAL_TAGS", notice.alert.tags}});
  else
    os::log_info(fmt::format("alert {} of {} is over", notice.alert.name, whose),
                 {{"FASTJOURNAL_ALERT", notice.alert.name},
                  {"FASTJOURNAL_TABLE", notice.alert.table},
                  {"FASTJOURNAL_STATE", "over"}});
}

// A thread for each log with slow syncs, as their disks may differ. All other jobs have one thread in common.
void Daemon::run_job(log::LogStore& log, log::Lane lane, std::unique_ptr<log::LogJob> job) {
  os::Background* runner = background_.get();
  if (lane == log::Lane::sync) {
    std::unique_ptr<os::Background>& syncer = syncers_[&log];
    if (syncer == nullptr) syncer = std::make_unique<os::Background>([this] { reactor_->wake(); });
    runner = syncer.get();
  }
  log::LogJob& work = *job;
  runner->run([&work] { work.run(); },
              [&log, lane, job = std::move(job)]() mutable { log.finish_job(lane, std::move(job)); });
}

void Daemon::wait_for_sync(log::LogStore& log) {
  if (auto const syncer = syncers_.find(&log); syncer != syncers_.end()) syncer->second->finish_all();
}

// Storing has several threads, as it waits for a disk: a table always has the same one. Work that no client waits for
// has one in common.
void Daemon::run_byte_job(storage::ByteFiles& files, storage::Lane lane, std::unique_ptr<storage::Job> job) {
  bool const is_waited_for = lane == storage::Lane::store || lane == storage::Lane::fetch;
  constexpr std::uint64_t kSpread = 0x9E3779B97F4A7C15;  // its high bits depend on all bits of an address
  std::size_t const of_table = reinterpret_cast<std::uintptr_t>(&files) * kSpread >> 32U;
  std::size_t const number =
      lane == storage::Lane::store ? of_table % kByteStorers : kByteStorers + (is_waited_for ? 0 : 1);
  std::unique_ptr<os::Background>& worker = byte_workers_[number];
  if (worker == nullptr) worker = std::make_unique<os::Background>([this] { reactor_->wake(); }, !is_waited_for);
  storage::Job& work = *job;
  worker->run([&work] { work.run(); },
              [&files, lane, job = std::move(job)]() mutable { files.finish_job(lane, std::move(job)); });
}

std::string Daemon::export_place(std::string const& connect) const {
  return is_postgresql(connect) ? connect : (std::filesystem::path{data_folder()} / connect).string();
}

// Databases share a thread if there are many of them.
void Daemon::run_export(std::unique_ptr<server::ExportJob> job) {
  std::size_t const next = exporter_of_.size() % exporters_.size();
  std::unique_ptr<os::Background>& exporter = exporters_[exporter_of_.try_emplace(job->connect, next).first->second];
  if (exporter == nullptr) exporter = std::make_unique<os::Background>([this] { reactor_->wake(); }, true);
  server::ExportJob& work = *job;
  exporter->run(
      [this, &work, place = export_place(work.connect)] {
        work.status = sql_part_->export_to(place, work, stop_exports_);
      },
      [this, job = std::move(job)]() mutable { server_->export_done(std::move(job)); });
}

void Daemon::collect_byte_work() {
  for (std::unique_ptr<os::Background> const& worker : byte_workers_)
    if (worker != nullptr) worker->collect();
}

void Daemon::collect_work() {
  // Without free memory there is nothing to touch ahead.
  if (!ballast_->is_gone()) heap_.look();
  background_->collect();
  for (auto const& [log, syncer] : syncers_) syncer->collect();
  for (std::unique_ptr<os::Background> const& hasher : hashers_)
    if (hasher != nullptr) hasher->collect();
  for (std::unique_ptr<os::Background> const& exporter : exporters_)
    if (exporter != nullptr) exporter->collect();
  if (alert_sender_ == nullptr) return;
  for (alerts::Report const& report : alert_sender_->collect()) {
    switch (report.kind) {
      case alerts::Report::Kind::flags_failed:
        os::log_error("flag files in " + declared_.alerts.flags_folder + ": " + report.text);
        server_->alerts().raise(kFlagsFailed, 60,
                                "flag files cannot be written in " + declared_.alerts.flags_folder + ": " + report.text,
                                "flags");
        break;
      case alerts::Report::Kind::flags_agree: server_->alerts().lower(kFlagsFailed); break;
      case alerts::Report::Kind::command_failed: os::log_error("on-alert: " + report.text); break;
      case alerts::Report::Kind::command_output: os::log_info("on-alert: " + report.text); break;
    }
  }
}

std::string Daemon::folder_of(log::LogStore const& log) const {
  config::LogDeclaration const* const declared = declared_.log(log.name());
  if (declared != nullptr && declared->folder.starts_with('/')) return declared->folder;
  return data_folder() + "/" + log.describe().folder;
}

log::file::LogPlace Daemon::place_of(config::LogDeclaration const& log) {
  if (!log.folder.starts_with('/'))
    return {disk_.get(), log.folder.empty() ? log.name : log.folder, declared_.folder_of(log)};
  // Its own disk, whose free space counts for it.
  std::unique_ptr<os::PosixDisk>& disk = log_disks_[log.name];
  if (disk == nullptr) disk = std::make_unique<os::PosixDisk>(log.folder);
  return {disk.get(), {}, log.folder};
}

std::string Daemon::data_folder() const {
  std::error_code error;
  std::filesystem::path const folder = std::filesystem::absolute(declared_.data_folder, error);
  return error ? declared_.data_folder : folder.lexically_normal().string();
}

void Daemon::note(std::string_view text) { os::log_warning(text); }

void Daemon::inform(std::string_view text) { os::log_info(std::string{text}); }

void Daemon::keep_refused(std::string_view table, std::string text, std::uint64_t ticket) {
  auto status = std::make_shared<Status>();
  background_->run([this, status, name = std::string{table},
                    text = std::move(text)] { *status = append_refused(*disk_, name, text); },
                   [this, status, ticket] { server_->refused_kept(ticket, *status); });
}

}  // namespace fastjournal::daemon
