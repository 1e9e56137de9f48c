// What this machine notes about each call before it is sent, and the journals that begin no call because of it.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs, { copyFileSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { AccountId } from '../../../src/contract/account-id.ts'
import type { Journal } from '../../../src/journal/journal.ts'
import { type Machine, openMachine } from '../../../src/journal/machine/machine-file.ts'
import { findForgettable, forgetJournals, readNotes } from '../../../src/journal/machine/newest-call.ts'
import { openJournal } from '../../../src/journal/open-journal.ts'
import { findByReference } from '../../../src/journal/orders/queries.ts'
import { openSharedJournal } from '../../../src/journal/shared/shared-journal.ts'
import { cannotMount, readOnly, smallDisk } from '../../support/disks.ts'
import { createDatabase } from '../../support/postgres/database.ts'
import { openTcpProxy } from '../../support/postgres/tcp-proxy.ts'
import { openScratch } from '../../support/scratch.ts'
import { findJournalKind, optionsOf } from '../journals.ts'
import { confirmIntent, createOrderDesk, intent, owner } from '../order-desk.ts'

const refused = 'does not contain the newest call that this machine has seen'

const openFolder = (): string => {
  const scratch = openScratch()
  onTestFinished(() => scratch[Symbol.dispose]())
  return scratch.folder
}

const openNoted = (folder: string, account: AccountId = owner.account) => {
  const machine = openMachine(folder)
  onTestFinished(machine[Symbol.dispose])
  return { machine, account }
}

const readNoted = (folder: string) => readNotes(openNoted(folder)).journals

const forget = async (folder: string, place?: string): Promise<void> => {
  const noted = openNoted(folder)
  await forgetJournals(noted.machine, findForgettable({ ...noted, place }))
}

type Noted = ReturnType<typeof openNoted>

const kinds = [
  ['SQLite', (file: string, noted: Noted) => openJournal(file, { noted })],
  ['PostgreSQL', (address: string, noted: Noted) => openSharedJournal({ ...optionsOf(address), noted })],
] as const

