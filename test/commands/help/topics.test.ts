// The help topics, held to the code that they speak of.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import stringWidth from 'string-width'
import { beforeAll, describe, expect, test } from 'vitest'
import { orderLimits } from '../../../src/contract/limits.ts'
import { exitCodes } from '../../../src/errors.ts'
import { guides } from '../../../src/program/program.ts'
import { builtInCatalogue } from '../../../src/service/catalogue.ts'
import { inProcess } from '../../support/in-process.ts'
import { openWorld } from '../../support/world.ts'

const topics = ['exit-codes', 'environment', 'order-file', 'sandbox', 'json', 'safety']
const commands = [
  ...['create', 'confirm', 'get', 'redeem', 'explain', 'watch', 'list', 'reveals', 'reconcile', 'serve-mock'],
  ...['profile', 'profile add', 'profile list', 'profile test', 'sandbox', 'sandbox advance'],
]

/** What the topics say that orderctl does. */
const verbs = 'asks cannot generates protects reads refuses retries sends waits'.split(' ')

const helpOn = async (topic: string, columns = 80): Promise<string> => {
  const { exit, stdout } = await inProcess(['help', ...topic.split(' ')], {
    cwd: '.',
    env: { COLUMNS: String(columns) },
  })
  expect(exit).toBe(0)
  return stdout
}

let texts: Map<string, string>
let helps: string
beforeAll(async () => {
  texts = new Map(await Promise.all(topics.map(async (topic) => [topic, await helpOn(topic, 200)] as const)))
  helps = (await Promise.all([...commands, 'batch show'].map((command) => helpOn(`${command} --all`)))).join(
    '\n',
  )
})
const textOf = (topic: string): string => texts.get(topic) ?? ''

test.each(topics)('%s fits its terminal', async (topic) => {
  for (const columns of [60, 80, 120]) {
    const lines = (await helpOn(topic, columns)).split('\n').filter((line) => !line.startsWith('  '))
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(columns)
  }
})

test('environment names every variable that the source reads, and no other', () => {
  const read = new Set(
    globSync(['src/**/*.ts', 'bin/*.cjs']).flatMap(
      (file) => readFileSync(file, 'utf8').match(/\bORDERCTL_[A-Z_]+\b/g) ?? [],
    ),
  )
  const named = new Set(textOf('environment').match(/\bORDERCTL_[A-Z_]+\b/g))
  expect(named).toEqual(read)
  const guide = readFileSync('docs/reference.md', 'utf8')
  for (const name of named) expect(guide).toContain(name)
})

test('exit-codes names every one with its meaning', () => {
  for (const [name, { code, meaning }] of Object.entries(exitCodes)) {
    expect(textOf('exit-codes')).toMatch(new RegExp(`^ *${code} {2}${name} +${meaning.slice(0, 20)}`, 'm'))
  }
})

test('order-file says the limits, and its example is taken', async () => {
  const text = textOf('order-file')
  const { skusPerOrder, quantityPerSku, quantityPerOrder } = orderLimits
  expect(text).toContain(
    `An order has at most ${skusPerOrder} products, each SKU once. It has at most ${quantityPerSku} units of one product, and ${quantityPerOrder} units in all.`,
  )
  const [input = '', products = ''] = text.match(/^ {2}\{$[\s\S]*?^ {2}\}$/gm) ?? []
  const { exit, stdout } = await inProcess(['create', '-', '--dry-run'], { input })
  expect({ exit, request: JSON.parse(stdout) }).toEqual({ exit: 0, request: JSON.parse(input) })
  const shop = await openWorld()
  shop.file(products, 'products.json')
  const words = ['profile', 'add', 'shop', '--base-url', 'https://a.example', '--products', 'products.json']
  const env = { ORDERCTL_CONFIG_DIR: shop.home }
  const added = await shop.run([...words, '--credential-command', 'true'], { env })
  expect(added.stdout).toMatch(/^Products +2 products in /m)
})

test('sandbox lists every product that is made to go wrong', () => {
  const made = [...builtInCatalogue().products.keys()].filter((sku) => sku.startsWith('TEST-'))
  expect(textOf('sandbox').match(/^TEST-[A-Z-]+/gm)).toEqual(made)
})

describe.each(topics)('%s', (topic) => {
  test('names flags that there are', () => {
    for (const [flag] of textOf(topic).matchAll(/--[a-z][a-z-]+/g)) expect(helps).toContain(flag)
  })

  test('names commands that there are', () => {
    const named = [...textOf(topic).matchAll(/orderctl ([a-z-]+)/g)].map(([, name]) => name)
    for (const name of named) expect([...commands, 'help', ...verbs]).toContain(name)
  })
})

test.each([
  ...commands,
  ...['profile show', 'profile use', 'profile remove', 'batch plan', 'batch run', 'batch export'],
  ...['sandbox reset', 'completion', 'completion install', 'help'],
])('the help of %s has examples, which name it', async (command) => {
  const { stdout } = await inProcess([...command.split(' '), '--help'])
  expect(stdout).toMatch(new RegExp(`\\n\\nExamples:\\n {2}(.*\\n {2})*.*orderctl ${command}\\b`))
})

test('the package has every guide, and each fits its terminal', async () => {
  const pages = globSync('docs/[a-z]*.md').map((file) => path.basename(file, '.md'))
  expect(guides).toEqual(pages.filter((name) => name !== 'commands').sort())
  for (const name of guides) {
    const { exit, stdout } = await inProcess(['help', '--guide', name], { cwd: '.', env: { COLUMNS: '80' } })
    expect([exit, stdout.slice(0, 2)]).toEqual([0, '# '])
    expect(stdout).not.toMatch(/<\/?(?:picture|img)|\]\((?!https?:)/)
    const prose = stdout.replaceAll(/^```.*?^```$/gms, '').split('\n')
    expect(prose.filter((line) => stringWidth(line) > 80 && !/^orderctl |^\||https?:/.test(line))).toEqual([])
  }
})

test('a guide describes its pictures, says where a title is, and indents its lists', async () => {
  const { stdout } = await inProcess(['help', '--guide', 'tasks'], { cwd: '.', env: { COLUMNS: '80' } })
  const words = stdout.replaceAll(/\s+/g, ' ')
  expect(words).toContain(' (Picture: A printed card: a line for the recipient, ')
  expect(words).toContain('Reports (orderctl help --guide reports) lists all keys of ')
  expect(stdout).toMatch(/^2\. Wait .*\n {3}\S/m)
})
