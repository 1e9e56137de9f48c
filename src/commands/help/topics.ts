// The help topics, and how they are rendered. Limits, exit codes and products come from the code that enforces them. Then the
// fields of a command's JSON and its JSON Schema, from the lists that make the JSON.

import { productSkeleton } from '../../app/product-list.ts'
import type { Context } from '../../context.ts'
import { orderLimits } from '../../contract/limits.ts'
import { exampleOrderFile } from '../../contract/openapi/examples.ts'
import { exitCodes, Failure } from '../../errors.ts'
import { readPackageFile } from '../../package-file.ts'
import { productForm } from '../../text/flags.ts'
import { widthOf, wrapProse } from '../../ui/terminal/text.ts'
import { type View, viewOf } from '../../ui/terminal/view.ts'
import {
  type FieldType,
  findInner,
  isList,
  isSparse,
  isWordType,
  listNamed,
  listPaths,
  type ResultFields,
  renderJson,
} from '../../ui/text/result-fields.ts'
import { paragraph } from '../../ui/text/table.ts'

export type Part =
  | { readonly text: string }
  | { readonly rows: readonly (readonly [name: string, meaning: string])[] }
  | { readonly code: string }

const gap = '  '
const minMeaningWidth = 24

const renderRows = (rows: readonly (readonly [string, string])[], { width, theme }: View): string => {
  const nameWidth = Math.max(...rows.map(([name]) => widthOf(name)))
  const meaningWidth = width - nameWidth - gap.length
  return rows
    .map(([name, meaning]) => {
      if (meaningWidth < minMeaningWidth) return `${theme.strong(name)}\n${paragraph(meaning, width, gap)}`
      const padding = ' '.repeat(nameWidth - widthOf(name))
      const indent = ' '.repeat(nameWidth + gap.length)
      const lines = wrapProse(meaning, meaningWidth).join(`\n${indent}`)
      return `${theme.strong(name)}${padding}${gap}${lines}\n`
    })
    .join('')
}

const renderTopic = (parts: readonly Part[], view: View): string =>
  parts
    .map((part) => {
      if ('rows' in part) return renderRows(part.rows, view)
      return 'code' in part ? part.code.replace(/^(?=.)/gm, gap) : paragraph(part.text, view.width)
    })
    .join('\n')

/** Each string is a paragraph. */
type Topic = () => readonly (string | Part)[] | Promise<readonly (string | Part)[]>

const variables = {
  ORDERCTL_BASE_URL: 'base URL of the account, if you use no profile',
  ORDERCTL_API_KEY:
    'key of that account. If you select a profile with --profile or ORDERCTL_PROFILE, it replaces the key of the profile. orderctl refuses it if --profile and the environment name different accounts',
  ORDERCTL_ACCOUNT:
    'name of the account, if the base URL serves several. It overrides the account of the profile',
  ORDERCTL_AUTH: 'how to send the key: bearer (default), basic, header:NAME or query:NAME',
  ORDERCTL_PROFILE: 'same as --profile',
  ORDERCTL_TIMEOUT: 'time limit of one call, such as 20s',
  ORDERCTL_JSON: '1: same as --json',
  ORDERCTL_DEBUG: '1: same as --debug',
  ORDERCTL_ALLOW_HTTP: '1: same as --allow-http',
  ORDERCTL_NO_INPUT: '1: same as --no-input. A non-empty CI has the same effect',
  ORDERCTL_ALLOW_AGENT: '1: an assistant in a shell may spend, reveal codes, and change profiles and limits',
  ORDERCTL_NO_COLOR: '1: same as --no-color. A non-empty NO_COLOR has the same effect',
  ORDERCTL_ACCESSIBLE:
    '1: print plain lines for screen readers. Choices are numbered, and nothing is redrawn. ACCESSIBLE=1 has the same effect',
  ORDERCTL_CONFIG_DIR:
    'folder of the profiles (default: $XDG_CONFIG_HOME/orderctl, else ~/.config/orderctl; on macOS ~/Library/Application Support/orderctl)',
  ORDERCTL_STATE_DIR:
    'folder of the journal and the sandbox (default: $XDG_STATE_HOME/orderctl, else ~/.local/state/orderctl; on macOS ~/Library/Application Support/orderctl)',
  ORDERCTL_JOURNAL:
    'journal that a team shares: postgres://user@host/database. It overrides the journal of the profile. The sandbox does not use it',
  'PGPASSWORD, PGPASSFILE':
    'password of the shared journal, or the file with it (default: ~/.pgpass). PGPASSWORD comes first, then the file, then the password command of the profile, then a prompt',
  PGUSER: 'role for the shared journal, if its address names none (default: your login name)',
  PGSSLROOTCERT:
    'certificates to trust for the shared journal, if its address has no sslrootcert. system means those that Node trusts',
  FORCE_COLOR: 'print colour even in a pipe',
  XDG_CACHE_HOME: 'compiled code is cached in $XDG_CACHE_HOME/orderctl (default: ~/.cache/orderctl)',
  'HTTPS_PROXY, HTTP_PROXY, NO_PROXY': 'proxy to use, and the hosts to reach without it',
  NODE_EXTRA_CA_CERTS: 'file of additional certificates to trust',
  NODE_USE_SYSTEM_CA: '1: also trust the certificates that the system trusts',
}

