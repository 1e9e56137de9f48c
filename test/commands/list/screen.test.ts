// The screen of list: its columns, what it hides, and what it says about that.
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'
import { inWords } from '../../ui/screens.ts'
import { fillJournal, openDesk, shopEnvironment } from './fill.ts'

const filled = async () => {
  const shop = await openWorld()
  await fillJournal(shop)
  const run = (...words: string[]) => shop.run(['list', ...words], { env: shopEnvironment })
  return { shop, run }
}

test('on a terminal of 80 columns', async () => {
  const { shop } = await filled()
  const draw = async (NO_COLOR: string | undefined) => {
    const { stdout, stderr } = await shop.atTerminal(['list'], {
      env: { ...shopEnvironment, COLUMNS: '80', NO_COLOR },
    })
    return `${stdout}${stderr}`
  }
  const coloured = await draw(undefined)
  expect(inWords(coloured)).toMatchSnapshot()
  expect(await draw('1')).toBe(stripVTControlCharacters(coloured))
})

test('each id is whole at each width', async () => {
  const { shop } = await filled()
  for (const COLUMNS of ['20', '30', '50', '70', '100']) {
    const { stdout } = await shop.run(['list'], { env: { ...shopEnvironment, COLUMNS } })
    expect(stdout.match(/\bord_\d{14}(?!\d)/g)).toHaveLength(3)
  }
})

test('in a pipe, no column is cut or left out, unless COLUMNS is set', async () => {
  const { shop } = await filled()
  const env = { ...shopEnvironment, COLUMNS: undefined }
  const { stdout } = await shop.run(['list'], { env })
  expect(stdout).toMatch(/^ORDER +REFERENCE +STATE +PRODUCTS +TOTAL +BY +AGE +PROFILE\n/)
  expect(stdout).toContain('orderctl-2026-11-20-000000000000')
  expect(stdout).toContain('1 × BOOK-DE 7.50, 2 × GAME-US 25, 12 × MUSIC-FR 10')
  expect(await shop.run(['list'], { env: { ...env, COLUMNS: '' } })).toMatchObject({ stdout })
  const limited = await shop.run(['list'], { env: { ...env, COLUMNS: '80' } })
  expect(limited.stdout).not.toContain('orderctl-2026-11-20-000000000000')
})

const addAttempts = async (shop: World, count: number): Promise<void> => {
  const { begin, endCreate, close } = await openDesk(shop, 'ana')
  const at = Date.now()
  const add = async (_: unknown, index: number) =>
    endCreate(await begin({ reference: `new-${index}`, at }), { outcome: 'refused' }, at)
  await Promise.all(Array.from({ length: count }, add))
  await close()
}

describe('attempts that never became an order', () => {
  test('are hidden and counted, and --all shows them', async () => {
    const { run } = await filled()
    const { stdout, stderr } = await run()
    expect(stdout).not.toMatch(/refused|not-sent/)
    expect(stderr).toContain(
      '3 attempts that never became an order are hidden. Show them: orderctl list --all\n',
    )
    const all = await run('--all')
    expect(all.stdout.match(/refused|not-sent/g)).toHaveLength(3)
    expect(all.stderr).not.toContain('hidden')
  })

  test('are counted as far back as the orders that are listed, and among the selected ones', async () => {
    const { run } = await filled()
    const one = '1 attempt that never became an order is hidden. '
    expect((await run('--limit', '1')).stderr).toContain(`${one}Show it: orderctl list --all\n`)
    expect((await run('--since', '1h')).stderr).toContain(`${one}Show it with --all.\n`)
    expect((await run('--by', 'benedict')).stderr).toContain(`${one}Show it with --all.\n`)
    expect((await run('--reference', 'attempt-1')).stderr).toBe(
      `No matching orders\n${one}Show it with --all.\n`,
    )
    expect((await run('--profile', 'environment')).stderr).toBe('No matching orders\n')
  })

  test('are counted up to a thousand', async () => {
    const { shop, run } = await filled()
    await addAttempts(shop, 1_000)
    expect((await run()).stderr).toContain('At least 1,000 attempts that never became an order are hidden.')
  })
})
