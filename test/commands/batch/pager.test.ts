// Long tables on a terminal: PAGER shows them.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { type Filled, openFilled, rowsOf } from './filled-journal.ts'

const words = ['batch', 'show', 'orders', '--rows']

const show = async (
  { shop }: Pick<Filled, 'shop'>,
  pager: string | undefined,
  terminals = ['stdout'] as const,
) => {
  const env = { PAGER: pager?.replaceAll('FILE', path.join(shop.home, 'paged.txt')) ?? '' }
  return shop.atTerminal(words, { env, terminals: [...terminals] })
}

test('PAGER gets a table that is longer than the terminal', async () => {
  const batch = await openFilled({ rows: rowsOf(40) })
  const paged = await show(batch, 'cat > "FILE"; echo "$LESS" >> "FILE"')
  expect([paged.exit, paged.stdout]).toEqual([0, ''])
  const text = readFileSync(path.join(batch.shop.home, 'paged.txt'), 'utf8')
  expect(text).toMatch(/LINE +SKU/)
  expect(text.trimEnd().split('\n').length).toBe(43)
  expect(text.endsWith('FRX\n')).toBe(true)
})

test.each([
  ['it fits the terminal', 4, 'cat > "FILE"', true],
  ['PAGER is empty', 40, undefined, true],
  ['the program does not exist', 40, 'no-such-pager 2> /dev/null', true],
  ['stdout is no terminal', 40, 'cat > "FILE"', false],
])('the table is printed if %s', async (_reason, rows, pager, isTerminal) => {
  const batch = await openFilled({ rows: rowsOf(rows) })
  const { exit, stdout } = await batch.shop.atTerminal(words, {
    env: { PAGER: pager?.replaceAll('FILE', path.join(batch.shop.home, 'paged.txt')) ?? '' },
    terminals: isTerminal ? ['stdout'] : [],
  })
  expect([exit, /LINE +SKU/.test(stdout)]).toEqual([0, true])
  expect(existsSync(path.join(batch.shop.home, 'paged.txt'))).toBe(false)
})

test('list and report are paged, too', async () => {
  const { shop, deliver } = await openFilled({ rows: rowsOf(40) })
  await deliver(...Array.from({ length: 40 }, (_, index) => index + 1))
  const env = { PAGER: `cat >> "${path.join(shop.home, 'paged.txt')}"` }
  for (const line of ['list --limit 40', 'report --items']) {
    const { exit, stdout } = await shop.atTerminal(line.split(' '), { env, terminals: ['stdout'] })
    expect([exit, stdout]).toEqual([0, ''])
  }
  expect(readFileSync(path.join(shop.home, 'paged.txt'), 'utf8')).toMatch(
    /^ORDER .*REFERENCE[\s\S]*^DAY +ORDER/m,
  )
})

test('a reader who quits early is no error', async () => {
  const batch = await openFilled({ rows: rowsOf(400) })
  expect(await show(batch, 'true')).toMatchObject({ exit: 0, stdout: '' })
})

test('--failed shows only rows with failed or duplicate cards', async () => {
  const { shop, deliver, fail } = await openFilled()
  await deliver(1, 3)
  await fail(2, 'sold out')
  const rows = await shop.must(...words, '--failed')
  expect(rows.match(/GAME-US/g)).toHaveLength(1)
  const [json, ...others] = (await shop.must(...words, '--failed', '--json')).trimEnd().split('\n')
  expect([JSON.parse(json ?? '').state, others]).toEqual(['failed', []])
  expect((await shop.run(['batch', 'show', 'orders', '--failed'])).exit).toBe(2)
})
