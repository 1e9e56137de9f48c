// The settings of profile add and profile set. Reads them from flags, prompts for the others, and tests the profile before
// it is saved.

import { parseJournalAddress } from '../../app/journal/place.ts'
import { readProductFile } from '../../app/products/product-list.ts'
import { flagName } from '../../cli/spec.ts'
import type { Context } from '../../context.ts'
import { type Auth, defaultAuth, formatAuth, parseAuth } from '../../contract/auth.ts'
import { parseBaseUrl } from '../../contract/base-url.ts'
import { currencyForm, normalizeCurrency } from '../../contract/money/currency.ts'
import { formatViolation } from '../../contract/violations.ts'
import { Failure } from '../../errors.ts'
import { checkProfile, type Profile, type ProfileInput } from '../../profiles/profile.ts'
import type { Choice } from '../../ui/prompts/asking.ts'
import { renderFailure } from '../../ui/screens/failure.ts'
import { askForKey, hasKey, keepCredential, readCredential, requireAnswer } from './key.ts'
import { type AddOptions, type KeyOptions, localJournal, type SettingOptions } from './spec.ts'
import { testUnsaved } from './test.ts'

/** Only the settings that flags give. */
export type GivenProfile = Partial<Omit<ProfileInput, 'name'>>

export const readGiven = async (context: Context, options: SettingOptions): Promise<GivenProfile> => {
  const { baseUrl, account, wallet, products, auth, journal, journalPasswordCommand } = options
  const { assistants, webhookHost } = options
  if (products) await readProductFile(context, products)
  // The canonical address, so that `profile show` and messages never have two spellings.
  const isShared = journal !== undefined && journal !== localJournal
  const address = isShared ? parseJournalAddress(context, journal).text : undefined
  const all = {
    ...{ baseUrl, account, wallet, products, auth, assistants, webhookHost, journalPasswordCommand },
    ...{ allowHttp: options.allowHttp || undefined, journal: address },
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

/** Throws all violations. `command` is `profile add`, for example. */
export const validate = (input: ProfileInput, command: string): Profile => {
  const result = checkProfile(input)
  if ('profile' in result) return result.profile
  const nameOf = (field: string): string => (field === 'name' ? 'the name' : flagName(field))
  throw new Failure('usage', 'the profile is not valid', {
    violations: result.violations.map((each) => formatViolation({ ...each, path: nameOf(each.path) })),
    fix: () => `orderctl ${command} --help`,
  })
}

/** Returns the problem with an answer. */
type FindProblem = (text: string) => string | undefined

type Wanted = {
  readonly given: GivenProfile
  readonly options: KeyOptions & Pick<AddOptions, 'name' | 'allowHttp'>
  /** Enter keeps its settings. */
  readonly present: Profile | undefined
  readonly findNameProblem: FindProblem
}

/** A wrong answer is asked for again, so that the key is never pasted into the shell. Throws if the user cancels. */
export const askForProfile = async (
  context: Context,
  { given, options, present, findNameProblem }: Wanted,
): Promise<Profile> => {
  // Placeholders stand for the answers, so that wrong flags are refused before the first prompt.
  validate({ baseUrl: 'https://orders.example.com', ...given, name: 'new' }, 'profile add')
  const ask = await context.asking()
  const askLine: AskLine = async (message, initial, check) => {
    return requireAnswer(context, await ask.text({ message, initial, check }))
  }
  const choose: Choose = async (message, choices) =>
    requireAnswer(context, await ask.choose(message, choices))

  const nameProblem = options.name === undefined ? undefined : findNameProblem(options.name)
  if (nameProblem !== undefined) context.stderr.write(`The name cannot be used; ${nameProblem}\n`)
  const canUse = nameProblem === undefined ? options.name : undefined
  const name = canUse ?? (await askLine('Name of the profile', undefined, findNameProblem))
  let earlier = present
  /** After a failed test, the answers of flags are asked for, too. */
  let flags = given
  for (let hasKeyFlag = hasKey(options); ; hasKeyFlag = false) {
    const allowHttp = options.allowHttp || earlier?.allowHttp === true
    const baseUrl = flags.baseUrl ?? (await askForBaseUrl(askLine, allowHttp, earlier?.baseUrl))
    const auth = flags.auth ?? (await askForAuth(askLine, choose, earlier?.auth))
    const wallet = flags.wallet ?? (await askForWallet(askLine, earlier?.wallet))
    const input = { ...earlier, ...given, name, baseUrl, auth, wallet: wallet || undefined }
    const profile = validate(input, 'profile add')
    const moves = options.keyStore === 'file' && earlier?.credential?.kind === 'system'
    const credential = hasKeyFlag
      ? await readCredential(context, profile, options)
      : await askForKey(context, profile, await keepCredential(context, earlier, profile, moves), earlier)
    const complete = { ...profile, credential }
    if (await passesTest(context, complete)) return complete
    const next = await choose('What do you want to do?', [
      { value: 'change', name: 'change the answers' },
      { value: 'save', name: 'save the profile anyway' },
    ])
    if (next === 'save') return complete
    earlier = complete
    flags = {}
  }
}

type AskLine = (message: string, initial: string | undefined, findProblem: FindProblem) => Promise<string>
type Choose = <Value>(message: string, choices: readonly Choice<Value>[]) => Promise<Value>

const askForBaseUrl = (askLine: AskLine, allowHttp: boolean, earlier: string | undefined): Promise<string> =>
  askLine('Base URL (https://…)', earlier, (text) => {
    const parsed = parseBaseUrl(text, allowHttp)
    return 'problems' in parsed ? `allowed: ${parsed.problems.join('; ')}` : undefined
  })

const ways: readonly { readonly value: Auth['kind']; readonly name: string }[] = [
  { value: 'bearer', name: 'bearer (Authorization: Bearer KEY)' },
  { value: 'header', name: 'header (such as X-Api-Key: KEY)' },
  { value: 'basic', name: 'basic (Authorization: Basic, with KEY in base64)' },
  { value: 'query', name: 'query (a parameter of the URL)' },
]

/** The value of --auth. The present way comes first. */
const askForAuth = async (askLine: AskLine, choose: Choose, earlier = defaultAuth): Promise<string> => {
  const [earlierKind, earlierName] = earlier.split(':')
  const isEarlier = ({ value }: (typeof ways)[number]): boolean => value === earlierKind
  const choices = ways.toSorted((one, other) => Number(isEarlier(other)) - Number(isEarlier(one)))
  const kind = await choose('How is the key sent?', choices)
  if (kind !== 'header' && kind !== 'query') return kind
  const message = kind === 'header' ? 'Name of the header' : 'Name of the parameter'
  const initial = kind === earlierKind ? earlierName : undefined
  const name = await askLine(message, initial, (text) => {
    const parsed = parseAuth(`${kind}:${text}`)
    return 'allowed' in parsed ? `allowed: ${parsed.allowed}` : undefined
  })
  return formatAuth({ kind, name })
}

/** Returns '' if the profile has no wallet. */
const askForWallet = async (askLine: AskLine, earlier = '-'): Promise<string> => {
  const wallet = await askLine('Wallet to pay from, such as USD (- for none)', earlier, (text) =>
    text === '-' || normalizeCurrency(text) !== undefined ? undefined : `allowed: ${currencyForm}`,
  )
  return wallet === '-' ? '' : wallet
}

/** Prints why the test failed. */
const passesTest = async (context: Context, profile: Profile): Promise<boolean> => {
  try {
    context.stderr.write(await testUnsaved(context, profile))
    return true
  } catch (error) {
    if (!(error instanceof Failure) || context.interrupted.aborted) throw error
    // Its fix and advice are for a saved profile.
    context.stderr.write(renderFailure(new Failure(error.reason, error.message), context, false))
    return false
  }
}
