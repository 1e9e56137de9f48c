// The standalone file and the package for Debian, on a minimal Debian 12 without a network. In the full run only.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeManPages } from '../../build/man.ts'
import { writeDebianPackage } from '../../build/release/debian.ts'
import { type Details, readDetails } from '../../build/release/details.ts'
import { isFullRun } from '../support/cases.ts'
import { isInstalled } from '../support/installed.ts'
import { buildStandalone, copyWorkingTree } from './build-elsewhere.ts'
import { hasDebian, openMinimalDebian } from './minimal-debian.ts'

const place = mkdtempSync(path.join(tmpdir(), 'orderctl-debian-test-'))
const executable = path.join(place, 'standalone/orderctl')
const buy = 'orderctl create --product GAME-US:25x2 --wallet USD --confirm --watch --json'

/** From its cache, without a network. It also installs the dependencies of a package. */
const install = 'apt-get install --yes'

const packageOf = async (version: string): Promise<string> => {
  const output = path.join(place, `orderctl_${version}.deb`)
  const details: Details = { ...readDetails(), version }
  const folder = mkdtempSync(path.join(place, 'staging-'))
  await writeManPages(path.join(folder, 'man'), '2026-09-21')
  const licenses = readFileSync('dist/THIRD_PARTY_LICENSES', 'utf8')
  writeDebianPackage(details, { executable, licenses, folder, output, compression: 'none' })
  return output
}

/** `/tmp` is where the packages are while they are installed. */
const isOfDpkg = (line: string): boolean =>
  / \/(tmp|var\/lib\/(?:dpkg|apt)|var\/log|var\/cache|usr\/share\/info)(\/|$)/.test(line)

describe.skipIf(!isFullRun || !hasDebian)('on a minimal Debian', { timeout: 600_000 }, () => {
  beforeAll(() => buildStandalone(copyWorkingTree(place)), 600_000)
  afterAll(() => rmSync(place, { recursive: true, force: true }))

  test('the standalone file buys, with libatomic1 and nothing else installed', () => {
    const debian = openMinimalDebian()
    copyFileSync(executable, path.join(debian.root, 'usr/bin/orderctl'))
    expect(debian.run(`${install} libatomic1`)).toMatchObject({ exit: 0 })
    const { exit, stdout, stderr } = debian.run(buy)
    expect(stderr).not.toContain('error')
    expect({ exit, state: JSON.parse(stdout).state }).toEqual({ exit: 0, state: 'successful' })
  })

  test('the package is installed, used, upgraded and removed', async () => {
    const debian = openMinimalDebian()
    const installVersion = async (version: string) => {
      copyFileSync(await packageOf(version), path.join(debian.root, 'tmp/orderctl.deb'))
      return debian.run(`${install} /tmp/orderctl.deb`, ['HOME=/root', 'DEBIAN_FRONTEND=noninteractive'])
    }
    const before = debian.listFiles()
    expect(await installVersion('0.1.0')).toMatchObject({ exit: 0 })
    expect(debian.run('which orderctl; apt-get check; dpkg --status libatomic1')).toMatchObject({ exit: 0 })
    const { uid } = JSON.parse(debian.run(buy).stdout)
    expect(debian.run('orderctl --licenses').stdout).toContain('Node.js is licensed')
    for (const [shell, file] of [
      ['bash', 'bash-completion/completions/orderctl'],
      ['zsh', 'zsh/vendor-completions/_orderctl'],
      ['fish', 'fish/vendor_completions.d/orderctl.fish'],
    ])
      expect(debian.run(`orderctl completion ${shell} | cmp - /usr/share/${file}`)).toMatchObject({ exit: 0 })
    expect(debian.run('gunzip --stdout /usr/share/man/man1/orderctl-create.1.gz').stdout).toContain('.TH ')
    const maintainer = 'The orderctl authors <no-address@orderctl.invalid>'
    expect(debian.run('dpkg-query --status orderctl').stdout).toContain(`\nMaintainer: ${maintainer}\n`)
    const changes = debian.run('gunzip --stdout /usr/share/doc/orderctl/changelog.Debian.gz').stdout
    expect(changes).toContain(`\n -- ${maintainer}  `)
    expect(debian.run('dpkg --verify orderctl')).toEqual({ exit: 0, stdout: '', stderr: '' })

    expect(await installVersion('0.2.0')).toMatchObject({ exit: 0 })
    expect(debian.run('dpkg-query --show orderctl').stdout).toBe('orderctl\t0.2.0-1\n')
    expect(debian.run('orderctl list -q').stdout).toBe(`${uid}\n`)

    expect(debian.run('dpkg --purge orderctl libatomic1')).toMatchObject({ exit: 0 })
    const known = new Set(before)
    const left = debian.listFiles().filter((line) => !known.has(line) && !isOfDpkg(line))
    expect(left).toEqual([
      ...['d /root/.local', 'd /root/.local/state', 'd /root/.local/state/orderctl'],
      ...['journal.db', 'machine.db', 'machine.db-shm', 'machine.db-wal', 'sandbox.db'].map(
        (name) => `f /root/.local/state/orderctl/${name}`,
      ),
    ])
  })

  test('lintian reports no errors', async ({ skip }) => {
    skip(!isInstalled('lintian'), 'lintian is not installed')
    // The release compresses it.
    const compression = ['control', 'data'].map((each) => `uses-no-compression-for-${each}-tarball`).join(',')
    const { stdout } = spawnSync(
      'lintian',
      ['--allow-root', '--suppress-tags', compression, await packageOf('0.1.0')],
      {
        encoding: 'utf8',
      },
    )
    expect(stdout).toMatch(/^[WE]: /m)
    expect(stdout.split('\n').filter((line) => line.startsWith('E: '))).toEqual([])
  })
})
