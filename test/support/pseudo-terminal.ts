// Runs orderctl on a pseudo-terminal of script(1), reads the screen and presses keys.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { onTestFinished } from 'vitest'
import { quoteShellWord } from '../../src/text/suggest.ts'
import { isInstalled } from './installed.ts'
import { executable, folder } from './orderctl.ts'
import { screenOf } from './screen.ts'

const root = path.resolve('.')

/** Why this machine cannot open one, or undefined. */
export const noTerminal = (): string | undefined =>
  process.platform === 'linux' && isInstalled('script') ? undefined : 'no script(1) of util-linux'

type Environment = Readonly<Record<string, string>>

/** `redirection` is shell syntax such as `2>/dev/null`. `under` is a command that runs the program. */
export const onTerminal = (
  words: readonly string[],
  env: Environment = {},
  redirection = '',
  under: readonly string[] = [],
) => {
  const home = env.HOME ?? folder()
  const columns = Number(env.COLUMNS ?? 80)
  const line = [...under, ...executable, ...words].map(quoteShellWord).join(' ')
  const child = spawn(
    'script',
    ['-qefc', `stty cols ${columns} rows ${env.LINES ?? 24}; exec ${line} ${redirection}`, '/dev/null'],
    {
      cwd: home,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        TERM: 'xterm',
        LANG: 'C.UTF-8',
        TZ: 'UTC',
        XDG_CACHE_HOME: path.join(root, 'node_modules/.cache'),
        ...env,
      },
    },
  )
  let isOver = false
  onTestFinished(() => {
    isOver = true
    child.kill('SIGKILL')
  })
  // A key that is pressed when the command has just ended reaches nobody.
  child.stdin.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  let raw = ''
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    raw += more
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  void ended.then(() => {
    isOver = true
  })
  /** Waits until the program or the test ends. The limit of the test is the only one. */
  const waitFor = async (text: string, read: () => string): Promise<void> => {
    while (!read().includes(text)) {
      if (isOver) throw new Error(`${text} is not in the output:\n${read()}`)
      await delay(10)
    }
  }
  return {
    waitFor,
    /** The whole output, unchanged. */
    raw: () => raw,
    /** The whole output without control sequences. */
    text: (): string => stripVTControlCharacters(raw).replaceAll('\r\n', '\n'),
    /** The rows of the screen. */
    screen: (): string => {
      const screen = screenOf(columns)
      screen.write(raw)
      return screen.rows().join('\n')
    },
    press: (keys: string): void => void child.stdin.write(keys),
    /** Waits until the output has this text after the position `from`. */
    shows: (text: string, from = 0): Promise<void> => waitFor(text, () => raw.slice(from)),
    /** The exit code. */
    ended,
  }
}

/** What to type, or a function that does something before it is typed. */
export type Typed = string | (() => Promise<string>)

/** Types each part after its mark appears in the new output. Returns the result. */
export const typedInto = async (
  words: readonly string[],
  env: Environment,
  ...parts: readonly (readonly [mark: string, typed: Typed])[]
) => {
  const { text, raw, press, ended, waitFor } = onTerminal(words, env)
  let from = 0
  for (const [mark, part] of parts) {
    await waitFor(mark, () => text().slice(from))
    const typed = typeof part === 'string' ? part : await part()
    // What was written together with a mark may have the next one.
    from = typed === '' ? text().indexOf(mark, from) + mark.length : text().length
    press(typed)
  }
  return { exit: await ended, text: text(), raw: raw() }
}
