// orderctl journal status and migrate: checks the journal of one profile, and creates the tables of a shared journal.
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import type { Grantee } from '../../journal/shared/grants.ts'
import { type Account, resolveAccount } from '../../profiles/account.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { renderJson } from '../../ui/text/json.ts'
import { runChecks } from '../shared/checks/check.ts'
import { listJournalChecks } from '../shared/checks/journal-checks.ts'
import { openSharedDatabase } from '../shared/journal/open-shared.ts'
import { chooseJournal, type JournalPlace, type SharedPlace } from '../shared/journal/place.ts'
import { parseJournalAddress } from '../shared/journal/shared-place.ts'
import { canPrompt } from '../shared/options.ts'
import { profilesOf } from '../shared/profiles.ts'
import type { MigrateOptions, StatusOptions } from './spec.ts'

/** Returns the exit code. */
export const showStatus = async (context: Context, options: StatusOptions): Promise<number> => {
  const isJson = options.json
  const asks = canPrompt(context, options)
  const place = findJournal(context, options)
  // A wrong address is a usage error.
  if (place.kind === 'shared') parseJournalAddress(context, place.text)
  const checks = listJournalChecks(context, [place], { isWhole: false, asks })
  // A progress line would hide the prompt for the password.
  return runChecks(context, checks, { isJson, showsProgress: !isJson && !asks })
}

/** Returns the exit code. */
export const migrateJournal = async (context: Context, options: MigrateOptions): Promise<number> => {
  const place = findJournal(context, options)
  if (place.kind === 'file') return explainFile(context, options)
  const address = parseJournalAddress(context, place.text).text
  const { isNew, version, granted } = await migrate(context, place, options)
  if (options.json) {
    const roles = granted.map(({ role }) => role)
    context.stdout.write(renderJson({ journal: address, created: isNew, version, granted: roles }))
    return exitCodes.ok.code
  }
  const first = `${isNew ? 'Created the journal' : 'There is already a journal in'} ${sanitize(address)}.`
  const lines = [first, ...granted.map(describeGrant)]
  context.stdout.write(lines.map((line) => `${line}\n`).join(''))
  return exitCodes.ok.code
}

const explainFile = ({ stdout }: Context, { json, grant, grantLimits }: MigrateOptions): number => {
  const flag = grant.length > 0 ? '--grant' : grantLimits.length > 0 ? '--grant-limits' : undefined
  if (flag !== undefined) {
    throw new Failure('usage', `${flag} needs a shared journal, but this journal is a file`, {
      field: flag,
      fix: 'Set ORDERCTL_JOURNAL to the address of the shared journal.',
    })
  }
  const text = 'This journal is a file. Your first order creates it.'
  const data = { journal: null, created: false, version: null, granted: [] }
  stdout.write(json ? renderJson(data) : `${text}\n`)
  return exitCodes.ok.code
}

type Migrated = { readonly isNew: boolean; readonly version: number; readonly granted: readonly Grantee[] }

const migrate = async (context: Context, place: SharedPlace, options: MigrateOptions): Promise<Migrated> => {
  const { createSharedTables } = await import('../../journal/shared/shared-journal.ts')
  const { versions } = await import('../../journal/tables/list.ts')
  const { grantAccess, refuseUnknownRoles } = await import('../../journal/shared/grants.ts')
  const { text } = parseJournalAddress(context, place.text)
  const granted = listGrantees(options)
  const postgres = await openSharedDatabase(context, place, { asks: canPrompt(context, options) })
  try {
    await refuseUnknownRoles(postgres, granted)
    const isNew = await createSharedTables(postgres, text)
    if (granted.length > 0) await grantAccess(postgres, granted, text)
    return { isNew, version: versions.postgres, granted }
  } finally {
    await postgres.close()
  }
}

const listGrantees = ({ grant, grantLimits }: MigrateOptions): Grantee[] => [
  ...[...new Set(grant)].filter((role) => !grantLimits.includes(role)).map((role) => ({ role })),
  ...[...new Set(grantLimits)].map((role) => ({ role, changesLimits: true })),
]

const describeGrant = ({ role, changesLimits = false }: Grantee): string =>
  `The role ${sanitize(role)} may use the journal${changesLimits ? ', and change its limits' : ''}.`

type Flags = { readonly profile?: string | undefined; readonly noInput?: boolean }

export const findJournal = (context: Context, { profile }: Flags): JournalPlace =>
  chooseJournal(context, findAccount(context, profile))

/** Undefined if there is none: the journal does not depend on it then. Opens no journal, because that may update it. */
export const findAccount = (context: Context, profileName: string | undefined): Account | undefined => {
  const { environment } = context
  try {
    const account = resolveAccount({
      environment,
      profileName,
      allowHttp: true,
      needsKey: false,
      profiles: () => profilesOf(context),
      runCommand: async () => '',
      readStoredKey: async () => '',
      onWarning: () => {},
    })
    // ORDERCTL_JOURNAL counts before a profile is added, too.
    return account.kind === 'sandbox' && profileName === undefined ? undefined : account
  } catch (error) {
    if (error instanceof Failure && profileName === undefined) return undefined
    throw error
  }
}
