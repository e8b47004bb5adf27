#include "tests/bench/brokers.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tests/bench/peers/program.h"
#include "tests/support/temporary_folder.h"

namespace fastjournal::bench {
namespace {

class OwnBroker final : public Broker {
 public:
  OwnBroker() : port_(free_port()) {
    std::vector<std::string> const words = daemon_words(folder_.path(), address());
    std::ofstream{folder_ / "tables/post.xml"}
        << "<table name=\"post\" model=\"queue\"><queues>bench</queues></table>\n";
    child_ = std::make_unique<test::ChildProcess>(words);
    wait_until_listening(address(), *child_);
  }
  [[nodiscard]] std::string address() const override { return "127.0.0.1:" + std::to_string(port_); }

 private:
  test::TemporaryFolder folder_;
  int port_;
  std::unique_ptr<test::ChildProcess> child_;
};

class Rabbit final : public Broker {
 public:
  Rabbit() : port_(free_port()), names_port_(free_port()) {
    std::string const folder = folder_.path().string();
    std::ofstream{folder + "/enabled_plugins"} << "[].\n";
    std::string const program = find_program("rabbitmq-server", "rabbitmq-server", {"/usr/lib/rabbitmq/bin"});
    child_ = std::make_unique<test::ChildProcess>(std::vector<std::string>{
        "/usr/bin/env", "HOME=" + folder, "ERL_EPMD_PORT=" + std::to_string(names_port_),
        "RABBITMQ_NODENAME=bench" + std::to_string(port_) + "@localhost", "RABBITMQ_NODE_IP_ADDRESS=127.0.0.1",
        "RABBITMQ_NODE_PORT=" + std::to_string(port_), "RABBITMQ_DIST_PORT=" + std::to_string(free_port()),
        "RABBITMQ_MNESIA_BASE=" + folder + "/data", "RABBITMQ_LOG_BASE=" + folder + "/log", "RABBITMQ_LOGS=-",
        "RUNNING_UNDER_SYSTEMD=1", "ERL_CRASH_DUMP_SECONDS=0", "ERL_EPMD_RELAXED_COMMAND_CHECK=1",
        "RABBITMQ_ENABLED_PLUGINS_FILE=" + folder + "/enabled_plugins", program});
    // It listens before it can be used.
    if (!child_->wait_for_line("Server startup complete", std::chrono::seconds{60}))
      throw std::runtime_error("RabbitMQ does not start: " + child_->output());
  }
  ~Rabbit() override {
    child_.reset();
    // The service of names that its runtime starts beside it, on a port of our own.
    std::string const command =
        "ERL_EPMD_PORT=" + std::to_string(names_port_) + " epmd -relaxed_command_check -kill >/dev/null 2>&1";
    static_cast<void>(std::system(command.c_str()));
  }
  Rabbit(Rabbit const&) = delete;
  Rabbit& operator=(Rabbit const&) = delete;
  [[nodiscard]] std::string address() const override { return "127.0.0.1:" + std::to_string(port_); }

 private:
  test::TemporaryFolder folder_;
  int port_;
  int names_port_;
  std::unique_ptr<test::ChildProcess> child_;
};

class Active final : public Broker {
 public:
  Active() : port_(free_port()) {
    std::string const folder = folder_.path().string();
    std::ofstream{folder + "/broker.xml"} << R"(<beans xmlns="http://www.springframework.org/schema/beans"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xsi:schemaLocation="http://www.springframework.org/schema/beans http://www.springframework.org/schema/beans/spring-beans.xsd
  http://activemq.apache.org/schema/core http://activemq.apache.org/schema/core/activemq-core.xsd">
  <broker xmlns="http://activemq.apache.org/schema/core" brokerName="bench" useJmx="false" persistent="true"
    schedulerSupport="false" dataDirectory=")"
                                          << folder << R"(/data">
    <persistenceAdapter><kahaDB directory=")"
                                          << folder << R"(/data/kahadb"/></persistenceAdapter>
    <transportConnectors><transportConnector name="stomp" uri="stomp+nio://127.0.0.1:)"
                                          << port_ << R"("/></transportConnectors>
  </broker>
</beans>
)";
    std::filesystem::create_directories(folder + "/data");
    std::string const home = "/usr/share/activemq";
    if (!std::filesystem::exists(home + "/bin/activemq.jar"))
      throw std::runtime_error("ActiveMQ is not installed: apt-get install --no-install-recommends activemq");
    child_ = std::make_unique<test::ChildProcess>(std::vector<std::string>{
        find_program("java", "default-jre-headless"), "-Xmx1g", "-Dactivemq.home=" + home, "-Dactivemq.base=" + folder,
        "-Dactivemq.conf=" + folder, "-Dactivemq.data=" + folder + "/data", "-jar", home + "/bin/activemq.jar", "start",
        "xbean:file:" + folder + "/broker.xml"});
    wait_until_listening(address(), *child_);
  }
  [[nodiscard]] std::string address() const override { return "127.0.0.1:" + std::to_string(port_); }

 private:
  test::TemporaryFolder folder_;
  int port_;
  std::unique_ptr<test::ChildProcess> child_;
};

}  // namespace

std::unique_ptr<Broker> start_fastjournal() { return std::make_unique<OwnBroker>(); }
std::unique_ptr<Broker> start_rabbitmq() { return std::make_unique<Rabbit>(); }
std::unique_ptr<Broker> start_activemq() { return std::make_unique<Active>(); }

}  // namespace fastjournal::bench
