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
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { cannotMount, readOnly, smallDisk } from '../support/disks.ts'
import type { RunOptions } from '../support/orderctl.ts'
import { journalIn, type Place, profilesIn, stateIn } from './world.ts'

type Around = Pick<RunOptions, 'env' | 'under'> & { readonly end?: () => void }

/** Prepares the situation. May return how to run the command in it. */
type Situation = (place: Place) => Around | undefined

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

type Change = (file: string, place: Place) => void

const foreignDatabase: Change = (file) => {
  rmSync(file, { force: true })
  using database = new DatabaseSync(file)
  database.exec("CREATE TABLE diary (line TEXT); INSERT INTO diary VALUES ('Dear diary')")
}

const link = (file: string, target: string): void => {
  rmSync(file, { force: true })
  symlinkSync(target, file)
}

/** A link to a file of the other owner. */
const linkTo =
  (name: string): Change =>
  (file, { others }) =>
    link(file, path.join(others, name))

const write =
  (text: string): Change =>
  (file) =>
    writeFileSync(file, text)

const makePipe: Change = (file) => {
  rmSync(file, { force: true })
  execFileSync('mkfifo', [file])
}

const openToReaders = (folder: string): void => {
  for (const each of everythingIn(folder)) chmodSync(each, statSync(each).isDirectory() ? 0o755 : 0o644)
}

const journal =
  (change: Change): Situation =>
  (place) => {
    change(journalIn(place.home), place)
  }

const profiles =
  (change: Change, name = 'profiles.json'): Situation =>
  (place) => {
    change(path.join(profilesIn(place.home), name), place)
  }

export const situations: Readonly<Record<string, Situation>> = {
  'all is well': () => ({}),
  'a first time': ({ home }) => {
    remade(home)
  },
  'no HOME': () => ({ env: { HOME: undefined } }),
  'a relative HOME': () => ({ env: { HOME: 'home' } }),
  'HOME is not there': ({ home }) => ({ env: { HOME: path.join(home, 'new', 'home') } }),
  'HOME is a file': ({ others }) => ({ env: { HOME: path.join(others, 'diary.txt') } }),
  'read-only': ({ home }) => ({ end: readOnly(home)[Symbol.dispose] }),
  'read-only, a first time': ({ home }) => {
    remade(home)
    return { end: readOnly(home)[Symbol.dispose] }
  },
  'the disk is full': ({ home }) => onFullDisk(home),
  'all of it is root’s, readable': ({ home }) => {
    opened(home)
    openToReaders(home)
    return asNobody
  },
  'all of it is root’s': ({ home }) => {
    opened(home)
    return asNobody
  },
  'a user without a name': ({ home }) => {
    opened(home)
    given(home)
    return { ...asNobody, under: ['setpriv', '--reuid=54321', '--regid=54321', '--clear-groups', '--'] }
  },
  'others may read it all': ({ home }) => {
    openToReaders(home)
  },
  'others may write it all': ({ home }) => {
    for (const each of everythingIn(home)) {
      // SQLite would give the mode of the journal to its log.
      if (!each.endsWith('journal.db')) chmodSync(each, statSync(each).isDirectory() ? 0o777 : 0o666)
    }
  },
  'the state folder is a link': ({ home, others }) => {
    const elsewhere = path.join(path.dirname(others), 'elsewhere')
    renameSync(stateIn(home), elsewhere)
    link(stateIn(home), elsewhere)
  },
  'the state folder is a file': ({ home }) => {
    rmSync(stateIn(home), { recursive: true })
    writeFileSync(stateIn(home), '')
  },
  'the journal is a link to nothing': journal(linkTo('not-yet.db')),
  'the journal is a link to itself': journal((file) => link(file, file)),
  'the journal is a folder': journal((file) => {
    rmSync(file)
    mkdirSync(file)
  }),
  'the journal is a pipe': journal(makePipe),
  'the journal is empty': journal(write('')),
  'the journal is a text': journal(write('Dear diary\n'.repeat(500))),
  'the journal is foreign': journal(foreignDatabase),
  'the journal has a bad page': journal((file) => {
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.fill(0x5a, 4_096 + 100))
  }),
  'the journal has a foreign log': journal((file) => writeFileSync(`${file}-wal`, 'x'.repeat(9_000))),
  'the profiles are a pipe': profiles(makePipe),
  'the profiles are a link to a text': profiles(linkTo('diary.txt')),
  'the profiles’ lock is a link': profiles(linkTo('diary.txt'), 'profiles.lock'),
  'the next profiles are a link': profiles(linkTo('diary.txt'), 'profiles.next.json'),
  'the sandbox is a text': ({ home }) => {
    writeFileSync(path.join(stateIn(home), 'sandbox.db'), 'Dear diary\n')
  },
  'the clock is a day ahead': () => skewed(24),
  'the clock is a day behind': () => skewed(-24),
  'stdin is closed': () => redirect('<&-'),
  'stdout is closed': () => redirect('>&-'),
  'stderr is closed': () => redirect('2>&-'),
  'all three are closed': () => redirect('<&- >&- 2>&-'),
  'stdout is full': () => redirect('>/dev/full'),
  'stderr is full': () => redirect('2>/dev/full'),
}
