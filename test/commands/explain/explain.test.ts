// explain on the clipboard. explain.session has the text itself.
import { expect, test } from 'vitest'
import type { Situation } from '../../support/in-process.ts'
import { openWorld } from '../../support/world.ts'

test.each([
  ['linux', 'xclip'],
  ['win32', 'clip.exe'],
])('on %s, --copy copies the text, one line a paragraph, and prints it too', async (platform, tool) => {
  const { ended, atTerminal, must } = await openWorld()
  const id = await ended('GAME-US:25')
  const cards = await must('redeem', id, '--only', 'code', '--reveal')
  let copied = ''
  const pipe: NonNullable<Situation['pipe']> = async (_, text) => {
    copied = text ?? ''
    return ''
  }
  const situation = { env: { DISPLAY: ':0', COLUMNS: '60' }, platform, pipe }
  const { exit, stdout, stderr } = await atTerminal(['explain', id, '--copy'], situation)
  expect([exit, stderr]).toEqual([0, `Copied the text with ${tool}. It contains no code.\n`])
  const collapse = (text: string): string => text.replaceAll(/\s+/g, ' ')
  expect(collapse(copied).slice(0, 300)).toBe(collapse(stdout).slice(0, 300))
  expect(copied).toMatch(/^Order \S+, reference \S+: successful, all products succeeded\.\n/)
  expect(copied).not.toContain(cards.trim())
})
