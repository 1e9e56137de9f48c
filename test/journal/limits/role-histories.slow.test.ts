// Random histories of limits and confirms by three roles of a team, compared with a plain model of what is allowed.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { getAccountId } from '../../../src/contract/account-id.ts'
import type { Journal } from '../../../src/journal/journal.ts'
import { removeLimit, setLimit } from '../../../src/journal/limits.ts'
import type { ConfirmEnd } from '../../../src/journal/orders/apply.ts'
import { isFullRun } from '../../support/cases.ts'
import { openTeam } from '../../support/postgres/team.ts'
import { callsOf, confirmIntent, owner } from '../order-desk.ts'

const kinds = ['day', 'order', 'approval', 'prepare-only'] as const
type Kind = (typeof kinds)[number]
const roles = ['ana', 'mia', 'ben'] as const
type Role = (typeof roles)[number]
type Outcome = ConfirmEnd['outcome']

const drawnRole = fc.constantFrom(...roles)
const step = fc.oneof(
  fc.record({
    kind: fc.constantFrom(...kinds),
    /** Undefined for a limit of the account. */
    role: fc.option(drawnRole, { nil: undefined }),
    /** Undefined to remove it. */
    amount: fc.option(fc.constantFrom(15, 30, 60, 90), { nil: undefined }),
  }),
  fc.record({
    by: drawnRole,
    /** The order n costs n · 10 USD. */
    order: fc.integer({ min: 1, max: 5 }),
    outcome: fc.constantFrom<Outcome>('done', 'done', 'refused', 'not-sent', 'unknown'),
  }),
)
type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never

/** The model: limits by role and kind, and the confirms of each order by their roles and outcomes. */
const createModel = () => {
  const limits = new Map<string, number>()
  const confirms = new Map<number, { readonly by: Role; readonly outcome: Outcome }[]>()
  /** Those that may have spent. */
  const listSpending = (order: number) =>
    (confirms.get(order) ?? []).filter(({ outcome }) => outcome !== 'not-sent')
  const addUp = (except: number, role: Role | undefined): number =>
    [...confirms.keys()]
      .filter((order) => order !== except)
      .filter((order) => listSpending(order).some(({ by }) => role === undefined || by === role))
      .reduce((sum, order) => sum + order * 10, 0)
  const judge = (by: Role, order: number): string => {
    const find = (kind: Kind, role: Role | undefined): number => limits.get(`${role} ${kind}`) ?? 1_000
    const last = listSpending(order).at(-1)?.outcome
    if (last === 'done') return 'confirmed'
    if (last === 'unknown') return 'open'
    if (limits.has(`${by} prepare-only`)) return 'prepare-only'
    const both = [undefined, by]
    if (both.some((role) => order * 10 > find('approval', role))) return 'not-approved'
    const isOver = (role: Role | undefined) =>
      order * 10 > find('order', role) || order * 10 + addUp(order, role) > find('day', role)
    return both.some(isOver) ? 'over-limit' : 'started'
  }
  return { limits, confirms, judge }
}

const openAll = async () => {
  const team = await openTeam('mia', 'ben')
  const journals = new Map<Role, Journal>()
  for (const role of roles) journals.set(role, await team.openAs(role))
  let histories = 0
  /** Each history has an account of its own. */
  const play = async (steps: readonly Step[]): Promise<void> => {
    histories += 1
    const origin = `https://orders-${histories}.example`
    const account = getAccountId(origin)
    const { limits, confirms, judge } = createModel()
    const journalOf = (role: Role) => journals.get(role) as Journal
    const change = async ({ kind, role, amount }: Extract<Step, { readonly kind: Kind }>) => {
      if (kind === 'prepare-only' && role === undefined) return
      const forRole = role && team.nameOf(role)
      const limit = { kind, currency: kind === 'prepare-only' ? '' : 'USD', forRole }
      if (amount === undefined) limits.delete(`${role} ${kind}`)
      else limits.set(`${role} ${kind}`, amount)
      if (amount === undefined) await removeLimit(journalOf('ana'), account, limit)
      else await setLimit(journalOf('ana'), account, { ...limit, amount: String(amount) })
    }
    const confirm = async ({ by, order, outcome }: Extract<Step, { readonly by: Role }>) => {
      const reference = `h${histories}-${order}`
      const intent = confirmIntent(reference, {
        ...{ ...owner, origin, account, reference, total: String(order * 10) },
        counts: BigInt(order) * 10_000_000n,
      })
      const begun = await callsOf(journalOf(by)).beginConfirm(intent)
      expect({ by, order, kind: begun.kind }).toEqual({ by, order, kind: judge(by, order) })
      const limit = limits.get(`${by} approval`) ?? 1_000
      if (
        confirms.has(order) &&
        (begun.kind === 'prepare-only' || (begun.kind === 'not-approved' && order * 10 > limit))
      )
        await expect(
          team.runAs(by, `UPDATE orders SET standing = 'confirming' WHERE order_id = '${reference}'`),
        ).rejects.toThrow('forbids this')
      if (begun.kind !== 'started') return
      confirms.set(order, [...(confirms.get(order) ?? []), { by, outcome }])
      await callsOf(journalOf(by)).endConfirm(begun, { outcome }, 2_100)
    }
    for (const each of steps) await ('kind' in each ? change(each) : confirm(each))
  }
  return play
}

const numRuns = isFullRun ? 2_000 : 200

test('each confirm is allowed exactly if the limits of its role and account allow it', {
  timeout: 600_000,
}, async () => {
  const play = await openAll()
  const steps = fc.array(step, { minLength: 8, maxLength: 24 })
  await fc.assert(fc.asyncProperty(steps, play), isFullRun ? { numRuns } : { numRuns, seed: 44 })
})
