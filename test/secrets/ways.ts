// Sixty and more ways of running, each with where a secret may be found after it.
import { readTable } from '../support/rows.ts'

// A way: NAME | WORDS | IN (surroundings by name, see test/secrets/surroundings.ts) | ENDS with this exit code |
// FOUND. DONE is an order with its card, OPEN one that is not confirmed, KEY the key, HOME the folder of it all.
//
// FOUND: places, and which canaries in each: K the key of the account, C a code, P a PIN, S a serial number, L a link.
// Not said in each row: the profile is in profiles.json, with the key. Nothing else may be anywhere: not on the two
// streams, in no file of the home (journal and its -wal, caches, temporary files, cores), in no argv, standard input or
// environment of a program that is started.
const ways = `
-- orders, masked
get                           | get DONE                                                       |                 | 0      |
get, --debug                   | get DONE --debug                                               |                 | 0      |
get, ORDERCTL_DEBUG           | get DONE                                                       | all by variable | 0      |
get in words                  | explain DONE                                                   |                 | 0      |
get in words, told all over   | explain DONE --json                                            | told all over   | 0      |
get in words, other shapes    | explain DONE --json                                            | other shapes    | 0      |
get on a terminal             | get DONE                                                       | terminal        | 0      |
redeem                        | redeem DONE                                                    |                 | 0      |
redeem, --debug                | redeem DONE --debug                                            |                 | 0      |
redeem on a terminal          | redeem DONE                                                    | terminal        | 0      |
watch                         | watch DONE                                                     |                 | 0      |
create, --debug                | create --product GAME-US:25 --wallet USD --reference r2 --debug --json |                 | 0      |
create to the end             | create --product GAME-US:25 --wallet USD --reference r3 --confirm --watch --json |                 | 0      |
confirm, --debug               | confirm OPEN --yes --debug --json                              |                 | 0      |
reconcile                     | reconcile --json --debug                                       |                 | 0      |
-- orders, revealed
get as JSON, revealed         | get DONE --json --reveal                                       |                 | 0      | stdout CPSL
get, revealed, --debug        | get DONE --json --reveal --debug                               |                 | 0      | stdout CPSL
redeem, revealed              | redeem DONE --reveal                                           |                 | 0      | stdout CPSL
redeem, each code             | redeem DONE --only code --reveal                               |                 | 0      | stdout C
redeem, to a terminal         | redeem DONE --reveal                                           | terminal        | 0      | stdout CPSL
redeem as QR codes            | redeem DONE --qr --reveal                                      | terminal        | 0      |
watch, revealed               | watch DONE --json --reveal                                     |                 | 0      | stdout CPSL
confirm, revealed             | confirm OPEN --yes --watch --json --reveal                     |                 | 0      | stdout CPSL
-- files and the clipboard
export to .csv                | redeem DONE --export HOME/c.csv                                |                 | 0      | c.csv CPSL
export to .html               | redeem DONE --export HOME/c.html                               |                 | 0      | c.html CPSL
export killed                 | redeem DONE --export HOME/c.csv                                | killed at fsync | killed | .orderctl-*.tmp CPSL
export on a full disk         | redeem DONE --export HOME/c.csv                                | full disk       | 74     |
-- batches: gifts is one that has its card
batch run, --debug             | batch run --product GAME-US:25 --wallet USD --max-total 99 --name b2 --allow-duplicate --debug --json | | 0 |
batch run again               | batch run gifts --max-total 99 --json                          |                 | 0      |
batch export to .csv          | batch export gifts HOME/b.csv                                  |                 | 0      | b.csv CPSL
batch export of other cards   | batch export gifts HOME/b.csv                                  | other shapes    | 0      |
batch export of another order | batch export gifts HOME/b.csv                                  | told all over   | 3      |
batch export, refused         | batch export gifts HOME/b.csv --json                           | refusal         | 3      |
copy                          | redeem DONE --copy --only code                                 | clipboard       | 0      | xclip.stdin C
copy, key by variable         | redeem DONE --copy --only code                                 | clipboard, key by variable | 0 | xclip.stdin C
copy without a tool           | redeem DONE --copy --only code                                 | no clipboard    | 2      |
-- what the service responds with repeats them
a refusal                     | get DONE --debug                                               | refusal         | 3      |
a page, --debug                | redeem DONE --debug --json                                     | page            | 5      |
moved elsewhere               | get DONE --debug --json                                        | moved           | 5      |
half a response                | get DONE --debug                                               | half            | 5      |
not as documented             | get DONE --json --debug                                        | wrong types     | 5      |
other shapes on a screen      | get DONE                                                       | other shapes    | 0      |
told all over                 | get DONE                                                       | told all over   | 0      |
told all over, as JSON        | get DONE --json --debug                                        | told all over   | 0      |
told all over, to the journal | reconcile                                                      | told all over   | 3      |
-- what the service responds with repeats the key, in all forms
repeated, --debug, JSON        | get DONE --debug --json                                        | key repeated    | 0      |
repeated to create            | create --product GAME-US:25 --wallet USD --reference k1 --debug | key repeated   | 0      |
repeated to the end           | create --product GAME-US:25 --wallet USD --reference k3 --confirm --watch --json --debug | key repeated | 0 |
repeated to an export         | redeem DONE --export HOME/c.html                               | key repeated    | 0      | c.html CPSL
repeated to a batch           | batch run --product GAME-US:25 --wallet USD --max-total 99 --name b3 --allow-duplicate --debug --json | key repeated | 0 |
repeated to the journal       | reconcile --json --debug                                       | key repeated    | 0      |
repeated as an id             | create --product GAME-US:25 --wallet USD --reference k4 --debug | key in the id  | 5      |
repeated, of a login          | get DONE --profile basic --debug --json                        | key repeated    | 4      |
-- the key, and how it gets here
by variable                   | get DONE --debug                                               | key by variable | 0      |
wrong, by variable            | get DONE --debug --json                                        | wrong key       | 4      |
from a command                | get DONE --profile vault --debug                               |                 | 0      |
from a command that fails     | get DONE --profile broken --debug                              |                 | 4      |
in a header                   | get DONE --profile header --debug                              |                 | 4      |
in the query                  | get DONE --profile query --debug --json                        |                 | 4      |
in the query, Node logs       | get DONE --profile query --json                                | logs of Node    | 4      |
as a login                    | get DONE --profile basic --debug                               |                 | 4      |
in an address                 | get DONE                                                       | key in address  | 2      |
nobody there                  | get DONE --debug --json                                        | nobody there    | 5      |
a profile, tested             | profile test shop --debug                                      |                 | 0      |
a profile, added              | profile add other --base-url https://a.example --key-stdin --json | key on stdin    | 0      |
-- the TAB key and the rest
completion of orders          | __complete -- get ord                                          |                 | 0      |
completion of profiles        | __complete -- get --profile                                    |                 | 0      |
a wrong flag                  | redeem DONE --revael --json                                    |                 | 2      |
a program beside a mock       | serve-mock --api-key KEY --exec -- witness                     |                 | 0      | witness.environment K
-- crashes
a defect                      | get DONE --reveal --json --debug                               | defect          | 1      |
a defect, uncaught            | redeem DONE --json                                             | uncaught        | 1      |
out of memory                 | get DONE --json                                                | out of memory   | killed |
aborted                       | redeem DONE --json                                             | aborted         | killed |
killed                        | get DONE --debug                                               | killed          | killed |
interrupted                   | get DONE --debug                                               | interrupted     | 0      |
nobody reads                  | redeem DONE --reveal                                           | closed stdout   | 0      |
a full stdout                 | redeem DONE --reveal                                           | full stdout     | 74     |
`

export type Row = {
  readonly name: string
  readonly words: readonly string[]
  /** The name of its surroundings. Empty for the usual ones. */
  readonly around: string
  /** The exit code, or `killed`. */
  readonly ends: string
  /** `stdout CPSL`, sorted. */
  readonly found: readonly string[]
}

export const rows: readonly Row[] = readTable(ways).map(
  ({ cells: [name = '', words = '', around = '', ends = '', found = ''] }) => ({
    ...{ name, words: words.split(' '), around, ends },
    found: found === '' ? [] : found.split(', ').toSorted(),
  }),
)
