// Checks what the README and the guides say, and runs the first command.
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { exitCodes } from '../src/errors.ts'
import { faultKinds } from '../src/service/faults.ts'
import { isAllRun } from './support/cases.ts'
import { openService } from './support/embedded.ts'
import { inProcess } from './support/in-process.ts'
import { orderctl } from './support/orderctl.ts'

const readme = readFileSync('README.md', 'utf8')
const reference = readFileSync('docs/reference.md', 'utf8')
const serveMock = readFileSync('docs/serve-mock.md', 'utf8')
const troubleshooting = readFileSync('docs/troubleshooting.md', 'utf8')

const sectionOf = (guide: string, title: string): string =>
  guide.split(`\n## ${title}\n`)[1]?.split(/\n## /)[0] ?? ''
/** The first cells of a section's table rows. */
const firstCells = (title: string): string[] =>
  [...sectionOf(serveMock, title).matchAll(/^\| (.*?) \|/gm)].map(([, cell]) => cell ?? '').slice(1)

test('a page that everyone reads is short', () => {
  const countWords = (text: string): number => text.trim().split(/\s+/).length
  expect(countWords(readme)).toBeLessThan(850)
  expect(countWords(readFileSync('docs/safety.md', 'utf8'))).toBeLessThanOrEqual(700)
  const words = sectionOf(readFileSync('docs/README.md', 'utf8'), 'Words').match(/\*\*[A-Z][^*]*\*\*/g)
  expect(words?.length).toBeLessThanOrEqual(12)
})

test.runIf(isAllRun)('the first command of the README works as it stands', async () => {
  const words = /^npm ci && npx orderctl (.*)$/m.exec(readme)?.[1]?.split(' ') ?? []
  const { exit, stdout } = await orderctl(words)
  expect(exit).toBe(0)
  expect(stdout).toMatch(/successful[\s\S]*GAME-US .*••••/)
})

test('the exit codes of the reference are those of the program', () => {
  const rows = [...reference.matchAll(/^\| (\d+) `([a-z-]+)` \| (.*) \|$/gm)].map(([, ...cells]) => cells)
  expect(rows).toEqual(
    Object.entries(exitCodes).map(([name, { code, meaning }]) => [String(code), name, meaning]),
  )
})

test('the error example of the reference has the fields of an error', async () => {
  const { stderr } = await inProcess(['get', 'sbx_none', '--json'])
  const example = /^{"error":.*$/m.exec(reference)?.[0] ?? '{}'
  expect(Object.keys(JSON.parse(example).error)).toEqual(Object.keys(JSON.parse(stderr).error))
})

test('the guide of serve-mock names every fault, and whether the work is done', () => {
  const kinds = firstCells('Faults').flatMap((cell) =>
    [...cell.matchAll(/`([a-z-]+)/g)].map(([, kind]) => kind),
  )
  expect([...new Set(kinds)].sort()).toEqual(Object.keys(faultKinds).sort())
})

test('the guide of serve-mock names every control request', async () => {
  await using service = await openService()
  const { data } = await service.mock('GET', '/')
  const routes = data.filter(({ path }: { path: string }) => path !== '/_mock/')
  for (const { method, path } of routes) {
    const row = firstCells('Control').find((cell) => cell.includes(path))
    expect(row, path).toContain(method)
  }
})

test('the messages that the troubleshooting guide quotes are in the source', () => {
  const source = [...globSync('src/**/*.ts'), 'bin/orderctl.cjs']
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  const headings = [...troubleshooting.matchAll(/^## `(?:error: )?(.*)`$/gm)]
  const cells = [...troubleshooting.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell = '']) => [
    ...cell.matchAll(/`(.*?)`/g),
  ])
  // A name of a variable is inserted by the code, like any other value.
  const parts = [...headings, ...cells]
    .flatMap(([, text = '']) => text.split(/…|ORDERCTL_[A-Z_]+/))
    .map((text) => text.trim())
    .filter((text) => text !== '')
  expect(parts.length).toBeGreaterThan(15)
  expect(parts.filter((text) => !source.includes(text))).toEqual([])
})
