// The checks of an account: its service and key, the clock, and the journal that its commands would use.
import {
  accountOf,
  findAccountWithoutKey,
  findOtherProfiles,
  openNetworkOf,
  readProfiles,
} from '../../app/account.ts'
import {
  type Found,
  fromError,
  judgeClock,
  ok,
  openMachineOf,
  problem,
  warning,
} from '../../app/checks/checks.ts'
import { probeAccount } from '../../app/checks/probe-account.ts'
import { chooseJournal, describeJournal, ownerOf, refuseOtherJournal } from '../../app/journal/place.ts'
import { createApi } from '../../client/api.ts'
import { withCredentials } from '../../client/credentials.ts'
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { findConflictByPlace } from '../../journal/machine/newest-call.ts'
import { findRefused } from '../../operations/failures/order-failure.ts'
import { environmentName } from '../../profiles/profile.ts'
import type { DoctorOptions } from './spec.ts'

/** Undefined for the account in the environment. */
const profileOf = (name: string): string | undefined => (name === environmentName ? undefined : name)

export const checkService = async (
  context: Context,
  name: string,
  { timeout: timeoutMs, allowHttp }: DoctorOptions,
): Promise<readonly Found[]> => {
  const { clock, random, interrupted } = context
  const startedAt = clock.monotonic()
  const account = await accountOf(
    context,
    { profile: profileOf(name), allowHttp },
    // The service is asked after the command, in the rest of the time.
    { needsKey: false, isChosenHere: true, commandMs: timeoutMs / 2, onWarning: () => {} },
  )
  if (account.kind === 'sandbox') return []
  const key = await account.getKey()
  // The call ends before the whole check does, so that it reports how it ended.
  const leftMs = Math.floor((timeoutMs * 0.9 - (clock.monotonic() - startedAt)) / 100) * 100
  const network = await openNetworkOf(context, account)
  const transport = withCredentials(network, account.auth, key)
  const api = createApi(transport, { clock, random, timeoutMs: Math.max(1, leftMs) })
  const { response, serverTime } = await probeAccount(api, name, interrupted).finally(network.close)
  const service = judgeResponse(name, account.baseUrl, response)
  if (serverTime === undefined) return [service]
  return [service, { ...judgeClock(clock.now() - serverTime, "the service's"), name: `${name} clock` }]
}

const judgeResponse = (name: string, baseUrl: string, response: string | Failure): Found => {
  if (!(response instanceof Failure))
    return ok(`${baseUrl} responds, and did not refuse the key (${response})`)
  const { kind, message, details } = response
  if (kind === 'credentials')
    return problem(
      message,
      name === environmentName
        ? { advice: 'Set ORDERCTL_API_KEY to a valid key.' }
        : { fix: (suggest) => suggest`profile set ${name} --key-stdin` },
    )
  const judge = findRefused(response, 'get')?.refusal === undefined ? problem : warning
  return judge(`${baseUrl}: ${message}`, details)
}

/** Whether the account keeps its orders in the journal that its commands would use. */
export const checkJournal = async (context: Context, name: string): Promise<Found | readonly Found[]> => {
  const account = await findAccountWithoutKey(context, profileOf(name), { onWarning: () => {} })
  // The check of the service says why.
  if (account === undefined) return []
  const place = chooseJournal(context, account)
  refuseOtherJournal(context, account, place, findOtherProfiles(readProfiles(context), account))
  const here = { account: ownerOf(account).account, ...describeJournal(context, place) }
  using machine = openMachineOf(context)
  const conflict = machine && findConflictByPlace({ machine, ...here })
  return conflict === undefined ? ok('the one in which the account keeps its orders') : fromError(conflict)
}
