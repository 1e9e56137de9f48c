// The help topics. What they say of limits, codes, flags and products is read from the code that decides it.
import type { Context } from '../../context.ts'
import { limits } from '../../contract/limits.ts'
import { exampleOrderFile } from '../../contract/openapi/examples.ts'
import { exitCodes } from '../../exit-codes.ts'
import { type Part, renderTopic } from '../../ui/screens/topic.ts'
import { renderJson } from '../../ui/text/json.ts'
import { viewOf } from '../shared/output/view-of.ts'
import { productSkeleton } from '../shared/product-file.ts'
import { productForm } from '../shared/product-flag.ts'

type Topic = () => readonly Part[] | Promise<readonly Part[]>

const exitCodesTopic: Topic = () => [
  {
    rows: Object.entries(exitCodes).map(
      ([name, { code, meaning }]) => [`${String(code).padStart(3)}  ${name}`, meaning] as const,
    ),
  },
]

const variables: readonly (readonly [name: string, meaning: string])[] = [
  ['ORDERCTL_BASE_URL', 'base URL of an account without a profile'],
  [
    'ORDERCTL_API_KEY',
    'its key. With --profile or ORDERCTL_PROFILE, it replaces the key of the profile, but only for the same account',
  ],
  [
    'ORDERCTL_ACCOUNT',
    'name of the account, if the base URL serves several. It replaces the one of a profile',
  ],
  ['ORDERCTL_AUTH', 'how the key is sent: bearer (default), basic, header:NAME or query:NAME'],
  ['ORDERCTL_PROFILE', 'the profile to act on, as --profile'],
  ['ORDERCTL_TIMEOUT', 'how long one call may take, as --timeout'],
  ['ORDERCTL_JSON', '1: as --json'],
  ['ORDERCTL_DEBUG', '1: as --debug'],
  ['ORDERCTL_ALLOW_HTTP', '1: as --allow-http'],
  ['ORDERCTL_NO_INPUT', '1: as --no-input; so does CI'],
  ['ORDERCTL_NO_COLOR', '1: as --no-color; so does NO_COLOR'],
  ['ORDERCTL_ACCESSIBLE', '1: for a screen reader; plain lines, choices by number, nothing drawn again'],
  [
    'ORDERCTL_CONFIG_DIR',
    'where the profiles are kept (else XDG_CONFIG_HOME, else ~/.config/orderctl; macOS: ~/Library/Application Support/orderctl)',
  ],
  [
    'ORDERCTL_STATE_DIR',
    'where the journal and the sandbox are kept (else XDG_STATE_HOME, else ~/.local/state/orderctl; macOS: ~/Library/Application Support/orderctl)',
  ],
  ['FORCE_COLOR', 'colour in a pipe, too'],
  ['XDG_CACHE_HOME', 'where compiled code is cached (else ~/.cache/orderctl)'],
  ['HTTPS_PROXY, HTTP_PROXY, NO_PROXY', 'the proxy, and for whom there is none'],
  ['NODE_EXTRA_CA_CERTS', 'a file of certificates that are trusted beside the usual ones'],
]

const environmentTopic: Topic = () => [
  {
    text: 'A flag wins over a variable, and a variable over the profile. 0 and false mean no, and so does nothing.',
  },
  { rows: variables },
]

const orderFileTopic: Topic = () => [
  {
    text: 'An order file is the request of the service, as JSON. orderctl create FILE places it; - is standard input. Flags win over what stands in it.',
  },
  { code: renderJson(exampleOrderFile, { reveal: true }) },
  {
    text: `At most ${limits.skusPerOrder} products, each SKU once, ${limits.quantityPerSku} units of each and ${limits.quantityPerOrder} in all. quote is the amount of one unit. reference is required here; as a flag, it is made up where it is left out. webhookUrl may say where the service delivers the order. A field that is not known is a mistake, and refused.`,
  },
  { text: `As a flag, a product is --product ${productForm}.` },
  {
    rows: [
      ['orderctl create --skeleton', 'prints the file above'],
      ['orderctl create --schema', 'prints its JSON Schema, for editors'],
      ['orderctl create FILE --dry-run', 'checks it, and sends nothing'],
    ],
  },
  {
    text: 'A product file is what an account sells: orderctl profile add NAME --products FILE. The questions of create and the TAB key then offer these products, and an amount that does not fit a price is asked for again. It has the form that serve-mock --catalogue takes, but of a product this is enough:',
  },
  { code: renderJson(productSkeleton, { reveal: true }) },
  {
    text: 'name may be left out; wallets, rates, and what else a catalogue says of a product, may stand there. The file is read each time, so it can be edited; where it cannot be read, its offers are missing, and nothing else.',
  },
]

