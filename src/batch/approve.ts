// The steps of `orderctl batch approve`: options → batch → what it would spend → consent → approved → shown. An approver sees the
// plan (what it will order, and what is not known before the orders are created), the cap, who asks for it, and a valid
// approval. Then the steps of `batch cancel`, which changes only the journal.

import { formatOf } from '../app/output/output.ts'
import { canPrompt, createPromptFailure, writeNote } from '../app/terminal.ts'
import type { Context } from '../context.ts'
import { type Decimal, decimal, formatAmount, formatDecimal, zero } from '../contract/money/decimal.ts'
import { formatDuration } from '../contract/time.ts'
import { Failure, interruption, type Remedy } from '../errors.ts'
import { getAccount } from '../journal/accounts.ts'
import { type ApprovalState, readApproval, recordApproval } from '../journal/batches/approvals.ts'
import { type Batch, getBatch, recordCancel } from '../journal/batches/batches.ts'
import { cancelWanted, listBatchRows } from '../journal/batches/cards.ts'
import { listBuyers } from '../journal/batches/slots.ts'
import {
  findApprovalStatus,
  findCovering,
  listBarredRoles,
  needsApproval,
  writeApprove,
} from '../operations/approval.ts'
import { type BatchRow, formatProductKey } from '../operations/batch-limits.ts'
import type { Account } from '../profiles/account.ts'
import { sanitize } from '../ui/terminal/text.ts'
import { type View, viewOf } from '../ui/terminal/view.ts'
import { formatClock, formatMoney, formatNumber } from '../ui/text/formats.ts'
import { renderTableOf, right } from '../ui/text/table.ts'
import { createReplacedFailure, findChange, refuseCancelled, withBatch } from './open-batch.ts'
import { hasRows, isGenuinePlan } from './plan.ts'
import { listInputColumns, printBatch, renderPlan } from './print-batch.ts'
import { asksForConsent } from './run/consent.ts'
import { batchFields, formatLine, nameBuyer } from './screens/batches.ts'
import type { ApproveOptions, CancelOptions } from './spec.ts'
import {
  type FaceValue,
  findFaceValues,
  type OpenedBatch,
  type Summarized,
  summarizeBatch,
} from './summary.ts'

export const approveBatch = (context: Context, options: ApproveOptions): Promise<void> =>
  withBatch(context, options, 'openOrCreate', async (opened, account) => {
    const granted = await approvePlan(context, opened, account, options)
    if (formatOf(options) === 'screen') {
      const [line, ...notes] = renderApproved(context, opened.batch, granted)
      context.stdout.write(`${line}\n`)
      for (const note of notes) writeNote(context, `${note}\n`)
    } else await printBatch(context, opened, options)
  })

const approvePlan = async (
  context: Context,
  opened: OpenedBatch,
  account: Account,
  options: ApproveOptions,
): Promise<Granted> => {
  const { journal, batch } = opened
  const { id, name, wallet } = batch
  const state = await readApproval(journal.read, batch)
  const rows = await listBatchRows(journal.read, batch.number)
  const summarized = await summarizeBatch(opened)
  if ((await getBatch(journal.read, batch.number)) === undefined) throw createReplacedFailure(batch)
  if (state === undefined) {
    const problem = `the batch ${name} is in the journal of this machine, which has no approvals`
    throw new Failure('usage', problem, {
      advice:
        'Approvals need a journal that a team shares. Set ORDERCTL_JOURNAL=postgres://user@host/database.',
    })
  }
  const cap = findCap(batch, state, options)
  refuseUseless(summarized, state, cap)
  // The server refuses this, too. The check comes before the prompt and has a clearer message.
  if (state.cannotApprove || listBarredRoles(state).includes(state.ownRole))
    throw createOwnFailure(batch, state)
  const accountId = await getAccount(journal.read, batch.account)
  if (accountId === undefined || !hasRows(batch, accountId, rows)) throw createForgedFailure(batch)
  const asks = asksForConsent(context, options)
  const isShown = asks || formatOf(options) === 'screen'
  if (isShown) {
    const faceValues = await findFaceValues(context, account, rows)
    context.stderr.write(renderRequest(context, { ...summarized, rows, faceValues, state, cap }))
  }
  const remedy: Remedy = {
    fix: (suggest) => suggest`batch show ${name} --rows`,
    advice: (suggest) =>
      isShown
        ? `If this plan is right: ${writeApprove(suggest, batch, lowerToRequest(cap, state))}`
        : 'Read the plan first.',
  }
  refuseMismatch(batch, state, cap, options, remedy)
  if (asks) {
    const question = `Approve the batch ${sanitize(name)} up to ${formatMoney(cap, wallet)} for ${formatDuration(options.for)}?`
    if (!(await context.askYesNo(question)))
      throw interruption(context.interrupted, 'the batch was not approved; nothing has changed')
  } else if (options.plan === undefined || options.maxTotal === undefined) {
    const problem = 'without a prompt, batch approve needs --plan and --max-total; nothing was approved'
    throw new Failure('usage', problem, remedy)
  }
  const approved = await recordApproval(journal, batch.number, {
    planId: id,
    cap: formatDecimal(cap),
    forMs: options.for,
    isGenuine: (plan) => isGenuinePlan(batch, accountId, plan),
  })
  if (approved.kind === 'own') throw createOwnFailure(batch, state)
  if (approved.kind === 'forged') throw createForgedFailure(batch)
  if (approved.kind === 'changed') throw await findChange(opened)
  return { state, cap, until: approved.until }
}

