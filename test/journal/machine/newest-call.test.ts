// What this machine notes about each call before it is sent, and the journals that begin no call because of it.
// test/commands/journal has journals that were restored or deleted, and second journals of an account. test/abuse has full
// and read-only disks.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs, { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { AccountId } from '../../../src/contract/account-id.ts'
import { openJournal } from '../../../src/journal/file-journal.ts'
import type { Machine } from '../../../src/journal/machine/machine-file.ts'
import { findForgettable, forgetJournals } from '../../../src/journal/machine/newest-call.ts'
import { openSharedJournal } from '../../../src/journal/shared-journal.ts'
import { createDatabase } from '../../support/postgres/database.ts'
import { openTcpProxy } from '../../support/postgres/tcp-proxy.ts'
import { journalKinds, optionsOf } from '../journals.ts'
import { openFor } from '../open.ts'
import { confirmIntent, createOrderDesk, intent, owner } from '../order-desk.ts'
import { openDesk, openFolder, openNoted, readNoted } from './noted-journal.ts'

const refused = 'does not contain the newest call that this machine has seen'

describe.each(journalKinds)('on $name', (kind) => {
  const start = async () => {
    const { address, query } = await openFor(kind)
    const folder = path.join(openFolder(), 'state')
    const open = () => openDesk(address, openNoted(folder))
    const readNote = () => readNoted(folder)[0]?.newest
    /** As a backup without these calls, or a standby that takes over without them. */
    const forgetCalls = () => query('DELETE FROM calls')
    return { address, open, readNote, forgetCalls, query, folder }
  }

  test('each call that begins is noted, in a file that only its owner can read', async () => {
    const { open, readNote, query, folder } = await start()
    const { placed, toConfirm, beginCreate } = await open()
    expect(readNote()).toBeUndefined()
    const begun = await placed('o1')
    expect(readNote()).toEqual({ call: begun.call, id: begun.id, startedAt: 1_000 })
    const confirm = await toConfirm('o1')
    expect((await beginCreate(intent())).kind).toBe('taken')
    expect(readNote()).toEqual({ call: confirm.call, id: confirm.id, startedAt: 2_000 })
    const calls = await query('SELECT number, id FROM calls ORDER BY number')
    expect(calls.map(({ number, id }) => [Number(number), id])).toEqual([
      [begun.call, begun.id],
      [confirm.call, confirm.id],
    ])
    for (const ending of ['', '-wal', '-shm'])
      expect(statSync(path.join(folder, `machine.db${ending}`)).mode & 0o777).toBe(0o600)
  })

  test('an older call does not replace a newer one of another process', async () => {
    const { open, readNote, folder } = await start()
    const { begin } = await open()
    const { id } = await begin({ reference: 'first' })
    await openNoted(folder).machine.write((database) => database.exec('UPDATE journals SET call = call + 1'))
    await begin({ reference: 'second' })
    expect(readNote()?.id).toBe(id)
    const third = await begin({ reference: 'third' })
    expect(readNote()?.id).toBe(third.id)
  })

  test('a process that uses the journal while it is set back begins no call, and neither does the next one', async () => {
    const { address, open, forgetCalls, folder } = await start()
    const running = await open()
    await running.placed('o1')
    expect(running.conflict).toBeUndefined()
    await forgetCalls()
    const other = intent({ reference: 'other' })
    await expect(running.beginCreate(other)).rejects.toThrow(refused)
    await expect(running.beginConfirm(confirmIntent('o1'))).rejects.toThrow(refused)
    const next = await open()
    expect(next.conflict).toMatchObject({ kind: 'local-state', message: expect.stringContaining(refused) })
    await expect(next.beginCreate(other)).rejects.toThrow(refused)
    // A person has decided.
    const noted = openNoted(folder)
    const place = kind.name === 'SQLite' ? undefined : address
    await forgetJournals(noted.machine, findForgettable({ ...noted, place }))
    const last = await open()
    expect(last.conflict).toBeUndefined()
    await last.begin({ reference: 'other' })
  })

  test('another call with the number of the noted one is not taken for it', async () => {
    const { open, query, forgetCalls } = await start()
    const { call } = await (await open()).begin()
    await forgetCalls()
    const values = "$call, 'another', number, 'create', 'sending', 1000, 46000"
    const columns = 'number, id, order_number, operation, outcome, started_at, until'
    await query(`INSERT INTO calls (${columns}) SELECT ${values} FROM orders`, { call })
    expect((await open()).conflict).toBeDefined()
  })

  test('with a damaged machine file, no call begins, and the journal can be read', async () => {
    const { open, query, folder } = await start()
    await (await open()).begin()
    const file = path.join(folder, 'machine.db')
    for (const ending of ['-wal', '-shm']) rmSync(`${file}${ending}`)
    writeFileSync(file, Buffer.alloc(8_192, 'x'))
    const desk = await open()
    const problem = { kind: 'local-state', message: `${file} is not a database` }
    expect(desk.conflict).toMatchObject(problem)
    await expect(desk.begin({ reference: 'second' })).rejects.toMatchObject(problem)
    expect(await desk.findByReference(owner, 'r')).toHaveLength(1)
    expect(await query('SELECT outcome FROM calls')).toEqual([{ outcome: 'sending' }])
  })

  test('a file that was left empty by a killed command is filled', async () => {
    const { open, readNote, folder } = await start()
    mkdirSync(folder)
    writeFileSync(path.join(folder, 'machine.db'), '', { mode: 0o600 })
    const { id } = await (await open()).begin()
    expect(readNote()?.id).toBe(id)
  })
})

