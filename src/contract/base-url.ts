// Parses and normalizes the base URL of a service.

/** Returns the normalized URL without a trailing slash, or everything that is wrong with the text. */
export const parseBaseUrl = (
  text: string,
  allowHttp: boolean,
): { readonly baseUrl: string } | { readonly problems: readonly string[] } => {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null
  if (url === null) return { problems: ['a URL that begins with https:// or http://'] }
  const problems: string[] = []
  // The URL parser would silently drop or change these.
  if (/[\s\\\p{Cc}]/u.test(text)) problems.push('no space, backslash or control character')
  if (url.username !== '' || url.password !== '') problems.push('no user name or password')
  if (/[?#]/.test(text)) problems.push('nothing after ? or #')
  if (url.protocol === 'http:' && !allowHttp && !isLoopbackHost(url.hostname)) {
    problems.push('https (http only to this machine, or with --allow-http)')
  }
  return problems.length > 0 ? { problems } : { baseUrl: url.href.replace(/\/+$/, '') }
}

/** Expects a host as the URL parser normalizes it. Only the address that it resolves to proves that it is local. */
export const isLoopbackHost = (host: string): boolean =>
  /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}\.?|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/.test(host)

/** Expects the address of a connected socket. */
export const isLoopbackAddress = (address: string): boolean =>
  /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|::1)$/.test(address)

/** For errors: removes everything that could be a credential. */
export const maskBaseUrl = (text: string): string =>
  text.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1…@').replace(/[?#].*/s, '?…')
