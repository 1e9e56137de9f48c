// profile add and profile set: from flags or prompts to a saved profile. Everything is checked before the key is asked for,
// and the profile is tested before it is saved.

import { profilesOf } from '../../app/account.ts'
import { parseJournalAddress } from '../../app/journals.ts'
import { readProductFile } from '../../app/product-list.ts'
import { canPrompt, writeProse } from '../../app/terminal.ts'
import type { Context } from '../../context.ts'
import { parseBaseUrl } from '../../contract/account-id.ts'
import { type Auth, defaultAuth, formatAuth, parseAuth } from '../../contract/auth.ts'
import { currencyForm, normalizeCurrency } from '../../contract/shape.ts'
import { formatViolation } from '../../contract/violations.ts'
import { Failure } from '../../errors.ts'
import {
  type Credential,
  checkProfile,
  createTakenFailure,
  createUnknownProfileFailure,
  findNameProblem,
  type Profile,
  type ProfileInput,
  type Profiles,
} from '../../profiles/store.ts'
import { flagName } from '../../text/flags.ts'
import type { Choice } from '../../ui/prompts/ask.ts'
import { renderFailure } from '../../ui/screens/failure.ts'
import {
  askForKey,
  hasKey,
  keepCredential,
  readCredential,
  removeOldKey,
  requireAnswer,
  saveWithKey,
} from './key.ts'
import { printRow, rowOf, testUnsaved, useProfile } from './run.ts'
import {
  type AddOptions,
  type KeyOptions,
  localJournal,
  type SetOptions,
  type SettingOptions,
} from './spec.ts'

export const addProfile = async (context: Context, options: AddOptions): Promise<void> => {
  const { json } = options
  const given = await readGiven(context, options)
  const profiles = profilesOf(context)
  const isTaken = (text: string): boolean => profiles.get(text) !== undefined
  const isComplete = options.name !== undefined && given.baseUrl !== undefined && hasKey(options)
  const asks = !isComplete && !json && canPrompt(context, options)
  const profile = asks
    ? await askForProfile(context, {
        given,
        options,
        findNameProblem: (text) => {
          const allowed = findNameProblem(text)
          if (allowed !== undefined) return `allowed: ${allowed}`
          if (!isTaken(text)) return undefined
          const change = context.suggest`profile set ${text}`
          return `the profile ${text} already exists. Enter another name, or press Ctrl-C and type: ${change}`
        },
      })
    : await readProfile(context, given, options, isTaken)
  const { name } = profile
  await saveProfile(context, profiles, {
    ...{ profile, present: undefined, given, options, place: options.keyStore },
    write: profiles.add,
  })
  const current = profiles.current()?.name
  if (current === name || json) return
  const instead = current === undefined ? '' : ` instead of ${current}`
  const question = `Use the profile ${name} from now on${instead}?`
  if (asks && (await (await context.asking()).yesOrNo(question, true)) === true) {
    await useProfile(context, { name, json })
    return
  }
  const kept = current === undefined ? 'No profile is in use' : `The profile in use is still ${current}`
  writeProse(context, `${kept}. To use this one: ${context.suggest`profile use ${name}`}\n`)
}

/** A new profile from flags alone. */
const readProfile = async (
  context: Context,
  given: GivenProfile,
  options: AddOptions,
  isTaken: (name: string) => boolean,
): Promise<Profile> => {
  const { name } = options
  if (name === undefined) throw createMissingFlagFailure('the name of the profile', 'profile add')
  if (given.baseUrl === undefined) throw createMissingFlagFailure('--base-url', 'profile add')
  const profile = validate({ ...given, name, baseUrl: given.baseUrl }, 'profile add')
  if (isTaken(name)) throw createTakenFailure(name)
  if (!hasKey(options)) throw createMissingFlagFailure(keyFlagNames, 'profile add')
  return { ...profile, credential: await readCredential(context, profile, options) }
}

type Saving = {
  readonly profile: Profile
  /** The saved profile of this name. */
  readonly present: Profile | undefined
  readonly given: GivenProfile
  readonly options: SettingOptions & { readonly json: boolean; readonly use?: boolean }
  readonly place: KeyOptions['keyStore']
  readonly write: (profile: Profile) => Promise<void>
}

