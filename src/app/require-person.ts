// Asks a person before an assistant that runs a shell spends, settles, approves, takes codes or changes limits of a real
// account. It prevents mistakes: an assistant that wants to can remove the variable that announces it.

import type { Act } from '../cli/spec.ts'
import type { Context } from '../context.ts'
import { Failure, interruption } from '../errors.ts'
import { sandbox } from '../profiles/profile.ts'
import { accountOf } from './account.ts'
import { canPrompt } from './notes.ts'
import { profilesOf } from './profiles.ts'

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
  if (await isFree(context, act, options)) return
  const problem = `an assistant runs this command (${variable} is set), and only a person may ${act} with a real account; nothing was sent or changed`
  if (!canPrompt(context, options)) {
    throw new Failure('not-approved', problem, {
      // Not a fix, because the assistant would run it.
      advice: (suggest) => {
        const command = suggest.typed()
        return `Let a person run it in a terminal${command === undefined ? '.' : `: ${command}`}`
      },
    })
  }
  const question = `An assistant runs this command (${variable} is set). May it ${act} with a real account?`
  if (!(await context.askYesNo(question)))
    throw interruption(context.interrupted, 'not allowed; nothing was sent or changed')
}

/** The sandbox has no real money, and a profile may allow it. A command without an account fails by itself. */
const isFree = async (context: Context, act: Act, { name, profile }: Asked['options']): Promise<boolean> => {
  if (act === 'change profiles') return name === sandbox
  const profileName = act === 'change limits' ? (name ?? profile) : profile
  // The command prints the warnings.
  const quiet = { ...context, stderr: { ...context.stderr, warn: () => {} } }
  try {
    const account = await accountOf(quiet, { profile: profileName, allowHttp: true }, { needsKey: false })
    if (account.kind === 'sandbox') return true
    return profilesOf(context).get(account.name)?.assistants === 'allow'
  } catch (error) {
    if (error instanceof Failure) return true
    throw error
  }
}
