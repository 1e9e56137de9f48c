// profile add on a terminal: asks for what the flags do not give, then offers to test the profile and to use it.
import type { Context } from '../../context.ts'
import { findKeyProblem } from '../../contract/auth.ts'
import { parseBaseUrl } from '../../contract/base-url.ts'
import { Failure, interruption } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import { type Credential, findNameProblem, type Profile } from '../../profiles/profile.ts'
import type { Profiles } from '../../profiles/store.ts'
import type { Ask } from '../../ui/prompts/asking.ts'
import { renderFailure } from '../../ui/screens/failure.ts'
import { readProductFile } from '../shared/products/product-list.ts'
import { type GivenProfile, hasKey, isTaken, readCredential, saveProfile, validate } from './given-profile.ts'
import type { AddOptions } from './spec.ts'
import { testProfile } from './test.ts'

type Given = {
  readonly given: GivenProfile
  readonly options: AddOptions
  readonly profiles: Profiles
}

/** Returns the exit code. A wrong answer is asked for again, so that the key is never pasted into the shell. */
export const askForProfile = async (context: Context, all: Given): Promise<number> => {
  const { given, options, profiles } = all
  await refuseWrongFlags(context, given)
  const ask = await context.asking()
  const requireAnswer = <Answer>(answer: Answer | undefined): Answer => {
    if (answer !== undefined) return answer
    throw interruption(context.interrupted, 'cancelled; no profile was added')
  }
  const name = requireAnswer(await chooseName(context, ask, all))
  const baseUrl = given.baseUrl ?? requireAnswer(await askForBaseUrl(ask, options, profiles.get(name)))
  const profile = validate({ ...given, name, baseUrl })
  const credential = hasKey(options)
    ? await readCredential(context, profile, options)
    : requireAnswer(await askForKey(context, ask, profile))
  await saveProfile(context, profiles, { ...profile, credential }, options)
  await offerTest(context, ask, name)
  await offerUse(context, ask, profiles, name)
  return exitCodes.ok.code
}

/** Before any question, with stand-ins for the answers. */
const refuseWrongFlags = async (context: Context, given: GivenProfile): Promise<void> => {
  validate({ ...given, name: 'new', baseUrl: given.baseUrl ?? 'https://orders.example.com' })
  if (given.products !== undefined) await readProductFile(context, given.products)
}

/** The name of the command line, if it can be used. */
const chooseName = async (
  { stderr }: Context,
  ask: Ask,
  { profiles, options }: Given,
): Promise<string | undefined> => {
  const check = (text: string): string | undefined => {
    const allowed = findNameProblem(text)
    if (allowed !== undefined) return `allowed: ${allowed}`
    return isTaken(profiles, text, options)
      ? `the profile ${text} already exists. Enter another name, or press Ctrl-C and add --replace`
      : undefined
  }
  const problem = check(options.name)
  if (problem === undefined) return options.name
  stderr.write(`The name cannot be used; ${problem}\n`)
  const answer = await ask.line({ message: 'Name of the profile', check: (text) => check(text.trim()) })
  return answer?.trim()
}

/** Pressing Enter keeps the address of the profile that is replaced. */
const askForBaseUrl = async (
  ask: Ask,
  { allowHttp }: AddOptions,
  replaced: Profile | undefined,
): Promise<string | undefined> => {
  const check = (text: string): string | undefined => {
    const parsed = parseBaseUrl(text.trim(), allowHttp)
    return 'problems' in parsed ? `allowed: ${parsed.problems.join('; ')}` : undefined
  }
  return (await ask.line({ message: 'Base URL (https://…)', initial: replaced?.baseUrl, check }))?.trim()
}

export const askForKey = async (
  { stderr }: Context,
  ask: Ask,
  { auth }: Pick<Profile, 'auth'>,
): Promise<Credential | undefined> => {
  for (;;) {
    const key = (await ask.secret('Key (not shown)'))?.trim()
    if (key === undefined) return undefined
    const problem = findKeyProblem(key, auth)
    if (problem === undefined) return { kind: 'key', key }
    stderr.write(`The key ${problem}. Copy the complete key again.\n`)
  }
}

/** The profile is saved, so a failed test does not end the command. */
const offerTest = async (context: Context, ask: Ask, name: string): Promise<void> => {
  if ((await ask.yesOrNo('Test the profile now? This spends nothing.', true)) !== true) return
  try {
    await testProfile(context, {
      name,
      profile: undefined,
      timeout: undefined,
      allowHttp: false,
      debug: false,
      json: false,
      noInput: false,
    })
  } catch (error) {
    if (!(error instanceof Failure) || context.interrupted.aborted) throw error
    context.stderr.write(renderFailure(error, context, false))
    context.stderr.write(
      `The profile is saved. Test it again: ${context.suggest`profile test ${name}`}\n` +
        `To change it: ${context.suggest`profile add ${name} --replace`}\n`,
    )
  }
}

const offerUse = async (
  { stderr, suggest }: Context,
  ask: Ask,
  profiles: Profiles,
  name: string,
): Promise<void> => {
  const current = profiles.current()?.name
  if (current === name) return
  const instead = current === undefined ? '' : ` instead of ${current}`
  if ((await ask.yesOrNo(`Use the profile ${name} from now on${instead}?`, true)) === true) {
    await profiles.use(name)
    stderr.write(`The profile ${name} is now in use\n`)
  } else stderr.write(`To use it later: ${suggest`profile use ${name}`}\n`)
}
