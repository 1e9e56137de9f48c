// Asks a person before money is spent. In a script, where stdin is no terminal, the command itself is the consent.
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import type { Account } from '../../profiles/account.ts'
import type { ControllingTerminal } from '../../ui/terminal/controlling-terminal.ts'
import { canAsk, sayWhere } from '../shared/session.ts'

type ConsentFlags = {
  readonly yes?: boolean
  readonly input: boolean
  readonly json?: boolean
  readonly quiet?: boolean
}

type Question = {
  readonly account: Account
  /** What will be spent, drawn for the stderr of this context. */
  summary(context: Context): Promise<string>
  /** Said even with --json and -q. */
  readonly warning: string
  readonly message: string
}

/** Throws if a person must be asked and cannot be. To be called before anything is sent. */
export const requireConsent = async (context: Context, flags: ConsentFlags): Promise<void> => {
  if (!isAsked(context, flags) || canAsk(context, flags)) return
  const terminal = await openTerminal(context, flags)
  await terminal.close()
}

export const isAsked = ({ stdin }: Context, { yes }: Pick<ConsentFlags, 'yes'>): boolean =>
  yes !== true && stdin.isTerminal

/** Shows what will be spent where the person sees it, and asks there. */
export const askConsent = async (
  context: Context,
  flags: ConsentFlags,
  { account, summary, warning, message }: Question,
): Promise<'given' | 'refused'> => {
  const { stderr } = context
  const isAskedHere = isAsked(context, flags) && canAsk(context, flags)
  if (isAskedHere || (flags.json !== true && flags.quiet !== true)) stderr.write(await summary(context))
  if (warning !== '') stderr.write(warning)
  if (!isAsked(context, flags)) return 'given'
  if (isAskedHere) return (await context.confirm(message)) ? 'given' : 'refused'
  const terminal = await openTerminal(context, flags)
  try {
    const there = { ...context, stderr: terminal.output }
    sayWhere(there, account)
    there.stderr.write(`${await summary(there)}${warning}`)
    return (await terminal.confirm(message)) ? 'given' : 'refused'
  } finally {
    await terminal.close()
  }
}

const openTerminal = async (
  { environment, openTerminal }: Context,
  { input }: ConsentFlags,
): Promise<ControllingTerminal> => {
  if (environment.CI) throw needsYes('CI is set')
  if (!input) throw needsYes('prompts are turned off')
  const terminal = await openTerminal()
  if (terminal === undefined) throw needsYes('stderr is redirected and there is no controlling terminal')
  return terminal
}

const needsYes = (reason: string): Failure =>
  new Failure('usage', `confirm needs --yes, because it cannot prompt: ${reason}`, {
    field: '--yes',
    fix: 'Use --yes to spend without a prompt.',
  })
