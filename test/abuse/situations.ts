// Prepares each situation of the table: damaged files, other owners, closed streams, wrong clocks.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { cannotMount, readOnly, smallDisk } from '../support/disks.ts'
import type { RunOptions } from '../support/orderctl.ts'
import { journalIn, type Place, profilesIn, stateIn } from './world.ts'

type Around = Pick<RunOptions, 'env' | 'under'> & { readonly end?: () => void }

/** Prepares the situation and returns how to run the command in it. */
export type Situation = (place: Place) => Around

/** Why this machine cannot test it, or false. Other users and disks need root. */
export const cannotTest = (situation: string): string | false =>
  /read-only|the disk|root’s|without a name/.test(situation) ? cannotMount : false

const remade = (folder: string): void => {
  rmSync(folder, { recursive: true })
  mkdirSync(folder, { mode: 0o700 })
}

const everythingIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name))

/** Runs the command in a shell that closes or redirects its streams. */
const redirect = (redirections: string): Around => ({
  under: ['sh', '-c', `exec "$@" ${redirections}`, 'sh'],
})

const nobody = 65_534

/** Runs the command as the user nobody. */
const asNobody: Around = {
  under: ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', '--'],
  env: { NODE_DISABLE_COMPILE_CACHE: '1' },
}

const opened = (folder: string): void => {
  for (let at = folder; statSync(at).uid === 0 && at !== '/tmp' && at !== '/'; at = path.dirname(at)) {
    chmodSync(at, statSync(at).mode | 0o755)
  }
}

const given = (folder: string): void => {
  for (const each of [folder, ...everythingIn(folder)]) chownSync(each, nobody, nobody)
}

const full = (folder: string): void => {
  let size = 1 << 20
  while (size > 0) {
    try {
      writeFileSync(path.join(folder, 'filler'), Buffer.alloc(size), { flag: 'a' })
    } catch {
      size >>= 1
    }
  }
}

/** Moves the files to a disk of their own and fills it. */
const onFullDisk = (folder: string): Around => {
  const aside = `${folder}-aside`
  renameSync(folder, aside)
  mkdirSync(folder)
  const disk = smallDisk(folder, '1m')
  cpSync(aside, folder, { recursive: true })
  full(folder)
  return { end: disk[Symbol.dispose] }
}

