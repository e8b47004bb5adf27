// The verbs of logs that are shared with other nodes.
#include "clients/programs/fastjournal/grammar.h"
#include "clients/programs/fastjournal/option_types.h"

namespace fastjournal::cli {

CLI::App& Grammar::cluster_verb(CLI::App& cluster, std::string const& name, std::string const& description) {
  CLI::App* made = cluster.add_subcommand(name, description);
  made->fallthrough();
  // Called before the callback of `cluster`.
  made->callback([this, name] { cluster_verb_ = name; });
  return *made;
}

void Grammar::add_cluster_verbs() {
  CLI::App& cluster = verb("cluster", "logs that the daemon shares with other nodes");
  cluster.require_subcommand(1);
  cluster.callback([this] { out_.verb = "cluster " + cluster_verb_; });
  cluster_verb(cluster, "status", "show who owns each shared log, and who follows")
      .footer("Exit code 8 if a log has no owner at this moment.");
  CLI::App& down = cluster_verb(cluster, "step-down", "give a log to another node, while the daemon goes on");
  down.add_option("LOG", out_.words, "as `cluster status` shows it")->required()->expected(1);
  duration(down, "--for", out_.lease, "so long the node does not take it again (default 10s)");
  down.footer("Needs the right admin, and to be sent to the node that owns the log.");
  CLI::App& move = cluster_verb(cluster, "move", "move a table to the log that its file names, while it serves");
  move.add_option("TABLE", out_.words, "its file was changed, and the configuration reloaded")->required()->expected(1);
  move.footer(
      "Waits for the end. Needs the right admin, and to be sent to the node that has the table and owns the log.\n"
      "Exit code 1: the table stays where it was; the reason is on standard error.");
}

}  // namespace fastjournal::cli
