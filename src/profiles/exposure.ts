// Checks whether other users of this machine can read or change the profiles.
import { statSync } from 'node:fs'
import path from 'node:path'
import { quoteShellWord } from '../text/shell-word.ts'

/** Returns a warning. It changes nothing, because the next write of the file makes it private again. */
export const findExposure = (file: string, holdsKey: boolean): string | undefined => {
  const folder = path.dirname(file)
  const modeOf = (name: string): number => statSync(name, { throwIfNoEntry: false })?.mode ?? 0
  const [ofFile, ofFolder] = [modeOf(file), modeOf(folder)]
  // In a folder with the sticky bit, such as /tmp, other users cannot replace this file.
  if ((ofFolder & 0o022) !== 0 && (ofFolder & 0o1000) === 0) {
    return `other users can change the folder of your profiles. Type: chmod 700 ${quoteShellWord(folder)}`
  }
  const fix = `Type: chmod 600 ${quoteShellWord(file)}`
  if ((ofFile & 0o022) !== 0) return `other users can change your profiles. ${fix}`
  if ((ofFile & 0o044) !== 0 && holdsKey) return `other users can read the keys in your profiles. ${fix}`
  return undefined
}
