// Made by ./mk generate from src/server/admin/daemon.xml and clients/calls/daemon.toml: do not edit.

package fastjournal

import (
	"context"
	"time"
)

// Daemon has the calls of the daemon itself on a connection. Its figures, who listens, backups, the cluster, and its
// life.
type Daemon struct {
	connection *Connection
}

// Daemon has the calls of the daemon itself.
func (c *Connection) Daemon() *Daemon { return &Daemon{c} }

// Commands lists all commands.
func (t *Daemon) Commands(ctx context.Context) (string, error) {
	params := Params{}
	p, err := oneOf(ctx, t.connection, "HELP", params, "COMMANDS")
	if err != nil {
		return "", err
	}
	return p.Text("list"), nil
}

// Help tells what a command takes and answers, of each type of tables that has it. command: the command to tell
// about; the list of all if absent.
func (t *Daemon) Help(command string) *Pages[CommandHelp] {
	params := Params{}
	params.setText("command", command)
	return pagesOf(t.connection, "HELP", params, "HELP", commandHelpOf)
}

// DaemonRightsOptions are the options of Daemon.Rights.
type DaemonRightsOptions struct {
	// what it may do on this table, which need not exist; on all tables if absent
	Table string
}

// Rights tells who the sender is, and what it may do.
func (t *Daemon) Rights(ctx context.Context, options ...DaemonRightsOptions) (OwnRights, error) {
	params := Params{}
	o := optionsOf(options)
	params.setText("table", o.Table)
	p, err := oneOf(ctx, t.connection, "RIGHTS", params, "RIGHTS")
	if err != nil {
		return OwnRights{}, err
	}
	return ownRightsOf(p), nil
}

// Tables lists the tables with their columns.
func (t *Daemon) Tables() *Pages[ShownTable] {
	params := Params{}
	return pagesOf(t.connection, "TABLES", params, "TABLE", shownTableOf)
}

// DaemonStatsOptions are the options of Daemon.Stats.
type DaemonStatsOptions struct {
	// only this table; the daemon and all tables if absent
	Table string
}

// Stats tells the figures of the daemon and of each table.
func (t *Daemon) Stats(ctx context.Context, options ...DaemonStatsOptions) ([]Message, error) {
	params := Params{}
	o := optionsOf(options)
	params.setText("table", o.Table)
	return t.connection.request(ctx, "STATS", params)
}

// DaemonMetricsOptions are the options of Daemon.Metrics.
type DaemonMetricsOptions struct {
	// text is that of Prometheus; text if absent: text, openmetrics
	Format string
	// only this table; the daemon and all tables if absent
	Table string
}

// Metrics tells the figures of STATS with their meanings, as text for a monitoring system.
func (t *Daemon) Metrics(ctx context.Context, options ...DaemonMetricsOptions) (string, error) {
	params := Params{}
	o := optionsOf(options)
	params.setText("format", o.Format)
	params.setText("table", o.Table)
	return textOfAll(ctx, t.connection, "METRICS", params, "text")
}

// DaemonHealthOptions are the options of Daemon.Health.
type DaemonHealthOptions struct {
	// ready: all of its logs serve; live: it answers, whatever its logs do. ready if absent
	What string
}

// Health tells whether the daemon is of use: refused if a log does not serve.
func (t *Daemon) Health(ctx context.Context, options ...DaemonHealthOptions) error {
	params := Params{}
	o := optionsOf(options)
	params.setText("what", o.What)
	_, err := t.connection.request(ctx, "HEALTH", params)
	return err
}

// Openapi describes the HTTP door as an OpenAPI document.
func (t *Daemon) Openapi(ctx context.Context) (string, error) {
	params := Params{}
	p, err := oneOf(ctx, t.connection, "OPENAPI", params, "OPENAPI")
	if err != nil {
		return "", err
	}
	return p.Text("text"), nil
}

// DaemonAlertsOptions are the options of Daemon.Alerts.
type DaemonAlertsOptions struct {
	// only those of this table
	Table string
}

// Alerts lists the alerts that are up.
func (t *Daemon) Alerts(options ...DaemonAlertsOptions) *Pages[Alert] {
	params := Params{}
	o := optionsOf(options)
	params.setText("table", o.Table)
	return pagesOf(t.connection, "ALERTS", params, "ALERT", alertOf)
}

// DaemonLowerOptions are the options of Daemon.Lower.
type DaemonLowerOptions struct {
	// the table of the alert; one of the daemon itself if absent
	Table string
}

