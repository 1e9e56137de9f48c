// The man pages of a release, in a temporary folder.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { writeManPages } from '../man.ts'
import type { Details } from './details.ts'

/** Calls `use` with a folder that contains `man`, and then removes the folder. */
export const withManPages = async ({ date }: Details, use: (folder: string) => void): Promise<void> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'orderctl-release-'))
  try {
    await writeManPages(path.join(folder, 'man'), new Date(date * 1000).toISOString().slice(0, 10))
    use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
