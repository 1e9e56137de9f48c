// The folder of deliveries that are to be forwarded. Each file has one delivery with its codes, readable only by its
// owner. A file is complete or missing.
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { makeFolder, writeDurably } from '../files.ts'
import type { Delivery } from './delivery.ts'

/** What the journal also knows about the delivery. */
export type SpooledFacts = {
  /** Identifies the delivery in the journal, in the spool and for the target. */
  readonly receipt: string
  readonly orderId: string
  readonly deliveryId: string | undefined
  /** The state that the delivery names. */
  readonly state: string | undefined
}

export type SpoolFile = SpooledFacts & {
  readonly path: string
  readonly bytes: number
  readonly at: number
}

export type FolderContent = {
  readonly files: SpoolFile[]
  /** The paths of the files that cannot be read. */
  readonly damaged: string[]
}

export type Spool = ReturnType<typeof openSpool>

const ending = '.delivery'
const timeDigits = 15
const failureFile = 'last-error.json'

export type ForwardError = { readonly at: number; readonly reason: string; readonly tries: number }

/** Creates nothing until the first delivery. */
export const openSpool = (folder: string) => ({
  folder,

  /** When this returns, the delivery is on disk. */
  save: (facts: SpooledFacts, { headers, body, at }: Delivery): SpoolFile => {
    makeFolder(folder, 0o700)
    // Sorted by name, the deliveries are in the order of their times.
    const file = path.join(folder, `${String(at).padStart(timeDigits, '0')}-${facts.receipt}${ending}`)
    const head = Buffer.from(`${JSON.stringify({ ...facts, at, headers })}\n`)
    writeDurably(file, Buffer.concat([head, body]))
    return { ...facts, path: file, bytes: head.length + body.length, at }
  },

  /** Oldest first, without damaged files. */
  list: (): SpoolFile[] => readFolder(folder).files,

  listWithDamaged: (): FolderContent => readFolder(folder),

  /** Takes the receipts from the file names, without reading the files. */
  listReceipts: (): string[] =>
    listFiles(folder).map((file) => path.basename(file, ending).slice(timeDigits + 1)),

  /** Undefined if the file is gone or damaged. */
  read: ({ path: file }: SpoolFile): Delivery | undefined => readFile(file)?.delivery,

  /** Does nothing if the file is gone. */
  remove: ({ path: file }: SpoolFile): void => rmSync(file, { force: true }),

  /** Removes what a killed process has left. None of these deliveries was accepted. */
  removeUnfinished: (): void => {
    for (const name of listNames(folder)) {
      if (/^\..*\.new$/.test(name)) rmSync(path.join(folder, name), { force: true })
    }
  },

  /** For `listen --status`. */
  noteError: (error: ForwardError): void => {
    try {
      const file = path.join(folder, failureFile)
      writeFileSync(`${file}.new`, `${JSON.stringify(error)}\n`, { mode: 0o600 })
      renameSync(`${file}.new`, file)
    } catch {
      // The delivery itself is safe.
    }
  },

  clearError: (): void => rmSync(path.join(folder, failureFile), { force: true }),

  readError: (): ForwardError | undefined => {
    try {
      const { at, reason, tries } = JSON.parse(readFileSync(path.join(folder, failureFile), 'utf8'))
      return { at: Number(at), reason: String(reason), tries: Number(tries) }
    } catch {
      return undefined
    }
  },
})

const listNames = (folder: string): string[] => {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

const listFiles = (folder: string): string[] =>
  listNames(folder)
    .filter((name) => name.endsWith(ending) && !name.startsWith('.'))
    .sort()
    .map((name) => path.join(folder, name))

/** Reads each file once. */
const readFolder = (folder: string): FolderContent => {
  const content: FolderContent = { files: [], damaged: [] }
  for (const file of listFiles(folder)) {
    const read = readFile(file)
    if (read === undefined) content.damaged.push(file)
    else content.files.push(read.file)
  }
  return content
}

const readFile = (file: string): { file: SpoolFile; delivery: Delivery } | undefined => {
  try {
    const bytes = readFileSync(file)
    const end = bytes.indexOf('\n')
    const { headers, at, receipt, orderId, deliveryId, state } = JSON.parse(bytes.toString('utf8', 0, end))
    if (![receipt, orderId].every((text) => typeof text === 'string') || !Array.isArray(headers))
      return undefined
    const facts = { receipt, orderId, deliveryId, state, at: Number(at) }
    return {
      file: { ...facts, path: file, bytes: bytes.length },
      delivery: { headers, body: bytes.subarray(end + 1), at: facts.at },
    }
  } catch {
    return undefined
  }
}
