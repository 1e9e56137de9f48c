// Chooses the source of candidates for a flag or an argument, by its name or by its placeholder in the help.
import { budgetKinds } from '../../contract/calendar/period.ts'
import { reportKeys } from '../../contract/report/report.ts'
import { states } from '../../contract/states.ts'
import { journalStates } from '../../journal/standings.ts'
import { standingMeaning } from '../../ui/screens/state.ts'
import type { Candidate } from '../../ui/text/candidates.ts'
import { findBatches, findBatchWords, findListedBatches } from './batch-candidates.ts'
import { findFields } from './field-candidates.ts'
import { findActors, findOrders, findReferences } from './journal-candidates.ts'
import { findProducts, findSkus, findWallets } from './product-candidates.ts'
import {
  findAccountNames,
  findProfiles,
  findProfilesOfOrders,
  findSavedProfiles,
} from './profile-candidates.ts'
import { from, none, removeRepeated, type Source, words } from './source.ts'
/** Looks for each name, then for the placeholder. Undefined if neither is in the table. */
export const findSource = (
  names: readonly string[],
  placeholder: string,
  choices: readonly string[] | undefined,
): Source | undefined => {
  const named = names.map((name) => sources.get(name)).find((source) => source !== undefined)
  if (named !== undefined) return named
  if (choices !== undefined) return words(choices)
  const bare = placeholder.replace(/^[<[]|(?:\.\.\.)?[>\]]$/g, '')
  if (bare.includes('|')) return words(bare.split('|'))
  return sources.get(`<${bare}>`) ?? (freeForm.has(bare) ? () => none : undefined)
}

const serviceStates = Object.entries(states).map(([value, { meaning: description }]) => ({
  value,
  description,
}))

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

const sources: ReadonlyMap<string, Source> = new Map<string, Source>([
  ['<order>', from(async (ask) => [...(await findOrders(ask)), ...(await findBatchWords(ask))])],
  ['<batch>', from(findBatches)],
  ['<file-or-batch>', batchesOrFiles],
  ['list --batch', from(findListedBatches)],
  ['list --by', from(findActors)],
  ['batch list --profile', findProfilesOfOrders],
  // The name of a new batch.
  ['batch plan --name', () => none],
  ['batch run --name', () => none],
  ['<name>', findProfiles],
  // The name of a new profile.
  ['profile add name', () => none],
  ['profile add --account', findAccountNames],
  ['profile remove name', findSavedProfiles],
  ['profile set-key name', findSavedProfiles],
  ['list --profile', findProfilesOfOrders],
  // Only list: create needs a new reference.
  ['list --reference', from(findReferences)],
  ['<state>', () => ({ candidates: listedStates })],
  ['watch --for', () => ({ candidates: serviceStates })],
  ['<currency>', from(findWallets)],
  ['<sku>', from(findSkus)],
  ['<product>', findProducts],
  ['<paths>', findFields],
  ['<period>', words(budgetKinds)],
  ['<time>', words(['1h', '24h', '7d', '30d', '90d'])],
  ['report --by', words(reportKeys)],
  ['report --profile', findProfilesOfOrders],
  ['<how>', () => ({ candidates: authMethods })],
  ['<file>', () => ({ ...none, next: 'files' })],
  ['<topic>', topics],
  ['serve-mock command', commandToRun],
])

/** Placeholders of values that orderctl cannot know. */
const freeForm = new Set(
  'address amount budget column command count duration fault field=column host id key limit number path role secret text url when'.split(
    ' ',
  ),
)
