// What is sent again, and when. What spends is not, unless no byte of it has left.
import type { Clock } from '../contract/clock.ts'
import { type HttpRequest, type HttpResponse, NotSent, type Transport } from '../contract/transport.ts'
import { Failure } from '../errors.ts'

const attempts = 3
const shortestMs = 200
/** The longest wait before each further attempt. */
const longestMs = [1_000, 5_000]
const longestAskedMs = 30_000

export type Chance = {
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  /** From 0 up to, but never, 1. */
  readonly random: () => number
}

type Attempt = { readonly response: HttpResponse } | { readonly error: unknown }

export const retrying =
  (transport: Transport, { clock, random }: Chance): Transport =>
  async (request) => {
    for (let attempt = 0; ; attempt += 1) {
      const made = await tried(transport, request)
      const asked = 'response' in made ? askedMs(made.response, clock.now()) : undefined
      const hopeless = attempt === attempts - 1 || (asked ?? 0) > longestAskedMs
      if (!hopeless && mayRepeat(request, made) && !request.signal?.aborted) {
        const jitter = random() * ((longestMs[attempt] ?? shortestMs) - shortestMs)
        await clock.sleep(asked ?? shortestMs + jitter, request.signal)
        if (!request.signal?.aborted) continue
      }
      if ('error' in made) throw made.error
      return made.response
    }
  }

const tried = async (transport: Transport, request: HttpRequest): Promise<Attempt> => {
  try {
    return { response: await transport(request) }
  } catch (error) {
    return { error }
  }
}

const mayRepeat = ({ method }: HttpRequest, made: Attempt): boolean => {
  if ('error' in made && made.error instanceof NotSent) return true
  // By the method and not by a list of what spends: a list can be forgotten.
  if (method !== 'GET') return false
  if ('error' in made) return !(made.error instanceof Failure)
  return made.response.status === 429 || made.response.status >= 500
}

/** `Retry-After`: seconds or a date. */
const askedMs = ({ headers }: HttpResponse, now: number): number | undefined => {
  const value = headers['retry-after']?.trim() ?? ''
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isNaN(ms) ? undefined : Math.max(ms, shortestMs)
}
