// -q: every command that has it prints only warnings and errors on stderr.
import path from 'node:path'
import type { Command } from 'commander'
import { expect, onTestFinished, test } from 'vitest'
import { buildTree } from '../../build/command-tree.ts'
import { createDatabase } from '../support/postgres/database.ts'
import { openWorld, overSocket, type World } from '../support/world.ts'

/** A command, its words without -q, its stdout, and its exit code. */
type Case = readonly [
  name: string,
  words: (shop: World) => readonly string[] | Promise<readonly string[]>,
  stdout: RegExp,
  exit?: number,
]

const product = ['--product', 'GAME-US:25', '--wallet', 'USD']
const id = /^sbx_\w+\n$/
const plan = async (shop: World): Promise<string> => {
  const file = shop.file(`sku,quote,quantity\nGAME-US,25,2\n`, 'gifts.csv')
  await shop.must('batch', 'plan', file, '--wallet', 'USD', '--name', 'gifts')
  return 'gifts'
}
const run = async (shop: World): Promise<string> => {
  const name = await plan(shop)
  const { exit } = await shop.run(['batch', 'run', name, '--max-total', '100'])
  if (exit !== 0) throw new Error(`the batch ended with ${exit}`)
  return name
}

const rows = (shop: World): string => shop.file('sku,quote\nGAME-US,25\n', 'a.csv')
const gifts = /^gifts\n$/
const nothing = /^$/

