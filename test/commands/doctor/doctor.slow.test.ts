// doctor on odd disks and beside a command that writes. doctor.slow.session has the rest of a machine.

import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { schema } from '../../../src/journal/tables/list.ts'
import { openDesk, secretKey } from './desk.ts'

const order = ['create', '--product', 'GAME-US:25', '--wallet', 'USD']

describe('the journal', () => {
  const open = async () => {
    const desk = openDesk()
    await desk.run(order)
    return { ...desk, file: path.join(desk.state, 'journal.db') }
  }

  test('is checked completely, and stays as it was', async () => {
    const { file, examine, everything } = await open()
    const before = [everything(), readFileSync(file), statSync(file).mtimeMs]
    const { exit, find } = await examine()
    expect(exit).toBe(0)
    expect(find('Content')?.detail).toContain(`, version ${schema.version} of the tables, not damaged`)
    expect([everything(), readFileSync(file), statSync(file).mtimeMs]).toEqual(before)
  })

  test('that another command is writing to is read with its newest changes', async () => {
    const { file, examine, everything } = await open()
    using writer = new DatabaseSync(file)
    writer.exec('CREATE TRIGGER spy AFTER INSERT ON orders BEGIN SELECT 1; END')
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0)
    const before = everything()
    const { find } = await examine()
    expect(find('Content')?.detail).toContain('the trigger spy')
    expect(everything()).toEqual(before)
  })
})

test('only the line of completion is left after its scripts and the listed files are deleted', async () => {
  const { home, everything, put, run, config, state } = openDesk()
  put('.bashrc', '# mine\n')
  const must = async (words: readonly string[], input = ''): Promise<void> => {
    const { exit, stderr } = await run(words, { env: { SHELL: '/bin/bash' }, input })
    expect(exit, stderr).toBe(0)
  }
  await must([...order, '--confirm'])
  await must(['profile', 'add', 'shop', '--base-url', 'http://127.0.0.1:9', '--key-stdin'], secretKey)
  await must(['completion', 'install'])
  await must(['completion', 'install', 'fish'])
  const { stdout } = await run(['doctor', '--json'])
  const { checks, paths } = JSON.parse(stdout) as {
    checks: { name: string; detail: string }[]
    paths: { path: string }[]
  }
  const scripts = checks.filter(({ name }) => name === 'Completion').map(({ detail }) => detail)
  expect(scripts).toHaveLength(2)
  for (const file of [...scripts, ...paths.map((each) => each.path)]) rmSync(file, { recursive: true })
  const left = everything().filter((name) => !statSync(path.join(home, name)).isDirectory())
  expect(left).toEqual(['.bashrc'])
  expect(readFileSync(path.join(home, '.bashrc'), 'utf8')).toMatch(/^# mine\n.*orderctl\.bash\n$/)
  expect([readdirSync(config), readdirSync(state)]).toEqual([[], []])
})
