// Keeps keys in the system's credential store, by the program that reaches it on each system. Decision 16 gives the reasons. A
// secret goes through stdin, because other users can read command lines. Secrets are base64, so that no program has to quote
// or transcode them.

import { Failure, type Remedy } from '../errors.ts'
import { findWindowsProgram } from '../files.ts'
import { quoteShellWord } from '../text/suggest.ts'
import { type Ended, type ProgramOptions, runToEnd, type Spawn } from './credential.ts'
import type { Profile } from './store.ts'

/** The owner of a key in the store. A profile that is pointed at a different address does not find the key. */
export type KeyItem = { readonly profile: string; readonly baseUrl: string; readonly id: string }

type ToolCall = { readonly words: readonly string[]; readonly input?: string }

type FoundKey =
  | { readonly kind: 'key'; readonly secret: string }
  | { readonly kind: 'absent' | 'locked' | 'failed' }

type KeyTool = {
  /** The store's name in messages. */
  readonly store: string
  readonly program: string
  /** The folder of the program, if it is not on the PATH. */
  readonly findFolder?: (environment: Readonly<Record<string, string | undefined>>) => string
  /** Opens no dialog on Linux. */
  readonly find: (item: KeyItem) => ToolCall
  readonly parse: (ended: Ended) => FoundKey
  /** Opens a dialog if the store is locked. Missing if the system needs no call for that. */
  readonly unlock?: (item: KeyItem) => ToolCall
  readonly write: (item: KeyItem, secret: string) => ToolCall
  readonly remove: (item: KeyItem) => ToolCall
}

const toAttributes = ({ profile, baseUrl, id }: KeyItem): readonly string[] =>
  Object.entries({ application: 'orderctl', profile, account: baseUrl, id }).flat()

const secretService: KeyTool = {
  store: 'the Secret Service',
  program: 'secret-tool',
  find: (item) => ({ words: ['search', ...toAttributes(item)] }),
  parse: ({ code, output }) => {
    if (code !== 0) return { kind: 'failed' }
    const secret = /^secret = (.*)$/m.exec(output)?.[1]
    if (secret !== undefined) return { kind: 'key', secret }
    return { kind: output.trim() === '' ? 'absent' : 'locked' }
  },
  unlock: (item) => ({ words: ['lookup', ...toAttributes(item)] }),
  write: (item, secret) => ({
    words: ['store', `--label=orderctl: key of ${item.profile}`, ...toAttributes(item)],
    input: secret,
  }),
  remove: (item) => ({ words: ['clear', ...toAttributes(item)] }),
}

const toKeychainName = ({ profile, baseUrl, id }: KeyItem) => ({
  service: `orderctl ${baseUrl}`,
  account: `${profile} ${id}`,
})

const findInKeychain = (command: string, item: KeyItem, ...more: string[]): ToolCall => {
  const { service, account } = toKeychainName(item)
  return { words: [command, '-s', service, '-a', account, ...more] }
}

const itemNotFound = 44

const keychain: KeyTool = {
  store: 'Keychain',
  program: 'security',
  find: (item) => findInKeychain('find-generic-password', item, '-w'),
  parse: ({ code, output }) => {
    if (code === 0) return { kind: 'key', secret: output.trim() }
    return { kind: code === itemNotFound ? 'absent' : 'failed' }
  },
  // A normalized base URL contains neither a quote nor a backslash.
  write: (item, secret) => {
    const { service, account } = toKeychainName(item)
    const line = `add-generic-password -U -s "${service}" -a "${account}" -w "${secret}"\n`
    return { words: ['-i'], input: line }
  },
  remove: (item) => findInKeychain('delete-generic-password', item),
}

// PowerShell 7 cannot load this class, but Windows includes Windows PowerShell.
const prepareVault =
  "$ErrorActionPreference = 'Stop'; $service = [Console]::In.ReadLine(); $account = [Console]::In.ReadLine(); " +
  '[void][Windows.Security.Credentials.PasswordVault, Windows.Security.Credentials, ContentType = WindowsRuntime]; ' +
  '$vault = New-Object Windows.Security.Credentials.PasswordVault; '

const findInVault =
  '$vault.RetrieveAll() | Where-Object { $_.Resource -eq $service -and $_.UserName -eq $account } | '

const callVault = (script: string, item: KeyItem, secret?: string): ToolCall => {
  const { service, account } = toKeychainName(item)
  const lines = [service, account, secret].filter((line) => line !== undefined)
  const words = ['-NoProfile', '-NonInteractive', '-Command', prepareVault + script]
  return { words, input: lines.map((line) => `${line}\n`).join('') }
}

const credentialManager: KeyTool = {
  store: 'Credential Manager',
  program: 'powershell.exe',
  findFolder: (environment) => findWindowsProgram('WindowsPowerShell/v1.0/', environment),
  find: (item) => callVault(`${findInVault}ForEach-Object { $_.RetrievePassword(); $_.Password }`, item),
  parse: ({ code, output }) => {
    if (code !== 0) return { kind: 'failed' }
    const secret = output.trim()
    return secret === '' ? { kind: 'absent' } : { kind: 'key', secret }
  },
  write: (item, secret) =>
    callVault(
      '$vault.Add((New-Object Windows.Security.Credentials.PasswordCredential($service, $account, [Console]::In.ReadLine())))',
      item,
      secret,
    ),
  remove: (item) => callVault(`${findInVault}ForEach-Object { $vault.Remove($_) }`, item),
}

/** `platform` is the value of process.platform. */
const findKeyTool = (platform: string): KeyTool =>
  platform === 'darwin' ? keychain : platform === 'win32' ? credentialManager : secretService

type KeyStoreDeps = Pick<ProgramOptions, 'clock' | 'interrupted'> & {
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

  const call = async ({ words, input = '' }: ToolCall, remedy: Remedy): Promise<Ended> => {
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

  const find = async (item: KeyItem, remedy: Remedy): Promise<FoundKey & { reason: string }> => {
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
          `Unlock it, or set ORDERCTL_API_KEY and pass --profile. To keep the key in a file: ${suggest`profile set ${profile} --key-store file`}`,
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
