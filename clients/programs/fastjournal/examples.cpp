#include "clients/programs/fastjournal/examples.h"

namespace fastjournal::cli {
namespace {

constexpr Example kExamples[] = {
    {"put",
     "fastjournal put pages uri=http://example.com/ title='Front page' --priority 20 --at +1h\n"
     "fastjournal put pages --from pages.csv --resume pages.state"},
    {"take", "fastjournal take pages --count 10 --lease 5m --wait 30s"},
    {"touch", "fastjournal touch pages 69688 1099511627777 --lease 10m"},
    {"done", "fastjournal done pages 69688 1099511627777"},
    {"release", "fastjournal release pages 69688 1099511627777 --error 'the site does not answer' --at +10m"},
    {"fail", "fastjournal fail pages 69688 1099511627777 --error 'no such page'"},
    {"work", "fastjournal work pages -j 4 -- sh -c 'curl -fsS \"$FJ_URI\" > page.html'"},
    {"listen", "fastjournal listen pages --mode row --wait 1m"},
    {"feed", "fastjournal feed pages --follow"},
    {"ls",
     "fastjournal ls pages --status parked\n"
     "fastjournal ls pages --all --json > pages.json"},
    {"peek", "fastjournal peek pages uri=http://example.com/"},
    {"why", "fastjournal why pages uri=http://example.com/"},
    {"delete",
     "fastjournal delete pages uri=http://example.com/\n"
     "fastjournal delete pages --status parked --domain http://example.com/ --dry-run"},
    {"kick",
     "fastjournal kick pages uri=http://example.com/\n"
     "fastjournal kick pages --error 'disk full' --dry-run"},
    {"kv get",
     "fastjournal kv get values greeting\n"
     "fastjournal kv get values page --raw > page.html"},
    {"kv scan",
     "fastjournal kv scan values --prefix site: --count 20\n"
     "fastjournal kv scan values --regex '[0-9]$' --json"},
    {"kv watch", "fastjournal kv watch values --prefix site: --initial"},
    {"kv set",
     "fastjournal kv set values greeting hello --ttl 1h\n"
     "fastjournal kv set values site:1=open site:2=closed\n"
     "fastjournal kv set values page --file page.html --if-absent"},
    {"kv del", "fastjournal kv del values site:1 site:2"},
    {"kv add", "fastjournal kv add values visits 5"},
    {"kv not", "fastjournal kv not values is-open"},
    {"kv truncate", "fastjournal kv truncate values page 1024"},
    {"kv rename", "fastjournal kv rename values page front-page"},
    {"kv alias", "fastjournal kv alias values front-page index"},
    {"kv frame", "fastjournal --server 127.0.0.1:4060 kv frame GET greeting --flag data"},
    {"kv lock", "fastjournal kv lock values nightly --create --wait 10m -- ./nightly.sh"},
    {"tx run",
     "fastjournal tx run orders.tx\n"
     "printf 'INSERT table=pages;uri=site:1\\nSET table=values;key=last;value=7\\n' | fastjournal tx run -"},
    {"tx ls", "fastjournal tx ls --all"},
    {"tx commit", "fastjournal tx commit 1:6f72646572:01"},
    {"tx rollback", "fastjournal tx rollback 1:6f72646572:01"},
    {"cluster status", "fastjournal cluster status --json"},
    {"cluster step-down", "fastjournal cluster step-down common --for 1m"},
    {"cluster move", "fastjournal cluster move jobs"},
    {"tx forget", "fastjournal tx forget 1:6f72646572:01"},
    {"queue send",
     "fastjournal queue send post orders 'one cake' --properties '{\"colour\":\"red\"}'\n"
     "fastjournal queue send post --exchange news --key sport.chess - < report.txt"},
    {"queue take", "fastjournal queue take post orders --count 10 --wait 1m"},
    {"queue ls",
     "fastjournal queue ls post\n"
     "fastjournal queue ls post orders"},
    {"queue read", "fastjournal queue read post 8192 > message"},
    {"queue why", "fastjournal queue why post 8192"},
    {"queue kick", "fastjournal queue kick post 8192"},
    {"queue move",
     "fastjournal queue move post dead orders\n"
     "fastjournal queue move post orders orders --parked"},
    {"queue purge", "fastjournal queue purge post dead"},
    {"queue make", "fastjournal queue make post orders --dead-letters dead --max-deliveries 5"},
    {"queue remove", "fastjournal queue remove post orders --if-empty"},
    {"queue exchange", "fastjournal queue exchange post news topic"},
    {"queue bind", "fastjournal queue bind post news anna 'sport.*' --make"},
    {"queue unbind", "fastjournal queue unbind post news anna 'sport.*'"},
    {"queue exchanges", "fastjournal queue exchanges post"},
    {"queue bindings", "fastjournal queue bindings post --json"},
    {"blob put",
     "fastjournal blob put images logo logo.png\n"
     "tar c site | fastjournal blob put images site.tar --port unix:/run/fastjournal/images-write"},
    {"blob get",
     "fastjournal blob get images logo -o logo.png\n"
     "fastjournal blob get images site.tar | tar t"},
    {"blob ls", "fastjournal blob ls images --json"},
    {"blob stat",
     "fastjournal blob stat images logo\n"
     "fastjournal blob stat images"},
    {"blob omit", "fastjournal blob omit images logo"},
    {"blob maintain",
     "fastjournal blob maintain images --age 30d --wait\n"
     "fastjournal blob maintain images --cancel"},
    {"blob check", "fastjournal blob check images"},
    {"watch", "fastjournal watch pages --interval 10s --json >> pages.log"},
    {"timeline", "fastjournal timeline pages --json"},
    {"domains", "fastjournal domains pages --count 20"},
    {"waiters", "fastjournal waiters pages"},
    {"stats", "fastjournal stats pages | grep rows"},
    {"alerts", "fastjournal alerts || echo 'somebody should look'"},
    {"top", "fastjournal top --interval 5s"},
    {"pause", "fastjournal pause pages --reason 'the backend is being upgraded' --worker anna"},
    {"drain", "fastjournal drain pages --reason 'the table moves'"},
    {"resume", "fastjournal resume pages"},
    {"apply", "fastjournal apply --dry-run"},
    {"doctor", "fastjournal doctor --config /etc/fastjournal/fastjournal.xml"},
    {"bench", "fastjournal bench --folder /var/lib/fastjournal --time 5s"},
    {"reload", "fastjournal reload pages"},
    {"stop", "fastjournal stop --timeout 1m"},
    {"check", "fastjournal check conf/fastjournal.xml"},
    {"plan check", "fastjournal plan check catalog.xml --strict"},
    {"plan explain",
     "fastjournal plan explain catalog.xml\n"
     "fastjournal plan explain catalog.xml --dot | dot -Tsvg > catalog.svg"},
    {"plan compare", "fastjournal plan compare catalog-1.xml catalog-2.xml --rename index=search"},
    {"pipeline run",
     "fastjournal pipeline run docs --source pages=pages --to index='./index.sh' --to publish=folder:www\n"
     "fastjournal pipeline run docs --source pages=pages --to index='http://localhost:8983/add?id={uri}'"},
    {"pipeline status", "fastjournal pipeline status docs"},
    {"pipeline ls", "fastjournal pipeline ls docs --status in_doubt"},
    {"pipeline plan", "fastjournal pipeline plan docs > docs-plan.xml"},
    {"pipeline why", "fastjournal pipeline why docs 69688"},
    {"pipeline history", "fastjournal pipeline history docs --document 69688"},
    {"pipeline retry", "fastjournal pipeline retry docs --destination index --class down --rate 100 --dry-run"},
    {"pipeline force", "fastjournal pipeline force docs --destination index --all"},
    {"pipeline drop", "fastjournal pipeline drop docs --status dead"},
    {"pipeline resolve", "fastjournal pipeline resolve docs sent --document 69688"},
    {"pipeline kick", "fastjournal pipeline kick docs 69688 --destination index"},
    {"pipeline migrate", "fastjournal pipeline migrate docs --version 1 --rename index=search --dry-run"},
    {"pipeline forget", "fastjournal pipeline forget docs --version 1"},
    {"pipeline pause", "fastjournal pipeline pause docs index --reason 'a new index'"},
    {"pipeline resume", "fastjournal pipeline resume docs index"},
    {"log verify", "fastjournal log verify --config /etc/fastjournal/fastjournal.xml"},
    {"log dump", "fastjournal log dump /var/lib/fastjournal/shared --table pages | less"},
    {"log salvage", "fastjournal log salvage /var/lib/fastjournal/shared --to /var/tmp/shared"},
    {"log resize", "fastjournal log resize /var/lib/fastjournal/shared --container-size 64MiB"},
    {"backup", "fastjournal backup /backup/2026-11-23 --rate 50MiB"},
    {"user add", "fastjournal user add crawler --rights 'read work' --tables 'pages images_*' > crawler.token"},
    {"user list", "fastjournal user list"},
    {"user remove", "fastjournal user remove crawler && fastjournal reload"},
    {"spool status", "fastjournal spool status /var/spool/fastjournal/site"},
    {"spool list", "fastjournal spool list /var/spool/fastjournal/site --aside --table pages"},
    {"spool resend", "fastjournal spool resend /var/spool/fastjournal/site pages"},
    {"spool purge", "fastjournal spool purge /var/spool/fastjournal/site pages --dry-run"},
    {"tables", "fastjournal tables --columns pages"},
    {"login", "fastjournal login --server tls:jobs.example.com:4050 < crawler.token"},
    {"ping", "fastjournal ping --server 127.0.0.1:4050"},
    {"commands", "fastjournal commands INSERT"},
    {"call", "fastjournal call PAUSE table=pages reason=upgrade"},
    {"completion", "fastjournal completion fish | source"},
};

}  // namespace

std::span<Example const> examples() { return kExamples; }

}  // namespace fastjournal::cli
