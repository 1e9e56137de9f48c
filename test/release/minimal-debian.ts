// A minimal Debian 12 in a folder, as debootstrap makes it, without a network. Needs root.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { isInstalled } from '../support/installed.ts'

export const hasDebian = process.getuid?.() === 0 && isInstalled('debootstrap') && isInstalled('dpkg-deb')

/** Downloaded once, with the package of a library that it does not have. */
const getBase = (): string => {
  const base = path.join(process.env.ORDERCTL_TEST_CACHE ?? tmpdir(), 'minbase-bookworm-libatomic')
  if (existsSync(base)) return base
  const unfinished = mkdtempSync(path.join(tmpdir(), 'minbase-unfinished-'))
  execFileSync('debootstrap', ['--variant=minbase', 'bookworm', unfinished], { stdio: 'pipe' })
  const download = ['apt-get', 'install', '--download-only', '--yes', 'libatomic1']
  execFileSync('chroot', [unfinished, ...download], { stdio: 'pipe' })
  renameSync(unfinished, base)
  return base
}

export type DebianRun = { readonly exit: number | null; readonly stdout: string; readonly stderr: string }

/** A copy of the system, which is removed after the test. */
export const openMinimalDebian = () => {
  const place = mkdtempSync(path.join(tmpdir(), 'orderctl-debian-'))
  const part = (name: string): string => path.join(place, name)
  for (const name of ['upper', 'work', 'root']) mkdirSync(part(name))
  const layers = `lowerdir=${getBase()},upperdir=${part('upper')},workdir=${part('work')}`
  execFileSync('mount', ['-t', 'overlay', 'overlay', '-o', layers, part('root')])
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', part('root')])
    rmSync(place, { recursive: true, force: true })
  })
  /** `NAME=VALUE` words are its environment. */
  const run = (command: string, environment: readonly string[] = ['HOME=/root']): DebianRun => {
    const words = ['PATH=/usr/sbin:/usr/bin:/sbin:/bin', ...environment, 'sh', '-c', command]
    const inside = ['unshare', '--net', 'chroot', part('root'), 'env', '-i', ...words]
    const { status, stdout, stderr } = spawnSync(inside[0] ?? '', inside.slice(1), { encoding: 'utf8' })
    return { exit: status, stdout, stderr }
  }
  return {
    root: part('root'),
    run,
    listFiles: () =>
      run('find / -xdev -not -path "/proc/*" -printf "%y %p\\n" | sort').stdout.trim().split('\n'),
  }
}
