#include "wire/framer.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace fastjournal::protocol {

namespace {

constexpr std::size_t kNotFound = std::string_view::npos;

// The position of the first LF at or after `from`.
std::size_t find_line_end(std::string_view bytes, std::size_t from) {
  if (from >= bytes.size()) return kNotFound;
  void const* found = std::memchr(bytes.data() + from, '\n', bytes.size() - from);
  return found == nullptr ? kNotFound : static_cast<std::size_t>(static_cast<char const*>(found) - bytes.data());
}

std::size_t length_at(char const* bytes) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < 4; ++i) length = length << 8U | static_cast<unsigned char>(bytes[i]);
  return length;
}

Status too_large(std::string_view what, std::size_t limit) {
  return {Code::too_large,
          std::string{what} + std::to_string(limit) + " bytes; it was skipped, the connection goes on"};
}

}  // namespace

Framer::Piece Framer::next(std::string_view unread) {
  if (skipping_line_ || skip_bytes_ > 0) return skip(unread);
  std::size_t const known = std::min(unread.size(), kFrameMagic.size());
  if (!unread.starts_with(kFrameMagic.substr(0, known))) return next_line(unread);
  return next_frame(unread);  // or the beginning of a frame: too few bytes to tell
}

std::size_t Framer::whole_bytes(std::string_view unread) const {
  if (unread.size() < kFrameHeaderBytes || !unread.starts_with(kFrameMagic)) return limits_.line_bytes_max + 1;
  return kFrameHeaderBytes + std::min(length_at(unread.data() + kFrameMagic.size()), limits_.frame_bytes_max);
}

Framer::Piece Framer::next_line(std::string_view unread) {
  std::size_t const end = find_line_end(unread, scanned_);
  std::size_t const length = std::min(end, unread.size());
  if (length > limits_.line_bytes_max) {
    skipping_line_ = end == kNotFound;
    scanned_ = 0;
    return {.kind = Kind::bad,
            .consumed = skipping_line_ ? unread.size() : end + 1,
            .status = too_large("the line is longer than ", limits_.line_bytes_max)};
  }
  if (end == kNotFound) {
    scanned_ = unread.size();
    return {};
  }
  scanned_ = 0;
  return {.kind = Kind::line, .bytes = unread.substr(0, end), .consumed = end + 1};
}

Framer::Piece Framer::next_frame(std::string_view unread) {
  if (unread.size() < kFrameHeaderBytes) return {};
  std::size_t const length = length_at(unread.data() + kFrameMagic.size());
  std::size_t const present = std::min(length, unread.size() - kFrameHeaderBytes);
  if (length > limits_.frame_bytes_max) {
    skip_bytes_ = length - present;
    return {.kind = Kind::bad,
            .consumed = kFrameHeaderBytes + present,
            .status = too_large("the frame's length of " + std::to_string(length) + " is above the limit of ",
                                limits_.frame_bytes_max),
            .is_frame = true};
  }
  if (present < length) return {};
  return {
      .kind = Kind::frame, .bytes = unread.substr(kFrameHeaderBytes, length), .consumed = kFrameHeaderBytes + length};
}

// Drops the rest of a refused piece; the next call returns the piece after it.
Framer::Piece Framer::skip(std::string_view unread) {
  Piece piece;
  if (skip_bytes_ > 0) {
    piece.consumed = std::min(skip_bytes_, unread.size());
    skip_bytes_ -= piece.consumed;
  } else {
    std::size_t const end = find_line_end(unread, 0);
    skipping_line_ = end == kNotFound;
    piece.consumed = skipping_line_ ? unread.size() : end + 1;
  }
  if (piece.consumed == unread.size()) return piece;
  std::size_t const skipped = piece.consumed;
  piece = next(unread.substr(skipped));
  piece.consumed += skipped;
  return piece;
}

}  // namespace fastjournal::protocol
