// What the TAB key offers, and its scripts. Nothing is asked, nothing is run, nothing is changed.

import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { buildTree } from '../../../build/command-tree.ts'
import { findSource } from '../../../src/commands/completion/candidates.ts'
import { inProcess } from '../../support/in-process.ts'
import { folder } from '../../support/orderctl.ts'
import { openWorld } from '../../support/world.ts'
import { placeOrders } from './shells.ts'

const offered = async (words: readonly string[], env: Record<string, string> = {}): Promise<string[]> => {
  const { exit, stdout, stderr } = await inProcess(['__complete', '--', ...words], { env })
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
  return stdout.trimEnd().split('\n')
}

const values = async (words: readonly string[], env = {}): Promise<string[]> =>
  (await offered(words, env)).map((line) => line.replace(/\t.*/, ''))

describe('what is offered', () => {
  test.each([
    ['rec', 'reconcile :'],
    ['profile u', 'use :'],
    ['help profile u', 'use :'],
    ['help ex', 'exit-codes :'],
    ['help sa', 'sandbox safety :'],
    ['completion ', 'install uninstall bash zsh fish powershell :'],
    ['get --ex', '--explain :'],
    ['get --explain --ex', ':'],
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
    ['get --fields state,uid,st', ':nospace'],
    ['list --fields state,ori', 'state,origin :nospace'],
    ['serve-mock --exec -- npm ', ':command'],
    ['create ', ':files'],
    ['serve-mock --state ', ':files'],
    ['profile add --key-file=x', ':files'],
    ['profile add x --products ', ':files'],
    ['nothing ', ':'],
    ['__c', ':'],
    [
      '',
      'create confirm get redeem watch list find report reconcile batch listen mcp profile journal sandbox serve-mock completion doctor help :',
    ],
  ])('for %j', async (line, expected) => {
    expect((await values(line.split(' '))).join(' ')).toBe(expected)
  })

  test('are orders of the account in force, newest first, with state and age', async () => {
    const state = folder()
    await placeOrders(path.join(state, 'journal.db'), ['older', 'newer', 'bad\nline'])
    await placeOrders(path.join(state, 'journal.db'), ['elsewhere'], {
      profile: 'environment',
      origin: 'https://a.example',
    })
    const env = { ORDERCTL_STATE_DIR: state }
    // The profiles were lost: nothing is in force.
    expect((await values(['get', ''], env)).filter((each) => !each.startsWith('--'))).toEqual([':'])
    expect(
      (await offered(['get', ''], { ...env, ORDERCTL_PROFILE: 'sandbox' })).map((line) =>
        line.replace(/\d+ s ago|1 min ago/, 'a while ago'),
      ),
    ).toEqual([
      '@last\tcreated, a while ago, ord_2',
      'ord_2\tcreated, a while ago, bad\\u{a}line',
      'ord_1\tcreated, a while ago, newer',
      'ord_0\tcreated, a while ago, older',
      'ref:newer\tcreated, a while ago, ord_1',
      'ref:older\tcreated, a while ago, ord_0',
      ':',
    ])
    const elsewhere = { ...env, ORDERCTL_BASE_URL: 'https://a.example' }
    expect(await values(['get', 'r'], elsewhere)).toEqual(['ref:elsewhere', ':'])
    expect(await values(['get', '--profile', 'sandbox', 'ord_1', 'ord'], elsewhere)).toEqual([
      'ord_2',
      'ord_0',
      ':',
    ])
    // As list itself has it: of every account, or of the one that is named.
    const listing = ['list', '--reference', '']
    expect(await values(listing, env)).toEqual(['elsewhere', 'newer', 'older', ':'])
    expect(await values(['list', '--profile', 'environment', '--reference', ''], env)).toEqual([
      'elsewhere',
      ':',
    ])
    expect(await values(['list', '--profile=sandbox', '--reference', 'n'], elsewhere)).toEqual(['newer', ':'])
    expect(await values(['list', '--profile', ''], env)).toEqual(['sandbox', 'environment', ':'])
    expect(await values(['create', '--wallet', ''], elsewhere)).toEqual(['USD', ':'])
    expect(await values(['create', '--product', ''], elsewhere)).toEqual(['GAME-US:25', ':nospace'])
  })

  test('are products of the profile’s own file, beside what was ordered; without it, those alone', async () => {
    const place = folder()
    const env = { ORDERCTL_STATE_DIR: place, ORDERCTL_CONFIG_DIR: place, ORDERCTL_PROFILE: 'shop' }
    const products = path.join(place, 'products.json')
    const [baseUrl, auth] = ['https://a.example', { kind: 'bearer' }]
    const profile = { name: 'shop', baseUrl, auth, products }
    const document = { kind: 'orderctl profiles', version: 1, profiles: [profile] }
    writeFileSync(path.join(place, 'profiles.json'), JSON.stringify(document), { mode: 0o600 })
    const sold = (...list: object[]) =>
      writeFileSync(
        products,
        JSON.stringify({ products: list.map((each) => ({ currency: 'USD', ...each })) }),
      )
    const typed = ['create', '--product', '']
    expect(await offered(typed, env)).toEqual([':nospace'])
    sold(
      { sku: 'COFFEE', name: 'Coffee', productType: 'range', min: 5, max: 12.5 },
      { sku: 'GAME-US', name: 'Games', productType: 'fixed', quote: 30 },
    )
    const range = 'COFFEE:\tCOFFEE:QUOTE/range, Coffee, 5 to 12.5 USD'
    expect(await offered(typed, env)).toEqual([range, 'GAME-US:30\tGames', ':nospace'])
    expect(await offered(['redeem', '--sku', ''], env)).toEqual(['COFFEE\tCoffee', 'GAME-US\tGames', ':'])
    // Ordered for 25: a price of old.
    await placeOrders(path.join(place, 'journal.db'), ['ref-1'], { profile: 'shop', origin: baseUrl })
    expect(await offered(typed, env)).toEqual(['GAME-US:30\tGames', range, ':nospace'])
    expect(await offered(['redeem', '--sku', ''], env)).toEqual(['GAME-US', ':'])
    const kept = ['GAME-US:25\tlast ordered amount', ':nospace']
    for (const text of ['{', '{}', '[1]']) {
      writeFileSync(products, text)
      expect(await offered(typed, env)).toEqual(kept)
    }
    rmSync(products)
    expect(await offered(typed, env)).toEqual(kept)
    // Nobody writes there.
    execFileSync('sh', ['-c', `mkfifo '${products}'`])
    expect(await offered(typed, env)).toEqual(kept)
  })

  test.each<[string, string]>([
    ['journal.db', 'no database'],
    ['profiles.json', '{"kind"'],
  ])('are the words of the program where %s is damaged', async (name, text) => {
    const place = folder()
    writeFileSync(path.join(place, name), text)
    const env = { ORDERCTL_STATE_DIR: place, ORDERCTL_CONFIG_DIR: place }
    expect(await values(['get', ''], env)).toEqual([':'])
    expect(await values(['get', '--profile', ''], env)).toEqual(['sandbox', ':'])
    expect(await values(['get', '--ex'], env)).toEqual(['--explain', ':'])
    expect(readFileSync(path.join(place, name), 'utf8')).toBe(text)
  })

  test('is decided for every flag and argument', () => {
    const undecided = (command: Command, at: string): string[] => [
      ...command.options
        .filter(({ required, optional }) => required || optional)
        .filter((each) => !findSource(each))
        .map(({ flags }) => `${at} ${flags}`),
      ...command.registeredArguments
        .filter((each) => !findSource(each))
        .map((each) => `${at} ${each.name()}`),
      ...command.commands.flatMap((each) => undecided(each, `${at} ${each.name()}`.trim())),
    ]
    expect(undecided(buildTree(), '')).toEqual([])
  })

  test.each(['create', 'get', 'list', 'list --reveals', 'redeem'])(
    'as fields of %s are there',
    async (words) => {
      const shop = await openWorld()
      const order = await shop.ended('GAME-US:25')
      await shop.must('create', '--product', 'GAME-US:25', '--wallet', 'USD')
      await shop.must('redeem', order, '--reveal')
      const command = words.split(' ')
      const fields = (await values([...command, '--fields', ''])).filter((each) => !each.startsWith(':'))
      const more =
        { create: ['--product', 'GAME-US:25', '--wallet', 'USD'], get: [order], redeem: [order] }[words] ?? []
      const { stderr } = await shop.run([...command, ...more, '--json', '--fields', fields.join(',')])
      expect(fields.length).toBeGreaterThan(0)
      expect(stderr).not.toContain('--fields')
    },
  )
})

