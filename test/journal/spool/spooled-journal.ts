// A shared journal with a spool, behind a proxy that can make the server unreachable.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { openSharedJournal } from '../../../src/journal/shared/shared-journal.ts'
import { createSpool, type SpooledOutcome } from '../../../src/journal/spool/spool.ts'
import { parseAddress } from '../../../src/postgres/address.ts'
import { createDatabase } from '../../support/postgres/database.ts'
import { openTcpProxy } from '../../support/postgres/tcp-proxy.ts'
import { openScratch } from '../../support/scratch.ts'
import { createOrderDesk } from '../order-desk.ts'

export const openSpooled = async () => {
  const scratch = openScratch()
  const database = await createDatabase()
  const proxy = await openTcpProxy(database)
  const folder = path.join(scratch.folder, 'spool')
  const saved: string[] = []
  const problems: string[] = []
  const ends: (() => Promise<void>)[] = []
  onTestFinished(async () => {
    for (const end of ends) await end()
    await proxy[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
    scratch[Symbol.dispose]()
  })
  /** Opens the journal as another command does. */
  const open = async () => {
    const journal = await openSharedJournal({
      address: parseAddress(database.address('ana', proxy), { user: 'nobody' }),
      environment: { PGPASSWORD: database.password },
      home: undefined,
      platform: process.platform,
      warn: () => {},
      random: () => 0,
      sleep: async () => {},
      spool: {
        folder,
        onSaved: (name) => saved.push(name),
        onProblem: ({ file, reason }) => problems.push(`${path.basename(file)} ${reason}`),
      },
    })
    ends.push(journal.close)
    return createOrderDesk(journal)
  }
  const desk = await open()
  const [row] = await database.admin('SELECT id FROM orderctl_journal')
  return {
    ...{ desk, open, database, proxy, folder, saved, problems },
    files: () => createSpool(folder).list(),
    names: () => readdirSync(folder),
    /** Adds a file to the spool. */
    add: (name: string, text: string): void => {
      mkdirSync(folder, { recursive: true })
      writeFileSync(path.join(folder, name), text)
    },
    /** The outcome `done` of a confirm of this journal. */
    outcomeOf: (
      begun: { readonly order: number; readonly call: number },
      fields: Partial<SpooledOutcome> = {},
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
      }) as SpooledOutcome,
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
