// Long tables on a terminal: PAGER shows them.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { openFilled, rowsOf } from './filled-journal.ts'

/** Runs a command with a PAGER. FILE in it is the file whose text `paged` returns. */
const show = async (rows: number, pager: string, isTerminal = true, line = 'batch show orders --rows') => {
  const { shop, deliver } = await openFilled({ rows: rowsOf(rows) })
  if (!line.startsWith('batch')) await deliver(...Array.from({ length: rows }, (_, index) => index + 1))
  const file = path.join(shop.home, 'paged.txt')
  const env = { PAGER: pager.replaceAll('FILE', file) }
  const { exit, stdout } = await shop.atTerminal(line.split(' '), {
    ...{ env, terminals: isTerminal ? ['stdout'] : [] },
  })
  return { exit, stdout, paged: existsSync(file) ? readFileSync(file, 'utf8') : undefined }
}

test('PAGER gets a table that is longer than the terminal', async () => {
  const { exit, stdout, paged = '' } = await show(40, 'cat > "FILE"; echo "$LESS" >> "FILE"')
  expect([exit, stdout]).toEqual([0, ''])
  expect(paged).toMatch(/LINE +SKU/)
  expect(paged.trimEnd().split('\n').length).toBe(43)
  expect(paged.endsWith('FRX\n')).toBe(true)
})

test.each([
  ['it fits the terminal', 4, 'cat > "FILE"', true],
  ['PAGER is empty', 40, '', true],
  ['the program does not exist', 40, 'no-such-pager 2> /dev/null', true],
  ['stdout is not a terminal', 40, 'cat > "FILE"', false],
])('the table is printed if %s', async (_reason, rows, pager, isTerminal) => {
  const { exit, stdout, paged } = await show(rows, pager, isTerminal)
  expect([exit, /LINE +SKU/.test(stdout), paged]).toEqual([0, true, undefined])
})

test.each([
  ['list --limit 40', /^ORDER .*REFERENCE/],
  ['report --items', /^DAY +ORDER/m],
])('%s is paged, too', async (line, text) => {
  const { exit, stdout, paged } = await show(40, 'cat > "FILE"', true, line)
  expect([exit, stdout, paged]).toEqual([0, '', expect.stringMatching(text)])
})

test('a reader who quits early is no error', async () => {
  expect(await show(400, 'true')).toMatchObject({ exit: 0, stdout: '' })
})
