// Distributed transactions (doc/transactions.md): what a transaction manager sends, and what an administrator decides for
// it.
#include <array>
#include <optional>
#include <string>

#include "server/admin/commands.h"

namespace fastjournal::admin {
namespace {

using engine::Branches;

constexpr std::size_t kShownMax = 1000;
constexpr std::size_t kShown = 100;

class Xa : public Command {
 public:
  explicit Xa(engine::Engine& engine) : engine_(engine) {}

 protected:
  [[nodiscard]] Branches& branches() { return engine_.branches(); }
  [[nodiscard]] static Branches::Caller caller_of(Request const& request) {
    return {.connection = request.caller.connection,
            .origin = request.caller.origin,
            .is_operator = request.caller.permit.has(Right::admin),
            .command = &request.message};
  }
  [[nodiscard]] static std::string_view xid_of(Request const& request) { return request.message.text("xid"); }
  // By its place in `words`; the first one if it is absent. None: refused.
  template <std::size_t N>
  [[nodiscard]] static std::optional<std::size_t> word(Request& request, std::string_view name,
                                                       std::array<std::string_view, N> const& words) {
    if (!request.message.has(name)) return 0;
    std::string expected;
    for (std::size_t i = 0; i < N; ++i) {
      if (request.message.text(name) == words[i]) return i;
      expected.append(i == 0 ? "" : i + 1 == N ? " or " : ", ").append(words[i]);
    }
    request.status = bad_parameter(name, std::string{name} + " is " + expected);
    return std::nullopt;
  }
  // 0 or 1, 0 if it is absent. None: refused.
  [[nodiscard]] static std::optional<bool> flag(Request& request, std::string_view name) {
    Value const* const given = request.message.find(name);
    std::optional<std::int64_t> const number = given == nullptr ? 0 : given->as_integer();
    if (number && (*number == 0 || *number == 1)) return *number == 1;
    request.status = bad_parameter(name, std::string{name} + " is 0 or 1");
    return std::nullopt;
  }
  // Of an end. "There is no such branch" tells of an end as well, which may not be durable yet.
  static void rest_on(Branches::Resting const& rests, Request& request) {
    request.is_later = rests.is_later;
    if (rests.log != nullptr)
      request.basis.log = rests.log->log;
    else
      request.basis.all = true;
  }

