// The options of batch export, read once from its flags.
import path from 'node:path'
import { createFlagReader } from '../../shared/flag-reader.ts'
import { readSessionOptions, type SessionOptions } from '../../shared/options.ts'
import type { ExportFlags } from '../flags.ts'

const exportEndings = ['.csv', '.jsonl', '.html'] as const
export type ExportEnding = (typeof exportEndings)[number]

export const fileArgument = 'FILE'

export type ExportOptions = {
  readonly session: SessionOptions
  readonly file: string
  readonly ending: ExportEnding
  /** The column with the name of the person who gets the card. */
  readonly recipient: string | undefined
  readonly force: boolean
  readonly format: 'screen' | 'json' | 'quiet'
}

const findEnding = (file: string): ExportEnding | undefined =>
  exportEndings.find((ending) => ending === path.extname(file).toLowerCase())

export const readExportOptions = (file: string, flags: ExportFlags): ExportOptions => {
  const reader = createFlagReader('batch export')
  const { recipient, force = false, json = false, quiet = false } = flags
  const ending = findEnding(file)
  if (ending === undefined) {
    const endings = `${exportEndings.slice(0, -1).join(', ')} or ${exportEndings.at(-1)}`
    reader.addProblem(
      `${fileArgument} is ${JSON.stringify(file)}; allowed: a name that ends in ${endings}`,
      fileArgument,
    )
  } else if (recipient !== undefined && ending !== '.html') {
    reader.addProblem(`--recipient needs a ${fileArgument} that ends in .html`, '--recipient')
  }
  if (json && quiet) reader.addProblem('--quiet prints nothing, so it cannot be used with --json', '--quiet')
  const session = readSessionOptions(reader, flags)
  reader.check()
  const format = json ? 'json' : quiet ? 'quiet' : 'screen'
  return { session, file, ending: ending ?? '.csv', recipient, force, format }
}
