// The checks of each account over the network: reachable, key accepted, clock and journal.
import { createApi } from '../../client/api.ts'
import { withCredentials } from '../../client/credentials.ts'
import type { Context } from '../../context.ts'
import { formatDuration } from '../../contract/duration.ts'
import { Failure } from '../../errors.ts'
import type { Account } from '../../profiles/account.ts'
import { environmentName, type Profile } from '../../profiles/profile.ts'
import type { Suggest } from '../../text/suggest.ts'
import {
  attempt,
  type Check,
  type Found,
  fromError,
  named,
  ok,
  problem,
  warning,
} from '../shared/checks/check.ts'
import { clockToleranceMs, describeAhead } from '../shared/clock-warning.ts'
import { findOtherProfiles } from '../shared/journal/other-profiles.ts'
import { chooseJournal } from '../shared/journal/place.ts'
import { refuseOtherJournal } from '../shared/journal/shared-place.ts'
import { judgeProbe, probeAccount } from '../shared/probe-account.ts'
import { accountOf } from '../shared/session.ts'

export type AccountOptions = { readonly timeoutMs: number; readonly allowHttp: boolean }

type ServiceAccount = Account & { readonly kind: 'service' }

/** One check for each account, so that each has its own time. */
export const listAccountChecks = (
  { environment }: Context,
  profiles: readonly Profile[],
  options: AccountOptions,
): readonly Check[] => {
  const names = profiles.map(({ name }) => name)
  const all = environment.ORDERCTL_BASE_URL === undefined ? names : [environmentName, ...names]
  return all.map((name) => ({
    ...{ group: 'Profiles', name, needsNetwork: true },
    find: (context) => checkAccount(context, name, { ...options, profiles }),
  }))
}

type Work = AccountOptions & { readonly profiles: readonly Profile[] }

const checkAccount = async (
  context: Context,
  name: string,
  { profiles, allowHttp, timeoutMs }: Work,
): Promise<readonly Found[]> => {
  const isEnvironment = name === environmentName
  // ORDERCTL_PROFILE selects a profile, and each profile is checked anyway.
  const environment = isEnvironment
    ? { ...context.environment, ORDERCTL_PROFILE: undefined }
    : context.environment
  const account = await accountOf(
    { ...context, environment },
    { profile: isEnvironment ? undefined : name, allowHttp },
    // The service is asked after the command, in the rest of the time.
    { needsKey: false, isChosenHere: true, commandMs: timeoutMs / 2 },
  )
  if (account.kind === 'sandbox') return []
  const { monotonic } = context.clock
  const startedAt = monotonic()
  let key: string | undefined
  const failed = await account.getKey().then(
    (found) => {
      key = found
      return []
    },
    (error: unknown) => [named(`${name} key`, fromError(error))],
  )
  // The call ends before the whole check does, so that it reports how it ended.
  const leftMs = Math.max(1, Math.floor((timeoutMs * 0.9 - (monotonic() - startedAt)) / 100) * 100)
  const others = findOtherProfiles(profiles, account)
  const journal = await attempt(`${name} journal`, () => {
    refuseOtherJournal(context, account, chooseJournal(context, account), others)
    return ok('the one in which the account keeps its orders')
  })
  return [...(await askService(context, account, key, leftMs)), ...failed, journal]
}

const unreachedFix =
  'Check the network, the base URL and the proxy. If a private authority signed its certificate, set NODE_EXTRA_CA_CERTS to the certificate of that authority.'

/** Without a key, the response still shows if the service can be reached. */
const askService = async (
  { clock, random, environment, openNetwork, version, interrupted }: Context,
  { name, baseUrl, auth, allowHttp }: ServiceAccount,
  key: string | undefined,
  timeoutMs: number,
): Promise<readonly Found[]> => {
  const userAgent = `orderctl/${version}`
  const network = await openNetwork({ baseUrl, allowHttp, environment, userAgent })
  try {
    const transport = key === undefined ? network : withCredentials(network, auth, key)
    const outcome = await probeAccount(createApi(transport, { clock, random, timeoutMs }), interrupted)
    const now = clock.now()
    const response = judgeProbe(outcome)
    const isRejected = response instanceof Failure && response.kind === 'credentials'
    if (response instanceof Failure && !isRejected)
      return [problem(`${baseUrl}: ${response.message}`, unreachedFix)]
    return [
      ok(`${baseUrl} answers`),
      ...(key === undefined ? [] : [named(`${name} key`, describeKey(name, response))]),
      named(`${name} clock`, describeClock(outcome.serverTime, now)),
    ]
  } finally {
    await network.close()
  }
}

const describeKey = (name: string, response: string | Failure): Found => {
  if (!(response instanceof Failure)) return ok(`not refused (${response})`)
  const fix =
    name === environmentName
      ? 'Set ORDERCTL_API_KEY to a valid key.'
      : (suggest: Suggest) => `Save a valid key: ${suggest`profile set-key ${name}`}`
  return problem(response.message, fix)
}

const describeClock = (serverTime: number | undefined, now: number): Found => {
  if (serverTime === undefined) return ok('the service does not say its time')
  const aheadMs = now - serverTime
  return Math.abs(aheadMs) <= clockToleranceMs
    ? ok(`within ${formatDuration(clockToleranceMs)} of the service's`)
    : warning(describeAhead(aheadMs, "the service's"), 'Set the clock of this machine.')
}
