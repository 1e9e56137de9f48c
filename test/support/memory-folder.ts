// A folder for temporary files in memory, where a commit costs no write to a disk.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const parent = '/dev/shm'
/** The databases of a run, with a reserve. */
const minBytes = 2 ** 31

/**
 * Undefined without enough memory, or if files in it cannot be executed, as in most containers. The folder is removed
 * when the process ends.
 */
export const findMemoryFolder = (): string | undefined => {
  try {
    const { bavail, bsize } = statfsSync(parent)
    if (bavail * bsize < minBytes) return undefined
    const folder = mkdtempSync(path.join(parent, 'orderctl-tests-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    // PostgreSQL runs as another user if the tests run as root.
    chmodSync(folder, 0o755)
    const program = path.join(folder, 'program')
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
    return spawnSync(program).status === 0 ? folder : undefined
  } catch {
    return undefined
  }
}
