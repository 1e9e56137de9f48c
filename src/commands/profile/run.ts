// orderctl profile: the accounts that this machine knows.
import type { Context } from '../../context.ts'
import { authText } from '../../contract/auth.ts'
import { violationText } from '../../contract/violations.ts'
import { Failure } from '../../errors.ts'
import { readFailure } from '../../operations/failure-of.ts'
import { interruption } from '../../operations/read.ts'
import { cleanKey } from '../../profiles/key.ts'
import { type Credential, checkProfile, type Profile, sandbox } from '../../profiles/profile.ts'
import { unknownProfile, waysToUse } from '../../profiles/store.ts'
import { type ProfileRow, profilesText, profileText } from '../../ui/screens/profiles.ts'
import { safeText } from '../../ui/terminal/safe-text.ts'
import { jsonText } from '../../ui/text/json.ts'
import { readProductFile } from '../shared/product-file.ts'
import { profileInUse } from '../shared/profile-in-use.ts'
import { profilesOf } from '../shared/profiles-of.ts'
import { readInput } from '../shared/read-input.ts'
import { canAsk, openSession, type SessionFlags, sayWhere } from '../shared/session.ts'
import { viewOf } from '../shared/view-of.ts'

type Flags = { readonly json?: boolean }

export type AddFlags = Flags & {
  readonly baseUrl?: string
  readonly account?: string
  readonly wallet?: string
  readonly products?: string
  readonly auth?: string
  readonly keyStdin?: boolean
  readonly keyFile?: string
  readonly credentialCommand?: string
  readonly allowHttp?: boolean
  readonly replace?: boolean
  readonly use?: boolean
  readonly input: boolean
}

export const addProfile = async (context: Context, name: string, flags: AddFlags): Promise<number> => {
  const asks = flags.json !== true && canAsk(context, flags)
  const given = [flags.keyStdin, flags.keyFile, flags.credentialCommand].filter((each) => each !== undefined)
  if (given.length > 1) {
    throw new Failure(
      'usage',
      'the key comes from one place: --key-stdin, --key-file or --credential-command',
      {
        fix: 'orderctl profile add --help',
      },
    )
  }
  const missing = (flag: string): Failure =>
    new Failure('usage', `${flag} is missing`, { field: flag, fix: 'orderctl profile add --help' })
  const baseUrl =
    flags.baseUrl ?? (asks ? answered(context, await context.prompt('Base address (https://…)')) : undefined)
  if (baseUrl === undefined) throw missing('--base-url')
  const { account, wallet, auth, allowHttp } = flags
  // All that is wrong before a key is asked for.
  const products = flags.products === undefined ? undefined : context.absolute(flags.products)
  const { profile } = checked({ name, baseUrl, account, wallet, products, auth, allowHttp })
  if (products !== undefined) await readProductFile(context, products)
  const credential = await credentialOf(context, profile, flags, asks)
  if (credential === undefined) throw missing('--key-stdin, --key-file or --credential-command')
  const profiles = profilesOf(context)
  await profiles.add({ ...profile, credential }, { replace: flags.replace === true })
  if (flags.use === true) await profiles.use(name)
  const current = profiles.current()?.name
  await showRow(context, rowOf({ ...profile, credential }, current), flags)
  if (current !== name && flags.json !== true) {
    const kept = current === undefined ? 'No profile is in use' : `The profile ${current} stays in use`
    context.stderr.write(`${kept}. To use this one: orderctl profile use ${name}\n`)
  }
  return 0
}

const showRow = async (context: Context, row: ProfileRow, { json }: Flags): Promise<void> => {
  const sold = row.products === undefined || json === true ? undefined : await soldBy(context, row.products)
  context.stdout.write(json === true ? jsonText(row) : profileText({ ...row, sold }, viewOf(context)))
}

/** How many, or why nobody knows. */
const soldBy = (context: Context, file: string): Promise<string> =>
  readProductFile(context, file).then(
    ({ length }) => `${length} ${length === 1 ? 'product' : 'products'} in ${file}`,
    (error: Error) => error.message,
  )

/** Whoever leaves a question wants to be out of it. */
const answered = ({ interrupted }: Context, answer: string | undefined): string => {
  if (answer !== undefined) return answer
  throw interruption(interrupted, 'nothing was added')
}

const checked = (input: Parameters<typeof checkProfile>[0]): { profile: Profile } => {
  const result = checkProfile(input)
  if ('profile' in result) return result
  throw new Failure('usage', 'the profile is not valid', {
    violations: result.violations.map(violationText),
    fix: 'orderctl profile add --help',
  })
}