const topics: Readonly<Record<string, Topic>> = {
  'exit-codes': () => [
    {
      rows: Object.entries(exitCodes).map(
        ([name, { code, meaning }]) => [`${String(code).padStart(3)}  ${name}`, meaning] as const,
      ),
    },
  ],

  environment: () => [
    'A flag overrides its variable, and a variable overrides the profile. For variables with the value 1, the values 0, false and empty mean off.',
    { rows: Object.entries(variables) },
  ],

  'order-file': () => [
    'An order file is the request to the service as JSON. orderctl create FILE places the order. Use - as FILE to read standard input. Flags override the fields of the file.',
    { code: renderJson(exampleOrderFile) },
    `An order has at most ${orderLimits.skusPerOrder} products, each SKU once. It has at most ${orderLimits.quantityPerSku} units of one product, and ${orderLimits.quantityPerOrder} units in all. quote is the amount of one unit. reference is required in a file; the flag is optional, and orderctl generates a reference if you omit it. webhookUrl is optional: the service sends the order to this address. orderctl refuses unknown fields.`,
    `To give a product as a flag, write --product ${productForm}.`,
    {
      rows: Object.entries({
        'orderctl create --skeleton': 'print the file above',
        'orderctl create --schema': 'print its JSON Schema, for editors',
        'orderctl create FILE --dry-run': 'check the file; send nothing',
      }),
    },
    'A product file lists the products that an account sells. Add it to a profile: orderctl profile add NAME --products FILE. The wizard of create and the TAB key then offer these products. create and batch refuse other products, types and prices before they send anything. A catalogue of serve-mock has the same format, but these fields are enough:',
    { code: renderJson(productSkeleton) },
    'name is optional. The other fields of a catalogue, such as wallets and rates, are allowed. orderctl reads the file each time, so you can edit it. If orderctl cannot read the file, it does not offer the products; everything else works.',
  ],

  sandbox: async () => {
    const { builtInCatalogue } = await import('../../service/catalogue.ts')
    const { products, wallets } = builtInCatalogue()
    return [
      'The profile sandbox is a complete order service inside orderctl. It works offline, needs no key, and uses no real money. It is the default until you add a profile. After that, choose it with orderctl profile use sandbox. Its order ids begin with sbx_, and its card codes with SANDBOX-.',
      {
        rows: Object.entries({
          'orderctl sandbox': `show its ${products.size} products and its wallets (${[...wallets.keys()].join(', ')})`,
          'orderctl sandbox advance 11m': 'advance its clock, so that orders are processed or expire',
          'orderctl sandbox reset': 'delete its orders, and restore its wallets and stock',
          'orderctl serve-mock': 'run the same service on a port, for other programs',
        }),
      },
      'These products trigger rare outcomes:',
      {
        rows: [...products.values()]
          .filter(({ sku }) => sku.startsWith('TEST-'))
          .map(({ sku, name }) => [sku, name.replace(/^Test: /, '')] as const),
      },
    ]
  },

  json: () => [
    'With --json or ORDERCTL_JSON=1, stdout is one JSON document. watch prints one document per line, and so does get with several orders. Every command prints the same object for an order. Amounts are exact, and times are in UTC. service is the response of the service, with its own names.',
    {
      rows: Object.entries({
        'help json get': 'the fields of a command',
        'help json get --schema': 'the JSON Schema of its output',
      }),
    },
    'Codes are masked unless you pass --reveal. --fields id,total prints only these fields. Write a key that contains dots as service.products["A.B"].sku. -q prints only ids.',
    'If a command fails, stdout has only the orders that did not fail. The error is one JSON object on stderr:',
    {
      code: '{"error":{"code":"refused","reason":"…","message":"…","httpStatus":404,"field":"…","fix":"…","advice":"…","orderId":"…","safeFrom":"…","retryable":false}}\n',
    },
    'code is the name of the exit code. reason says why. fix is a command to type. safeFrom is when reconcile can first check whether money was spent, or when a person can settle the order. Do not order again before that check. budget is the budget that does not allow the order. A failed or partial order is not an error, but it has its own exit code. Warnings are the field warnings of the order or the error, else of an object on stderr.',
  ],

  safety: () => [
    'Confirming an order spends money, and a code is as good as cash. orderctl protects your money and your codes:',
    {
      rows: Object.entries({
        'no second purchase':
          'create and confirm are sent once. orderctl retries only if it can prove that nothing was sent',
        'used reference':
          'is refused (exit code 11). --idempotent continues its order; --allow-duplicate orders again',
        'lost response':
          'after a confirm without a valid response, orderctl asks for the order for up to 80 s. If the outcome stays unknown, the exit code is 6',
        batches:
          'never buy a row twice and never exceed their --max-total. After any interruption, run the batch again',
        'after code 6': 'do not order again. orderctl reconcile finds out what happened',
        'after code 5': 'this run spent nothing. Run what the message suggests, or the command again',
        'after code 3 or 10':
          'the order is not known to be paid. If its confirm was refused, do not order again yet. The message says when reconcile can check it',
        'reconcile --settle':
          'records your decision if the outcome cannot be proven, with your name and reason',
        journal:
          'each create and confirm is on disk before orderctl sends it. Show the orders: orderctl list',
        'Ctrl-C':
          'while create or confirm is pending, orderctl waits for the response. A second Ctrl-C exits at once',
        consent:
          'create spends with --confirm, or after the prompt of --watch. On a terminal, confirm shows the total and prompts. If stdin is a terminal but confirm cannot prompt, it needs --yes. If stdin is not a terminal, as in a script, confirm itself is the consent. An order with a webhook also needs an accepted host (exit code 12)',
        limits:
          'confirm --max-total 100 refuses a higher total. confirm --min-validity 2m refuses an order that expires sooner',
        codes:
          'are masked. Only --reveal shows them. redeem --copy, redeem --export, batch export and listen replay pass them on without showing them. Show who got them: orderctl reveals. What listen forwards is recorded, too, unless it checks signatures',
        keys: 'are never flags and are never printed. orderctl sends a key only to its own account',
      }),
    },
  ],
}

