// Writes a request as a curl command for a POSIX shell, with $ORDERCTL_API_KEY instead of the key.

// curl sets them itself.
const omitted = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'transfer-encoding',
])

export const writeCurl = (origin, { method, path, request: { headers, body } }) => {
  const words = ['curl', '-sS', '--globoff', '--path-as-is']
  if (method === 'HEAD') words.push('--head')
  else if (method !== 'GET') words.push('-X', quote(method))
  words.push(quote(`${origin}${path}`))
  for (const [name, value] of headers) {
    if (!omitted.has(name)) words.push('-H', writeHeader(name, value))
  }
  if (body.size === 0) return words.join(' ')
  // curl would add a content type of its own.
  if (!headers.some(([name]) => name === 'content-type')) words.push('-H', quote('content-type:'))
  // Pasted control characters are keys to a terminal.
  const isPlain = body.text !== undefined && !/[\0-\x09\x0b-\x1f\x7f-\x9f]/.test(body.text)
  if (isPlain) return [...words, '--data-raw', quote(body.text)].join(' ')
  const base64 = body.base64 ?? encodeBase64(body.text)
  return `echo ${base64} | base64 -d | ${[...words, '--data-binary', '@-'].join(' ')}`
}

const writeHeader = (name, value) => {
  if (name === 'x-api-key') return '"x-api-key: $ORDERCTL_API_KEY"'
  if (name === 'authorization') return '"authorization: Bearer $ORDERCTL_API_KEY"'
  return quote(value === '' ? `${name};` : `${name}: ${value}`)
}

const quote = (text) => (/^[\w/.:=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

const encodeBase64 = (text) =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''))
