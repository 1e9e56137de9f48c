// The package for npm under old versions of Node, and as npm 10, 11 and 12 install it. In the full run only.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { createNpmPackage } from '../../build/release/npm-package.ts'
import { isFullRun } from '../support/cases.ts'
import { folder } from '../support/orderctl.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

/** Installs a package from the registry, once on a machine, and returns its folder. */
const download = (name: string, wanted: string): string => {
  const place = path.join(process.env.ORDERCTL_TEST_CACHE ?? tmpdir(), `orderctl-${name}-${wanted}`)
  const installed = path.join(place, 'node_modules', name)
  if (existsSync(path.join(installed, 'package.json'))) return installed
  mkdirSync(place, { recursive: true })
  writeFileSync(path.join(place, 'package.json'), '{ "allowScripts": { "node": true } }')
  execFileSync('npm', ['install', '--silent', '--prefix', place, `${name}@${wanted}`])
  return installed
}

const nodeOf = (wanted: string): string => path.join(download('node', wanted), 'bin/node')

const packageFile = (): string => {
  const root = folder()
  const file = path.join(root, 'orderctl.tgz')
  writeFileSync(file, createNpmPackage(root, 1_790_000_000))
  return file
}

const run = async (file: string, words: readonly string[], programs: string) => {
  const env = { PATH: `${programs}:/usr/bin:/bin`, HOME: folder() }
  const ran = await execa(file, words, { env, extendEnv: false, reject: false, stdin: 'ignore' })
  return { exit: ran.exitCode, stdout: ran.stdout, stderr: ran.stderr }
}

describe.skipIf(!isFullRun)('the package', { timeout: 600_000 }, () => {
  test.each(['18', '20', '22', '24.14'])('under Node %s names what works', async (wanted) => {
    const root = folder()
    execFileSync('tar', ['-xzf', packageFile()], { cwd: root })
    const node = nodeOf(wanted)
    const actual = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1)
    const program = path.join(root, 'package/bin/orderctl.cjs')
    const advice =
      'Install Node 26 from https://nodejs.org, or use the standalone file of orderctl, which needs no Node'
    expect(await run(node, [program, 'list'], path.dirname(node))).toEqual({
      ...{ exit: 2, stdout: '' },
      stderr: `error: orderctl needs Node 24.15 or a later 24, or Node 26 or later. This is Node ${actual}\n${advice}`,
    })
  })

  test.each(['10', '11', '12'])('is installed by npm %s without a warning', async (wanted) => {
    const npm = path.join(download('npm', wanted), 'bin/npm-cli.js')
    const prefix = folder()
    const flags = ['--global', '--offline', '--no-fund', '--no-update-notifier', '--prefix', prefix]
    const programs = path.dirname(process.execPath)
    const words = [npm, 'install', ...flags, packageFile()]
    expect(await run(process.execPath, words, programs)).toMatchObject({ exit: 0, stderr: '' })
    const program = path.join(prefix, 'bin/orderctl')
    expect(await run(program, ['--version'], programs)).toEqual({ exit: 0, stdout: version, stderr: '' })
    const removed = await run(process.execPath, [npm, 'uninstall', ...flags, 'orderctl'], programs)
    expect(removed).toMatchObject({ exit: 0, stderr: '' })
    expect(existsSync(program)).toBe(false)
  })
})
