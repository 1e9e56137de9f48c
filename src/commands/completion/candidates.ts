// Where the words come from that a flag or an argument may have: by its name, or by its placeholder in the help.
import type { Context } from '../../context.ts'
import { createdFields, orderFields } from '../../contract/field-paths.ts'
import { states } from '../../contract/states.ts'
import { journalOnlyStates } from '../../journal/entry.ts'
import { environmentName, sandbox } from '../../profiles/profile.ts'
import type { PricedProduct } from '../../service/catalogue.ts'
import { standingMeaning } from '../../ui/screens/state.ts'
import type { Candidate, Offer } from '../../ui/text/candidates.ts'
import {
  orderedProducts,
  orderWords,
  ownerInForce,
  readProfiles,
  referenceWords,
  unique,
  walletWords,
} from './journal-candidates.ts'
import type { Tree, TypedLine } from './parse-line.ts'

type Ask = { readonly context: Context; readonly tree: Tree; readonly line: TypedLine }

type Source = (ask: Ask) => Offer | Promise<Offer>

/** By the names, the first that is known, else by the placeholder; undefined where nobody decided. */
export const sourceOf = (
  names: readonly string[],
  placeholder: string,
  choices: readonly string[] | undefined,
): Source | undefined => {
  const named = names.map((name) => sources.get(name)).find((source) => source !== undefined)
  if (named !== undefined) return named
  if (choices !== undefined) return words(choices)
  const bare = placeholder.replace(/^[<[]|(?:\.\.\.)?[>\]]$/g, '')
  if (bare.includes('|')) return words(bare.split('|'))
  return sources.get(`<${bare}>`) ?? (thoughtUp.has(bare) ? () => none : undefined)
}

const none: Offer = { candidates: [] }

const words =
  (values: readonly string[]): Source =>
  () => ({ candidates: values.map((value) => ({ value })) })

const from =
  (candidates: (ask: Ask) => Promise<Candidate[]>): Source =>
  async (ask) => ({ candidates: await candidates(ask) })

/** The sandbox first, then those that can be read. */
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
  candidates: unique(
    readProfiles(context)
      .list()
      .flatMap(({ account, name }) =>
        account === undefined ? [] : [{ value: account, description: `of the profile ${name}` }],
      ),
  ),
})

const ownProfiles: Source = async (ask) => ({
  candidates: (await profiles(ask)).candidates.filter(({ value }) => value !== sandbox),
})

