// The refusals of order-service.md 7. The embedded service sends them, and the client recognises them.

export type Operation = 'create' | 'confirm' | 'get'

export type Refusal = {
  readonly operations: readonly Operation[]
  readonly status: number
  readonly message: string
  /** Whether the message is quoted from the document. Otherwise it is orderctl's own. */
  readonly isVerbatim: boolean
  /** The next step. */
  readonly fix: string
  /** Whether the same call may succeed later. */
  readonly retryable: boolean
}

export const refusals = {
  'list-too-big': {
    operations: ['create'],
    status: 400,
    message: 'Requested product list is bigger than allowed',
    isVerbatim: true,
    fix: 'Reduce the size of the order: at most 5 SKUs, 5 of each, 25 in all.',
    retryable: false,
  },
  'list-malformed': {
    operations: ['create'],
    status: 400,
    message: 'Your product list is not formatted well',
    isVerbatim: true,
    fix: 'Product list items must have unique SKUs.',
    retryable: false,
  },
  'quote-mismatch': {
    operations: ['create'],
    status: 400,
    message: "The entered quote doesn't match the SKU.",
    isVerbatim: true,
    fix: "Use the product's own type and price. If you choose the amount, the type is range: --product SKU:12.50/range.",
    retryable: false,
  },
  'quote-out-of-range': {
    operations: ['create'],
    status: 400,
    message: 'The entered quote is not in range',
    isVerbatim: true,
    fix: "Choose a quote within the product's range.",
    retryable: false,
  },
  'insufficient-funds': {
    operations: ['create', 'confirm'],
    status: 400,
    message: 'You have insufficient funds in your wallet to create this order',
    isVerbatim: true,
    fix: 'Top up the wallet, use another wallet, or order less.',
    retryable: false,
  },
  'bad-request': {
    operations: ['create'],
    status: 400,
    // Spec silent: there is no message for a request that is invalid outside its product list.
    message: 'The request body is not valid',
    isVerbatim: false,
    fix: 'Send a JSON object with productList, wallet and reference.',
    retryable: false,
  },
  'invalid-order-id': {
    // Spec silent on get: the response to a missing id is that of confirm.
    operations: ['confirm', 'get'],
    status: 400,
    message: 'Request body has no valid `orderId`.',
    isVerbatim: false,
    fix: 'Give the order id that create returned.',
    retryable: false,
  },
  credentials: {
    // Spec silent on confirm and get: the response is that of create.
    operations: ['create', 'confirm', 'get'],
    status: 403,
    message: 'Credentials missing or invalid.',
    isVerbatim: false,
    fix: 'Check the key (ORDERCTL_API_KEY), and how it is sent (ORDERCTL_AUTH).',
    retryable: false,
  },
  'product-not-found': {
    operations: ['create'],
    status: 404,
    message: 'One or more product in the sent list are not found.',
    isVerbatim: true,
    fix: 'Check the SKUs.',
    retryable: false,
  },
  'not-pending': {
    operations: ['confirm'],
    status: 404,
    message: 'Not Found',
    isVerbatim: true,
    fix: 'The order does not exist or is already confirmed. Check it with get.',
    retryable: false,
  },
  'order-not-found': {
    // Spec silent on the errors of get: the message is that of confirm.
    operations: ['get'],
    status: 404,
    message: 'Not Found',
    isVerbatim: false,
    fix: 'Check the order id and the profile.',
    retryable: true,
  },
  expired: {
    operations: ['confirm'],
    status: 419,
    message: 'Expired',
    isVerbatim: true,
    fix: 'Create a new order. The rates of this one were valid only until it expired.',
    retryable: false,
  },
  'exchange-unsupported': {
    operations: ['create'],
    status: 500,
    message: 'Your requested exchange is not supported',
    isVerbatim: true,
    fix: 'Use a wallet in another currency.',
    retryable: false,
  },
  'out-of-stock': {
    operations: ['create'],
    status: 500,
    message: 'Requested item is out of stock',
    isVerbatim: true,
    fix: 'Order less of it, or another product.',
    retryable: false,
  },
  'server-error': {
    operations: ['create', 'get'],
    status: 500,
    message: 'Unexpected server error.',
    isVerbatim: false,
    fix: 'Try again later.',
    retryable: false,
  },
  'server-problem': {
    operations: ['confirm'],
    status: 500,
    message: 'Server problem; retry later.',
    isVerbatim: false,
    fix: 'Check the order with get before you confirm it again.',
    retryable: true,
  },
} as const satisfies Record<string, Refusal>

export type RefusalKind = keyof typeof refusals

type Advice = Pick<Refusal, 'fix' | 'retryable'>

// Spec silent: these statuses are not documented. By RFC 9110 and RFC 6585 the server did not process the request.
const undocumentedRefusals: ReadonlyMap<number, Advice> = new Map([
  [405, { fix: 'Check the base URL: this server does not accept orders there.', retryable: false }],
  [413, { fix: 'Make the order smaller, or its reference shorter.', retryable: false }],
  [415, { fix: 'Check the base URL: this server does not accept JSON there.', retryable: false }],
  // RFC 9110 allows a retry on a new connection, but each create and confirm already opens one.
  [421, { fix: 'Check the base URL: another server responded.', retryable: false }],
  [426, { fix: 'Check whether the base URL must begin with https://.', retryable: false }],
  [429, { fix: 'Wait a minute, then run it again.', retryable: true }],
  [431, { fix: 'Check the key: the headers of the request are too large.', retryable: false }],
])

/**
 * Whether a server sends this status before it acts on a create or confirm. It does not prove that nothing happened:
 * a proxy may have sent the request twice, and the first copy may have worked.
 */
export const isRefusedBeforeActing = (status: number): boolean =>
  [400, 401, 403].includes(status) || undocumentedRefusals.has(status)

/** Returns undefined if neither the message nor the status is known. */
export const findAdvice = (kind: RefusalKind | undefined, status: number): Advice | undefined => {
  if (kind === undefined) return undocumentedRefusals.get(status)
  const { fix, retryable } = refusals[kind]
  return { fix, retryable }
}

/** The only function that decides by the text of a message. */
export const recogniseRefusal = (
  operation: Operation,
  status: number,
  message: string,
): RefusalKind | undefined => {
  const wanted = normalizeMessage(message)
  const candidates = Object.entries<Refusal>(refusals).filter(
    ([, refusal]) => refusal.status === status && refusal.operations.includes(operation),
  )
  const same = candidates.find(([, refusal]) => normalizeMessage(refusal.message) === wanted)
  // A status with only one refusal needs no message.
  const only = candidates.length === 1 && status !== 500 ? candidates[0] : undefined
  return (same ?? only)?.[0] as RefusalKind | undefined
}

/** Whether the message is quoted from the document. Any other message may come from a proxy. */
export const isVerbatim = (kind: RefusalKind, message: string): boolean =>
  refusals[kind].isVerbatim && normalizeMessage(refusals[kind].message) === normalizeMessage(message)

// The document ends only some messages with a full stop.
const normalizeMessage = (message: string): string => message.trim().replace(/\.$/, '').toLowerCase()

/** Spec silent: the largest request. */
export const maxRequestBytes = 64 * 1024

export const wrongContentType = 'Content-Type must be application/json'

export const describeAllowedMethods = (methods: string): string => `Method not allowed. Use ${methods}.`

export const describeTooLarge = (maxBytes: number): string =>
  `The request body is larger than ${maxBytes} bytes.`