  engine::Engine& engine_;
};

class XaStart final : public Xa {
 public:
  using Xa::Xa;
  void run(Request& request) override {
    if (request.caller.stands_alone) {
      request.status = {Code::not_supported, "a request stands alone here: work on a branch needs a connection"};
      return;
    }
    constexpr std::array<std::string_view, 3> kWords{"new", "join", "resume"};
    std::optional<std::size_t> const how = word(request, "how", kWords);
    if (!how) return;
    DurationMs timeout = branches().timeout_of(request.caller.connection);
    if (request.message.has("timeout")) {
      std::optional<DurationMs> const given = read_timeout(request, engine_.transactions(), "XA_PREPARE");
      if (!given) return;
      timeout = *given;
    }
    request.status =
        branches().start(caller_of(request), xid_of(request), static_cast<Branches::Start>(*how), timeout, request.now);
    if (!request.status.ok()) return;
    request.answer.message("STARTED").add("xid", xid_of(request));
    if (*how == 0) request.answer.add("timeout", timeout.value);
  }
};

// The time of the branches that this connection begins: told, or set.
class XaTimeout final : public Xa {
 public:
  using Xa::Xa;
  void run(Request& request) override {
    if (request.caller.stands_alone) {
      request.status = {Code::not_supported, "a request stands alone here: give XA_START a timeout"};
      return;
    }
    Value const* const given = request.message.find("timeout");
    if (given != nullptr && given->as_integer() == 0) {
      branches().set_timeout(request.caller.connection, std::nullopt);
    } else if (given != nullptr) {
      std::optional<DurationMs> const timeout = read_timeout(request, engine_.transactions(), "XA_PREPARE");
      if (!timeout) return;
      branches().set_timeout(request.caller.connection, timeout);
    }
    request.answer.message("XA_TIMEOUT")
        .add("timeout", branches().timeout_of(request.caller.connection).value)
        .add("most", engine_.transactions().limit().value);
  }
};

class XaEnd final : public Xa {
 public:
  using Xa::Xa;
  void run(Request& request) override {
    constexpr std::array<std::string_view, 3> kWords{"success", "suspend", "fail"};
    std::optional<std::size_t> const how = word(request, "how", kWords);
    if (!how) return;
    request.status = branches().end(caller_of(request), xid_of(request), static_cast<Branches::End>(*how), request.now);
    if (request.status.ok()) request.answer.message("ENDED").add("xid", xid_of(request));
  }
};

template <auto End>
class XaEnds final : public Xa {
 public:
  using Xa::Xa;
  void run(Request& request) override {
    Branches::Resting rests;
    request.status = (branches().*End)(caller_of(request), xid_of(request), request.now, request.answer, rests);
    rest_on(rests, request);
  }
};
using XaPrepare = XaEnds<&Branches::prepare>;
using XaRollback = XaEnds<&Branches::roll_back>;
using XaForget = XaEnds<&Branches::forget>;

class XaCommit final : public Xa {
 public:
  using Xa::Xa;
  void run(Request& request) override {
    std::optional<bool> const one_phase = flag(request, "one_phase");
    if (!one_phase) return;
    Branches::Resting rests;
    request.status =
        branches().commit(caller_of(request), xid_of(request), *one_phase, request.now, request.answer, rests);
    rest_on(rests, request);
  }
};

class XaRecover final : public Xa {
 public:
  using Xa::Xa;
  void run(Request& request) override {
    std::int64_t const count = whole_number(request.message, "count", kShown, 0);
    if (count < 1 || count > static_cast<std::int64_t>(kShownMax)) {
      request.status = bad_parameter(
          "count", "count, the branches of a page, is a whole number from 1 to " + std::to_string(kShownMax));
      return;
    }
    std::optional<bool> const all = flag(request, "all");
    if (!all) return;
    request.basis.all = true;
    branches().recover(caller_of(request), *all, request.message.text("after"), static_cast<std::size_t>(count),
                       request.now, request.answer);
  }
};

class XaDecide final : public Xa {
 public:
  using Xa::Xa;
  void run(Request& request) override {
    constexpr std::array<std::string_view, 2> kWords{"commit", "rollback"};
    if (!request.message.has("outcome")) {
      request.status =
          Status{Code::missing_parameter, "XA_DECIDE needs the parameter outcome: commit or rollback"}.with("parameter",
                                                                                                            "outcome");
      return;
    }
    std::optional<std::size_t> const outcome = word(request, "outcome", kWords);
    if (!outcome) return;
    Branches::Resting rests;
    request.status = branches().decide(caller_of(request), xid_of(request),
                                       *outcome == 0 ? log::Outcome::committed : log::Outcome::rolled_back, request.now,
                                       request.answer, rests);
    rest_on(rests, request);
  }
};

template <typename T>
CommandPtr make(engine::Engine& engine) {
  return std::make_unique<T>(engine);
}

}  // namespace

CommandPtr make_xa(engine::Engine& engine, std::string_view name) {
  using Make = CommandPtr (*)(engine::Engine&);
  static constexpr std::array<std::pair<std::string_view, Make>, 9> kAll{{{"XA_START", make<XaStart>},
                                                                          {"XA_END", make<XaEnd>},
                                                                          {"XA_PREPARE", make<XaPrepare>},
                                                                          {"XA_COMMIT", make<XaCommit>},
                                                                          {"XA_ROLLBACK", make<XaRollback>},
                                                                          {"XA_FORGET", make<XaForget>},
                                                                          {"XA_RECOVER", make<XaRecover>},
                                                                          {"XA_TIMEOUT", make<XaTimeout>},
                                                                          {"XA_DECIDE", make<XaDecide>}}};
  for (auto const& [known, make_one] : kAll)
    if (known == name) return make_one(engine);
  return nullptr;
}

}  // namespace fastjournal::admin
