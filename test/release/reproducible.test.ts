// Two releases from different folders, at different times and with different settings have the same bytes. In the full run only.
import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { readSection } from '../docs/guide.ts'
import { isFullRun } from '../support/cases.ts'
import { isInstalled } from '../support/installed.ts'
import { folder } from '../support/orderctl.ts'
import { copyWorkingTree, writeRelease } from './build-elsewhere.ts'

const hasTools = ['dpkg-deb', 'faketime', 'taskset'].every(isInstalled)

/** The checksum of each file in release/. */
const make = async (root: string, env: Readonly<Record<string, string>>, under: readonly string[]) => {
  const options = { env: { SOURCE_DATE_EPOCH: '1790000000', ...env }, under }
  const release = await writeRelease(root, options)
  const hashOf = (name: string) => hash('sha256', readFileSync(path.join(release, name)))
  return Object.fromEntries(readdirSync(release).map((name) => [name, hashOf(name)]))
}

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

/** The list in CONTRIBUTING.md. */
const listDocumentedFiles = (): string[] => {
  const list = readSection('CONTRIBUTING.md', 'Release').match(/^- .*$/gm) ?? []
  return [...list.join('\n').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name.replace('VERSION', version))
}

test.skipIf(!isFullRun || !hasTools)(
  'two releases have the same files with the same bytes',
  { timeout: 1_800_000 },
  async () => {
    const [first, deeper] = [path.join(folder(), 'one'), path.join(folder(), 'a/deeper/folder')] as const
    for (const root of [first, deeper]) copyWorkingTree(root)
    const one = await make(first, { TZ: 'UTC', LC_ALL: 'C' }, [])
    expect(Object.keys(one).sort()).toEqual(listDocumentedFiles().sort())
    const later = ['faketime', '2031-05-06 07:08:09', 'sh', '-c', 'umask 077; exec "$@"', 'sh']
    const onOneProcessor = ['taskset', '--cpu-list', '0']
    const env = { TZ: 'Asia/Tokyo', LC_ALL: 'C.UTF-8', HOME: deeper }
    expect(await make(deeper, env, [...onOneProcessor, ...later])).toEqual(one)
  },
)