const findCap = ({ name }: Batch, { request }: ApprovalState, { maxTotal }: ApproveOptions): Decimal => {
  if (maxTotal !== undefined) return maxTotal
  if (request !== undefined) return decimal(request.cap)
  throw new Failure('usage', `--max-total is missing: no one has asked for a cap of the batch ${name} yet`, {
    field: '--max-total',
    advice: 'Add --max-total and the cap to approve.',
  })
}

const refuseUseless = ({ batch, summary }: Summarized, { limits }: ApprovalState, cap: Decimal): void => {
  const { name, wallet } = batch
  refuseCancelled(batch)
  if (summary.cards.open + summary.cards.unknown + summary.cards.failed === 0) {
    throw new Failure('usage', `nothing to approve: the batch ${name} is complete (${summary.state})`, {
      fix: (suggest) => suggest`batch show ${name}`,
    })
  }
  if (needsApproval(cap, limits)) return
  const problem = `the batch ${name} needs no approval for a cap of ${formatMoney(cap, wallet)}`
  throw new Failure('usage', problem, {
    fix: (suggest) => suggest`batch run ${name} ${{ 'max-total': formatDecimal(cap) }}`,
  })
}

/** Lowers the cap to the requested cap, if there is a request. */
const lowerToRequest = (cap: Decimal, { request }: ApprovalState): Decimal =>
  request !== undefined && cap.gt(decimal(request.cap)) ? decimal(request.cap) : cap

/** The flags must not name another plan, or a cap above that of the request. */
const refuseMismatch = (
  { id, name, wallet }: Batch,
  state: ApprovalState,
  cap: Decimal,
  { plan = id }: ApproveOptions,
  remedy: Remedy,
): void => {
  if (plan !== id) {
    const problem = `the batch ${name} has another plan than ${plan}; nothing was approved`
    throw new Failure('refused', problem, { field: '--plan', ...remedy })
  }
  const asked = lowerToRequest(cap, state)
  if (cap.lte(asked)) return
  const [given, wanted] = [formatAmount(cap, wallet), formatAmount(asked, wallet)]
  const problem = `no one has asked for a cap of ${given} of the batch ${name}, but for ${wanted}; nothing was approved`
  throw new Failure('refused', problem, { field: '--max-total', ...remedy })
}

const createOwnFailure = ({ name }: Batch, { ownRole, plannedBy, cannotApprove }: ApprovalState): Failure => {
  const what = ownRole === plannedBy ? 'planned the batch' : 'asked for the cap of the batch'
  const why = cannotApprove ? 'has limits of its own' : `${what} ${name}`
  const problem = `the database role ${ownRole} ${why}, so it cannot approve ${cannotApprove ? `the batch ${name}` : 'it'}`
  return new Failure('not-approved', problem, {
    advice: (suggest) => `A different database role can approve it: ${suggest`batch approve ${name}`}`,
  })
}

const createForgedFailure = ({ name, id }: Batch): Failure =>
  new Failure('refused', `the rows of the batch ${name} do not match its id ${id}; nothing was approved`, {
    advice: 'Plan the rows again with batch plan, and give the batch another name.',
  })

/** The largest sum first. */
const addUpProducts = (rows: readonly BatchRow[]) =>
  [...Map.groupBy(rows, formatProductKey).values()]
    .flatMap(([product, ...more]) => {
      if (product === undefined) return []
      const cards = more.reduce((sum, { quantity }) => sum + quantity, product.quantity)
      return [{ ...product, cards, sum: decimal(product.quote).times(decimal(String(cards))) }]
    })
    .toSorted((one, other) => other.sum.cmp(one.sum))

type Request = Summarized & {
  readonly rows: readonly BatchRow[]
  readonly faceValues: readonly FaceValue[]
  readonly state: ApprovalState
  readonly cap: Decimal
}

const renderRequest = (
  context: Context,
  { batch, summary, rows, faceValues, state, cap }: Request,
): string => {
  const view = viewOf(context, context.clock.now(), context.stderr)
  const approval = findApprovalStatus(batch, state)
  const more = [['Cap', view.theme.strong(formatMoney(cap, batch.wallet))]] as const
  return `${renderRequested(batch, rows, view)}\n${renderPlan({ batch, summary, faceValues, approval }, view, more)}\n`
}

