// The consent to a confirm: a prompt on stderr, or on the controlling terminal if stderr is redirected.
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import type { Account } from '../../profiles/account.ts'
import type { ControllingTerminal } from '../../ui/terminal/controlling-terminal.ts'
import { formatAccount, printAccount } from '../shared/account.ts'
import { formatWaitingWarnings } from '../shared/notes.ts'
import { canPrompt } from '../shared/options.ts'
import type { ConfirmOptions } from './spec.ts'

type ConsentOptions = Pick<ConfirmOptions, 'yes' | 'noInput' | 'json' | 'quiet'>

/** In a script (stdin is no terminal), the command itself is the consent. */
export const isConsentNeeded = ({ stdin }: Context, { yes }: ConsentOptions): boolean =>
  !yes && stdin.isTerminal

type Question = {
  readonly account: Account
  /** What the confirm spends, drawn for the stderr of the given context. */
  summary(context: Context): string | Promise<string>
  /** Printed even with --json and -q. */
  readonly warning: string
  readonly message: string
}

/** Throws if the user must be asked but cannot be. Call it before anything is sent. */
export const requireConsent = async (context: Context, options: ConsentOptions): Promise<void> => {
  if (!isConsentNeeded(context, options) || canPrompt(context, options)) return
  const terminal = await openTerminal(context, options)
  await terminal.close()
}

/** If the user must be asked, shows what the confirm spends, and asks. Returns whether the user consents. */
export const askConsent = async (
  context: Context,
  options: ConsentOptions,
  { account, summary, warning, message }: Question,
): Promise<boolean> => {
  const { stderr } = context
  const isNeeded = isConsentNeeded(context, options)
  const promptsHere = isNeeded && canPrompt(context, options)
  if (promptsHere && stderr.isQuiet) stderr.write(formatAccount(context, account))
  const waiting = formatWaitingWarnings(context)
  if (promptsHere) stderr.write(`${await summary(context)}${waiting}`)
  if (warning !== '') stderr.write(warning)
  if (!isNeeded) return true
  if (promptsHere) return context.confirm(message)
  const terminal = await openTerminal(context, options)
  try {
    const terminalContext = { ...context, stderr: terminal.output }
    printAccount(terminalContext, account)
    terminal.output.write(`${await summary(terminalContext)}${waiting}${warning}`)
    return await terminal.confirm(message)
  } finally {
    await terminal.close()
  }
}

/** stderr is redirected, so the prompt goes to the controlling terminal. */
const openTerminal = async (
  { environment, openTerminal }: Context,
  { noInput }: ConsentOptions,
): Promise<ControllingTerminal> => {
  if (environment.CI) throw needsYes('CI is set')
  if (noInput) throw needsYes('prompts are turned off')
  const terminal = await openTerminal()
  if (terminal === undefined) throw needsYes('stderr is redirected and there is no controlling terminal')
  return terminal
}

const needsYes = (reason: string): Failure =>
  new Failure('usage', `confirm needs --yes, because it cannot prompt: ${reason}`, {
    field: '--yes',
    fix: 'Use --yes to spend without a prompt.',
  })
