// Chooses the source of candidates for a flag or an argument, by its name or by its placeholder in the help.
import type { Context } from '../../context.ts'
import { budgetKinds } from '../../contract/calendar/period.ts'
import { reportKeys } from '../../contract/report/report.ts'
import { states } from '../../contract/states.ts'
import { journalOnlyStates } from '../../journal/entry.ts'
import { environmentName, sandbox } from '../../profiles/profile.ts'
import type { PricedProduct } from '../../service/catalogue.ts'
import { standingMeaning } from '../../ui/screens/state.ts'
import type { Candidate, Offer } from '../../ui/text/candidates.ts'
import { findBatchColumns, findBatches, findBatchWords, findListedBatches } from './batch-candidates.ts'
import { findFields } from './field-candidates.ts'
import {
  findActors,
  findOrderedProducts,
  findOrders,
  findReferences,
  findWallets,
  removeRepeated,
} from './journal-candidates.ts'
import { findOwner, readProfiles } from './journal-reader.ts'
import type { Tree, TypedLine } from './parse-line.ts'

type Ask = { readonly context: Context; readonly tree: Tree; readonly line: TypedLine }

type Source = (ask: Ask) => Offer | Promise<Offer>

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

const none: Offer = { candidates: [] }

const words =
  (values: readonly string[]): Source =>
  () => ({ candidates: values.map((value) => ({ value })) })

const from =
  (candidates: (ask: Ask) => Promise<readonly Candidate[]>): Source =>
  async (ask) => ({ candidates: await candidates(ask) })

