// The package for npm: what it contains, that it depends on nothing but its content, and that npm installs it quietly.
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { createNpmPackage } from '../../build/release/npm-package.ts'
import { createTar, gzip } from '../../build/release/tar.ts'
import { folder } from '../support/orderctl.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const date = 1_790_000_000

const unpack = (archive: Buffer): string => {
  const root = folder()
  writeFileSync(path.join(root, 'package.tgz'), archive)
  execFileSync('tar', ['-xzf', 'package.tgz'], { cwd: root })
  return path.join(root, 'package')
}

test('package.json has nothing that only the repository needs', () => {
  const root = unpack(createNpmPackage(folder(), date))
  const shipped = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  expect(Object.keys(shipped)).toEqual([
    ...['name', 'version', 'description', 'author', 'license', 'type', 'bin', 'engines'],
  ])
  expect(shipped).toMatchObject({ name: 'orderctl', version, engines: { node: '^24.15.0 || >=26' } })
})

test('it contains the build, the completions, the licenses and the manual pages, and no source', () => {
  const made = folder()
  mkdirSync(path.join(made, 'man/man1'), { recursive: true })
  writeFileSync(path.join(made, 'man/man1/orderctl.1'), '.TH ORDERCTL 1\n')
  const root = unpack(createNpmPackage(made, date))
  const files = globSync('**/*.*', { cwd: root }).filter((name) => !name.startsWith('dist/'))
  expect(files.sort()).toEqual([
    ...['CHANGELOG.md', 'README.md', 'bin/orderctl.cjs'],
    ...['completions/orderctl.bash', 'completions/orderctl.fish', 'completions/orderctl.ps1'],
    ...['man/man1/orderctl.1', 'package.json'],
  ])
  expect(globSync('dist/**', { cwd: root }).length).toBe(globSync('dist/**').length - 1)
  expect(readFileSync(path.join(root, 'dist/THIRD_PARTY_LICENSES'))).toEqual(
    readFileSync('dist/THIRD_PARTY_LICENSES'),
  )
  expect(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).man).toEqual([
    'man/man1/orderctl.1',
  ])
})

test('pack.ts writes the package of a release, with the manual pages', async () => {
  const root = folder()
  const env = { SOURCE_DATE_EPOCH: String(date) }
  const { stdout } = await execa(process.execPath, ['build/release/pack.ts', root], { env })
  const archive = readFileSync(path.join(root, `orderctl-${version}.tgz`))
  expect(stdout).toBe(path.join(root, `orderctl-${version}.tgz`))
  // The same pages make the same bytes.
  expect(archive.equals(createNpmPackage(unpack(archive), date))).toBe(true)
  expect(globSync('man/man1/orderctl*.1', { cwd: unpack(archive) }).length).toBeGreaterThan(20)
})

test('tar lists the files in order, with the given time and the modes', () => {
  const file = path.join(folder(), 'made.tar')
  const entry = (name: string, isExecutable = false) => ({ name, content: Buffer.from(name), isExecutable })
  writeFileSync(file, createTar([entry('b'), entry('a/c', true), entry('d'.repeat(100))], date))
  const listed = execFileSync('tar', ['-tvf', file, '--full-time', '--utc', '--numeric-owner'], {
    encoding: 'utf8',
  })
  expect(listed.trim().split('\n')).toEqual([
    '-rwxr-xr-x 0/0               3 2026-09-21 14:13:20 a/c',
    '-rw-r--r-- 0/0               1 2026-09-21 14:13:20 b',
    `-rw-r--r-- 0/0             100 2026-09-21 14:13:20 ${'d'.repeat(100)}`,
  ])
  expect(() => createTar([entry('d'.repeat(101))], date)).toThrow('too long for a tar archive')
})

test('the gzip header has no time and no operating system', () => {
  const compressed = gzip(Buffer.from('text'))
  expect(compressed.subarray(0, 10).toString('hex')).toBe('1f8b08000000000002ff')
  expect(gunzipSync(compressed).toString()).toBe('text')
})

test('npm installs it globally without a warning and without the network', async () => {
  const root = folder()
  const archive = path.join(root, 'orderctl.tgz')
  writeFileSync(archive, createNpmPackage(root, date))
  const env = { PATH: process.env.PATH ?? '', HOME: root, npm_config_prefix: path.join(root, 'prefix') }
  const options = { env, extendEnv: false, cwd: root, reject: false } as const
  // npm itself warns about a Node that it does not support.
  const node = { ...env, PATH: `${path.dirname(process.execPath)}:${env.PATH}` }
  const words = ['install', '--global', '--offline', '--no-fund', '--no-update-notifier', archive]
  const installed = await execa('npm', words, { ...options, env: node })
  expect({ exit: installed.exitCode, stderr: installed.stderr }).toEqual({ exit: 0, stderr: '' })
  const ran = await execa(path.join(root, 'prefix/bin/orderctl'), ['--version'], { ...options, env: node })
  expect({ exit: ran.exitCode, stdout: ran.stdout, stderr: ran.stderr }).toEqual({
    ...{ exit: 0, stdout: version },
    stderr: '',
  })
})
