// Runs the steps of one session in a world of its own.

import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Clock } from '../../../src/contract/time.ts'
import { parseDuration } from '../../../src/contract/time.ts'
import { isAllRun } from '../cases.ts'
import { findJsonProblem } from '../check-json.ts'
import { neverLate, type Situation, untilAborted } from '../in-process.ts'
import { openWorld, overNetwork, type Way } from '../world.ts'
import { createClipboard } from './clipboard.ts'
import { createFaults } from './faults.ts'
import { createNames, describeSent, formatExits, formatTurns, printLines } from './format.ts'
import { createMeanwhile } from './meanwhile.ts'
import { batchWords, orderWords } from './orders.ts'
import { promptSign, type Step } from './parse.ts'
import { type Command, parseLine, type Result, runProgram, unrollLoop, writeOutput } from './shell.ts'

/** What follows a word at the begin of a line, such as `advance 5s`. Returns what it prints, if anything. */
type Directive = (rest: string, step: Step) => unknown

const streams = ['stdin', 'stdout', 'stderr'] as const

const readDuration = (text: string): number => {
  const ms = parseDuration(text)
  if (ms === undefined) throw new Error(`'${text}' is not a duration such as 5s`)
  return ms
}

const noStep: Step = { line: 0, above: [], text: '', content: [], answers: [], output: [] }

/** What the first line says about the world. */
type Opening = {
  readonly way: Way
  /** The database of the roles. Without tables, it is empty. */
  readonly shared?: { readonly hasTables: boolean; readonly roles: readonly string[] }
  /** Batches above this amount need an approval. */
  readonly approveAbove?: string | undefined
}

const readOpening = ({ text = '' }: Partial<Step> = {}): Opening | undefined => {
  const [, processing, shared, roles = '', approveAbove] =
    /^(?:processing (.*)|(team|database)( .*?)?(?: above (\w+))?)$/.exec(text) ?? []
  if (processing !== undefined) return { way: { processingMs: readDuration(processing) } }
  // Statements of PostgreSQL take real time, in which a clock that jumps would let orders expire.
  if (shared !== undefined)
    return {
      way: { realTime: true, processingMs: 0 },
      shared: { hasTables: shared === 'team', roles: roles.split(' ').filter(Boolean) },
      approveAbove,
    }
  return undefined
}

const mapValues = (env: Command['env'], change: (text: string) => string): Command['env'] =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value && change(value)]))

