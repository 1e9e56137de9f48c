// Notes on stderr about the result, warnings before a prompt, the warning about this machine's clock, and whether a command
// may prompt.
import type { Context } from '../context.ts'
import { formatDuration } from '../contract/time/duration.ts'
import { wrapProse } from '../ui/terminal/text-width.ts'

/** Wraps the lines on a terminal. */
export const writeProse = ({ stderr }: Pick<Context, 'stderr'>, text: string): void =>
  stderr.write(stderr.isTerminal ? wrapProse(text, stderr.width).join('\n') : text)

/** Prints nothing with -q. */
export const writeNote = (context: Pick<Context, 'stderr'>, text: string): void => {
  if (!context.stderr.isQuiet) writeProse(context, text)
}

/** Wraps a long warning on a terminal. The text is safe. */
export const warnProse = ({ stderr }: Pick<Context, 'stderr'>, text: string): void => {
  const prefix = 'warning: '
  const isWrapped = stderr.isTerminal && stderr.warnings === undefined
  stderr.warn(
    isWrapped
      ? wrapProse(prefix + text, stderr.width)
          .join('\n')
          .slice(prefix.length)
      : text,
  )
}

const warnedIn = new WeakMap<Context, Set<string>>()

/** For a warning that a command may reach several times: it may open several sessions and journals. */
export const warnOnce = (context: Context, text: string): void => {
  const warned = warnedIn.get(context) ?? new Set()
  warnedIn.set(context, warned)
  if (!warned.has(text)) context.stderr.warn(text)
  warned.add(text)
}

/** With --json, warnings wait for the result. A user who is asked reads them first. */
export const formatWaitingWarnings = ({ stderr }: Pick<Context, 'stderr'>): string =>
  (stderr.warnings ?? []).map((text) => `warning: ${text}\n`).join('')

export const clockToleranceMs = 30_000

/** "this machine's clock is 2 min ahead of the service's" */
export const describeAhead = (aheadMs: number, other: string): string =>
  `this machine's clock is ${formatDuration(aheadMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} ${other}`

/** Checks only the first response. Expiry uses the service's clock, but displayed times use this machine's clock. */
export const createClockWarning = (context: Context) => {
  let wasChecked = false
  return (serverTime: number): void => {
    if (wasChecked) return
    wasChecked = true
    const ahead = context.clock.now() - serverTime
    if (Math.abs(ahead) <= clockToleranceMs) return
    warnOnce(
      context,
      `${describeAhead(ahead, "the service's")}; orderctl uses the service's clock for expiry`,
    )
  }
}

type Prompting = { readonly noInput?: boolean | undefined }

export const canPrompt = ({ stdin, stderr, environment }: Context, { noInput }: Prompting): boolean =>
  stdin.isTerminal && stderr.isTerminal && noInput !== true && !environment.CI

/** Whether a command may ask for what is missing: scripts parse JSON and ids. */
export const mayAsk = (
  context: Context,
  options: Prompting & { readonly json: boolean; readonly quiet: boolean },
): boolean => !options.json && !options.quiet && canPrompt(context, options)
