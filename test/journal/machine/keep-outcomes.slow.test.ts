// Outcomes that the journal could not record, and how they get there later. `offline` runs a step while the server is
// unreachable, `reopen` opens the journal as the next command does, and `kept` are the saved outcomes, by their names.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type KeptOutcome, keepEvent, listEvents } from '../../../src/journal/machine/outbox.ts'
import { openSharedJournal } from '../../../src/journal/shared-journal.ts'
import { parseAddress } from '../../../src/postgres/address.ts'
import { createDatabase } from '../../support/postgres/database.ts'
import { openTcpProxy } from '../../support/postgres/tcp-proxy.ts'
import { readScripts, runScript, runStep, type Verbs } from '../../support/steps.ts'
import { optionsOf } from '../journals.ts'
import { createOrderDesk, done, update } from '../order-desk.ts'
import { type Begun, createOrderVerbs } from '../script.ts'
import { openFolder, openNoted } from './noted-journal.ts'

const shortenProblem = (problem: string): string =>
  problem
    .replace(/^the journal does not contain the (\w+ of \w+) whose outcome was saved$/, 'no $1')
    .replace(/\S*machine\.db/, 'FILE')

/** A shared journal with a machine file, behind a proxy that can make the server unreachable. */
const openKept = async () => {
  const { machine } = openNoted(path.join(openFolder(), 'state'))
  const database = await createDatabase()
  const proxy = await openTcpProxy(database)
  const ends: (() => Promise<void>)[] = [database[Symbol.asyncDispose], proxy[Symbol.asyncDispose]]
  onTestFinished(async () => {
    for (const end of ends.toReversed()) await end()
  })
  const saved: string[] = []
  const problems: string[] = []
  const open = async () => {
    const journal = await openSharedJournal({
      ...optionsOf(database.address('ana', proxy)),
      address: parseAddress(database.address('ana', proxy), { user: 'nobody' }),
      ...{ random: () => 0, sleep: async () => {}, noted: { machine, account: undefined } },
      outbox: {
        onSaved: (name) => saved.push(name),
        onProblem: (problem) => problems.push(shortenProblem(problem)),
      },
    })
    ends.push(journal.close)
    return journal
  }
  return { machine, database, proxy, saved, problems, open }
}

const createKeptVerbs = async (): Promise<Verbs> => {
  const { machine, database, proxy, saved, problems, open } = await openKept()
  const begun: Begun = new Map()
  let journal = await open()
  const createVerbs = () =>
    createOrderVerbs(
      {
        ...{ journal, address: database.address(), close: async () => {}, damage: async () => {} },
        query: (sql) => database.admin(sql),
      },
      begun,
    )
  let current = createVerbs()
  const [row] = await database.admin('SELECT id FROM orderctl_journal')
  const now =
    (name: string): Verbs[string] =>
    async (step) =>
      current[name]?.(step)
  const verbs: Verbs = {
    ...Object.fromEntries(Object.keys(current).map((name) => [name, now(name)])),
    offline: async ({ text }) => {
      proxy.refuse(true)
      proxy.cut()
      const [, result] = (await runStep(verbs, text)).split(' → ')
      proxy.refuse(false)
      return result?.replace(/(cannot connect).*/, '$1')
    },
    reopen: async () => {
      journal = await open()
      current = createVerbs()
    },
    kept: async () =>
      listEvents(machine)
        .map(({ event }) => (event === undefined ? 'damaged' : (event as KeptOutcome).name))
        .join(', '),
    saved: async () => saved.join(', '),
    problems: async () => problems.join(' & '),
    /** What `get` showed after a confirm without a response. */
    found: async ({ words: [state = ''] }) => {
      const call = begun.get('')
      const shown = update(state, { total: '25', at: 2_200 })
      if (call !== undefined) await journal.end(call, { kind: 'seen', ...shown })
    },
    /** A different command has saved this outcome of a confirm. */
    spool: async ({ words: [outcome], label, fields }) => {
      const { order, call } = begun.get(label) ?? { order: 0, call: 0 }
      const numbers = Object.entries(fields).map(([name, value]) => [name, Number(value) || value])
      const event = {
        ...{ journal: String(row?.id), address: 'postgres://host/journal', name: 'o1', startedAt: 2_000 },
        ...{ order, call, operation: 'confirm', fact: { kind: 'confirm-ended', call, outcome, at: 2_100 } },
        ...Object.fromEntries(numbers),
      } as KeptOutcome
      await keepEvent(machine, event)
    },
    spoil: async ({ text }) => void (await machine.write((data) => data.exec(text))),
  }
  return verbs
}

