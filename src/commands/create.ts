// orderctl create: places an order, and where it is told to, confirms and watches it.
import type { Context } from '../context.ts'
import { parseDecimal } from '../contract/decimal.ts'
import { orderFileSchema } from '../contract/order-request.ts'
import { orderWord } from '../contract/order-word.ts'
import { Failure } from '../errors.ts'
import { confirm } from '../operations/confirm.ts'
import { guard, offerOf } from '../operations/offer.ts'
import { place } from '../operations/place.ts'
import { readSpent } from '../operations/read.ts'
import { jsonText } from '../ui/json.ts'
import { createdLine, createdText } from '../ui/order.ts'
import { safeText } from '../ui/safe-text.ts'
import { arrived } from './arrived.ts'
import { flagReader } from './flags.ts'
import { type OrderFlags, productForm, readProduct, readRequest, skeleton } from './order-input.ts'
import { patiently } from './patiently.ts'
import { catalogueTypes } from './sandbox-catalogue.ts'
import { accountOf, openSession, type SessionFlags, sayWhere, spending } from './session.ts'
import { type ShowFlags, shower } from './show.ts'
import { showOrder } from './show-order.ts'
import { viewOf } from './view-of.ts'
import { watchOrders } from './watch-orders.ts'

export type CreateFlags = SessionFlags &
  ShowFlags &
  OrderFlags & {
    readonly dryRun?: boolean
    readonly skeleton?: boolean
    readonly schema?: boolean
    readonly confirm?: boolean
    readonly watch?: boolean
    readonly maxTotal?: string
    readonly allowDuplicate?: boolean
  }

export const totalForm = 'an amount such as 100 or 99.50'

export const create = async (
  context: Context,
  file: string | undefined,
  flags: CreateFlags,
): Promise<number> => {
  if (flags.skeleton === true || flags.schema === true) {
    context.stdout.write(jsonText(flags.schema === true ? orderFileSchema() : skeleton, { reveal: true }))
    return 0
  }
  const goesOn = flags.confirm === true || flags.watch === true
  const { read, timeout, problem, check } = flagReader('create')
  const maxTotal = read('--max-total', flags.maxTotal, parseDecimal, totalForm)
  if (flags.maxTotal !== undefined && !goesOn)
    problem('--max-total guards a confirmation: it goes with --confirm or --watch')
  const products = flags.product?.map((text) => read('--product', text, readProduct, productForm))
  timeout('--timeout', flags.timeout)
  check()
  const { show } = shower(context, flags, { hasSpent: true })
  const account = accountOf(context, flags)
  const request = await readRequest(
    context,
    file,
    flags,
    products?.filter((each) => each !== undefined),
    {
      wallet: account.kind === 'service' ? account.wallet : undefined,
      typeOf: await catalogueTypes(account),
    },
  )
  if (flags.dryRun === true) {
    shower(context, { ...flags, quiet: false, json: true, reveal: true }).show({
      data: () => request,
      ids: [],
      screen: () => '',
    })
    context.stderr.write('checked; nothing was sent\n')
    return 0
  }

  const session = await openSession(context, flags, account)
  try {
    sayWhere(context, account)
    if (account.kind === 'sandbox' && request.webhookUrl !== undefined) {
      context.stderr.write('the sandbox calls no webhooks; orderctl serve-mock does\n')
    }
    const deps = await spending(session)
    const placed = patiently(context, 'create', (progress) =>
      place(deps, request, { ...progress, allowDuplicate: flags.allowDuplicate === true }),
    )
    const { created, serviceTime } = await placed.catch((error) => {
      throw account.kind === 'sandbox' ? withCatalogue(error) : error
    })
    const { id } = created
    const view = () => viewOf(context, serviceTime())
    if (!goesOn) {
      // The answer does not repeat the reference; whoever keeps it wants it beside the id.
      show({
        data: () => ({ ...created, reference: request.reference }),
        ids: [id],
        screen: () => createdText(created, request.reference, view()),
      })
      await arrived(context, `the order ${id} was created, and is not confirmed`, id)
      if (context.stderr.isTerminal)
        context.stderr.write(`confirm it: orderctl confirm ${orderWord(safeText(id))}\n`)
      return 0
    }
    // A chain prints the final order; what was created is said on the way, for it to be known whatever comes.
    context.stderr.write(createdLine(created, request.reference, view()))
    const offer = offerOf(created, request.reference)
    guard(offer, { maxTotal }, serviceTime())
    await patiently(context, 'confirm', (progress) =>
      confirm(deps, offer, { ...progress, allowDuplicate: flags.allowDuplicate === true }),
    )
    return flags.watch === true
      ? await watchOrders(context, session, [id], { ...flags, known: true })
      : await showOrder(context, session, await readSpent(session, id), flags)
  } finally {
    await session.close()
  }
}

/** In the sandbox what is allowed is at hand. */
const withCatalogue = (error: unknown): unknown => {
  if (!(error instanceof Failure) || error.kind !== 'refused') return error
  const fix = [error.details.fix, 'What there is, at which prices: orderctl sandbox']
    .filter(Boolean)
    .join(' ')
  return new Failure(error.kind, error.message, { ...error.details, fix })
}
