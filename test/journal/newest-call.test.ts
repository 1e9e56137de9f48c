// The note of the newest call: a call is noted before it is sent, and a journal without the noted call begins no other.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs, {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Journal } from '../../src/journal/journal.ts'
import { readNotes } from '../../src/journal/newest-call.ts'
import { openJournal } from '../../src/journal/open-journal.ts'
import { openSharedJournal } from '../../src/journal/shared/shared-journal.ts'
import { cannotMount, readOnly, smallDisk } from '../support/disks.ts'
import { createDatabase } from '../support/postgres/database.ts'
import { openTcpProxy } from '../support/postgres/tcp-proxy.ts'
import { openScratch } from '../support/scratch.ts'
import { adviceWith, fixWith } from '../support/suggest.ts'
import { openWorld, overNetwork } from '../support/world.ts'
import { findJournalKind, optionsOf } from './journals.ts'
import { confirmIntent, createOrderDesk, intent } from './order-desk.ts'

const refused = 'does not have the newest call that this machine has seen'

const openFolder = (): string => {
  const scratch = openScratch()
  onTestFinished(() => scratch[Symbol.dispose]())
  return scratch.folder
}

const kinds = [
  ['SQLite', (file: string, noteFolder: string) => openJournal(file, { noteFolder })],
  [
    'PostgreSQL',
    (address: string, noteFolder: string) => openSharedJournal({ ...optionsOf(address), noteFolder }),
  ],
] as const

