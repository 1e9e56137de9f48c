// Reads the blocks of a guide, so that tests can run its commands and compare its outputs.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { execa } from 'execa'
import { executable, folder } from '../support/orderctl.ts'

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

/** An empty home with the program `orderctl`. */
export const openHome = () => {
  const home = folder()
  const programs = path.join(home, '.local/bin')
  mkdirSync(programs, { recursive: true })
  const program = path.join(programs, 'orderctl')
  writeFileSync(program, `#!/bin/sh\nexec ${executable.map((word) => `'${word}'`).join(' ')} "$@"\n`)
  chmodSync(program, 0o755)
  /** Runs a line of a shell. */
  const run = (line: string) =>
    execa('sh', ['-c', line], {
      cwd: home,
      env: { PATH: `${programs}:${process.env.PATH}`, HOME: home, SHELL: '/bin/bash' },
      ...{ extendEnv: false, reject: false, all: true, stdin: 'ignore' as const },
    })
  return { home, run }
}
