// Shows the progress of a batch on stderr: redrawn on a terminal, or one line a minute.
import type { Context } from '../../context.ts'
import {
  type BatchProgress,
  formatBatchProgress,
  renderBatchProgress,
} from '../../ui/screens/batch-progress.ts'
import { createLive } from '../../ui/terminal/live.ts'
import { themeFor } from '../../ui/terminal/theme.ts'
import { supportsUnicode } from '../../ui/terminal/unicode.ts'
import { canDraw } from '../shared/session.ts'
import { silentMs, type Waiting } from '../shared/waiting.ts'

type ProgressOptions = {
  /** False with --json and --quiet. */
  readonly isShown: boolean
  readonly read: () => BatchProgress
  /** Its line is hidden while the progress is shown, because it would appear below it. */
  readonly waiting?: Waiting
}

const frameMs = 100
/** The time between two plain lines. */
export const lineMs = 60_000

export const createProgress = (context: Context, { isShown, read, waiting }: ProgressOptions) => {
  const { clock, stderr } = context
  const isDrawn = canDraw(context, { showsProgress: isShown })
  const over = new AbortController()
  let silenced: ReturnType<Waiting['begin']> | undefined
  const painter = createPainter(context, read, isDrawn)
  const writeLine = (): void => stderr.write(`${formatBatchProgress(read())}\n`)

  const repeat = async (work: () => void, firstMs: number, eachMs: number): Promise<void> => {
    for (let ms = firstMs; ; ms = eachMs) {
      await clock.sleep(ms, over.signal)
      if (over.signal.aborted) return
      attempt(work)
    }
  }

  return {
    begin: (): void => {
      silenced = waiting?.begin(() => undefined)
      if (isDrawn) void repeat(painter.paint, silentMs, frameMs)
      else if (isShown) void repeat(writeLine, lineMs, lineMs)
    },
    /** Safe to call twice. */
    end: (): void => {
      if (over.signal.aborted) return
      over.abort()
      silenced?.end()
      attempt(painter.clear)
      if (isShown && !isDrawn) attempt(writeLine)
    },
  }
}

const createPainter = (
  { stderr, environment, platform }: Context,
  read: () => BatchProgress,
  isOn: boolean,
) => {
  const live = createLive(stderr, isOn)
  const theme = themeFor(stderr)
  const hasUnicode = supportsUnicode(environment, platform)
  let painted = ''
  return {
    paint: (): void => {
      const lines = renderBatchProgress(read(), { theme, hasUnicode, width: stderr.width })
      const text = lines.join('')
      if (text === painted && live.isDrawn()) return
      live.show(lines)
      painted = text
    },
    clear: live.clear,
  }
}

/** A terminal or a journal that fails must not end the work. */
const attempt = (work: () => void): void => {
  try {
    work()
  } catch {
    // The next repaint tries again.
  }
}
