// doctor over a real network: addresses, limits, credential commands and certificates. doctor.slow.session has the responses.
import { expect, test } from 'vitest'
import type { Clock } from '../../../src/contract/time.ts'
import { apiKey } from '../../support/embedded.ts'
import { hastyClock, realClock, type Situation, untilAborted } from '../../support/in-process.ts'
import { closedPort, openCounter } from '../../support/network/client-servers.ts'
import { inRealTime, openWorld } from '../../support/world.ts'
import { openDesk, saveProfiles } from './desk.ts'

/** Waits between attempts end at once, and the limits of 5 s never come. */
const impatientClock = (): Clock => {
  const clock = hastyClock()
  const isLimit = (ms: number): boolean => ms > 4_000 && ms <= 5_000
  return { ...clock, sleep: (ms, signal) => (isLimit(ms) ? untilAborted(signal) : clock.sleep(ms, signal)) }
}

/** Examines a profile `gone` at this address and a profile `shop` at a service. */
const examine = async (
  { gone, ...profile }: { readonly gone?: string; readonly credential?: object },
  situation: Situation = {},
  ...flags: string[]
) => {
  const { environment } = await openWorld(inRealTime)
  const desk = openDesk()
  const shop = { name: 'shop', baseUrl: environment.ORDERCTL_BASE_URL ?? '' }
  const credential = { kind: 'key', key: apiKey }
  saveProfiles(desk, { ...shop, credential, ...profile }, ...(gone ? [{ name: 'gone', baseUrl: gone }] : []))
  const examined = await desk.examine(situation, ...flags)
  expect(examined.stdout + examined.stderr).not.toMatch(/the-key|pw1234/)
  expect(examined.questions).toEqual([])
  return examined
}

test('a clock that differs from that of the service is a warning', async () => {
  const clock = { ...realClock, now: () => Date.now() + 120_500 }
  const { exit, find } = await examine({}, { clock })
  expect({ exit, ...find('shop clock') }).toMatchObject({
    ...{ exit: 0, status: 'warning' },
    detail: "this machine's clock is 2 min ahead of the service's",
  })
})

/** A clock on which only this limit comes, and at once. */
const withLimit = (isLimit: (ms: number) => boolean): Clock => ({
  ...realClock,
  sleep: async (ms, signal) => void (isLimit(ms) || (await untilAborted(signal))),
})

const badProxy = { HTTPS_PROXY: 'socks5://me:pw1234@x:1', NO_PROXY: '127.0.0.1' }

test.each([
  ['that refuses connections', '', {}, ': connection refused'],
  ['behind an invalid proxy', 'https://other.invalid', badProxy, 'HTTPS_PROXY is not a valid proxy address'],
])('a service %s is a problem, and the others are still checked', async (_, address, env, detail) => {
  const gone = address || `http://127.0.0.1:${await closedPort()}`
  const { exit, find } = await examine({ gone }, { clock: impatientClock(), env })
  expect({ exit, ...find('gone') }).toMatchObject({
    ...{ exit: 9, status: 'problem' },
    detail: expect.stringContaining(detail),
  })
  expect(find('shop')?.status).toBe('ok')
})

test.each([
  ['in its time', (ms: number) => ms !== 5_000, ': timed out after 4.4 s'],
  ['with the check, even if the call does not end', (ms: number) => ms === 5_000, 'no response within 5 s'],
])('a call without a response ends %s', async (_, isLimit, detail) => {
  await using silent = await openCounter('127.0.0.1')
  const { exit, find } = await examine({ gone: silent.origin }, { clock: withLimit(isLimit) })
  expect({ exit, ...find('gone') }).toMatchObject({
    ...{ exit: 9, status: 'problem' },
    detail: expect.stringContaining(detail),
  })
})

test.each<[string, string, string[], number, string]>([
  ['prints the key', 'echo the-key >&2; echo the-key', [], 0, 'did not refuse the key (404 Not Found)'],
  ['fails', 'exit 3', [], 9, 'the credential command ended with exit code 3'],
  ['reads a response', 'read -r key || exit 4', [], 9, 'the credential command ended with exit code 4'],
  [
    'never ends',
    'exec sleep 600',
    ['--timeout', '3s'],
    9,
    'the credential command did not respond within 1.5 seconds',
  ],
])('a credential command that %s', async (_, command, flags, exit, detail) => {
  const before = Date.now()
  const found = await examine({ credential: { kind: 'command', command } }, {}, ...flags)
  expect({ exit: found.exit, ...found.find('shop') }).toMatchObject({
    exit,
    detail: expect.stringContaining(detail),
  })
  expect(Date.now() - before).toBeLessThan(30_000)
})
