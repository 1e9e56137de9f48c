// Section 7: each status and message once. The service answers from this table, and the client reads answers by it.

export type Operation = 'create' | 'confirm' | 'get'

export type Refusal = {
  readonly operations: readonly Operation[]
  readonly status: number
  readonly message: string
  /** Whether the document shows this message to the letter; else the words are ours. */
  readonly verbatim: boolean
  /** What to do about it. */
  readonly fix: string
  /** Whether the same call, unchanged, may be made again and succeed. */
  readonly retryable: boolean
}

export const refusals = {
  'list-too-big': {
    operations: ['create'],
    status: 400,
    message: 'Requested product list is bigger than allowed',
    verbatim: true,
    fix: 'Reduce the size of the order: at most 5 SKUs, 5 of each, 25 in all.',
    retryable: false,
  },
  'list-malformed': {
    operations: ['create'],
    status: 400,
    message: 'Your product list is not formatted well',
    verbatim: true,
    fix: 'Product list items must have unique SKUs.',
    retryable: false,
  },
  'quote-mismatch': {
    operations: ['create'],
    status: 400,
    message: "The entered quote doesn't match the SKU.",
    verbatim: true,
    fix: "Use the product's own type and price.",
    retryable: false,
  },
  'quote-out-of-range': {
    operations: ['create'],
    status: 400,
    message: 'The entered quote is not in range',
    verbatim: true,
    fix: "Choose a quote within the product's range.",
    retryable: false,
  },
  'insufficient-funds': {
    operations: ['create', 'confirm'],
    status: 400,
    message: 'You have insufficient funds in your wallet to create this order',
    verbatim: true,
    fix: 'Top up the wallet, pay from another, or order less.',
    retryable: false,
  },
  'bad-request': {
    operations: ['create'],
    status: 400,
    // Spec silent: no message is shown for a request that is wrong outside its product list.
    message: 'The request body is not valid',
    verbatim: false,
    fix: 'Send a JSON object with productList, wallet and reference.',
    retryable: false,
  },
  'invalid-order-id': {
    // Spec silent on get: a missing id is answered as confirm answers it.
    operations: ['confirm', 'get'],
    status: 400,
    message: 'Request body has no valid `orderId`.',
    verbatim: false,
    fix: 'Give the order id that create returned.',
    retryable: false,
  },
  credentials: {
    // Spec silent on confirm and get: we expect what create does.
    operations: ['create', 'confirm', 'get'],
    status: 403,
    message: 'Credentials missing or invalid.',
    verbatim: false,
    fix: 'Check the key of the profile.',
    retryable: false,
  },
  'product-not-found': {
    operations: ['create'],
    status: 404,
    message: 'One or more product in the sent list are not found.',
    verbatim: true,
    fix: 'Check the SKUs.',
    retryable: false,
  },
  'not-pending': {
    operations: ['confirm'],
    status: 404,
    message: 'Not Found',
    verbatim: true,
    fix: 'No pending order has this id: it is unknown, or was confirmed before. Look at it with get.',
    retryable: false,
  },
  'order-not-found': {
    // Spec silent on the errors of get: we expect confirm's words.
    operations: ['get'],
    status: 404,
    message: 'Not Found',
    verbatim: false,
    fix: 'Check the order id and the profile.',
    retryable: true,
  },
  expired: {
    operations: ['confirm'],
    status: 419,
    message: 'Expired',
    verbatim: true,
    fix: 'Create the order again: its rates were frozen until it expired.',
    retryable: false,
  },
  'exchange-unsupported': {
    operations: ['create'],
    status: 500,
    message: 'Your requested exchange is not supported',
    verbatim: true,
    fix: 'Pay from a wallet in another currency.',
    retryable: false,
  },
  'out-of-stock': {
    operations: ['create'],
    status: 500,
    message: 'Requested item is out of stock',
    verbatim: true,
    fix: 'Order less of it, or another product.',
    retryable: false,
  },
  'server-error': {
    operations: ['create', 'get'],
    status: 500,
    message: 'Unexpected server error.',
    verbatim: false,
    fix: 'Try again later.',
    retryable: false,
  },
  'server-problem': {
    operations: ['confirm'],
    status: 500,
    message: 'Server problem; retry later.',
    verbatim: false,
    fix: 'Look at the order with get before you confirm it again.',
    retryable: true,
  },
} as const satisfies Record<string, Refusal>

export type RefusalKind = keyof typeof refusals

type Advice = Pick<Refusal, 'fix' | 'retryable'>

// Spec silent: these statuses are not documented. By RFC 9110 and RFC 6585 the server did not process the request.
const undocumentedRefusals: ReadonlyMap<number, Advice> = new Map([
  [405, { fix: 'Check the base address: this server does not take orders there.', retryable: false }],
  [413, { fix: 'Make the order smaller, or its reference shorter.', retryable: false }],
  [415, { fix: 'Check the base address: this server does not take JSON there.', retryable: false }],
  // A client may repeat it on a fresh connection, but orderctl already opens one for each create and confirm.
  [421, { fix: 'Check the base address: another server answered.', retryable: false }],
  [426, { fix: 'Check whether the base address must begin with https://.', retryable: false }],
  [429, { fix: 'Wait a minute, then run it again.', retryable: true }],
  [431, { fix: 'Check the key: the headers of the request are too large.', retryable: false }],
])

/**
 * Whether a server answers so before it acts on a create or confirm. This is no proof that nothing was done: a proxy
 * may have sent the request twice, and the first copy may have worked.
 */
export const refusesBeforeActing = (status: number): boolean =>
  [400, 401, 403].includes(status) || undocumentedRefusals.has(status)

/** What to do about a refusal. Undefined if neither its words nor its status are known. */
export const findAdvice = (kind: RefusalKind | undefined, status: number): Advice | undefined => {
  if (kind === undefined) return undocumentedRefusals.get(status)
  const { fix, retryable } = refusals[kind]
  return { fix, retryable }
}

/** Which documented refusal an answer is. The only place where message text decides anything. */
export const recogniseRefusal = (
  operation: Operation,
  status: number,
  message: string,
): RefusalKind | undefined => {
  const wanted = comparable(message)
  const candidates = Object.entries<Refusal>(refusals).filter(
    ([, refusal]) => refusal.status === status && refusal.operations.includes(operation),
  )
  const same = candidates.find(([, refusal]) => comparable(refusal.message) === wanted)
  // A status that stands for one thing alone needs no message.
  const alone = candidates.length === 1 && status !== 500 ? candidates[0] : undefined
  return (same ?? alone)?.[0] as RefusalKind | undefined
}

/** Whether these are the words that the document shows: others may be of something in between. */
export const isVerbatim = (kind: RefusalKind, message: string): boolean =>
  refusals[kind].verbatim && comparable(refusals[kind].message) === comparable(message)

// The document ends some messages with a full stop and others not: no one should depend on it.
const comparable = (message: string): string => message.trim().replace(/\.$/, '').toLowerCase()
