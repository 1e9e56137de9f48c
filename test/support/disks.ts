// Disks that are full or take nothing, where they can be mounted: by root, on Linux.
import { execFileSync } from 'node:child_process'
import { openScratch } from './scratch.ts'

const mount = (place: string, options: readonly string[]) => {
  execFileSync('mount', [...options, place], { stdio: 'ignore' })
  return { [Symbol.dispose]: () => void execFileSync('umount', [place]) }
}

/** An empty one of its own. */
export const smallDisk = (folder: string, size: string) =>
  mount(folder, ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs'])

/** A folder or a file that can be read alone. */
export const readOnly = (place: string) => {
  const disk = mount(place, ['--bind', place])
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

/** Why there are none. */
export const cannotMount = isMountable() ? false : 'a file system can be mounted by root on Linux alone'
