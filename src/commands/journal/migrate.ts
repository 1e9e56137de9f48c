// The steps of `orderctl journal migrate`.
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import type { Grantee } from '../../journal/shared/grants.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { renderJson } from '../../ui/text/json.ts'
import type { SharedPlace } from '../shared/journal/place.ts'
import { parseJournalAddress } from '../shared/journal/shared-place.ts'
import { findJournal, withDatabase } from './chosen-journal.ts'
import type { MigrateOptions } from './spec.ts'

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
  stdout.write(json === true ? renderJson(data) : `${text}\n`)
  return exitCodes.ok.code
}

type Migrated = { readonly isNew: boolean; readonly version: number; readonly granted: readonly Grantee[] }

const migrate = async (context: Context, place: SharedPlace, options: MigrateOptions): Promise<Migrated> => {
  const { createSharedTables } = await import('../../journal/shared/shared-schema.ts')
  const { versions } = await import('../../journal/tables/list.ts')
  const { grantAccess, refuseUnknownRoles } = await import('../../journal/shared/grants.ts')
  const { text } = parseJournalAddress(context, place.text)
  const granted = listGrantees(options)
  return withDatabase(context, place, options, async (postgres) => {
    await refuseUnknownRoles(postgres, granted)
    const isNew = await createSharedTables(postgres, text)
    if (granted.length > 0) await grantAccess(postgres, granted, text)
    return { isNew, version: versions.postgres, granted }
  })
}

const listGrantees = ({ grant, grantLimits }: MigrateOptions): Grantee[] => [
  ...[...new Set(grant)].filter((role) => !grantLimits.includes(role)).map((role) => ({ role })),
  ...[...new Set(grantLimits)].map((role) => ({ role, changesLimits: true })),
]

const describeGrant = ({ role, changesLimits = false }: Grantee): string =>
  `The role ${sanitize(role)} may use the journal${changesLimits ? ', and change its limits' : ''}.`
