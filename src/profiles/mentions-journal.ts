// Tells quickly whether a profile may name a shared journal, without parsing the profiles.
import { readFileSync } from 'node:fs'
import path from 'node:path'

/** True if that cannot be known. */
export const mentionsJournal = (folder: string): boolean => {
  try {
    return readFileSync(path.join(folder, 'profiles.json'), 'utf8').includes('"journal"')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}
