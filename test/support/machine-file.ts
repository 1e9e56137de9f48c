// What the machine file in a state folder says.
import { rmSync } from 'node:fs'
import path from 'node:path'
import { openMachine } from '../../src/journal/machine/machine-file.ts'
import { readNotes } from '../../src/journal/machine/newest-call.ts'
import { listEvents } from '../../src/journal/machine/outbox.ts'

export const readMachineFile = (state: string) => {
  using machine = openMachine(state)
  const disk = machine.read((database) => database.prepare('SELECT location FROM disks').get())
  return {
    ...readNotes({ machine, account: undefined }),
    events: listEvents(machine).map(({ event }) => event),
    location: disk?.location,
  }
}

export const deleteMachineFile = (state: string): void => {
  for (const ending of ['', '-wal', '-shm']) rmSync(path.join(state, `machine.db${ending}`), { force: true })
}
