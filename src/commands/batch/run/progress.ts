// Shows the progress of a batch on stderr: redrawn on a terminal, or one line a minute.
import type { Context } from '../../../context.ts'
import {
  type BatchProgress,
  formatBatchProgress,
  renderBatchProgress,
} from '../../../ui/screens/batch/batch-progress.ts'
import { supportsUnicode } from '../../../ui/terminal/environment.ts'
import { createLive } from '../../../ui/terminal/live.ts'
import { themeFor } from '../../../ui/terminal/view.ts'
import { canDraw, silentMs, type Waiting } from '../../shared/waiting.ts'

type ProgressSource = {
  /** Never waits, because it is called for each frame. */
  readonly latest: () => BatchProgress
  /** Absent, like `refreshNow`, if `latest` is up to date without it. */
  readonly refreshIfDue?: () => Promise<void>
  readonly refreshNow?: () => Promise<void>
}

type ProgressOptions = {
  /** False with --json and --quiet. */
  readonly isShown: boolean
  readonly source: ProgressSource
  /** Its line is hidden while the progress is shown, because it would appear below it. */
  readonly waiting?: Waiting
}

const frameMs = 100
/** The time between two plain lines. */
export const lineMs = 60_000

export const createProgress = (context: Context, { isShown, source, waiting }: ProgressOptions) => {
  const { clock, stderr } = context
  const isDrawn = canDraw(context, { showsProgress: isShown })
  const over = new AbortController()
  let silenced: ReturnType<Waiting['begin']> | undefined
  let ended: Promise<void> | undefined
  const painter = createPainter(context, source, isDrawn)
  const writeLine = (isOver = false): void =>
    stderr.write(`${formatBatchProgress({ ...source.latest(), isOver })}\n`)
  const writeLineIfDue = async (): Promise<void> => {
    await source.refreshIfDue?.()
    if (!over.signal.aborted) writeLine()
  }
  const writeLastLine = async (): Promise<void> => {
    await source.refreshNow?.()
    writeLine(true)
  }

  const repeat = async (work: () => void | Promise<void>, firstMs: number, eachMs: number): Promise<void> => {
    for (let ms = firstMs; ; ms = eachMs) {
      await clock.sleep(ms, over.signal)
      if (over.signal.aborted) return
      await attempt(work)
    }
  }

  const finish = async (): Promise<void> => {
    over.abort()
    silenced?.end()
    await attempt(painter.clear)
    if (isShown && !isDrawn) await attempt(writeLastLine)
  }

  return {
    begin: (): void => {
      silenced = waiting?.begin(() => undefined)
      if (isDrawn) void repeat(painter.paint, silentMs, frameMs)
      else if (isShown) void repeat(writeLineIfDue, lineMs, lineMs)
    },
    /** Never rejects. Safe to call twice. */
    end: (): Promise<void> => {
      ended ??= finish()
      return ended
    },
  }
}

const createPainter = (
  { stderr, environment, platform }: Context,
  { latest }: ProgressSource,
  isOn: boolean,
) => {
  const live = createLive(stderr, isOn)
  const theme = themeFor(stderr)
  const hasUnicode = supportsUnicode(environment, platform)
  let painted = ''
  return {
    paint: (): void => {
      const lines = renderBatchProgress(latest(), { theme, hasUnicode, width: stderr.width })
      const text = lines.join('')
      if (text === painted && live.isDrawn()) return
      live.show(lines)
      painted = text
    },
    clear: live.clear,
  }
}

/** A terminal or a journal that fails must not end the work. */
const attempt = async (work: () => void | Promise<void>): Promise<void> => {
  try {
    await work()
  } catch {
    // The next repaint tries again.
  }
}
