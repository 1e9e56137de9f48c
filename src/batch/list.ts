// The steps of `orderctl batch list`: of the newest batches, or of those that wait for an approval.

import { findListedAccount, isSandboxInUse } from '../app/account.ts'
import { journalsOf } from '../app/journals.ts'
import { describeHidden, refuseUnknownProfile } from '../app/listed-orders.ts'
import { outputFor } from '../app/output/output.ts'
import { writeNote } from '../app/terminal.ts'
import type { Context } from '../context.ts'
import { listRequested } from '../journal/batches/approvals.ts'
import { getBatch, listNewestBatches } from '../journal/batches/batches.ts'
import type { Journal } from '../journal/journal.ts'
import { readInParallel } from '../operations/parallel.ts'
import { viewOfTable } from '../ui/terminal/view.ts'
import { listNames, readFields } from '../ui/text/result-fields.ts'
import {
  approvedFields,
  batchFields,
  type ListedBatch,
  renderApprovals,
  renderBatches,
} from './screens/batches.ts'
import type { ListOptions } from './spec.ts'
import { readApprovalStatus, summarizeBatch } from './summary.ts'

export const listBatches = async (context: Context, options: ListOptions): Promise<void> => {
  const { profile, limit, waiting } = options
  await using journals = journalsOf(context, await findListedAccount(context, profile), options)
  const journal = await journals.openExisting()
  const isSandbox = !waiting ? await chooseSandbox(context, journal, profile) : undefined
  const found = await (waiting ? findWaiting : findNewest)(journal, options, isSandbox)
  if (found.length === 0) await refuseUnknownProfile(context, journal, profile)
  const all = found.slice(0, limit)
  if (found.length > all.length) {
    const shown = limit === 1 ? 'batch only' : `${limit} batches`
    writeNote(context, `Showing the newest ${shown}. Use --limit to see more.\n`)
  }
  if (all.length === 0) writeNote(context, waiting ? 'No batch waits for an approval\n' : 'No batches\n')
  const fields = waiting ? approvedFields : batchFields
  await outputFor(context, options).print({
    names: listNames(fields),
    data: () => all.map((each) => readFields(fields, each)),
    ids: all.map(({ batch }) => batch.name),
    screen: () =>
      all.length === 0 ? '' : (waiting ? renderApprovals : renderBatches)(all, viewOfTable(context)),
  })
  if (isSandbox !== undefined && !options.json && !options.quiet) {
    const [hidden] = await listNewestBatches(journal.read, { isSandbox: !isSandbox, limit: 1 })
    if (hidden !== undefined) writeNote(context, describeHidden(context, 'batch list', hidden.profile))
  }
}

/** A table never mixes sandbox and real batches. Without --profile, the profile in use decides which are listed. */
const chooseSandbox = async (
  context: Context,
  journal: Journal,
  profile: string | undefined,
): Promise<boolean | undefined> => {
  if (profile !== undefined) return undefined
  const ofSandbox = await listNewestBatches(journal.read, { profile: 'sandbox', limit: 1 })
  return ofSandbox.length === 0 ? undefined : isSandboxInUse(context)
}

/** One more than the limit, to know whether there are more. */
const findNewest = async (
  journal: Journal,
  { profile, limit }: ListOptions,
  isSandbox: boolean | undefined,
): Promise<ListedBatch[]> => {
  const found = await listNewestBatches(journal.read, { profile, isSandbox, limit: limit + 1 })
  return readInParallel(found, (batch) => summarizeBatch({ journal, batch }))
}

/** The newest request first. */
const findWaiting = async (journal: Journal, { profile }: ListOptions): Promise<ListedBatch[]> => {
  const all = await readInParallel(await listRequested(journal.read, profile), async (number) => {
    const known = await getBatch(journal.read, number)
    if (known === undefined) return []
    const { batch, summary } = await summarizeBatch({ journal, batch: known })
    const approval = await readApprovalStatus({ journal, batch }, summary)
    return approval === undefined || approval.state === 'approved' ? [] : [{ batch, summary, approval }]
  })
  return all.flat()
}
