// The table of situations on this machine: no home, full disks, other users, links, damaged files, closed streams.
import { readTable, type TableRow } from '../support/rows.ts'
import { type CommandName, commands } from './commands.ts'
import { situations } from './situations.ts'

// A cell has the exit code, the requests (c create, p confirm, g get) and the letter of the phrase on stderr, from A. No
// letter means that stderr has no message. run-cell.ts has the rules that hold in every cell.
const local = `
--                                  | create | confirm  | get    | list | redeem | profiles | add  | sandbox | script | tab  | what is said
== environment: the account is there
all is well                         | 0 c    | 0 gpg    | 0 g    | 0    | 0 g    | 0        | 0    | 0       | 0      | 0    |
a first time                        | 0 c    | 0 gpg    | 0 g    | 0 A  | 0 g    | 0        | 0    | 0       | 0      | 0    | No matching orders
-- no home to speak of
no HOME                             | 9 A    | 9 A      | 0 g    | 9 A  | 0 g    | 9 B      | 9 B  | 9 A     | 0      | 0    | cannot store the journal: there is no home folder // cannot store profiles: there is no home folder
a relative HOME                     | 9 A    | 9 A      | 0 g    | 9 A  | 0 g    | 9 B      | 9 B  | 9 A     | 0      | 0    | cannot store the journal: "home/.local/state/orderctl" is not an absolute path // the home folder is "home", which is not an absolute path
HOME is not there                   | 0 c    | 0 gpg    | 0 g    | 0 A  | 0 g    | 0        | 0    | 0       | 0      | 0    | No matching orders
HOME is a file                      | 9 A    | 9 A      | 0 g B  | 9 A  | 0 g B  | 9 C      | 9 D  | 9 A     | 0      | 0    | cannot create the folder others/diary.txt/.local/state/orderctl: not a directory // the account of the order was not checked // cannot read the profiles others/diary.txt/.config/orderctl/profiles.json: not a directory // cannot write the profiles others/diary.txt/.config/orderctl/profiles.json: not a directory
-- nothing can be written: what spends sends nothing, what reads reads
read-only                           | 9 A    | 9 A      | 0 g    | 0    | 0 g    | 0        | 9 B  | 9 C     | 0      | 0    | cannot use the journal journal.db: read-only file system // cannot write the profiles profiles.json: read-only file system // cannot use the state file sandbox.db: read-only file system
read-only, a first time             | 9 A    | 9 A      | 0 g    | 0 B  | 0 g    | 0        | 9 C  | 9 A     | 0      | 0    | cannot create the folder ~/.local/state/orderctl: read-only file system // No matching orders // cannot write the profiles profiles.json: read-only file system
the disk is full                    | 9 A    | 9 A      | 0 g    | 0    | 0 g    | 0        | 9 B  | 9 C     | 0      | 0    | cannot use the journal journal.db: database or disk is full // cannot write the profiles profiles.json: no space left on device // cannot use the state file sandbox.db: disk I/O error
-- other users
all of it is root’s, readable       | 9 A    | 9 A      | 0 g    | 0    | 0 g    | 0 B      | 9 C  | 9 D     | 0      | 0    | cannot use the journal journal.db: permission denied // other users can read the keys in your profiles // cannot write the profiles profiles.json: permission denied // cannot use the state file sandbox.db: permission denied
all of it is root’s                 | 9 A    | 9 A      | 0 g B  | 9 A  | 0 g B  | 9 C      | 9 C  | 9 A     | 0      | 0    | cannot create the folder ~/.local/state/orderctl: permission denied // the account of the order was not checked // cannot read the profiles profiles.json: permission denied
a user without a name               | 9 A    | 9 A      | 0 g B  | 9 A  | 0 g B  | 9 C      | 9 C  | 9 A     | 0      | 0    | cannot create the folder ~/.local/state/orderctl: permission denied // the account of the order was not checked // cannot read the profiles profiles.json: permission denied
others may read it all              | 0 c    | 0 gpg    | 0 g    | 0    | 0 g    | 0 A      | 0 A  | 0       | 0      | 0    | other users can read the keys in your profiles. Type: chmod 600 profiles.json
others may write it all             | 9 A    | 9 A      | 0 g B  | 0 B  | 0 g B  | 9 C      | 9 C  | 0       | 0      | 0    | the journal cannot be used: every user can change ~/.local/state/orderctl (mode 0777) // orderctl only reads the journal: every user can change ~/.local/state/orderctl (mode 0777) // the profiles cannot be used: every user can change ~/.config/orderctl (mode 0777)
-- links
the state folder is a link          | 0 c    | 0 gpg    | 0 g    | 0    | 0 g    | 0        | 0    | 0       | 0      | 0    |
the journal is a link to nothing    | 9 A    | 9 A      | 0 g B  | 9 A  | 0 g B  | 0        | 0    | 0       | 0      | 0    | journal.db is a link to a missing file // the account of the order was not checked
the journal is a link to itself     | 9 A    | 9 A      | 0 g B  | 9 A  | 0 g B  | 0        | 0    | 0       | 0      | 0    | cannot use the journal journal.db: too many symbolic links encountered // the account of the order was not checked
-- what is there is something else, or broken
the state folder is a file          | 9 A    | 9 A      | 0 g B  | 9 A  | 0 g B  | 0        | 0    | 9 C     | 0      | 0    | cannot use the journal journal.db: not a directory // the account of the order was not checked // cannot use the state file sandbox.db: not a directory
the journal is a folder             | 9 A    | 9 A      | 0 g B  | 9 A  | 0 g B  | 0        | 0    | 0       | 0      | 0    | journal.db is not a file // the account of the order was not checked
the journal is a pipe               | 9 A    | 9 A      | 0 g B  | 9 A  | 0 g B  | 0        | 0    | 0       | 0      | 0    | journal.db is not a file // the account of the order was not checked
the journal is empty                | 0 c    | 0 gpg    | 0 g    | 0 A  | 0 g    | 0        | 0    | 0       | 0      | 0    | No matching orders
the journal is a text               | 9 A    | 9 A      | 0 g B  | 9 A  | 0 g B  | 0        | 0    | 0       | 0      | 0    | journal.db is not a database // the account of the order was not checked
the journal is foreign              | 9 A    | 9 A      | 0 g B  | 9 A  | 0 g B  | 0        | 0    | 0       | 0      | 0    | journal.db is a database, but not a journal of orderctl // the account of the order was not checked
the journal has a bad page          | 9 A    | 9 A      | 0 g B  | 9 A  | 0 g B  | 0        | 0    | 0       | 0      | 0    | journal.db is damaged // the account of the order was not checked
the journal has a foreign log       | 0 c    | 0 gpg    | 0 g    | 0    | 0 g    | 0        | 0    | 0       | 0      | 0    |
the sandbox is a text               | 0 c    | 0 gpg    | 0 g    | 0    | 0 g    | 0        | 0    | 9 A     | 0      | 0    | sandbox.db is not a database
-- a wrong clock
the clock is a day ahead            | 0 c A  | 0 gpg A  | 0 g A  | 0    | 0 g A  | 0        | 0    | 0       | 0      | 0    | this machine's clock is 24 h ahead of the service's
the clock is a day behind           | 0 c A  | 0 gpg A  | 0 g A  | 0    | 0 g A  | 0        | 0    | 0       | 0      | 0    | this machine's clock is 2
-- streams that lead nowhere
stdin is closed                     | 0 c    | 0 gpg    | 0 g    | 0    | 0 g    | 0        | 4 A  | 0       | 0      | 0    | the key is empty
stdout is closed                    | 0 c    | 0 gpg    | 0 g    | 0    | 0 g    | 0        | 0    | 0       | 0      | 0    |
stderr is closed                    | 0 c    | 0 gpg    | 0 g    | 0    | 0 g    | 0        | 0    | 0       | 0      | 0    |
all three are closed                | 0 c    | 0 gpg    | 0 g    | 0    | 0 g    | 0        | 4    | 0       | 0      | 0    |
stdout is full                      | 74 c A | 74 gpg A | 74 g A | 74 A | 74 g A | 74 A     | 74 A | 74 A    | 74 A   | 74 A | the result could not be written in full: no space left on device
stderr is full                      | 0 c    | 0 gpg    | 0 g    | 0    | 0 g    | 0        | 0    | 0       | 0      | 0    |
== profile: the one in use
the profiles are a pipe             | 9 A    | 9 A      | 9 A    | 0    | 9 A    | 9 A      | 9 A  | 0       | 0      | 0    | profiles.json is not a file
the profiles are a link to a text   | 9 A    | 9 A      | 9 A    | 0    | 9 A    | 9 A      | 9 A  | 0       | 0      | 0    | profiles.json is not valid JSON: expected a value at line 1, column 1
the profiles’ lock is a link        | 0 c    | 0 gpg    | 0 g    | 0    | 0 g    | 0        | 9 A  | 0       | 0      | 0    | profiles.lock is not a file
the next profiles are a link        | 0 c    | 0 gpg    | 0 g    | 0    | 0 g    | 0        | 0    | 0       | 0      | 0    |
`