const credentialOf = async (
  context: Context,
  profile: Profile,
  { keyStdin, keyFile, credentialCommand }: AddFlags,
  asks: boolean,
): Promise<Credential | undefined> => {
  if (credentialCommand !== undefined) return { kind: 'command', command: credentialCommand }
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
  const key = keyStdin
    ? text(await readInput(context, '-', 'the key'))
    : keyFile !== undefined
      ? text(await readInput(context, keyFile, 'the key'))
      : asks
        ? answered(context, await context.promptSecret('Key (not shown)'))
        : undefined
  return key === undefined ? undefined : { kind: 'key', key: cleanKey(key, profile.auth, 'the key') }
}

const sandboxRow = (current: string | undefined): ProfileRow => ({
  name: sandbox,
  current: current === sandbox,
  builtIn: true,
  credential: 'none needed',
})

/** Never the key itself, nor the command, which may hold one. */
const rowOf = (profile: Profile, current: string | undefined): ProfileRow => ({
  name: profile.name,
  current: profile.name === current,
  builtIn: false,
  baseUrl: profile.baseUrl,
  ...(profile.account === undefined ? {} : { account: profile.account }),
  auth: authText(profile.auth),
  ...(profile.wallet === undefined ? {} : { wallet: profile.wallet }),
  ...(profile.products === undefined ? {} : { products: profile.products }),
  credential:
    profile.credential === undefined
      ? 'none'
      : profile.credential.kind === 'key'
        ? 'key, kept here'
        : 'command, run when needed',
})

export const listProfiles = async (context: Context, { json }: Flags): Promise<number> => {
  const profiles = profilesOf(context)
  const current = await profileInUse(context, profiles)
  const all = profiles.list()
  const rows = [sandboxRow(current), ...all.map((profile) => rowOf(profile, current))]
  context.stdout.write(json === true ? jsonText(rows) : profilesText(rows, viewOf(context)))
  if (current === undefined && json !== true) sayNoneInUse(context, all)
  return 0
}

const sayNoneInUse = ({ stderr }: Context, profiles: readonly Profile[]): void =>
  stderr.write(`No profile is in use. To use one: ${waysToUse(profiles)}\n`)

export const showProfile = async (
  context: Context,
  name: string | undefined,
  flags: Flags,
): Promise<number> => {
  const profiles = profilesOf(context)
  const current = await profileInUse(context, profiles)
  const wanted = name ?? current
  if (wanted === undefined) {
    if (flags.json === true) context.stdout.write(jsonText(null))
    else sayNoneInUse(context, profiles.list())
    return 0
  }
  const profile = wanted === sandbox ? undefined : profiles.get(wanted)
  if (wanted !== sandbox && profile === undefined) throw unknownProfile(wanted, profiles.list())
  await showRow(context, profile === undefined ? sandboxRow(current) : rowOf(profile, current), flags)
  return 0
}

export const useProfile = async (context: Context, name: string, { json }: Flags): Promise<number> => {
  await profilesOf(context).use(name)
  if (json === true) context.stdout.write(jsonText({ name, current: true }))
  else context.stderr.write(`The profile ${name} is now in use\n`)
  return 0
}

export const removeProfile = async (context: Context, name: string, { json }: Flags): Promise<number> => {
  const profiles = profilesOf(context)
  const { wasCurrent } = await profiles.remove(name)
  if (json === true) {
    const current = profiles.current()?.name ?? null
    context.stdout.write(jsonText({ name, removed: true, current }))
    return 0
  }
  context.stderr.write(`The profile ${name} was removed\n`)
  if (wasCurrent) sayNoneInUse(context, profiles.list())
  return 0
}

// No order has it; whoever may ask is told so.
const nobodysOrder = 'orderctl-profile-test'

/** One get of an order that nobody has: the answer says whether address and key work. */
export const testProfile = async (
  context: Context,
  name: string | undefined,
  flags: SessionFlags,
): Promise<number> => {
  const session = await openSession(context, { ...flags, ...(name === undefined ? {} : { profile: name }) })
  try {
    sayWhere(context, session.account)
    const { end } = session.waiting.begin(() => 'asking the address')
    const outcome = await session.api.get(nobodysOrder, { signal: context.interrupted }).finally(end)
    const isReached =
      outcome.kind === 'done' || (outcome.kind === 'refused' && outcome.refusal !== 'credentials')
    if (!isReached) throw readFailure(outcome)
    // Spec silent on get's errors: a 404 may be the service's or a wrong address's, so it is shown as it came.
    const said = outcome.kind === 'refused' ? `${outcome.status} ${outcome.message}`.trim() : '200'
    const result = {
      profile: session.account.name,
      address: 'answers',
      credentials: 'not refused',
      answer: said,
    }
    context.stdout.write(
      flags.json === true
        ? jsonText(result)
        : `ok: the address answers, and the key was not refused (${safeText(said)}, for an order that nobody has)\n`,
    )
    return 0
  } finally {
    await session.close()
  }
}
