// orderctl journal copy: the journal of a machine goes into the shared journal.

import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { deleteMachineFile } from '../../support/machine-file.ts'
import { on, overSocket } from '../../support/world.ts'
import { buy, openProfiles, openTeam } from './team.ts'

const openMachine = async (options: Parameters<typeof openTeam>[0] = {}) => {
  const team = await openTeam(options)
  const { run, shop } = team
  const file = path.join(shop.home, 'state', 'journal.db')
  const local = { ORDERCTL_JOURNAL: undefined }
  const copy = (...more: string[]) => run(['journal', 'copy', '--from', file, ...more])
  return { ...team, file, copy, onMachine: (words: readonly string[]) => run(words, { env: local }) }
}

test('copies orders and batches once, and a used reference stays used', async () => {
  const { run, copy, onMachine, json, shop, file } = await openMachine()
  expect((await onMachine(buy)).exit).toBe(0)
  const rows = shop.file('sku,quote,quantity\nGAME-US,25,1\n', 'rows.csv')
  await onMachine(['batch', 'plan', rows, '--name', 'gifts', '--wallet', 'USD'])
  const before = readFileSync(file)
  expect(await copy()).toEqual({
    exit: 0,
    stdout: 'Copied 1 order, 1 batch and 0 reveals. Updated 0.\n',
    stderr: '',
  })
  expect(readFileSync(file).equals(before)).toBe(true)
  expect(await json('list')).toMatchObject([{ reference: 'po-1', state: 'confirmed' }])
  expect(await json('batch', 'list')).toMatchObject([{ name: 'gifts' }])
  expect((await run(buy)).exit).toBe(11)
  expect(JSON.parse((await copy('--json')).stdout)).toMatchObject({
    ...{ orders: 0, batches: 0, reveals: 0, updated: 0 },
    ...{ conflicts: [], renamed: [], changed: [] },
  })
})

test('a profile does not spend with the journal of this machine after it was copied', async () => {
  const { run, add, file, shop, address, database } = await openProfiles()
  const shared = { ORDERCTL_JOURNAL: address }
  await add()
  expect((await run(buy)).exit).toBe(0)
  cpSync(file, path.join(shop.home, 'other.db'))
  const other = await run(['journal', 'copy', '--from', 'other.db'], shared)
  expect(other.exit, other.stderr).toBe(0)
  expect((await run([...buy, '--reference', 'po-2'])).exit).toBe(0)
  expect((await run(['journal', 'copy', '--from', file], shared)).exit).toBe(0)
  expect(await run([...buy, '--reference', 'po-3'])).toMatchObject({
    exit: 9,
    stderr: expect.stringContaining(
      ` are in the journal ${address}, but this command uses ${file}; nothing was sent\n`,
    ),
  })
  expect(await database.admin('SELECT 1 FROM orders')).toHaveLength(2)
})

test('copies another file if the journal of this machine is a link to a missing file', async () => {
  const { run, onMachine, file, shop } = await openMachine()
  await onMachine(buy)
  cpSync(file, path.join(shop.home, 'other.db'))
  rmSync(file)
  symlinkSync(path.join(shop.home, 'missing.db'), file)
  expect(await run(['journal', 'copy', '--from', 'other.db'])).toMatchObject({
    ...{ exit: 0, stderr: '' },
    stdout: expect.stringContaining('Copied 1 order,'),
  })
})

test('names references that both journals have', async () => {
  const { run, copy, onMachine, file } = await openMachine()
  await onMachine(buy)
  deleteMachineFile(path.dirname(file))
  await run(buy)
  const { exit, stderr } = await copy()
  expect({ exit, stderr }).toEqual({
    exit: 0,
    stderr:
      'warning: two different orders have the reference po-1, so it may have been bought twice. Compare them: orderctl list --reference po-1\n',
  })
})

test('copies nothing while a confirm may have spent, and names the command that settles it', async () => {
  const { run, copy, onMachine, shop, database, file } = await openMachine()
  shop.through(on('confirm', () => Promise.reject(new Error('connection reset'))))
  expect((await onMachine(buy)).exit).toBe(6)
  const [{ id } = {}] = shop.journal('SELECT order_id AS id FROM orders')
  expect(await copy()).toEqual({
    exit: 6,
    stdout: '',
    stderr:
      `error: ${file} has orders whose confirm may have spent money: ${id} of the profile environment; nothing was copied\n` +
      'try: env -u ORDERCTL_JOURNAL orderctl reconcile\n' +
      'Reconcile them with this journal. Then copy it.\n',
  })
  const elsewhere = path.join(shop.home, 'a laptop', 'journal.db')
  cpSync(path.dirname(file), path.dirname(elsewhere), { recursive: true })
  const folder = `'${path.dirname(elsewhere)}'`
  expect((await run(['journal', 'copy', '--from', elsewhere])).stderr).toContain(
    `try: env -u ORDERCTL_JOURNAL ORDERCTL_STATE_DIR=${folder} orderctl reconcile\n`,
  )
  cpSync(elsewhere, path.join(shop.home, 'other.db'))
  expect((await run(['journal', 'copy', '--from', 'other.db'])).stderr).toContain(
    'nothing was copied\nReconcile them with this journal. Then copy it.\n',
  )
  expect(await database.admin('SELECT 1 FROM orders')).toEqual([])
  shop.through()
  shop.clock.pass(60 * 60_000)
  await onMachine(['reconcile'])
  shop.clock.pass(5 * 60_000)
  await onMachine(['reconcile'])
  expect((await copy()).stdout).toBe('Copied 1 order, 0 batches and 0 reveals. Updated 0.\n')
})