describe.each(kinds)('on %s', (name, openWith) => {
  const start = async () => {
    const { address, query, close } = await findJournalKind(name).openShared()
    onTestFinished(close)
    const noteFolder = path.join(openFolder(), 'seen')
    const opened = new AsyncDisposableStack()
    onTestFinished(() => opened.disposeAsync())
    const open = async (): Promise<Journal> => {
      const journal = await openWith(address, noteFolder)
      opened.defer(journal.close)
      return journal
    }
    const readNote = () => {
      const [note] = readNotes(noteFolder)
      return note && { call: note.call, id: note.id, startedAt: note.startedAt }
    }
    /** As a backup without these calls, or a standby that takes over without them. */
    const forgetCalls = () => query('DELETE FROM calls')
    return { open, readNote, forgetCalls, query, noteFolder }
  }

  test('each call is noted when it has begun, in a file that only its owner can read', async () => {
    const { open, readNote, query, noteFolder } = await start()
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
    const [file = ''] = readdirSync(noteFolder).filter((each) => each.endsWith('.json'))
    expect(statSync(path.join(noteFolder, file)).mode & 0o777).toBe(0o600)
  })

  test('a refused intent is not noted', async () => {
    const { open, readNote } = await start()
    const journal = await open()
    const { id } = await createOrderDesk(journal).begin()
    expect((await journal.beginCreate(intent())).kind).toBe('taken')
    expect(readNote()).toMatchObject({ id })
  })

  test('calls that begin at the same time share a write', async () => {
    const { open, readNote } = await start()
    const journal = await open()
    const { renameSync } = fs
    onTestFinished(() => {
      fs.renameSync = renameSync
      syncBuiltinESMExports()
    })
    let writes = 0
    fs.renameSync = (from, to) => {
      writes += 1
      renameSync(from, to)
    }
    syncBuiltinESMExports()
    const references = Array.from({ length: 40 }, (_, index) => `r${index}`)
    const begun = await Promise.all(
      references.map((reference) => createOrderDesk(journal).begin({ reference })),
    )
    expect(readNote()?.call).toBe(Math.max(...begun.map(({ call }) => call)))
    expect(writes).toBeGreaterThan(0)
    expect(writes).toBeLessThan(40)
  })

  test('an older call does not replace a newer one of another process', async () => {
    const { open, readNote } = await start()
    const watching = await open()
    await createOrderDesk(watching).begin({ reference: 'first' })
    const other = await open()
    const { id } = await createOrderDesk(other).begin({ reference: 'second' })
    // Its note comes late.
    const late = createOrderDesk(watching).begin({ reference: 'third' })
    const newer = createOrderDesk(other).begin({ reference: 'fourth' })
    const calls = (await Promise.all([late, newer])).toSorted((one, next) => one.call - next.call)
    expect(readNote()?.id).toBe(calls.at(-1)?.id)
    expect(readNote()?.id).not.toBe(id)
  })

  test('a process that uses the journal while it is set back begins no call, and neither does the next one', async () => {
    const { open, forgetCalls, noteFolder } = await start()
    const running = await open()
    await createOrderDesk(running).placed('o1')
    expect(running.restored).toBeUndefined()
    await forgetCalls()
    await expect(running.beginCreate(intent({ reference: 'other' }))).rejects.toThrow(refused)
    await expect(running.beginConfirm(confirmIntent('o1'))).rejects.toThrow(refused)
    const next = await open()
    expect(next.restored).toMatchObject({ kind: 'local-state', message: expect.stringContaining(refused) })
    await expect(next.beginCreate(intent({ reference: 'other' }))).rejects.toThrow(refused)
    // A person has decided.
    for (const { file } of readNotes(noteFolder)) fs.rmSync(file)
    const last = await open()
    expect(last.restored).toBeUndefined()
    await createOrderDesk(last).begin({ reference: 'other' })
  })

  test('another call with the number of the noted one is not taken for it', async () => {
    const { open, query, forgetCalls } = await start()
    const { call } = await createOrderDesk(await open()).begin()
    await forgetCalls()
    const values = "$call, 'another', number, 'create', 'sending', 1000, 46000"
    const columns = 'number, id, order_number, operation, outcome, started_at, until'
    await query(`INSERT INTO calls (${columns}) SELECT ${values} FROM orders`, { call })
    expect((await open()).restored).toBeDefined()
  })

  test.for(['', '{', 'null', '{"journal":7}'])('with a damaged note, no call begins: %j', async (text) => {
    const { open, readNote, noteFolder } = await start()
    await createOrderDesk(await open()).begin({ reference: 'first' })
    const [{ file } = { file: '' }] = readNotes(noteFolder)
    writeFileSync(file, text)
    const desk = createOrderDesk(await open())
    await expect(desk.begin({ reference: 'second' })).rejects.toMatchObject({
      kind: 'local-state',
      message: `cannot read ${file}, the newest call that this machine has seen: it is damaged`,
      details: { fix: fixWith('orderctl reconcile'), advice: adviceWith(`Then delete ${file}`) },
    })
    fs.rmSync(file)
    const { id } = await desk.begin({ reference: 'second' })
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
    const { open, query, noteFolder } = await start()
    const desk = createOrderDesk(await open())
    {
      using _spoilt = spoil(noteFolder)
      await expect(desk.begin()).rejects.toMatchObject({
        kind: 'local-state',
        message: expect.stringMatching(/^cannot note the call in .*\.json: /),
      })
      expect(await query('SELECT outcome FROM calls')).toEqual([{ outcome: 'not-sent' }])
    }
    await desk.placed('o1')
    {
      fs.rmSync(noteFolder, { recursive: true })
      using _spoilt = spoil(noteFolder)
      await expect(desk.toConfirm('o1')).rejects.toMatchObject({ kind: 'local-state' })
      expect(await desk.getState('o1')).toBe('created')
    }
    await desk.toConfirm('o1')
  })
})

