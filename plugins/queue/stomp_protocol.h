// The protocol `stomp`: frames of one connection (stomp_frame.h) as commands of this type, and answers as frames.
// doc/stomp.md has the rules.
//
// A frame becomes no command (BEGIN of STOMP), one (SEND), or several, one after the other: a subscription of a topic
// declares, binds and listens. It is consumed with the last of them, and read again for each.
//
// A connection has one transaction at a time in fastjournal and several with names in STOMP, whose frames other frames
// may come between. So those of a transaction are kept here, as the commands that they become, and carried out by
// COMMIT as one TRANSACTION. Nothing is held before, and ABORT drops them.
//
// A refusal is an ERROR, and ends the connection, as STOMP has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/protocol.h"
#include "plugins/queue/stomp_frame.h"
#include "plugins/queue/stomp_message.h"

namespace fastjournal::queue::stomp {

// Of one connection.
inline constexpr std::size_t kSubscriptionsMax = 256;
inline constexpr std::size_t kTransactionsMax = 64;              // open ones
inline constexpr std::size_t kTransactionCommandsMax = 1000;     // of one; each message that an ACK is for is one
inline constexpr std::size_t kTransactionBytesMax = 16U << 20U;  // of all, beyond the size of a frame
inline constexpr std::size_t kNameBytesMax = 200;                // of what a client names
inline constexpr std::int64_t kCreditMax = 1024;
inline constexpr std::int64_t kCreditDefault = 100;

class StompProtocol final : public Protocol {
 public:
  explicit StompProtocol(std::size_t frame_bytes_max) : frame_bytes_max_(frame_bytes_max), reader_(frame_bytes_max) {}
  StompProtocol(StompProtocol const&) = delete;
  StompProtocol& operator=(StompProtocol const&) = delete;
  // The token does not stay behind in freed memory.
  ~StompProtocol() override;

  [[nodiscard]] Piece read(std::string_view unread, Message& message, std::string& out) override;
  [[nodiscard]] std::size_t whole_bytes(std::string_view) const override { return frame_bytes_max_; }
  [[nodiscard]] std::size_t kept_bytes() const override { return kept_bytes_ + transaction_bytes_; }
  void write(Outgoing const& message, std::string& out) override;
  void refuse(Status const& why, std::string& out) override;
  [[nodiscard]] bool is_answering() const override { return doing_ != Doing::nothing; }
  [[nodiscard]] bool ends() const override { return ends_; }

 private:
  enum class AckMode : std::uint8_t { automatic, client, individual };
  // The request of the next answer.
  enum class Doing : std::uint8_t {
    nothing,
    connect,
    prepare,      // a command of a frame that is not its last
    declare,      // the same, of the exchange of topics: once a connection
    last,         // the last command of a frame
    transaction,  // the same, of COMMIT
  };

  struct Delivery {
    std::uint64_t message{0};
    std::uint64_t epoch{0};
    std::uint32_t transaction{0};  // whose ACK or NACK it has; 0: none
  };
  // By its queue.
  struct Subscription {
    std::string id;
    std::uint32_t number{0};  // of this connection, from 1
    AckMode mode{AckMode::automatic};
    std::size_t credit{0};
    bool is_own{false};      // its queue is temporary, and ends with it
    bool is_durable{false};  // its queue is removed by an UNSUBSCRIBE that says so
    // Of mode client: what an ACK may be for, the oldest first; `credit` of them at most.
    std::deque<Delivery> delivered;
  };
  using Subscriptions = std::map<std::string, Subscription, std::less<>>;
  struct Transaction {
    std::uint32_t number{0};  // of this connection, from 1
    std::size_t commands{0};
    std::string frames;  // commands of TRANSACTION, as wire/commands.h has them
  };
  using Transactions = std::map<std::string, Transaction, std::less<>>;
  // The parts of an `ack` header.
  struct AckId {
    std::uint64_t message{0};
    std::uint64_t epoch{0};
    std::uint32_t subscription{0};  // of mode client; 0: of another one
  };

