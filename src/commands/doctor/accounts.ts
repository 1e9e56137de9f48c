// The checks of each account over the network: reachable, key accepted, clock, certificate, and its proxy.
import { createApi } from '../../client/api.ts'
import { readCertificateEnd } from '../../client/certificate.ts'
import { withCredentials } from '../../client/credentials.ts'
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { type Account, resolveAccount } from '../../profiles/account.ts'
import { runCredentialCommand } from '../../profiles/credential.ts'
import { environmentName, type Profile } from '../../profiles/profile.ts'
import type { Check } from '../../ui/screens/doctor.ts'
import { findOtherProfiles } from '../shared/journal/other-profiles.ts'
import { chooseJournal } from '../shared/journal/place.ts'
import { refuseOtherJournal } from '../shared/journal/shared-place.ts'
import { judgeProbe, probeAccount } from '../shared/probe-account.ts'
import { checkProducts, describeCertificate, describeClock } from './account-details.ts'
import { attempt, attemptWithin, fromError, ok, problem, warning, withTimeLimit } from './check.ts'
import { withoutPrompts } from './without-prompts.ts'

export type AccountOptions = { readonly timeoutMs: number; readonly allowHttp: boolean }

type ServiceAccount = Account & { readonly kind: 'service' }

/** All at the same time. */
export const checkAccounts = async (
  context: Context,
  profiles: readonly Profile[],
  options: AccountOptions,
): Promise<readonly Check[]> => {
  const names = [
    ...(context.environment.ORDERCTL_BASE_URL === undefined ? [] : [undefined]),
    ...profiles.map(({ name }) => name),
  ]
  const checks = names.map((name) =>
    attemptWithin(context, { name: name ?? environmentName, timeoutMs: options.timeoutMs }, (signal) =>
      checkAccount(context, { ...options, profiles, name, signal }),
    ),
  )
  return (await Promise.all(checks)).flat()
}

type Work = AccountOptions & {
  readonly profiles: readonly Profile[]
  /** Undefined for the account of the environment. */
  readonly name: string | undefined
  readonly signal: AbortSignal
}

const checkAccount = async (context: Context, work: Work): Promise<readonly Check[]> => {
  const { name = environmentName, signal } = work
  const warnings: Check[] = []
  const own = withoutPrompts(context, {
    signal,
    onWarning: (text) => void warnings.push(warning(name, text)),
  })
  const account = findAccount(own, work)
  if (account.kind === 'sandbox') return []
  const { clock, environment } = own
  const startedAt = clock.monotonic()
  const key = await account.getKey().catch((error: unknown) => {
    warnings.push(fromError(`${name} key`, error))
    return undefined
  })
  // They end before the whole check does, so that it reports how each of them ended.
  const leftMs = work.timeoutMs * 0.9 - (clock.monotonic() - startedAt)
  const limitMs = Math.max(1, leftMs > 100 ? Math.floor(leftMs / 100) * 100 : Math.floor(leftMs))
  const [answer, certificate] = await Promise.all([
    askService(own, account, key, { signal, timeoutMs: limitMs }),
    withTimeLimit(clock, limitMs, signal, async (limited) => {
      const end = await readCertificateEnd(account.baseUrl, { environment, signal: limited })
      const here = { now: clock.now(), timeZone: own.timeZone }
      return end === undefined ? [] : [describeCertificate(`${name} certificate`, end, here)]
    }),
  ])
  const products = await checkProducts(own, account)
  const journal = attempt(`${name} journal`, () => {
    refuseOtherJournal(own, account, chooseJournal(own, account), findOtherProfiles(work.profiles, account))
    return []
  })
  return [...answer, ...warnings, ...certificate, ...products, ...journal]
}

const findAccount = (context: Context, { profiles, name, allowHttp, signal, timeoutMs }: Work): Account => {
  const { environment, clock, shell, stderr } = context
  const ORDERCTL_PROFILE = undefined
  return resolveAccount({
    // ORDERCTL_PROFILE selects a profile, and each profile is checked anyway.
    environment: name === undefined ? { ...environment, ORDERCTL_PROFILE } : environment,
    profileName: name,
    isChosenHere: true,
    allowHttp,
    needsKey: false,
    profiles: () => ({
      list: () => profiles,
      get: (wanted) => profiles.find((each) => each.name === wanted),
      current: () => undefined,
    }),
    runCommand: (line) =>
      // The service is asked after it, in the rest of the time.
      runCredentialCommand(line, { spawn: shell, clock, interrupted: signal, timeoutMs: timeoutMs / 2 }),
    onWarning: (text) => stderr.write(text),
  })
}

/** Without a key, the answer still shows if the service can be reached. */
const askService = async (
  { clock, random, environment, openNetwork, version }: Context,
  { name, baseUrl, auth, allowHttp }: ServiceAccount,
  key: string | undefined,
  { timeoutMs, signal }: Pick<Work, 'timeoutMs' | 'signal'>,
): Promise<readonly Check[]> => {
  const userAgent = `orderctl/${version}`
  const network = await openNetwork({ baseUrl, allowHttp, environment, userAgent })
  try {
    const transport = key === undefined ? network : withCredentials(network, auth, key)
    const outcome = await probeAccount(createApi(transport, { clock, random, timeoutMs }), signal)
    const now = clock.now()
    const answer = judgeProbe(outcome)
    const isRejected = answer instanceof Failure && answer.kind === 'credentials'
    if (answer instanceof Failure && !isRejected) return [describeUnreached(name, baseUrl, answer)]
    const accepted = describeKey(name, answer, key !== undefined)
    return [
      ok(name, `${baseUrl} answers`),
      ...(accepted === undefined ? [] : [accepted]),
      ...describeClock(name, outcome.serverTime, now),
    ]
  } finally {
    await network.close()
  }
}

const describeUnreached = (name: string, baseUrl: string, { message }: Failure): Check =>
  problem(name, `${baseUrl}: ${message}`, 'Check the network, the base URL and the proxy.')

const describeKey = (name: string, answer: string | Failure, hasKey: boolean): Check | undefined => {
  if (!hasKey) return undefined
  if (!(answer instanceof Failure)) return ok(`${name} key`, `not refused (${answer})`)
  const fix =
    name === environmentName
      ? 'Set ORDERCTL_API_KEY to a valid key.'
      : `Save a valid key: orderctl profile add ${name} --replace`
  return problem(`${name} key`, answer.message, fix)
}
