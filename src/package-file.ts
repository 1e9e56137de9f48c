// The files that are shipped with orderctl. If one is missing or incomplete, the installation is broken, or an update
// replaced it meanwhile.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { builtin } from './builtin.ts'
import { Failure, writeRemedy } from './errors.ts'
import type { Suggest } from './text/suggest.ts'

/** orderctl bundles all packages, so a module that is not found is always one of its own files. */
const missingCodes = new Set(['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND'])

export const isBrokenInstallation = (error: unknown): error is Error =>
  error instanceof Error &&
  (missingCodes.has(String((error as NodeJS.ErrnoException).code)) ||
    // The stack of a file that cannot be parsed begins with its name.
    (error instanceof SyntaxError && /^\S.*\.[cm]?[jt]s:\d+\n/.test(error.stack ?? '')))

const installAgain = 'If that fails too, install orderctl again as you installed it.'

export const createBrokenFailure = (cause: Error, [command]: readonly string[]): Failure => {
  const maySpend = command === 'create' || command === 'confirm' || command === 'batch'
  return new Failure(
    'installation',
    'a file of orderctl is missing or incomplete: orderctl was updated while it ran, or is not completely installed',
    {
      fix: (suggest) => (maySpend ? suggest`list` : undefined),
      advice: `${maySpend ? 'Check what was ordered.' : 'Run the command again.'} ${installAgain}`,
      cause,
    },
  )
}

/** Renders a failure if the screen that renders it is missing. */
export const renderPlainly = (
  failure: Failure,
  { suggest }: { readonly suggest: Suggest },
  isJson: boolean,
): string => {
  const { kind, message, details } = failure
  const { fix, advice } = writeRemedy(details, suggest)
  const { orderId, status: httpStatus, safeFrom, retryable = false } = details
  if (isJson) {
    const error = { code: kind, reason: kind, message, httpStatus, fix, advice, orderId, safeFrom, retryable }
    return `${JSON.stringify({ error })}\n`
  }
  // It may contain text from the service.
  const clean = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, ' ')
  const lines = [`error: ${message}`, fix === undefined ? undefined : `try: ${fix}`, advice]
  return lines
    .filter((line) => line !== undefined)
    .map((line) => `${clean(line)}\n`)
    .join('')
}

/** The path is relative to the package's folder, the parent of both src/ and dist/. */
export const readPackageFile = (file: string): string => {
  const sea = builtin.sea()
  if (sea.isSea()) return sea.getAsset(file, 'utf8')
  try {
    return readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
  } catch (error) {
    throw createBrokenFailure(error as Error, [])
  }
}

/** The folder of the package. Undefined in the standalone executable. */
export const findPackageFolder = (): string | undefined =>
  builtin.sea().isSea() ? undefined : fileURLToPath(new URL('..', import.meta.url))
