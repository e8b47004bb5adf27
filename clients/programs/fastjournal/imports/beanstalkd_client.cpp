#include "clients/programs/fastjournal/imports/beanstalkd_client.h"

#include <array>
#include <charconv>

#include "base/terminal_text.h"

namespace fastjournal::imports {
namespace {

constexpr std::size_t kLineBytesMax = 1024;
// More than beanstalkd takes for a job (-z): what says so is none.
constexpr std::uint64_t kJobBytesMax = std::uint64_t{1} << 30U;

// Takes the word before the next blank.
std::string_view take_word(std::string_view& rest) {
  std::size_t const end = std::min(rest.find(' '), rest.size());
  std::string_view const word = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return word;
}

}  // namespace

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t out = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return out;
}

BeanstalkdClient::Figures figures_in(std::string_view data) {
  BeanstalkdClient::Figures out;
  while (!data.empty()) {
    std::string_view const line = data.substr(0, data.find('\n'));
    data.remove_prefix(std::min(line.size() + 1, data.size()));
    std::size_t const colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    std::string_view value = line.substr(colon + 2);
    if (value.size() > 1 && value.starts_with('"') && value.ends_with('"')) value = value.substr(1, value.size() - 2);
    out.emplace(line.substr(0, colon), value);
  }
  return out;
}

std::uint64_t figure_of(BeanstalkdClient::Figures const& all, std::string_view name) {
  auto const at = all.find(name);
  return at == all.end() ? 0 : whole_number(at->second).value_or(0);
}

Result<Said> BeanstalkdClient::answer(std::size_t kept) {
  Result<std::string> const line = peer_.line(kLineBytesMax);
  if (!line.ok()) return line.status();
  auto const unreadable = [&] {
    return peer_.failed(Code::invalid, "answers '" + printable(line.value().substr(0, 100)) + "': it is no beanstalkd");
  };
  std::string_view rest{line.value()};
  Said out;
  out.word = take_word(rest);
  bool const has_id = out.word == "RESERVED" || out.word == "FOUND" || out.word == "INSERTED";
  if (has_id) {
    auto const id = whole_number(take_word(rest));
    if (!id) return unreadable();
    out.id = *id;
  }
  if (out.word != "RESERVED" && out.word != "FOUND" && out.word != "OK") {
    // What is not of beanstalkd has no word in capitals.
    bool const is_word =
        !out.word.empty() && out.word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == std::string::npos;
    return is_word ? Result<Said>{std::move(out)} : unreadable();
  }
  auto const bytes = whole_number(rest);
  if (!bytes) return unreadable();
  if (*bytes > kJobBytesMax)
    return peer_.failed(Code::invalid, "announces a job of more than 1 GiB: it is no beanstalkd");
  out.bytes = *bytes;
  out.is_dropped = *bytes > kept;
  Result<std::string> data = peer_.bytes(*bytes, !out.is_dropped);
  if (!data.ok()) return data.status();
  out.data = std::move(data).value();
  return out;
}

Result<Said> BeanstalkdClient::ask(std::string_view line, std::size_t kept) {
  put(line);
  if (Status status = flush(); !status.ok()) return status;
  return answer(kept);
}

Result<Said> BeanstalkdClient::expect(std::string_view line, std::string_view word) {
  Result<Said> said = ask(line);
  if (!said.ok() || said->word == word) return said;
  return peer_.failed(said->word == "NOT_FOUND" ? Code::not_found : Code::invalid,
                      "answers " + said->word + " to '" + std::string{line.substr(0, line.find('\r'))} + "'");
}

Result<BeanstalkdClient::Figures> BeanstalkdClient::figures(std::string_view line) {
  Result<Said> const said = expect(line, "OK");
  if (!said.ok()) return said.status();
  if (said->is_dropped) return peer_.failed(Code::invalid, "sends more figures than there can be");
  return figures_in(said->data);
}

Result<std::vector<std::string>> BeanstalkdClient::tubes() {
  Result<Said> const said = expect("list-tubes", "OK");
  if (!said.ok()) return said.status();
  if (said->is_dropped)
    return peer_.failed(Code::invalid, "has more than 16 MiB of names of tubes: name some by --tube");
  std::vector<std::string> out;
  std::string_view rest{said->data};
  while (!rest.empty()) {
    std::string_view const line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.starts_with("- ")) out.emplace_back(line.substr(2));
  }
  return out;
}

}  // namespace fastjournal::imports
