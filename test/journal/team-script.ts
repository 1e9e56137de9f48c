// The steps of a script (script.ts) for a team in PostgreSQL. A step begins with the role that runs it. Ana owns the tables.
import { expect, test } from 'vitest'
import { getAccountId } from '../../src/contract/account-id.ts'
import { decimal } from '../../src/contract/money/decimal.ts'
import {
  listRequested,
  readApproval,
  recordApproval,
  requestApproval,
} from '../../src/journal/batches/approvals.ts'
import { getBatch, recordStart } from '../../src/journal/batches/batches.ts'
import type { Journal } from '../../src/journal/journal.ts'
import { type NewLimit, readApprovedCaps, setLimit } from '../../src/journal/limits.ts'
import { mayRun } from '../../src/operations/approval.ts'
import { openTeam } from '../support/postgres/team.ts'
import { readScripts, runScript, runStep, type Step, type Verbs } from '../support/steps.ts'
import { createBatchVerbs } from './batches/batch-script.ts'
import { bindTo } from './journals.ts'
import { owner } from './order-desk.ts'

type Team = Awaited<ReturnType<typeof openTeam>>

const dayMs = 24 * 60 * 60 * 1000

const createRoleVerbs = (team: Team, journal: Journal, role: string): Verbs => {
  const common = createBatchVerbs({
    ...{ journal, address: team.address(role), query: (sql) => team.admin(sql), close: async () => {} },
    damage: () => Promise.reject(new Error('not by a role')),
  })
  const functions = { ...{ ask: requestApproval, approve: recordApproval, listRequested }, readApproval }
  const batches = bindTo(journal, { ...functions, getBatch, readApprovedCaps })
  const numberOf = ({ fields: { batch = '1' } }: Step): number => Number(batch)
  const readState = async (step: Step) => {
    const batch = await batches.getBatch(numberOf(step))
    return batch && { batch, state: await batches.readApproval(batch) }
  }
  return {
    ...common,
    limit: ({
      words: [kind, amount = '0', currency = 'USD'],
      fields: { for: limited, origin = owner.origin },
    }) =>
      setLimit(journal, getAccountId(origin), {
        ...{ kind, amount, currency: kind === 'prepare-only' ? '' : currency },
        ...(limited && { forRole: team.nameOf(limited) }),
      } as NewLimit),
    start: async (step) => {
      const { cap: maxTotal = '1000000' } = step.fields
      const { batch, state } = (await readState(step)) ?? {}
      if (batch === undefined || state === undefined) return 'no batch'
      if (!mayRun(decimal(maxTotal), state)) return 'no approval'
      return (await recordStart(journal, batch, { maxTotal, at: 200 })) ? '' : 'not started'
    },
    ask: (step) => batches.ask(numberOf(step), { planId: planOf(step), cap: step.words[0] ?? '' }),
    approve: async (step) => {
      const { forMs = String(dayMs) } = step.fields
      const approval = { planId: planOf(step), cap: step.words[0] ?? '', forMs: Number(forMs) }
      const { kind } = await batches.approve(numberOf(step), { ...approval, isGenuine: () => true })
      return kind === 'approved' ? '' : kind
    },
    approval: async (step) => {
      const found = (await readState(step))?.state
      if (found === undefined) return 'no batch'
      const { limits, plannedBy, request, approvals, cannotApprove } = found
      return [
        ...limits.map((limit) => `limit ${limit}`),
        `planned by ${plannedBy}`,
        request && `asked ${request.cap} by ${request.role}`,
        ...approvals.map((each) => `${each.isValid ? 'approved' : 'expired'} ${each.cap} by ${each.role}`),
        cannotApprove && 'cannot approve',
      ]
        .filter(Boolean)
        .join(', ')
    },
    caps: async (step) => (await batches.readApprovedCaps(numberOf(step))).join(', '),
    requested: async ({ fields: { profile } }) => (await batches.listRequested(profile)).join(' '),
  }
}

const planOf = ({ fields: { plan = 'bat_0123456789abcdef' } }: Step): string => plan

/** Each script has a new team of ana and these roles. */
export const testTeam = (others: readonly string[], texts: string): void => {
  test.each(readScripts(texts))('%s', async (_title, text) => {
    const team = await openTeam(...others)
    const roles = ['ana', ...others]
    const verbs: Record<string, Verbs[string]> = { approvals: team.expireApprovals }
    for (const role of roles) {
      const own = createRoleVerbs(team, await team.openAs(role), role)
      verbs[role] = async (step) => {
        const [, result = ''] = (await runStep(own, step.text)).split(' → ')
        return roles.reduce((found, each) => found.replaceAll(team.nameOf(each), each), result)
      }
    }
    expect(await runScript(verbs, text)).toBe(text)
  })
}
