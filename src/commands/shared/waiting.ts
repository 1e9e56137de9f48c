// Waiting, shown: where an answer takes a moment, one quiet line on the terminal says what is waited for, until it is
// there. What else is said meanwhile stands above it.
import type { Api } from '../../client/api.ts'
import type { Context } from '../../context.ts'
import { themeFor } from '../../ui/terminal/theme.ts'

export type Waiting = {
  /** Shown until it is ended. What begins within it is a part of it, and not shown by itself. */
  begin(what: What): { end(): void }
}

/** Asked each time it is drawn; undefined where there is nothing to say any more. */
type What = () => string | undefined

/** What is there sooner needs no line. */
export const patienceMs = 300
const turnMs = 100

const nothing = { end: () => {} }

export const waitingOn = (context: Context, isShown: boolean): Waiting => {
  let isBegun = false
  return {
    begin: (what) => {
      if (!isShown || isBegun) return nothing
      isBegun = true
      const over = new AbortController()
      // Nothing that goes wrong with a line is worth the answer to what spends.
      void draw(context, what, over.signal).catch(() => {})
      return {
        end: () => {
          if (!over.signal.aborted) isBegun = false
          over.abort()
        },
      }
    },
  }
}

const draw = async (
  { stderr, clock, environment, platform }: Context,
  what: What,
  over: AbortSignal,
): Promise<void> => {
  const since = clock.monotonic()
  await clock.sleep(patienceMs, over)
  if (over.aborted || what() === undefined) return
  // Most answers are there by now.
  const [{ framesFor, renderWaiting }, { createLive }] = await Promise.all([
    import('../../ui/screens/waiting-line.ts'),
    import('../../ui/terminal/live.ts'),
  ])
  const [live, theme, frames] = [createLive(stderr, true), themeFor(stderr), framesFor(environment, platform)]
  over.addEventListener('abort', live.clear)
  for (let turn = 0; !over.aborted; turn += 1) {
    const said = what()
    if (said === undefined) break
    live.show([renderWaiting({ what: said, ms: clock.monotonic() - since, turn }, frames, theme)])
    await clock.sleep(turnMs, over)
  }
  live.clear()
}

/** An api whose calls are shown while they last. */
export const waitingApi = (api: Api, { begin }: Waiting): Api => {
  const during = async <Result>(what: string, work: () => Promise<Result>): Promise<Result> => {
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
