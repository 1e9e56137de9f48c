// Runs the steps of one session in a world of its own.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseDuration } from '../../../src/contract/duration.ts'
import type { HttpRequest, HttpResponse } from '../../../src/contract/transport.ts'
import { neverLate, type Situation } from '../in-process.ts'
import { altered, never, on, openWorld, overNetwork, type Relay, respond } from '../world.ts'
import { createNames, describeSent, formatExits, merge, printLines } from './format.ts'
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

/** `at confirm` or `after confirm`. */
const readStop = (rest: string) => {
  const [, when, operation = ''] = /^(at|after) (create|confirm|get)$/.exec(rest) ?? []
  if (when === undefined) throw new Error(`'${rest}' is not one such as: at confirm, after create`)
  return { when, operation }
}

/** Returns a function that runs a step and returns the lines that belong below it. */
const openSession = async (processingMs?: number) => {
  const world = await openWorld({ ...overNetwork, ...(processingMs !== undefined && { processingMs }) })
  const names = createNames(world.home)
  let ids = 0
  const newId = (): string => {
    ids += 1
    return `${String(ids).padStart(6, '0')}00-0000-4000-8000-000000000000`
  }
  const clock = { ...world.clock, newId }
  const exported: Record<string, string | undefined> = {}
  let situation: Situation = {}

  const relays = new Map<string, Relay>()
  world.through((request, service) => {
    const all = [...relays].map(([key, relay]) => on(key, relay))
    return all.reduceRight<typeof service>((next, relay) => (each) => relay(each, next), service)(request)
  })
  const held: HttpRequest[] = []
  const setRelay = (operation: string, relay: Relay | undefined): void => {
    if (relay === undefined) relays.delete(operation)
    else relays.set(operation, relay)
  }
  const readRelay = (rest: string): [operation: string, status: string, text: string] => {
    const [, operation = '', status = '', text = ''] = /^(\w+) ?(\d*) ?(.*)$/s.exec(rest) ?? []
    return [operation, status, text]
  }
  const respondAs = (status: string, text: string): Promise<HttpResponse> => {
    if (status === '') return Promise.reject(new Error('connection reset'))
    return Promise.resolve(respond(Number(status), text))
  }

  /** What the next command does not survive. */
  let stop: ({ readonly how: 'kill' | 'interrupt' } & ReturnType<typeof readStop>) | undefined
  /** Runs a command that is killed or interrupted when it sends a request, or when the service has handled it. */
  const runStopped = async (words: readonly string[], more: Situation) => {
    if (stop === undefined) return world.runIn(words, more)
    const { how, when, operation } = stop
    stop = undefined
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
    const controller = new AbortController()
    const before = relays.get(operation)
    const forward: Relay = before ?? ((request, service) => service(request))
    relays.set(operation, async (request, service) => {
      if (before === undefined) relays.delete(operation)
      else relays.set(operation, before)
      const response = when === 'after' ? await forward(request, service) : undefined
      reach()
      if (how === 'kill') return never()
      controller.abort()
      return response ?? forward(request, service)
    })
    const running = world.runIn(words, { ...more, interrupted: controller.signal })
    if (how === 'interrupt') return running
    await Promise.race([reached, running])
    return { exit: 137, stdout: '', stderr: '', questions: [] }
  }

  /** Runs `orderctl create`, which must succeed. */
  const order = async (rest: string, ...flags: string[]): Promise<void> => {
    const [reference = '', ...given] = rest.split(' ')
    const products = (given.length > 0 ? given : ['GAME-US:25']).flatMap((each) => ['--product', each])
    const words = ['create', ...products, '--wallet', 'USD', '--reference', reference, ...flags, '-q']
    const { exit, stdout, stderr } = await world.runIn(words, { ...situation, clock, env: exported })
    if (exit !== 0) throw new Error(`${rest}: exit ${exit}\n${stderr}`)
    names.hide(stdout)
  }

  const directives: Record<string, Directive> = {
    advance: (rest) => world.clock.pass(readDuration(rest)),
    'advance-service': (rest) => world.advance(rest),
    fault: async (rest) => {
      const { status, text } = await world.fault(rest)
      if (status !== 200) throw new Error(text)
    },
    alter: (rest) => {
      const [operation, , json] = readRelay(names.restore(rest))
      const changes = json === '' ? undefined : (JSON.parse(json) as unknown)
      setRelay(
        operation,
        changes === undefined
          ? undefined
          : async (request, service) => altered(await service(request), (data) => merge(data, changes)),
      )
    },
    replace: (rest) => {
      const [operation, status, text] = readRelay(rest)
      setRelay(operation, async (request, service) => {
        await service(request)
        return respondAs(status, text)
      })
    },
    refuse: (rest) => {
      const [operation, status, text] = readRelay(rest)
      setRelay(operation, () => respondAs(status, text))
    },
    hold: (rest) => {
      const [operation, status, text] = readRelay(rest)
      setRelay(operation, (request) => {
        const { signal: _, ...copy } = request
        held.push(copy)
        return respondAs(status, text)
      })
    },
    deliver: async () => {
      relays.clear()
      for (const copy of held.splice(0)) await world.service(copy)
    },
    honest: () => relays.clear(),
    kill: (rest) => {
      stop = { how: 'kill', ...readStop(rest) }
    },
    interrupt: (rest) => {
      stop = { how: 'interrupt', ...readStop(rest) }
    },
    file: (rest, { content }) =>
      writeFileSync(path.join(world.home, rest), names.restore(content.map((line) => `${line}\n`).join(''))),
    elsewhere: async (rest) => {
      const [, what, words = '', reference = 'ref-1'] = /^(\w+) (.*?)(?: as (.*))?$/.exec(rest) ?? []
      if (what === 'create') return `${await world.createdAs(reference, ...words.split(' '))}\n`
      if (what === 'confirm') return void (await world.calls.confirm(names.restore(words)))
      throw new Error(`elsewhere creates or confirms, and does not ${what}`)
    },
    place: (rest) => order(rest),
    buy: (rest) => order(rest, '--confirm'),
    bought: () =>
      world
        .bought()
        .map((id) => `${id}\n`)
        .join(''),
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
    user: (rest) => {
      situation = { ...situation, osUser: rest }
    },
    machine: (rest) => {
      situation = { ...situation, host: rest }
    },
    platform: (rest) => {
      situation = { ...situation, platform: rest }
    },
  }

  /** The prompts of a command: each question with the response, and problems of a response without. */
  const runOrderctl = async (command: Command, input: string, step: Step) => {
    const asked: { question: string; response: string }[] = []
    const answers = step.answers.map((response) => (question: string) => {
      asked.push({ question, response })
      const [, text = response, after] = /^(.*) after (\d+\w+)$/.exec(response) ?? []
      if (after !== undefined) world.clock.pass(readDuration(after))
      return (
        ({ yes: true, no: false, '^C': undefined } as Record<string, boolean | undefined>)[text] ??
        (text === '^C' ? undefined : names.restore(text))
      )
    })
    const terminals = answers.length > 0 ? streams : situation.terminals
    const ran = await runStopped(command.words.slice(1).map(names.restore), {
      ...situation,
      ...(terminals && { terminals }),
      answers,
      input,
      clock: terminals?.includes('stderr') ? neverLate(clock) : clock,
      env: { ...exported, ...command.env },
    })
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
      const [program, assignment = ''] = command.words
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
    const lines: string[] = []
    const exits: number[] = []
    const expanded = step.text.slice(2).replaceAll(/\$([A-Z]+)/g, (_, name) => exported[name] ?? '')
    for (const line of unrollLoop(expanded)) {
      const ran = await runPipeline(line, step)
      lines.push(...ran.lines)
      exits.push(ran.exit)
    }
    return [...lines, ...formatExits(exits), ...describeSent(world.operations().slice(before), step.output)]
  }

  return async (step: Step): Promise<readonly string[]> => {
    if (step.text.startsWith('$ ')) return runCommands(step)
    const [word = ''] = step.text.split(' ')
    const directive = directives[word]
    if (directive === undefined)
      throw new Error(`'${word}' is none of: $, ${Object.keys(directives).join(', ')}, processing`)
    const printed = await directive(step.text.slice(word.length + 1), step)
    return typeof printed === 'string' ? printLines('>', names.hide(printed)) : []
  }
}

/** Runs the steps up to the first that prints something else, and returns what they printed. */
export const runSession = async (
  steps: readonly Step[],
  onOutput: (step: Step, output: readonly string[]) => boolean,
): Promise<void> => {
  const [first, ...others] = steps
  const processing = first?.text.startsWith('processing ') === true
  const run = await openSession(processing ? readDuration(first.text.slice('processing '.length)) : undefined)
  for (const step of processing ? others : steps) if (!onOutput(step, await run(step))) return
}
