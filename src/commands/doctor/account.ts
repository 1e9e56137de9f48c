// The check of an account over the network: reachable, key accepted, clock and journal.

import { accountOf, openNetworkOf } from '../../app/account.ts'
import {
  attempt,
  type Found,
  fromError,
  judgeClock,
  named,
  ok,
  problem,
  warning,
} from '../../app/checks/check.ts'
import { withMachine } from '../../app/checks/journal-checks.ts'
import { probeAccount } from '../../app/checks/probe-account.ts'
import { chooseJournal, describeJournal, ownerOf, refuseOtherJournal } from '../../app/journal/place.ts'
import { findOtherProfiles } from '../../app/profiles.ts'
import { createApi } from '../../client/api.ts'
import { withCredentials } from '../../client/credentials.ts'
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { findConflictByPlace } from '../../journal/machine/newest-call.ts'
import { findRefused } from '../../operations/failures/order-failure.ts'
import { environmentName, type Profile } from '../../profiles/profile.ts'
import type { DoctorOptions } from './spec.ts'

export const checkAccount = async (
  context: Context,
  name: string,
  profiles: readonly Profile[],
  { timeout: timeoutMs, allowHttp }: DoctorOptions,
): Promise<readonly Found[]> => {
  const { clock, random, interrupted } = context
  const startedAt = clock.monotonic()
  // ORDERCTL_PROFILE selects a profile, and each profile is checked anyway.
  const profile = name === environmentName ? undefined : name
  const { ORDERCTL_PROFILE: _, ...others } = context.environment
  const own = profile === undefined ? { ...context, environment: others } : context
  const account = await accountOf(
    own,
    { profile, allowHttp },
    // The service is asked after the command, in the rest of the time.
    { needsKey: false, isChosenHere: true, commandMs: timeoutMs / 2 },
  )
  if (account.kind === 'sandbox') return []
  const { baseUrl, auth } = account
  const key = await account.getKey().catch(fromError)
  // The call ends before the whole check does, so that it reports how it ended.
  const leftMs = Math.floor((timeoutMs * 0.9 - (clock.monotonic() - startedAt)) / 100) * 100
  const api = { clock, random, timeoutMs: Math.max(1, leftMs) }
  const network = await openNetworkOf(own, account)
  // Without a key, the response still shows if the service can be reached.
  const transport = typeof key === 'string' ? withCredentials(network, auth, key) : network
  const { response, serverTime } = await probeAccount(createApi(transport, api), name, interrupted).finally(
    network.close,
  )
  const keyFound = judgeKey(name, key, response)
  const clockFound =
    serverTime === undefined ? undefined : judgeClock(clock.now() - serverTime, "the service's")
  return [
    judgeAddress(baseUrl, response),
    ...(keyFound === undefined ? [] : [named(`${name} key`, keyFound)]),
    ...(clockFound === undefined ? [] : [named(`${name} clock`, clockFound)]),
    await attempt(`${name} journal`, async () => {
      const place = chooseJournal(context, account)
      refuseOtherJournal(context, account, place, findOtherProfiles(profiles, account))
      const { account: id } = ownerOf(account)
      const conflict = await withMachine(context, (machine) =>
        findConflictByPlace({ machine, account: id, ...describeJournal(context, place) }),
      )
      if (conflict !== undefined) throw conflict
      return ok('the one in which the account keeps its orders')
    }),
  ]
}

const judgeAddress = (baseUrl: string, response: string | Failure): Found => {
  if (!(response instanceof Failure) || response.kind === 'credentials') return ok(`${baseUrl} responds`)
  const { message, details } = response
  const judge = findRefused(response, 'get')?.refusal === undefined ? problem : warning
  return judge(`${baseUrl}: ${message}`, details)
}

/** Undefined if the service did not say. */
const judgeKey = (name: string, key: string | Found, response: string | Failure): Found | undefined => {
  if (typeof key !== 'string') return key
  if (!(response instanceof Failure)) return ok(`not refused (${response})`)
  if (response.kind !== 'credentials') return undefined
  if (name === environmentName)
    return problem(response.message, { advice: 'Set ORDERCTL_API_KEY to a valid key.' })
  return problem(response.message, { fix: (suggest) => suggest`profile set ${name} --key-stdin` })
}
