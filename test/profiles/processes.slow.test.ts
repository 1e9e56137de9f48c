// Several real processes write to one folder and are killed during a write.
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { openProfiles } from '../../src/profiles/store.ts'
import { isFullRun } from '../support/cases.ts'
import { openScratch } from '../support/scratch.ts'
import type { Task } from './profile-writer.ts'

const writer = fileURLToPath(new URL('profile-writer.ts', import.meta.url))

/** Starts processes that wait for a signal, so that they begin at the same time. */
const startWriter = async () => {
  const child = execa(process.execPath, [writer], { ipc: true, reject: false, stderr: 'inherit' })
  await child.getOneMessage()
  /** The names that it reports as saved; killed `at` the one of that number, or not at all. */
  return async (task: Task, at?: { said: number; then: () => Promise<void> }): Promise<string[]> => {
    const said: string[] = []
    await child.sendMessage(task)
    for await (const message of child.getEachMessage()) {
      said.push(String(message))
      if (at !== undefined && said.length === at.said) void at.then().then(() => child.kill('SIGKILL'))
    }
    await child
    return said
  }
}

const namesIn = (folder: string): string[] =>
  openProfiles({ folder, platform: process.platform })
    .list()
    .map(({ name }) => name)

const files = ['profiles.json', 'profiles.lock']

test.each(isFullRun ? ['2 × 20', '8 × 6'] : ['2 × 10'])(
  'processes × profiles at once lose none: %s',
  async (size) => {
    const [processes = 0, count = 0] = size.split(' × ').map(Number)
    using scratch = openScratch()
    const { folder } = scratch
    const writers = await Promise.all(Array.from({ length: processes }, startWriter))
    const said = await Promise.all(
      writers.map((write, index) => write({ folder, prefix: `w${index}`, count })),
    )
    expect(said.flat()).toHaveLength(processes * count)
    expect(namesIn(folder).toSorted()).toEqual(said.flat().toSorted())
    expect(readdirSync(folder).toSorted()).toEqual(files)
  },
)

/** Kills a process repeatedly during a write. Everything that it reported as saved must exist. */
const killed = async (kills: number): Promise<void> => {
  using scratch = openScratch()
  const { folder } = scratch
  const told: string[] = []
  let next = startWriter()
  for (let kill = 0; kill < kills; kill += 1) {
    const write = await next
    next = startWriter()
    // A write takes some milliseconds, so the kill falls into the next one.
    const then = async () => {
      const until = performance.now() + Math.random() * 8
      while (performance.now() < until) await new Promise((resolve) => setImmediate(resolve))
    }
    const task = { folder, prefix: `k${kill}`, count: 1_000_000 }
    told.push(...(await write(task, { said: 1 + (kill % 3), then })))
    const names = new Set(namesIn(folder))
    expect(told.filter((name) => !names.has(name))).toEqual([])
  }
  // The next writer deletes the files of the killed processes.
  await (await next)({ folder, prefix: 'last', count: 1 })
  expect(readdirSync(folder).toSorted()).toEqual(files)
}

test('kills during a write corrupt and lose nothing', async () => {
  await Promise.all((isFullRun ? [5, 5, 5, 5] : [3]).map(killed))
})
