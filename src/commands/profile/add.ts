// orderctl profile add: checks everything before it asks for the key, then saves the profile.
import type { Context } from '../../context.ts'
import { formatViolation } from '../../contract/violations.ts'
import { Failure } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import { interruption } from '../../operations/read.ts'
import { cleanKey } from '../../profiles/key.ts'
import { type Credential, checkProfile, type Profile } from '../../profiles/profile.ts'
import { quoteShellWord } from '../../text/shell-word.ts'
import { parseJournalAddress } from '../shared/journal/shared-place.ts'
import { readProductFile } from '../shared/product-file.ts'
import { profilesOf } from '../shared/profiles-of.ts'
import { readInput } from '../shared/read-input.ts'
import { canPrompt } from '../shared/session.ts'
import type { AddFlags } from './flags.ts'
import { printRow, rowOf } from './rows.ts'

/** Returns the exit code. */
export const addProfile = async (context: Context, name: string, flags: AddFlags): Promise<number> => {
  const prompts = flags.json !== true && canPrompt(context, flags)
  refuseSeveralKeys(flags)
  const baseUrl = flags.baseUrl ?? (prompts ? await askBaseUrl(context) : undefined)
  if (baseUrl === undefined) throw missing('--base-url')
  const { account, wallet, auth, allowHttp, journalPasswordCommand } = flags
  const products = flags.products === undefined ? undefined : context.absolute(flags.products)
  const journal = readJournal(context, flags)
  const given = { name, baseUrl, account, wallet, products, auth, allowHttp, journal, journalPasswordCommand }
  const profile = validate(given)
  const profiles = profilesOf(context)
  if (flags.replace === true && journal === undefined) refuseLostJournal(profiles.get(name))
  if (products !== undefined) await readProductFile(context, products)
  const credential = await readCredential(context, profile, flags, prompts)
  if (credential === undefined) throw missing('--key-stdin, --key-file or --credential-command')
  await profiles.add({ ...profile, credential }, { replace: flags.replace === true })
  if (flags.use === true) await profiles.use(name)
  const current = profiles.current()?.name
  await printRow(context, rowOf({ ...profile, credential }, current), flags)
  if (current !== name && flags.json !== true) {
    const kept = current === undefined ? 'No profile is in use' : `The profile ${current} stays in use`
    context.stderr.write(`${kept}. To use this one: orderctl profile use ${name}\n`)
  }
  return exitCodes.ok.code
}

const refuseSeveralKeys = ({ keyStdin, keyFile, credentialCommand }: AddFlags): void => {
  if ([keyStdin, keyFile, credentialCommand].filter((each) => each !== undefined).length <= 1) return
  throw new Failure('usage', '--key-stdin, --key-file and --credential-command cannot be used together', {
    fix: 'orderctl profile add --help',
  })
}

/** The canonical address, so that `profile show` and messages never have two spellings. */
const readJournal = (context: Context, { journal, journalPasswordCommand }: AddFlags): string | undefined => {
  if (journal !== undefined) return parseJournalAddress(context, journal).text
  if (journalPasswordCommand === undefined) return undefined
  throw new Failure('usage', '--journal-password-command needs --journal', {
    field: '--journal-password-command',
    fix: 'orderctl profile add --help',
  })
}

/** The journal of this machine does not know the orders in a shared one, and could not prevent a second purchase. */
const refuseLostJournal = (replaced: Profile | undefined): void => {
  const journal = replaced?.journal ?? replaced?.lastJournal
  if (replaced === undefined || journal === undefined) return
  throw new Failure(
    'usage',
    `--journal is missing: the profile ${replaced.name} keeps its orders in ${journal}; nothing was changed`,
    {
      field: '--journal',
      fix: `Add --journal ${quoteShellWord(journal)}. To use the journal of this machine, remove the profile first: orderctl profile remove ${replaced.name}`,
    },
  )
}

const missing = (flag: string): Failure =>
  new Failure('usage', `${flag} is missing`, { field: flag, fix: 'orderctl profile add --help' })

const askBaseUrl = async (context: Context): Promise<string> =>
  requireAnswer(context, await context.prompt('Base URL (https://…)'))

const requireAnswer = ({ interrupted }: Context, answer: string | undefined): string => {
  if (answer !== undefined) return answer
  throw interruption(interrupted, 'cancelled; no profile was added')
}

const validate = (input: Parameters<typeof checkProfile>[0]): Profile => {
  const result = checkProfile(input)
  if ('profile' in result) return result.profile
  throw new Failure('usage', 'the profile is not valid', {
    violations: result.violations.map(formatViolation),
    fix: 'orderctl profile add --help',
  })
}

const readCredential = async (
  context: Context,
  profile: Profile,
  { keyStdin, keyFile, credentialCommand }: AddFlags,
  prompts: boolean,
): Promise<Credential | undefined> => {
  if (credentialCommand !== undefined) return { kind: 'command', command: credentialCommand }
  const readKey = async (): Promise<string | undefined> => {
    const file = keyStdin === true ? '-' : keyFile
    if (file !== undefined) return new TextDecoder().decode(await readInput(context, file, 'the key'))
    return prompts ? requireAnswer(context, await context.promptSecret('Key (not shown)')) : undefined
  }
  const key = await readKey()
  return key === undefined ? undefined : { kind: 'key', key: cleanKey(key, profile.auth, 'the key') }
}
