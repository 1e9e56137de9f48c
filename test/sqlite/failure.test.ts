// The advice for an unusable file never loses its data silently.
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Failure } from '../../src/errors.ts'
import { type Schema, toFailure } from '../../src/sqlite/failure.ts'
import { rowsOf } from '../support/rows.ts'
import { openScratch } from '../support/scratch.ts'

const plain: Schema = {
  name: 'test file',
  elsewhere: 'Choose a different',
  applicationId: 1,
  version: 1,
  createSql: () => '',
}
const precious: Schema = { ...plain, loss: 'everything is lost' }

const errors = { busy: 5, constraint: 1299, damaged: 11, 'out of space': 13 } as const

test.each(
  rowsOf(`
    precious | out of space | | Choose a different. You must be able to write to its folder, and
    precious | out of space | x | Check that you can write to its folder, and that its disk
    replaceable | out of space | x | Choose a different. You must be able to write to its folder
    precious | damaged | x | It was left untouched. If you have a backup, restore it.
    replaceable | damaged | x | It was left untouched. Choose a different, or move this file away.
    precious | constraint | x | A row is damaged, or orderctl has a defect.
    precious | busy | x | Another process is writing to it. Run the command again when
  `),
)('a %s file: %s with the content %j: %s', (kind, error = '', content = '', advice = '') => {
  using scratch = openScratch()
  writeFileSync(scratch.file, content)
  const thrown = Object.assign(new Error(error), { errcode: errors[error as keyof typeof errors] })
  const failure = toFailure(thrown, scratch.file, kind === 'precious' ? precious : plain) as Failure
  expect([failure.kind, failure.details.advice]).toEqual(['local-state', expect.stringContaining(advice)])
})

test('any other error is unchanged', () => {
  const error = new TypeError('a defect')
  expect(toFailure(error, 'file', plain)).toBe(error)
})
