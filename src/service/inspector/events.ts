// The stream of server-sent events that keeps the inspector's page up to date.
import type { Clock } from '../../contract/clock.ts'
import { type ExchangeLog, summarizeExchange } from './exchange-log.ts'

type Source = {
  readonly log: ExchangeLog
  /** Returns JSON of an object. */
  readonly writeState: () => string
  /** The time of the service. */
  readonly now: () => number
  readonly clock: Pick<Clock, 'sleep'>
  /** JSON of what never changes. */
  readonly setup: string
}

/** Each page polls, so recording a request notifies nobody and costs the same with and without a page. */
const pollMs = 250

/** Ends when the signal aborts. A slow reader gets fewer, larger events. */
export const streamEvents = ({ log, writeState, now, clock, setup }: Source) =>
  async function* (signal: AbortSignal): AsyncGenerator<string> {
    let sentId = 0
    let sentOldest = 0
    let sentState = ''
    yield writeEvent('setup', setup)
    while (!signal.aborted) {
      const exchanges = log.listAfter(sentId)
      const oldest = log.oldestId()
      if (exchanges.length > 0 || oldest !== sentOldest) {
        sentId = log.newestId()
        sentOldest = oldest
        const requests = exchanges.map(summarizeExchange)
        yield writeEvent('requests', JSON.stringify({ oldest, requests }))
      }
      const state = writeState()
      if (state !== sentState) {
        sentState = state
        yield writeEvent('state', `{"now":${now()},${state.slice(1)}`)
      }
      await clock.sleep(pollMs, signal)
    }
  }

const writeEvent = (name: string, json: string): string => `event: ${name}\ndata: ${json}\n\n`
