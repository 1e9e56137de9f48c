// All combinations that viewOrder judges, as a table in which equal rows are joined.
import type { Outcome } from '../../src/client/api.ts'
import { decimal } from '../../src/contract/money/decimal.ts'
import type { Order } from '../../src/contract/schemas.ts'
import { exitCodes } from '../../src/errors.ts'
import type { Call, Entry, Known } from '../../src/journal/orders/entries.ts'
import { type OrderView, viewOrder } from '../../src/operations/view.ts'

const createdAt = Date.UTC(2026, 2, 1, 12)
const minute = 60_000

const entryOf = (more: Partial<Entry>): Entry => ({
  ...{
    number: 1,
    account: 1,
    profile: 'shop',
    origin: 'https://shop',
    state: 'created',
    duplicate: 0,
    confirms: 0,
  },
  ...{ reference: 'r1', referenceFold: 'r1', orderId: 'ord_1', request: '{}', wallet: 'USD', total: '25' },
  ...{ placedAt: createdAt, changedAt: createdAt, createdAt, createdDate: createdAt, standing: 'pending' },
  // The expiry for people is 10 minutes after the creation. The service's clock is 8 h behind its `Date`.
  ...{ expiresAt: createdAt + 10 * minute },
  ...more,
})

/** The service called the order 'new' before its confirm. */
const callOf = (outcome: Call['outcome']): Call => ({
  ...{ number: 2, id: 'c', orderNumber: 1, operation: 'confirm', outcome, serviceState: 'new' },
  ...{ startedAt: createdAt, until: createdAt + minute },
})

export const knownOf = (
  standing: Entry['standing'],
  more: Partial<Entry> = {},
  outcome?: Call['outcome'],
): Known => ({
  entry: entryOf({ standing, confirms: outcome === undefined ? 0 : 1, ...more }),
  calls: outcome === undefined ? [] : [callOf(outcome)],
})

const orders: Readonly<Record<string, Known | undefined>> = {
  'not in the journal': undefined,
  creating: knownOf('creating'),
  'void: refused': knownOf('void', { voidReason: 'refused' }),
  'void: lost': knownOf('void', { voidReason: 'lost' }),
  'void: stranger': knownOf('void', { voidReason: 'stranger' }),
  'void: expired': knownOf('void', { voidReason: 'expired' }),
  'void: not-spent': knownOf('void', { voidReason: 'not-spent' }, 'unknown'),
  pending: knownOf('pending'),
  'pending, of a batch': knownOf('pending', { batch: 1, slot: 1 }),
  'pending, created elsewhere': knownOf('pending', { request: undefined }),
  confirming: knownOf('confirming', {}, 'unknown'),
  doubtful: knownOf('doubtful', {}, 'refused'),
  confirmed: knownOf('confirmed', {}, 'done'),
  'confirmed, successful': knownOf('confirmed', { result: 'successful' }, 'done'),
  'confirmed, failed': knownOf('confirmed', { result: 'failed' }, 'done'),
}

const states = [
  'created',
  'confirmed',
  'processing',
  'successful',
  'partial',
  'failed',
  'rejected',
  'new',
  'on_hold',
]
const responses = [...states, 'stranger', 'forgotten', 'unreachable', 'none']
const redeems: Readonly<Record<string, unknown>> = {
  'no cards': {},
  'a link': {
    A: { redeemPin: [''], redeemLink: 'https://redeem.example/', currency: 'USD', value: decimal('25') },
  },
  codes: { A: { redeemPin: ['7788-1122'], redeemLink: '', currency: 'USD', value: decimal('25') } },
}
const times: Readonly<Record<string, number>> = {
  valid: createdAt + minute,
  expired: createdAt + 11 * minute,
  'both expiries over': createdAt + 2 * 24 * 60 * minute,
}
const dates = ['with Date', 'without Date']

const dimensions = { codes: Object.keys(redeems), when: Object.keys(times), date: dates } as const
type Situation = { readonly [Name in keyof typeof dimensions]: string }

