# orderctl: completion for bash, 3.2 and up. `orderctl completion bash` prints it.
# Nothing that is typed or offered is evaluated: words are taken apart by hand, and quoted before they are inserted.

_orderctl() {
  local line=${COMP_LINE:0:COMP_POINT} text=$2
  # The word that is typed: `kept` of it stays as it is, `text` is what readline will replace.
  local -a words=()
  local word='' kept='' quote='' open='' begun='' char i start=$((COMP_POINT - ${#2}))
  for ((i = 0; i < ${#line}; i++)); do
    if ((i == start)); then kept=$word open=$quote; fi
    char=${line:i:1}
    case $quote$char in
      "''" | '""') quote='' ;;
      "'"?) word+=$char ;;
      '"\')
        i=$((i + 1))
        case ${line:i:1} in
          [\$\`\"\\]) word+=${line:i:1} ;;
          *) word+=\\${line:i:1} ;;
        esac
        ;;
      '"'?) word+=$char ;;
      \\) i=$((i + 1)) begun=1 word+=${line:i:1} ;;
      "'" | '"') quote=$char begun=1 ;;
      [[:space:]])
        if [[ -n $begun ]]; then words+=("$word"); fi
        word='' begun=''
        ;;
      *) word+=$char begun=1 ;;
    esac
  done
  if ((i == start)); then kept=$word open=$quote; fi
  words+=("$word")

  COMPREPLY=()
  local -a values=() descriptions=()
  local value description last=''
  while IFS=$'\t' read -r value description; do
    if [[ -n $last ]]; then values+=("${last%%$'\t'*}") descriptions+=("${last#*$'\t'}"); fi
    last=$value$'\t'$description
  done < <(command orderctl __complete -- "${words[@]:1}" 2>/dev/null </dev/null)

  # What the last line says: how it goes on from there.
  case ${last%%$'\t'*} in
    :) ;;
    :nospace) _orderctl_option nospace ;;
    :files)
      if ((${#values[@]} == 0)); then
        _orderctl_option default
        return
      fi
      # Both what is offered and files, which readline quotes with this option.
      _orderctl_option filenames
      while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "$text")
      ;;
    :command)
      _orderctl_command "$text"
      return
      ;;
    *) return ;;
  esac

  for ((i = 0; i < ${#values[@]}; i++)); do
    value=${values[i]}
    if [[ ${value:0:${#kept}} != "$kept" ]]; then continue; fi
    if [[ $value == *[:=] && ${#values[@]} -eq 1 ]]; then _orderctl_option nospace; fi
    value=${value:${#kept}}
    case $open in
      "'") value=${value//\'/\'\\\'\'} ;;
      '"')
        value=${value//\\/\\\\} value=${value//\"/\\\"} value=${value//\$/\\\$} value=${value//\`/\\\`}
        # History, even there: a backslash would be in the value too, so it is said outside.
        value=${value//!/\"\'!\'\"}
        ;;
      *) if [[ $value == *[!A-Za-z0-9_.,:=@%+/-]* ]]; then printf -v value %q "$value"; fi ;;
    esac
    # Readline closes a quote, but for one that is closed further on, or that seems to be closed by the value.
    if [[ -n $open && (-z $quote || $value == *"$open") ]]; then value+=$open; fi
    # Told apart by what they are where they are listed; that is never inserted.
    if [[ ${COMP_TYPE-} == 63 && ${#values[@]} -gt 1 && -n ${descriptions[i]} ]]; then
      value+="  (${descriptions[i]})"
    fi
    COMPREPLY+=("$value")
  done
}

# Before bash 4 there is none.
_orderctl_option() {
  if type compopt >/dev/null 2>&1; then compopt -o "$1"; fi
}

# The line of another command begins behind `--`.
_orderctl_command() {
  local i found
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} == -- ]]; then break; fi
  done
  if ((i + 1 < COMP_CWORD)); then
    if declare -F _command_offset >/dev/null; then _command_offset $((i + 1)); else _orderctl_option default; fi
  else
    while IFS= read -r found; do COMPREPLY+=("$found"); done < <(compgen -c -- "$1")
  fi
}

if type compopt >/dev/null 2>&1 && ((BASH_VERSINFO[0] > 4 || BASH_VERSINFO[1] > 3)); then
  complete -o nosort -F _orderctl orderctl
else
  complete -o default -F _orderctl orderctl
fi
