# For the tests beside it: the installed daemon serves when this was read. systemd has started it, or, in a chroot
# without systemd, it is started here as the unit would, by its user, and ended with the test.
say() { echo "${0##*/}: $*"; }
fail() {
  say "FAILED: $*"
  exit 1
}

work=$(mktemp -d)
pids=
end() {
  for pid in $pids; do
    kill "$pid" 2>/dev/null || continue
    wait "$pid" || true
  done
  rm -rf "$work"
}
trap end EXIT

# as USER COMMAND...: in the background; its output is in $work/USER.log
as() {
  user=$1
  shift
  setpriv --reuid="$user" --regid="$user" --init-groups "$@" >"$work/$user.log" 2>&1 &
  pids="$pids $!"
}

answers() {
  for _ in $(seq 100); do
    if fastjournal ping >/dev/null 2>&1; then return 0; fi
    sleep 0.1
  done
  return 1
}

if [ -d /run/systemd/system ]; then
  systemctl is-active fastjournal || fail "systemd has not started fastjournal.service"
elif ! fastjournal ping >/dev/null 2>&1; then
  say "no systemd here: starts the daemon as its user"
  as fastjournal /usr/sbin/fastjournald
fi
answers || {
  cat "$work"/*.log
  fail "the daemon does not answer"
}
