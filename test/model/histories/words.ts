// A command of a history as words on a command line.
import { serviceKey } from '../service.ts'
import { type As, type Command, type Run, spellings, type Target } from './steps.ts'

export type Line = {
  readonly words: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly input?: string | undefined
}

/** The order that a target names on the command line. */
export type Resolve = (target: Target) => string

const given = (flag: string, value: string | undefined): string[] =>
  value === undefined ? [] : [flag, value]
const set = (flag: string, isSet: boolean): string[] => (isSet ? [flag] : [])

const wordsOf = (command: Command, resolve: Resolve): string[] => {
  switch (command.name) {
    case 'create':
      return [
        ...['create', '--product', command.product, '--wallet', 'USD'],
        ...given('--reference', command.reference),
        ...set('--confirm', command.confirm),
        ...set('--watch', command.watch),
        ...set('--idempotent', command.idempotent),
        ...set('--allow-duplicate', command.allowDuplicate),
        ...given('--timeout', command.timeout),
      ]
    case 'confirm':
      return [
        ...['confirm', resolve(command.order)],
        ...set('--idempotent', command.idempotent),
        ...set('--accept-changes', command.acceptChanges),
        ...set('--allow-duplicate', command.allowDuplicate),
        ...given('--timeout', command.timeout),
      ]
    case 'get':
      return ['get', resolve(command.order)]
    case 'watch':
      return ['watch', resolve(command.order), '--timeout', '5m']
    case 'reconcile':
      return ['reconcile', ...(command.order === undefined ? [] : [resolve(command.order)])]
    case 'settle':
      return ['reconcile', resolve(command.order), '--reason', 'seen in the wallet', '--settle', 'TRUTH']
    case 'refresh':
      return ['list', '--refresh']
    case 'list':
      return ['list', '--limit', '1000']
    case 'replace profile':
      return [
        ...['profile', 'add', command.profile, '--key-stdin', '--replace', '--use'],
        ...['--base-url', spellings[command.spelling] ?? ''],
      ]
    case 'use profile':
      return ['profile', 'use', command.profile]
    case 'remove profile':
      return ['profile', 'remove', command.profile]
  }
}

const printsOrders = ({ name }: Command): boolean => !name.endsWith('profile')
const takesProfile = (command: Command): boolean =>
  printsOrders(command) && command.name !== 'refresh' && command.name !== 'list'

const environmentOf = (as: As): Record<string, string> =>
  'environment' in as
    ? { ORDERCTL_BASE_URL: spellings[as.environment] ?? '', ORDERCTL_API_KEY: serviceKey }
    : {}

export const lineOf = ({ command, as, output }: Run, resolve: Resolve): Line => ({
  words: [
    ...wordsOf(command, resolve),
    ...(takesProfile(command) && 'profile' in as ? given('--profile', as.profile) : []),
    ...(printsOrders(command) && output !== 'plain' ? [output === 'json' ? '--json' : '--quiet'] : []),
  ],
  environment: environmentOf(as),
  input: command.name === 'replace profile' ? serviceKey : undefined,
})