describe.each(kinds)('on %s', (name, openWith) => {
  const start = async () => {
    const { address, query, close } = await findJournalKind(name).openShared()
    onTestFinished(close)
    const folder = path.join(openFolder(), 'state')
    const opened = new AsyncDisposableStack()
    onTestFinished(() => opened.disposeAsync())
    /** Opens it as a separate command does. */
    const open = async (noted = openNoted(folder)): Promise<Journal> => {
      const journal = await openWith(address, noted)
      opened.defer(journal.close)
      return journal
    }
    const readNote = () => readNoted(folder)[0]?.newest
    /** As a backup without these calls, or a standby that takes over without them. */
    const forgetCalls = () => query('DELETE FROM calls')
    return { address, open, readNote, forgetCalls, query, folder }
  }

  test('each call is noted when it has begun, in a file that only its owner can read', async () => {
    const { open, readNote, query, folder } = await start()
    const journal = await open()
    expect(readNote()).toBeUndefined()
    const begun = await createOrderDesk(journal).placed('o1')
    expect(readNote()).toEqual({ call: begun.call, id: begun.id, startedAt: 1_000 })
    const confirm = await createOrderDesk(journal).toConfirm('o1')
    expect(readNote()).toEqual({ call: confirm.call, id: confirm.id, startedAt: 2_000 })
    const calls = await query('SELECT number, id FROM calls ORDER BY number')
    expect(calls.map(({ number, id }) => [Number(number), id])).toEqual([
      [begun.call, begun.id],
      [confirm.call, confirm.id],
    ])
    for (const ending of ['', '-wal', '-shm'])
      expect(statSync(path.join(folder, `machine.db${ending}`)).mode & 0o777).toBe(0o600)
  })

  test('a refused intent is not noted', async () => {
    const { open, readNote } = await start()
    const journal = await open()
    const { id } = await createOrderDesk(journal).begin()
    expect((await journal.calls.beginCreate(intent())).kind).toBe('taken')
    expect(readNote()).toMatchObject({ id })
  })

  test('calls that begin at the same time share a transaction', async () => {
    const { open, readNote, folder } = await start()
    const journal = await open()
    await createOrderDesk(journal).begin()
    const readSize = () => statSync(path.join(folder, 'machine.db-wal')).size
    const before = readSize()
    await createOrderDesk(journal).begin({ reference: 'alone' })
    const one = readSize() - before
    const references = Array.from({ length: 40 }, (_, index) => `r${index}`)
    const begun = await Promise.all(
      references.map((reference) => createOrderDesk(journal).begin({ reference })),
    )
    expect(readNote()?.call).toBe(Math.max(...begun.map(({ call }) => call)))
    expect(readSize() - before - one).toBeLessThan(40 * one)
  })

  test('an older call does not replace a newer one of another process', async () => {
    const { open, readNote, folder } = await start()
    const desk = createOrderDesk(await open())
    const { id } = await desk.begin({ reference: 'first' })
    await openNoted(folder).machine.write((database) => database.exec('UPDATE journals SET call = call + 1'))
    await desk.begin({ reference: 'second' })
    expect(readNote()?.id).toBe(id)
    const third = await desk.begin({ reference: 'third' })
    expect(readNote()?.id).toBe(third.id)
  })

  test('a process that uses the journal while it is set back begins no call, and neither does the next one', async () => {
    const { address, open, forgetCalls, folder } = await start()
    const running = await open()
    await createOrderDesk(running).placed('o1')
    expect(running.conflict).toBeUndefined()
    await forgetCalls()
    await expect(running.calls.beginCreate(intent({ reference: 'other' }))).rejects.toThrow(refused)
    await expect(running.calls.beginConfirm(confirmIntent('o1'))).rejects.toThrow(refused)
    const next = await open()
    expect(next.conflict).toMatchObject({ kind: 'local-state', message: expect.stringContaining(refused) })
    await expect(next.calls.beginCreate(intent({ reference: 'other' }))).rejects.toThrow(refused)
    // A person has decided.
    const place = name === 'SQLite' ? undefined : address
    await forget(folder, place)
    const last = await open()
    expect(last.conflict).toBeUndefined()
    await createOrderDesk(last).begin({ reference: 'other' })
  })

  test('another call with the number of the noted one is not taken for it', async () => {
    const { open, query, forgetCalls } = await start()
    const { call } = await createOrderDesk(await open()).begin()
    await forgetCalls()
    const values = "$call, 'another', number, 'create', 'sending', 1000, 46000"
    const columns = 'number, id, order_number, operation, outcome, started_at, until'
    await query(`INSERT INTO calls (${columns}) SELECT ${values} FROM orders`, { call })
    expect((await open()).conflict).toBeDefined()
  })

  test('with a damaged machine file, no call begins, and the journal can be read', async () => {
    const { open, query, folder } = await start()
    await createOrderDesk(await open()).begin()
    const file = path.join(folder, 'machine.db')
    for (const ending of ['-wal', '-shm']) rmSync(`${file}${ending}`)
    writeFileSync(file, Buffer.alloc(8_192, 'x'))
    const desk = createOrderDesk(await open())
    const problem = { kind: 'local-state', message: `${file} is not a database` }
    expect(desk.conflict).toMatchObject(problem)
    await expect(desk.begin({ reference: 'second' })).rejects.toMatchObject(problem)
    expect(await findByReference(desk.read, owner, 'r')).toHaveLength(1)
    expect(await query('SELECT outcome FROM calls')).toEqual([{ outcome: 'sending' }])
  })

  test('a file that was left empty by a killed command is filled', async () => {
    const { open, readNote, folder } = await start()
    mkdirSync(folder)
    writeFileSync(path.join(folder, 'machine.db'), '', { mode: 0o600 })
    const { id } = await createOrderDesk(await open()).begin()
    expect(readNote()?.id).toBe(id)
  })

  test.for<readonly [string, (folder: string) => Disposable]>([
    [
      'is a file',
      (folder) => {
        writeFileSync(folder, '')
        return { [Symbol.dispose]: () => fs.rmSync(folder) }
      },
    ],
    [
      'is on a full disk',
      (folder) => {
        mkdirSync(folder)
        const disk = smallDisk(folder, '8k')
        try {
          fs.writeFileSync(path.join(folder, 'full'), Buffer.alloc(16_384))
        } catch {
          // The disk is full now.
        }
        return disk
      },
    ],
    [
      'is read-only',
      (folder) => {
        mkdirSync(folder)
        return readOnly(folder)
      },
    ],
  ])('a call that cannot be noted, because the folder %s, is not sent', async ([_name, spoil], { skip }) => {
    if (cannotMount) skip(cannotMount)
    const { open, query, folder } = await start()
    {
      using _spoilt = spoil(folder)
      const desk = createOrderDesk(await open())
      await expect(desk.begin()).rejects.toMatchObject({
        kind: 'local-state',
        message: expect.stringMatching(/^cannot use the machine file .*machine\.db: /),
      })
      expect(await query('SELECT outcome FROM calls')).toEqual([{ outcome: 'not-sent' }])
    }
    rmSync(folder, { recursive: true, force: true })
    const desk = createOrderDesk(await open())
    await desk.placed('o1')
    rmSync(folder, { recursive: true })
    {
      using _spoilt = spoil(folder)
      const next = createOrderDesk(await open())
      await expect(next.toConfirm('o1')).rejects.toMatchObject({ kind: 'local-state' })
      expect(await next.getState('o1')).toBe('created')
    }
    rmSync(folder, { recursive: true, force: true })
    await createOrderDesk(await open()).toConfirm('o1')
  })
})

