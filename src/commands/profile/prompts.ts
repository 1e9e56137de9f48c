// The prompts of profile add and profile set: they ask for what the flags do not give, and test the profile before it is
// saved.
import type { Context } from '../../context.ts'
import { type Auth, defaultAuth, formatAuth, parseAuth } from '../../contract/auth.ts'
import { parseBaseUrl } from '../../contract/base-url.ts'
import { walletForm, walletPattern } from '../../contract/limits.ts'
import { Failure, interruption } from '../../errors.ts'
import type { Profile } from '../../profiles/profile.ts'
import type { Profiles } from '../../profiles/store.ts'
import type { Ask } from '../../ui/prompts/asking.ts'
import { renderFailure } from '../../ui/screens/failure.ts'
import { readProductFile } from '../shared/products/product-list.ts'
import { definedOf, type GivenProfile, validate } from './given-profile.ts'
import { askForKey, hasKey, keepCredential, readCredential } from './key.ts'
import type { KeyOptions } from './spec.ts'
import { testUnsaved } from './test.ts'

type Given = {
  readonly given: GivenProfile
  readonly options: KeyOptions & { readonly name: string | undefined; readonly allowHttp: boolean }
  /** Enter keeps its settings. */
  readonly present: Profile | undefined
  /** Returns the problem with a new name. Without it, the name is that of `present`. */
  readonly checkName?: (text: string) => string | undefined
}

/** A wrong answer is asked for again, so that the key is never pasted into the shell. Throws if the user cancels. */
export const askForProfile = async (context: Context, all: Given): Promise<Profile> => {
  const { given, options, present } = all
  await refuseWrongFlags(context, given)
  const ask = await context.asking()
  const requireAnswer = <Answer>(answer: Answer | undefined): Answer => {
    if (answer !== undefined) return answer
    throw interruption(context.interrupted, 'cancelled; nothing was saved')
  }
  const name = requireAnswer(await chooseName(context, ask, all))
  let earlier = present
  /** After a failed test, the answers of flags are asked for, too. */
  let flags: GivenProfile = given
  for (let hasKeyFlag = hasKey(options); ; hasKeyFlag = false) {
    const baseUrl = flags.baseUrl ?? requireAnswer(await askForBaseUrl(ask, options, earlier))
    const auth = flags.auth ?? requireAnswer(await askForAuth(ask, earlier?.auth))
    const wallet = flags.wallet ?? requireAnswer(await askForWallet(ask, earlier?.wallet))
    const kept = { account: earlier?.account, products: earlier?.products, allowHttp: earlier?.allowHttp }
    const input = { ...kept, ...definedOf(given), name, baseUrl, auth, wallet: wallet || undefined }
    const profile = validate(input, 'profile add')
    const credential = hasKeyFlag
      ? await readCredential(context, profile, options)
      : requireAnswer(
          await askForKey(
            context,
            ask,
            profile,
            earlier && (await keepCredential(context, earlier, profile)),
          ),
        )
    const complete = { ...profile, credential }
    if (await passesTest(context, complete)) return complete
    const next = await ask.choose('What do you want to do?', [
      { value: 'change' as const, name: 'change the answers' },
      { value: 'save' as const, name: 'save the profile anyway' },
    ])
    if (requireAnswer(next) === 'save') return complete
    earlier = complete
    flags = {}
  }
}

/** Before any question, with stand-ins for the answers. */
const refuseWrongFlags = async (context: Context, given: GivenProfile): Promise<void> => {
  const baseUrl = given.baseUrl ?? 'https://orders.example.com'
  validate({ ...given, name: 'new', baseUrl }, 'profile add')
  if (given.products !== undefined) await readProductFile(context, given.products)
}

/** The name of the command line, if it can be used. */
const chooseName = async (
  { stderr }: Context,
  ask: Ask,
  { options: { name }, checkName = () => undefined }: Given,
): Promise<string | undefined> => {
  const problem = name === undefined ? undefined : checkName(name)
  if (name !== undefined && problem === undefined) return name
  if (problem !== undefined) stderr.write(`The name cannot be used; ${problem}\n`)
  const answer = await ask.line({ message: 'Name of the profile', check: (text) => checkName(text.trim()) })
  return answer?.trim()
}

const askForBaseUrl = async (
  ask: Ask,
  { allowHttp }: Given['options'],
  earlier: Profile | undefined,
): Promise<string | undefined> => {
  const check = (text: string): string | undefined => {
    const parsed = parseBaseUrl(text.trim(), allowHttp || earlier?.allowHttp === true)
    return 'problems' in parsed ? `allowed: ${parsed.problems.join('; ')}` : undefined
  }
  return (await ask.line({ message: 'Base URL (https://…)', initial: earlier?.baseUrl, check }))?.trim()
}

const ways: readonly { readonly value: Auth['kind']; readonly name: string }[] = [
  { value: 'bearer', name: 'bearer (Authorization: Bearer KEY)' },
  { value: 'header', name: 'header (such as X-Api-Key: KEY)' },
  { value: 'basic', name: 'basic (Authorization: Basic, with KEY in base64)' },
  { value: 'query', name: 'query (a parameter of the URL)' },
]

/** The value of --auth. The present way comes first. */
const askForAuth = async (ask: Ask, earlier = defaultAuth): Promise<string | undefined> => {
  const choices = ways.toSorted(
    (one, other) => Number(other.value === earlier.kind) - Number(one.value === earlier.kind),
  )
  const kind = await ask.choose('How is the key sent?', choices)
  if (kind !== 'header' && kind !== 'query') return kind
  const name = await ask.line({
    message: kind === 'header' ? 'Name of the header' : 'Name of the parameter',
    initial: 'name' in earlier && earlier.kind === kind ? earlier.name : undefined,
    check: (text) => {
      const parsed = parseAuth(`${kind}:${text.trim()}`)
      return 'allowed' in parsed ? `allowed: ${parsed.allowed}` : undefined
    },
  })
  return name === undefined ? undefined : formatAuth({ kind, name: name.trim() })
}

const askForWallet = (ask: Ask, earlier = ''): Promise<string | undefined> =>
  ask
    .line({
      message: 'Wallet to pay from, such as USD (- for none)',
      initial: earlier || '-',
      check: (text) =>
        text === '-' || walletPattern.test(text.trim()) ? undefined : `allowed: ${walletForm}`,
    })
    .then((text) => (text === '-' ? '' : text?.trim()))

/** Prints why the test failed. */
const passesTest = async (context: Context, profile: Profile): Promise<boolean> => {
  try {
    const response = await testUnsaved(context, profile)
    context.stderr.write(response)
    return true
  } catch (error) {
    if (!(error instanceof Failure) || context.interrupted.aborted) throw error
    // Its fix is for a saved profile.
    const failure = new Failure(error.kind, error.message)
    context.stderr.write(renderFailure(failure, context, false))
    return false
  }
}

export const offerUse = async (
  { stderr, suggest, asking }: Context,
  profiles: Profiles,
  name: string,
): Promise<void> => {
  const current = profiles.current()?.name
  if (current === name) return
  const instead = current === undefined ? '' : ` instead of ${current}`
  if ((await (await asking()).yesOrNo(`Use the profile ${name} from now on${instead}?`, true)) === true) {
    await profiles.use(name)
    stderr.write(`The profile ${name} is now in use\n`)
  } else stderr.write(`To use it later: ${suggest`profile use ${name}`}\n`)
}
