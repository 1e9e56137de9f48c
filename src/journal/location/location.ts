// Records the location of a journal that passed the check, to skip the check next time.
import { readFileSync, statfsSync, statSync } from 'node:fs'

/** A file beside the journal, because the check must come before SQLite opens the journal. */
export const getRecordFile = (file: string): string => `${file}.location`

/** The type that statfs reports; 0 if statfs fails. */
export const readFileSystemType = (place: string): bigint => {
  try {
    return statfsSync(place, { bigint: true }).type
  } catch {
    return 0n
  }
}

/** Differs for another file system and for another file, such as a copy. Undefined if the file does not exist. */
export const readLocation = (file: string): string | undefined => {
  try {
    const { dev, ino } = statSync(file, { bigint: true })
    return `file system ${readFileSystemType(file).toString(16)}, device ${dev}, inode ${ino}: locks work\n`
  } catch {
    return undefined
  }
}

export const isKnownLocation = (file: string): boolean => {
  const location = readLocation(file)
  return location !== undefined && location === readRecordedLocation(file)
}

const readRecordedLocation = (file: string): string | undefined => {
  try {
    return readFileSync(getRecordFile(file), 'utf8')
  } catch {
    return undefined
  }
}
