// What a command says on stderr beside its result: notes, warnings, and a line that shows what orderctl is waiting for. Also
// whether it may ask.

import type { Api } from '../client/api.ts'
import type { Context } from '../context.ts'
import { formatDuration } from '../contract/time.ts'
import { Failure } from '../errors.ts'
import { wrapProse } from '../ui/terminal/text.ts'
import { supportsUnicode, type Theme, themeFor } from '../ui/terminal/view.ts'

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

const printed = new WeakMap<Context, Set<string>>()

/** For a text that a command may reach several times: it may try again, or open several sessions and journals. */
const once =
  (print: (context: Context, text: string) => void) =>
  (context: Context, text: string): void => {
    const texts = printed.get(context) ?? new Set()
    if (!texts.has(text)) print(context, text)
    printed.set(context, texts.add(text))
  }

export const warnOnce = once(({ stderr }, text) => stderr.warn(text))

export const writeNoteOnce = once(writeNote)

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

export const createPromptFailure = (command: string, verb: string, because = ''): Failure =>
  new Failure('usage', `${command} needs --yes, because it cannot prompt${because}`, {
    field: '--yes',
    advice: `Use --yes to ${verb} without a prompt.`,
  })

/** Whether a command may ask for what is missing: scripts parse JSON and ids. */
export const mayAsk = (
  context: Context,
  options: Prompting & { readonly json: boolean; readonly quiet?: boolean },
): boolean => !options.json && !options.quiet && canPrompt(context, options)

export type Waiting = {
  /**
   * Shows the work until it ends. Work that begins meanwhile is not shown. `describe` is called for each frame, and returns
   * undefined if there is nothing to show.
   */
  begin(describe: () => string | undefined): { end(): void }
}

/** A response that arrives sooner needs no line. */
export const silentMs = 300
const frameMs = 100

/** Whether stderr may be redrawn in place. */
export const canDraw = (
  { stderr, environment, isAccessible }: Context,
  { showsProgress }: { readonly showsProgress: boolean },
): boolean =>
  stderr.isTerminal && environment.TERM !== 'dumb' && !environment.CI && !isAccessible && showsProgress

export const createWaiting = (context: Context, isShown: boolean): Waiting => {
  let isActive = false
  return {
    begin: (describe) => {
      if (!isShown || isActive) return { end: () => {} }
      isActive = true
      const over = new AbortController()
      // A failure to draw must not end a call that spends.
      void draw(context, describe, over.signal).catch(() => {})
      return {
        end: () => {
          if (!over.signal.aborted) isActive = false
          over.abort()
        },
      }
    },
  }
}

const draw = async (
  context: Context,
  describe: () => string | undefined,
  over: AbortSignal,
): Promise<void> => {
  const { stderr, clock } = context
  const since = clock.monotonic()
  await clock.sleep(silentMs, over)
  if (over.aborted || describe() === undefined) return
  // Loaded only now, because most responses arrive sooner.
  const { createLive } = await import('../ui/terminal/live.ts')
  const [live, theme, frames] = [createLive(stderr, true), themeFor(stderr), framesFor(context)]
  over.addEventListener('abort', live.clear)
  for (let turn = 0; !over.aborted; turn += 1) {
    const what = describe()
    if (what === undefined) break
    live.show([renderWaiting({ what, ms: clock.monotonic() - since, turn }, frames, theme)])
    await clock.sleep(frameMs, over)
  }
  live.clear()
}

const braille = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏']
const plain = [...'|/-\\']

/** Braille, or ASCII on a terminal without Unicode. */
export const framesFor = ({ environment, platform }: Pick<Context, 'environment' | 'platform'>) =>
  supportsUnicode(environment, platform) ? braille : plain

/** A spinner, the operation, the elapsed time. `turn`: how often the line was drawn before. */
const renderWaiting = (
  { what, ms, turn }: { readonly what: string; readonly ms: number; readonly turn: number },
  frames: readonly string[],
  { quiet }: Pick<Theme, 'quiet'>,
): string => {
  const length = ms < 1_000 ? '' : `  ${formatDuration(ms)}`
  return `${quiet(`${frames[turn % frames.length]} ${what}${length}`)}\n`
}

/** Shows each call of the api while it is pending. */
export const withWaiting = (api: Api, { begin }: Waiting): Api => {
  const during = <Result>(what: string, work: () => Promise<Result>): Promise<Result> => {
    const { end } = begin(() => what)
    return work().finally(end)
  }
  return {
    ...api,
    create: (...given) => during('placing the order', () => api.create(...given)),
    confirm: (...given) => during('confirming the order', () => api.confirm(...given)),
    get: (...given) => during('asking for the order', () => api.get(...given)),
  }
}
