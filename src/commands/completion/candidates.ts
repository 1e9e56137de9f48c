// Chooses the source of candidates for a flag or an argument: the one that its command names, or that of its placeholder.
import type { Argument, Option } from 'commander'
import { createdFields, orderFields } from '../../contract/field-paths.ts'
import { reportKeys } from '../../contract/report/report.ts'
import { states } from '../../contract/states.ts'
import { budgetKinds } from '../../contract/timestamp.ts'
import { journalStates } from '../../journal/standings.ts'
import { environmentName, sandbox } from '../../profiles/profile.ts'
import { standingMeaning, stateMeaning } from '../../ui/screens/state.ts'
import type { Candidate, Offer } from '../../ui/text/candidates.ts'
import type { Completed } from '../shared/read-options.ts'
import {
  findActors,
  findBatches,
  findBatchWords,
  findListedBatches,
  findOrders,
  findReferences,
} from './journal-candidates.ts'
import { readProfiles } from './journal-reader.ts'
import { findProducts, findSkus, findWallets } from './product-candidates.ts'
import type { TypedLine } from './source.ts'
import { from, none, removeRepeated, type Source, words } from './source.ts'

/** Undefined if no table has its source. */
export const findSource = (value: (Option | Argument) & Completed): Source | undefined => {
  if (value.completes !== undefined) return namedSources.get(value.completes)
  const placeholder = 'flags' in value ? (/[<[](.*)[>\]]$/.exec(value.flags)?.[1] ?? '') : value.name()
  if (placeholder.includes('|')) return words(placeholder.split('|'))
  return placeholderSources.get(placeholder) ?? (freeForm.has(placeholder) ? () => none : undefined)
}

const serviceStates = Object.keys(states).map((value) => ({ value, description: stateMeaning(value) }))

const listedStates: Candidate[] = [
  ...serviceStates,
  ...journalStates.map((value) => ({ value, description: standingMeaning(value) })),
]

const batchesOrFiles: Source = async (ask) => ({ candidates: await findBatches(ask), next: 'files' })

const topics: Source = ({ tree: { program, topics: others }, line: { operands } }) => {
  const at = operands.reduce<typeof program | undefined>(
    (found, name) => found?.commands.find((each) => each.name() === name),
    program,
  )
  if (at === undefined) return none
  const help = at.createHelp()
  const commands = help
    .visibleCommands(at)
    .filter((each) => each.name() !== 'help')
    .map((each) => ({ value: each.name(), description: help.subcommandDescription(each) }))
  const rest = (operands.length === 0 ? others : []).map((value) => ({ value }))
  // `sandbox` is both a command and a topic.
  return { candidates: removeRepeated([...commands, ...rest]) }
}

/** Only the shell knows the installed programs. */
const commandToRun: Source = ({ line: { flags, isLiteral } }) =>
  isLiteral && flags.some(({ option }) => option.long === '--exec') ? { ...none, next: 'command' } : none

const authMethods: Candidate[] = [
  { value: 'bearer', description: 'Authorization: Bearer KEY' },
  { value: 'basic', description: 'Authorization: Basic, with KEY in base64' },
  { value: 'header:', description: 'in a header: header:X-Api-Key' },
  { value: 'query:', description: 'in the URL: query:key' },
]

/** The sandbox, then the saved profiles. */
const findProfiles: Source = ({ context }) => {
  const builtIn = { value: sandbox, description: 'built in: no real money' }
  try {
    const all = readProfiles(context).list()
    return {
      candidates: [builtIn, ...all.map(({ name, baseUrl }) => ({ value: name, description: baseUrl }))],
    }
  } catch {
    return { candidates: [builtIn] }
  }
}

const findSavedProfiles: Source = async (ask) => ({
  candidates: (await findProfiles(ask)).candidates.filter(({ value }) => value !== sandbox),
})

