#include "clients/programs/fastjournal/record_reader.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <utility>

#include <fmt/format.h>

namespace fastjournal::cli {
namespace {

constexpr std::size_t kReadBytes = std::size_t{256} << 10U;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

RowFormat format_of(std::string_view line) {
  if (line[line.find_first_not_of(" \t")] == '{') return RowFormat::json;
  std::size_t const mark = line.find_first_of("=,");
  return mark != std::string_view::npos && line[mark] == '=' ? RowFormat::lines : RowFormat::csv;
}

}  // namespace

InputBytes::InputBytes(std::istream& stream) {
  if (&stream == &std::cin)
    fd_ = STDIN_FILENO;
  else
    stream_ = &stream;
}

InputBytes::InputBytes(InputBytes&& other) noexcept
    : stream_(other.stream_), fd_(std::exchange(other.fd_, -1)), is_owned_(std::exchange(other.is_owned_, false)) {}

InputBytes::~InputBytes() {
  if (is_owned_) ::close(fd_);
}

Result<InputBytes> InputBytes::open(std::string const& path) {
  int const fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd >= 0) return InputBytes{fd};
  return Status{errno == ENOENT ? Code::not_found : Code::io_error,
                "cannot read the file " + path + ": " + std::strerror(errno)};
}

Result<std::size_t> InputBytes::read(std::span<char> into) {
  if (stream_ != nullptr) {
    std::streambuf& from = *stream_->rdbuf();
    if (from.in_avail() <= 0 && from.sgetc() == std::streambuf::traits_type::eof()) return std::size_t{0};
    auto const there = std::max<std::streamsize>(from.in_avail(), 1);
    return static_cast<std::size_t>(
        from.sgetn(into.data(), std::min(there, static_cast<std::streamsize>(into.size()))));
  }
  while (true) {
    ssize_t const got = ::read(fd_, into.data(), into.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EAGAIN) {
      pollfd polled{fd_, POLLIN, 0};
      ::poll(&polled, 1, -1);
    } else if (errno != EINTR) {
      return Status{Code::io_error, std::string{"cannot read the rows: "} + std::strerror(errno)};
    }
  }
}

bool InputBytes::is_ready() {
  if (stream_ != nullptr) return stream_->rdbuf()->in_avail() > 0;
  pollfd polled{fd_, POLLIN, 0};
  return ::poll(&polled, 1, 0) > 0;
}

Status RecordReader::begin() {
  while (!first_line() && failure_.ok() && !has_ended_) fill();
  if (!failure_.ok()) return failure_;
  if (unread().starts_with(kByteOrderMark)) at_ = scanned_ = at_ + kByteOrderMark.size();
  if (std::optional<std::string_view> const line = first_line(); !format_ && line) format_ = format_of(*line);
  if (format_ != RowFormat::csv) return {};
  while (true) {
    Result<std::optional<Record>> const record = next();
    if (!record.ok()) return record.status();
    if (!record.value()) return {};
    if (is_blank(record.value()->text)) continue;
    header_ = std::string{record.value()->text} + '\n';
    return {};
  }
}

// The first one that is not blank, if all of it is there.
std::optional<std::string_view> RecordReader::first_line() {
  std::string_view rest = unread();
  while (!rest.empty()) {
    std::size_t const end = rest.find('\n');
    if (end == std::string_view::npos && !has_ended_) return std::nullopt;
    std::string_view const line = rest.substr(0, end);
    if (!is_blank(line)) return line;
    rest.remove_prefix(std::min(end, rest.size() - 1) + 1);
  }
  return std::nullopt;
}

bool RecordReader::is_ready() {
  while (!find_end() && failure_.ok() && !has_ended_) {
    if (!bytes_.is_ready()) return false;
    fill();
  }
  return true;
}

Result<std::optional<Record>> RecordReader::next() {
  while (!find_end()) {
    if (!failure_.ok()) return failure_;
    if (has_ended_) return std::optional<Record>{};
    fill();
  }
  Record const out{{buffer_.data() + at_, *end_ - at_}, lines_ + 1};
  ++lines_;
  if (format_ == RowFormat::csv)
    lines_ += static_cast<std::uint64_t>(std::count(out.text.begin(), out.text.end(), '\n'));
  at_ = scanned_ = std::min(*end_ + 1, filled_);
  end_.reset();
  quote_end_ = SIZE_MAX;
  is_quoted_ = false;
  return std::optional<Record>{out};
}

// Only at the beginning of a value: elsewhere a quote is a mistake, which must not swallow the lines that follow.
bool RecordReader::opens_quote(std::size_t quote) const {
  return quote == at_ || buffer_[quote - 1] == ',' || quote == quote_end_ + 1;
}

bool RecordReader::find_end() {
  if (end_) return true;
  auto const find = [this](char c, std::size_t from) {
    void const* const found = from < filled_ ? std::memchr(buffer_.data() + from, c, filled_ - from) : nullptr;
    return found == nullptr ? filled_ : static_cast<std::size_t>(static_cast<char const*>(found) - buffer_.data());
  };
  while (scanned_ < filled_) {
    if (is_quoted_) {
      std::size_t const quote = find('"', scanned_);
      is_quoted_ = quote == filled_;
      if (!is_quoted_) quote_end_ = quote;
      scanned_ = std::min(quote + 1, filled_);
      continue;
    }
    std::size_t const newline = find('\n', scanned_);
    if (format_ == RowFormat::csv) {
      void const* const found = std::memchr(buffer_.data() + scanned_, '"', newline - scanned_);
      if (found != nullptr) {
        auto const quote = static_cast<std::size_t>(static_cast<char const*>(found) - buffer_.data());
        is_quoted_ = opens_quote(quote);
        scanned_ = quote + 1;
        continue;
      }
    }
    scanned_ = newline;
    if (newline == filled_) break;
    end_ = newline;
    return true;
  }
  if (!has_ended_ || at_ == filled_) return false;
  end_ = filled_;
  return true;
}

void RecordReader::fill() {
  if (filled_ - at_ > kRecordBytesMax) {
    failure_ = {Code::too_large, fmt::format("line {}: a row of more than {} MiB{}", lines_ + 1, kRecordBytesMax >> 20U,
                                             is_quoted_ ? ": a quote is not closed" : "")};
    return;
  }
  if (at_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + at_, filled_ - at_);
    scanned_ -= at_;
    filled_ -= at_;
    if (quote_end_ != SIZE_MAX) quote_end_ -= at_;
    at_ = 0;
  }
  if (buffer_.size() - filled_ < kReadBytes) buffer_.resize(std::max(filled_ + kReadBytes, buffer_.size() * 2));
  Result<std::size_t> const got = bytes_.read({buffer_.data() + filled_, buffer_.size() - filled_});
  if (!got.ok()) {
    failure_ = got.status();
    return;
  }
  filled_ += got.value();
  has_ended_ = got.value() == 0;
}

}  // namespace fastjournal::cli
