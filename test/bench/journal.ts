// The journal in a file.
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import path from 'node:path'
import { openJournal } from '../../src/journal/open-journal.ts'
import { openScratch } from '../support/scratch.ts'
import { fillFile } from './filled-journal.ts'
import { columns, measureJournalCosts, sizes } from './journal-costs.ts'
import type { Size, Table } from './measure.ts'
import { accountAt, createHome, startService } from './processes.ts'

const line = Buffer.alloc(300, 'x')

export const measureJournal = async (size: Size): Promise<Table> => {
  const { calls, rounds, orders } = sizes[size]
  using scratch = openScratch()
  const homeOf = (name: string): string => path.join(scratch.folder, name)
  await using service = await startService(homeOf('service'))
  const open = async (name: string, count: number) => {
    const env = createHome(homeOf(name), accountAt(service.origin))
    const file = await fillFile(env, { origin: service.origin, count })
    return { env, journal: await openJournal(file) }
  }
  const few = await open('few', orders.few)
  const many = await open('many', orders.many)
  const log = openSync(homeOf('bare.log'), 'a', 0o600)
  const append = (): void => {
    writeSync(log, line)
    fdatasyncSync(log)
  }
  const write = (): void => {
    append()
    append()
  }
  const bare = { name: 'two appends with `fdatasync`', write }
  const rows = await measureJournalCosts({ size, few, many, origin: service.origin, bare })
  closeSync(log)
  await Promise.all([few.journal.close(), many.journal.close()])
  return {
    title: 'Journal in a file',
    columns,
    rows,
    note: `Medians of ${calls} calls, and of ${rounds} runs of each command. Each append writes ${line.length} bytes.`,
  }
}