const findProfilesOfOrders: Source = async (ask) => ({
  candidates: [
    ...(await findProfiles(ask)).candidates,
    { value: environmentName, description: 'placed with ORDERCTL_BASE_URL' },
  ],
})

const findAccountNames: Source = ({ context }) => ({
  candidates: removeRepeated(
    readProfiles(context)
      .list()
      .flatMap(({ account, name }) =>
        account === undefined ? [] : [{ value: account, description: `account of the profile ${name}` }],
      ),
  ),
})

const entryFields =
  'orderId reference state profile origin wallet total products placedAt changedAt expiresAt batch by stale'.split(
    ' ',
  )
const summaryFields = 'batch name state stopped rows cards orders spent wallet maxTotal by'.split(' ')
const rowFields = 'line sku productType quote quantity columns state delivered failed cards'.split(' ')
const fieldsOf = new Map<string, (isGiven: (flag: string) => boolean) => readonly string[]>([
  ['create', (isGiven) => (isGiven('--confirm') || isGiven('--watch') ? orderFields : createdFields)],
  ['list', (isGiven) => (isGiven('--reveals') ? revealFields : entryFields)],
  ['reconcile', () => [...entryFields, 'was', 'problem', 'next']],
  ['redeem', () => ['redeem']],
  ['batch plan', () => [...summaryFields, 'faceValues']],
  [
    'batch show',
    (isGiven) => (isGiven('--rows') ? rowFields : [...summaryFields, 'approval', 'workers', 'faceValues']),
  ],
  ['batch list', (isGiven) => (isGiven('--waiting') ? [...summaryFields, 'approval'] : summaryFields)],
  ['batch approve', () => [...summaryFields, 'approval']],
  ...['batch run', 'batch cancel'].map((path) => [path, () => summaryFields] as const),
])
const revealFields = 'profile origin orderId skus at who how by'.split(' ')

/** The fields that the list does not have yet. */
const findFields = ({ line }: { readonly line: TypedLine }): Offer => {
  const { word, flags, path } = line
  const before = word.slice(0, word.lastIndexOf(',') + 1)
  const taken = new Set(before.split(','))
  const all = fieldsOf.get(path)?.((flag) => flags.some(({ option }) => option.long === flag)) ?? orderFields
  const candidates = all.filter((field) => !taken.has(field)).map((field) => ({ value: `${before}${field}` }))
  return { candidates, next: 'nospace' }
}

/** By the name that `completes` has in the spec of a command. */
const namedSources: ReadonlyMap<string, Source> = new Map<string, Source>([
  ['accounts', findAccountNames],
  ['actors', from(findActors)],
  ['batches-listed', from(findListedBatches)],
  ['command', commandToRun],
  // A name that does not exist yet.
  ['new', () => none],
  ['profiles-of-orders', findProfilesOfOrders],
  ['profiles-saved', findSavedProfiles],
  ['references', from(findReferences)],
  ['report-keys', words(reportKeys)],
  ['service-states', () => ({ candidates: serviceStates })],
])

const placeholderSources: ReadonlyMap<string, Source> = new Map<string, Source>([
  ['batch', from(findBatches)],
  ['currency', from(findWallets)],
  ['file', () => ({ ...none, next: 'files' })],
  ['file-or-batch', batchesOrFiles],
  ['how', () => ({ candidates: authMethods })],
  ['name', findProfiles],
  ['order', from(async (ask) => [...(await findOrders(ask)), ...(await findBatchWords(ask))])],
  ['paths', findFields],
  ['period', words(budgetKinds)],
  ['product', findProducts],
  ['sku', from(findSkus)],
  ['state', () => ({ candidates: listedStates })],
  ['time', words(['1h', '24h', '7d', '30d', '90d'])],
  ['topic', topics],
])

/** Placeholders of values that orderctl cannot know. */
const freeForm = new Set(
  'address amount budget characters column command count duration fault field=column host id key limit number path role secret text url when'.split(
    ' ',
  ),
)
