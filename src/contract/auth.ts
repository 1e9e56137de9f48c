// The ways to send a key. order-service.md 5 specifies none, so each account sets its own.

export type Auth =
  | { readonly kind: 'bearer' | 'basic' }
  | { readonly kind: 'header' | 'query'; readonly name: string }

const authForm = 'bearer, basic, header:NAME or query:NAME'

/** Spec silent: most services use bearer. */
export const defaultAuth = 'bearer'

const maxKeyLength = 8192

/** Returns why the key cannot be sent. A line break, for example, would begin a second header. `auth`: as in --auth. */
export const findKeyProblem = (key: string, auth: string): string | undefined => {
  if (key === '') return 'is empty'
  if (key.length > maxKeyLength) return `is longer than ${maxKeyLength} characters`
  if (/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(key)) return 'contains a control character or a line break'
  // bearer and header send the key unencoded. basic and query encode its UTF-8.
  if (/^(bearer$|header:)/.test(auth) && !/^[\x20-\x7e]+$/.test(key))
    return 'contains a character that headers do not allow'
  return undefined
}

/** Returns the allowed form if this header cannot contain a key. */
const findHeaderNameProblem = (name: string): string | undefined => {
  if (!/^[!#$%&'*+.^_`|~\w-]{1,128}$/.test(name)) return 'header:NAME with a valid header name'
  return reservedHeaders.has(name.toLowerCase())
    ? 'header:NAME with a header that requests do not already use'
    : undefined
}

/** Returns the allowed form if this query parameter cannot contain a key. */
const findQueryNameProblem = (name: string): string | undefined => {
  if (!/^[A-Za-z0-9._~-]{1,128}$/.test(name)) return 'query:NAME with letters, digits, . _ ~ and -'
  // order-service.md 4.3: it identifies the order.
  return name === 'orderId' ? 'query:NAME with a parameter that requests do not already use' : undefined
}

// A key in one of these headers would break the request.
const reservedHeaders = new Set(
  (
    'accept accept-encoding connection content-encoding content-length content-type cookie expect host ' +
    'keep-alive proxy-authorization proxy-connection te trailer transfer-encoding upgrade user-agent'
  ).split(' '),
)

/** Parses `bearer` or `header:X-Api-Key`. */
export const parseAuth = (text: string): { readonly auth: Auth } | { readonly allowed: string } => {
  if (text === 'bearer' || text === 'basic') return { auth: { kind: text } }
  const colon = text.indexOf(':')
  const kind = text.slice(0, colon)
  if (kind !== 'header' && kind !== 'query') return { allowed: authForm }
  const name = text.slice(colon + 1)
  const allowed = kind === 'header' ? findHeaderNameProblem(name) : findQueryNameProblem(name)
  return allowed === undefined ? { auth: { kind, name } } : { allowed }
}

export const formatAuth = (auth: Auth): string => ('name' in auth ? `${auth.kind}:${auth.name}` : auth.kind)

/** For errors: the text after the colon may be a key that was typed by mistake. */
export const maskAuth = (text: string): string => text.replace(/:.*/s, ':…')
