// Shows what orderctl is waiting for, in one line on the terminal, if a response takes longer than a moment.
import type { Api } from '../client/api.ts'
import type { Context } from '../context.ts'
import { formatDuration } from '../contract/time/duration.ts'
import { supportsUnicode, type Theme, themeFor } from '../ui/terminal/view.ts'

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
export const renderWaiting = (
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