export const respond = (kind: string, { codes, when, date }: Situation): Outcome<Order> | undefined => {
  if (kind === 'none') return undefined
  const serverTime = date === 'with Date' ? times[when] : undefined
  if (kind === 'forgotten')
    return { kind: 'refused', status: 404, message: 'Not Found', refusal: 'order-not-found', serverTime }
  if (kind === 'unreachable') return { kind: 'not-sent', reason: 'connection refused' }
  const seconds = { _seconds: createdAt / 1000, _nanoseconds: 0 }
  const data = {
    ...{
      uid: 'ord_1',
      state: kind === 'stranger' ? 'successful' : kind,
      products: new Map([['A', { sku: 'A', request: { quote: decimal('25'), quantity: 1 } }]]),
      exchangeRates: [],
    },
    ...{ createdDate: seconds, modifiedDate: seconds, reference: kind === 'stranger' ? 'r2' : 'r1' },
    invoice: { total: decimal('25'), wallet: 'USD', records: [], paymentMethod: 'balance', status: 'paid' },
    redeem: new Map(Object.entries(redeems[codes] as object)),
  }
  return { kind: 'done', data: data as unknown as Order, message: '', serverTime }
}

const describe = (known: Known | undefined, kind: string, situation: Situation): string => {
  const response = respond(kind, situation)
  const now = times[situation.when] ?? 0
  const view = (wants: 'shown' | 'confirmed' | 'final'): OrderView =>
    viewOrder(known, response, { now, serviceNow: response?.serverTime, wants })
  const { money, progress, reading, wait, provenAt, next, vanished, duplicates } = view('final')
  const exits = (['shown', 'confirmed', 'final'] as const).map((wants) => exitCodes[view(wants).exit].code)
  const proof = provenAt === undefined ? '' : ', proof possible'
  const lost = vanished + duplicates === 0 ? '' : `, ${vanished} vanished and ${duplicates} duplicate`
  return [money, progress, reading, wait, exits.join(' '), `${next}${proof}${lost}`]
    .map((cell) => cell.padEnd(12))
    .join('  ')
}

type Row = readonly [when: string, result: string]

/** Splits by the first dimension that matters, and joins the values with equal results. */
const join = (
  judge: (situation: Situation) => string,
  names: readonly (keyof Situation)[],
  fixed: Partial<Situation>,
): Row[] => {
  const [name, ...rest] = names
  if (name === undefined) return [['', judge(fixed as Situation)]]
  const byValue = dimensions[name].map(
    (value) => [value, join(judge, rest, { ...fixed, [name]: value })] as const,
  )
  const groups = [...Map.groupBy(byValue, ([, rows]) => JSON.stringify(rows)).values()]
  return groups.flatMap((group) => {
    const values = groups.length === 1 ? '' : group.map(([value]) => value).join(' or ')
    return (group[0]?.[1] ?? []).map(
      ([when, result]): Row => [[values, when].filter(Boolean).join(', '), result],
    )
  })
}

const listRows = (known: Known | undefined): string[] => {
  const judged = responses.map((kind) => {
    const rows = join((situation) => describe(known, kind, situation), ['codes', 'when', 'date'], {})
    return [kind, rows] as const
  })
  const groups = [...Map.groupBy(judged, ([, rows]) => JSON.stringify(rows)).values()]
  return groups.flatMap((group) => {
    const kinds = group.map(([kind]) => kind).join(', ')
    return (group[0]?.[1] ?? []).map(([when, result]) =>
      `  ${result}  ${kinds}${when === '' ? '' : `: ${when}`}`.trimEnd(),
    )
  })
}

/** A section for each set of orders that share rows. */
export const writeViewTable = (): string => {
  const rows = Object.entries(orders).flatMap(([title, known]) =>
    listRows(known).map((row) => [row, title] as const),
  )
  const titles = [...Map.groupBy(rows, ([row]) => row)].map(
    ([row, same]) => [row, same.map(([, title]) => title).join('; ')] as const,
  )
  return [...Map.groupBy(titles, ([, all]) => all)]
    .map(([all, same]) => `${all}\n${same.map(([row]) => `${row}\n`).join('')}`)
    .join('\n')
}
