// Writes a message as text, and a request as a curl command for a POSIX shell.

const secretNames = new Set(['redeemCardCode', 'redeemLink', 'redeemPin', 'redeemSerialNumber'])
const secretHeaders = new Set(['authorization', 'cookie', 'proxy-authorization', 'set-cookie', 'x-api-key'])
const mask = '••••••••'

/** Masks codes and keys, unless `isRevealed`. */
export const writeMessage = ({ headers, body }, isRevealed) => {
  const lines = Object.entries(headers).map(
    ([name, value]) => `${name}: ${secretHeaders.has(name) && !isRevealed ? mask : value}`,
  )
  if (body.isCut) lines.push('', '(Only the beginning of this body is kept.)')
  if (body.size > 0) lines.push('', writeBody(body, isRevealed))
  return lines.join('\n')
}

const writeBody = ({ text, base64 }, isRevealed) => {
  if (text === undefined) return `(This body is not text. As base64:)\n${base64}`
  try {
    return indent(text, isRevealed)
  } catch {
    // In broken JSON, it is not certain where a code ends.
    const isHidden = !isRevealed && [...secretNames].some((name) => text.includes(name))
    return isHidden ? '(This body is not valid JSON and has codes, so all of it is hidden.)' : text
  }
}

/** Numbers stay as they were sent. */
const indent = (json, isRevealed) => {
  const document = JSON.parse(json, (name, value, { source }) => {
    if (secretNames.has(name) && value !== null && value !== '' && !isRevealed) return mask
    return typeof value === 'number' ? JSON.rawJSON(source) : value
  })
  return JSON.stringify(document, null, 2)
}

// curl sets these itself.
const omittedHeaders = new Set([
  ...['accept-encoding', 'connection', 'content-length', 'expect'],
  ...['host', 'keep-alive', 'te', 'transfer-encoding'],
])

/** The key becomes $ORDERCTL_API_KEY. */
export const writeCurl = (origin, { method, path, request: { headers, body } }) => {
  const words = ['curl', '-sS', '--globoff', '--path-as-is']
  words.push(...(method === 'HEAD' ? ['--head'] : ['-X', method]), quote(origin + path))
  for (const [name, value] of Object.entries(headers)) {
    if (!omittedHeaders.has(name)) words.push('-H', writeHeader(name, value))
  }
  // Otherwise curl adds a content type.
  if (!('content-type' in headers)) words.push('-H', 'content-type:')
  if (body.size > 0) words.push('--data-raw', quote(body.text ?? ''))
  const command = words.join(' ')
  // Pasted control characters are keys to a terminal.
  if (body.text === undefined || body.isCut || /[\0-\x09\x0b-\x1f\x7f-\x9f]/.test(command))
    throw new Error('This request cannot be copied: its body is cut or has bytes that are not plain text.')
  return command
}

const writeHeader = (name, value) => {
  if (name === 'x-api-key') return '"x-api-key: $ORDERCTL_API_KEY"'
  if (name === 'authorization') return '"authorization: Bearer $ORDERCTL_API_KEY"'
  return quote(value === '' ? `${name};` : `${name}: ${value}`)
}

const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`
