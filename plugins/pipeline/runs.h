// Documents go to workers: found by a source, or handed out where they are missing; workers say that they are about to
// send, that they live, or that they give back what they have. And KICK, by which an operator takes it from them.
#pragma once

#include <cstdint>

#include "fastjournal/table.h"
#include "plugins/pipeline/requests.h"
#include "plugins/pipeline/table_state.h"

namespace fastjournal::pipeline {

class Runs {
 public:
  explicit Runs(TableState const& shared) : shared_(shared) {}

  Verdict found(Command const& command, Decision& decision) const;
  Verdict next(Command const& command, Decision& decision) const;
  Verdict sending(Command const& command, Decision& decision) const;
  Verdict heartbeat(Command const& command, Decision& decision) const;
  Verdict release(Command const& command, Decision& decision) const;
  Verdict kick(Command const& command, Decision& decision) const;

  // Adds what a worker must know of a document to the current message.
  void describe(std::uint32_t document, Answer& answer) const;
  // Without its number and its source.
  void describe_content(std::uint32_t document, Answer& answer) const;
  // The same of one in the archive.
  void describe(ObjectId document, DocumentBody const& body, Answer& answer) const;
  // The cells of a document that may be handed out: of one destination, or of all.
  [[nodiscard]] Ordinals missing(std::uint32_t document, std::optional<std::uint16_t> destination) const;

 private:
  struct Found : made::Found {
    std::uint16_t from{0};  // its source
  };
  struct Request : made::Next {
    std::optional<std::uint16_t> from{};
    std::optional<std::uint16_t> to{};
  };

  [[nodiscard]] bool read(Command const& command, Decision& decision, Found& found) const;
  void describe_found(Found const& found, std::uint32_t known, bool is_same, Answer& answer) const;
  // None: it is another one that is in the archive.
  [[nodiscard]] std::optional<Verdict> found_archived(Found const& found, Archive::Number number,
                                                      Decision& decision) const;
  [[nodiscard]] bool read(Command const& command, Decision& decision, Request& request) const;
  // The cell is unleased, with what is known of its last failure.
  void append_given_back(std::uint32_t cell, State to, Decision& decision) const;
  // paused: the table drains.
  [[nodiscard]] Status check_open() const;
  [[nodiscard]] Status check_room(Command const& command, Decision const& decision) const;
  // The second step of FOUND: the document is there.
  Verdict hand_found(Found const& found, std::uint32_t document, Command const& command, Decision& decision) const;

  TableState const& shared_;
};

}  // namespace fastjournal::pipeline
