// A shared journal with a machine file, behind a proxy that can make the server unreachable.
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { openMachine } from '../../../src/journal/machine/machine-file.ts'
import { type KeptOutcome, keepEvent, listEvents } from '../../../src/journal/machine/outbox.ts'
import { openSharedJournal } from '../../../src/journal/shared/shared-journal.ts'
import { parseAddress } from '../../../src/postgres/address.ts'
import { createDatabase } from '../../support/postgres/database.ts'
import { openTcpProxy } from '../../support/postgres/tcp-proxy.ts'
import { openScratch } from '../../support/scratch.ts'
import { createOrderDesk } from '../order-desk.ts'

export const openKept = async () => {
  const scratch = openScratch()
  const database = await createDatabase()
  const proxy = await openTcpProxy(database)
  const machine = openMachine(path.join(scratch.folder, 'state'))
  const saved: string[] = []
  const problems: string[] = []
  const ends: (() => Promise<void>)[] = []
  onTestFinished(async () => {
    for (const end of ends) await end()
    machine[Symbol.dispose]()
    await proxy[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
    scratch[Symbol.dispose]()
  })
  /** Opens the journal as a different command does. */
  const open = async () => {
    const journal = await openSharedJournal({
      address: parseAddress(database.address('ana', proxy), { user: 'nobody' }),
      environment: { PGPASSWORD: database.password },
      home: undefined,
      platform: process.platform,
      warn: () => {},
      random: () => 0,
      sleep: async () => {},
      noted: { machine, account: undefined },
      outbox: {
        onSaved: (name) => saved.push(name),
        onProblem: (problem) => problems.push(problem),
      },
    })
    ends.push(journal.close)
    return createOrderDesk(journal)
  }
  const desk = await open()
  const [row] = await database.admin('SELECT id FROM orderctl_journal')
  return {
    ...{ desk, open, database, proxy, machine, saved, problems },
    kept: () => listEvents(machine),
    /** Saves it as a different command does. */
    add: (outcome: KeptOutcome) => keepEvent(machine, outcome),
    /** The outcome `done` of a confirm of this journal. */
    outcomeOf: (
      begun: { readonly order: number; readonly call: number },
      fields: Partial<KeptOutcome> = {},
    ) =>
      ({
        ...{ journal: String(row?.id), address: 'postgres://host/journal', name: 'o1', startedAt: 2_000 },
        ...{
          at: 2_100,
          order: begun.order,
          call: begun.call,
          operation: 'confirm',
          end: { outcome: 'done' },
        },
        ...fields,
      }) as KeptOutcome,
    /** Cuts all connections and refuses new ones while the work runs. */
    unreachable: async <Result>(work: () => Promise<Result>): Promise<Result> => {
      proxy.refuse(true)
      proxy.cut()
      try {
        return await work()
      } finally {
        proxy.refuse(false)
      }
    },
  }
}
