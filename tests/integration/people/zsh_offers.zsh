# What zsh offers for a line, a word a line:  zsh -f zsh_offers.zsh FOLDER LINE
# FOLDER has the completion functions. Completion needs zsh's line editor, and that a terminal.
zmodload zsh/zpty
zpty z zsh -f -i
# Each of the functions ends in compadd: it prints what it would add.
zpty -w z "PS1=; fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -D
compadd() {
  if (( \${@[(I)-(O|A|D)]} || \${@[(I)-[a-zA-Z]#[OAD]]} )); then builtin compadd \"\$@\"; return; fi
  local -a __offers
  builtin compadd -A __offers \"\$@\"
  (( \$#__offers )) || return 1
  print -rl -- 'OFFER '\${^__offers}
  return 0
}
offer_all() { _main_complete; print -r -- THE-END; zle .send-break }
zle -C offer_all list-choices offer_all
bindkey '^T' offer_all
print READY"
integer turns=0
local line
# Echo is on: the words of the line above come first.
until [[ $line == READY* ]]; do zpty -r z line || exit 1; (( ++turns < 1000 )) || exit 1; done
zpty -wn z "$2"$'\C-t'
until [[ $line == *THE-END* ]]; do
  zpty -r z line || exit 1
  (( ++turns < 10000 )) || exit 1
  [[ $line != *OFFER\ * ]] || print -r -- ${${line##*OFFER }%%$'\r'*}
done
zpty -d z