export type Cell = {
  readonly situation: string
  readonly command: CommandName
  /** The source of the account: the environment, or the profile in use. */
  readonly account: 'environment' | 'profile'
  readonly exit: number
  /** The requests: c create, p confirm, g get. */
  readonly wire: string
  /** A phrase on stderr. If it is '', stderr has no message. */
  readonly says: string
}

const names = Object.keys(commands) as CommandName[]

/** A cell such as `0`, `0 g`, `9 A` or `0 g B`: exit code, requests, and the letter of a phrase of the row. */
const cellsOf = ({ section, cells: [situation = '', ...columns] }: TableRow): Cell[] => {
  const account = section as Cell['account']
  if (situations[situation] === undefined) throw new Error(`there is no situation like ${situation}`)
  if (columns.length !== names.length + 1) throw new Error(`a row has ${names.length} cells: ${situation}`)
  const phrases = (columns.at(-1) ?? '').split(' // ')
  return names.map((command, index) => {
    const [, exit = '', wire = '', mark] =
      /^(\d+)(?: ([cgp]+))?(?: ([A-E]))?$/.exec(columns[index] ?? '') ?? []
    const says = mark === undefined ? '' : phrases['ABCDE'.indexOf(mark)]
    if (exit === '' || says === undefined) throw new Error(`no cell: ${columns[index]} in ${situation}`)
    return { situation, command, account, exit: Number(exit), wire, says }
  })
}

/** A section sets the account. */
export const cells: readonly Cell[] = readTable(local).flatMap(cellsOf)
