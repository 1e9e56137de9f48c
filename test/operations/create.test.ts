// A create that is not sent, and one whose outcome the journal could not record.
import { expect, test } from 'vitest'
import type { Transport } from '../../src/contract/transport.ts'
import { place } from '../../src/operations/create.ts'
import { request } from '../support/client-api.ts'
import { respond } from '../support/world.ts'
import { ending, openSession } from './session.ts'

const order = request(['GAME-US'])

test.each<[string, (own: Transport) => Transport, string, string]>([
  ['a new order', (own) => own, 'local-state', 'was created, and is not confirmed'],
  ['a refusal', () => async () => respond(400, 'No'), 'refused', 'the service refused: No'],
  ['an error', () => async () => respond(502, 'No'), 'unavailable', 'create gave no usable response'],
])('a journal that fails after %s is reported beside it', async (_name, wrap, kind, what) => {
  const { session } = await openSession(wrap)
  const journal = { ...session.journal, end: () => Promise.reject(new Error('the disk is full')) }
  const error = await place({ ...session, journal }, order).catch((failure) => failure)
  expect([error.kind, error.message]).toEqual([kind, expect.stringContaining(what)])
  expect(error.message).toContain('the journal could not be written: the disk is full')
})

test('after an interruption, nothing is sent or recorded', async () => {
  const { session, seen, journal } = await openSession()
  const interrupted = AbortSignal.abort('SIGINT')
  expect(await ending(place({ ...session, interrupted }, order))).toBe('interrupted')
  expect([seen, await journal.read.all('SELECT number FROM orders')]).toEqual([[], []])
})
