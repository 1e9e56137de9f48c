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

/** A process that adds profiles. Returns the names that it reported as saved. */
const add = async (task: Task, isKilledAfter = Number.POSITIVE_INFINITY): Promise<string[]> => {
  const child = execa(process.execPath, [writer, JSON.stringify(task)], {
    ipc: true,
    stderr: 'inherit',
    reject: false,
  })
  const said: string[] = []
  for await (const message of child.getEachMessage()) {
    said.push(String(message))
    // A write takes some milliseconds, so the kill falls into the next one.
    if (said.length === isKilledAfter) setTimeout(() => child.kill('SIGKILL'), Math.random() * 8)
  }
  await child
  return said
}

test('profiles that several processes add at once are not lost, nor those of processes that are killed', async () => {
  using scratch = openScratch()
  const { folder } = scratch
  const list = () => openProfiles({ folder, platform: process.platform }).list()
  const adding = Array.from({ length: isFullRun ? 8 : 2 }, (_, index) =>
    add({ folder, prefix: `w${index}`, count: 20 }),
  )
  const said = (await Promise.all(adding)).flat()
  expect(said).toHaveLength(20 * adding.length)
  expect(
    list()
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(said.toSorted())
  for (let kill = 0; kill < (isFullRun ? 20 : 8); kill += 1) {
    said.push(...(await add({ folder, prefix: `k${kill}`, count: 1_000_000 }, 1 + (kill % 3))))
    const names = new Set(list().map(({ name }) => name))
    expect(said.filter((name) => !names.has(name))).toEqual([])
  }
  // The next writer deletes the files of the killed processes.
  await add({ folder, prefix: 'last', count: 1 })
  expect(readdirSync(folder).toSorted()).toEqual(['profiles.json', 'profiles.lock'])
})