describe('the script', () => {
  const files = { bash: 'orderctl.bash', zsh: '_orderctl', fish: 'orderctl.fish', powershell: 'orderctl.ps1' }

  test.each(Object.entries(files))('of %s is what lies in completions/%s', async (shell, file) => {
    const text = readFileSync(path.join('completions', file), 'utf8')
    expect(await inProcess(['completion', shell])).toEqual({ exit: 0, stdout: text, stderr: '' })
    expect(text).not.toMatch(/\beval\b|Invoke-Expression|\biex\b/)
    const { stdout, stderr } = await inProcess(['completion', shell, '--json'])
    expect([JSON.parse(stdout), stderr]).toEqual([{ shell, script: text }, ''])
  })
})

test('@last is offered only where it would be found: never for an older order in its place', async () => {
  const shop = await openWorld()
  const last = async () => {
    const { stdout } = await shop.run(['__complete', '--', 'confirm', '@'])
    return stdout.split('\n')[0]
  }
  await shop.must('create', '--product', 'GAME-US:25', '--wallet', 'USD', '-q')
  expect(await last()).toMatch(/^@last\tcreated, [^,]+, sbx_/)
  await shop.run(['create', '--product', 'TEST-OUT-OF-STOCK:10', '--wallet', 'USD'])
  expect(await last()).toBe(':')
})
