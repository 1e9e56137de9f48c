// Saves reveals on this machine if the shared journal cannot record them.
import type { Context } from '../../../context.ts'
import { Failure } from '../../../errors.ts'
import { getErrorReason } from '../../../files.ts'
import { cleanIdentity } from '../../../journal/actors.ts'
import type { Reveal } from '../../../journal/reveals.ts'
import { createSpool } from '../../../journal/spool/spool.ts'
import { nameDatabase } from '../../../postgres/address.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import { type JournalPlace, parseJournalAddress } from './place.ts'
import { findSpoolFolder } from './state-folder.ts'

/** Throws if they cannot be saved either: then no code may be shown. `error`: why the journal could not record them. */
export const keepReveals = (
  context: Context,
  place: JournalPlace,
  reveals: readonly Reveal[],
  error: unknown,
): void => {
  if (!(error instanceof Failure)) throw error
  const folder = place.kind === 'file' ? undefined : findSpoolFolder(context)
  if (place.kind === 'file' || folder === undefined) throw createRefusal(error, reveals)
  const address = parseJournalAddress(context, place.text)
  const { osUser, host } = cleanIdentity({ osUser: context.user(), host: context.host() })
  try {
    createSpool(folder).save({
      database: nameDatabase(address),
      address: address.text,
      at: context.clock.now(),
      by: { role: address.user, user: osUser, host },
      reveals,
    })
  } catch (failed) {
    throw createRefusal(error, reveals, `; ${folder} cannot be written: ${getErrorReason(failed)}`)
  }
  context.stderr.warn(
    'who sees these codes was saved on this machine, and the next orderctl command will write it to the ' +
      `journal: ${sanitize(error.message)}`,
  )
}

const createRefusal = (error: Failure, [first]: readonly Reveal[], more = ''): Failure => {
  const { fix, retryable } = error.details
  const problem = `no code was shown, because it cannot be recorded who sees it: ${error.message}${more}`
  return new Failure('local-state', problem, { fix, retryable, orderId: first?.orderId, cause: error })
}