/** Returns a function that runs a step and returns the lines that belong below it. */
const openSession = async ({ way, shared, approveAbove }: Opening) => {
  const world = await openWorld({ ...overNetwork, ...way, copied: isAllRun })
  // Most sessions need no database.
  const { openSharedDatabase } = shared === undefined ? {} : await import('./database.ts')
  const { team, setConnection } =
    (shared && (await openSharedDatabase?.(shared.hasTables, shared.roles))) ?? {}
  const names = createNames(world.home, team)
  let ids = 0
  const newId = (): string => {
    ids += 1
    return `${String(ids).padStart(6, '0')}00-0000-4000-8000-000000000000`
  }
  // While others act, the waits of a command go on only with theirs.
  const [clock, heldClock] = [world.clock, world.ownClock].map((each) => ({ ...each, newId })) as [
    Clock,
    Clock,
  ]
  // Other tests leave files in the system's folder.
  let exported: Record<string, string | undefined> = { TMPDIR: world.home }
  let situation: Situation = {}
  let clipboard: ReturnType<typeof createClipboard> | undefined
  let isOnce = false

  const faults = createFaults(world)

  /** Runs a command that must succeed. */
  const must = async (words: readonly string[]): Promise<void> => {
    const { exit, stdout, stderr } = await world.runIn(words, { ...situation, clock, env: exported })
    if (exit !== 0) throw new Error(`${words.join(' ')}: exit ${exit}\n${stderr}`)
    names.hide(stdout)
  }

  const meanwhile = createMeanwhile({
    run: (step) => run(step),
    ...{ planAct: faults.planAct, hold: world.hold },
    keepSurroundings: () => {
      const before = { situation, exported: { ...exported } }
      return () => {
        ;({ situation, exported } = before)
      }
    },
  })

  const directives: Record<string, Directive> = {
    ...faults.directives,
    meanwhile: meanwhile.plan,
    once: async (rest, step) => {
      await run({ ...step, text: rest })
      isOnce = true
    },
    advance: (rest) => world.clock.pass(readDuration(rest)),
    file: (rest, { content }) =>
      writeFileSync(path.join(world.home, rest), names.restore(content.map((line) => `${line}\n`).join(''))),
    elsewhere: async (rest) => {
      const [, what, words = '', reference = 'ref-1'] = /^(\w+) (.*?)(?: as (.*))?$/.exec(rest) ?? []
      if (what === 'create') return `${await world.createdAs(reference, ...words.split(' '))}\n`
      if (what === 'confirm') return void (await world.calls.confirm(words))
      throw new Error(`elsewhere creates or confirms, and does not ${what}`)
    },
    place: (rest) => must(orderWords(rest)),
    buy: (rest) => must(orderWords(rest, '--confirm')),
    receive: async (rest) => {
      await must(orderWords(rest, '--confirm'))
      world.clock.pass(5_000)
    },
    plan: (rest) => must(batchWords('plan', rest)),
    run: (rest) => must(batchWords('run', rest, '--max-total', '500')),
    bought: () => {
      const ids = world.bought()
      return ids.length > 0 ? `${ids.join(' ')}\n` : ''
    },
    assistant: (rest) => {
      const { assistant: _, ...alone } = situation
      situation = rest === 'leaves' ? alone : { ...situation, assistant: JSON.parse(rest || '{}') }
    },
    on: (rest) => {
      const [, columns] = /^a terminal(?: of (\d+) columns)?$/.exec(rest) ?? []
      situation = { ...situation, terminals: streams }
      if (columns !== undefined) exported.COLUMNS = columns
    },
    in: () => {
      const { terminals: _, ...piped } = situation
      situation = piped
    },
    sandbox: () => {
      exported.ORDERCTL_BASE_URL = undefined
      exported.ORDERCTL_API_KEY = undefined
    },
    clipboard: (rest) => {
      const [word, ...words] = rest.split(' ')
      if (word === '') return clipboard?.describe()
      if (word === 'holds') return clipboard?.hold(words.join(' '))
      clipboard = createClipboard(...rest.split(' '))
      situation = { ...situation, pipe: async (...call) => clipboard?.pipe(...call) ?? '' }
    },
    user: (rest) => {
      situation = { ...situation, osUser: rest }
    },
    machine: (rest) => {
      situation = { ...situation, host: rest }
    },
    platform: (rest) => {
      situation = { ...situation, platform: rest }
    },
    as: (role) => {
      exported.ORDERCTL_STATE_DIR = path.join(world.home, role)
      exported.ORDERCTL_JOURNAL = team?.address(role)
      exported.PGPASSWORD = team?.password
    },
    approvals: () => team?.expireApprovals(),
    connection: (rest) => setConnection?.(rest),
    sql: async (rest) => {
      const [role = '', ...words] = rest.replaceAll('\\\n', ' ').split(' ')
      const rows = (await team?.runAs(role, words.join(' '))) ?? []
      return rows.map((row) => `${Object.values(row).join('|')}\n`).join('')
    },
  }

  const findDirective = (line: string): Directive | undefined => directives[line.split(' ')[0] ?? '']
  /** Calls a tool of `orderctl mcp`, whose flags are in $MCP. */
  const callTool = async ([, name = '', given = '{}']: readonly string[]): Promise<Result> => {
    const { openAssistant } = await import('../assistant.ts')
    const { MCP, ...env } = exported
    const flags = (MCP ?? '--allow create').split(' ')
    const { call, close } = await openAssistant(world, flags, { ...situation, env, finished: () => {} })
    const { isError, ...document } = await call(name, JSON.parse(given))
    await close()
    return { exit: isError ? 1 : 0, stdout: `${JSON.stringify(document)}\n`, stderr: '' }
  }

  /** The prompts of a command: each question with the response, and problems of a response without. */
  const runOrderctl = async (command: Command, input: string, step: Step) => {
    const asked: { question: string; response: string }[] = []
    const answers = step.answers.map((response) => async (question: string) => {
      asked.push({ question, response })
      await meanwhile.atPrompt()
      const [, text = response, after] = /^(.*) after (\d+\w+)$/.exec(response) ?? []
      if (after !== undefined) world.clock.pass(readDuration(after))
      if (text === '^C') return undefined
      return text === 'yes' || text === 'no' ? text === 'yes' : names.restore(text)
    })
    const terminals = answers.length > 0 ? streams : situation.terminals
    const isMeanwhile = meanwhile.isRunning()
    // A value stays on the clipboard for 45 s.
    const isDeadline = (ms: number) => ms > 20_000 && (ms !== 45_000 || !command.words.includes('--copy'))
    // At the TAB key, orderctl waits for a server only 150 ms.
    const isPatient = shared !== undefined && command.words[1] === '__complete'
    const patient = { ...clock, sleep: (_ms: number, signal?: AbortSignal) => untilAborted(signal) }
    const own = isPatient ? patient : isMeanwhile ? clock : faults.withTimers(heldClock, isDeadline)
    const ran = await faults.runStopped(command.words.slice(1).map(names.restore), {
      ...situation,
      ...(terminals && { terminals }),
      answers,
      input,
      clock: terminals?.includes('stderr') ? neverLate(own) : own,
      env: { ...exported, ...mapValues(command.env, names.restore) },
    })
    if (!isMeanwhile) await meanwhile.end()
    const problem = command.words.includes('--json') && findJsonProblem(command.words.slice(1), ran)
    if (problem) throw new Error(problem)
    const isQuiet = !isMeanwhile && shared === undefined
    if (isAllRun && isQuiet && /try: |"fix":/.test(ran.stderr)) {
      const { checkTries } = await import('./tries.ts')
      await checkTries(world, ran.stderr, {
        ...situation,
        env: { ...exported, ...mapValues(command.env, names.restore) },
      })
    }
    const prompts = ran.questions.flatMap((text) => {
      const isAsked = asked[0]?.question === text
      const response = isAsked ? asked.shift()?.response : undefined
      const lines = names
        .hide(text)
        .split('\n')
        .map((line) => `: ${line}`.trimEnd())
      return isAsked ? [...lines.slice(0, -1), `${lines.at(-1)}${promptSign}${response}`.trimEnd()] : lines
    })
    return { result: { ...ran, exit: ran.exit ?? -1 }, prompts }
  }

  /** Runs a pipeline. Returns its lines and its exit code. */
  const runPipeline = async (line: string, step: Step): Promise<{ lines: string[]; exit: number }> => {
    const prompts: string[] = []
    let [input, stderr, exit] = ['', '', 0]
    for (const command of parseLine(line)) {
      const [program, assignment = ''] = command.words.map(names.restore)
      if (program === 'export' || program === 'unset') {
        const [name = '', ...value] = assignment.split('=')
        exported[name] = program === 'unset' ? undefined : value.join('=')
        continue
      }
      if (command.input !== undefined) input = runProgram(['cat', command.input], '', world.home).stdout
      let result: Result
      if (program === 'orderctl') {
        const ran = await runOrderctl(command, input, step)
        prompts.push(...ran.prompts)
        result = ran.result
      } else if (program === 'mcp') result = await callTool(command.words.map(names.restore))
      else if (program === 'date') {
        const stdout = `${new Date(world.clock.now()).toISOString()}\n`
        result = { exit: 0, stdout, stderr: '' }
      } else result = runProgram(command.words.map(names.restore), names.restore(input), world.home)
      input = names.hide(result.stdout)
      const errors = names.hide(result.stderr)
      if (command.errors === 'piped') input += errors
      else if (command.errors === 'shown') stderr += errors
      if (command.output !== undefined) {
        writeOutput(world.home, command.output, result.stdout)
        input = ''
      }
      exit ||= result.exit
    }
    return { lines: [...prompts, ...printLines('>', input), ...printLines('!', stderr)], exit }
  }

  const runCommands = async (step: Step): Promise<string[]> => {
    const before = world.operations().length
    const turns: string[][] = []
    const exits: number[] = []
    const expanded = step.text.slice(2).replaceAll(/\$([A-Z]+)/g, (_, name) => exported[name] ?? '')
    for (const turn of unrollLoop(expanded)) {
      const lines: string[] = []
      for (const line of turn) {
        const directive = findDirective(line)
        if (directive !== undefined) {
          await directive(names.restore(line.replace(/^\w+ /, '')), step)
          continue
        }
        const ran = await runPipeline(line, step)
        lines.push(...ran.lines)
        exits.push(ran.exit)
      }
      turns.push(lines)
    }
    return [
      ...formatTurns(turns),
      ...formatExits(exits),
      ...describeSent(world.operations().slice(before), step.output),
    ]
  }

  const run = async (step: Step): Promise<readonly string[]> => {
    if (step.text.startsWith('$ ')) {
      const lines = await runCommands(step)
      if (isOnce) faults.directives.honest()
      isOnce = false
      return lines
    }
    const [word = ''] = step.text.split(' ')
    const directive = findDirective(word)
    if (directive === undefined)
      throw new Error(
        `'${word}' is none of: $, ${Object.keys(directives).join(', ')}, processing, team, database`,
      )
    const printed = await directive(names.restore(step.text.slice(word.length + 1)), step)
    return typeof printed === 'string' ? printLines('>', names.hide(printed)) : []
  }
  if (shared !== undefined) await directives.as?.('ana', noStep)
  const approve = `$ orderctl profile limits --approve-above ${approveAbove}`
  if (approveAbove !== undefined) await runCommands({ ...noStep, text: approve })
  return run
}

/** Runs the steps up to the first that prints something else, and returns what they printed. */
export const runSession = async (
  steps: readonly Step[],
  onOutput: (step: Step, output: readonly string[]) => boolean,
): Promise<void> => {
  const [first, ...others] = steps
  const opening = readOpening(first)
  const run = await openSession(opening ?? { way: {} })
  for (const step of opening === undefined ? steps : others) if (!onOutput(step, await run(step))) return
}
