// Another configuration while the daemon serves: all of its changes are possible, or none is made.
#pragma once

#include <string>
#include <vector>

#include "engine/configuration.h"
#include "engine/moving.h"
#include "engine/tables.h"
#include "engine/transactions/branches.h"
#include "engine/transactions/transactions.h"

namespace fastjournal::engine {

class Reload {
 public:
  Reload(Tables& tables, Configuration& configuration, Transactions& transactions, Branches const& branches,
         TwoPhase const& two_phase, Moving const& moving)
      : tables_(tables),
        configuration_(configuration),
        transactions_(transactions),
        branches_(branches),
        two_phase_(two_phase),
        moving_(moving) {}
  Reload(Reload const&) = delete;
  Reload& operator=(Reload const&) = delete;

  // Not ok: some changes are impossible; one line for each, with the reason. Nothing is changed.
  [[nodiscard]] Status check(Declarations const& next) const;
  // The changes that run() would make, one line each; call it after check() returned ok.
  [[nodiscard]] std::vector<std::string> preview(Declarations const& next) const;
  // Makes the changes; call it after check() returned ok. Returns the same as preview().
  [[nodiscard]] Result<std::vector<std::string>> run(Declarations const& next, TimeMs now);

 private:
  void give_up_transactions(Declarations const& next, TimeMs now);
  // Of logs that this node decides for.
  [[nodiscard]] std::vector<HostedTable*> undeclared(Declarations const& next) const;

  Tables& tables_;
  Configuration& configuration_;
  Transactions& transactions_;
  Branches const& branches_;
  TwoPhase const& two_phase_;
  Moving const& moving_;
};

}  // namespace fastjournal::engine
