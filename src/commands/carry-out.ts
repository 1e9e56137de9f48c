// What create does once it is known what is ordered: places it, and where it is told to, confirms and watches it.
import type { Context } from '../context.ts'
import type { Decimal } from '../contract/decimal.ts'
import type { OrderRequest } from '../contract/order-request.ts'
import { shellWord } from '../contract/shell-word.ts'
import { Failure } from '../errors.ts'
import { confirm } from '../operations/confirm.ts'
import { guard, offerOf } from '../operations/offer.ts'
import { type Placed, place } from '../operations/place.ts'
import { interruption, readSpent } from '../operations/read.ts'
import type { Account } from '../profiles/account.ts'
import { createdLine } from '../ui/created-line.ts'
import { safeText } from '../ui/safe-text.ts'
import { arrived } from './arrived.ts'
import type { Asked } from './create-wizard.ts'
import { patiently } from './patiently.ts'
import { openSession, type SessionFlags, sayWhere, spending } from './session.ts'
import { type ShowFlags, shower } from './show.ts'
import { showOrder } from './show-order.ts'
import { loadWhatTells } from './to-tell.ts'
import { viewOf } from './view-of.ts'

export type CarryOutFlags = SessionFlags &
  ShowFlags & {
    readonly dryRun?: boolean
    readonly confirm?: boolean
    readonly watch?: boolean
    readonly allowDuplicate?: boolean
  }

type Order = {
  readonly account: Account
  /** As it is by now: what was asked for may be changed. */
  readonly request: () => OrderRequest
  readonly maxTotal: Decimal | undefined
  readonly asked: Asked | undefined
}

export const carryOut = async (
  context: Context,
  { account, request: read, maxTotal, asked }: Order,
  flags: CarryOutFlags,
): Promise<number> => {
  const { stdout, stderr } = context
  let request = read()
  if (flags.dryRun === true) {
    await shower(context, { ...flags, quiet: false, json: true, reveal: true }).show({
      data: () => request,
      ids: [],
      screen: () => '',
    })
    stderr.write('checked; nothing was sent\n')
    return 0
  }
  const { show } = shower(context, flags, { hasSpent: true })
  const session = await openSession(context, flags, account)
  try {
    sayWhere(context, account)
    if (account.kind === 'sandbox' && request.webhookUrl !== undefined) {
      stderr.write('the sandbox calls no webhooks; orderctl serve-mock does\n')
    }
    const deps = await spending(session)
    await loadWhatTells({ ...flags, watch: flags.watch === true || asked !== undefined })
    const placed = (): Promise<Placed> =>
      patiently(context, session, 'create', (progress) =>
        place(deps, request, { ...progress, allowDuplicate: flags.allowDuplicate === true }),
      ).catch(async (error) => {
        const failure = account.kind === 'sandbox' ? withCatalogue(error) : error
        if (asked === undefined) throw failure
        await asked.mend(failure)
        request = read()
        return placed()
      })
    const { created, serviceTime } = await placed()
    const { id } = created
    const createdScreen = async (output = stdout): Promise<string> => {
      const { createdText } = await import('../ui/order.ts')
      return createdText(created, request.reference, viewOf(context, serviceTime(), output))
    }
    const goesOn = flags.confirm === true || flags.watch === true
    let agreed: boolean | undefined = goesOn
    if (!goesOn && asked !== undefined) {
      stderr.write(`${await createdScreen(stderr)}\n`)
      agreed = await asked.toConfirm(created, created.expiresAt - serviceTime())
    }
    if (agreed !== true) {
      // The answer does not repeat the reference; whoever keeps it wants it beside the id.
      const shown = {
        data: () => ({ ...created, reference: request.reference }),
        ids: [id],
        screen: () => createdScreen(),
      }
      // On one terminal it was seen just now.
      if (asked === undefined || !stdout.isTerminal) await show(shown)
      await arrived(context, `the order ${id} was created, and is not confirmed`, id)
      if (agreed === undefined) throw leftCreated(context, id)
      if (stderr.isTerminal) stderr.write(`confirm it: orderctl confirm ${shellWord(safeText(id))}\n`)
      return 0
    }
    // A chain prints the final order; what was created is said on the way, for it to be known whatever comes.
    if (goesOn) stderr.write(createdLine(created, request.reference, serviceTime()))
    const offer = offerOf(created, request.reference)
    guard(offer, { maxTotal }, serviceTime())
    await patiently(context, session, 'confirm', (progress) =>
      confirm(deps, offer, { ...progress, allowDuplicate: flags.allowDuplicate === true }),
    )
    if (flags.watch !== true && goesOn)
      return await showOrder(context, session, await readSpent(session, id), flags)
    const { watchOrders } = await import('./watch-orders.ts')
    return await watchOrders(context, session, [id], { ...flags, known: true })
  } finally {
    await session.close()
  }
}

/** The order is there: whoever leaves now is told which. */
const leftCreated = ({ interrupted }: Context, orderId: string) =>
  interruption(interrupted, `left; the order ${safeText(orderId)} was created, and is not confirmed`, {
    orderId,
    fix: `orderctl confirm ${shellWord(safeText(orderId))}; or leave it, and it lapses`,
  })

/** In the sandbox what is allowed is at hand. */
const withCatalogue = (error: unknown): unknown => {
  if (!(error instanceof Failure) || error.kind !== 'refused') return error
  const fix = [error.details.fix, 'What there is, at which prices: orderctl sandbox']
    .filter(Boolean)
    .join(' ')
  return new Failure(error.kind, error.message, { ...error.details, fix })
}
