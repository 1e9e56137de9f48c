// Copies a text to the first clipboard that works.
import type { Context } from '../../context.ts'
import { Failure, type Fix } from '../../errors.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { type Clipboard, findClipboards } from './clipboard.ts'

/** Throws if there is none. */
export const requireClipboards = (context: Context): readonly Clipboard[] => {
  const clipboards = findClipboards(context)
  if (clipboards.length > 0) return clipboards
  throw new Failure(
    'usage',
    'no clipboard found: the output is not a terminal, and no clipboard tool has a display',
    {
      field: '--copy',
      fix: 'Run it in a terminal, or install pbcopy, clip.exe, wl-copy, xclip or xsel.',
    },
  )
}

export const reasonOf = (error: unknown): string =>
  sanitize(error instanceof Error ? error.message : String(error))

export const copyToFirst = async (
  clipboards: readonly Clipboard[],
  text: string,
  { orderId, fix }: { readonly orderId: string; readonly fix: Fix },
): Promise<Clipboard> => {
  const reasons: string[] = []
  for (const clipboard of clipboards) {
    try {
      await clipboard.copy(text)
      return clipboard
    } catch (error) {
      reasons.push(`${clipboard.name}: ${reasonOf(error)}`)
    }
  }
  throw new Failure('output-lost', 'nothing was copied, because every clipboard failed', {
    field: '--copy',
    orderId,
    violations: reasons,
    fix,
  })
}
