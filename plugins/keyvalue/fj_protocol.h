// The FJ protocol: frames of one connection as commands of this type, and answers as frames. doc/fj-protocol.md has the
// rules; the bytes are in wire/fj/frame.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "fastjournal/protocol.h"
#include "plugins/keyvalue/facts.h"
#include "wire/fj/frame.h"

namespace fastjournal::keyvalue {

class FjProtocol final : public Protocol {
 public:
  explicit FjProtocol(std::size_t frame_bytes_max) : frame_bytes_max_(frame_bytes_max) {}

  [[nodiscard]] Piece read(std::string_view unread, Message& message, std::string& out) override;
  [[nodiscard]] std::size_t whole_bytes(std::string_view unread) const override;
  [[nodiscard]] std::size_t kept_bytes() const override { return pairs_.capacity(); }
  [[nodiscard]] bool is_answering() const override { return is_asked_; }
  void write(Outgoing const& message, std::string& out) override;
  void refuse(Status const& why, std::string& out) override;

 private:
  // The state of a cursor: a copy of the GET that began it.
  struct Scan {
    fj::Query query{fj::Query::key};
    std::uint16_t count{0};
    std::string key{};    // lower end, or the expression
    std::string upper{};  // a range's end, if it has one
  };

  // An outgoing message, to be looked at.
  struct Found;
  struct Shown;

  [[nodiscard]] Piece command(fj::Request const& request, std::size_t bytes, Message& message, std::string& out);
  [[nodiscard]] Piece bad(std::uint16_t identifier, std::size_t consumed, bool ends, Code code, std::string why);
  [[nodiscard]] std::string translate(fj::Request const& request, Message& message);
  [[nodiscard]] std::string translate_get(fj::Request const& request, Message& message);
  void set_range(Message& message, std::string_view after);
  [[nodiscard]] std::size_t pairs_left() const;
  void end_scan();
  static void write_pair(Found const& from, std::string& out);
  static bool write_stored(Found const& from, std::string& out);
  void add_to_scan(Found const& from, bool is_last, std::string& out);
  [[nodiscard]] static std::string write_cursor(Scan const& scan, std::string_view after);
  [[nodiscard]] static bool read_cursor(std::string_view bytes, Scan& scan, std::string_view& after);

  std::size_t frame_bytes_max_;
  bool is_known_{false};   // a whole frame has come
  std::uint64_t skip_{0};  // of a frame that is too large, and was refused
  std::uint16_t refused_{0};
  // Of the command that is answered now.
  Scan scan_{};
  bool is_scan_{false};
  // A GET of a page becomes several of the table, each of what fits into a turn: the frame is read again for each, and is
  // taken when its reply is whole.
  bool is_asked_{false};       // one of these is not answered so far
  std::size_t scan_bytes_{0};  // of the frame; 0: there is none
  std::size_t scan_steps_{0};
  std::string scan_after_{};  // the key behind which the next one begins
  std::string dates_{};       // texts of parameters
  std::string pairs_{};       // of its answer so far
  std::uint16_t pairs_count_{0};
};

[[nodiscard]] std::unique_ptr<Protocol> make_fj_protocol(ProtocolPlace place, std::shared_ptr<void> const& shared);

}  // namespace fastjournal::keyvalue
