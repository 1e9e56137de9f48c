// Runs the script of each task of docs/tasks.md against the sandbox. TASK_TIMES=FILE writes how long each took.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { folder } from '../support/orderctl.ts'
import { collapse, commandsOf, openHome, readBlocks } from './guide.ts'

const guide = readFileSync('docs/tasks.md', 'utf8')

/** The headings of the guide, in order, with the blocks below each. */
const findTasks = () => {
  const directory = folder()
  return guide
    .split(/^## /m)
    .slice(1)
    .map((section, index) => {
      const file = path.join(directory, `${index}.md`)
      writeFileSync(file, section)
      return { name: section.split('\n')[0] ?? '', blocks: readBlocks(file) }
    })
}

const runTask = async (
  { home, run }: ReturnType<typeof openHome>,
  { blocks }: ReturnType<typeof findTasks>[number],
): Promise<number> => {
  let output = ''
  let ms = 0
  for (const { kind, text, file } of blocks) {
    if (file !== undefined) writeFileSync(path.join(home, file), text)
    if (kind === 'text') for (const line of text.trim().split('\n')) expect(collapse(output)).toContain(line)
    if (kind !== 'sh') continue
    output = ''
    for (const { line, exit } of commandsOf(text)) {
      const started = performance.now()
      const ran = await run(line)
      ms += performance.now() - started
      expect({ line, exit: ran.exitCode, all: ran.all }).toMatchObject({ exit })
      output += `${ran.all}\n`
    }
  }
  return ms
}

test('the script of every task works as it stands', { timeout: 240_000 }, async () => {
  const desk = openHome()
  const read = (name: string): string => readFileSync(path.join(desk.home, name), 'utf8')
  const times: string[] = []
  for (const task of findTasks()) {
    const ms = await runTask(desk, task)
    times.push(`${Math.ceil(ms / 1000)} s  ${task.name}\n`)
    expect(guide).toContain(`| [${task.name}](#${task.name.toLowerCase().replaceAll(' ', '-')}) |`)
  }
  expect(times).toHaveLength(10)
  if (process.env.TASK_TIMES !== undefined) writeFileSync(process.env.TASK_TIMES, times.join(''))

  const codes = (file: string): number => new Set(read(file).match(/SANDBOX(-[A-Z0-9]{4}){4}/g)).size
  expect([codes('seven.html'), codes('team-gifts.html'), codes('codes.csv')]).toEqual([7, 40, 3])
  expect(read('codes.csv')).toMatch(/^"Ada Lovelace",.*SANDBOX-/m)
  expect(read('spend.csv')).toMatch(/USD/)
  expect(read('ticket.txt')).toContain(`code ending in ${read('code.txt').trim().slice(-4)}`)
  expect(codes('ticket.txt')).toBe(0)
  for (const left of ['bin/orderctl', 'state/orderctl'])
    expect(existsSync(path.join(desk.home, '.local', left))).toBe(false)
})
