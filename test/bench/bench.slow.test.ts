// Each benchmark runs to its end and fills its table. Its numbers mean nothing here. The benchmarks need Linux.
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { readRows } from '../support/markdown.ts'
import { benches } from './bench.ts'

const runBench = async (...words: readonly string[]) => {
  const { exitCode, stdout, stderr } = await execa(process.execPath, ['test/bench/bench.ts', ...words], {
    reject: false,
    stdin: 'ignore',
  })
  return { exit: exitCode, stdout, stderr }
}

/** The start-up of a single file is extra: its rows exist only after npm run build:standalone. */
const rowCounts: Readonly<Record<string, number>> = {
  reference: 19,
  'start-up': 8,
  journal: 6,
  plan: 3,
  postgres: 6,
  batch: 5,
}

test.runIf(process.platform === 'linux').each(Object.keys(benches))(
  '%s measures each of its rows',
  async (name) => {
    const { exit, stdout, stderr } = await runBench(name, '--smoke')
    expect(exit, stderr).toBe(0)
    const rows = readRows(stdout).filter(([what]) => what?.endsWith('single file') === false)
    expect(new Set(rows.map(([what]) => what)).size).toBe(rowCounts[name])
    expect(rows.map(([, value]) => value)).toEqual(rows.map(() => expect.stringMatching(/^[\d,]*\.?\d+$/)))
    expect(stdout).not.toMatch(/NaN|Infinity|undefined/)
  },
  300_000,
)

test('the runner refuses unknown benchmarks, and to write the tables of some', async () => {
  expect(await runBench('nope')).toMatchObject({ exit: 2, stderr: expect.stringContaining("'nope'") })
  expect(await runBench('journal', '--write')).toMatchObject({ exit: 2, stdout: '' })
})