test.each(
  readScripts(`
  == while the server is unreachable, the outcome of each create is saved, and the next command records it
  create r0 #0; create r1 #1; create r2 #2; create r3 #3; offline created o0 #0; offline end refused 404 #1
  offline end not-sent #2; offline end unknown 502 #3; saved → o0, r1, r2, r3; kept → o0, r1, r2, r3
  reopen; kept; state o0 → created
  read SELECT void_reason FROM orders ORDER BY number → , refused, not-sent, lost
  read SELECT outcome, status FROM calls ORDER BY number → done , refused 404, not-sent , unknown 502
  read SELECT responded_at FROM calls ORDER BY number → 1100, 2100, 2100, 2100
  read SELECT order_id, total, expires_at FROM orders WHERE reference = 'r0' → o0 25 601000

  == a damaged outcome is reported, and holds up no other
  create; offline created o1; spoil INSERT INTO outbox (number, journal, event) SELECT 0, journal, '{' FROM outbox
  spoil INSERT INTO outbox (number, journal, event) SELECT -1, journal, 'null' FROM outbox WHERE number > 0
  spoil INSERT INTO outbox (number, journal, event) SELECT -2, journal, '{"call":1}' FROM outbox WHERE number > 0
  spoil INSERT INTO outbox (number, journal, event) SELECT -3, journal, replace(event, 'create-ended', 'decided') FROM outbox WHERE number > 0
  spoil INSERT INTO outbox (number, journal, event) SELECT -4, journal, replace(event, '"startedAt":', '"startedAt":0.') FROM outbox WHERE number > 0
  reopen; state o1 → created; kept → damaged, damaged, damaged, damaged, damaged
  problems → the saved outcome -4 in FILE is damaged & the saved outcome -3 in FILE is damaged & the saved outcome -2 in FILE is damaged & the saved outcome -1 in FILE is damaged & the saved outcome 0 in FILE is damaged

  == both outcomes of a confirm are saved, and the later one holds
  place o1; confirm o1; offline end unknown; offline end refused 404; kept → o1, o1; reopen
  calls o1 → create done, confirm refused

  == what get showed after a confirm without a response is saved, and reported once
  place o1; confirm o1; offline end unknown 504; offline found processing; kept → o1, o1; saved → o1; reopen
  state o1 → processing; calls o1 → create done, confirm unknown took-effect; kept

  == the same process records what it saved before it begins another call
  create; offline created o1; offline confirm o1 → fails: cannot connect; confirm o1; kept
  read SELECT order_id FROM orders → o1

  == done proves the confirmation of a call that a person has settled as not spent
  place o1; confirm o1; decide o1 unspent; spool done; reopen; state o1 → confirmed
  calls o1 → create done, confirm done no-effect by sam: asked

  == done that is written again does not refute what a person has decided since
  place o1; confirm o1; end done; decide o1 unspent; spool done; reopen; state o1 → not-spent

  == not sent changes nothing about a call that a person has settled as spent
  place o1; confirm o1; decide o1 spent; spool not-sent; reopen; state o1 → confirmed
  calls o1 → create done, confirm not-sent took-effect by sam: asked; kept

  == done does not take back a later state
  place o1; confirm o1; get o1 successful; spool done; reopen; state o1 → successful

  == an outcome that fits no call stays and is reported once, and the others are written
  place o1; confirm o1 #1; place o2 r2; confirm o2 #2; spool done #1 name=a startedAt=1999
  spool done #1 name=b call=4711; spool done #1 name=c order=4711; spool not-sent #1 name=d operation=create
  spool done #1 name=e journal=another; spool done #2; reopen; state o1 → unknown; state o2 → confirmed
  place o3 r3; kept → a, b, c, d, e
  problems → no confirm of a & no confirm of b & no confirm of c & no create of d
`),
)('%s', async (_title, text) => {
  expect(await runScript(await createKeptVerbs(), text)).toBe(text)
})

test('an id that was used before is found when the connection is back', async () => {
  const { open, proxy } = await openKept()
  const desk = createOrderDesk(await open())
  await desk.placed('o1', { reference: 'earlier' })
  const begun = await desk.begin()
  void proxy.cutAt('COMMIT\0')
  expect(await desk.endCreate(begun, done(), 1_100)).toMatchObject([{ reference: 'earlier' }])
})

test('if the machine file is damaged, the journal can be read', async () => {
  const { open, machine } = await openKept()
  await createOrderDesk(await open()).placed()
  machine[Symbol.dispose]()
  rmSync(path.dirname(machine.file), { recursive: true, force: true })
  mkdirSync(path.dirname(machine.file))
  writeFileSync(machine.file, Buffer.alloc(8_192, 'x'))
  expect(await createOrderDesk(await open()).getState('o1')).toBe('created')
})
