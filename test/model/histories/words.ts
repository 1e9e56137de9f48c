// A command of a history as words on a command line.
import { serviceKey } from '../service.ts'
import { type Command, type Run, spellings, type Target } from './steps.ts'

export type Line = {
  readonly words: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly input?: string | undefined
}

export type Names = {
  /** The order that a target selects on the command line. */
  readonly resolve: (target: Target) => string
  /** The commands that orderctl has printed, the newest first. */
  readonly listPrinted: () => readonly (readonly string[])[]
}

const given = (flag: string, value: string | undefined): string[] =>
  value === undefined ? [] : [flag, value]
const set = (flag: string, isSet: boolean): string[] => (isSet ? [flag] : [])

const whatOf = ({ again, product }: Extract<Command, { name: 'create' }>, resolve: Names['resolve']) =>
  again === undefined
    ? ['--product', product, '--wallet', 'USD']
    : ['--again', resolve(again.order), ...set('--missing', again.missing)]

/** A watch in a script gives up after a while. */
const limitWatch = (words: readonly string[]): string[] =>
  words[0] === 'watch' && !words.includes('--wait') ? [...words, '--wait', '5m'] : [...words]

/** Undefined if nothing has been printed. */
const wordsOf = (command: Command, { resolve, listPrinted }: Names): string[] | undefined => {
  switch (command.name) {
    case 'printed': {
      const printed = listPrinted()
      const words = printed[command.nth % printed.length]
      return words && limitWatch(words)
    }
    case 'create':
      return [
        ...['create', ...whatOf(command, resolve)],
        ...given('--reference', command.reference),
        ...set('--confirm', command.confirm),
        ...set('--watch', command.watch),
        ...set('--idempotent', command.idempotent),
        ...set('--allow-duplicate', command.allowDuplicate),
        ...set('--reveal', command.reveal ?? false),
        ...given('--timeout', command.timeout),
      ]
    case 'confirm':
      return [
        ...['confirm', resolve(command.order)],
        ...set('--watch', command.watch ?? false),
        ...set('--idempotent', command.idempotent),
        ...set('--accept-changes', command.acceptChanges),
        ...set('--allow-duplicate', command.allowDuplicate),
        ...given('--timeout', command.timeout),
      ]
    case 'get':
    case 'redeem':
    case 'explain':
      return [command.name, resolve(command.order)]
    case 'reveal':
      return ['redeem', resolve(command.order), '--reveal']
    case 'watch':
      return ['watch', resolve(command.order), ...(command.isEndless ? [] : ['--wait', '5m'])]
    case 'reconcile':
      return [
        ...['reconcile', ...(command.order === undefined ? [] : [resolve(command.order)])],
        ...given('--timeout', command.timeout),
      ]
    case 'settle':
      return ['reconcile', resolve(command.order), '--reason', 'seen in the wallet', '--settle', 'TRUTH']
    case 'list':
      return ['list', '--limit', '1000']
    case 'change profile':
      return [
        ...['profile', command.isNew ? 'add' : 'set', command.profile, '--key-stdin'],
        ...(command.isNew ? ['--use'] : []),
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
  printsOrders(command) && !['list', 'printed'].includes(command.name)

const formatOf = ({ command, output }: Run, words: readonly string[]): string[] => {
  if (!printsOrders(command) || output === 'plain' || output === 'terminal') return []
  if (command.name === 'explain') return []
  if (words.includes('--json') || words.includes('--quiet')) return []
  return [output === 'json' ? '--json' : '--quiet']
}

const environmentOf = ({ as }: Run): Record<string, string> =>
  'environment' in as
    ? { ORDERCTL_BASE_URL: spellings[as.environment] ?? '', ORDERCTL_API_KEY: serviceKey }
    : {}

export const lineOf = (run: Run, names: Names): Line | undefined => {
  const { command, as } = run
  const words = wordsOf(command, names)
  if (words === undefined) return undefined
  return {
    words: [
      ...words,
      ...(takesProfile(command) && 'profile' in as ? given('--profile', as.profile) : []),
      ...formatOf(run, words),
    ],
    environment: environmentOf(run),
    input: command.name === 'change profile' ? serviceKey : undefined,
  }
}
