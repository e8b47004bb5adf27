// Made by ./mk generate from plugins/*/*.xml: do not edit.

package fastjournal

// What the types of tables say of their commands. One that is not here is never sent again.
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
	declared{rule{resend: always}, []string{
		"ATTACH", "BIND", "BINDINGS", "BROWSE", "CHILDREN_DONE", "COUNT", "DECLARE", "DESTINATIONS", "DOCUMENTS",
		"DOMAINS", "DRAIN", "DROP", "DROPPED", "EXCHANGES", "FAIL", "FAILED", "FORCE", "FORGET", "GET", "HEARTBEAT",
		"HISTORY", "LIST", "MIGRATE", "OMIT", "PAUSE", "PEEK", "PLANS", "PURGE", "QUEUES", "READ", "REJECT",
		"RELEASE", "REMOVE", "RESOLVE", "RESUME", "RETRY", "ROUTED", "SENDING", "SENT", "STEPS", "TIMELINE",
		"TOUCH", "UNBIND", "WHY",
	}},
	declared{rule{resend: numbered}, []string{
		"ADD", "ALIAS", "DELETE", "INSERT", "NOT", "PUT", "RENAME", "SEND", "SET", "TRUNCATE",
	}},
)

// The daemon's own commands that are sent again.
var resentOfDaemon = []string{
	"ALERTS", "ALIVE", "CLUSTER", "DIGEST", "FETCH", "HEALTH", "HELP", "LISTEN", "METRICS", "OPENAPI", "RIGHTS",
	"STATS", "TABLES", "UNLISTEN", "UNWATCH", "WAITERS", "WATCH", "XA_RECOVER",
}

// The messages that lease something.
var leases = map[string]lease{
	"DOCUMENT": {"token", "RELEASE", []string{"table", "document", "token"}},
	"MESSAGE":  {"epoch", "RELEASE", []string{"table", "message", "epoch"}},
	"ROW":      {"epoch", "RELEASE", []string{"table", "row", "epoch"}},
}