/** Also removes a key that the profile no longer needs, and prints the profile. */
const saveProfile = async (context: Context, profiles: Profiles, saving: Saving): Promise<void> => {
  const { profile, present, given, options, place, write } = saving
  // Another journal would not know the orders of the profile, and could not prevent a second purchase.
  const { journal, journalPasswordCommand } = (options.journal === undefined ? present : given) ?? {}
  const complete = { ...profile, journal, journalPasswordCommand }
  const saved = await saveWithKey(context, complete, place, write)
  if (options.use) await profiles.use(profile.name)
  await removeOldKey(context, present, saved.profile)
  await printRow(context, rowOf(saved.profile, profiles.current()?.name), options, saved.reason)
  // The journal of this machine does not know the orders of the shared journal that the profile used.
  if (options.journal === localJournal && present?.journal !== undefined)
    context.stderr.warn(
      `the profile ${profile.name} now uses the journal of this machine, which does not know the orders in ${present.journal}`,
    )
}

const createMissingFlagFailure = (flag: string, command: string): Failure =>
  new Failure('usage', `${flag} is missing`, { field: flag, fix: () => `orderctl ${command} --help` })

const keyFlagNames = '--key-stdin, --key-file or --credential-command'

export const setProfile = async (context: Context, options: SetOptions): Promise<void> => {
  const { name, keyStore } = options
  const profiles = profilesOf(context)
  const present = profiles.get(name)
  if (present === undefined) throw createUnknownProfileFailure(name, profiles.list())
  const given = await readGiven(context, options)
  await saveProfile(context, profiles, {
    profile: await changeProfile(context, present, given, options),
    ...{ present, given, options, place: keyStore ?? rowOf(present, undefined).keyStore },
    write: (each) => profiles.update(name, each),
  })
}

/** An empty account, wallet, product file or webhook host is removed. */
const changeProfile = async (
  context: Context,
  present: Profile,
  given: GivenProfile,
  options: SetOptions,
): Promise<Profile> => {
  const hasSetting = Object.keys(given).length > 0 || options.journal !== undefined
  if (!hasSetting && !hasKey(options) && options.keyStore === undefined)
    throw createMissingFlagFailure('a setting, such as --wallet,', 'profile set')
  const removable = ['account', 'wallet', 'products', 'webhookHost'] as const
  const removed = removable.filter((name) => given[name] === '').map((name) => [name, undefined])
  const settings = { ...present, ...given, ...Object.fromEntries(removed) }
  const profile = validate(settings, 'profile set')
  return { ...profile, credential: await findCredential(context, present, profile, options) }
}

const findCredential = async (
  context: Context,
  present: Profile,
  profile: Profile,
  options: SetOptions,
): Promise<Credential | undefined> => {
  const moves = options.keyStore !== undefined
  if (hasKey(options)) return readCredential(context, profile, options)
  if (present.credential === undefined && !moves) return undefined
  const kept = await keepCredential(context, present, profile, moves)
  if (kept !== undefined) return kept
  throw new Failure(
    'usage',
    '--base-url points to a different host, and the saved key is only for the old one',
    { field: '--base-url', advice: `Add a key for the new host: ${keyFlagNames}.` },
  )
}

/** Only the settings that flags give. */
type GivenProfile = Partial<Omit<ProfileInput, 'name'>>

const readGiven = async (context: Context, options: SettingOptions): Promise<GivenProfile> => {
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
  readonly findNameProblem: FindProblem
}

/** A wrong answer is asked for again, so that the key is never pasted into the shell. Throws if the user cancels. */
const askForProfile = async (
  context: Context,
  { given, options, findNameProblem }: Wanted,
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
  let earlier: Profile | undefined
  /** After a failed test, the answers of flags are asked for, too. */
  for (let flags = given; ; flags = {}) {
    const baseUrl = flags.baseUrl ?? (await askForBaseUrl(askLine, options.allowHttp, earlier?.baseUrl))
    const auth = flags.auth ?? (await askForAuth(askLine, choose, earlier?.auth))
    const wallet = flags.wallet ?? (await askForWallet(askLine, earlier?.wallet))
    const input = { ...earlier, ...given, name, baseUrl, auth, wallet: wallet || undefined }
    const profile = validate(input, 'profile add')
    const credential =
      earlier === undefined && hasKey(options)
        ? await readCredential(context, profile, options)
        : await askForKey(context, profile, earlier && (await keepCredential(context, earlier, profile)))
    const complete = { ...profile, credential }
    if (await passesTest(context, complete)) return complete
    const next = await choose('What do you want to do?', [
      { value: 'change', name: 'change the answers' },
      { value: 'save', name: 'save the profile anyway' },
    ])
    if (next === 'save') return complete
    earlier = complete
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
