// The value to find is in no output, file or environment of another program, also if the search fails.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { Ran } from '../../support/orderctl.ts'
import { openDesk } from './find-desk.ts'

const canary = 'CANARY-9F3K-X7Q2-81MN'
const spellings = [canary, canary.toLowerCase(), canary.replaceAll('-', ''), btoa(canary).slice(0, -4)]

const findLeaks = (home: string, { stdout, stderr }: Ran): string[] => {
  const files = readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
  const places: [string, Buffer][] = [
    ['stdout', Buffer.from(stdout)],
    ['stderr', Buffer.from(stderr)],
    ...files.map((file): [string, Buffer] => [path.basename(file), readFileSync(file)]),
  ]
  return places
    .filter(([, bytes]) =>
      spellings.some((text) => bytes.includes(text) || bytes.includes(text.toUpperCase())),
    )
    .map(([place]) => place)
}

const plant = (text: string): string =>
  text.replaceAll(/"redeemCardCode":\s*"[^"]*"/g, `"redeemCardCode":"${canary}"`)

/** The service repeats the code in the name of the product. */
const repeat = (text: string): string => text.replaceAll('Quorvane Games', `Games ${canary}`)

type Prepare = (desk: Awaited<ReturnType<typeof openDesk>>) => Promise<unknown> | unknown
const nothing: Prepare = () => undefined
const broken =
  '--import data:text/javascript,Map.groupBy=String.prototype.normalize=()=>{throw(new(TypeError)(1))}'

test.each<[string, readonly string[], number, Prepare, Record<string, string>]>([
  ['found', [], 0, nothing, {}],
  ['found, as JSON', ['--json', '--all'], 0, nothing, {}],
  ['found, with a trace', ['--debug'], 0, nothing, { ORDERCTL_DEBUG: '1' }],
  [
    'found, and repeated by the service',
    [],
    0,
    (desk) => desk.changeAnswers((text) => repeat(plant(text))),
    {},
  ],
  [
    'found and repeated, as JSON',
    ['--json'],
    0,
    (desk) => desk.changeAnswers((text) => repeat(plant(text))),
    {},
  ],
  ['not found', ['--since', '0'], 3, nothing, {}],
  ['a refused key', ['--debug'], 4, nothing, { ORDERCTL_API_KEY: 'wrong' }],
  ['a service that is down', ['--timeout', '1s'], 5, ({ fault }) => fault('get:reset-before@100%'), {}],
  ['a service that answers nonsense', [], 5, ({ changeAnswers }) => changeAnswers(() => '{'), {}],
  ['a defect', ['--debug'], 1, nothing, { NODE_OPTIONS: broken }],
  ['a wrong flag', ['--since', 'yesterday'], 2, nothing, {}],
])('%s', { timeout: 60_000 }, async (_, words, exit, prepare, env) => {
  const desk = await openDesk(true)
  await desk.buy('wanted', 'GAME-US:25')
  desk.changeAnswers(plant)
  await prepare(desk)
  const ran = await desk.find(` ${canary}\n`, words, { env })
  expect({ exit: ran.exit, stderr: ran.stderr }).toMatchObject({ exit })
  expect(findLeaks(desk.home, ran)).toEqual([])
})

test('a leak would be seen', async () => {
  const desk = await openDesk(true)
  const ran = await desk.run(['get', canary])
  expect(findLeaks(desk.home, ran)).toEqual(['stderr'])
})
