// build/check-chunks.ts finds what only a bundle can lack, planted in copies of dist/.
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { folder } from '../support/orderctl.ts'

/** What the check prints about a copy, without the hashes in names. */
const check = (plant: (dist: string) => void = () => {}) => {
  const dist = path.join(folder(), 'dist')
  cpSync('dist', dist, { recursive: true })
  plant(dist)
  const { status, stderr } = spawnSync(process.execPath, ['build/check-chunks.ts', dist], {
    encoding: 'utf8',
  })
  return { status, stderr: stderr.replaceAll(/-[\w-]{8}\.cjs/g, '.cjs') }
}

const chunk = (dist: string, name: string): string => {
  const [file] = globSync(`${dist}/${name}-????????.cjs`)
  if (file === undefined) throw new Error(`dist/ has no chunk ${name}`)
  return file
}

const replaceIn = (file: string, pattern: RegExp, replacement: string): void => {
  const code = readFileSync(file, 'utf8')
  expect(code).toMatch(pattern)
  writeFileSync(file, code.replace(pattern, replacement))
}

test('the chunks of this build are complete', () => {
  expect(check()).toEqual({ status: 0, stderr: '' })
})

describe('the check of a build finds', () => {
  test.each<[string, (dist: string) => void, RegExp]>([
    [
      'an export before its value exists',
      (dist) =>
        replaceIn(
          chunk(dist, 'qr'),
          /^"use strict";([\s\S]*)exports\.renderQr=renderQr/,
          '"use strict";var late;$1exports.renderQr=late,late=renderQr',
        ),
      /^qr\.cjs: its export renderQr is undefined$/m,
    ],
    [
      'an export that cannot be read yet',
      (dist) =>
        replaceIn(chunk(dist, 'qr'), /^"use strict";/, '"use strict";exports.late=late;const late=1;'),
      /^qr\.cjs: qr\.cjs cannot be loaded: Cannot access 'late' before initialization$/m,
    ],
    [
      'a chunk that is missing on a lazy path',
      (dist) => rmSync(chunk(dist, 'qr')),
      /^redeem-run\.cjs: qr\.cjs cannot be loaded: Cannot find module/m,
    ],
    [
      'an export that a lazy path reads and that the chunk has not',
      (dist) => replaceIn(chunk(dist, 'plan'), /exports\.planBatch=/, 'exports.plan='),
      /^batch-spec\.cjs: plan\.cjs does not export planBatch$/m,
    ],
    [
      'a lazy path in a form that it does not read',
      (dist) =>
        replaceIn(chunk(dist, 'get-spec'), /Promise\.resolve\(\)\.then\(\(/, 'new Promise(a=>a()).then(('),
      /^get-spec\.cjs: 1 lazy paths, but build\/check-chunks\.ts reads only 0$/m,
    ],
  ])('%s', (_what, plant, message) => {
    expect(check(plant)).toEqual({ status: 1, stderr: expect.stringMatching(message) })
  })
})