describe('a journal in PostgreSQL', () => {
  const start = async () => {
    const database = await createDatabase()
    onTestFinished(() => database[Symbol.asyncDispose]())
    const folder = openFolder()
    const open = async (address = database.address()): Promise<Journal> => {
      const journal = await openSharedJournal({ ...optionsOf(address), noted: openNoted(folder) })
      onTestFinished(journal.close)
      return journal
    }
    return { database, folder, open }
  }

  test('has one note, however its address is spelled', async () => {
    const { database, folder, open } = await start()
    // As the port of PgBouncer.
    const proxy = await openTcpProxy(database)
    onTestFinished(() => proxy[Symbol.asyncDispose]())
    const addresses = [
      database.address(),
      database.address().replace('127.0.0.1', 'localhost'),
      database.address('ana', proxy),
    ]
    expect(new Set(addresses).size).toBe(3)
    for (const [index, address] of addresses.entries())
      await createOrderDesk(await open(address)).begin({ reference: `r${index}` })
    expect(readNoted(folder)).toHaveLength(1)
    await database.admin('DELETE FROM calls WHERE number = (SELECT max(number) FROM calls)')
    for (const address of addresses) expect((await open(address)).conflict).toBeDefined()
  })

  test('is noted when it is opened, with the calls of other machines', async () => {
    const { database, folder, open } = await start()
    const other = await openSharedJournal(optionsOf(database.address()))
    onTestFinished(other.close)
    const { id } = await createOrderDesk(other).begin()
    await open()
    expect(readNoted(folder)).toMatchObject([{ newest: { id } }])
    expect(readNoted(folder)).toMatchObject([{ isUsed: false }])
  })

  test('that was created anew at an address of the old one is refused', async () => {
    const { database, open } = await start()
    const proxy = await openTcpProxy(database)
    onTestFinished(() => proxy[Symbol.asyncDispose]())
    await createOrderDesk(await open()).begin()
    await createOrderDesk(await open(database.address('ana', proxy))).begin({ reference: 'other' })
    await database.admin('DROP SCHEMA public CASCADE; CREATE SCHEMA public AUTHORIZATION pg_database_owner')
    await expect(open()).rejects.toThrow('are in the journal postgres://')
    await expect(open(database.address('ana', proxy))).rejects.toThrow(refused)
    const other = await openSharedJournal(optionsOf(database.address()))
    onTestFinished(other.close)
    const created = await open()
    expect(created.conflict).toBeDefined()
    await expect(created.calls.beginCreate(intent())).rejects.toThrow('are in the journal postgres://')
  })
})

test('a note waits for another process that writes one', async () => {
  const folder = openFolder()
  const journal = await openJournal(path.join(folder, 'journal.db'), { noted: openNoted(folder) })
  onTestFinished(journal.close)
  await createOrderDesk(journal).begin({ reference: 'first' })
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
  await createOrderDesk(journal).begin()
  expect(fs.existsSync(path.join(folder, 'released'))).toBe(true)
})

