// Chooses the source of candidates for a flag or an argument: the one that its command names, or that of its placeholder.
import type { Argument, Option } from 'commander'
import { readProfiles } from '../../app/profiles.ts'
import type { Completed } from '../../cli/read-options.ts'
import { stateNames } from '../../contract/state-words.ts'
import { budgetKinds } from '../../contract/time/timestamp.ts'
import { journalStates } from '../../journal/orders/standings.ts'
import { environmentName, sandbox } from '../../profiles/profile.ts'
import { findWordStyle } from '../../ui/screens/state.ts'
import type { Candidate } from '../../ui/text/candidates.ts'
import {
  findActors,
  findBatches,
  findBatchWords,
  findListedBatches,
  findOrders,
  findReferences,
  findReportKeys,
} from './journal-candidates.ts'
import { findProducts, findSkus, findWallets } from './product-candidates.ts'
import { type Asked, removeRepeated, type Source, toCandidates } from './source.ts'

/** Returns undefined if the value has no source. */
export const findSource = (value: (Option | Argument) & Completed): Source | undefined => {
  const placeholder = 'flags' in value ? (/[<[](.*)[>\]]$/.exec(value.flags)?.[1] ?? '') : value.name()
  const name = value.completes ?? placeholder
  return name.includes('|') ? () => toCandidates(name.split('|')) : sources.get(name)
}

const describeState = (value: string): Candidate => ({ value, description: findWordStyle(value).meaning })

const serviceStates = stateNames.map(describeState)

const listedStates: Candidate[] = [...serviceStates, ...journalStates.map(describeState)]

const topics: Source = ({ tree: { program, topics: others }, line: { operands } }) => {
  const at = operands.reduce<typeof program | undefined>(
    (found, name) => found?.commands.find((each) => each.name() === name),
    program,
  )
  if (at === undefined) return []
  const help = at.createHelp()
  const commands = help
    .visibleCommands(at)
    .filter((each) => each.name() !== 'help')
    .map((each) => ({ value: each.name(), description: help.subcommandDescription(each) }))
  // `sandbox` is both a command and a topic.
  return operands.length === 0 ? removeRepeated([...commands, ...toCandidates(others)]) : commands
}

/** Only the shell knows the installed programs. */
const commandToRun: Source = ({ line: { flags, isLiteral } }) =>
  isLiteral && flags.some(({ option }) => option.long === '--exec') ? { candidates: [], next: 'command' } : []

const authMethods: Candidate[] = [
  { value: 'bearer', description: 'Authorization: Bearer KEY' },
  { value: 'basic', description: 'Authorization: Basic, with KEY in base64' },
  { value: 'header:', description: 'in a header: header:X-Api-Key' },
  { value: 'query:', description: 'in the URL: query:key' },
]

const builtInProfile: Candidate = { value: sandbox, description: 'built in: no real money' }

const findSavedProfiles = ({ context }: Pick<Asked, 'context'>): Candidate[] =>
  readProfiles(context).map(({ name, baseUrl }) => ({ value: name, description: baseUrl }))

const findAccountNames: Source = ({ context }) => {
  const names = readProfiles(context).map(({ account = '', name }) => ({
    value: account,
    description: `account of the profile ${name}`,
  }))
  return removeRepeated(names.filter(({ value }) => value !== ''))
}

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
  ['batches-listed', findListedBatches],
  ['command', commandToRun],
  ['currency', findWallets],
  ['file', () => ({ candidates: [], next: 'files' })],
  ['file-or-batch', async (asked) => ({ candidates: await findBatches(asked), next: 'files' })],
  ['how', () => authMethods],
  ['name', (asked) => [builtInProfile, ...findSavedProfiles(asked)]],
  ['order', async (asked) => [...(await findOrders(asked)), ...(await findBatchWords(asked))]],
  ['paths', findFields],
  ['period', () => toCandidates(budgetKinds)],
  ['product', findProducts],
  [
    'profiles-of-orders',
    (asked) => [
      builtInProfile,
      ...findSavedProfiles(asked),
      { value: environmentName, description: 'placed with ORDERCTL_BASE_URL' },
    ],
  ],
  ['profiles-saved', findSavedProfiles],
  ['references', findReferences],
  ['report-keys', findReportKeys],
  ['service-states', () => serviceStates],
  ['sku', findSkus],
  ['state', () => listedStates],
  ['time', () => toCandidates(['1h', '24h', '7d', '30d', '90d'])],
  ['topic', topics],
])
