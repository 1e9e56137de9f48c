// The steps of `orderctl journal status`: the checks of doctor for the journal of one profile.
import type { Context } from '../../context.ts'
import { runChecks } from '../shared/checks/check.ts'
import { listJournalChecks } from '../shared/checks/journal-checks.ts'
import { parseJournalAddress } from '../shared/journal/shared-place.ts'
import { canPrompt } from '../shared/options.ts'
import { findJournal } from './chosen-journal.ts'
import type { StatusOptions } from './spec.ts'

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
