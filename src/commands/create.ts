// orderctl create: places an order, and where it is told to, confirms and watches it.
import type { Context } from '../context.ts'
import { type Decimal, parseDecimal } from '../contract/decimal.ts'
import { orderFileSchema } from '../contract/order-request.ts'
import type { CreatedOrder } from '../contract/schemas.ts'
import { confirm, guard } from '../operations/confirm.ts'
import { dataOf } from '../operations/failure-of.ts'
import { place } from '../operations/place.ts'
import { jsonText } from '../ui/json.ts'
import { createdText } from '../ui/order.ts'
import { flagReader } from './flags.ts'
import { type OrderFlags, readOrder, skeleton } from './order-input.ts'
import { catalogueTypes } from './sandbox-catalogue.ts'
import { accountOf, openSession, type SessionFlags, sayWhere, viewOf } from './session.ts'
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
  }

export const create = async (
  context: Context,
  file: string | undefined,
  flags: CreateFlags,
): Promise<number> => {
  if (flags.skeleton === true || flags.schema === true) {
    context.stdout.write(jsonText(flags.schema === true ? orderFileSchema() : skeleton, { reveal: true }))
    return 0
  }
  const maxTotal = readMaxTotal(flags.maxTotal)
  const { show } = shower(context, flags)
  const account = accountOf(context, flags)
  const request = await readOrder(context, file, flags, {
    wallet: account.kind === 'service' ? account.wallet : undefined,
    typeOf: await catalogueTypes(account),
  })
  if (flags.dryRun === true) {
    context.stdout.write(jsonText(request, { reveal: true }))
    return 0
  }

  const session = await openSession(context, flags)
  try {
    sayWhere(context, account)
    const { created, serverTime } = await place(session.api, request)
    const now = serverTime ?? context.clock.now()
    const screen = () => createdText(created, request.reference, viewOf(context, now))
    const wantsMore = flags.confirm === true || flags.watch === true
    if (!wantsMore) {
      // The answer does not repeat the reference; whoever keeps it wants it beside the id.
      show({ data: { ...created, reference: request.reference }, id: created.id, screen })
      return 0
    }
    // A chain prints the final order; what was created is said on the way, for the id to be known whatever comes.
    if (flags.json === true || flags.quiet === true) context.stderr.write(`created ${created.id}\n`)
    else context.stdout.write(`${screen()}\n`)
    guard(offerOf(created), { maxTotal }, now)
    await confirm({ api: session.api, clock: context.clock, interrupted: context.interrupted }, created.id)
    if (flags.watch === true) return await watchOrders(context, session.api, [created.id], flags)
    return showOrder(context, dataOf(await session.api.get(created.id), { orderId: created.id }), flags)
  } finally {
    await session.close()
  }
}

const offerOf = ({ id, invoice, expiresAt }: CreatedOrder) => ({
  orderId: id,
  total: invoice.total,
  wallet: invoice.wallet,
  expiresAt,
})

export const readMaxTotal = (text: string | undefined): Decimal | undefined => {
  const reader = flagReader('confirm')
  const total = reader.read('--max-total', text, parseDecimal, 'an amount such as 100 or 99.50')
  reader.check()
  return total
}
