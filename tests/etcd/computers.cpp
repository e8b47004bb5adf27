#include "tests/etcd/computers.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace fastjournal::test {
namespace {

namespace fs = std::filesystem;

// Until the test ends it. `read` takes in what its children leave behind, as the first process of a computer has to.
constexpr char kStay[] = "mkfifo /run/never; echo ready; while :; do read -r line </run/never; done";

// As the units of the packages (etcd.service, fastjournal.service): Type=notify, so a start ends when the service is ready.
constexpr char kSystemctl[] = R"(#!/usr/bin/python3
import os, pathlib, select, signal, socket, subprocess, sys

LIMIT_S = 90


def stop(unit):
    note = pathlib.Path(f"/run/{unit}.pid")
    if not note.exists():
        return
    pid = int(note.read_text())
    note.unlink()
    try:
        ended = os.pidfd_open(pid)
        os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        return
    if not select.select([ended], [], [], LIMIT_S)[0]:
        sys.exit(f"systemctl: {unit} does not stop within {LIMIT_S} s")


def start(unit):
    environment = dict(os.environ)
    if unit == "etcd":
        words = ["/usr/bin/etcd", "--logger=zap", "--log-level=error"]
        environment |= {"ETCD_NAME": socket.gethostname(), "ETCD_DATA_DIR": "/var/lib/etcd/default"}
        for line in pathlib.Path("/etc/default/etcd").read_text().splitlines():
            name, _, value = line.partition("=")
            if value:
                environment[name] = value.strip('"')
    else:
        words = [f"{os.environ['PROGRAMS']}/bin/fastjournald", "--config", "/etc/fastjournal/fastjournal.xml",
                 "--plugins", f"{os.environ['PROGRAMS']}/plugins"]
    path = f"/run/{unit}.notify"
    pathlib.Path(path).unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
        told.bind(path)
        os.chmod(path, 0o666)
        told.settimeout(LIMIT_S)
        environment["NOTIFY_SOCKET"] = path
        with open(f"/var/log/{unit}.log", "ab") as log:
            made = subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                    user=unit, group=unit, extra_groups=[], start_new_session=True, umask=0o077)
        ended = os.pidfd_open(made.pid)
        while True:
            ready = select.select([told, ended], [], [], LIMIT_S)[0]
            if told in ready:
                if b"READY=1" in told.recv(4096):
                    break
            else:
                made.poll()
                sys.exit(f"systemctl: {unit} " + ("ended" if ready else "is not ready") + "; its log:\n" +
                         pathlib.Path(f"/var/log/{unit}.log").read_text()[-3000:])
    pathlib.Path(f"/run/{unit}.pid").write_text(str(made.pid))


verb, *units = sys.argv[1:]
for unit in units:
    if unit not in ("etcd", "fastjournal") or verb not in ("start", "stop", "restart"):
        sys.exit(f"systemctl: {verb} {unit}: expected start, stop or restart of etcd or fastjournal")
    if verb != "start":
        stop(unit)
    if verb != "stop":
        start(unit)
)";

// scp FILE... 192.0.2.N:/FOLDER/
constexpr char kScp[] = R"(#!/bin/bash
to=${!#} host=${to%%:*} folder=${to#*:}
exec cp -- "${@:1:$#-1}" "/run/disks/${host##*.}/$folder"
)";

void ip(std::string const& words) { run_program({"sh", "-c", "exec ip " + words}); }

// The first process inside.
std::string inner(ChildProcess const& outer) {
  std::string const pid = std::to_string(outer.pid());
  std::ifstream in{"/proc/" + pid + "/task/" + pid + "/children"};
  std::string out;
  if (!(in >> out)) throw std::runtime_error("no process inside " + pid);
  return out;
}

std::unique_ptr<ChildProcess> make(std::string const& script) {
  auto made = std::make_unique<ChildProcess>(
      std::vector<std::string>{"setpriv", "--pdeathsig", "KILL", "unshare", "--net", "--mount", "--uts", "--pid",
                               "--fork", "--kill-child", "--mount-proc", "bash", "-c", "set -e; " + script});
  if (!made->wait_for_line("ready")) throw std::runtime_error("a namespace could not be made: " + made->output());
  return made;
}

// With everything in it: the outer process ends after all others.
void end(std::unique_ptr<ChildProcess>& outer) {
  if (outer == nullptr) return;
  ::kill(static_cast<pid_t>(std::stol(inner(*outer))), SIGKILL);
  static_cast<void>(outer->wait());
  outer.reset();
}

void write_program(std::string const& path, char const* text) {
  std::ofstream{path} << text;
  fs::permissions(path, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec | fs::perms::group_read |
                            fs::perms::others_read);
}

}  // namespace

std::string Computers::missing() {
  if (::geteuid() != 0) return "only root can make network namespaces";
  ChildProcess made{{"unshare", "--net", "--mount", "--uts", "--pid", "--fork", "--mount-proc", "ip", "link", "add",
                     "probe", "type", "bridge"}};
  return made.wait() == 0 ? "" : "network namespaces and bridges cannot be made here: " + made.output();
}

Computers::Computers(std::size_t count) {
  fs::permissions(folder_.path(), fs::perms::group_exec | fs::perms::others_exec, fs::perm_options::add);
  fs::create_directory(folder_ / "bin");
  write_program(folder_ / "bin/systemctl", kSystemctl);
  write_program(folder_ / "bin/scp", kScp);
  hub_ = make(std::string{"mount -t tmpfs none /run; ip link add hub type bridge; ip link set hub up; "} + kStay);
  computers_.resize(count);
  for (std::size_t at = 0; at < count; ++at) make_disk(at);
  for (std::size_t at = 0; at < count; ++at) start(at);
}

