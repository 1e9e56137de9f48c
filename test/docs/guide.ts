// Reads the blocks of a guide, so that tests can run its commands and compare its outputs.
import { readFileSync } from 'node:fs'

type Block = {
  readonly kind: string
  readonly text: string
  /** The sentence before a file ends with its name. */
  readonly file: string | undefined
}

export const readBlocks = (guide: string): readonly Block[] => parseBlocks(readFileSync(guide, 'utf8'))

export const parseBlocks = (guide: string): readonly Block[] =>
  [
    ...guide.matchAll(
      /(?:Save this as `([\w.]+)`:\n\n)?^```(\w+)\n([\s\S]*?)^```$|^\|.*\| `(orderctl [^`]+)` \|$/gm,
    ),
  ].map(([, file, kind = '', text = '', command]) =>
    command === undefined ? { file, kind, text } : { file, kind: 'table', text: command },
  )

/** Without the lines that are only a comment. */
export const commandsOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('# '))
    .map((line) => ({ line, exit: Number(/# exits with (\d+)$/.exec(line)?.[1] ?? 0) }))

export const collapse = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
