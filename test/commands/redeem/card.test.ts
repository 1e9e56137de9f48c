// redeem --card: one card of the list, as a table or as bare values.
import { expect, test } from 'vitest'
import { openWorld, scrub } from '../../support/world.ts'
import { inWords } from '../../ui/screens.ts'

const bought = async (...products: string[]) => {
  const shop = await openWorld()
  const order = await shop.ended(...products)
  return { ...shop, order }
}

test('--only code --card 2 --reveal prints the second code, and records its product alone', async () => {
  const { must, order } = await bought('GAME-US:25', 'RIDE-JP:1000x2')
  const codes = (await must('redeem', order, '--only', 'code', '--reveal')).trim().split('\n')
  expect(await must('redeem', order, '--only', 'code', '--card', '2', '--reveal')).toBe(`${codes[1]}\n`)
  expect(await must('redeem', order, '--sku', 'RIDE-JP', '--only', 'code', '--card', '2', '--reveal')).toBe(
    `${codes[2]}\n`,
  )
  const [last] = JSON.parse(await must('list', '--reveals', '--json'))
  expect(last).toMatchObject({ how: 'reveal', skus: ['RIDE-JP'] })
})

test('without --reveal, the value is hidden', async () => {
  const { run, order } = await bought('GAME-US:25x2')
  const { stdout, stderr } = await run(['redeem', order, '--only', 'code', '--card', '2'])
  expect(stdout).toMatch(/^••••[\dA-Z]{4}\n$/)
  expect(stderr).toBe('Codes are hidden. Show them with --reveal.\n')
})

test('the table of one card', async () => {
  const { atTerminal, order } = await bought('GAME-US:25', 'RIDE-JP:1000')
  const env = { COLUMNS: '80', NO_COLOR: '', FORCE_COLOR: '1' }
  const { exit, stdout } = await atTerminal(['redeem', order, '--card', '2'], { env })
  expect(exit).toBe(0)
  expect(scrub(inWords(stdout))).toMatchSnapshot()
})

test('a card or a value that does not exist is an error', async () => {
  const { run, order } = await bought('GAME-US:25', 'GAME-BR:50')
  const fail = async (...words: string[]) => {
    const { exit, stdout, stderr } = await run(['redeem', order, ...words, '--reveal'])
    return [exit, stdout, stderr.split('\n')]
  }
  expect(await fail('--card', '3')).toEqual([
    2,
    '',
    ['error: there is no card 3', 'Use a number from 1 to 2, as redeem lists the cards.', ''],
  ])
  for (const more of [[], ['--qr']]) {
    expect(await fail('--card', '2', '--only', 'code', ...more)).toEqual([
      2,
      '',
      ['error: card 2 has no code', 'Use one of these: pin, link', ''],
    ])
  }
})
