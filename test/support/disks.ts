// Small and read-only file systems. Only root on Linux can mount them.
import { execFileSync } from 'node:child_process'
import { openScratch } from './scratch.ts'

const mount = (place: string, options: readonly string[]) => {
  execFileSync('mount', [...options, place], { stdio: 'ignore' })
  return { [Symbol.dispose]: () => void execFileSync('umount', [place]) }
}

/** An empty file system of this size. `source` is what the list of mounts shows as its source. */
export const smallDisk = (folder: string, size: string, source = 'tmpfs') =>
  mount(folder, ['-t', 'tmpfs', '-o', `size=${size},mode=700`, source])

/** Shows a file or folder at a second path. */
export const bindMount = (from: string, place: string) => mount(place, ['--bind', from])

/** Makes a folder or file read-only. */
export const readOnly = (place: string) => {
  const disk = bindMount(place, place)
  execFileSync('mount', ['-o', 'remount,bind,ro', place])
  return disk
}

const isMountable = (): boolean => {
  using scratch = openScratch()
  try {
    using _disk = smallDisk(scratch.folder, '4k')
    return true
  } catch {
    return false
  }
}

/** Why this machine cannot mount them, or false. */
export const cannotMount = isMountable() ? false : 'a file system can be mounted by root on Linux alone'
