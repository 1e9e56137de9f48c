// Keeps keys in the system's credential store. Decision 16 gives the reasons.

import { Failure, type Remedy } from '../errors.ts'
import { quoteShellWord } from '../text/shell-word.ts'
import { type Call, type Found, findKeyTool, type KeyItem } from './key-tools.ts'
import type { Profile } from './profile.ts'
import { type Ended, type ProgramOptions, runToEnd, type Spawn } from './run-program.ts'

export type KeyStoreDeps = Pick<ProgramOptions, 'clock' | 'interrupted'> & {
  readonly spawn: Spawn
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The value of process.platform. */
  readonly platform: string
  /** If it is a terminal, a person can unlock the store. */
  readonly stdin: { readonly isTerminal: boolean }
}

/** Undefined if the store does not contain this profile's key. */
export const findKeyItem = ({ name, baseUrl, credential }: Profile): KeyItem | undefined =>
  credential?.kind === 'system' ? { profile: name, baseUrl, id: credential.id } : undefined

// Enough time for a person to type the store's password.
const promptMs = 60_000
const scriptMs = 10_000

const saveRemedy: Remedy = { advice: 'Unlock it, or keep the key in a file with --key-store file.' }

export const openKeyStore = (deps: KeyStoreDeps, timeoutMs = promptMs) => {
  const { environment, platform, clock, interrupted, stdin, spawn } = deps
  const tool = findKeyTool(platform)
  const { store, program } = tool
  const fail = (problem: string, remedy: Remedy): Failure => new Failure('credentials', problem, remedy)
  const canUnlock = (): boolean => stdin.isTerminal && !environment.CI

  const call = async ({ words, input = '' }: Call, remedy: Remedy): Promise<Ended> => {
    // Without a session, the tool would start one that no program ends.
    if (tool.unlock !== undefined && !environment.DBUS_SESSION_BUS_ADDRESS && !environment.XDG_RUNTIME_DIR)
      return createAbsence('there is no D-Bus session')
    const env = { ...environment, ORDERCTL_API_KEY: undefined, PGPASSWORD: undefined }
    const file = `${tool.findFolder?.(environment) ?? ''}${program}`
    const child = spawn(file, words, { stdio: 'pipe', env, windowsHide: true })
    // A tool that does not read its input fails, so its exit code is enough.
    child.stdin?.on('error', () => {}).end(input)
    return runToEnd(child, {
      clock,
      interrupted,
      timeoutMs: Math.min(timeoutMs, canUnlock() ? promptMs : scriptMs),
      what: 'key',
      fail: (problem) => fail(`${store} ${problem}`, remedy),
    }).catch((error: NodeJS.ErrnoException | Failure) => {
      if (error instanceof Failure) throw error
      return createAbsence(
        `${program} ${error.code === 'ENOENT' ? 'is not installed' : 'could not be started'}`,
      )
    })
  }

  const describe = ({ code, signal, errors }: Ended): string => {
    const said = errors.trim().split('\n', 1)[0]?.replace(`${program}: `, '')
    return said || `${program} ended with ${signal ?? `exit code ${code}`}`
  }

  const find = async (item: KeyItem, remedy: Remedy): Promise<Found & { reason: string }> => {
    const ended = await call(tool.find(item), remedy)
    const found = tool.parse(ended)
    if (found.kind !== 'locked') return { ...found, reason: describe(ended) }
    if (tool.unlock === undefined || !canUnlock()) return { ...found, reason: 'it is locked' }
    await call(tool.unlock(item), remedy)
    return { ...tool.parse(await call(tool.find(item), remedy)), reason: 'it is locked' }
  }

  return {
    /** Why no store responds. A locked store responds. */
    findAbsence: async (item: KeyItem) => {
      const ended = await call(tool.find(item), saveRemedy)
      return tool.parse(ended).kind === 'failed' ? describe(ended) : undefined
    },

    read: async (item: KeyItem) => {
      const { profile, baseUrl } = item
      const remedy: Remedy = {
        advice: (suggest) =>
          `Unlock it, or set ORDERCTL_API_KEY. To keep the key in a file: ${suggest`profile set ${profile} --key-store file`}`,
      }
      const saveAgain: Remedy = { fix: (suggest) => suggest`profile set ${profile} --key-stdin` }
      const found = await find(item, remedy)
      if (found.kind === 'key') return Buffer.from(found.secret, 'base64').toString()
      throw found.kind === 'absent'
        ? fail(`${store} contains no key of the profile ${profile} for ${baseUrl}`, saveAgain)
        : fail(`cannot read the key of the profile ${profile} from ${store}: ${found.reason}`, remedy)
    },

    /** Reads the key back, because a store may report success without keeping it. */
    save: async (item: KeyItem, key: string) => {
      const secret = Buffer.from(key).toString('base64')
      const ended = await call(tool.write(item, secret), saveRemedy)
      if (ended.code !== 0)
        throw fail(`${store} did not save the key: ${describe(ended).replaceAll(secret, '…')}`, saveRemedy)
      const found = await find(item, saveRemedy)
      if (found.kind === 'key' && found.secret === secret) return
      await call(tool.remove(item), saveRemedy)
      throw fail(`${store} reported success, but did not keep the key`, saveRemedy)
    },

    remove: async (item: KeyItem) => {
      const removal = tool.remove(item)
      const line = [program, ...removal.words].map(quoteShellWord).join(' ')
      const remedy: Remedy =
        removal.input === undefined
          ? { fix: () => line, advice: 'Unlock it first.' }
          : { advice: 'Remove it by hand.' }
      let found = await find(item, remedy)
      if (found.kind === 'key') {
        await call(removal, remedy)
        found = await find(item, remedy)
      }
      if (found.kind === 'absent') return
      throw fail(`the key of the profile ${item.profile} is still in ${store}: ${found.reason}`, remedy)
    },
  }
}

/** As if the program had reported it. */
const createAbsence = (errors: string): Ended => ({ code: 127, signal: null, output: '', errors })
