// Notes on stderr: wrapped on a terminal, whole lines in a pipe.
import { expect, test } from 'vitest'
import { writeNote } from '../../src/app/notes.ts'
import type { Context } from '../../src/context.ts'

const note =
  'The batch gifts of ana, started in the last 24 hours, buys the same products.\nCodes are hidden. Write them to a file: orderctl batch export gifts gifts-codes.csv\n'

const writeTo = (isTerminal: boolean): string => {
  const written: string[] = []
  const stderr = { isTerminal, width: 40, write: (text: string) => written.push(text) }
  writeNote({ stderr: stderr as unknown as Context['stderr'] }, note)
  return written.join('')
}

test('a terminal gets lines that fit, but a command to type is not broken', () => {
  expect(writeTo(true)).toBe(
    `The batch gifts of ana, started in the
last 24 hours, buys the same products.
Codes are hidden. Write them to a file:
orderctl batch export gifts gifts-codes.csv
`,
  )
})

test('a pipe gets each note as one line', () => expect(writeTo(false)).toBe(note))
