// A profile: a name for one service account. Checks its fields, whether typed or read from the file.
// Written by hand: zod takes 10 ms to load, and listing orders or completing a word needs it for nothing else.

import { isAbsolute } from 'node:path'
import {
  type Auth,
  authForm,
  defaultAuth,
  headerNameProblem,
  maskedAuth,
  parseAuth,
  queryNameProblem,
} from '../contract/auth.ts'
import { maskedBaseUrl, parseBaseUrl } from '../contract/base-url.ts'
import { type Violation, violationAt } from '../contract/violations.ts'

export type Credential =
  | { readonly kind: 'key'; readonly key: string }
  /** Run when the key is needed; what it prints is kept nowhere. */
  | { readonly kind: 'command'; readonly command: string }

export type Profile = {
  readonly name: string
  readonly baseUrl: string
  /** Declared by the user, if the address serves separate accounts. */
  readonly account?: string
  readonly wallet?: string
  /** The absolute path of a file of the products that it sells. */
  readonly products?: string
  readonly auth: Auth
  readonly allowHttp?: boolean
  readonly credential?: Credential
}

/** The built-in profile: the embedded service. */
export const sandbox = 'sandbox'

/** The name of the account that stands in environment variables alone. */
export const environmentName = 'environment'

/** What is allowed, if this cannot name an account. */
export const accountNameProblem = (name: string): string | undefined =>
  /^[A-Za-z\d][\w.-]{0,63}$/.test(name)
    ? undefined
    : 'letters, digits, . _ and -, a letter or digit first, 64 at most'

/** What is allowed, if this cannot name a profile. */
export const nameProblem = (name: string): string | undefined => {
  const problem = accountNameProblem(name)
  if (problem !== undefined) return problem
  const taken = [sandbox, environmentName].find((each) => each === name.toLowerCase())
  return taken === undefined ? undefined : `another name: ${taken} is built in`
}

const walletForm = 'a currency code in capital letters, such as USD'

type Report = (field: string, allowed: string) => void

/** Reads a profile of the file. Undefined if anything is wrong. Unknown fields are left out. */
export const readProfile = (found: unknown, report: Report): Profile | undefined => {
  const { name, baseUrl, account, wallet, products, auth, allowHttp, credential } = fieldsOf(found)
  let sound = true
  const wrong: Report = (field, allowed) => {
    sound = false
    report(field, allowed)
  }
  const wrongName = typeof name === 'string' ? nameProblem(name) : 'a text'
  if (wrongName !== undefined) wrong('name', wrongName)
  const address = parseBaseUrl(typeof baseUrl === 'string' ? baseUrl : '', allowHttp === true)
  if ('problems' in address) wrong('baseUrl', address.problems.join('; '))
  if (account !== undefined) {
    const wrongAccount = typeof account === 'string' ? accountNameProblem(account) : 'a text'
    if (wrongAccount !== undefined) wrong('account', wrongAccount)
  }
  if (wallet !== undefined && !(typeof wallet === 'string' && /^[A-Z][A-Z0-9]{2,9}$/.test(wallet))) {
    wrong('wallet', walletForm)
  }
  if (products !== undefined && !(typeof products === 'string' && isAbsolute(products))) {
    wrong('products', 'a file, named in full from its root')
  }
  const sent = readAuth(auth, wrong)
  if (allowHttp !== undefined && typeof allowHttp !== 'boolean') wrong('allowHttp', 'true or false')
  const key = credential === undefined ? undefined : readCredential(credential, wrong)
  if (!sound || 'problems' in address || sent === undefined) return undefined
  return {
    name: name as string,
    baseUrl: address.baseUrl,
    ...(account === undefined ? {} : { account: account as string }),
    ...(wallet === undefined ? {} : { wallet: wallet as string }),
    ...(products === undefined ? {} : { products: products as string }),
    auth: sent,
    ...(allowHttp === undefined ? {} : { allowHttp: allowHttp as boolean }),
    ...(key === undefined ? {} : { credential: key }),
  }
}

const fieldsOf = (found: unknown): Readonly<Record<string, unknown>> =>
  typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : {}

const readAuth = (found: unknown, wrong: Report): Auth | undefined => {
  const { kind, name } = fieldsOf(found)
  if (kind === 'bearer' || kind === 'basic') return { kind }
  if (kind !== 'header' && kind !== 'query') {
    wrong('auth', `a way to send the key: ${authForm}`)
    return undefined
  }
  const text = typeof name === 'string' ? name : ''
  const allowed = kind === 'header' ? headerNameProblem(text) : queryNameProblem(text)
  if (allowed !== undefined) wrong('auth.name', allowed)
  return { kind, name: text }
}

const readCredential = (found: unknown, wrong: Report): Credential | undefined => {
  const { kind, key, command } = fieldsOf(found)
  if (kind === 'key' && typeof key === 'string' && key !== '') return { kind, key }
  if (kind === 'command' && typeof command === 'string' && command !== '') return { kind, command }
  wrong('credential', 'a key or a command')
  return undefined
}

/** As a person gives it. */
export type ProfileInput = {
  readonly name: string
  readonly baseUrl: string
  readonly account?: string | undefined
  readonly wallet?: string | undefined
  readonly products?: string | undefined
  /** As `--auth` has it; bearer, where nothing is said. */
  readonly auth?: string | undefined
  readonly allowHttp?: boolean | undefined
  readonly credential?: Credential | undefined
}

/** Reads what was typed; every violation is reported, not the first alone. */
export const checkProfile = (
  input: ProfileInput,
): { readonly profile: Profile } | { readonly violations: readonly Violation[] } => {
  const given = {
    ...input,
    baseUrl: maskedBaseUrl(input.baseUrl),
    auth: maskedAuth(input.auth ?? ''),
    credential: undefined,
  }
  const violations: Violation[] = []
  const wrong: Report = (field, allowed) => {
    violations.push(violationAt(given, [field], allowed))
  }
  const sent: ReturnType<typeof parseAuth> =
    input.auth === undefined ? { auth: defaultAuth } : parseAuth(input.auth)
  const auth = 'auth' in sent ? sent.auth : defaultAuth
  const profile = readProfile({ ...input, auth, allowHttp: input.allowHttp || undefined }, wrong)
  if ('allowed' in sent) wrong('auth', sent.allowed)
  return profile === undefined || violations.length > 0 ? { violations } : { profile }
}
