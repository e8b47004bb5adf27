// Made by ./mk generate from plugins/*/*.xml and src/server/admin/daemon.xml: do not edit.

package fastjournal

// What is declared of commands. One that is not here is never sent again.
var rules = rulesOf(
	declared{rule{givesBack: true}, []string{
		"CHILD",
	}},
	declared{rule{resend: always, doneBefore: "ACCEPTED"}, []string{
		"ACCEPT",
	}},
	declared{rule{resend: always, doneBefore: "COMPLETED", givesBack: true}, []string{
		"DONE",
	}},
	declared{rule{resend: always, givesBack: true}, []string{
		"FOUND",
	}},
	declared{rule{resend: always, waits: true, givesBack: true}, []string{
		"ACQUIRE", "NEXT",
	}},
	declared{rule{resend: always, waits: true}, []string{
		"WAIT",
	}},
	declared{rule{resend: always}, []string{
		"ALERTS", "ALIVE", "ATTACH", "BACKFILL", "BIND", "BINDINGS", "BROWSE", "CANCEL", "CHILDREN_DONE", "CLUSTER",
		"COUNT", "DECLARE", "DESTINATIONS", "DIGEST", "DOCUMENTS", "DOMAINS", "DRAIN", "DROP", "DROPPED",
		"EXCHANGES", "FAIL", "FAILED", "FETCH", "FIGURES", "FORCE", "FORGET", "GET", "GRAPH", "GROUP", "GROUPS",
		"HEALTH", "HEARTBEAT", "HELP", "HISTORY", "LIST", "LISTEN", "METRICS", "MIGRATE", "OMIT", "OPENAPI", "PARK",
		"PAUSE", "PEEK", "PLANS", "PROGRESS", "PURGE", "QUEUES", "READ", "REJECT", "RELEASE", "REMOVE", "RESOLVE",
		"RESUME", "RETRY", "RIGHTS", "ROUTED", "SCHEDULE", "SCHEDULES", "SENDING", "SENT", "STATS", "STEPS",
		"TABLES", "TIMELINE", "TOUCH", "UNBIND", "UNLISTEN", "UNSCHEDULE", "UNWATCH", "WAITERS", "WATCH", "WHY",
		"XA_RECOVER",
	}},
	declared{rule{resend: numbered}, []string{
		"ADD", "ALIAS", "DELETE", "INSERT", "NOT", "PUT", "RENAME", "SEND", "SET", "TRUNCATE",
	}},
)

// The messages that lease something.
var leases = map[string]lease{
	"DOCUMENT": {"token", "RELEASE", []string{"table", "document", "token"}},
	"MESSAGE":  {"epoch", "RELEASE", []string{"table", "message", "epoch"}},
	"ROW":      {"epoch", "RELEASE", []string{"table", "row", "epoch"}},
}
