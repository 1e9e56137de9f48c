// The README's promises, held against the product.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { exitCodes } from '../src/exit-codes.ts'
import { builtInCatalogue } from '../src/service/catalogue.ts'
import { faultKinds } from '../src/service/faults/faults.ts'
import { openService } from './support/embedded.ts'
import { orderctl } from './support/orderctl.ts'

const readme = readFileSync('README.md', 'utf8')
const section = (title: string): string => readme.split(`\n### ${title}\n`)[1]?.split(/\n##+ /)[0] ?? ''
/** The first cells of a section's table rows. */
const firstCells = (title: string): string[] =>
  [...section(title).matchAll(/^\| (.*?) \|/gm)].map(([, cell]) => cell ?? '').slice(1)

test('its first command works as it stands', async () => {
  const words = /^npm ci && npx orderctl (.*)$/m.exec(readme)?.[1]?.split(' ') ?? []
  const { exit, stdout } = await orderctl(words)
  expect(exit).toBe(0)
  expect(stdout).toMatch(/successful[\s\S]*GAME-US .*••••/)
})

test('its exit codes are those of the program', () => {
  const rows = [...readme.matchAll(/^\| (\d+) `([a-z-]+)` \| (.*) \|$/gm)].map(([, ...cells]) => cells)
  expect(rows).toEqual(
    Object.entries(exitCodes).map(([name, { code, meaning }]) => [String(code), name, meaning]),
  )
})

test('its way through serve-mock works as it stands', async () => {
  const tour = /## serve-mock[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme)?.[1] ?? ''
  const { exit, stdout } = await orderctl(['serve-mock', '--exec', '--', 'sh', '-euc', tour])
  const [confirmed, got] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(exit).toBe(0)
  expect(confirmed.data.state).toBe('confirmed')
  expect(got.data).toMatchObject({ state: 'successful', reference: 'my-first-order' })
  expect(got.data.redeem['GAME-US'].cards).toHaveLength(2)
})

test('it names every flag of serve-mock', async () => {
  const { stdout } = await orderctl(['serve-mock', '--help'])
  const flags = [...stdout.matchAll(/^ {2}(?:-h, )?(--[a-z-]+)/gm)].map(([, flag]) => flag)
  expect(flags.filter((flag) => flag !== '--help' && !readme.includes(`\`${flag}`))).toEqual([])
})

describe('products', () => {
  const { products, wallets } = builtInCatalogue()
  const all = [...products.values()]

  test('are as many as it says', () => {
    const sold = all.filter(({ sku }) => !sku.startsWith('TEST-'))
    const countries = new Set(sold.map(({ country }) => country)).size
    const currencies = new Set(sold.map(({ currency }) => currency)).size
    expect(section('Products')).toContain(
      `${sold.length} invented products over ${countries} countries and ${currencies} currencies`,
    )
  })

  test('that it names exist, and every trigger is named', () => {
    const named = [...section('Products').matchAll(/^\| `([A-Z-]+)` \|/gm)].map(([, sku]) => sku ?? '')
    expect(named.filter((sku) => !products.has(sku))).toEqual([])
    expect(named.filter((sku) => sku.startsWith('TEST-')).sort()).toEqual(
      [...products.keys()].filter((sku) => sku.startsWith('TEST-')).sort(),
    )
  })

  test('are paid from the wallets that it names', () => {
    expect([...wallets.keys()].sort()).toEqual(['AUD', 'EUR', 'GBP', 'JPY', 'USD'])
  })
})

test('it names every fault, and whether the work is done', () => {
  const kinds = firstCells('Faults').flatMap((cell) =>
    [...cell.matchAll(/`([a-z-]+)/g)].map(([, kind]) => kind),
  )
  expect([...new Set(kinds)].sort()).toEqual(Object.keys(faultKinds).sort())
})

test('it names every request of the control', async () => {
  await using service = await openService()
  const { data } = await service.mock('GET', '/')
  const routes = data.filter(({ path }: { path: string }) => path !== '/_mock/')
  for (const { method, path } of routes) {
    const row = firstCells('Control').find((cell) => cell.includes(path))
    expect(row, path).toContain(method)
  }
})
