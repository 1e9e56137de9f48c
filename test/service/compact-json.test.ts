// src/service/compact-json.ts
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { decimal } from '../../src/contract/money/decimal.ts'
import { writeCompactJson } from '../../src/service/compact-json.ts'

test('any value is written as JSON.stringify writes it', () => {
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.double({ noDefaultInfinity: true, noNaN: true }),
      fc.boolean(),
      fc.constantFrom(null, decimal('0.1'), decimal('-12345678901234567890.5'), decimal('1e3')),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.string({ maxLength: 4 }), fc.option(tie('value'), { nil: undefined }), { maxKeys: 4 }),
    ),
  }))
  fc.assert(
    fc.property(value, (each) => {
      expect(writeCompactJson(each)).toBe(JSON.stringify(each))
    }),
  )
})
