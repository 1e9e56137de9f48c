// Where the journal is, and where it was when its place was last found safe.
import { readFileSync, statfsSync, statSync } from 'node:fs'

/** A file beside the journal, because the place must be judged before SQLite opens the journal. */
export const recordOf = (file: string): string => `${file}.location`

/** What statfs gives as the type; 0 if it fails. */
export const fileSystemType = (place: string): bigint => {
  try {
    return statfsSync(place, { bigint: true }).type
  } catch {
    return 0n
  }
}

/** Differs for another file system and for another file, such as a copy. Undefined if there is no file. */
export const locationOf = (file: string): string | undefined => {
  try {
    const { dev, ino } = statSync(file, { bigint: true })
    return `file system ${fileSystemType(file).toString(16)}, device ${dev}, inode ${ino}: locks work\n`
  } catch {
    return undefined
  }
}

export const isKnownLocation = (file: string): boolean => {
  const location = locationOf(file)
  return location !== undefined && location === recordedLocation(file)
}

const recordedLocation = (file: string): string | undefined => {
  try {
    return readFileSync(recordOf(file), 'utf8')
  } catch {
    return undefined
  }
}
