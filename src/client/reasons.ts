// Says why a request failed, in a few words. Never an error's own message: it may repeat a secret.

const reasons = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'connection reset'],
  ['EPIPE', 'connection reset'],
  ['EHOSTUNREACH', 'host unreachable'],
  ['ENETUNREACH', 'network unreachable'],
  ['EADDRNOTAVAIL', 'network unreachable'],
  ['EACCES', 'connection not permitted'],
  ['EPERM', 'connection not permitted'],
  ['EPROTO', 'TLS handshake failed'],
  ['ETIMEDOUT', 'connection timed out'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connection timed out'],
  ['UND_ERR_SOCKET', 'the connection closed before the answer was complete'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'the answer does not have its announced length'],
  ['UND_ERR_HEADERS_OVERFLOW', 'the headers of the answer are too large'],
  ['UND_ERR_INVALID_ARG', 'the request is not valid HTTP'],
  ['UND_ERR_DESTROYED', 'the client was closed'],
  ['UND_ERR_CLOSED', 'the client was closed'],
  ['UND_ERR_PRX_CONN', 'the proxy closed the connection'],
  ['UND_ERR_PRX_TLS', "the proxy's certificate is not for its name"],
  ['CERT_HAS_EXPIRED', 'certificate has expired'],
  ['CERT_NOT_YET_VALID', 'certificate is not valid yet'],
  ['CERT_REVOKED', 'certificate is revoked'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate is self-signed'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'certificate is signed by an unknown authority'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate is signed by an unknown authority'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'certificate is signed by an unknown authority'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'certificate is signed by an unknown authority'],
])

/** The code of the error that ends a connection to another machine, with its `address`. */
export const notThisMachine = 'NOT_THIS_MACHINE'

type Known = Error & { readonly code?: unknown; readonly hostname?: unknown; readonly address?: unknown }

export const describeError = (error: Error, host: string): string => {
  const {
    code: given,
    hostname,
    address,
    message,
  } = (error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error) as Known
  const code = typeof given === 'string' ? given : ''
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `cannot resolve ${typeof hostname === 'string' ? hostname : host}`
  if (code === notThisMachine)
    return `${host} leads to ${address}, not to this machine: plain http needs --allow-http`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `certificate is not for ${host}`
  // undici has the status of the proxy only in its message, and reports a 407 as an invalid argument.
  const refused = /^Proxy (?:response \((\d{3})\)|Authentication Required \((407)\))/.exec(message)
  if (refused !== null) return `the proxy refused the connection: HTTP ${refused[1] ?? refused[2]}`
  const known = reasons.get(code)
  if (known !== undefined) return known
  if (code.startsWith('HPE_') || error.name === 'HTTPParserError') return 'the answer is not HTTP'
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return 'TLS handshake failed'
  return `failed: ${code === '' ? error.name : code}`
}

/** Says why a signal was aborted, by its own error. A plain AbortError says nothing. */
export const describeAbort = ({ reason }: AbortSignal): string =>
  reason instanceof Error && reason.name !== 'AbortError' ? reason.message : 'interrupted'
