// Real shells on a real terminal: keys are pressed, and what came of the line is what the shell itself makes of it.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { onTestFinished } from 'vitest'
import { openJournal } from '../../src/journal/journal.ts'
import { folder } from './orderctl.ts'

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

const isInstalled = (program: string): boolean =>
  (process.env.PATH ?? '').split(':').some((each) => existsSync(path.join(each, program)))

/** Why it cannot be tried on this machine. */
export const missing = ({ program, before }: ShellUnderTest): string | undefined => {
  if (process.platform !== 'linux' || !isInstalled('script')) return 'no script(1) of util-linux'
  if (!isInstalled(program)) return `${program} is not installed`
  return before.includes(bashCompletion) && !existsSync(bashCompletion)
    ? 'bash-completion is not installed'
    : undefined
}

/** A home with orderctl on the path, and an order of the sandbox for each reference, oldest first. */
export const homeWith = (references: readonly string[]) => {
  const home = folder()
  const bin = path.join(home, 'bin')
  const state = path.join(home, 'state')
  for (const each of [bin, state]) mkdirSync(each)
  writeFileSync(
    path.join(bin, 'orderctl'),
    // It leaves word when it is through: what it offers is inserted then.
    `#!/bin/sh\n${process.execPath} ${root}/bin/orderctl.js "$@"\necho >> "$HOME/asked"\n`,
    { mode: 0o755 },
  )
  placeOrders(path.join(state, 'journal.db'), references)
  return { home, bin, state }
}

export const placeOrders = (file: string, references: readonly string[], owner = {}): void => {
  const journal = openJournal(file)
  for (const [index, reference] of references.entries()) {
    const at = Date.now() - 60_000 + index
    const sandbox = { profile: 'sandbox', origin: 'sandbox:', ...owner }
    const request = JSON.stringify({ productList: [{ sku: 'GAME-US', productType: 'fixed', quote: 25 }] })
    const intent = { ...sandbox, reference, request, wallet: 'USD', allowDuplicate: true, at, until: at }
    const begun = journal.beginCreate(intent)
    if (begun.kind === 'taken') throw new Error(`${reference} is taken`)
    journal.endCreate(begun, { outcome: 'done', orderId: `ord_${index}`, total: '25', expiresAt: at }, at)
  }
  journal.close()
}

/** Types each line and presses TAB; the words that the shell then has, or where it is not to run the line, nothing. */
export const completed = async (
  { start, file, before }: ShellUnderTest,
  { home, bin, state }: ReturnType<typeof homeWith>,
  lines: readonly string[],
  { runs = true } = {},
): Promise<string[][]> => {
  const child = spawn('script', ['-qefc', start, '/dev/null'], {
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
  onTestFinished(() => void child.kill('SIGKILL'))
  let screen = ''
  child.stdout.on('data', (bytes) => {
    screen += bytes
  })
  const said = (): string[] =>
    stripVTControlCharacters(screen)
      .split(/[\r\n]+/)
      .filter((line) => /^<.*>$/.test(line))
  const until = async (isSo: () => boolean): Promise<void> => {
    for (let tries = 0; !isSo() && tries < 120; tries += 1) await delay(25)
    await delay(100)
  }
  const asked = (): number => {
    const file = path.join(home, 'asked')
    return existsSync(file) ? statSync(file).size : 0
  }
  /** Nothing is typed ahead: some shells complete nothing where more keys wait. */
  const settled = async (): Promise<void> => {
    for (let before = -1; before !== screen.length; ) {
      before = screen.length
      await delay(300)
    }
  }
  const script = path.join(root, 'completions', file)
  await settled()
  for (const line of [before, `source ${script}`, `source ${script}`].filter((each) => each !== '')) {
    child.stdin.write(`${line}\r`)
    await settled()
  }
  const words: string[][] = []
  for (const line of lines) {
    const times = asked()
    child.stdin.write(`${line}\t`)
    await until(() => asked() > times)
    if (!runs) {
      child.stdin.write('\u0003')
      await settled()
      continue
    }
    // To the start of the line, and the words are another command's.
    screen = ''
    child.stdin.write("\u0001printf '<%s>\\n' the-words \r")
    await until(() => said().includes('<the-words>'))
    words.push(
      said()
        .map((each) => each.slice(1, -1))
        .slice(1),
    )
  }
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.stdin.write('\u0003exit\r')
  await Promise.race([ended, delay(3_000)])
  child.kill('SIGKILL')
  await ended
  await delay(200)
  return words
}
