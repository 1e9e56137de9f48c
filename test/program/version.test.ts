// orderctl --version: the number alone, or with --json how orderctl was built and installed.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { judgeInstallation } from '../../src/commands/help/version.ts'
import { versions } from '../../src/journal/tables/list.ts'
import { isAllRun } from '../support/cases.ts'
import { executable, folder, orderctl } from '../support/orderctl.ts'

const packageVersion = (await import('../../package.json', { with: { type: 'json' } })).default.version

test('--version prints the number alone', async () => {
  expect(await orderctl(['--version'])).toEqual({ exit: 0, stdout: `${packageVersion}\n`, stderr: '' })
})

test.runIf(isAllRun).each([
  { words: ['--version', '--json'], env: {} },
  { words: ['--version'], env: { ORDERCTL_JSON: '1' } },
])('$words prints one document under $env', async ({ words, env }) => {
  const { exit, stdout, stderr } = await orderctl(words, { env })
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
  const isStandalone = executable.length === 1
  expect(JSON.parse(stdout)).toEqual({
    version: packageVersion,
    schema: versions,
    node: process.versions.node,
    installation: isStandalone
      ? { kind: 'standalone', path: executable[0] }
      : { kind: 'checkout', path: `${path.resolve('.')}/` },
  })
})

test.each([
  ['npm', '/usr/lib/node_modules/orderctl/'],
  ['npx', '/home/ana/.npm/_npx/1f2e/node_modules/orderctl/'],
  ['checkout', '/home/ana/orderctl/'],
  // The single file has no folder.
  ['debian', '/usr/bin/orderctl'],
  ['standalone', '/usr/local/bin/orderctl'],
])('%s: the package is in %s', (kind, place) => {
  const isFile = place.includes('/bin/')
  const [folder, program] = isFile ? [undefined, place] : [place, '/usr/bin/node']
  const debianFiles = '/.\n/usr/bin\n/usr/bin/orderctl\n'
  expect(judgeInstallation({ folder, program, debianFiles })).toEqual({ kind, path: place })
})

test.skipIf(executable.length !== 1)(
  'the standalone file loads no code that OPENSSL_CONF names',
  async () => {
    const file = path.join(folder(), 'openssl.cnf')
    const sections = '[start] providers=all [all] other=other [other] module=/nowhere.so activate=1'
    writeFileSync(file, `nodejs_conf=start\n${sections.replaceAll(' ', '\n')}\n`)
    const env = { OPENSSL_CONF: file }
    // Node itself ends with an error.
    expect(spawnSync(process.execPath, ['-e', ''], { env }).status).not.toBe(0)
    expect(await orderctl(['--version'], { env })).toMatchObject({ exit: 0, stdout: `${packageVersion}\n` })
  },
)
