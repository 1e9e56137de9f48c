// A disk behind FUSE, if one can be mounted here: by root, on Linux.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { cannotMount } from '../disks.ts'
import type { Locks } from './operations.ts'

type Options = {
  /** As a mount names it: 'fuse.sshfs'. */
  readonly type?: string
  readonly locks?: Locks
}

const daemon = fileURLToPath(new URL('./daemon.ts', import.meta.url))

export const fuseDisk = async (
  folder: string,
  { type = 'fuse.orderctl', locks = 'working' }: Options = {},
) => {
  const child = spawn(process.execPath, [daemon, folder, type, locks], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [ready] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  if (String(ready) !== 'mounted\n') throw new Error(`the FUSE disk ended with ${ready}`)
  return {
    // The daemon ends when its disk is unmounted.
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit')
      execFileSync('umount', [folder])
      await ended
    },
  }
}

/** Why there is none. */
export const cannotFuse = cannotMount || (existsSync('/dev/fuse') ? false : 'there is no /dev/fuse here')
