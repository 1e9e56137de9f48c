import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { buildTree } from '../../../build/command-tree.ts'
import { findSource } from '../../../src/commands/completion/candidates.ts'
import { inProcess } from '../../support/in-process.ts'
import { openerFor, type World } from '../../support/world.ts'

const open = openerFor({})

/** The values without their descriptions. */
const complete = async ({ run }: World, line: string): Promise<string[]> => {
  const env = { ORDERCTL_PROFILE: 'sandbox' }
  const { exit, stdout, stderr } = await run(['__complete', '--', ...line.split(' ')], { env })
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
  return stdout
    .trimEnd()
    .split('\n')
    .map((each) => each.replace(/\t.*/, ''))
}

// Completion changes nothing, so all lines share a world.
let empty: Promise<World> | undefined

test.each([
  ['rec', 'reconcile :'],
  ['profile u', 'use :'],
  ['help sa', 'sandbox safety :'],
  ['help batch s', 'show :'],
  ['help batch show ', '--all --schema --guide --help :'],
  ['completion ', 'install bash zsh fish powershell :'],
  ['explain --co', '--copy :'],
  ['explain --copy --co', ':'],
  ['create --product GAME-US:25 --prod', '--product :'],
  ['list --state p', 'processing partial :'],
  ['list --state=p', '--state=processing --state=partial :'],
  ['watch --for r', 'rejected :'],
  ['redeem --only ', 'pin code link serial :'],
  ['profile add x --auth ', 'bearer basic header: query: :'],
  ['profile remove ', ':'],
  ['profile set ', ':'],
  ['profile set x --key-store ', 'file system :'],
  ['profile limits ', 'sandbox :'],
  ['profile limits sandbox --remove-budget ', 'order day week month :'],
  ['profile use ', 'sandbox :'],
  ['create --wallet ', 'USD EUR GBP JPY AUD :'],
  ['create --product COFFEE-U', 'COFFEE-US: :nospace'],
  ['create --product GAME-U', 'GAME-US:25 :nospace'],
  ['get --fields state,id,st', 'state,id,standing state,id,stale :nospace'],
  ['list --fields state,ori', 'state,origin :nospace'],
  ['serve-mock --exec -- npm ', ':command'],
  ['create ', ':files'],
  ['serve-mock --state ', ':files'],
  ['serve-mock --fault get:st', 'get:status= :nospace'],
  ['serve-mock --fault confirm:reset-', 'confirm:reset-before confirm:reset-after :nospace'],
  ['profile add --key-file=x', ':files'],
  ['nothing ', ':'],
  [
    '',
    'create confirm get redeem watch list find explain reveals report reconcile batch profile journal sandbox completion doctor listen mcp serve-mock help :',
  ],
])('for %j', async (line, expected) => {
  empty ??= open()
  expect((await complete(await empty, line)).join(' ')).toBe(expected)
})

/** Batches in each state, one of them on another account. */
const openFilled = async () => {
  const shop = await open()
  const rows = (column: string) => shop.file(`${column},sku,quote,quantity\n1,GAME-US,25,10\n`, 'rows.csv')
  const plan = (name: string, file: string, env = {}) =>
    shop.run(['batch', 'plan', file, '--wallet', 'USD', '--name', name], { env })
  for (const [name, cap] of [
    ['gifts', '130'],
    ['stopped', '10'],
  ] as const) {
    await plan(name, rows('name'))
    await shop.run(['batch', 'run', name, '--max-total', cap, '--allow-duplicate'])
  }
  await plan('cancelled', rows('name'))
  await shop.must('batch', 'cancel', 'cancelled', '--yes')
  await plan('planned', rows('recipient'))
  await plan('elsewhere', rows('name'), { ORDERCTL_BASE_URL: 'https://orders.example' })
  return shop
}
let filled: Promise<World> | undefined

test.each([
  ['batch ', 'plan run list show approve export cancel :'],
  ['batch sh', 'show :'],
  ['batch export g', 'gifts :'],
  ['batch cancel ', '@last planned stopped gifts :'],
  ['batch run ', '@last planned stopped gifts :files'],
  ['report --by column:', 'column:recipient column:name :'],
  ['batch plan ', ':files'],
  ['batch plan --name ', ':'],
  ['batch export gifts ', ':files'],
  [
    'batch show gifts --fields name,b',
    'name,by name,by.role name,by.user name,by.host name,by.writtenBy name,buyers name,buyers.by name,buyers.by.role name,buyers.by.user name,buyers.by.host name,buyers.by.writtenBy name,buyers.buyingCount name,buyers.waitingCount name,buyers.changedAt name,buyers.endsAt :nospace',
  ],
  [
    'batch show gifts --rows --fields c',
    'cardCounts cardCounts.delivered cardCounts.failed cardCounts.duplicate cells cards cards.state cards.problem cards.orderId cards.reference :nospace',
  ],
  ['list --batch ', 'planned cancelled stopped gifts :'],
  ['list --profile sandbox --batch=g', '--batch=gifts :'],
  ['watch b', 'batch:stopped batch:gifts :'],
  ['reconcile batch:g', 'batch:gifts :'],
  ['get batch:gifts batch:', 'batch:stopped :'],
  ['redeem batch:', ':'],
])('with batches, for %j', async (line, expected) => {
  filled ??= openFilled()
  expect((await complete(await filled, line)).join(' ')).toBe(expected)
})

test.each([
  ...['create --product GAME-US:25 --wallet USD', 'get ORDER', 'list', 'reveals', 'redeem ORDER'],
  ...['batch list', 'batch show gifts', 'batch show gifts --rows', 'batch cancel gifts'],
])('the fields that are offered for %s exist', async (line) => {
  const shop = await openFilled()
  const id = await shop.ended('GAME-US:25')
  await shop.must('redeem', id, '--reveal', '--profile', 'sandbox')
  const command = line.replace('ORDER', id)
  const offered = await complete(shop, `${command} --fields `)
  const fields = offered.filter((each) => !each.startsWith(':')).join()
  const words = [...command.split(' '), '--profile', 'sandbox', '--json', '--fields', fields]
  expect(fields.split(',').length).toBeGreaterThan(0)
  expect((await shop.run(words)).stderr).not.toContain('--fields')
})

test('what is offered is decided for every flag and argument', () => {
  const undecided = (command: Command, at: string): string[] => [
    ...command.options
      .filter(({ required, optional }) => required || optional)
      .filter((each) => !findSource(each))
      .map(({ flags }) => `${at} ${flags}`),
    ...command.registeredArguments.filter((each) => !findSource(each)).map((each) => `${at} ${each.name()}`),
    ...command.commands.flatMap((each) => undecided(each, `${at} ${each.name()}`.trim())),
  ]
  expect(undecided(buildTree(), '')).toEqual([])
})

const files = { bash: 'orderctl.bash', zsh: '_orderctl', fish: 'orderctl.fish', powershell: 'orderctl.ps1' }

test.each(Object.entries(files))('the script of %s is what lies in completions/%s', async (shell, file) => {
  const text = readFileSync(path.join('completions', file), 'utf8')
  expect(await inProcess(['completion', shell])).toEqual({ exit: 0, stdout: text, stderr: '' })
  expect(text).not.toMatch(/\beval\b|Invoke-Expression|\biex\b/)
  const { stdout, stderr } = await inProcess(['completion', shell, '--json'])
  expect([JSON.parse(stdout), stderr]).toEqual([{ shell, script: text }, ''])
})
