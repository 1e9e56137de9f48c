// src/ui/screens/doctor.ts: hostile texts, and lines that fit. test/commands/doctor has its findings.
import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { type Finding, renderDoctor } from '../../../src/ui/screens/doctor.ts'
import { viewOf } from '../screens.ts'

const hostile = '\u001b[2Jhas\nlines, and is wider than the terminal, so that it wraps between its words'
const finding: Finding = {
  ...{ group: 'Profiles', name: 'evil', status: 'problem', data: undefined },
  ...{ detail: hostile, fix: hostile, advice: hostile },
}

test('texts are safe and wrapped, a command to copy is not, and colours only repeat the text', () => {
  const plain = renderDoctor([finding], undefined, viewOf(60))
  expect(plain.match(/\\u\{1b\}/g)).toHaveLength(3)
  expect(plain).not.toContain('\u001b')
  const lines = plain.split('\n').filter((line) => !line.includes('try:') && !line.startsWith('lines'))
  expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(60)
  expect(stripVTControlCharacters(renderDoctor([finding], undefined, viewOf(60, true)))).toBe(plain)
})
