// Where the password of a connection comes from. pgpass reads the password file.
import { chmodSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createDatabase } from '../support/postgres/database.ts'
import { openTcpProxy } from '../support/postgres/tcp-proxy.ts'
import { openScratch } from '../support/scratch.ts'
import { failureOf, openClient } from './open-client.ts'

/** Writes the password file of this process. */
const writePasswords = (text: string, mode = 0o600): void => {
  const scratch = openScratch()
  const file = path.join(scratch.folder, 'passwords')
  writeFileSync(file, text)
  chmodSync(file, mode)
  vi.stubEnv('PGPASSFILE', file)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    scratch[Symbol.dispose]()
  })
}

const database = await createDatabase()
afterAll(() => database[Symbol.asyncDispose]())

describe('a connection', () => {
  test('takes the password from PGPASSWORD, then from the password file', async () => {
    writePasswords(`127.0.0.1:*:${database.name}:*:${database.password}\n`)
    const client = openClient(database, { environment: { PGPASSWORD: '' } })
    expect(await client.all('SELECT 1 AS one')).toEqual([{ one: 1n }])
    const other = openClient(database, { environment: { PGPASSWORD: 'wrong' } })
    expect(await failureOf(other.all('SELECT 1'))).toContain('the password is wrong')
  })

  test('takes no password from a file that others can read', async () => {
    writePasswords(`*:*:*:*:${database.password}`, 0o644)
    const warn = vi.fn()
    const client = openClient(database, { environment: {}, warn })
    expect(await failureOf(client.all('SELECT 1'))).toContain('the server asks for a password')
    expect(warn).toHaveBeenCalledWith(expect.stringMatching(/^password file ".*" has group or world access/))
  })

  test('asks for the password once, for all connections, without a time limit', async () => {
    let asked = 0
    const response = Promise.withResolvers<string>()
    const askPassword = async () => {
      asked += 1
      return await response.promise
    }
    const client = openClient(database, { environment: {}, askPassword, limits: { connectMs: 1_000 } })
    const results = [1, 2, 3].map((n) => client.all('SELECT $n::int AS n', { n }))
    while (asked === 0) await new Promise(setImmediate)
    response.resolve(database.password)
    expect(await Promise.all(results)).toEqual([[{ n: 1n }], [{ n: 2n }], [{ n: 3n }]])
    expect(asked).toBe(1)
  })

  test('asks for the password without a connection, because the server limits the time of a login', async () => {
    const ended = Promise.withResolvers<void>()
    const watcher = { read: () => {}, responded: () => {}, ended: ended.resolve }
    await using proxy = await openTcpProxy(database, () => watcher)
    const askPassword = async () => {
      // As the server does if a person types for longer than its authentication_timeout.
      proxy.cut()
      await ended.promise
      return database.password
    }
    const client = openClient(database, { environment: {}, askPassword, place: proxy })
    expect(await client.all('SELECT 1 AS one')).toEqual([{ one: 1n }])
  })

  test('is not made if the password prompt returns nothing, or fails', async () => {
    const ended = Promise.withResolvers<void>()
    const watcher = { read: () => {}, responded: () => {}, ended: ended.resolve }
    await using proxy = await openTcpProxy(database, () => watcher)
    const silent = openClient(database, {
      ...{ environment: {}, askPassword: async () => undefined },
      ...{ place: proxy, limits: { connectMs: 60_000 } },
    })
    expect(await failureOf(silent.all('SELECT 1'))).toContain('the server asks for a password')
    await ended.promise
    const error = new Error('the command failed')
    const failing = openClient(database, { environment: {}, askPassword: () => Promise.reject(error) })
    await expect(failing.all('SELECT 1')).rejects.toBe(error)
  })
})
