// Reads the blocks of a guide, runs its commands, and compares its outputs.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { execa } from 'execa'
import { expect } from 'vitest'
import { executable } from '../support/orderctl.ts'

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
      /(?:Save this as `([\w.]+)`:\n\n)?^( *)```(\w+)\n([\s\S]*?)^\2```$|^\|.*\| `(orderctl [^`]+)` \|$/gm,
    ),
  ].map(([, file, indent = '', kind = '', text = '', command]) =>
    command === undefined
      ? { file, kind, text: text.replaceAll(`\n${indent}`, '\n').slice(indent.length) }
      : { file, kind: 'table', text: command },
  )

/** Without the lines that are only a comment. */
export const commandsOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('# '))
    .map((line) => ({ line, exit: Number(/# exits with (\d+)$/.exec(line)?.[1] ?? 0) }))

/** A person types the key at the prompt. */
export const typeKey = (line: string): string => line.replace(/--key-stdin(?= +#|$)/, '--key-stdin < key.txt')

/** The part of a guide below a heading of the second level. */
export const readSection = (guide: string, heading: string): string =>
  readFileSync(guide, 'utf8').split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''

const collapse = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

/** Writes a program of the shell. */
export const writeProgram = (folder: string, name: string, script: string): void =>
  writeFileSync(path.join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })

/** The script of the program `orderctl`. */
export const orderctlScript = `exec ${executable.map((word) => `'${word}'`).join(' ')} "$@"`

type RunOptions = {
  readonly env?: Readonly<Record<string, string>>
  /** Runs it in a process group of its own. */
  readonly detached?: boolean
}

/** An empty home with the program `orderctl`, and with others. */
export const openHome = (home: string, others: Readonly<Record<string, string>> = {}) => {
  const programs = path.join(home, '.local/bin')
  mkdirSync(programs, { recursive: true })
  for (const [name, script] of Object.entries({ orderctl: orderctlScript, ...others }))
    writeProgram(programs, name, script)
  const own = { PATH: `${programs}:${process.env.PATH}`, HOME: home, SHELL: '/bin/bash', TZ: 'UTC' }
  /** Runs a line of a shell. */
  const run = (line: string, { env = {}, detached = false }: RunOptions = {}) =>
    execa('sh', ['-c', line], {
      ...{ cwd: home, env: { ...own, ...env }, extendEnv: false, detached },
      ...{ reject: false, all: true, stdin: 'ignore' as const },
    })
  return { home, run }
}

export type Home = ReturnType<typeof openHome>

/** Who carries out the blocks of a guide. */
type Reader = {
  /** The folder of the files. */
  readonly home: string
  /** Runs a block of commands and returns what they print. */
  readonly runShell: (text: string) => Promise<string>
  /** Runs the lines of the other blocks of this kind. */
  readonly kinds?: Readonly<Record<string, (line: string) => Promise<void>>>
  /** Hides what differs between two runs. */
  readonly generalize?: (text: string) => string
}

/** Writes the files, runs the commands and compares the outputs with the texts after them. */
export const followBlocks = async (
  blocks: readonly Block[],
  { home, runShell, kinds = {}, generalize = (text) => text }: Reader,
): Promise<void> => {
  const simplify = (text: string): string => generalize(collapse(text))
  let output = ''
  for (const { kind, text, file } of blocks) {
    const lines = text.trimEnd().split('\n')
    if (file !== undefined) writeFileSync(path.join(home, file), text)
    if (kind === 'text') for (const line of lines) expect(simplify(output)).toContain(simplify(line))
    for (const line of lines) await kinds[kind]?.(line)
    if (kind === 'sh' || kind === 'table') output = await runShell(text)
  }
}

/** Follows the blocks in one home. Commands in tables are examples. */
export const runBlocks = async (
  { home, run }: Home,
  blocks: readonly Block[],
  adapt = (line: string): string => line,
): Promise<void> => {
  const runShell = async (text: string): Promise<string> => {
    let output = ''
    for (const { line, exit } of commandsOf(text)) {
      const ran = await run(adapt(line))
      expect({ line, exit: ran.exitCode, all: ran.all }).toMatchObject({ exit })
      output += `${ran.all}\n`
    }
    return output
  }
  const typed = blocks.filter(({ kind }) => kind !== 'table')
  await followBlocks(typed, { home, runShell })
}