/** The sandbox, then the saved profiles. */
const profiles: Source = ({ context }) => {
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

const accountNames: Source = ({ context }) => ({
  candidates: removeRepeated(
    readProfiles(context)
      .list()
      .flatMap(({ account, name }) =>
        account === undefined ? [] : [{ value: account, description: `account of the profile ${name}` }],
      ),
  ),
})

const savedProfiles: Source = async (ask) => ({
  candidates: (await profiles(ask)).candidates.filter(({ value }) => value !== sandbox),
})

const profilesOfOrders: Source = async (ask) => ({
  candidates: [
    ...(await profiles(ask)).candidates,
    { value: environmentName, description: 'placed with ORDERCTL_BASE_URL' },
  ],
})

const serviceStates = Object.entries(states).map(([value, { meaning: description }]) => ({
  value,
  description,
}))

const journalStates: Candidate[] = [
  ...serviceStates,
  ...Object.values(journalOnlyStates).map((value) => ({ value, description: standingMeaning(value) })),
]

const isSandbox = async (ask: Ask): Promise<boolean> => (await findOwner(ask))?.profile === sandbox

const sandboxCatalogue = async () => (await import('../../service/catalogue.ts')).builtInCatalogue()

/** The products of the sandbox's catalogue, or of the profile's product file. A file that cannot be read is ignored. */
const findProductsOnSale = async (ask: Ask): Promise<readonly PricedProduct[]> => {
  if (await isSandbox(ask)) {
    const { pricedProduct } = await import('../../service/catalogue.ts')
    return [...(await sandboxCatalogue()).products.values()].map(pricedProduct)
  }
  const file = (await findOwner(ask))?.products
  if (file === undefined) return []
  const { readProductFile } = await import('../shared/products/product-file.ts')
  return readProductFile(ask.context, file).catch(() => [])
}

const skus = async (ask: Ask): Promise<Candidate[]> => {
  const ordered = await findOrderedProducts(ask)
  if (ordered.length > 0) return removeRepeated(ordered.map(({ sku }) => ({ value: sku })))
  return (await findProductsOnSale(ask)).map(({ sku, name }) => ({ value: sku, description: name }))
}

const formatProductCandidate = (
  { sku, name, productType, price }: PricedProduct,
  hasType: boolean,
): Candidate => {
  if (productType === 'fixed') return { value: `${sku}:${price.least}`, description: name }
  const range = `${price.least} to ${price.most} ${price.currency}`
  // The form comes first, because a shell cuts off the end of a long description.
  const form = hasType ? undefined : `${sku}:QUOTE/${productType}`
  return {
    value: `${sku}:`,
    description: [form, name, range].filter((each) => each !== undefined).join(', '),
  }
}

/** `SKU:QUOTE` if the price is known, otherwise `SKU:`. The user may add a quantity and a type. */
const products: Source = async (ask) => {
  const hasCatalogue = await isSandbox(ask)
  const words = new Map(
    (await findProductsOnSale(ask)).map((product) => [
      product.sku,
      formatProductCandidate(product, hasCatalogue),
    ]),
  )
  const ordered = hasCatalogue ? [] : await findOrderedProducts(ask)
  const candidates = ordered.map(
    ({ sku, productType, quote }) =>
      // The current price, not that of the last order.
      words.get(sku) ??
      (productType === 'fixed'
        ? { value: `${sku}:${quote}`, description: 'last ordered amount' }
        : { value: `${sku}:`, description: `${productType}: ${sku}:QUOTE/${productType}` }),
  )
  return { candidates: removeRepeated([...candidates, ...words.values()]), next: 'nospace' }
}

const wallets = async (ask: Ask): Promise<Candidate[]> => {
  if (!(await isSandbox(ask))) return findWallets(ask)
  const { wallets: held } = await sandboxCatalogue()
  return [...held.keys()].map((value) => ({ value }))
}

/** First the operation, then the kind of the fault. */
const faults: Source = async ({ line: { word } }) => {
  const { operations } = await import('../../contract/endpoints.ts')
  const { faultKinds } = await import('../../service/faults/faults.ts')
  const on = [...operations, 'any'].map((operation) => `${operation}:`)
  const operation = on.find((each) => word.startsWith(each))
  if (operation === undefined) return { candidates: on.map((value) => ({ value })), next: 'nospace' }
  const candidates = Object.entries(faultKinds).map(([kind, { needsValue, summary }]) => ({
    value: `${operation}${kind}${needsValue ? '=' : ''}`,
    description: summary,
  }))
  return { candidates, next: 'nospace' }
}

const batchesOrFiles: Source = async (ask) => ({ candidates: await findBatches(ask), next: 'files' })

/** The header of the file is not read: it may be large, or a pipe. */
const mappedFields: Source = () => ({
  candidates: ['sku=', 'quote=', 'quantity=', 'productType='].map((value) => ({ value })),
  next: 'nospace',
})

/** `500USD` gets its periods. Without a currency, it gets the wallets. */
const budgets: Source = async (ask) => {
  const [, amount = '', currency = ''] = /^(\d+(?:\.\d+)?)([A-Z]\w*)?/.exec(ask.line.word) ?? []
  if (amount === '') return { ...none, next: 'nospace' }
  if (/^[A-Z]\w{2,}$/.test(currency) && (ask.line.word.includes('/') || currency.length === 3))
    return { candidates: budgetKinds.map((period) => ({ value: `${amount}${currency}/${period}` })) }
  const held = await wallets(ask)
  return { candidates: held.map(({ value }) => ({ value: `${amount}${value}/` })), next: 'nospace' }
}

/** `1000` gets its wallets. */
const approvalLimits: Source = async (ask) => {
  const [amount] = /^\d+(?:\.\d+)?/.exec(ask.line.word) ?? []
  if (amount === undefined) return { ...none, next: 'nospace' }
  return { candidates: (await wallets(ask)).map(({ value }) => ({ value: `${amount}${value}` })) }
}

const auth: Source = () => ({
  candidates: [
    { value: 'bearer', description: 'Authorization: Bearer KEY' },
    { value: 'basic', description: 'Authorization: Basic, with KEY in base64' },
    { value: 'header:', description: 'in a header: header:X-Api-Key' },
    { value: 'query:', description: 'in the URL: query:key' },
  ],
})

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

const sources: ReadonlyMap<string, Source> = new Map<string, Source>([
  ['<order>', from(async (ask) => [...(await findOrders(ask)), ...(await findBatchWords(ask))])],
  ['<batch>', from(findBatches)],
  ['<file-or-batch>', batchesOrFiles],
  ['list --batch', from(findListedBatches)],
  ['list --by', from(findActors)],
  ['batch list --profile', profilesOfOrders],
  // The name of a new batch.
  ['batch plan --name', () => none],
  ['batch run --name', () => none],
  ['<column>', from(findBatchColumns)],
  ['<field=column>', mappedFields],
  ['<name>', profiles],
  // The name of a new profile.
  ['profile add name', () => none],
  ['profile add --account', accountNames],
  ['profile remove name', savedProfiles],
  ['list --profile', profilesOfOrders],
  // Only list: create needs a new reference.
  ['list --reference', from(findReferences)],
  ['<state>', () => ({ candidates: journalStates })],
  ['watch --for', () => ({ candidates: serviceStates })],
  ['<currency>', from(wallets)],
  ['<sku>', from(skus)],
  ['<product>', products],
  ['<paths>', findFields],
  ['<budget>', budgets],
  ['<period>', words(budgetKinds)],
  ['<time>', words(['1h', '24h', '7d', '30d', '90d'])],
  ['<limit>', approvalLimits],
  ['report --by', words(reportKeys)],
  ['report --profile', profilesOfOrders],
  ['<fault>', faults],
  ['<how>', auth],
  ['<file>', () => ({ ...none, next: 'files' })],
  ['<topic>', topics],
  ['serve-mock command', commandToRun],
])

/** Placeholders of values that orderctl cannot know. */
const freeForm = new Set(
  'address amount command count duration host key number role secret text url when'.split(' '),
)
