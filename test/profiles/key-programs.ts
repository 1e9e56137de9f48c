// Stand-ins for the programs of the credential stores, as shell scripts. They record their arguments, input and environment.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'

/** A store's defect. */
export type Fault = 'hangs' | 'forgets' | 'refuses' | 'is-absent'

// An item is a file whose name is a checksum of what identifies it.
const head = `#!/bin/sh
here=$(realpath "$(dirname "$0")")
{ printf '%s\\n' "$0" "$@"; env; } >> "$here/seen"
item() { printf '%s/items/%s' "$here" "$(printf '%s' "$*" | cksum | cut -d' ' -f1)"; }
[ -e "$here/hangs" ] && exec sleep 600
[ -e "$here/is-absent" ] && { echo "\${0##*/}: no service" >&2; exit 1; }
`
const keep = `[ -e "$here/refuses" ] && { echo "\${0##*/}: access denied" >&2; exit 1; }; [ -e "$here/forgets" ] && exit 0`

const programs: Readonly<Record<string, string>> = {
  'secret-tool': `${head}command=$1; shift
case "$1" in --label=*) shift ;; esac
file=$(item "$@")
case $command in
  store) cat > "$here/input"; ${keep}; cp "$here/input" "$file" ;;
  search) [ ! -e "$file" ] || printf '[/1]\\nlabel = x\\nsecret = %s\\ncreated = x\\n' "$(cat "$file")" ;;
  clear) rm "$file" ;;
esac
`,
  security: `${head}if [ "$1" = -i ]; then
  tee "$here/input" | sed 's/.* -w "\\(.*\\)"$/\\1/' > "$here/secret"
  ${keep}
  service=$(sed 's/.* -s "\\([^"]*\\)".*/\\1/' "$here/input"); account=$(sed 's/.* -a "\\([^"]*\\)".*/\\1/' "$here/input")
  cp "$here/secret" "$(item "$service" "$account")"; exit 0
fi
file=$(item "$3" "$5")
[ -e "$file" ] || { echo 'security: The specified item could not be found in the keychain.' >&2; exit 44; }
case $1 in find-generic-password) cat "$file" ;; delete-generic-password) rm "$file" ;; esac
`,
  'powershell.exe': `${head}read -r service; read -r account; read -r secret
file=$(item "$service" "$account")
case "$*" in
  *'$vault.Add('*) printf '%s' "$secret" > "$here/input"; ${keep}; printf '%s\\r\\n' "$secret" > "$file" ;;
  *'$vault.Remove('*) rm -f "$file" ;;
  *RetrievePassword*) [ ! -e "$file" ] || cat "$file" ;;
esac
`,
}

/** Installs the programs in a folder for the PATH. */
export const installKeyPrograms = (home: string) => {
  const folder = path.join(home, 'key-programs')
  mkdirSync(path.join(folder, 'items'), { recursive: true })
  // The folder of programs of Windows.
  mkdirSync(path.join(folder, 'System32', 'WindowsPowerShell'), { recursive: true })
  symlinkSync(folder, path.join(folder, 'System32', 'WindowsPowerShell', 'v1.0'))
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(path.join(folder, name), script)
    chmodSync(path.join(folder, name), 0o755)
  }
  return {
    /** A store on Linux responds only in a session. */
    environment: {
      PATH: `${folder}:${process.env.PATH}`,
      SystemRoot: folder,
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
    },
    break: (fault: Fault) => writeFileSync(path.join(folder, fault), ''),
    /** The words and environments of all calls. */
    seen: () => readFileSync(path.join(folder, 'seen'), 'utf8'),
    /** The number of keys in the store. */
    items: () => readdirSync(path.join(folder, 'items')).length,
    wasCalled: () => existsSync(path.join(folder, 'seen')),
  }
}
