// Runs every command of the guides, page after page, in one home, as a reader would type them.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { widthOf } from '../../src/ui/terminal/text.ts'
import { folder, orderctl, serveMock } from '../support/orderctl.ts'
import { findFreePort } from '../support/postgres/server.ts'
import { noTerminal, onTerminal } from '../support/pseudo-terminal.ts'
import { screenOf } from '../support/screen.ts'
import { commandsOf, openHome, parseBlocks, readBlocks, readSection, runBlocks, typeKey } from './guide.ts'
import { runTeamsPage } from './teams-page.ts'
import { runWebhooksPage } from './webhooks-page.ts'

const desk = openHome(mkdtempSync(path.join(tmpdir(), 'orderctl-guides-')))
afterAll(() => rmSync(desk.home, { recursive: true }))
/** The service at https://orders.example.com. */
const port = await findFreePort()

const read = (name: string): string => readFileSync(path.join(desk.home, name), 'utf8')
const findCodes = (name: string): Set<string> => new Set(read(name).match(/SANDBOX(-[A-Z0-9]{4}){4}/g))
const countCodes = (name: string): number => findCodes(name).size

const headingsOf = (guide: string): string[] =>
  [...readFileSync(guide, 'utf8').matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading)

test('README', { timeout: 240_000 }, async () => {
  const service = await serveMock(['--port', String(port)])
  writeFileSync(path.join(desk.home, 'key.txt'), service.key)
  const runSection = (heading: string) =>
    runBlocks(desk, parseBlocks(readSection('README.md', heading)), (line) =>
      typeKey(
        line
          .replace('npm ci && npx orderctl', 'orderctl')
          .replace('npm test', 'true')
          .replace('https://orders.example.com', service.url),
      ),
    )
  // Other tests install and test the program.
  const installs = ['Install', 'Run the tests']
  const withCommands = headingsOf('README.md').filter((heading) =>
    readSection('README.md', heading).includes('```sh\n'),
  )
  for (const heading of withCommands.filter((each) => !installs.includes(each))) await runSection(heading)

  const first = JSON.parse(read('result.json'))
  expect(first).toMatchObject({ state: 'successful', reference: 'my-reference-1' })
  await desk.run('orderctl profile use sandbox')
  const [again] = parseBlocks(readSection('README.md', 'Recipes'))
  await runBlocks(desk, again === undefined ? [] : [again])
  expect(JSON.parse(read('result.json')).id).toBe(first.id)
  await desk.run('orderctl profile use shop')

  const codes = read('codes.txt').trim().split('\n')
  expect(codes).toHaveLength(2)
  for (const code of codes) for (const file of ['cards.html', 'cards.csv']) expect(read(file)).toContain(code)
  expect(countCodes('prizes-codes.csv')).toBe(6)
  expect(read('.bashrc')).toContain('orderctl.bash')
})