// Lower ends an alert by hand. name: the alert, as ALERTS names it.
func (t *Daemon) Lower(ctx context.Context, name string, options ...DaemonLowerOptions) error {
	params := Params{}
	params["name"] = name
	o := optionsOf(options)
	params.setText("table", o.Table)
	_, err := t.connection.request(ctx, "LOWER", params)
	return err
}

// DaemonWaitersOptions are the options of Daemon.Waiters.
type DaemonWaitersOptions struct {
	// so many a page (1 to 1000; 100 if absent)
	Count int64
}

// Waiters shows who listens and waits at a table, by connection, a page at a time; the last message has `after` if
// there are more. table: the table.
func (t *Daemon) Waiters(table string, options ...DaemonWaitersOptions) *Pages[Waiter] {
	params := Params{}
	params["table"] = table
	o := optionsOf(options)
	params.setInt("count", o.Count)
	return pagesOf(t.connection, "WAITERS", params, "WAITER", waiterOf)
}

// DaemonFetchOptions are the options of Daemon.Fetch.
type DaemonFetchOptions struct {
	// the LSN of the first record; or else snapshot
	From Optional[int64]
	// only records below this LSN; up to the end if absent
	To Optional[int64]
	// how many records at most (1 to 4096; 256 if absent)
	Count int64
	// about how many bytes of bodies at most (1 to 1048576; 1048576 if absent)
	Bytes int64
	// true: the objects of the table, a page at a time
	Snapshot bool
	// of a snapshot: go on behind the page before, as it said
	Cursor string
}

// Fetch gets records of a table, or all of its objects, for a follower. table: the table.
func (t *Daemon) Fetch(ctx context.Context, table string, options ...DaemonFetchOptions) ([]Message, error) {
	params := Params{}
	params["table"] = table
	o := optionsOf(options)
	setOptional(params, "from", o.From)
	setOptional(params, "to", o.To)
	params.setInt("count", o.Count)
	params.setInt("bytes", o.Bytes)
	params.setFlag("snapshot", o.Snapshot)
	params.setText("cursor", o.Cursor)
	return t.connection.request(ctx, "FETCH", params)
}

// XaPrepare prepares a branch: from then on it stays, with all that it holds, until it is committed or rolled back.
// xid: the branch, as its manager names it: FORMAT:GTRID:BQUAL.
func (t *Daemon) XaPrepare(ctx context.Context, xid string) (int64, error) {
	params := Params{}
	params["xid"] = xid
	p, err := oneOf(ctx, t.connection, "XA_PREPARE", params, "PREPARED")
	if err != nil {
		return 0, err
	}
	return p.Int("ops"), nil
}

// DaemonXaCommitOptions are the options of Daemon.XaCommit.
type DaemonXaCommitOptions struct {
	// true: one that was not prepared
	OnePhase bool
}

// XaCommit carries out a prepared branch. The answers of its commands follow the first message. xid: the branch, as
// its manager names it: FORMAT:GTRID:BQUAL.
func (t *Daemon) XaCommit(ctx context.Context, xid string, options ...DaemonXaCommitOptions) ([]Message, error) {
	params := Params{}
	params["xid"] = xid
	o := optionsOf(options)
	params.setFlag("one_phase", o.OnePhase)
	return t.connection.request(ctx, "XA_COMMIT", params)
}

// XaRollback gives up a branch. xid: the branch, as its manager names it: FORMAT:GTRID:BQUAL.
func (t *Daemon) XaRollback(ctx context.Context, xid string) error {
	params := Params{}
	params["xid"] = xid
	_, err := t.connection.request(ctx, "XA_ROLLBACK", params)
	return err
}

// XaForget forgets a branch that an administrator has decided. xid: the branch, as its manager names it:
// FORMAT:GTRID:BQUAL.
func (t *Daemon) XaForget(ctx context.Context, xid string) error {
	params := Params{}
	params["xid"] = xid
	_, err := t.connection.request(ctx, "XA_FORGET", params)
	return err
}

// DaemonXaRecoverOptions are the options of Daemon.XaRecover.
type DaemonXaRecoverOptions struct {
	// true: all branches; false: those that are prepared and not ended
	All bool
	// so many a page (1 to 1000; 100 if absent)
	Count int64
}

// XaRecover lists the branches that are in doubt, a page at a time; the last message has `after` if there are more.
func (t *Daemon) XaRecover(options ...DaemonXaRecoverOptions) *Pages[Branch] {
	params := Params{}
	o := optionsOf(options)
	params.setFlag("all", o.All)
	params.setInt("count", o.Count)
	return pagesOf(t.connection, "XA_RECOVER", params, "BRANCH", branchOf)
}