const skewed = (hours: number): Around => {
  const code = `const { now } = Date; Date.now = () => now() + ${hours} * 3_600_000`
  return { env: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code)}` } }
}

const foreignDatabase = (file: string): void => {
  using database = new DatabaseSync(file)
  database.exec("CREATE TABLE diary (line TEXT); INSERT INTO diary VALUES ('Dear diary')")
}

const linked = (file: string, target: string): void => {
  rmSync(file, { force: true })
  symlinkSync(target, file)
}

const journal =
  (bytes: (file: string) => void): Situation =>
  ({ home }) => {
    bytes(journalIn(home))
    return {}
  }

const profiles =
  (text: string): Situation =>
  ({ home }) => {
    writeFileSync(path.join(profilesIn(home), 'profiles.json'), text)
    return {}
  }

export const situations: Readonly<Record<string, Situation>> = {
  'all is well': () => ({}),
  'a first time': ({ home }) => {
    remade(home)
    return {}
  },
  'no HOME': () => ({ env: { HOME: undefined } }),
  'an empty HOME': () => ({ env: { HOME: '' } }),
  'a relative HOME': () => ({ env: { HOME: 'home' } }),
  'HOME is not there': ({ home }) => ({ env: { HOME: path.join(home, 'new', 'home') } }),
  'HOME is a file': ({ others }) => ({ env: { HOME: path.join(others, 'diary.txt') } }),
  'HOME is /proc': () => ({ env: { HOME: '/proc' } }),
  'read-only': ({ home }) => ({ end: readOnly(home)[Symbol.dispose] }),
  'read-only, a first time': ({ home }) => {
    remade(home)
    return { end: readOnly(home)[Symbol.dispose] }
  },
  'the disk is full': ({ home }) => onFullDisk(home),
  'the disk is full, a first time': ({ home }) => {
    remade(home)
    return onFullDisk(home)
  },
  'all of it is root’s, readable': ({ home }) => {
    opened(home)
    for (const each of everythingIn(home)) chmodSync(each, statSync(each).isDirectory() ? 0o755 : 0o644)
    return asNobody
  },
  'all of it is root’s': ({ home }) => {
    opened(home)
    return asNobody
  },
  'the files are root’s': ({ home }) => {
    opened(home)
    given(home)
    for (const each of everythingIn(home)) if (statSync(each).isFile()) chownSync(each, 0, 0)
    return asNobody
  },
  'a user without a name': ({ home }) => {
    opened(home)
    given(home)
    return { ...asNobody, under: ['setpriv', '--reuid=54321', '--regid=54321', '--clear-groups', '--'] }
  },
  'others may read it all': ({ home }) => {
    for (const each of everythingIn(home)) chmodSync(each, statSync(each).isDirectory() ? 0o755 : 0o644)
    return {}
  },
  'others may write it all': ({ home }) => {
    for (const each of everythingIn(home)) {
      // SQLite would give the mode of the journal to its log.
      if (!each.endsWith('journal.db')) chmodSync(each, statSync(each).isDirectory() ? 0o777 : 0o666)
    }
    return {}
  },
  'the state folder is a link': ({ home, others }) => {
    const elsewhere = path.join(path.dirname(others), 'elsewhere')
    renameSync(stateIn(home), elsewhere)
    linked(stateIn(home), elsewhere)
    return {}
  },
  'the state folder is a file': ({ home }) => {
    rmSync(stateIn(home), { recursive: true })
    writeFileSync(stateIn(home), '')
    return {}
  },
  'the journal is a link to a text': ({ home, others }) => {
    linked(journalIn(home), path.join(others, 'diary.txt'))
    return {}
  },
  'the journal is a link to a database': ({ home, others }) => {
    foreignDatabase(path.join(others, 'diary.db'))
    linked(journalIn(home), path.join(others, 'diary.db'))
    return {}
  },
  'the journal is a link to nothing': ({ home, others }) => {
    linked(journalIn(home), path.join(others, 'not-yet.db'))
    return {}
  },
  'the journal is a link to itself': ({ home }) => {
    linked(journalIn(home), journalIn(home))
    return {}
  },
  'the journal is a folder': journal((file) => {
    rmSync(file)
    mkdirSync(file)
  }),
  'the journal is a pipe': journal((file) => {
    rmSync(file)
    execFileSync('mkfifo', [file])
  }),
  'the journal is empty': journal((file) => writeFileSync(file, '')),
  'the journal is a byte': journal((file) => writeFileSync(file, 'x')),
  'the journal is a text': journal((file) => writeFileSync(file, 'Dear diary\n'.repeat(500))),
  'the journal is foreign': journal((file) => {
    rmSync(file)
    foreignDatabase(file)
  }),
  'the journal is cut': journal((file) => truncateSync(file, 5_000)),
  'the journal has a bad page': journal((file) => {
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.fill(0x5a, 4_096 + 100))
  }),
  'the journal has a foreign log': journal((file) => writeFileSync(`${file}-wal`, 'x'.repeat(9_000))),
  'the profiles are empty': profiles(''),
  'the profiles are cut': ({ home }) => {
    const file = path.join(profilesIn(home), 'profiles.json')
    return profiles(readFileSync(file, 'utf8').slice(0, -20))({ home } as Place)
  },
  'the profiles are foreign': profiles('{"token":"sk_the-key-of-the-shop"}'),
  'the profiles are a pipe': ({ home }) => {
    const file = path.join(profilesIn(home), 'profiles.json')
    rmSync(file)
    execFileSync('mkfifo', [file])
    return {}
  },
  'the profiles are a link to a text': ({ home, others }) => {
    linked(path.join(profilesIn(home), 'profiles.json'), path.join(others, 'diary.txt'))
    return {}
  },
  'the profiles’ lock is a link': ({ home, others }) => {
    linked(path.join(profilesIn(home), 'profiles.lock'), path.join(others, 'diary.txt'))
    return {}
  },
  'the profiles’ lock is a pipe': ({ home }) => {
    const file = path.join(profilesIn(home), 'profiles.lock')
    rmSync(file, { force: true })
    execFileSync('mkfifo', [file])
    return {}
  },
  'the next profiles are a link': ({ home, others }) => {
    linked(path.join(profilesIn(home), 'profiles.next.json'), path.join(others, 'diary.txt'))
    return {}
  },
  'the sandbox is a text': ({ home }) => {
    writeFileSync(path.join(stateIn(home), 'sandbox.db'), 'Dear diary\n')
    return {}
  },
  'the clock is a day ahead': () => skewed(24),
  'the clock is a day behind': () => skewed(-24),
  'stdin is closed': () => redirect('<&-'),
  'stdout is closed': () => redirect('>&-'),
  'stderr is closed': () => redirect('2>&-'),
  'all three are closed': () => redirect('<&- >&- 2>&-'),
  'stdout is full': () => redirect('>/dev/full'),
  'stderr is full': () => redirect('2>/dev/full'),
  'both are full': () => redirect('>/dev/full 2>&1'),
  'stdin is a folder': () => redirect('</'),
}