type Granted = {
  /** Before this approval. */
  readonly state: ApprovalState
  readonly cap: Decimal
  readonly until: number
}

/** Returns the line of the result, and notes about it. */
const renderApproved = (
  context: Context,
  { name, wallet }: Batch,
  { state: { request, approvals }, cap, until }: Granted,
): string[] => {
  const view = viewOf(context)
  const money = (amount: Decimal): string => formatMoney(amount, wallet)
  const lines = [`Approved the batch ${sanitize(name)} up to ${money(cap)} until ${formatClock(until, view)}`]
  const asked = request && decimal(request.cap)
  if (asked !== undefined && cap.lt(asked))
    lines.push(
      `This is less than the cap of ${money(asked)} that ${sanitize(request?.role ?? '')} asked for.`,
    )
  const other = findCovering(cap, approvals)
  if (other !== undefined && cap.lt(decimal(other.cap)))
    lines.push(
      `The approval by ${sanitize(other.role)} up to ${money(decimal(other.cap))} also stays valid until ${formatClock(other.until, view)}.`,
    )
  return [
    ...lines,
    `Buy the batch: ${view.suggest`batch run ${name} ${{ 'max-total': formatDecimal(cap) }}`}`,
  ]
}

const maxLines = 20

/** What an approver reads first: the rows, and the sum of each product. */
const renderRequested = ({ name, columns }: Batch, rows: readonly BatchRow[], view: View): string => {
  const products = addUpProducts(rows)
  const rowTable = renderTableOf(
    [
      ['LINE', formatLine, right],
      ['SKU', ({ sku }) => sku],
      ['QUOTE', ({ quote }) => formatNumber(decimal(quote)), right],
      ['CARDS', ({ quantity }) => String(quantity), right],
      ...listInputColumns(columns, () => 'wrap'),
    ],
    rows.slice(0, maxLines),
    view,
  )
  const productTable = renderTableOf(
    [
      ['PRODUCT', ({ sku }) => sku],
      ['TYPE', ({ productType }) => productType],
      ['QUOTE', ({ quote }) => formatNumber(decimal(quote)), right],
      ['CARDS', ({ cards }) => String(cards), right],
      ['SUM', ({ sum }) => formatNumber(sum), right],
    ],
    products.slice(0, maxLines),
    view,
  )
  const others = (count: number, noun: string, more = ''): string =>
    count > maxLines ? `Showing ${maxLines} of ${count} ${noun}.${more}\n` : ''
  return `${rowTable}${others(rows.length, 'rows', ` See all: ${view.suggest`batch show ${name} --rows`}`)}\n${productTable}${others(products.length, 'products')}`
}

export const cancelBatch = (context: Context, options: CancelOptions): Promise<void> =>
  withBatch(context, options, 'openOrCreate', async (opened) => {
    const { journal, batch } = opened
    if (batch.cancelledAt === undefined) await askToCancel(context, opened, options)
    else writeNote(context, `The batch ${sanitize(batch.name)} was already cancelled\n`)
    await recordCancel(journal, batch.number, context.clock.now())
    // Also for a cancelled batch: an unknown order may have expired since.
    await cancelWanted(journal, batch.number)
    await printBatch(context, opened, options, { fields: batchFields })
  })

/** Throws if there is nothing to cancel, or if the user refuses. In a script, the command itself is the consent. */
const askToCancel = async (
  context: Context,
  opened: OpenedBatch,
  { yes, noInput }: CancelOptions,
): Promise<void> => {
  const { batch, summary } = await summarizeBatch(opened)
  const { cards, spent } = summary
  const name = sanitize(batch.name)
  if (cards.open + cards.unknown === 0) {
    throw new Failure('usage', `nothing to cancel: the batch ${name} is complete (${summary.state})`, {
      fix: (suggest) => suggest`batch show ${name}`,
    })
  }
  if (yes || !context.stdin.isTerminal) return
  const state = await readApproval(opened.journal.read, batch)
  const planner = state?.plannedBy === state?.ownRole ? undefined : state?.plannedBy
  const buyers = (await listBuyers(opened.journal.read, batch.number)).filter(
    ({ until }) => until !== undefined,
  )
  const isBought = spent.gt(zero) || cards.delivered + cards.unknown > 0
  if (!isBought && planner === undefined && buyers.length === 0) return
  if (!canPrompt(context, { noInput })) throw createPromptFailure('batch cancel', 'cancel')
  const names = buyers.map(nameBuyer).join(', ')
  const question =
    `Cancel the batch ${name}${planner === undefined ? '' : ` of ${sanitize(planner)}`}? ` +
    `${names === '' ? '' : `It is being bought now: ${names}. `}${cards.delivered} of ${cards.ordered} cards are delivered. ` +
    'Confirmed orders keep their cards.'
  if (!(await context.askYesNo(question)))
    throw interruption(context.interrupted, 'the batch was not cancelled; nothing has changed')
}