// XaDecide decides a branch in doubt in place of its manager. xid: the branch, as its manager names it:
// FORMAT:GTRID:BQUAL. outcome: what becomes of it: commit, rollback.
func (t *Daemon) XaDecide(ctx context.Context, xid string, outcome string) (int64, error) {
	params := Params{}
	params["xid"] = xid
	params["outcome"] = outcome
	p, err := oneOf(ctx, t.connection, "XA_DECIDE", params, "DECIDED")
	if err != nil {
		return 0, err
	}
	return p.Int("ops"), nil
}

// DaemonDigestOptions are the options of Daemon.Digest.
type DaemonDigestOptions struct {
	// only this table; each log if absent
	Table string
	// true: also what this node has followed of the logs of other nodes
	Stale bool
}

// Digest computes a digest of a table, or of each log, for comparisons.
func (t *Daemon) Digest(options ...DaemonDigestOptions) *Pages[Digest] {
	params := Params{}
	o := optionsOf(options)
	params.setText("table", o.Table)
	params.setFlag("stale", o.Stale)
	return pagesOf(t.connection, "DIGEST", params, "DIGEST", digestOf)
}

// DaemonBackupOptions are the options of Daemon.Backup.
type DaemonBackupOptions struct {
	// true: with the digest of each log
	Digest bool
}

// Backup keeps the files of all logs unchanged until BACKUP_DONE or the end of the connection, and tells which ones
// to copy.
func (t *Daemon) Backup(ctx context.Context, options ...DaemonBackupOptions) ([]Message, error) {
	params := Params{}
	o := optionsOf(options)
	params.setFlag("digest", o.Digest)
	return t.connection.request(ctx, "BACKUP", params)
}

// BackupDone: the files of the backup are copied: they may change again.
func (t *Daemon) BackupDone(ctx context.Context) error {
	params := Params{}
	_, err := t.connection.request(ctx, "BACKUP_DONE", params)
	return err
}

// Cluster shows the logs that are shared with other nodes, who owns each, and which nodes there are.
func (t *Daemon) Cluster(ctx context.Context) ([]Message, error) {
	params := Params{}
	return t.connection.request(ctx, "CLUSTER", params)
}

// DaemonStepDownOptions are the options of Daemon.StepDown.
type DaemonStepDownOptions struct {
	// so long this node does not take it again, in milliseconds (0 to 3600000 ms; 10000 if absent)
	For Optional[time.Duration]
}

// StepDown this node gives a log to another one. log: the log.
func (t *Daemon) StepDown(ctx context.Context, log string, options ...DaemonStepDownOptions) error {
	params := Params{}
	params["log"] = log
	o := optionsOf(options)
	setOptional(params, "for", o.For)
	_, err := t.connection.request(ctx, "STEP_DOWN", params)
	return err
}

// MoveTable brings a table to the log that its file names, while it serves. table: the table.
func (t *Daemon) MoveTable(ctx context.Context, table string) ([]Message, error) {
	params := Params{}
	params["table"] = table
	return t.connection.request(ctx, "MOVE_TABLE", params)
}

// DaemonReloadOptions are the options of Daemon.Reload.
type DaemonReloadOptions struct {
	// only this table
	Table string
	// true: tells the changes and makes none
	DryRun bool
}

// Reload reads the tables folder again, and without a table also users and certificates; a bad file changes nothing.
func (t *Daemon) Reload(ctx context.Context, options ...DaemonReloadOptions) (Reloaded, error) {
	params := Params{}
	o := optionsOf(options)
	params.setText("table", o.Table)
	params.setFlag("dry_run", o.DryRun)
	p, err := oneOf(ctx, t.connection, "RELOAD", params, "RELOADED")
	if err != nil {
		return Reloaded{}, err
	}
	return reloadedOf(p), nil
}

// Stop ends the daemon.
func (t *Daemon) Stop(ctx context.Context) error {
	params := Params{}
	_, err := t.connection.request(ctx, "STOP", params)
	return err
}

// Restart ends the daemon so that its supervisor starts it again.
func (t *Daemon) Restart(ctx context.Context) error {
	params := Params{}
	_, err := t.connection.request(ctx, "RESTART", params)
	return err
}

// LogRotate opens the log file for people again.
func (t *Daemon) LogRotate(ctx context.Context) error {
	params := Params{}
	_, err := t.connection.request(ctx, "LOG_ROTATE", params)
	return err
}