/** The parts of a topic of src/program/program.ts. */
export const readTopic = async (name: string): Promise<readonly Part[]> => {
  const parts = (await topics[name]?.()) ?? []
  return parts.map((part) => (typeof part === 'string' ? { text: part } : part))
}

export const showTopic = async (context: Context, name: string): Promise<void> => {
  context.stdout.write(renderTopic(await readTopic(name), viewOf(context)))
}

type Schema = Readonly<Record<string, unknown>>

const scalars: Readonly<Record<string, Schema>> = {
  text: { type: 'string' },
  time: { type: 'string', format: 'date-time' },
  amount: { type: 'number' },
  count: { type: 'integer' },
  flag: { type: 'boolean' },
  object: { type: 'object' },
}

/** Every field may be null, except for one that is left out instead. A list never contains null. */
const toSchema = (type: FieldType): Schema => {
  if (typeof type === 'string') return scalars[type] ?? {}
  if (isWordType(type)) return { enum: type.words }
  if (isList(type)) return { type: 'array', items: toSchema(type.listOf) }
  const fields = isSparse(type) ? type.sparse : type
  const named = listNamed(fields as ResultFields<unknown>).map(([name, inner, description]) => {
    const schema = toSchema(inner)
    return [name, { description, ...(isSparse(type) ? schema : orNull(schema)) }]
  })
  return {
    type: 'object',
    properties: Object.fromEntries(named),
    required: isSparse(type) ? type.required : named.map(([name]) => name),
  }
}

