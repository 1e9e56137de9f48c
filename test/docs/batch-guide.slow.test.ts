// Runs every command of docs/batch.md, in its order, and compares exit codes and outputs with the guide.
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { exitCodes } from '../../src/exit-codes.ts'
import { executable, folder } from '../support/orderctl.ts'
import { collapse, commandsOf, readBlocks } from './guide.ts'

const guide = readFileSync('docs/batch.md', 'utf8')

const blocks = readBlocks('docs/batch.md')

const openHome = () => {
  const home = folder()
  const programs = path.join(home, 'programs')
  mkdirSync(programs)
  const program = path.join(programs, 'orderctl')
  writeFileSync(program, `#!/bin/sh\nexec ${executable.map((word) => `'${word}'`).join(' ')} "$@"\n`)
  chmodSync(program, 0o755)
  const run = (line: string) =>
    execa('sh', ['-c', line], {
      cwd: home,
      env: { PATH: `${programs}:${process.env.PATH}`, HOME: home },
      ...{ extendEnv: false, reject: false, all: true, stdin: 'ignore' as const },
    })
  return { home, run }
}

test('every command of the guide to batches works as it stands', { timeout: 120_000 }, async () => {
  const { home, run } = openHome()
  const read = (name: string): string => readFileSync(path.join(home, name), 'utf8')
  let output = ''
  let commands = 0
  for (const { kind, text, file } of blocks) {
    if (file !== undefined) writeFileSync(path.join(home, file), text)
    if (kind === 'text') {
      for (const line of text.trimEnd().split('\n')) expect(collapse(output)).toContain(collapse(line))
    }
    if (kind !== 'sh') continue
    output = ''
    for (const { line, exit } of commandsOf(text)) {
      const ran = await run(line)
      expect({ line, exit: ran.exitCode, all: ran.all }).toMatchObject({ exit })
      output += `${ran.all}\n`
      commands += 1
    }
  }
  expect(commands).toBeGreaterThan(25)

  const codes = [...read('codes.csv').matchAll(/SANDBOX-[A-Z0-9-]+(?=")/g)].map(([code]) => code)
  expect(new Set(codes).size).toBe(10)
  expect(read('codes.csv')).toMatch(/^"Ada Lovelace",.*SANDBOX-.*\n"Grace Hopper",/m)
  for (const code of codes) {
    for (const other of ['codes.jsonl', 'cards.html']) expect(read(other)).toContain(code)
  }
  expect(statSync(path.join(home, 'codes.csv')).mode & 0o777).toBe(0o600)
})

test('the summary in the guide is that of the command before it', async () => {
  const { home, run } = openHome()
  for (const { file, text } of blocks) if (file !== undefined) writeFileSync(path.join(home, file), text)
  const commands = blocks.filter(({ kind }) => kind === 'sh').flatMap(({ text }) => commandsOf(text))
  const added = commands.find(({ line }) => line.endsWith('>> orders.csv'))?.line ?? ''
  const bought = commands.find(({ line }) => line.endsWith('> summary.json'))?.line ?? ''
  await run(added)
  await run(bought)
  const summary = JSON.parse(readFileSync(path.join(home, 'summary.json'), 'utf8'))
  const shown = JSON.parse(blocks.find(({ kind }) => kind === 'json')?.text ?? '{}')
  expect(summary).toEqual({
    ...shown,
    by: expect.any(Object),
    batch: expect.stringMatching(/^bat_[0-9a-z]{32}$/),
  })
})

test('the exit codes in the guide exist', () => {
  const codes = [...guide.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code))
  const known: readonly number[] = Object.values(exitCodes).map(({ code }) => code)
  expect(codes.length).toBeGreaterThan(5)
  expect(codes.filter((code) => !known.includes(code))).toEqual([])
})
