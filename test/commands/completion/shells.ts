// Real shells on a real terminal: keys are pressed, and what came of the line is what the shell itself makes of it.

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { sandboxOwner } from '../../../src/app/journals.ts'
import { saveBatch } from '../../../src/journal/batches/batches.ts'
import { openJournal } from '../../../src/journal/file-journal.ts'
import { quoteShellWord } from '../../../src/text/suggest.ts'
import { callsOf } from '../../journal/order-desk.ts'
import { isInstalled } from '../../support/installed.ts'
import { executable } from '../../support/orderctl.ts'
import { noTerminal } from '../../support/pseudo-terminal.ts'

const root = path.resolve('.')
const bashCompletion = '/usr/share/bash-completion/bash_completion'

export const shells = [
  { name: 'bash', program: 'bash', start: 'bash --norc --noprofile -i', file: 'orderctl.bash', before: '' },
  {
    name: 'bash with bash-completion',
    program: 'bash',
    start: 'bash --norc --noprofile -i',
    file: 'orderctl.bash',
    before: `source ${bashCompletion}`,
  },
  {
    name: 'zsh',
    program: 'zsh',
    start: 'zsh -f -i',
    file: '_orderctl',
    before: 'bindkey -e; autoload -Uz compinit; compinit -D',
  },
  { name: 'fish', program: 'fish', start: 'fish --no-config -i', file: 'orderctl.fish', before: '' },
] as const

export type ShellUnderTest = (typeof shells)[number]

/** Why it cannot be tried on this machine. */
export const missing = ({ program, before }: ShellUnderTest): string | undefined => {
  const without = noTerminal()
  if (without !== undefined) return without
  if (!isInstalled(program)) return `${program} is not installed`
  return before.includes(bashCompletion) && !existsSync(bashCompletion)
    ? 'bash-completion is not installed'
    : undefined
}

/** A home with orderctl on the path, and an order of the sandbox for each reference, oldest first. */
export const homeWith = async (home: string, references: readonly string[]) => {
  const bin = path.join(home, 'bin')
  const state = path.join(home, 'state')
  for (const each of [bin, state]) mkdirSync(each)
  writeFileSync(
    path.join(bin, 'orderctl'),
    // It leaves word when it is through: what it offers is inserted then.
    `#!/bin/sh\n${executable.map(quoteShellWord).join(' ')} "$@"\necho >> "$HOME/asked"\n`,
    { mode: 0o755 },
  )
  await placeOrders(path.join(state, 'journal.db'), references)
  await planBatch(path.join(state, 'journal.db'), 'gifts')
  return { home, bin, state }
}

const placeOrders = async (file: string, references: readonly string[]): Promise<void> => {
  const journal = await openJournal(file)
  for (const [index, reference] of references.entries()) {
    const at = Date.now() - 60_000 + index
    const productList = [{ sku: 'GAME-US', productType: 'fixed', quote: 25, quantity: 1 }]
    const request = JSON.stringify({ productList })
    const intent = { ...sandboxOwner, reference, request, wallet: 'USD', allowDuplicate: true, at, until: at }
    const begun = await callsOf(journal).beginCreate(intent)
    if (begun.kind !== 'started') throw new Error(`${reference} is taken`)
    const facts = { orderId: `ord_${index}`, total: '25', createdAt: at, expiresAt: at }
    await callsOf(journal).endCreate(begun, { outcome: 'done', ...facts }, at)
  }
  await journal.close()
}

const planBatch = async (file: string, name: string): Promise<void> => {
  const journal = await openJournal(file)
  const ids = { id: 'bat_1', demand: 'dem_1' }
  const row = { line: 2, sku: 'GAME-US', productType: 'fixed', quote: '25', quantity: 1, cells: [] }
  const plan = { wallet: 'USD', columns: [], lastSlot: 1, rows: [row], slotOf: () => 1, at: Date.now() }
  await saveBatch(journal, { ...sandboxOwner, ...ids, ...plan, name }, false)
  await journal.close()
}

/** Where it is not run, what is typed stands there for the TAB key alone. */
export type Typed = { readonly line: string; readonly runs?: boolean }

/** The state of a process and how many it waits for, as Linux has them; undefined where it is gone. */
const processOf = (pid: number): { readonly isAsleep: boolean; readonly children: number[] } | undefined => {
  try {
    const state = /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    return { isAsleep: state === 'S', children: children === '' ? [] : children.split(' ').map(Number) }
  } catch {
    return undefined
  }
}

/** Types each line and presses TAB, in one shell; the words that the shell then has, none for what it does not run. */
export const completed = async (
  { start, file, before }: ShellUnderTest,
  { home, bin, state }: Awaited<ReturnType<typeof homeWith>>,
  lines: readonly Typed[],
): Promise<string[][]> => {
  const child = spawn('script', ['-qefc', `exec ${start}`, '/dev/null'], {
    cwd: home,
    env: {
      PATH: `${bin}:${process.env.PATH}`,
      HOME: home,
      // Nothing is written as it ends.
      HISTFILE: '/dev/null',
      fish_history: '',
      TERM: 'xterm',
      LANG: 'C.UTF-8',
      ORDERCTL_STATE_DIR: state,
      XDG_CACHE_HOME: path.join(root, 'node_modules/.cache'),
    },
  })
  let screen = ''
  child.stdout.on('data', (bytes) => {
    screen += bytes
  })
  const said = (): string[] =>
    stripVTControlCharacters(screen)
      .split(/[\r\n]+/)
      .filter((line) => /^<.*>$/.test(line))
  const asked = (): number => {
    const asking = path.join(home, 'asked')
    return existsSync(asking) ? statSync(asking).size : 0
  }
  const isIdle = (): boolean => {
    const [shell] = processOf(child.pid ?? 0)?.children ?? []
    const there = shell === undefined ? undefined : processOf(shell)
    return there?.isAsleep === true && there.children.length === 0
  }
  /**
   * Until it is so, or the shell has had nothing to do for half a second; and then, until it waits for keys. Nothing
   * is typed ahead: some shells complete nothing where more keys wait.
   */
  const until = async (isSo: () => boolean): Promise<void> => {
    let length = -1
    for (let idleMs = 0; idleMs < (isSo() ? 40 : 500); ) {
      await delay(10)
      idleMs = isIdle() && length === screen.length ? idleMs + 10 : 0
      length = screen.length
    }
  }
  const drawn = (): boolean => screen !== ''
  try {
    await until(drawn)
    const script = path.join(root, 'completions', file)
    for (const line of [before, `source ${script}`, `source ${script}`].filter((each) => each !== '')) {
      const length = screen.length
      child.stdin.write(`${line}\r`)
      await until(() => screen.length > length + line.length)
    }
    const words: string[][] = []
    for (const { line, runs = true } of lines) {
      const times = asked()
      child.stdin.write(`${line}\t`)
      await until(() => asked() > times)
      screen = ''
      // To the start of the line, and the words are another command's.
      child.stdin.write(runs ? "\u0001printf '<%s>\\n' the-words \r" : '\u0003')
      await until(() => (runs ? said().includes('<the-words>') : drawn()))
      words.push(
        said()
          .map((each) => each.slice(1, -1))
          .slice(1),
      )
    }
    const ended = new Promise((resolve) => child.once('close', resolve))
    child.stdin.write('\u0003exit\r')
    await Promise.race([ended, delay(3_000)])
    return words
  } finally {
    child.kill('SIGKILL')
    // What was started on the way would be through by now.
    await delay(200)
  }
}