const orNull = (schema: Schema): Schema => {
  if (Array.isArray(schema.enum)) return { enum: [...schema.enum, null] }
  return schema.type === undefined ? schema : { ...schema, type: [schema.type, 'null'] }
}

const warnings = { description: 'warnings, if there are any', type: 'array', items: { type: 'string' } }

/** An object may also have warnings. */
export const createResultSchema = (command: string, type: FieldType): object => {
  const schema = toSchema(type)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `orderctl ${command} --json`,
    ...schema,
    ...(isList(type) ? {} : { properties: { ...(schema.properties as object), warnings } }),
  }
}

export const nameType = (type: FieldType): string => {
  if (typeof type === 'string') return type
  if (isWordType(type)) return `one of ${type.words.join(', ')}`
  return isList(type) ? `list of ${typeof type.listOf === 'string' ? type.listOf : 'object'}` : 'object'
}

export const showFields = (
  context: Context,
  command: string,
  isSchema: boolean,
  results: ReadonlyMap<string, FieldType>,
): void => {
  const { stdout } = context
  const type = results.get(command)
  if (type === undefined) {
    const problem = command === '' ? '--schema needs a command' : `no list of fields for '${command}'`
    throw new Failure('usage', problem, {
      fix: () => 'orderctl help json',
      advice: `Commands: ${[...results.keys()].join(', ')}`,
    })
  }
  if (isSchema) {
    stdout.write(renderJson(createResultSchema(command, type)))
    return
  }
  const rows = listPaths(findInner(type) ?? []).map(
    ({ path, type, meaning }) => [path, `${nameType(type)}: ${meaning}`] as const,
  )
  const isMany = isList(type) ? 'a list of objects' : 'an object'
  const absent = isSparse(type) ? 'is left out' : 'is null'
  stdout.write(
    renderTopic(
      [{ text: `${command} --json prints ${isMany}. A field without a value ${absent}.` }, { rows }],
      viewOf(context),
    ),
  )
}

/** A guide without markup: its pictures become their descriptions, and a title that is a link says where to find it. */
const renderPlain = (markdown: string): string =>
  markdown
    .replace(/<(?:picture|source[^>]*)>\s*|\s*<\/picture>/g, '')
    .replace(/<img alt="([^"]*)"[^>]*>/g, '(Picture: $1)')
    .replace(/\[([A-Z][^\]]*)\]\(([a-z-]+)\.md[^)]*\)/g, '$1 (orderctl help --guide $2)')
    .replace(/\[([A-Z][^\]]*)\]\(\.\.\/([^)#]*)[^)]*\)/g, '$1 ($2)')
    .replace(/\[([^\]]*)\]\((?!https?:)[^)]*\)/g, '$1')

/** Wraps prose and lists, whose items are indented. Examples and tables keep their lines. */
const wrapGuide = (text: string, width: number): string => {
  let isExample = false
  const lines = text.split('\n').flatMap((line) => {
    const isFence = line.startsWith('```')
    if (isFence) isExample = !isExample
    if (isFence || isExample || line.startsWith('|')) return line
    const [marker = ''] = /^ *(?:-|\d+\.) /.exec(line) ?? []
    const wrapped = wrapProse(line.slice(marker.length), width - marker.length)
    return wrapped.map((part, index) => (index === 0 ? marker : ' '.repeat(marker.length)) + part)
  })
  return lines.join('\n')
}

export const printGuide = ({ stdout }: Context, name: string): void => {
  const text = renderPlain(readPackageFile(`dist/guides/${name}.md`))
  stdout.write(wrapGuide(text, stdout.width))
}
