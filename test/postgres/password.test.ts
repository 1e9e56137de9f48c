// Where the password comes from, and which password files are ignored.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { findPassword, lookUpPassword } from '../../src/postgres/address.ts'
import { createDatabase } from '../support/postgres/database.ts'
import { openTcpProxy } from '../support/postgres/tcp-proxy.ts'
import { openScratch } from '../support/scratch.ts'
import { failureOf, openClient, parse } from './open-client.ts'

const address = parse('postgres://ana@db.example:6432/orders')

const openHome = () => {
  const scratch = openScratch()
  onTestFinished(() => scratch[Symbol.dispose]())
  const file = path.join(scratch.folder, '.pgpass')
  const warnings: string[] = []
  return {
    ...{ file, folder: scratch.folder, warnings },
    write: (text: string, mode = 0o600) => {
      writeFileSync(file, text)
      chmodSync(file, mode)
    },
    lookUp: (environment: Record<string, string> = {}, platform = 'linux') =>
      lookUpPassword(address, {
        ...{ environment, platform, home: scratch.folder, warn: (text) => void warnings.push(text) },
      }),
  }
}

describe('a line of the password file', () => {
  test.each<[string, string | undefined, string?]>([
    ['db.example:6432:orders:ana:secret', 'secret'],
    ['*:*:*:*:secret', 'secret'],
    ['*:*:*:*:se\\:cr\\\\et', 'se:cr\\et'],
    ['*:*:*:*:se:cret', 'se'],
    ['*:*:*:*:\u00e4 #b', '\u00e4 #b'],
    ['# *:*:*:*:wrong\n\n*:*:*:*:secret', 'secret'],
    ['*:*:*:*:first\n*:*:*:*:second', 'first'],
    ['other:*:*:*:wrong\r\n*:*:*:*:secret\r\n', 'secret'],
    ['db.example:5432:orders:ana:wrong', undefined],
    ['db.example:6432:other:ana:wrong', undefined],
    ['db.example:6432:orders:ben:wrong', undefined],
    ['*:*:*:*', undefined],
    ['*:*:*:*:', undefined],
    ['', undefined],
    // An entry for localhost also fits a Unix socket, and a colon in a name can be escaped.
    ['localhost:5432:orders:ana:secret', 'secret', 'postgres://ana@/orders?host=/run'],
    ['/run:5432:orders:ana:secret', 'secret', 'postgres://ana@/orders?host=/run'],
    ['*:*:a\\:b:*:secret', 'secret', 'postgres://ana@db.example/a%3Ab'],
  ])('%j gives %j', (text, expected, other) => {
    expect(findPassword(text, other === undefined ? address : parse(other))).toBe(expected)
  })
})

describe('the password', () => {
  test('is in PGPASSWORD, then in PGPASSFILE, then in ~/.pgpass', () => {
    const home = openHome()
    home.write('*:*:*:*:from-home')
    const other = path.join(home.folder, 'other')
    writeFileSync(other, '*:*:*:*:from-other', { mode: 0o600 })
    expect(home.lookUp()).toBe('from-home')
    expect(home.lookUp({ PGPASSFILE: other })).toBe('from-other')
    expect(home.lookUp({ PGPASSFILE: other, PGPASSWORD: 'from-variable' })).toBe('from-variable')
    expect(home.lookUp({ PGPASSWORD: '' })).toBe('from-home')
  })

  const othersCanRead = 'other users can read it. It needs the mode 0600'
  const save = (mode: number) => (file: string) => {
    writeFileSync(file, '*:*:*:*:secret')
    chmodSync(file, mode)
  }
  test.each<[string, string, (file: string) => void]>([
    ['a file with mode 640', othersCanRead, save(0o640)],
    ['a file with mode 604', othersCanRead, save(0o604)],
    ['a file with mode 620', othersCanRead, save(0o620)],
    ['a folder', 'it is not a file', (file) => mkdirSync(file)],
    ['a pipe', 'it is not a file', (file) => execFileSync('mkfifo', ['-m', '600', file])],
  ])('is not read from %s, because %s', (_, reason, create) => {
    const home = openHome()
    create(home.file)
    expect(home.lookUp()).toBe(undefined)
    expect(home.warnings).toEqual([`orderctl ignores the password file ${home.file}, because ${reason}`])
  })
})

const database = await createDatabase()
afterAll(() => database[Symbol.asyncDispose]())

describe('a connection', () => {
  test('takes the password from the file', async () => {
    const home = openHome()
    home.write(`127.0.0.1:*:${database.name}:*:${database.password}\n`)
    const client = openClient(database, { environment: {}, home: home.folder })
    expect(await client.all('SELECT 1 AS one')).toEqual([{ one: 1n }])
  })

  test('warns once of a file that others can read', async () => {
    const home = openHome()
    home.write(`*:*:*:*:${database.password}`, 0o644)
    const warnings: string[] = []
    const warn = (text: string) => void warnings.push(text)
    const client = openClient(database, { environment: {}, home: home.folder, warn })
    const tries = [1, 2, 3].map(() => failureOf(client.all('SELECT 1')))
    expect((await Promise.all(tries))[2]).toContain('the server asks for a password')
    expect(warnings).toHaveLength(1)
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