const sandboxTopic: Topic = async () => {
  const { builtInCatalogue } = await import('../../service/catalogue.ts')
  const { products, wallets } = builtInCatalogue()
  return [
    {
      text: 'The profile sandbox is the whole service inside orderctl. It works offline, without a key and without real money. It is the default until you add a profile; after that, use it with orderctl profile use sandbox. Its order ids begin with sbx_, its card codes with SANDBOX-.',
    },
    {
      rows: [
        [
          'orderctl sandbox',
          `its ${products.size} products and its wallets (${[...wallets.keys()].join(', ')})`,
        ],
        ['orderctl sandbox advance 11m', 'puts its clock forward: orders are processed, or expire'],
        ['orderctl sandbox reset', 'back to its first day'],
        ['orderctl serve-mock', 'the same service behind a socket, for other programs'],
      ],
    },
    { text: 'These products provoke what is else hard to get:' },
    {
      rows: [...products.values()]
        .filter(({ sku }) => sku.startsWith('TEST-'))
        .map(({ sku, name }) => [sku, name.replace(/^Test: /, '')] as const),
    },
  ]
}

const jsonTopic: Topic = () => [
  {
    text: 'With --json (or ORDERCTL_JSON=1) stdout is one JSON document: the data of the service, names untouched, unknown fields included, amounts exact. For get of several orders, and for watch, it is one document a line.',
  },
  {
    rows: [
      ['create', '.id, .reference, .invoice, .expiresAt; with --confirm or --watch the final order'],
      ['confirm, get, watch', '.uid, .reference, .state, .products, .invoice, .redeem'],
      ['redeem', '.redeem, by SKU'],
      [
        'list, reconcile',
        'a list of .orderId, .reference, .state, .total, .wallet, .placedAt; reconcile also .was and .next',
      ],
    ],
  },
  {
    text: 'Codes are masked unless --reveal is given. --fields uid,invoice.total narrows; a key with dots is written products["A.B"].sku. -q prints ids alone.',
  },
  {
    text: 'An error is one object on stderr, on its last line; stdout has at most what other orders had to say:',
  },
  {
    code: '{"error":{"code":"refused","message":"…","status":404,"field":"…","fix":"…","orderId":"…","safeFrom":"…","retryable":false}}\n',
  },
  {
    text: 'code is the name of the exit code. safeFrom is the time from which ordering anew is safe. An order that ended failed or partial is no error: its exit code says so.',
  },
]

const safetyTopic: Topic = () => [
  { text: 'A confirmed order is spent money, and a code is as good as cash. What is done about it:' },
  {
    rows: [
      ['never twice', 'create and confirm are sent once; they are retried only if no byte has left'],
      ['a used reference', 'is exit 11; --idempotent goes on with its order, --allow-duplicate orders again'],
      ['no valid answer', 'to confirm: the order is asked for, for up to 80 s; what stays unknown is exit 6'],
      ['after exit 6', 'do not order again; orderctl reconcile says what became of the order'],
      ['after exit 5', 'nothing was spent: run it again'],
      ['after exit 3 or 10', 'of confirm, the message names the time from which ordering anew is safe'],
      ['reconcile --settle', 'settles by hand what can never be proven; who did it, and why, is recorded'],
      ['the journal', 'has each call on disk before it is sent: orderctl list'],
      ['Ctrl-C', 'waits for the answer to what spends; a second one leaves at once'],
      [
        'consent',
        'at a terminal, confirm shows the total and prompts; if it cannot prompt, it needs --yes. In a script, the command itself is the consent',
      ],
      ['limits', '--max-total 100 and --min-validity 2m keep a script from confirming more, or too late'],
      [
        'codes',
        'are masked; --reveal alone shows them, --copy and --export hand them on; orderctl list --reveals knows who had them',
      ],
      ['keys', 'are never a flag, never printed, and go to their own address alone'],
    ],
  },
]

const topics = new Map<string, Topic>([
  ['exit-codes', exitCodesTopic],
  ['environment', environmentTopic],
  ['order-file', orderFileTopic],
  ['sandbox', sandboxTopic],
  ['json', jsonTopic],
  ['safety', safetyTopic],
])

export const showTopic = async (context: Context, name: string): Promise<void> => {
  const parts = await topics.get(name)?.()
  if (parts !== undefined) context.stdout.write(renderTopic(parts, viewOf(context)))
}
