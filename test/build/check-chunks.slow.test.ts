// build/check-chunks.ts finds defects that only a bundle can have.
import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { copyBuild, lateExport, type Plant, remove, replaceIn } from './planted.ts'

/** What the check prints about a copy of dist/, without the hashes in names. */
const check = (plant?: Plant) => {
  const { dist } = copyBuild(plant)
  const { status, stderr } = spawnSync(process.execPath, ['build/check-chunks.ts', dist], {
    encoding: 'utf8',
  })
  return { status, stderr: stderr.replaceAll(/-[\w-]{8}\.cjs/g, '.cjs') }
}

test('the chunks of this build are complete', () => {
  expect(check()).toEqual({ status: 0, stderr: '' })
})

describe('the check of a build finds', () => {
  test.each<[string, Plant, RegExp]>([
    ['an export before its value exists', lateExport, /^qr\.cjs: its export renderQr is undefined$/m],
    [
      'an export that cannot be read yet',
      replaceIn('qr', /^"use strict";/, '"use strict";exports.late=late;const late=1;'),
      /^qr\.cjs: qr\.cjs cannot be loaded: Cannot access 'late' before initialization$/m,
    ],
    [
      'a chunk that is missing on a lazy path',
      remove('qr'),
      /^redeem-run\.cjs: qr\.cjs cannot be loaded: Cannot find module/m,
    ],
    [
      'an export that a lazy path reads, and that its chunk has not',
      replaceIn('plan', /exports\.planBatch=/, 'exports.plan='),
      /^batch-spec\.cjs: plan\.cjs does not export planBatch$/m,
    ],
    [
      'a lazy path in a form that the check cannot read',
      replaceIn('get-spec', /Promise\.resolve\(\)\.then\(\(/, 'new Promise(a=>a()).then(('),
      /^get-spec\.cjs: 1 lazy paths, but build\/check-chunks\.ts reads only 0$/m,
    ],
  ])('%s', (_what, plant, message) => {
    expect(check(plant)).toEqual({ status: 1, stderr: expect.stringMatching(message) })
  })
})
