// Records in the machine file the location of a journal that passed the disk check, to skip that check next time.
import { statfsSync, statSync } from 'node:fs'
import type { Machine } from '../machine/machine-file.ts'

/** The type that statfs reports; 0 if statfs fails. */
export const readFileSystemType = (place: string): bigint => {
  try {
    return statfsSync(place, { bigint: true }).type
  } catch {
    return 0n
  }
}

/** Differs for a different file system or file, such as a copy. Undefined if the file does not exist. */
const readLocation = (file: string): string | undefined => {
  try {
    const { dev, ino } = statSync(file, { bigint: true })
    return `file system ${readFileSystemType(file).toString(16)}, device ${dev}, inode ${ino}`
  } catch {
    return undefined
  }
}

/** False if that cannot be known. */
export const isKnownLocation = (file: string, machine: Machine): boolean => {
  const location = readLocation(file)
  const query = 'SELECT 1 FROM disks WHERE location = ?'
  try {
    return machine.read((database) => database.prepare(query).get(location ?? '')) !== undefined
  } catch {
    return false
  }
}

/** The next start skips the check if the location is the same. */
export const recordLocation = async (file: string, machine: Machine): Promise<void> => {
  const location = readLocation(file)
  if (location === undefined) return
  try {
    await machine.note((database) => {
      database.exec('DELETE FROM disks')
      database.prepare('INSERT INTO disks VALUES (?)').run(location)
    })
  } catch {
    // The next start checks again.
  }
}