describe('a journal in PostgreSQL', () => {
  const start = async () => {
    const database = await createDatabase()
    onTestFinished(() => database[Symbol.asyncDispose]())
    // As the port of PgBouncer.
    const proxy = await openTcpProxy(database)
    onTestFinished(() => proxy[Symbol.asyncDispose]())
    const folder = openFolder()
    const open = (address = database.address()) => openDesk(address, openNoted(folder))
    /** The journal on a different machine. */
    const openElsewhere = async () => {
      const journal = await openSharedJournal(optionsOf(database.address()))
      onTestFinished(journal.close)
      return createOrderDesk(journal)
    }
    return { database, proxied: database.address('ana', proxy), folder, open, openElsewhere }
  }

  test('has one note, however its address is spelled', async () => {
    const { database, proxied, folder, open } = await start()
    const addresses = [database.address(), database.address().replace('127.0.0.1', 'localhost'), proxied]
    expect(new Set(addresses).size).toBe(3)
    for (const [index, address] of addresses.entries())
      await (await open(address)).begin({ reference: `r${index}` })
    expect(readNoted(folder)).toHaveLength(1)
    await database.admin('DELETE FROM calls WHERE number = (SELECT max(number) FROM calls)')
    for (const address of addresses) expect((await open(address)).conflict).toBeDefined()
  })

  test('is noted when it is opened, with the calls of other machines', async () => {
    const { folder, open, openElsewhere } = await start()
    const { id } = await (await openElsewhere()).begin()
    await open()
    expect(readNoted(folder)).toMatchObject([{ newest: { id }, isUsed: false }])
  })

  test('that was created anew at an address of the old one is refused', async () => {
    const { database, proxied, open, openElsewhere } = await start()
    await (await open()).begin()
    await (await open(proxied)).begin({ reference: 'other' })
    await database.admin('DROP SCHEMA public CASCADE; CREATE SCHEMA public AUTHORIZATION pg_database_owner')
    await expect(open()).rejects.toThrow('are in the journal postgres://')
    await expect(open(proxied)).rejects.toThrow(refused)
    await openElsewhere()
    const created = await open()
    expect(created.conflict).toBeDefined()
    await expect(created.begin()).rejects.toThrow('are in the journal postgres://')
  })
})

test('a note waits for another process that writes one', async () => {
  const folder = openFolder()
  const { begin } = await openDesk(path.join(folder, 'journal.db'), openNoted(folder))
  await begin({ reference: 'first' })
  const script = `const { DatabaseSync } = require('node:sqlite')
    const database = new DatabaseSync(process.argv[1] + '/machine.db')
    database.exec('BEGIN IMMEDIATE')
    console.log('locked')
    setTimeout(() => {
      require('node:fs').writeFileSync(process.argv[1] + '/released', '')
      database.close()
    }, 500)`
  const other = spawn(process.execPath, ['-e', script, folder])
  await once(other.stdout, 'data')
  await begin()
  expect(existsSync(path.join(folder, 'released'))).toBe(true)
})

describe('a journal file', () => {
  test('in a state folder that was moved is still the journal of its accounts', async () => {
    const folder = openFolder()
    await (await openDesk(path.join(folder, 'journal.db'), openNoted(folder))).begin()
    const moved = path.join(openFolder(), 'moved')
    fs.cpSync(folder, moved, { recursive: true })
    const { begin } = await openDesk(path.join(moved, 'journal.db'), openNoted(moved))
    await begin({ reference: 'second' })
  })

  test('that replaced the one of an account is refused for it and each of its names, but not for others', async () => {
    const folder = openFolder()
    const file = path.join(folder, 'journal.db')
    const use = async (account: AccountId) => {
      const journal = await openJournal(file, { noted: openNoted(folder, account) })
      await createOrderDesk(journal).begin({ account }).finally(journal.close)
    }
    await use({ address: 'shop' })
    rmSync(file)
    await expect(use({ address: 'shop', name: 'eu' })).rejects.toThrow(refused)
    await use({ address: 'other' })
    await expect(use({ address: 'shop' })).rejects.toThrow(refused)
  })
})

test('an account begins no call if a second process notes its first call in another journal at the same time', async () => {
  const folder = openFolder()
  const file = path.join(folder, 'journal.db')
  const { machine, account } = openNoted(folder)
  const overtaken: Machine = {
    ...machine,
    // After the check of the transaction that records the intent.
    write: async (use) => {
      await openNoted(folder).machine.write((database) =>
        database.exec(`INSERT INTO journals VALUES ('other', 'postgres://ana@db/orders', 1, 'a', 1);
          INSERT INTO accounts VALUES ('${account.address}', '', 'other')`),
      )
      return machine.write(use)
    },
  }
  const desk = await openDesk(file, { machine: overtaken, account })
  const problem = `the orders of orders.example are in the journal postgres://ana@db/orders, but this command uses ${file}`
  await expect(desk.begin()).rejects.toThrow(problem)
  expect(await desk.listCalls(1)).toMatchObject([{ outcome: 'not-sent' }])
})