describe('a journal file', () => {
  const start = () => {
    const folder = openFolder()
    const file = path.join(folder, 'journal.db')
    const use = async (reference: string, account?: AccountId) => {
      const journal = await openJournal(file, { noted: openNoted(folder, account) })
      try {
        return await journal.calls.beginCreate(intent({ reference, ...(account && { account }) }))
      } finally {
        await journal.close()
      }
    }
    return { folder, file, use }
  }

  test('that is restored from a backup, or deleted, begins no call', async () => {
    const { folder, file, use } = start()
    const backup = path.join(folder, 'backup.db')
    await use('first')
    copyFileSync(file, backup)
    await use('second')
    copyFileSync(backup, file)
    await expect(use('second')).rejects.toThrow(refused)
    expect(readNoted(folder)).toMatchObject([{ newest: { call: 2 } }])
    rmSync(file)
    await expect(use('second')).rejects.toThrow(refused)
  })

  test('in a state folder that was moved is still the journal of its accounts', async () => {
    const { folder, use } = start()
    await use('first')
    const moved = path.join(openFolder(), 'moved')
    fs.cpSync(folder, moved, { recursive: true })
    const journal = await openJournal(path.join(moved, 'journal.db'), { noted: openNoted(moved) })
    onTestFinished(journal.close)
    await createOrderDesk(journal).begin({ reference: 'second' })
  })

  test('that replaced the one of an account may be used by a different account', async () => {
    const { file, use } = start()
    await use('first', { address: 'shop' })
    rmSync(file)
    await use('first', { address: 'other' })
    await expect(use('first', { address: 'shop' })).rejects.toThrow(refused)
  })

  test('that replaced the one of an account without a name is refused for each name at its address', async () => {
    const { file, use } = start()
    await use('first', { address: 'shop' })
    rmSync(file)
    await expect(use('first', { address: 'shop', name: 'eu' })).rejects.toThrow(refused)
  })
})

describe('an account with orders in one journal begins no call in a second one', () => {
  const start = async () => {
    const database = await createDatabase()
    onTestFinished(() => database[Symbol.asyncDispose]())
    const folder = openFolder()
    const file = path.join(folder, 'journal.db')
    const openFile = async () => {
      const journal = await openJournal(file, { noted: openNoted(folder) })
      onTestFinished(journal.close)
      return createOrderDesk(journal)
    }
    const openShared = async () => {
      const journal = await openSharedJournal({ ...optionsOf(database.address()), noted: openNoted(folder) })
      onTestFinished(journal.close)
      return createOrderDesk(journal)
    }
    return { database, folder, file, openFile, openShared }
  }

  test('and none is created', async () => {
    const { database, folder, file, openFile, openShared } = await start()
    await (await openFile()).begin()
    await expect(openShared()).rejects.toThrow(
      `are in the journal ${file}, but this command uses postgres://`,
    )
    expect(await database.admin("SELECT 1 FROM pg_class WHERE relname = 'orders'")).toEqual([])
    await forget(folder)
    await (await openShared()).begin()
    rmSync(file)
    await expect(openFile()).rejects.toThrow('are in the journal postgres://')
    expect(fs.existsSync(file)).toBe(false)
  })

  test('even if a second process notes its first call at the same time', async () => {
    const { folder, file } = await start()
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
    const journal = await openJournal(file, { noted: { machine: overtaken, account } })
    onTestFinished(journal.close)
    const desk = createOrderDesk(journal)
    const problem = `the orders of orders.example are in the journal postgres://ana@db/orders, but this command uses ${file}`
    await expect(desk.begin()).rejects.toThrow(problem)
    expect(await desk.listCalls(1)).toMatchObject([{ outcome: 'not-sent' }])
  })

  test('until journal copy has moved them', async () => {
    const { database, openFile, openShared } = await start()
    const shared = await openShared()
    const file = await openFile()
    await file.begin()
    await createOrderDesk(await openSharedJournal(optionsOf(database.address()))).begin({
      reference: 'copied',
    })
    await shared.adoptAccounts()
    await (await openShared()).begin()
    await expect(file.begin({ reference: 'other' })).rejects.toThrow('are in the journal postgres://')
  })
})
