// The columns of the matrix: the command, the order before it, and which requests fail.
import type { FaultPlan, Plan } from './proxy.ts'

export type Situation = FaultPlan & {
  readonly command: 'get' | 'watch' | 'create' | 'confirm'
  /** The state of the order before the command. */
  readonly before?: 'created' | 'confirmed'
  /** The order is not in the journal. watch waits longer for an order in the journal. */
  readonly isElsewhere?: boolean
  /** The command line, for an existing order or a new reference. */
  readonly words: (orderId: string, reference: string) => readonly string[]
}

/** No request fails. */
export const noFault: FaultPlan = { shouldFail: () => false, reaches: false }

const always: Plan = () => true
const first: Plan = (wire) => wire === ''
const allButFirst: Plan = (wire) => wire !== ''
// A connection has no letter. The first one carries the get.
const changes: Plan = (wire, letter) => (letter === undefined ? wire !== '' : letter !== 'g')
const changesAndAfter: Plan = (wire, letter) => changes(wire, letter) || wire.includes('P')

export const createWords = (reference: string): readonly string[] => [
  ...['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', reference],
]

const reads = { reaches: true, before: 'confirmed' } as const
const confirms = {
  command: 'confirm',
  before: 'created',
  words: (id: string) => ['confirm', id, '--yes'],
} as const
const creates = {
  command: 'create',
  shouldFail: always,
  words: (_id: string, reference: string) => createWords(reference),
} as const

export const situations = {
  get: { ...reads, command: 'get', shouldFail: always, words: (id) => ['get', id] },
  'get, once': { ...reads, command: 'get', shouldFail: first, words: (id) => ['get', id] },
  watch: {
    ...{ ...reads, command: 'watch', isElsewhere: true },
    shouldFail: always,
    words: (id) => ['watch', id, '--for', 'confirmed'],
  },
  'watch, later': {
    ...{ ...reads, command: 'watch', shouldFail: allButFirst },
    words: (id) => ['watch', id, '--wait', '43s'],
  },
  'create, lost': { ...creates, reaches: false },
  'create, done': { ...creates, reaches: true },
  'confirm, lost': { ...confirms, shouldFail: changes, reaches: false },
  'confirm, done': { ...confirms, shouldFail: changes, reaches: true },
  'confirm, dark': { ...confirms, shouldFail: changesAndAfter, reaches: true },
  'confirm, blind': { ...confirms, shouldFail: always, reaches: true },
} satisfies Record<string, Situation>

export type SituationName = keyof typeof situations