test('names the profile to settle orders with, if it uses the file', async () => {
  const { run, add, file, shop, address } = await openProfiles()
  const copy = () => run(['journal', 'copy', '--from', file], { ORDERCTL_JOURNAL: address })
  await add()
  shop.through(on('confirm', () => Promise.reject(new Error('connection reset'))))
  expect((await run(buy)).exit).toBe(6)
  expect((await copy()).stderr).toContain(
    'of the profile shop; nothing was copied\ntry: env -u ORDERCTL_JOURNAL orderctl reconcile --profile shop\n',
  )
  await add('--replace', '--journal', address)
  expect((await copy()).stderr).toContain(
    'nothing was copied\nReconcile them with this journal. Then copy it.\n',
  )
  await run(['profile', 'remove', 'shop'])
  expect((await copy()).stderr).toContain(
    'nothing was copied\nReconcile them with this journal. Then copy it.\n',
  )
})

test('names a started batch that changed since it was copied, and copies everything else', async () => {
  const { run, copy, onMachine, shop, database } = await openMachine({ way: overSocket })
  const rows = shop.file('sku,quote,quantity\nGAME-US,25,1\n', 'rows.csv')
  await onMachine(['batch', 'plan', rows, '--name', 'gifts', '--wallet', 'USD'])
  await copy()
  await onMachine(['batch', 'run', 'gifts', '--max-total', '99'])
  const { exit, stdout, stderr } = await copy()
  expect({ exit, stdout }).toEqual({
    exit: 11,
    stdout: 'Copied 1 order, 0 batches and 0 reveals. Updated 0.\n',
  })
  expect(stderr).toContain('error: the batch gifts was copied before, and was changed in the file since then')
  expect(JSON.parse((await copy('--json')).stdout)).toMatchObject({ orders: 0, changed: ['gifts'] })
  expect(await database.admin('SELECT started_at, state FROM batches, batch_cards')).toEqual([
    { started_at: null, state: 'wanted' },
  ])
  expect(shop.bought()).toHaveLength(1)
  const again = await run(['batch', 'run', 'gifts', '--max-total', '99'])
  expect(again.exit, again.stderr).toBe(0)
  expect(shop.bought()).toHaveLength(1)
})

test('copies limits, or says why not', async () => {
  const { run, copy, onMachine, database, proxy } = await openMachine({ roles: ['ben'] })
  await onMachine(['profile', 'limits', '--budget', '500USD/day', '--budget', '900USD/week'])
  await run(['journal', 'migrate', '--grant', database.nameOf('ben')])
  await run(['profile', 'limits', '--budget', '800USD/week'])
  const counts = 'Copied 0 orders, 0 batches and 0 reveals. Updated 0.\n'
  const kept = 'The shared journal keeps its limit 800.00 USD per week.\n'
  const ben = { env: { ORDERCTL_JOURNAL: database.address('ben', proxy) } }
  expect(await run(['journal', 'copy', '--from', 'state/journal.db'], ben)).toEqual({
    exit: 0,
    stdout: `${counts}${kept}`,
    stderr:
      'warning: the limit 500.00 USD per day was not copied, because your database role may not change limits\n',
  })
  expect(await copy()).toEqual({
    exit: 0,
    stdout: `${counts}Copied the limit 500.00 USD per day.\n${kept}`,
    stderr: '',
  })
  expect(JSON.parse((await copy('--json')).stdout).limits).toEqual({
    copied: [],
    kept: [{ kind: 'week', currency: 'USD', amount: 800, account: null }],
    refused: [],
  })
})

test('refuses a missing file, a file of another program, and a journal on this machine as the target', async () => {
  const { run, copy, onMachine, file } = await openMachine()
  const refuses = async (message: string, ran = copy(), exit = 2) =>
    expect(await ran).toMatchObject({ exit, stderr: expect.stringContaining(message) })
  await refuses(
    `error: --from: ${file} does not exist; nothing was copied\ntry: orderctl journal status --profile sandbox\nPass the file `,
  )
  expect(existsSync(file)).toBe(false)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, 'not a database, but long enough to be read as one')
  await refuses(`error: --from: ${file} is not a journal of orderctl; nothing was copied\n`)
  writeFileSync(file, '')
  await refuses(`${file} is empty`, copy(), 9)
  rmSync(file)
  const other = new DatabaseSync(file)
  other.exec('PRAGMA application_id = 7; CREATE TABLE theirs (id)')
  other.close()
  await refuses('is not a journal of orderctl')
  await refuses(
    'error: journal copy needs a shared journal to copy to\n',
    onMachine(['journal', 'copy', '--from', file]),
  )
  await refuses("required option '--from <file>'", run(['journal', 'copy']))
})
