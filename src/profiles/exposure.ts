// Whether others on this machine can read or change the profiles.
import { statSync } from 'node:fs'
import path from 'node:path'

/** A warning; the next write of the file makes it private again, so nothing is changed here. */
export const exposure = (file: string, holdsKey: boolean): string | undefined => {
  const folder = path.dirname(file)
  const modeOf = (name: string): number => statSync(name, { throwIfNoEntry: false })?.mode ?? 0
  const [ofFile, ofFolder] = [modeOf(file), modeOf(folder)]
  // With the sticky bit, as /tmp has it, others can add files there but not replace ours.
  if ((ofFolder & 0o022) !== 0 && (ofFolder & 0o1000) === 0) {
    return `others can change the folder of your profiles. Type: chmod 700 ${folder}`
  }
  if ((ofFile & 0o022) !== 0) return `others can change your profiles. Type: chmod 600 ${file}`
  if ((ofFile & 0o044) !== 0 && holdsKey) {
    return `others can read the keys in your profiles. Type: chmod 600 ${file}`
  }
  return undefined
}
