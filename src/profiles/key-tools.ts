// The program that reaches each system's credential store. A secret goes through stdin, because other users can read
// command lines. Secrets are base64, so that no program has to quote or transcode them.
import { findWindowsProgram } from '../text/windows-program.ts'
import type { Ended } from './run-program.ts'

/** The owner of a key in the store. A profile that is pointed at a different address does not find the key. */
export type KeyItem = { readonly profile: string; readonly baseUrl: string; readonly id: string }

export type Call = { readonly words: readonly string[]; readonly input?: string }

export type Found =
  | { readonly kind: 'key'; readonly secret: string }
  | { readonly kind: 'absent' | 'locked' | 'failed' }

export type KeyTool = {
  /** The store's name in messages. */
  readonly store: string
  readonly program: string
  /** The folder of the program, if it is not on the PATH. */
  readonly findFolder?: (environment: Readonly<Record<string, string | undefined>>) => string
  /** Opens no dialog on Linux. */
  readonly find: (item: KeyItem) => Call
  readonly parse: (ended: Ended) => Found
  /** Opens a dialog if the store is locked. Missing if the system needs no call for that. */
  readonly unlock?: (item: KeyItem) => Call
  readonly write: (item: KeyItem, secret: string) => Call
  readonly remove: (item: KeyItem) => Call
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

const findInKeychain = (command: string, item: KeyItem, ...more: string[]): Call => {
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

const callVault = (script: string, item: KeyItem, secret?: string): Call => {
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
export const findKeyTool = (platform: string): KeyTool =>
  platform === 'darwin' ? keychain : platform === 'win32' ? credentialManager : secretService