describe('a journal in PostgreSQL', () => {
  const start = async () => {
    const database = await createDatabase()
    onTestFinished(() => database[Symbol.asyncDispose]())
    const noteFolder = openFolder()
    const open = async (address = database.address()): Promise<Journal> => {
      const journal = await openSharedJournal({ ...optionsOf(address), noteFolder })
      onTestFinished(journal.close)
      return journal
    }
    return { database, noteFolder, open }
  }

  test('has one note, however its address is spelled', async () => {
    const { database, noteFolder, open } = await start()
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
    expect(readNotes(noteFolder)).toHaveLength(1)
    await database.admin('DELETE FROM calls WHERE number = (SELECT max(number) FROM calls)')
    for (const address of addresses) expect((await open(address)).restored).toBeDefined()
  })

  test('is noted when it is opened, with the calls of other machines', async () => {
    const { database, noteFolder, open } = await start()
    const other = await openSharedJournal(optionsOf(database.address()))
    onTestFinished(other.close)
    const { id } = await createOrderDesk(other).begin()
    await open()
    expect(readNotes(noteFolder)).toMatchObject([{ id }])
  })

  test('that was created anew at an address of the old one is refused', async () => {
    const { database, open } = await start()
    const proxy = await openTcpProxy(database)
    onTestFinished(() => proxy[Symbol.asyncDispose]())
    await createOrderDesk(await open()).begin()
    await createOrderDesk(await open(database.address('ana', proxy))).begin({ reference: 'other' })
    await database.admin('DROP SCHEMA public CASCADE; CREATE SCHEMA public AUTHORIZATION pg_database_owner')
    const created = await open()
    expect(created.restored).toBeDefined()
    await expect(created.beginCreate(intent())).rejects.toThrow(refused)
  })
})

test('a note waits for another process that writes one', async () => {
  const folder = openFolder()
  const journal = await openJournal(path.join(folder, 'journal.db'), { noteFolder: folder })
  onTestFinished(journal.close)
  const script = `const { DatabaseSync } = require('node:sqlite')
    const database = new DatabaseSync(process.argv[1] + '/notes.lock')
    database.exec('BEGIN EXCLUSIVE')
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

test('a journal file that is restored from a backup, or deleted, begins no call', async () => {
  const folder = openFolder()
  const [file, backup, noteFolder] = ['journal.db', 'backup.db', 'seen'].map((name) =>
    path.join(folder, name),
  ) as [string, string, string]
  const use = async (reference: string) => {
    const journal = await openJournal(file, { noteFolder })
    try {
      return await journal.beginCreate(intent({ reference }))
    } finally {
      await journal.close()
    }
  }
  await use('first')
  copyFileSync(file, backup)
  await use('second')
  copyFileSync(backup, file)
  await expect(use('second')).rejects.toThrow(refused)
  const text = readFileSync(readNotes(noteFolder)[0]?.file ?? '', 'utf8')
  expect(JSON.parse(text)).toMatchObject({ call: 2 })
  rmSync(file)
  await expect(use('second')).rejects.toThrow(refused)
})

describe('a command', () => {
  const order = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', 'po-1', '--confirm']

  test.each([
    ['create', order],
    ['create --idempotent', [...order, '--idempotent']],
    ['confirm', ['confirm', 'ref:po-1']],
    ['batch run', ['batch', 'run', '--product', 'GAME-US:25', '--wallet', 'USD', '--max-total', '25']],
  ])('%s asks the service nothing if the journal was restored from a backup', async (_name, words) => {
    const { home, must, run, sent } = await openWorld(overNetwork)
    await must(...order)
    const requests = sent('get')
    {
      using database = new DatabaseSync(path.join(home, 'state', 'journal.db'))
      database.exec('DELETE FROM calls')
    }
    const { exit, stderr } = await run(words)
    expect([exit, stderr]).toEqual([
      9,
      expect.stringMatching(/ restored from a backup or replaced; nothing was sent$/m),
    ])
    expect([sent('create'), sent('confirm'), sent('get')]).toEqual([1, 1, requests])
    expect((await run(['list'])).exit).toBe(0)
    const [{ file } = { file: '' }] = readNotes(path.join(home, 'state', 'seen'))
    for (const words of [
      ['journal', 'status', '--json'],
      ['doctor', '--json'],
    ])
      expect(JSON.parse((await run(words)).stdout).checks).toContainEqual(
        expect.objectContaining({
          name: 'Content',
          status: 'problem',
          advice: expect.stringContaining(file),
        }),
      )
  })

  test('of the sandbox notes no call, because a reset deletes it', async () => {
    const { home, must } = await openWorld()
    await must(...order)
    await must('sandbox', 'reset')
    await must(...order)
    expect(fs.existsSync(path.join(home, 'state', 'seen'))).toBe(false)
  })
})
