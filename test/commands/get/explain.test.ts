// get --explain on the clipboard. explain.session has the text itself.
import { expect, test } from 'vitest'
import type { Situation } from '../../support/in-process.ts'
import { openWorld, overSocket } from '../../support/world.ts'

const desk = async () => {
  const shop = await openWorld(overSocket)
  const buy = async (...products: string[]): Promise<string> => {
    const lines = products.flatMap((product) => ['--product', product])
    const words = ['create', ...lines, '--wallet', 'USD', '--reference', 'PO-1042', '--confirm', '-q']
    const id = (await shop.must(...words)).trim()
    await shop.advance('5s')
    return id
  }
  const valuesOf = async (id: string): Promise<string[]> => {
    const { data } = await shop.calls.get(id)
    const cards = Object.values(data.redeem as Record<string, { cards: Record<string, string>[] }>)
    return cards.flatMap((each) =>
      each.cards.flatMap((card) =>
        ['redeemCardCode', 'redeemPin', 'redeemSerialNumber', 'redeemLink'].map((name) => card[name] ?? ''),
      ),
    )
  }
  return { ...shop, buy, valuesOf }
}

test.each([
  ['linux', 'xclip'],
  ['win32', 'clip.exe'],
])('on %s, --copy copies the text, one line a paragraph, and prints it too', async (platform, tool) => {
  const { buy, atTerminal, valuesOf } = await desk()
  const id = await buy('GAME-US:25')
  let copied = ''
  const pipe: NonNullable<Situation['pipe']> = async (_, text) => {
    copied = text ?? ''
    return ''
  }
  const env = { DISPLAY: ':0', COLUMNS: '60' }
  const { exit, stdout, stderr } = await atTerminal(['get', id, '--explain', '--copy'], {
    ...{ env, platform, pipe },
  })
  expect({ exit, stderr }).toEqual({
    ...{ exit: 0, stderr: `Copied the text with ${tool}. It contains no code.\n` },
  })
  const collapse = (text: string): string => text.replaceAll(/\s+/g, ' ')
  expect(collapse(copied).slice(0, 300)).toBe(collapse(stdout).slice(0, 300))
  expect(copied).toMatch(/^Order \S+, reference PO-1042: successful, all products succeeded\.\n/)
  for (const value of await valuesOf(id)) expect(copied).not.toContain(value)
})
