// orderctl create: places an order, and where it is told to, confirms and watches it.
import type { Context } from '../context.ts'
import { parseDecimal } from '../contract/decimal.ts'
import { orderFileSchema } from '../contract/order-request.ts'
import { confirm } from '../operations/confirm.ts'
import { spentDataOf } from '../operations/failure-of.ts'
import { guard, offerOf } from '../operations/offer.ts'
import { place } from '../operations/place.ts'
import { jsonText } from '../ui/json.ts'
import { createdText } from '../ui/order.ts'
import { safeText } from '../ui/safe-text.ts'
import { flagReader } from './flags.ts'
import { type OrderFlags, productForm, readProduct, readRequest, skeleton } from './order-input.ts'
import { patiently } from './patiently.ts'
import { catalogueTypes } from './sandbox-catalogue.ts'
import { accountOf, openSession, type SessionFlags, sayWhere, spending, viewOf } from './session.ts'
import { type ShowFlags, shower } from './show.ts'
import { showOrder } from './show-order.ts'
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
  const { read, duration, problem, check } = flagReader('create')
  const maxTotal = read('--max-total', flags.maxTotal, parseDecimal, totalForm)
  if (flags.maxTotal !== undefined && !goesOn)
    problem('--max-total guards a confirmation: it goes with --confirm or --watch')
  const products = flags.product?.map((text) => read('--product', text, readProduct, productForm))
  duration('--timeout', flags.timeout)
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
    context.stdout.write(jsonText(request, { reveal: true }))
    return 0
  }

  const session = await openSession(context, flags, account)
  try {
    sayWhere(context, account)
    if (account.kind === 'sandbox' && request.webhookUrl !== undefined) {
      context.stderr.write('the sandbox calls no webhooks; orderctl serve-mock does\n')
    }
    const deps = await spending(session)
    const { created, serviceTime } = await patiently(context, 'create', () =>
      place(deps, request, { allowDuplicate: flags.allowDuplicate === true }),
    )
    const screen = () => createdText(created, request.reference, viewOf(context, serviceTime()))
    if (!goesOn) {
      // The answer does not repeat the reference; whoever keeps it wants it beside the id.
      show({ data: { ...created, reference: request.reference }, ids: [created.id], screen })
      return 0
    }
    // A chain prints the final order; what was created is said on the way, for the id to be known whatever comes.
    if (flags.json === true || flags.quiet === true) context.stderr.write(`created ${safeText(created.id)}\n`)
    else context.stdout.write(`${screen()}\n`)
    const offer = offerOf(created, request.reference)
    guard(offer, { maxTotal }, serviceTime())
    await patiently(context, 'confirm', () => confirm(deps, offer))
    if (flags.watch === true)
      return await watchOrders(context, session, [created.id], { ...flags, known: true })
    return await showOrder(
      context,
      session,
      spentDataOf(await session.api.get(created.id), created.id),
      flags,
    )
  } finally {
    await session.close()
  }
}
