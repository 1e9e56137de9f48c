// The runs that the pictures in docs/pictures/ show, on a real terminal, with example values for what varies.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { folder, mustRun, serveMock } from '../support/orderctl.ts'
import { onTerminal } from '../support/pseudo-terminal.ts'
import { type Run, screenOf } from '../support/screen.ts'
import type { Picture } from './svg.ts'

const exampleIds = ['sbx_4kq7n2m9x8d3w6ta', 'sbx_b51vt0hz7cpe2y9r', 'sbx_j8s3f6ag1kd4m0xq']
const exampleEnds = ['7K2M', '0412', 'R9XC', '0973']
const exampleTimes = ['2026-01-15 10:00:00 UTC', '2026-01-15 10:00:02 UTC']
const exampleAges = ['3 s ago', '1 s ago']

/** Equal values get equal examples: first the known values, then the others in the order in which they appear. */
const replaceDistinct = (
  text: string,
  pattern: RegExp,
  examples: readonly string[],
  known: readonly string[],
): string => {
  const found = [...new Set([...known, ...[...text.matchAll(pattern)].map(([value]) => value)])]
  if (found.length > examples.length) throw new Error(`${pattern} needs ${found.length} examples`)
  return found.reduce((replaced, value, index) => replaced.replaceAll(value, examples[index] ?? ''), text)
}

const replaceInTurn = (text: string, pattern: RegExp, examples: readonly string[]): string => {
  let index = 0
  return text.replaceAll(pattern, () => examples[index++ % examples.length] ?? '')
}

/** The examples are as long as what they replace, so that tables keep their columns. */
const normalize = (raw: string, orderIds: readonly string[]): string => {
  const ids = replaceDistinct(raw, /sbx_[0-9a-z]{16}/g, exampleIds, orderIds)
  const ends = replaceInTurn(ids, /(?<=••••)[0-9A-Z]{4}/g, exampleEnds)
  const times = replaceInTurn(ends, /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, exampleTimes)
  return replaceInTurn(times, /(?<=UTC, )(?:now|\d+ s ago)/g, exampleAges)
    .replaceAll(/orderctl-\d{4}-\d\d-\d\d-[0-9a-f]{12}/g, 'orderctl-2026-01-15-3f9a0c71b2d4')
    .replaceAll(/(?<= )\d{4}-\d\d-\d\d(?=\r)/g, '2027-01-15')
    .replaceAll(/expires in \d+ min/g, 'expires in 10 min')
    .replaceAll(/after \d+ s/g, 'after 2 s')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:4010')
    .replaceAll(/\d{3} cards a minute/g, '150 cards a minute')
}

const commandRow = (words: readonly string[]): Run[] => [
  { text: '$ ', style: { bold: false, dim: true, colour: undefined } },
  { text: ['orderctl', ...words].join(' '), style: { bold: true, dim: false, colour: undefined } },
]

const rowsOf = (words: readonly string[], raw: string, orderIds: readonly string[] = []): Run[][] => {
  const screen = screenOf(80)
  screen.write(normalize(raw, orderIds))
  return [commandRow(words), ...screen.styledRows()]
}

const captureCreate = async (): Promise<Picture> => {
  const words = 'create --product GAME-US:25x2 --wallet USD --confirm --watch'.split(' ')
  const terminal = onTerminal(words)
  await terminal.ended
  return {
    title: 'orderctl create',
    description:
      'orderctl creates and confirms an order for two gift cards in the sandbox, waits until it is successful, ' +
      'and shows the order, its invoice and both cards. The codes are hidden.',
    rows: rowsOf(words, terminal.raw()),
  }
}

const enter = '\r'

const captureWizard = async (): Promise<Picture> => {
  const words = ['create']
  const terminal = onTerminal(words)
  const responses = [
    ['GAME-US', 'GAME-US'],
    ['❯ GAME-US', enter],
    ['(1)', `2${enter}`],
    ['(y/N)', enter],
    ['❯ USD', enter],
    ['(orderctl-', `team-lunch${enter}`],
  ] as const
  for (const [question, response] of responses) {
    const from = terminal.raw().length
    await terminal.shows(question, question === 'GAME-US' ? 0 : from)
    terminal.press(response)
  }
  await terminal.shows('❯ place the order')
  return {
    title: 'orderctl create, with prompts',
    description:
      'orderctl create has prompted for product, quantity, wallet and reference. It shows the order with its ' +
      'total and account, and asks whether to place it, change it or cancel.',
    rows: rowsOf(words, terminal.raw()),
  }
}

const captureWatch = async (): Promise<Picture> => {
  const orders = [
    ['team-lunch', '--product', 'GAME-US:25x2'],
    ['raffle', '--product', 'GAME-US:25', '--product', 'TEST-FAIL:10'],
    ['welcome', '--product', 'TEST-SLOW:10'],
  ]
  const home = folder()
  const orderIds: string[] = []
  for (const [reference = '', ...products] of orders) {
    const words = ['create', ...products, '--wallet', 'USD', '--reference', reference, '--confirm', '-q']
    orderIds.push(await mustRun(words, { cwd: home }))
  }
  const words = ['watch', ...orders.map(([reference]) => `ref:${reference}`)]
  const terminal = onTerminal(words, { HOME: home })
  const states = /successful.*\n.*partial.*\n.*confirmed/
  while (!states.test(terminal.screen())) await delay(20)
  return {
    title: 'orderctl watch',
    description:
      'orderctl watch shows three orders with one line each: the first is successful, the second partial, and ' +
      'the third still confirmed.',
    rows: rowsOf(words, terminal.raw(), orderIds),
  }
}

/** Sixteen orders may wait at first. So for some seconds, sixteen of 24 are delivered and the others confirmed. */
const captureBatch = async (): Promise<Picture> => {
  const { child, url, key } = await serveMock(['--processing-time', '6s'])
  child.stdout.resume()
  const file = path.join(folder(), 'rewards.csv')
  const rows = Array.from({ length: 120 }, (_, index) => `Person ${index + 1},GAME-US,25\n`)
  writeFileSync(file, `name,sku,quote\n${rows.join('')}`)
  const flags = '--wallet USD --max-total 3500 --parallel 6 --yes'.split(' ')
  const account = { ORDERCTL_BASE_URL: url, ORDERCTL_API_KEY: key }
  const terminal = onTerminal(['batch', 'run', file, ...flags], account)
  const most =
    /80 of 120 cards delivered, 16 of 24 orders, 3,000\.00 of 3,500\.00 USD\s+spent, less than 1 min left/
  while (!most.test(terminal.screen())) await delay(20)
  return {
    title: 'orderctl batch run',
    description:
      'orderctl batch run shows a bar that is two thirds full: 80 of 120 cards are delivered. 16 of 24 orders are ' +
      'done. 3,000.00 of at most 3,500.00 USD are spent.',
    rows: rowsOf(['batch', 'run', 'rewards.csv', ...flags], terminal.raw()),
  }
}

export const captures = {
  create: captureCreate,
  wizard: captureWizard,
  watch: captureWatch,
  batch: captureBatch,
}
