// Runs a row of the table in a copy of the prepared home, and reports what is wrong with its end.
import { rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { exitCodes } from '../../src/errors.ts'
import { findJsonProblem } from '../support/check-json.ts'
import { executable, isOnWindows, type Ran, start } from '../support/orderctl.ts'
import { onTerminal } from '../support/pseudo-terminal.ts'
import type { Row } from './every-flag.ts'
import type { PreparedHome } from './prepared-home.ts'

const documented: ReadonlySet<number | undefined | null> = new Set(
  Object.values(exitCodes).map(({ code }) => code),
)

/** The first message of an assistant. */
const hello = {
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

const inCopy = async <Result>(
  homes: PreparedHome,
  row: Row,
  run: (home: string, words: readonly string[]) => Promise<Result>,
) => {
  const home = homes.copy()
  const words = row.words.map((word) =>
    word.replace('{target}', homes.targetUrl).replace('{last four}', homes.code.slice(-4)),
  )
  try {
    return await run(home, words)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

type Options = {
  /** A different build. */
  readonly program?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** Without a terminal. A server gets SIGTERM once it is up, that is, after its first output. */
export const runRow = (
  homes: PreparedHome,
  row: Row,
  { program = executable, env = {} }: Options = {},
): Promise<Ran> =>
  inCopy(homes, row, async (home, words) => {
    const isAssistant = words[0] === 'mcp' && !words.includes('--help')
    const readsInput =
      words.includes('--key-stdin') || words.includes('--secret-stdin') || words[0] === 'find'
    const options = homes.inHome(home)
    const child = start(words, {
      ...{ ...options, program, env: { ...options.env, ...env } },
      ...(readsInput && { input: homes.code }),
      ...(isAssistant && { input: `${JSON.stringify(hello)}\n`, keepsInputOpen: true }),
    })
    if (row.isServer) {
      await Promise.race([
        child,
        ...[child.stdout, child.stderr].map(
          (stream) => new Promise((resolve) => stream?.once('data', resolve)),
        ),
      ])
      child.kill('SIGTERM')
    }
    const { exitCode, stdout, stderr } = await child
    return { exit: exitCode, stdout, stderr }
  })

/** So many prompts can follow each other before the test gives up. */
const mostAnswers = 15
const ctrlC = '\x03'

/** On a terminal. Presses Enter while the screen does not change, and then Ctrl-C. */
export const runOnTerminal = (homes: PreparedHome, row: Row) =>
  inCopy(homes, row, async (home, words) => {
    const { env } = homes.inHome(home)
    const { PATH, ...variables } = env
    const terminal = onTerminal(words, variables, '', ['env', `PATH=${PATH}`])
    let hasEnded = false
    void terminal.ended.then(() => {
      hasEnded = true
    })
    let shown = ''
    for (let answers = 0; !hasEnded && answers < mostAnswers + 10; ) {
      await Promise.race([terminal.ended, delay(150)])
      if (terminal.raw() === shown) {
        terminal.press(answers < mostAnswers ? '\r' : ctrlC)
        answers += 1
      }
      shown = terminal.raw()
    }
    return { exit: hasEnded ? await terminal.ended : undefined, text: terminal.text() }
  })

const parses = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** One document, or one a line. */
const isJson = (text: string): boolean =>
  text === '' || parses(text) || text.trimEnd().split('\n').every(parses)

/** A defect, its stack, an exit code that is not documented, or on Windows the mode of a file. */
export const findDefects = (exit: number | undefined | null, text: string): string[] => [
  ...(documented.has(exit) && exit !== exitCodes.internal.code ? [] : [`exit ${exit}: ${text}`]),
  ...(/a defect in orderctl:|"internal"|^ {4}at /m.test(text) ? [text] : []),
  ...(isOnWindows && /\bmode 0\d{3}|\bchmod /.test(text) ? [`mentions a mode: ${text}`] : []),
]

/** The problems without a terminal. */
export const findBreaches = (row: Row, { exit, stdout, stderr }: Ran): string[] => [
  ...findDefects(exit, stdout + stderr),
  ...(exit === row.exit ? [] : [`exit ${exit} instead of ${row.exit}: ${stderr}`]),
  ...(row.isJson
    ? [stdout, stderr].filter((text) => !isJson(text)).map((text) => `is not JSON: ${text}`)
    : []),
  ...(row.isJson && isJson(stdout) ? [findJsonProblem(row.words, { stdout, stderr }) ?? []].flat() : []),
]
