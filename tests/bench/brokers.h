// Our daemon with a queue table, RabbitMQ and ActiveMQ: started on loopback with fresh data on the same disk, and ended by
// their ids.
#pragma once

#include <memory>
#include <string>

namespace fastjournal::bench {

class Broker {
 public:
  virtual ~Broker() = default;
  // Of its listener, in the form of LineClient.
  [[nodiscard]] virtual std::string address() const = 0;
};

// The table is `post`, with the queue `bench`.
[[nodiscard]] std::unique_ptr<Broker> start_fastjournal();
// AMQP 0-9-1. Throws std::runtime_error with the name of the package if the program is not installed.
[[nodiscard]] std::unique_ptr<Broker> start_rabbitmq();
// STOMP; KahaDB with its journal synced (as it does by default).
[[nodiscard]] std::unique_ptr<Broker> start_activemq();

}  // namespace fastjournal::bench
