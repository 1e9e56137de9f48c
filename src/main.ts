// Builds the context from the process, runs the command line, and sets the exit code.
import path from 'node:path'
import packageJson from '../package.json' with { type: 'json' }
import { builtin } from './builtin.ts'
import { createChildProcesses } from './child-processes.ts'
import { refusesColour, wantsAccessible } from './cli/variables.ts'
import type { Context } from './context.ts'
import { run } from './run.ts'
import { createSuggest } from './text/suggest.ts'
import type { Ask } from './ui/prompts/ask.ts'
import { createOutput, targetOf, type Writer } from './ui/terminal/io.ts'
import { timeZoneOf, wantsColour } from './ui/terminal/view.ts'

const words = process.argv.slice(2)

// FORCE_COLOR overrides NO_COLOR. If both are set, Node prints a warning to stderr.
if (process.env.FORCE_COLOR) delete process.env.NO_COLOR

const interrupted = new AbortController()
const signals = ['SIGINT', 'SIGTERM'] as const
const onSignal = (name: NodeJS.Signals): void => {
  // Without a listener, Node ends the process at the next signal.
  for (const each of signals) process.off(each, onSignal)
  interrupted.abort(name)
}
for (const name of signals) process.on(name, onSignal)

// Shells export COLUMNS for a pager, and tests set it.
const columns = Number(process.env.COLUMNS) || undefined

const wantsColourOn = (isTerminal: boolean): boolean =>
  wantsColour(isTerminal, process.env, refusesColour(words, process.env))

const createWriter = (name: 'stdout' | 'stderr', fd: number): Writer => {
  const target = targetOf(fd, () => process[name], process.platform)
  return createOutput(target, wantsColourOn(target.isTerminal), columns)
}

const environment = { ...process.env }
// Node would warn that it does not check certificates, but orderctl always does.
delete process.env.NODE_TLS_REJECT_UNAUTHORIZED

const longestTimerMs = 2 ** 31 - 1

const getTerminal = () => ({ input: process.stdin, output: process.stderr, signal: interrupted.signal })

const isAccessible = wantsAccessible(process.env)
/** Such a terminal cannot draw a line again. Some programs start commands on a terminal with 0 columns. */
const isPlain = (): boolean => isAccessible || process.env.TERM === 'dumb' || process.stderr.columns === 0
const asking = async (): Promise<Ask> =>
  isPlain()
    ? (await import('./ui/prompts/ask.ts')).askPlainly(getTerminal())
    : (await import('./ui/prompts/ask.ts')).askOn(getTerminal())

const context: Context = {
  version: packageJson.version,
  node: { version: process.versions.node, program: process.execPath },
  stdout: createWriter('stdout', 1),
  stderr: createWriter('stderr', 2),
  stdin: {
    // A getter, because Node creates process.stdin at its first use, and few commands need it.
    get isTerminal() {
      return process.stdin.isTTY === true
    },
    stream: () => process.stdin,
  },
  suggest: createSuggest({ environment, platform: process.platform }),
  clock: {
    now: Date.now,
    monotonic: () => Number(process.hrtime.bigint()) / 1e6,
    sleep: async (ms, signal) => {
      // A timer of more than 24 days overflows and fires at once, so a long wait is split.
      for (let left = ms; left >= 0 && signal?.aborted !== true; left -= longestTimerMs) {
        const part = Math.min(left, longestTimerMs)
        await builtin
          .timers()
          .setTimeout(part, undefined, signal && { signal })
          .catch(() => {})
      }
    },
    newId: () => builtin.crypto().randomUUID(),
  },
  random: Math.random,
  environment,
  platform: process.platform,
  user: () => {
    try {
      return builtin.os().userInfo().username
    } catch {
      // A user id, such as that of a container, may have no name.
      return String(process.getuid?.() ?? 'unknown')
    }
  },
  host: () => {
    try {
      return builtin.os().hostname()
    } catch {
      return 'unknown'
    }
  },
  home: process.env.HOME || process.env.USERPROFILE,
  // A getter, because Intl takes a while to respond and few commands show a time.
  get timeZone() {
    return timeZoneOf(process.env.TZ)
  },
  interrupted: interrupted.signal,
  askYesNo: async (message) => (await (await asking()).yesOrNo(message)) ?? false,
  prompt: async (message, initial) => (await asking()).text({ message, initial, check: () => undefined }),
  promptSecret: async (message) => (await asking()).secret(message),
  openTerminal: async () => {
    const { openControllingTerminal } = await import('./ui/terminal/controlling-terminal.ts')
    return openControllingTerminal(wantsColourOn(true), columns, isPlain(), interrupted.signal)
  },
  asking,
  isAccessible,
  absolute: (file) => path.resolve(file),
  openNetwork: async (options) => (await import('./client/network.ts')).createNetwork(options),
  ...createChildProcesses(environment, () =>
    builtin.sea().isSea() ? [process.execPath] : [process.execPath, process.argv[1] ?? ''],
  ),
}

void run(context, words).then((code) => {
  process.exitCode = code
})

/** bin/orderctl.cjs checks it: an empty main.cjs would do nothing and succeed. */
export const isStarted = true
