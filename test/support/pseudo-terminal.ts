// The built executable on a pseudo terminal: what is typed once something is on the screen, and all that was written.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { onTestFinished } from 'vitest'
import { folder } from './orderctl.ts'

export const hasPseudoTerminals =
  process.platform === 'linux' &&
  (process.env.PATH ?? '').split(':').some((each) => existsSync(path.join(each, 'script')))

/** The words are for a shell. */
export const onTerminal = async (
  words: string,
  env: Readonly<Record<string, string>>,
  ...parts: readonly (readonly [mark: string, typed: string])[]
) => {
  const home = folder()
  const command = `stty cols ${env.COLUMNS ?? 80}; ${process.execPath} ${path.resolve('bin/orderctl.js')} ${words}`
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: home,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      TERM: 'xterm',
      LANG: 'C.UTF-8',
      TZ: 'UTC',
      XDG_CACHE_HOME: path.resolve('node_modules/.cache'),
      ...env,
    },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let raw = ''
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    raw += more
  })
  const text = (): string => stripVTControlCharacters(raw).replaceAll('\r\n', '\n')
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  let from = 0
  for (const [mark, typed] of parts) {
    for (let tries = 0; !text().slice(from).includes(mark); tries += 1) {
      if (tries > 400) throw new Error(`${mark} is not there:\n${text().slice(from)}`)
      await delay(25)
    }
    from = text().length
    child.stdin.write(typed)
  }
  return { exit: await ended, text: text(), raw }
}
