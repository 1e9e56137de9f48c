// A process that is stopped inside a transaction does not block the others for long.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createDatabase } from '../support/postgres/database.ts'
import { waitUntil } from '../support/wait-until.ts'
import { openClient } from './open-client.ts'

const open = async () => {
  const database = await createDatabase()
  onTestFinished(() => database[Symbol.asyncDispose]())
  await database.admin(
    'CREATE TABLE item (n int NOT NULL); INSERT INTO item VALUES (0); GRANT ALL ON item TO PUBLIC',
  )
  return database
}

const isStopped = (pid: number | undefined): boolean =>
  readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.startsWith('T') === true

const startStopped = async (address: string, password: string, idleMs: number) => {
  const file = fileURLToPath(import.meta.resolve('./stopped-client.ts'))
  const child = spawn(process.execPath, [file, address, String(idleMs)], {
    env: { ...process.env, PGPASSWORD: password },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const printed = text(child.stdout)
  await waitUntil(() => isStopped(child.pid))
  return {
    finish: async (): Promise<string> => {
      const ended = once(child, 'close')
      child.kill('SIGCONT')
      await ended
      return printed
    },
  }
}

describe.runIf(process.platform === 'linux')('a stopped process', () => {
  const idleMs = 300

  test('loses its transaction after the limit, and runs it again when it continues', async () => {
    const database = await open()
    const { finish } = await startStopped(database.address(), database.password, idleMs)
    const client = openClient(database, { limits: { lockMs: 8_000 } })
    await client.run('UPDATE item SET n = n + 10')
    expect(await database.admin('SELECT n FROM item')).toEqual([{ n: 10 }])
    expect(await finish()).toBe('runs: 2\n')
    expect(await database.admin('SELECT n FROM item')).toEqual([{ n: 11 }])
  })
})

test('by default, the limit is 10 s', async () => {
  const client = openClient(await open())
  const show = "SELECT current_setting('idle_in_transaction_session_timeout') AS idle"
  expect(await client.transaction(({ all }) => all(show))).toEqual([{ idle: '10s' }])
})
