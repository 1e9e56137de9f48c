// What create does once the order is complete: places it or goes on with an earlier one, confirms it, watches it.
import type { Context } from '../../context.ts'
import type { OrderRequest } from '../../contract/order-request.ts'
import { Failure } from '../../errors.ts'
import { refuseChanges } from '../../operations/compare.ts'
import { readForConfirm } from '../../operations/confirm.ts'
import type { Spending } from '../../operations/deps.ts'
import { guard, type Offer, offerOf } from '../../operations/offer.ts'
import { type Placed, place } from '../../operations/place.ts'
import { interruption, readSpent } from '../../operations/read.ts'
import { findPlaced } from '../../operations/resume.ts'
import { shellWord } from '../../text/shell-word.ts'
import { createdLine } from '../../ui/screens/created-line.ts'
import { safeText } from '../../ui/terminal/safe-text.ts'
import { confirmOrder, wasConfirmedBefore } from '../shared/confirm-order.ts'
import { arrived } from '../shared/ensure-delivered.ts'
import { patiently } from '../shared/interrupt-notice.ts'
import { shower } from '../shared/output.ts'
import { loadWhatTells } from '../shared/preload-output.ts'
import { openSession, type Session, sayWhere, spending } from '../shared/session.ts'
import { showOrder } from '../shared/show-order.ts'
import { viewOf } from '../shared/view-of.ts'
import type { CarryOutFlags, CompleteOrder } from './complete-order.ts'
import { goOn } from './go-on.ts'
import { refuseTwin } from './twin.ts'

export const carryOut = async (
  context: Context,
  order: CompleteOrder,
  flags: CarryOutFlags,
): Promise<number> => {
  // What is wrong with the order is said before anything else happens.
  const request = order.request()
  if (flags.dryRun === true) return printRequest(context, request, flags)
  const { account, asked } = order
  const session = await openSession(context, flags, account)
  try {
    sayWhere(context, account)
    const deps = await spending(session)
    await loadWhatTells({ ...flags, watch: flags.watch === true || asked !== undefined })
    const found = flags.idempotent === true ? await findPlaced(deps, request) : undefined
    if (found !== undefined) return await goOn(context, session, { deps, entry: found, order, flags })
    const placed = await placeOrder(context, session, { deps, order, flags })
    return await afterPlacing(context, session, { deps, order, flags, placed })
  } finally {
    await session.close()
  }
}

const printRequest = async (
  context: Context,
  request: OrderRequest,
  flags: CarryOutFlags,
): Promise<number> => {
  await shower(context, { ...flags, quiet: false, json: true, reveal: true }).show({
    data: () => request,
    ids: [],
    screen: () => '',
  })
  context.stderr.write('The order is valid. Nothing was sent.\n')
  return 0
}

type Work = { readonly deps: Spending; readonly order: CompleteOrder; readonly flags: CarryOutFlags }

const placeOrder = async (context: Context, session: Session, work: Work): Promise<Placed> => {
  const { deps, order, flags } = work
  const { account, asked } = order
  const { stderr } = context
  const request = order.request()
  if (account.kind === 'sandbox' && request.webhookUrl !== undefined) {
    stderr.write('The sandbox calls no webhooks; orderctl serve-mock does.\n')
  }
  const isAgain = flags.allowDuplicate === true
  if (!isAgain && !order.hasOwnReference()) await refuseTwin(context, { deps, request, flags })
  for (const similar of deps.journal.similarReferences(deps.owner.account, request.reference)) {
    stderr.write(
      `warning: the reference ${safeText(request.reference)} looks like '${safeText(similar)}', which is in use\n`,
    )
  }
  try {
    return await patiently(context, session, 'create', (progress) =>
      place(deps, request, { ...progress, allowDuplicate: isAgain }),
    )
  } catch (error) {
    const failure = account.kind === 'sandbox' ? withCatalogue(error) : error
    if (asked === undefined) throw failure
    await asked.mend(failure)
    return placeOrder(context, session, work)
  }
}

const afterPlacing = async (
  context: Context,
  session: Session,
  { deps, order, flags, placed }: Work & { readonly placed: Placed },
): Promise<number> => {
  const { stdout, stderr } = context
  const { asked, maxTotal } = order
  const { created, reference, serviceTime, expiresAt } = placed
  const { id } = created
  warnOfSameId(context, placed)
  const createdScreen = async (output = stdout): Promise<string> => {
    const { createdText } = await import('../../ui/screens/order.ts')
    return createdText(created, reference, viewOf(context, serviceTime(), output))
  }
  const goesOn = flags.confirm === true || flags.watch === true
  let agreed: boolean | undefined = goesOn
  if (!goesOn && asked !== undefined) {
    stderr.write(`${await createdScreen(stderr)}\n`)
    agreed = await asked.toConfirm(created, expiresAt - serviceTime())
  }
  if (agreed !== true) {
    const { show } = shower(context, flags, { hasSpent: true })
    // On one terminal the wizard has shown it already. The answer does not repeat the reference.
    if (asked === undefined || !stdout.isTerminal) {
      await show({ data: () => ({ ...created, reference }), ids: [id], screen: () => createdScreen() })
    }
    await arrived(context, `the order ${id} was created, and is not confirmed`, id)
    if (agreed === undefined) throw leftCreated(context, id)
    if (stderr.isTerminal) stderr.write(`Confirm it: orderctl confirm ${shellWord(safeText(id))}\n`)
    return 0
  }
  // stdout gets the final order alone, so stderr says what was created.
  if (goesOn) stderr.write(createdLine(created, reference, serviceTime()))
  const offer = offerOf(created, { reference, expiresAt })
  if (placed.sameId.length > 0) await refuseOldAnswer(deps, offer)
  guard(offer, { maxTotal }, serviceTime())
  const work = { deps, offer, allowDuplicate: flags.allowDuplicate === true }
  await wasConfirmedBefore(context, flags.idempotent === true, () => confirmOrder(context, session, work))
  if (flags.watch !== true && goesOn) {
    return showOrder(context, session, await readSpent(session, id), flags)
  }
  const { watchOrders } = await import('../shared/watch-orders.ts')
  return watchOrders(context, session, [id], { ...flags, known: true })
}

/** A service that was reset gives its ids again; a proxy may have repeated an old answer. */
const warnOfSameId = ({ stderr }: Context, { created, sameId }: Placed): void => {
  for (const { reference = '', standing } of sameId) {
    stderr.write(
      `warning: the service gave the id ${safeText(created.id)} again: ` +
        `this journal has it for the reference ${safeText(reference)} (${safeText(standing)})\n`,
    )
  }
}

/** The answer to create may have been an old one, so the order itself has to say that it is the new one. */
const refuseOldAnswer = async (deps: Spending, { orderId }: Offer): Promise<void> => {
  const { differences } = await readForConfirm(deps, orderId)
  refuseChanges(orderId, differences)
}

const leftCreated = ({ interrupted }: Context, orderId: string) =>
  interruption(interrupted, `interrupted; the order ${safeText(orderId)} was created, and is not confirmed`, {
    orderId,
    fix: `orderctl confirm ${shellWord(safeText(orderId))}. If you leave it, it expires unconfirmed.`,
  })

/** The sandbox can show what it sells. */
const withCatalogue = (error: unknown): unknown => {
  if (!(error instanceof Failure) || error.kind !== 'refused') return error
  const fix = [error.details.fix, 'See the products and prices: orderctl sandbox'].filter(Boolean).join(' ')
  return new Failure(error.kind, error.message, { ...error.details, fix })
}
