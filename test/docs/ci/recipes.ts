// Reads the CI recipes of docs/ci/, and runs their scripts as the CI systems do.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { folder } from '../../support/orderctl.ts'
import { orderctlScript, writeProgram } from '../guide.ts'

type Variables = Readonly<Record<string, string>>

type GithubJob = {
  readonly env: Variables
  readonly steps: readonly { readonly run?: string; readonly if?: string }[]
}

type GitlabJob = {
  readonly variables: Variables
  readonly services?: readonly { readonly command: readonly string[] }[]
  readonly script: readonly string[]
  readonly after_script?: readonly string[]
}

export const readRecipe = (name: string): string => readFileSync(path.resolve('docs/ci', name), 'utf8')
export const readGithubJob = (name: string, job: string): GithubJob => parse(readRecipe(name)).jobs[job]
export const readGitlabJob = (name: string, job: string): GitlabJob => parse(readRecipe(name))[job]

/** Replaces each `${{ secrets.NAME }}`. */
export const fillIn = (variables: Variables, values: Variables): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables).map(([name, text]) => [
      name,
      text.replaceAll(/\$\{\{ ([\w.]+) \}\}/g, (_, expression: string) => {
        const value = values[expression]
        if (value === undefined) throw new Error(`${name} needs ${expression}`)
        return value
      }),
    ]),
  )

export const packageName = 'orderctl.tgz'

/** npm as the recipes use it: orderctl exists once it is installed. */
const createNpm = (programs: string): string => `case "$*" in
    'install --global ${packageName}') mv '${programs}/later-orderctl' '${programs}/orderctl' ;;
    test) exec sh ./tests.sh ;;
    *) echo "unexpected: npm $*" >&2; exit 99 ;;
  esac`

/** A new machine, which has the files of the repository. */
export const openRunner = (files: Variables) => {
  const home = folder()
  const programs = folder()
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(home, name), text)
  writeProgram(programs, 'later-orderctl', orderctlScript)
  writeProgram(programs, 'npm', createNpm(programs))
  const log = path.join(home, 'job.log')
  const read = (name: string): string => readFileSync(path.join(home, name), 'utf8')
  return {
    read,
    readLog: (): string => read('job.log'),
    /** Runs a script in bash, or other words. Its output is a file, because what it starts can outlive it. */
    run: async (
      script: string | readonly string[],
      env: Variables,
    ): Promise<number | NodeJS.Signals | undefined> => {
      const words = typeof script === 'string' ? ['bash', '-eo', 'pipefail', '-c', script] : script
      const [file = '', ...rest] = words
      const output = openSync(log, 'a')
      const child = spawn(file, rest, {
        cwd: home,
        env: { PATH: `${programs}:${process.env.PATH}`, HOME: home, CI: 'true', ...env },
        detached: true,
        stdio: ['ignore', output, output],
      })
      onTestFinished(() => {
        try {
          process.kill(-(child.pid ?? 0), 'SIGKILL')
        } catch {
          // All processes of the group have ended.
        }
      })
      const [code, signal] = await once(child, 'exit')
      return code ?? signal
    },
  }
}
