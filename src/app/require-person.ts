// Asks a person before an assistant that runs a shell spends, settles, approves, reveals codes or changes limits of a real
// account. It prevents mistakes: an assistant that wants to can remove the variable that announces it.

import type { Act } from '../cli/spec.ts'
import type { Context } from '../context.ts'
import { Failure, interruption } from '../errors.ts'
import {
  type Account,
  accountName,
  authName,
  baseUrlName,
  journalVariable,
  keyName,
} from '../profiles/account.ts'
import { environmentName } from '../profiles/store.ts'
import { findAccountWithoutKey, readProfiles } from './account.ts'
import { canPrompt } from './terminal.ts'

type Asked = {
  readonly act: Act
  readonly options: {
    readonly name?: string
    readonly profile?: string
    readonly noInput?: boolean
  }
  /** The variable that says that an assistant runs the command. */
  readonly variable: string
}

export const requirePerson = async (context: Context, { act, options, variable }: Asked): Promise<void> => {
  const account = await findConcerned(context, act, options)
  if (isFree(context, act, account)) return
  const problem = `only a person may ${act}, but an assistant runs this command (${variable} is set); nothing was sent or changed`
  if (!canPrompt(context, options)) {
    throw new Failure('needs-person', problem, {
      // Not a fix, because the assistant would run it.
      advice: (suggest) => {
        const command = suggest.typed()
        return `Let a person ${listVariables(context, account)}run it in a terminal${command === undefined ? '.' : `: ${command}`}`
      },
    })
  }
  const question = `An assistant runs this command (${variable} is set). Allow it to ${act}?`
  if (!(await context.askYesNo(question)))
    throw interruption(context.interrupted, 'not allowed; nothing was sent or changed')
}

/** What concerns several accounts, or what keeps an assistant in bounds. */
const neverFree: ReadonlySet<Act> = new Set<Act>([
  'change profiles',
  'forget a journal',
  'give permissions in a journal',
])

const changesLimits = (act: Act): boolean => act === 'change the limits of a real account'

/** Undefined also if a command does without an account. The command prints the warnings. */
const findConcerned = async (context: Context, act: Act, { name, profile }: Asked['options']) =>
  neverFree.has(act)
    ? undefined
    : findAccountWithoutKey(context, changesLimits(act) ? (name ?? profile) : profile, {
        onWarning: () => {},
      })

/** The sandbox has no real money, and a profile may allow it. */
const isFree = (context: Context, act: Act, account: Account | undefined): boolean => {
  if (neverFree.has(act)) return false
  if (account?.kind === 'sandbox') return true
  const allowing = readProfiles(context).filter(({ assistants }) => assistants === 'allow')
  return !changesLimits(act) && allowing.some((each) => each.name === account?.name)
}

/** The terminal of the person may not have them. The command itself names a saved profile. */
const listVariables = ({ environment }: Context, account: Account | undefined): string => {
  if (account?.kind !== 'service' || account.name !== environmentName) return ''
  const others = [accountName, authName, keyName, journalVariable].filter(
    (name) => environment[name] !== undefined,
  )
  return `set ${[`${baseUrlName}=${account.baseUrl}`, ...others].join(' and ')}, then `
}
