// Chooses the source of candidates for a flag or an argument: the one that its command names, or that of its placeholder.
import type { Argument, Option } from 'commander'
import { readProfiles } from '../../app/profiles.ts'
import type { Completed } from '../../cli/read-options.ts'
import { stateNames } from '../../contract/state-words.ts'
import { budgetKinds } from '../../contract/time/timestamp.ts'
import { journalStates } from '../../journal/orders/standings.ts'
import { sandbox } from '../../profiles/profile.ts'
import { findWordStyle } from '../../ui/screens/state.ts'
import type { Candidate } from '../../ui/text/candidates.ts'
import { findActors, findBatches, findOrders, findReferences, findReportKeys } from './journal-candidates.ts'
import { findProducts, findSkus, findWallets } from './product-candidates.ts'
import { type Asked, type Source, toCandidates } from './source.ts'

/** Returns undefined if the value has no source. */
export const findSource = (value: (Option | Argument) & Completed): Source | undefined => {
  const placeholder = 'flags' in value ? (/[<[](.*)[>\]]$/.exec(value.flags)?.[1] ?? '') : value.name()
  const name = value.completes ?? placeholder
  return name.includes('|') ? () => toCandidates(name.split('|')) : sources.get(name)
}

const describeState = (value: string): Candidate => ({ value, description: findWordStyle(value).meaning })

const listProfiles = ({ context }: Pick<Asked, 'context'>): Candidate[] =>
  readProfiles(context).map(({ name, baseUrl }) => ({ value: name, description: baseUrl }))

const findAccountNames: Source = ({ context }) =>
  readProfiles(context).map(({ account = '', name }) => ({ value: account, description: `profile ${name}` }))

/** The fields that the list does not have yet. */
const findFields: Source = async ({ line: { word, flags, path }, tree }) => {
  const fieldNames = await tree.loadFieldNames()
  const before = word.slice(0, word.lastIndexOf(',') + 1)
  const taken = new Set(before.split(','))
  const chosen = flags.map(({ option }) => fieldNames.get(`${path} ${option.long}`))
  const all = chosen.find((names) => names !== undefined) ?? fieldNames.get(path) ?? []
  const names = all.filter((field) => !taken.has(field)).map((field) => `${before}${field}`)
  return { candidates: toCandidates(names), next: 'nospace' }
}

/** Placeholders of values that orderctl cannot know. */
const freeForm =
  'address amount budget characters column count duration fault field=column from/to=rate host id key limit new number path role secret text url when'

/** The key is `completes` in the spec of a command, or else the placeholder. */
const sources: ReadonlyMap<string, Source> = new Map<string, Source>([
  ...freeForm.split(' ').map((name): [string, Source] => [name, () => []]),
  ['accounts', findAccountNames],
  ['actors', findActors],
  ['batch', findBatches],
  // Only the shell knows the installed programs.
  ['command', ({ line }) => (line.isLiteral ? { candidates: [], next: 'command' } : [])],
  ['currency', findWallets],
  ['file', () => ({ candidates: [], next: 'files' })],
  ['file-or-batch', async (asked) => ({ candidates: await findBatches(asked), next: 'files' })],
  ['how', () => toCandidates(['bearer', 'basic', 'header:', 'query:'])],
  ['name', (asked) => [{ value: sandbox, description: 'built in: no real money' }, ...listProfiles(asked)]],
  ['order', findOrders],
  ['paths', findFields],
  ['period', () => toCandidates(budgetKinds)],
  ['product', findProducts],
  ['profiles-saved', listProfiles],
  ['references', findReferences],
  ['report-keys', findReportKeys],
  ['service-states', () => stateNames.map(describeState)],
  ['sku', findSkus],
  ['state', () => [...stateNames, ...journalStates].map(describeState)],
  ['time', () => toCandidates(['1h', '24h', '7d', '30d', '90d'])],
  ['topic', ({ tree, line }) => (line.operands.length === 0 ? toCandidates(tree.topics) : [])],
])
