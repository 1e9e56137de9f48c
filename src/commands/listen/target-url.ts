// Reads --forward-to: the URL that deliveries are sent to.
import type { Context } from '../../context.ts'
import { isLoopbackHost } from '../../contract/base-url.ts'
import type { FlagReader } from '../shared/flag-reader.ts'

const flag = '--forward-to'
const form = 'a URL that begins with https:// or http://, without user name, password or #'

export const readTarget = ({ read, addProblem }: FlagReader, text: string | undefined): URL | undefined => {
  // A value that may have a password is not printed.
  if (text?.includes('@') !== true || parseTarget(text) !== undefined)
    return read(flag, text, parseTarget, form)
  addProblem(`${flag} must be ${form}`, flag)
  return undefined
}

const parseTarget = (text: string): URL | undefined => {
  const url = /^https?:\/\//i.test(text) && !/[\s\\#\p{Cc}]/u.test(text) ? URL.parse(text) : null
  return url === null || url.username !== '' || url.password !== '' ? undefined : url
}

/** The query may hold a key. */
export const nameTarget = ({ origin, pathname }: URL): string => `${origin}${pathname}`

export const warnOfPlainHttp = ({ stderr }: Pick<Context, 'stderr'>, { protocol, hostname }: URL): void => {
  if (protocol === 'https:' || isLoopbackHost(hostname)) return
  stderr.write(
    `warning: --forward-to sends deliveries, which may contain codes, to ${hostname} without encryption\n`,
  )
}