const cases: readonly Case[] = [
  ['create', () => ['create', ...product], id],
  ['create', () => ['create', ...product, '--confirm'], id],
  ['create', () => ['create', ...product, '--confirm', '--watch'], id],
  ['create', () => ['create', ...product, '--dry-run'], /^\{/],
  [
    'create',
    async (shop) => {
      await shop.must('create', ...product, '--reference', 'r')
      return ['create', ...product, '--reference', 'r', '--idempotent']
    },
    id,
  ],
  ['create', async ({ ended }) => ['create', '--again', await ended('GAME-US:25')], id],
  ['confirm', async ({ created }) => ['confirm', await created('GAME-US:25')], id],
  ['confirm', async ({ confirmed }) => ['confirm', await confirmed('GAME-US:25'), '--idempotent'], id],
  ['get', async ({ ended }) => ['get', await ended('GAME-US:25')], id],
  ['redeem', async ({ ended }) => ['redeem', await ended('GAME-US:25')], id],
  ['redeem', async ({ ended }) => ['redeem', await ended('GAME-US:25', 'TEST-FAIL:10')], id, 8],
  [
    'redeem',
    async ({ ended, home }) => ['redeem', await ended('GAME-US:25'), '--export', path.join(home, 'a.csv')],
    id,
  ],
  ['watch', async ({ ended }) => ['watch', await ended('GAME-US:25')], id],
  ['watch', async ({ ended }) => ['watch', await ended('TEST-FAIL:10')], id, 7],
  [
    'watch',
    async ({ created, advance }) => {
      const order = await created('GAME-US:25')
      await advance('20m')
      return ['watch', order]
    },
    id,
    10,
  ],
  ['list', () => ['list'], nothing],
  ['list', () => ['list', '--by', 'nobody'], nothing],
  [
    'list',
    async (shop) => {
      for (const reference of ['a', 'b']) await shop.must('create', ...product, '--reference', reference)
      return ['list', '--limit', '1']
    },
    id,
  ],
  ['reconcile', () => ['reconcile'], nothing],
  ['batch list', () => ['batch', 'list'], nothing],
  ['batch list', () => ['batch', 'list', '--waiting'], nothing],
  ['batch plan', (shop) => ['batch', 'plan', rows(shop), '--wallet', 'USD'], /^a\n$/],
  ['batch run', async (shop) => ['batch', 'run', await plan(shop), '--max-total', '100'], gifts],
  ['batch run', async (shop) => ['batch', 'run', await run(shop)], gifts],
  ['batch run', async (shop) => ['batch', 'run', await run(shop), '--retry-failed'], gifts],
  ['batch show', async (shop) => ['batch', 'show', await plan(shop)], gifts],
  [
    'batch export',
    async (shop) => ['batch', 'export', await run(shop), path.join(shop.home, 'b.csv')],
    nothing,
  ],
  ['batch cancel', async (shop) => ['batch', 'cancel', await plan(shop)], gifts],
  [
    'batch cancel',
    async (shop) => {
      const name = await plan(shop)
      await shop.must('batch', 'cancel', name)
      return ['batch', 'cancel', name]
    },
    gifts,
  ],
]

test.for(cases)('%s -q', async ([name, words, stdout, exit = 0]) => {
  const shop = await openWorld(overSocket)
  const line = [...(await words(shop)), '-q']
  expect(line.join(' ').startsWith(name)).toBe(true)
  const ran = await shop.run(line)
  const warned = ran.stderr.replaceAll(/^warning: .*\n/gm, '')
  expect({ exit: ran.exit, stderr: warned }).toEqual({ exit, stderr: '' })
  expect(ran.stdout).toMatch(stdout)
})

test('batch approve -q', async () => {
  const shop = await openWorld(overSocket)
  const database = await createDatabase({ roles: ['ben'] })
  onTestFinished(() => database[Symbol.asyncDispose]())
  const as = (role: string) => ({
    env: { ORDERCTL_JOURNAL: database.address(role), PGPASSWORD: database.password },
  })
  const must = async (role: string, ...words: string[]) => {
    const ran = await shop.run(words, as(role))
    if (ran.exit !== 0) throw new Error(ran.stderr)
  }
  await must('ana', 'journal', 'migrate', '--grant', database.nameOf('ben'))
  await must('ana', 'profile', 'limits', '--approve-above', '10USD')
  const file = shop.file('sku,quote,quantity\nGAME-US,25,2\n', 'gifts.csv')
  await must('ana', 'batch', 'plan', file, '--wallet', 'USD', '--name', 'gifts')
  expect(await shop.run(['batch', 'run', 'gifts', '--max-total', '100', '-q'], as('ana'))).toMatchObject({
    ...{ exit: 12, stdout: '' },
    stderr: expect.stringMatching(/^error: /),
  })
  const shown = await shop.run(['batch', 'show', 'gifts', '--json'], as('ben'))
  const consent = ['--plan', JSON.parse(shown.stdout).id, '--max-total', '100']
  expect(await shop.run(['batch', 'approve', 'gifts', ...consent, '-q'], as('ben'))).toEqual({
    ...{ exit: 0, stdout: 'gifts\n', stderr: '' },
  })
  expect(
    await shop.run(['batch', 'run', 'gifts', '--max-total', '100', '--wait-approval', '1m', '-q'], as('ana')),
  ).toEqual({ exit: 0, stdout: 'gifts\n', stderr: '' })
})

test('every command that has -q is in this table', () => {
  const found: string[] = []
  const visit = (command: Command, path: string): void => {
    if (command.options.some(({ long }) => long === '--quiet')) found.push(path)
    for (const each of command.commands) visit(each, `${path} ${each.name()}`)
  }
  for (const command of buildTree().commands) visit(command, command.name())
  // These have their own tests: one needs PostgreSQL, the other reads a code.
  const others = ['batch approve', 'find']
  expect([...new Set([...cases.map(([name]) => name), ...others])].sort()).toEqual(found.sort())
})

test('a prompt still says what it is about', async () => {
  const shop = await openWorld(overSocket)
  const order = await shop.created('GAME-US:25')
  const { exit, stderr, questions } = await shop.atTerminal(['confirm', order, '-q'], { answers: [true] })
  expect({ exit, questions: questions.length }).toEqual({ exit: 0, questions: 1 })
  expect(stderr).toMatch(/^Using the environment: http:.*\n[\s\S]*25\.00 USD/)
})
