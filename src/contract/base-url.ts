// The base address of a service: what may be one, and its one way of writing.

/** In one way of writing, without a slash at its end; or all that is wrong with it. */
export const parseBaseUrl = (
  text: string,
  allowHttp: boolean,
): { readonly baseUrl: string } | { readonly problems: readonly string[] } => {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null
  if (url === null) return { problems: ['an address that begins with https:// or http://'] }
  const problems: string[] = []
  // The parser drops or changes these: what was meant is anybody's guess.
  if (/[\s\\\p{Cc}]/u.test(text)) problems.push('no space, backslash or control character in it')
  if (url.username !== '' || url.password !== '') problems.push('no user name or password in it')
  if (/[?#]/.test(text)) problems.push('nothing after ? or #')
  if (url.protocol === 'http:' && !allowHttp && !isLoopbackHost(url.hostname)) {
    problems.push('https; http only to this machine, or with --allow-http')
  }
  return problems.length > 0 ? { problems } : { baseUrl: url.href.replace(/\/+$/, '') }
}

/** Whether a host, as the URL parser writes it, looks like this machine. Only the address it resolves to is proof. */
export const isLoopbackHost = (host: string): boolean =>
  /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}\.?|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/.test(host)

/** Whether this machine has the address, as a socket gives it. */
export const isLoopbackAddress = (address: string): boolean =>
  /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|::1)$/.test(address)

/** As an error may show it: without what could be a credential. */
export const maskedBaseUrl = (text: string): string =>
  text.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1…@').replace(/[?#].*/s, '?…')
