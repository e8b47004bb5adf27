// parse_line and parse_line_parameters: accept exactly the input of the eventdispatcher library.
#include <cstring>

#include "wire/json.h"
#include "wire/parts.h"
#include "wire/text.h"

namespace fastjournal::protocol {

namespace {

char const* find(char const* from, char const* end, char c) {
  void const* found = from == end ? nullptr : std::memchr(from, c, static_cast<std::size_t>(end - from));
  return found == nullptr ? end : static_cast<char const*>(found);
}

std::string_view between(char const* from, char const* to) { return {from, static_cast<std::size_t>(to - from)}; }

// One parse of one line. `at_` moves from the line's first non-blank byte to `end_`; each step leaves it behind the
// part that it parsed.
class Reader {
 public:
  Reader(std::string_view line, Message& into)
      : line_(line.data()), at_(line.data()), end_(line.data() + line.size()), into_(into) {}

  Status read() {
    static_cast<void>(read_all());  // an error is in status_
    return std::move(status_);
  }

  Status read_parameters_alone() {
    trim();
    static_cast<void>(read_parameters());
    return std::move(status_);
  }

 private:
  void trim() {
    end_ = find(at_, end_, '\0');
    while (at_ < end_ && is(*at_, kBlank)) ++at_;
    while (at_ < end_ && is(end_[-1], kBlank)) --end_;
  }

  bool read_all() {
    trim();
    if (at_ == end_) return true;
    if (*at_ == '{') {
      status_ = parse_json(between(at_, end_), into_);
      return status_.ok();
    }
    return (*at_ != '<' || read_sender()) && read_head() && read_parameters();
  }

  // The steps return whether to go on: a Status from each would cost as much as the work.
  bool fail(char const* where, std::string_view sentence, Code code = Code::invalid) {
    status_ = {code, "column " + std::to_string(where - line_ + 1) + ": " + std::string{sentence}};
    return false;
  }

  // "<server:service "
  bool read_sender() {
    char const* const begin = at_ + 1;
    char const* const end = find(begin, end_, ' ');
    if (end == end_) return fail(at_, "after the sender (\"<server:service\") a space and a command must follow");
    char const* const colon = find(begin, end, ':');
    if (colon == end) return fail(begin, "the sender has no ':' between server and service");
    if (char const* second = find(colon + 1, end, ':'); second != end)
      return fail(second, "a second ':' in the sender");
    into_.from_server = between(begin, colon);
    into_.from_service = between(colon + 1, end);
    at_ = end + 1;
    return true;
  }

  // "server:service/command" with the space after it; server and service are optional.
  bool read_head() {
    char const* const begin = at_;
    char const* colon = nullptr;
    char const* slash = nullptr;
    for (; at_ < end_ && *at_ != ' '; ++at_) {
      if (*at_ == ':') {
        if (colon != nullptr || slash != nullptr)
          return fail(at_, "this ':' can stand for nothing: it is \"server:service/COMMAND\"");
        if (at_ == begin) return fail(at_, "the server before ':' is empty");
        colon = at_;
      } else if (*at_ == '/') {
        if (slash != nullptr) return fail(at_, "a second '/' before the command");
        if (at_ == (colon == nullptr ? begin : colon + 1)) return fail(at_, "the service before '/' is empty");
        slash = at_;
      }
    }
    if (colon != nullptr) into_.server = between(begin, colon);
    char const* const service = colon == nullptr ? begin : colon + 1;
    if (slash != nullptr) into_.service = between(service, slash);
    into_.command = between(slash == nullptr ? service : slash + 1, at_);
    if (into_.command.empty()) return fail(at_, "there is no command");
    if (at_ < end_) ++at_;
    return true;
  }

  // name=value;name="value";... up to the end; the last ";" is optional.
  bool read_parameters() {
    backslash_ = find(at_, end_, '\\');
    while (at_ < end_) {
      char const* const name = at_;
      while (at_ < end_ && is(*at_, kNameRest)) ++at_;
      if (at_ == end_) return fail(name, "the parameter " + excerpt(between(name, end_)) + " has no '='");
      if (*at_ != '=' || name == at_ || !is(*name, kNameFirst)) return fail_name(name);
      std::string_view const name_view = between(name, at_);
      ++at_;
      Value value;
      if (!(at_ < end_ && *at_ == '"' ? read_quoted(value) : read_unquoted(value))) return false;
      if (!has_room_for(into_, name_view)) return fail(name, too_many_parameters().message(), Code::too_large);
      into_.set(name_view, value);
    }
    return true;
  }

  bool fail_name(char const* name) {
    return fail(
        is(*name, kNameFirst) ? at_ : name,
        "a parameter's name is letters, digits and '_', begins with no digit and ends in '='; this begins with " +
            excerpt(between(name, end_)));
  }

  bool read_unquoted(Value& value) {
    char const* const begin = at_;
    char const* const end = find(begin, end_, ';');
    value = Value::of_text(take(begin, end, false));
    at_ = end == end_ ? end_ : end + 1;
    return true;
  }

  bool read_quoted(Value& value) {
    char const* const begin = at_ + 1;
    char const* end = find(begin, end_, '"');
    // A quote after a backslash is not the end, even if that backslash is escaped: the eventdispatcher library looks at
    // that one byte only.
    while (end != end_ && end[-1] == '\\') end = find(end + 1, end_, '"');
    if (end == end_) return fail(at_, "this quote is not closed");
    value = Value::of_text(take(begin, end, true));
    at_ = end + 1;
    if (at_ == end_) return true;
    if (*at_ != ';') return fail(at_, "after a closing quote there must be ';' or the end of the line");
    ++at_;
    return true;
  }

  // The value from `begin` to `end`. `backslash_` stays at the first backslash not yet passed, so that a line without
  // any is searched only once.
  std::string_view take(char const* begin, char const* end, bool quoted) {
    std::string_view const raw = between(begin, end);
    if (backslash_ >= end) return raw;
    backslash_ = find(end, end_, '\\');
    return unescape(raw, quoted, into_.arena());
  }

  char const* line_;
  char const* at_;
  char const* end_;
  char const* backslash_{nullptr};
  Message& into_;
  Status status_;
};

}  // namespace

Status parse_line(std::string_view line, Message& into) {
  into.clear();
  return Reader{line, into}.read();
}

Status parse_line_parameters(std::string_view text, Message& into) {
  into.clear();
  return Reader{text, into}.read_parameters_alone();
}

}  // namespace fastjournal::protocol