void Computers::make_disk(std::size_t at) const {
  fs::path const disk = file(at, "");
  for (char const* const name : {"var/log", "var/backups", "var/tmp", "root"}) fs::create_directories(disk / name);
  // Users, and the settings of openssl.
  run_program({"cp", "-a", "/etc", (disk / "etc").string()});
  std::ofstream{disk / "etc/passwd", std::ios::app} << "fastjournal:x:64999:64999::/var/lib/fastjournal:/bin/false\n";
  std::ofstream{disk / "etc/group", std::ios::app} << "fastjournal:x:64999:\n";
  fs::create_directories(disk / "etc/fastjournal/tables.d");
  empty(at);
}

void Computers::empty(std::size_t at) const {
  fs::remove_all(file(at, "var/lib"));
  for (char const* const name : {"var/lib/etcd", "var/lib/fastjournal"}) fs::create_directories(file(at, name));
  run_program({"chown", "64999:64999", file(at, "var/lib/fastjournal")});
  run_program({"chown", "etcd:etcd", file(at, "var/lib/etcd")});
}

Computers::~Computers() {
  for (std::size_t at = 0; at < computers_.size(); ++at) end(computers_[at]);
  end(hub_);
}

void Computers::lose_power(std::size_t at) {
  end(computers_[at]);
  // Its network goes some time after its last process, or now.
  ChildProcess cut{{"nsenter", "-n", "-t", inner(*hub_), "ip", "link", "del", "port" + std::to_string(at + 1)}};
  static_cast<void>(cut.wait());
}

void Computers::start(std::size_t at) {
  std::string const number = std::to_string(at + 1);
  std::string script =
      "mount -t tmpfs none /run; mkdir -p /run/fastjournal /run/stand-ins; "
      "chown 64999:64999 /run/fastjournal; mount --bind '" +
      folder_ / "bin" + "' /run/stand-ins; ";
  for (std::size_t other = 0; other < computers_.size(); ++other) {
    std::string const disk = "/run/disks/" + std::to_string(other + 1);
    script += "mkdir -p " + disk + "; mount --bind '" + file(other, "") + "' " + disk + "; ";
  }
  for (char const* const name : {"/etc", "/var", "/root"})
    script += "mount --bind /run/disks/" + number + name + " " + name + "; ";
  computers_[at] = make(script + "hostname computer" + number + "; ip link set lo up; " + kStay);
  ip("link add port" + number + " netns " + inner(*hub_) + " type veth peer name eth0 netns " + inner(*computers_[at]));
  std::string const in_hub = "nsenter -n -t " + inner(*hub_) + " ip link set port" + number + " master hub up";
  std::string const in_computer = "nsenter -n -t " + inner(*computers_[at]) + " ip ";
  run_program({"sh", "-c",
               in_hub + " && " + in_computer + "addr add 192.0.2." + number + "/24 dev eth0 && " + in_computer +
                   "link set eth0 up"});
}

void Computers::cut(std::size_t at, Cut cut) const {
  std::string const port = "port" + std::to_string(at + 1);
  std::string const in_hub = "exec nsenter -n -t " + inner(*hub_);
  // No packet is as small as its bucket.
  std::string const no_more = " root tbf rate 8bit burst 1 limit 1";
  if (cut == Cut::both_ways) run_program({"sh", "-c", in_hub + " ip link set " + port + " down"});
  if (cut == Cut::what_it_hears) run_program({"sh", "-c", in_hub + " tc qdisc add dev " + port + no_more});
  if (cut == Cut::what_it_says)
    run_program({"sh", "-c", "exec nsenter -n -t " + inner(*computers_[at]) + " tc qdisc add dev eth0" + no_more});
}

void Computers::heal(std::size_t at, Cut cut) const {
  std::string const port = "port" + std::to_string(at + 1);
  std::string const in_hub = "exec nsenter -n -t " + inner(*hub_);
  if (cut == Cut::both_ways) run_program({"sh", "-c", in_hub + " ip link set " + port + " up"});
  if (cut == Cut::what_it_hears) run_program({"sh", "-c", in_hub + " tc qdisc del dev " + port + " root"});
  if (cut == Cut::what_it_says)
    run_program({"sh", "-c", "exec nsenter -n -t " + inner(*computers_[at]) + " tc qdisc del dev eth0 root"});
}

Computers::Visit::Visit(Computers const& computers, std::size_t at)
    : home_(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)) {
  std::string const path = "/proc/" + inner(*computers.computers_[at]) + "/ns/net";
  int const there = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  bool const is_there = home_ >= 0 && there >= 0 && ::setns(there, CLONE_NEWNET) == 0;
  if (there >= 0) ::close(there);
  if (!is_there) throw std::runtime_error("setns " + path + ": " + std::strerror(errno));
}

Computers::Visit::~Visit() {
  static_cast<void>(::setns(home_, CLONE_NEWNET));
  ::close(home_);
}

std::string Computers::file(std::size_t at, std::string const& name) const {
  return folder_ / ("disk" + std::to_string(at + 1) + "/" + name);
}

std::vector<std::string> Computers::inside(std::size_t at, std::string const& script) const {
  std::string const start =
      "cd /root; export HOME=/root PROGRAMS='" FJ_BINARY_DIR "' PATH=/run/stand-ins:" FJ_BINARY_DIR
      "/bin:/usr/sbin:/usr/bin:/sbin:/bin FASTJOURNAL_SERVER=unix:/run/fastjournal/fastjournal.sock COLUMNS=100\n";
  return {"nsenter", "-t", inner(*computers_[at]), "-m", "-u", "-p", "-n", "bash", "-c", start + script};
}

}  // namespace fastjournal::test
