// A machine file that is deleted or replaced while a process uses it: the next command must find what the process notes.
import { copyFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Machine, openMachine } from '../../../src/journal/machine/machine-file.ts'
import { readNotes } from '../../../src/journal/machine/newest-call.ts'
import { openJournal } from '../../../src/journal/open-journal.ts'
import { deleteMachineFile } from '../../support/machine-file.ts'
import { openScratch } from '../../support/scratch.ts'
import { createOrderDesk, owner } from '../order-desk.ts'

const { account } = owner

const start = () => {
  const scratch = openScratch()
  onTestFinished(() => scratch[Symbol.dispose]())
  const folder = path.join(scratch.folder, 'state')
  const openOwn = (): Machine => {
    const machine = openMachine(folder)
    onTestFinished(machine[Symbol.dispose])
    return machine
  }
  return {
    folder,
    openOwn,
    /** Opens the journal as a separate command does. */
    open: async (machine = openOwn()) => {
      const journal = await openJournal(scratch.file, { noted: { machine, account } })
      onTestFinished(journal.close)
      return createOrderDesk(journal)
    },
    readNoted: () => readNotes({ machine: openOwn(), account }).journals.map(({ newest }) => newest.id),
  }
}

test.each<[string, (folder: string) => void]>([
  ['is deleted', deleteMachineFile],
  ['is deleted without its log', (folder) => rmSync(path.join(folder, 'machine.db'))],
  ['is deleted with its folder', (folder) => rmSync(folder, { recursive: true })],
  [
    'is replaced',
    (folder) => {
      const copy = path.join(folder, 'copy.db')
      copyFileSync(path.join(folder, 'machine.db'), copy)
      deleteMachineFile(folder)
      renameSync(copy, path.join(folder, 'machine.db'))
    },
  ],
])('a file that %s contains the next call', async (_, change) => {
  const { open, readNoted, folder } = start()
  const running = await open()
  await running.placed('o1')
  change(folder)
  const confirm = await running.toConfirm('o1')
  expect(readNoted()).toEqual([confirm.id])
  const { id } = await running.begin({ reference: 'other' })
  expect(readNoted()).toEqual([id])
})

test('a file that a second process creates anew contains the calls of both', async () => {
  const { open, openOwn, readNoted, folder } = start()
  const own = openOwn()
  const running = await open(own)
  await running.placed('o1')
  deleteMachineFile(folder)
  const other = await (await open()).begin({ reference: 'other' })
  // Closing the deleted file does not delete the new file's log.
  own[Symbol.dispose]()
  expect(readNoted()).toEqual([other.id])
  const { id } = await running.toConfirm('o1')
  expect(readNoted()).toEqual([id])
})

test('a call is not sent if the file is deleted while the call is noted', async () => {
  const { open, openOwn, folder } = start()
  const machine = openOwn()
  const deleted: Machine = {
    ...machine,
    write: (use) =>
      machine.write((database) => {
        deleteMachineFile(folder)
        return use(database)
      }),
  }
  const desk = await open(deleted)
  await expect(desk.begin()).rejects.toMatchObject({
    kind: 'local-state',
    message: expect.stringMatching(/machine\.db was deleted or replaced while orderctl wrote to it$/),
  })
  expect(await desk.listCalls(1)).toMatchObject([{ outcome: 'not-sent' }])
})
