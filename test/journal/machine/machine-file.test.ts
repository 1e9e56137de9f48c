// A machine file that is deleted or replaced while a process uses it: no call may begin that the next command does not find.
import { copyFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { Machine } from '../../../src/journal/machine/machine-file.ts'
import { deleteMachineFile } from '../../support/machine-file.ts'
import { openDesk, openFolder, openNoted, readNoted } from './noted-journal.ts'

const start = () => {
  const scratch = openFolder()
  const folder = path.join(scratch, 'state')
  return {
    folder,
    open: (noted = openNoted(folder)) => openDesk(path.join(scratch, 'journal.db'), noted),
    readNotedIds: () => readNoted(folder).map(({ newest }) => newest.id),
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
])('a process whose file %s sends nothing, and the next one does', async (_, change) => {
  const { open, readNotedIds, folder } = start()
  const running = await open()
  await running.placed('o1')
  change(folder)
  await expect(running.toConfirm('o1')).rejects.toThrow('was deleted or replaced while orderctl used it')
  const { id } = await (await open()).begin({ reference: 'other' })
  expect(readNotedIds()).toEqual([id])
})

test('a call is not sent if the file is deleted while the call is noted', async () => {
  const { open, folder } = start()
  const { machine, account } = openNoted(folder)
  const deleted: Machine = {
    ...machine,
    write: (use) =>
      machine.write((database) => {
        deleteMachineFile(folder)
        return use(database)
      }),
  }
  const desk = await open({ machine: deleted, account })
  await expect(desk.begin()).rejects.toMatchObject({
    kind: 'local-state',
    message: expect.stringMatching(/machine\.db was deleted or replaced while orderctl used it$/),
  })
  expect(await desk.listCalls(1)).toMatchObject([{ outcome: 'not-sent' }])
})
