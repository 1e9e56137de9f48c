// What happens to the requests of a session: responses that are lost or changed, kills and interrupts.

import type { Clock } from '../../../src/contract/time.ts'
import { parseDuration } from '../../../src/contract/time.ts'
import { type HttpRequest, type HttpResponse, NotSentError } from '../../../src/contract/transport.ts'
import type { Situation } from '../in-process.ts'
import { altered, never, on, type Relay, respond, type World } from '../world.ts'
import { merge } from './format.ts'

/** `confirm 419 Expired`, or only `confirm`. */
const readResponse = (rest: string): [operation: string, status: string, text: string] => {
  const [, operation = '', status = '', text = ''] = /^(\w+) ?(\d*) ?(.*)$/s.exec(rest) ?? []
  return [operation, status, text]
}

const respondAs = async (status: string, text: string): Promise<HttpResponse> => {
  if (text === 'unreachable') throw new NotSentError('connection refused')
  if (status === '') throw new Error('connection reset')
  const response = respond(Number(status), text)
  return text.startsWith('{') ? { ...response, body: text } : response
}

/** `at confirm`, `after confirm` or `in 5s`. */
const readMoment = (rest: string) => {
  const [, when, operation] = /^(at|after) (create|confirm|get)$/.exec(rest) ?? []
  const ms = /^in /.test(rest) ? parseDuration(rest.slice(3)) : undefined
  if (ms !== undefined) return { ms }
  if (operation === undefined)
    throw new Error(`'${rest}' is not one such as: at confirm, after create, in 5s`)
  return { when, operation }
}

/** In parts that are too short for a deadline. */
const sleepShortly: (clock: Clock, ...wait: Parameters<Clock['sleep']>) => Promise<void> = async (
  clock,
  ms,
  signal,
) => {
  for (let left = ms; left > 0 || left === ms; left -= 20_000)
    await clock.sleep(Math.min(left, 20_000), signal)
}

export const createFaults = (world: World) => {
  const relays = new Map<string, Relay>()
  world.through((request, service) => {
    const all = [...relays].map(([key, relay]) => on(key, relay))
    return all.reduceRight<typeof service>((next, relay) => (each) => relay(each, next), service)(request)
  })
  const held: HttpRequest[] = []
  /** What the next command does not survive. */
  let stop: { readonly how: 'kill' | 'interrupt'; readonly rest: string } | undefined
  /** What a wait of the next command begins. */
  const timers: { readonly ms: number; readonly act: () => unknown; dueAt?: number }[] = []
  /** A clock whose waits do what is due. A time counts from the first wait. */
  const withTimers = (clock: Clock, isDeadline: (ms: number) => boolean): Clock => {
    const wait: Clock['sleep'] = async (ms, signal) => {
      const until = clock.now() + ms
      for (const timer of timers) timer.dueAt ??= clock.now() + timer.ms
      const [next] = timers
      if (next?.dueAt === undefined || next.dueAt > until) return sleepShortly(clock, ms, signal)
      await clock.sleep(Math.max(0, next.dueAt - clock.now()), signal)
      if (timers[0] === next) await timers.shift()?.act()
      return wait(Math.max(0, until - clock.now()), signal)
    }
    const sleep: Clock['sleep'] = (ms, signal) =>
      isDeadline(ms) ? clock.sleep(ms, signal) : wait(ms, signal)
    return { ...clock, sleep }
  }
  /** Calls `act` once, at the moment. */
  const planAct = (rest: string, act: () => unknown): void => {
    const { ms, when, operation = '' } = readMoment(rest)
    if (ms !== undefined) return void timers.push({ ms, act })
    const before = relays.get(operation)
    const forward: Relay = before ?? ((request, service) => service(request))
    relays.set(operation, async (request, service) => {
      if (before === undefined) relays.delete(operation)
      else relays.set(operation, before)
      const response = when === 'after' ? await forward(request, service) : undefined
      await act()
      return response ?? forward(request, service)
    })
  }
  /** Runs a command that is killed or interrupted at the moment. */
  const runStopped = async (words: readonly string[], more: Situation) => {
    if (stop === undefined) return world.runIn(words, more)
    const { how, rest } = stop
    stop = undefined
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
    const controller = new AbortController()
    planAct(rest, () => {
      reach()
      return how === 'kill' ? never() : controller.abort()
    })
    const running = world.runIn(words, { ...more, interrupted: controller.signal })
    const isReached = await Promise.race([reached.then(() => true), running.then(() => false)])
    if (!isReached) throw new Error(`the command was to stop ${rest}, and ended without it`)
    if (how === 'interrupt') return running
    return { exit: 137, stdout: '', stderr: '', questions: [] }
  }

  const directives = {
    fault: async (rest: string) => {
      const { status, text } = await world.fault(rest)
      if (status !== 200) throw new Error(text)
    },
    alter: (rest: string) => {
      const [operation, , json] = readResponse(rest)
      const changes: unknown = JSON.parse(json)
      relays.set(operation, async (request, service) =>
        altered(await service(request), (data) => merge(data, changes)),
      )
    },
    replace: (rest: string) => {
      const [operation, status, text] = readResponse(rest)
      relays.set(operation, async (request, service) => {
        const response = await service(request)
        return text === '*' ? { ...response, status: Number(status) } : respondAs(status, text)
      })
    },
    refuse: (rest: string) => {
      const [operation, status, text] = readResponse(rest)
      relays.set(operation, () => respondAs(status, text))
    },
    hold: (rest: string) => {
      const [operation, status, text] = readResponse(rest)
      relays.set(operation, (request) => {
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
    kill: (rest: string) => {
      stop = { how: 'kill', rest }
    },
    interrupt: (rest: string) => {
      stop = { how: 'interrupt', rest }
    },
  }
  return { directives, planAct, withTimers, runStopped }
}
