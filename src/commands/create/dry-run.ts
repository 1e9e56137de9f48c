// create --dry-run: checks the order, warns of products that are probably wrong, and prints the request.

import { type Journals, journalsOf } from '../../app/journal/open-journal.ts'
import { writeNote } from '../../app/notes.ts'
import type { Context } from '../../context.ts'
import { exitCodes } from '../../exit-codes.ts'
import { refuseSecrets } from '../../operations/create/place.ts'
import { renderJson } from '../../ui/text/json.ts'
import type { Submission } from './place-order.ts'
import { warnOfUnusualProducts } from './product-hints.ts'

/** `opened`: the journals that the command has already opened. */
export const checkOnly = async (context: Context, submission: Submission, opened?: Journals) => {
  const { options, account, request } = submission
  if (account.kind === 'service' && account.getKnownKey !== undefined) {
    const { createSecretTest } = await import('../../client/credentials.ts')
    refuseSecrets({ containsSecret: createSecretTest(account.auth, account.getKnownKey()) }, request)
  }
  if (submission.list === undefined) {
    await using cleanup = new AsyncDisposableStack()
    const { openExisting } = opened ?? cleanup.use(journalsOf(context, account, { noInput: true }))
    await warnOfUnusualProducts(context, openExisting(), account, request)
  }
  context.stdout.write(renderJson(request, { fields: options.fields }))
  writeNote(context, 'The order is valid. Nothing was sent.\n')
  return exitCodes.ok.code
}
