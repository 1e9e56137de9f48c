// create's questions: signals, narrow terminals, pipes, and the time of the expiry. wizard.session has the others.
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { realClock, swiftClock } from '../../support/in-process.ts'
import { overSocket } from '../../support/world.ts'
import { wizardDesk } from './wizard-desk.ts'

const { open, creating } = wizardDesk()

const place = 'Enter'

const game = ['GAME-US', '2']
const rest = ['EUR', 'ref-1']

describe('in the end', { concurrent: true }, () => {
  const whole = [...game, false, ...rest, place]

  test('until when it can be confirmed is said once, by the clock of the service', async () => {
    const { stderr } = await creating([], [...whole, false], { clock: swiftClock() })
    expect(stderr).toContain(
      'You can confirm it until 2026-03-01 12:10:00 UTC, 10 min from now. After that,\nit expires and costs nothing.\n',
    )
    const shop = wizardDesk(overSocket)
    const answers = ['GAME-US', '25', 'fixed', '', false, ...rest, place, false]
    // The clock of the service is an hour ahead of this machine's.
    const clock = { ...realClock, now: () => Date.now() - 3_600_000 }
    const late = await shop.creating([], answers, { clock })
    const times = [
      ...late.stderr.matchAll(/(?:Validity .*|confirm it until )(\d{4}-\d\d-\d\d [\d:]{8} UTC)/g),
    ]
    expect(times).toHaveLength(2)
    expect(times[0]?.[1]).toBe(times[1]?.[1])
    expect(Date.parse(times[0]?.[1] ?? '')).toBeGreaterThan(Date.now())
    expect(late.stderr).toMatch(/UTC, (9|10) min from now/)
  })

  test('the order that was created is the result where stdout is elsewhere', async () => {
    const { stdout } = await creating([], [...whole, false], { terminals: ['stdin', 'stderr'] })
    expect(stdout).toMatch(/^Order .*\nReference {2}ref-1\n/)
  })
})

test('SIGTERM ends it with its exit code', async () => {
  const interrupted = new AbortController()
  const end = () => {
    interrupted.abort('SIGTERM')
    return undefined
  }
  const ran = await creating([], [end], { interrupted: interrupted.signal })
  expect(ran).toMatchObject({ exit: 143, sent: [] })
})

test('on 60 columns no line is longer, but the command, which is one', async () => {
  const answers = ['GAME-US', '', true, 'COFFEE-US', '12.50', '2', false, place, true]
  const ran = await creating(['--wallet', 'USD', '--reference', 'ref-1'], answers, { env: { COLUMNS: '60' } })
  const long = `${ran.stderr}${ran.stdout}`.split('\n').filter((each) => each.length > 60)
  expect(long.filter((each) => !each.includes('orderctl'))).toEqual([])
})

test.skipIf(process.platform === 'win32')('an order file that is a pipe is read once', async () => {
  const whole = {
    productList: [{ sku: 'GAME-US', productType: 'fixed', quote: 25, quantity: 2 }],
    wallet: 'EUR',
    reference: 'ref-9',
  }
  const shop = await open()
  const pipe = path.join(shop.home, 'pipe')
  execFileSync('mkfifo', [pipe])
  const written = writeFile(pipe, JSON.stringify(whole))
  const ran = await creating([pipe], [], {}, shop)
  await written
  expect(ran).toMatchObject({ exit: 0, questions: [], sent: [whole] })
})