  [[nodiscard]] Piece carry_out(Message& message, std::string& out);
  [[nodiscard]] Piece connect(Message& message);
  [[nodiscard]] Piece send(Message& message, std::string& out);
  [[nodiscard]] Piece subscribe(Message& message);
  [[nodiscard]] Status read_subscription(Destination const& to, std::string const& queue, Subscription& into) const;
  [[nodiscard]] Piece declare_topic(Message& message);
  [[nodiscard]] Piece listen(std::string const& queue, Subscription wanted, Message& message);
  [[nodiscard]] Piece unsubscribe(Message& message);
  [[nodiscard]] Piece acknowledge(Message& message, std::string& out);
  [[nodiscard]] Piece acknowledge_all(Subscription& of, AckId const& id, Message& message);
  [[nodiscard]] Piece acknowledge_in(Transaction& in, AckId const& id, Message& message, std::string& out);
  [[nodiscard]] Piece begin(std::string& out);
  [[nodiscard]] Piece commit(Message& message, std::string& out);
  [[nodiscard]] Piece abort(std::string& out);
  [[nodiscard]] Piece disconnect(std::string& out);

  // The command in the message is the next one of the frame.
  [[nodiscard]] Piece command(Doing as);
  // The frame is dealt with.
  [[nodiscard]] Piece done(std::string& out);
  [[nodiscard]] Piece refused(Status why);
  [[nodiscard]] Piece refused(Code code, std::string why) { return refused(Status{code, std::move(why)}); }
  [[nodiscard]] Status add_to(Transaction& transaction, Message const& message);
  // That of the frame's header; null: it has none, or `why` says that it is not open.
  [[nodiscard]] Transaction* transaction_of_frame(Status& why);
  void end_transaction(Transactions::iterator transaction, bool is_done);
  void set_acknowledgement(std::uint64_t number, std::uint64_t epoch, Message& message) const;
  [[nodiscard]] static std::optional<AckId> read_ack_id(std::string_view text);
  [[nodiscard]] std::string own_queue(std::string_view name) const;
  [[nodiscard]] std::string durable_queue(std::string_view name) const;
  [[nodiscard]] std::string queue_of(Destination const& to) const;
  [[nodiscard]] static std::size_t cost_of(std::string const& queue, Subscription const& of);
  [[nodiscard]] Subscriptions::iterator find_subscription(std::string_view id);
  [[nodiscard]] std::string id_of_subscription() const;

  void write_push(Outgoing const& message, std::string& out);
  void write_message(Outgoing const& message, std::string& out);
  void write_connected(Outgoing const& message, std::string& out);
  void write_receipt(std::string& out);
  void write_error(std::string_view code, std::string const& text, std::string& out);

  std::size_t frame_bytes_max_;
  FrameReader reader_;
  Frame frame_{};  // that is carried out
  std::size_t frame_bytes_{0};
  bool is_prepared_{false};  // what comes before its last command was done
  Doing doing_{Doing::nothing};
  std::string_view doing_name_{};       // the frame's command; a literal
  std::optional<std::string> receipt_;  // that it wants
  bool names_versions_{false};          // in the ERROR that comes: no version is known to both

  bool is_connected_{false};
  Version version_{Version::v1_0};
  std::string token_;
  std::string login_;
  std::string client_;
  std::string session_;             // the connection's number
  bool has_topic_exchange_{false};  // nothing is to be declared
  bool ends_{false};

  Subscriptions subscriptions_;
  std::uint32_t last_subscription_{0};
  Transactions transactions_;
  std::uint32_t last_transaction_{0};
  std::string committed_;  // the name of the one that is carried out
  std::size_t kept_bytes_{0};
  std::size_t transaction_bytes_{0};

  Arena texts_;  // memory that is reused
  std::vector<Header> headers_;
};

// For PluginProtocol::make.
[[nodiscard]] std::unique_ptr<Protocol> make_stomp_protocol(ProtocolPlace place, std::shared_ptr<void> const& shared);

}  // namespace fastjournal::queue::stomp