const placedProfiles: Source = async (ask) => ({
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

const isSandbox = async (ask: Ask): Promise<boolean> => (await ownerInForce(ask))?.profile === sandbox

const sandboxCatalogue = async () => (await import('../../service/catalogue.ts')).builtInCatalogue()

/** As the sandbox's catalogue or the profile's product file has them; a file that cannot be read has none. */
const soldHere = async (ask: Ask): Promise<readonly PricedProduct[]> => {
  if (await isSandbox(ask)) {
    const { pricedProduct } = await import('../../service/catalogue.ts')
    return [...(await sandboxCatalogue()).products.values()].map(pricedProduct)
  }
  const file = (await ownerInForce(ask))?.products
  if (file === undefined) return []
  const { readProductFile } = await import('../shared/product-file.ts')
  return readProductFile(ask.context, file).catch(() => [])
}

const skus = async (ask: Ask): Promise<Candidate[]> => {
  const ordered = await orderedProducts(ask)
  if (ordered.length > 0) return unique(ordered.map(({ sku }) => ({ value: sku })))
  return (await soldHere(ask)).map(({ sku, name }) => ({ value: sku, description: name }))
}

const soldWord = ({ sku, name, productType, price }: PricedProduct, hasType: boolean): Candidate => {
  if (productType === 'fixed') return { value: `${sku}:${price.least}`, description: name }
  const range = `${price.least} to ${price.most} ${price.currency}`
  // First, for it must not be cut off.
  const form = hasType ? undefined : `${sku}:QUOTE/${productType}`
  return {
    value: `${sku}:`,
    description: [form, name, range].filter((each) => each !== undefined).join(', '),
  }
}

/** `SKU:QUOTE` where its price is known, `SKU:` where one is to be typed; quantity and type may follow. */
const products: Source = async (ask) => {
  const hasCatalogue = await isSandbox(ask)
  const words = new Map(
    (await soldHere(ask)).map((product) => [product.sku, soldWord(product, hasCatalogue)]),
  )
  const ordered = hasCatalogue ? [] : await orderedProducts(ask)
  const candidates = ordered.map(
    ({ sku, productType, quote }) =>
      // What it was ordered for may be an old price.
      words.get(sku) ??
      (productType === 'fixed'
        ? { value: `${sku}:${quote}`, description: 'as ordered before' }
        : { value: `${sku}:`, description: `${productType}: ${sku}:QUOTE/${productType}` }),
  )
  return { candidates: unique([...candidates, ...words.values()]), next: 'nospace' }
}

const wallets = async (ask: Ask): Promise<Candidate[]> => {
  if (!(await isSandbox(ask))) return walletWords(ask)
  const { wallets: held } = await sandboxCatalogue()
  return [...held.keys()].map((value) => ({ value }))
}

const entryFields =
  'orderId reference state profile origin wallet total products placedAt changedAt expiresAt'.split(' ')
const fieldsOf = new Map<string, (isGiven: (flag: string) => boolean) => readonly string[]>([
  ['create', (isGiven) => (isGiven('--confirm') || isGiven('--watch') ? orderFields : createdFields)],
  ['list', (isGiven) => (isGiven('--reveals') ? revealFields : entryFields)],
  ['reconcile', () => [...entryFields, 'was', 'problem', 'next']],
  ['redeem', () => ['redeem']],
])
const revealFields = 'profile origin orderId skus at who how'.split(' ')

/** Behind the last comma, those that do not stand before it. */
const fields: Source = ({ line }) => {
  const { word, flags, path } = line
  const before = word.slice(0, word.lastIndexOf(',') + 1)
  const taken = new Set(before.split(','))
  const all = fieldsOf.get(path)?.((flag) => flags.some(({ option }) => option.long === flag)) ?? orderFields
  const candidates = all.filter((field) => !taken.has(field)).map((field) => ({ value: `${before}${field}` }))
  return { candidates, next: 'nospace' }
}

/** The operation first; then the kind. */
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

const auth: Source = () => ({
  candidates: [
    { value: 'bearer', description: 'Authorization: Bearer KEY' },
    { value: 'basic', description: 'Authorization: Basic, of KEY in base64' },
    { value: 'header:', description: 'a header of its own: header:X-Api-Key' },
    { value: 'query:', description: 'a parameter of the address: query:key' },
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
  // One name may be both.
  return { candidates: unique([...commands, ...rest]) }
}

/** Of what a person installed, the shell knows. */
const commandToRun: Source = ({ line: { flags, isLiteral } }) =>
  isLiteral && flags.some(({ option }) => option.long === '--exec') ? { ...none, next: 'command' } : none

const sources: ReadonlyMap<string, Source> = new Map<string, Source>([
  ['<order>', from(orderWords)],
  ['<name>', profiles],
  // A name that nobody has yet.
  ['profile add name', () => none],
  ['profile add --account', accountNames],
  ['profile remove name', ownProfiles],
  ['list --profile', placedProfiles],
  // To find the orders that have it; to create one, it must be a new one.
  ['list --reference', from(referenceWords)],
  ['<state>', () => ({ candidates: journalStates })],
  ['watch --for', () => ({ candidates: serviceStates })],
  ['<currency>', from(wallets)],
  ['<sku>', from(skus)],
  ['<product>', products],
  ['<paths>', fields],
  ['<fault>', faults],
  ['<how>', auth],
  ['<file>', () => ({ ...none, next: 'files' })],
  ['<topic>', topics],
  ['serve-mock command', commandToRun],
])

/** Placeholders of what nobody but the person knows. */
const thoughtUp = new Set('address amount command count duration host key number secret text url'.split(' '))
