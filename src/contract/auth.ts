// How a key is sent. Section 5 shows no scheme, so each account says its own.

export type Auth =
  | { readonly kind: 'bearer' | 'basic' }
  | { readonly kind: 'header' | 'query'; readonly name: string }

export const authForm = 'bearer, basic, header:NAME or query:NAME'

/** Spec silent: what most services take. */
export const defaultAuth: Auth = { kind: 'bearer' }

const longestKey = 8192

/** Why a key could not be sent, or would be sent as something else: a line break begins another header. */
export const keyProblem = (key: string, { kind }: Auth): string | undefined => {
  if (key === '') return 'is empty'
  if (key.length > longestKey) return `is longer than ${longestKey} characters, so it is no key`
  if (/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(key)) return 'has a control character or a line break in it'
  if (key.trim() !== key) return 'has a space around it'
  // These two are put into a header as they are; basic and query encode their UTF-8.
  if ((kind === 'bearer' || kind === 'header') && !/^[\x20-\x7e]+$/.test(key))
    return 'has a character in it that a header cannot carry'
  return undefined
}

/** What is allowed, where a header of that name cannot carry a key. */
export const headerNameProblem = (name: string): string | undefined => {
  if (!/^[!#$%&'*+.^_`|~\w-]{1,128}$/.test(name)) return 'header:NAME with the name of a header'
  return ownHeaders.has(name.toLowerCase())
    ? 'header:NAME with a header that requests do not have'
    : undefined
}

/** What is allowed, where a query parameter of that name cannot carry a key. */
export const queryNameProblem = (name: string): string | undefined => {
  if (!/^[A-Za-z0-9._~-]{1,128}$/.test(name)) return 'query:NAME with letters, digits, . _ ~ and -'
  return name === ownParameter ? 'query:NAME with a parameter that requests do not have' : undefined
}

// Section 4.3: it names the order.
const ownParameter = 'orderId'

// A key there would break the request, or its framing.
const ownHeaders = new Set(
  (
    'accept accept-encoding connection content-encoding content-length content-type cookie expect host ' +
    'keep-alive proxy-authorization proxy-connection te trailer transfer-encoding upgrade user-agent'
  ).split(' '),
)

/** Reads `bearer`, `header:X-Api-Key`; `allowed` says what would be. */
export const parseAuth = (text: string): { readonly auth: Auth } | { readonly allowed: string } => {
  if (text === 'bearer' || text === 'basic') return { auth: { kind: text } }
  const colon = text.indexOf(':')
  const kind = text.slice(0, colon)
  if (kind !== 'header' && kind !== 'query') return { allowed: authForm }
  const name = text.slice(colon + 1)
  const allowed = kind === 'header' ? headerNameProblem(name) : queryNameProblem(name)
  return allowed === undefined ? { auth: { kind, name } } : { allowed }
}

export const authText = (auth: Auth): string => ('name' in auth ? `${auth.kind}:${auth.name}` : auth.kind)

/** As an error may show it: what stands behind the colon may be a key, put there by mistake. */
export const maskedAuth = (text: string): string => text.replace(/:.*/s, ':…')