test.skipIf(noTerminal() !== undefined)('README, as a person types it', { timeout: 240_000 }, async () => {
  const service = await serveMock()
  const machine = openHome(folder())
  const responses = { '(y/N)': 'y', 'Key (not shown)': service.key }
  const lines = parseBlocks(readFileSync('README.md', 'utf8')).flatMap(({ kind, text }) =>
    kind === 'sh' ? commandsOf(text) : [],
  )
  for (const { line, exit } of lines.filter((each) => /orderctl |^printf/.test(each.line))) {
    const [, typed = '', redirection = ''] =
      /^(?:npm ci && npx )?orderctl (.*?)( > \S+)?(?: +#.*)?$/.exec(line) ?? []
    if (line.startsWith('printf')) await machine.run(line)
    if (typed === '') continue
    const words = typed
      .replace('npm test', 'true')
      .replace('https://orders.example.com', service.url)
      .split(' ')
    const terminal = onTerminal(words, { HOME: machine.home, SHELL: '/bin/bash' }, redirection)
    const open = new Map(Object.entries(responses))
    let ended: number | null | undefined
    void terminal.ended.then((code) => {
      ended = code
    })
    while (ended === undefined) {
      const asked = [...open.keys()].find((question) => terminal.raw().includes(question))
      if (asked !== undefined) terminal.press(`${open.get(asked)}\r`)
      open.delete(asked ?? '')
      await delay(20)
    }
    expect({ line, ended, text: terminal.text() }).toMatchObject({ ended: exit })
    const wide = screenOf(200)
    wide.write(terminal.raw())
    // A path is never broken.
    const rows = wide.rows().filter((row) => widthOf(row) > 80 && !row.includes('orderctl.bash'))
    expect(rows, line).toEqual([])
  }
})

test('tasks', { timeout: 240_000 }, async () => {
  await runBlocks(desk, readBlocks('docs/tasks.md'))
  expect(['desk-7.html', 'people-codes.csv', 'cards-8.html'].map(countCodes)).toEqual([7, 3, 3])
  expect(read('people-codes.csv')).toMatch(/^"Ada Lovelace",.*SANDBOX-/m)
  expect(read('spend.csv')).toMatch(/USD/)
  expect(read('ticket.txt')).toContain(`code ending in ${read('code.txt').trim().slice(-4)}`)
  expect(countCodes('ticket.txt')).toBe(0)
})

test('safety', async () => {
  const [question] = readBlocks('docs/safety.md')
  await runBlocks(desk, question === undefined ? [] : [question], (line) => line.replace('ORDER', '@last'))
})

test('batch', { timeout: 240_000 }, async () => {
  await runBlocks(desk, readBlocks('docs/batch.md'))
  expect(countCodes('orders-codes.csv')).toBe(10)
  expect(read('orders-codes.csv')).toMatch(/^"Ada Lovelace",.*SANDBOX-.*\n"Grace Hopper",/m)
  for (const code of findCodes('orders-codes.csv'))
    for (const other of ['orders-codes.jsonl', 'orders-cards.html']) expect(read(other)).toContain(code)
  expect(statSync(path.join(desk.home, 'orders-codes.csv')).mode & 0o777).toBe(0o600)
  const cardCounts = {
    ordered: 11,
    delivered: 11,
    failed: 0,
    duplicate: 0,
    unknown: 0,
    cancelled: 0,
    open: 0,
  }
  expect(JSON.parse(read('summary.json'))).toMatchObject({ state: 'successful', cardCounts, spent: 249 })
})

test('reports', { timeout: 60_000 }, async () => {
  await runBlocks(desk, readBlocks('docs/reports.md'))
})

test('webhooks', { timeout: 120_000 }, async () => {
  await runWebhooksPage(desk)
})

test('teams', { timeout: 240_000 }, async () => {
  expect(await runTeamsPage(desk, port)).toBeGreaterThan(25)
})

test('accounts', { timeout: 60_000 }, async () => {
  const service = await serveMock()
  const machine = openHome(folder())
  writeFileSync(path.join(machine.home, 'key.txt'), service.key)
  await runBlocks(machine, readBlocks('docs/accounts.md'), (line) =>
    typeKey(line.replace('https://orders.example.com', service.url)),
  )
})

test('journal', { timeout: 60_000 }, async () => {
  const machine = openHome(folder())
  const order = 'orderctl create --product GAME-US:25 --wallet USD --reference po-1 --confirm'
  expect((await machine.run(`mkdir backup && ${order}`)).exitCode).toBe(0)
  await runBlocks(machine, readBlocks('docs/journal.md'), (line) =>
    line.replace('/backup/', `${machine.home}/backup/`),
  )
  expect((await machine.run(order)).exitCode).toBe(11)
})

test('scripting', { timeout: 120_000 }, async () => {
  const service = await serveMock()
  const machine = openHome(folder())
  let variables = ''
  // The orders and the batch that the examples expect.
  const before: Readonly<Record<string, string>> = {
    '--missing':
      'orderctl create --product GAME-US:25 --product TEST-FAIL:10 --wallet USD --confirm --watch -q; ',
    'batch show': 'orderctl batch run --product GAME-US:25 --wallet USD --name orders --max-total 25 -q; ',
  }
  await runBlocks(machine, readBlocks('docs/scripting.md'), (line) => {
    const adapted = line
      .replace('https://orders.example.com', service.url)
      .replace('KEY=…', `KEY=${service.key}`)
      .replace('X-Key', 'X-Api-Key')
    const place = Object.keys(before).find((words) => line.includes(words))
    const typed = `${variables}${before[place ?? ''] ?? ''}${adapted}`
    if (/^(export |ID=)/.test(line)) variables += `${adapted.replace(/ +#.*/, '')}; `
    return typed
  })
})

test('assistants and troubleshooting', { timeout: 60_000 }, async () => {
  const service = await serveMock()
  const machine = openHome(folder())
  const account = `--base-url ${service.url} --wallet USD --use --key-stdin`
  const order = 'orderctl create --product GAME-US:25 --reference po-1'
  const { exitCode, all } = await machine.run(
    `printf %s ${service.key} | orderctl profile add shop ${account} && ${order}`,
  )
  expect(exitCode, all).toBe(0)
  for (const page of ['docs/assistants.md', 'docs/troubleshooting.md']) {
    const blocks = readBlocks(page).filter(({ kind }) => kind === 'sh')
    await runBlocks(machine, blocks, (line) => line.replace('ORDER', '@last'))
  }
})

test('serve-mock, by curl', async () => {
  const [tour] = parseBlocks(readSection('docs/serve-mock.md', 'Try it with curl'))
  const { exit, stdout } = await orderctl(['serve-mock', '--exec', '--', 'sh', '-euc', tour?.text ?? ''])
  const [confirmed, got] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(exit).toBe(0)
  expect(confirmed.data.state).toBe('confirmed')
  expect(got.data).toMatchObject({ state: 'successful', reference: 'my-first-order' })
  expect(got.data.redeem['GAME-US'].cards).toHaveLength(2)
})
