// redeem --qr: what stands on the terminal, read by a decoder.
import { describe, expect, test } from 'vitest'
import { readTerminal } from '../../support/qr-reader.ts'
import { openWorld, type World } from '../../support/world.ts'

const usage = (message: string, then = 'try: orderctl redeem --help') => ({
  exit: 2,
  stdout: '',
  stderr: `error: ${message}\n${then}\n`,
})

/** Titles, and what a camera reads below each. */
const seen = (stdout: string) =>
  stdout.split(/\n(?=\d+ {2})/).map((part) => {
    const [title, ...lines] = part.replace(/\n$/, '').split('\n')
    return [title, readTerminal(`${lines.filter((line) => line !== '').join('\n')}\n`, 'dark')]
  })

const values = async ({ must }: World, order: string, kind: string): Promise<string[]> =>
  (await must('redeem', order, '--only', kind, '--reveal')).trim().split('\n')

const journalled = async ({ must }: World) =>
  JSON.parse(await must('list', '--reveals', '--json')).map(
    ({ how, skus }: { how: string; skus: string[] }) => `${how} ${skus.join(' ')}`,
  )

describe('--qr', () => {
  test('draws the link of each card, with its number, SKU and value; the journal knows', async () => {
    const shop = await openWorld()
    const order = await shop.ended('GAME-US:25x2', 'RIDE-JP:1000')
    const links = await values(shop, order, 'link')
    const ran = await shop.run(['redeem', order, '--qr', '--reveal'])
    expect({ ...ran, stdout: seen(ran.stdout) }).toEqual({
      exit: 0,
      stderr: '',
      stdout: [
        ['1  GAME-US  25.00 USD', links[0]],
        ['2  GAME-US  25.00 USD', links[1]],
        ['3  RIDE-JP  1,000 JPY', links[2]],
      ],
    })
    expect((await journalled(shop))[0]).toBe('qr GAME-US RIDE-JP')
  })

  test('draws the code where there is no link; --only, --sku and --card choose', async () => {
    const shop = await openWorld()
    const order = await shop.ended('GAME-US:25x2', 'COFFEE-CA:15')
    const [, second, coffee] = await values(shop, order, 'code')
    const drawn = async (...words: string[]) =>
      seen((await shop.run(['redeem', order, '--qr', '--reveal', ...words])).stdout).map(([, value]) => value)
    expect(await drawn('--sku', 'COFFEE-CA')).toEqual([coffee])
    expect(await drawn('--only', 'code', '--card', '2')).toEqual([second])
    expect((await journalled(shop)).slice(0, 2)).toEqual(['qr GAME-US', 'qr COFFEE-CA'])
  })

  test('is refused where there is no room, and then nothing was shown', async () => {
    const shop = await openWorld()
    const order = await shop.ended('GAME-US:25')
    expect(await shop.run(['redeem', order, '--qr', '--reveal'], { env: { COLUMNS: '30' } })).toEqual({
      exit: 2,
      stdout: '',
      stderr:
        'error: cannot draw 1 of 1 QR codes\n  1  GAME-US  25.00 USD: needs 41 columns, but the terminal has 30\n' +
        `try: orderctl redeem ${order} --export cards.html --reveal\nYou can also use a wider window.\n`,
    })
    expect(await journalled(shop)).toEqual([])
  })

  test('of a part exits 8; of a kind that is not there 2', async () => {
    const shop = await openWorld()
    const order = await shop.ended('COFFEE-CA:15', 'TEST-FAIL:10')
    const { exit, stderr } = await shop.run(['redeem', order, '--qr', '--reveal'])
    expect([exit, stderr]).toEqual([8, 'missing: TEST-FAIL: 1 ordered, no card received\n'])
    expect(await shop.run(['redeem', order, '--qr', '--reveal', '--only', 'link'])).toEqual(
      usage('the cards have no link', 'Use one of these: pin, code'),
    )
    expect(await shop.run(['redeem', order, '--qr', '--reveal', '--card', '2'])).toEqual(
      usage('there is no card 2', 'Use a number from 1 to 1, as redeem lists the cards.'),
    )
  })
})
