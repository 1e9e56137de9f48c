// A machine with a home folder of its own, and what doctor says about it.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { inSituation, type Situation } from '../../support/in-process.ts'
import { folder } from '../../support/orderctl.ts'

export type Check = {
  readonly group: string
  readonly name: string
  readonly status: string
  readonly detail: string
  readonly fix: string | null
  readonly advice: string | null
}

type Report = {
  readonly status: string
  readonly checks: readonly Check[]
  readonly paths: readonly { readonly path: string; readonly purpose: string; readonly bytes: number }[]
}

export const openDesk = () => {
  const home = folder()
  const config = path.join(home, '.config/orderctl')
  const state = path.join(home, '.local/state/orderctl')
  const run = (words: readonly string[], { env, ...rest }: Situation = {}) =>
    inSituation(words, {
      ...{ cwd: home, platform: 'linux' },
      env: { TZ: 'UTC', LANG: 'C.UTF-8', TMPDIR: home, ...env },
      ...rest,
    })
  return {
    home,
    config,
    state,
    run,
    /** Runs doctor --json. */
    examine: async (situation?: Situation, ...flags: readonly string[]) => {
      const { exit, stdout, stderr, questions } = await run(['doctor', '--json', ...flags], situation)
      const report = JSON.parse(stdout) as Report
      const find = (name: string): Check | undefined => report.checks.find((check) => check.name === name)
      return { exit, stdout, stderr, questions, report, find }
    },
    /** Each file and folder below the home folder. */
    everything: (): string[] => readdirSync(home, { recursive: true }).map(String).sort(),
    put: (name: string, text: string, mode = 0o600): string => {
      const file = path.join(home, name)
      mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
      writeFileSync(file, text, { mode })
      return file
    },
  }
}

export type Desk = ReturnType<typeof openDesk>

type Profile = Readonly<Record<string, unknown>> & { readonly name: string; readonly baseUrl: string }

/** Saves profiles with keys. The first one is in use. */
export const saveProfiles = ({ put }: Desk, ...profiles: readonly Profile[]): string =>
  put(
    '.config/orderctl/profiles.json',
    JSON.stringify({
      ...{ kind: 'orderctl profiles', version: 1, current: profiles[0]?.name },
      profiles: profiles.map((profile) => ({
        auth: 'bearer',
        credential: { kind: 'key', key: secretKey },
        ...profile,
      })),
    }),
  )

export const secretKey = 'key-that-nobody-may-see-4711'
