// Two builds in different folders, at different times and with different settings make the same bytes. In the full run only.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { isFullRun } from '../support/cases.ts'
import { folder } from '../support/orderctl.ts'
import { buildStandalone, copyWorkingTree, writePackages } from './build-elsewhere.ts'
import { hasDebian } from './minimal-debian.ts'

const names = ['dist/main.cjs', 'standalone/orderctl', 'orderctl.tgz', 'orderctl.deb']

const make = async (root: string, env: Readonly<Record<string, string>>, under: readonly string[]) => {
  mkdirSync(root, { recursive: true })
  copyWorkingTree(root)
  const options = { env: { SOURCE_DATE_EPOCH: '1790000000', ...env }, under }
  await buildStandalone(root, options)
  await writePackages(root, options)
  const hashOf = (name: string) =>
    createHash('sha256')
      .update(readFileSync(path.join(root, name)))
      .digest('hex')
  return Object.fromEntries(names.map((name) => [name, hashOf(name)]))
}

test.skipIf(!isFullRun || !hasDebian)('two builds make the same packages', { timeout: 900_000 }, async () => {
  const one = await make(path.join(folder(), 'one'), { TZ: 'UTC', LC_ALL: 'C' }, [])
  const later = ['faketime', '2031-05-06 07:08:09', 'sh', '-c', 'umask 077; exec "$@"', 'sh']
  const deeper = path.join(folder(), 'a/deeper/folder')
  const two = await make(deeper, { TZ: 'Asia/Tokyo', LC_ALL: 'C.UTF-8', HOME: deeper }, later)
  expect(two).toEqual(one)
})
