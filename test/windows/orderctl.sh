#!/bin/sh
# Runs orderctl.exe under Wine, in the folder and the home of its caller. run.sh copies this file to the root of Wine.
root=${0%/*}
PATH=/usr/sbin:/usr/bin:/sbin:/bin
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT

# Node can read and write files here, but no pipes. One line, because the input of an assistant does not end.
head -n 1 > "$files/in"
: > "$files/out"
: > "$files/err"
home=$(printf 'Z:%s' "$HOME" | tr / '\\')
chroot "$root" env --chdir "$PWD" HOME=/root WINEPREFIX=/root/windows WINEDEBUG=-all WINEPATH='Z:\opt\node' \
  XDG_RUNTIME_DIR=/tmp NODE_SKIP_PLATFORM_CHECK=1 \
  WINEHOME="$home" USERPROFILE="$home" APPDATA="$home\\AppData\\Roaming" LOCALAPPDATA="$home\\AppData\\Local" \
  /usr/lib/wine/wine64 /opt/orderctl.exe "$@" < "$files/in" > "$files/out" 2> "$files/err" &
program=$!
trap 'kill -KILL "$program"' INT TERM
tail -s 0.1 -f -n +1 --pid "$program" "$files/out" &
tail -s 0.1 -f -n +1 --pid "$program" "$files/err" >&2 &
wait "$program"
exit=$?
wait
exit "$exit"
