// Shows a body. Codes in JSON, whole or broken, are hidden until they are clicked.
import { create, createButton, createQuiet } from './dom.js'

const secretNames = new Set(['redeemCardCode', 'redeemLink', 'redeemPin', 'redeemSerialNumber'])
const secretHeaders = new Set(['authorization', 'cookie', 'proxy-authorization', 'set-cookie', 'x-api-key'])
const mask = '••••••••'

// A string may be cut off, so its closing quote is optional.
const tokenForm = /"(?:[^"\\]|\\.)*"?|[{}[\]:,]|[^\s"{}[\]:,]+|\s+/gs

/** Each token with the name of the field that it belongs to, if it is a value. */
function* readTokens(text) {
  // The field names of the surrounding objects. A list has the name of its own field.
  const names = []
  let name
  let wasString
  for (const [token] of text.matchAll(tokenForm)) {
    const isString = token.startsWith('"')
    if (token === '{' || token === '[') names.push(name)
    else if (token === '}' || token === ']') name = names.pop()
    else if (token === ':') name = wasString?.replace(/^"|"$/g, '')
    else if (token === ',') name = names.at(-1)
    if (token.trim() !== '') wasString = isString ? token : undefined
    yield { token, isString, name, owners: names }
  }
}

/** Whether the token is, or belongs to, the value of a field that holds a code. */
const isSecret = ({ token, name, owners }) =>
  !/^(?:[\s{}[\]:,]+|""|null)$/.test(token) &&
  (secretNames.has(name) || owners.some((owner) => secretNames.has(owner)))

const createMask = (name, text) => {
  const label = `Show ${name}`
  const button = create('button', {
    type: 'button',
    className: 'mask',
    textContent: mask,
    'aria-label': label,
  })
  button.show = (isShown) => {
    button.textContent = isShown ? text : mask
    button.setAttribute('aria-label', isShown ? `${name} ${text}. Hide it` : label)
    button.classList.toggle('shown', isShown)
  }
  button.addEventListener('click', () => button.show(!button.classList.contains('shown')))
  return button
}

export const createHeaders = (headers) =>
  create(
    'details',
    {},
    create('summary', { textContent: `Headers (${headers.length})` }),
    create(
      'dl',
      {},
      ...headers.flatMap(([name, value]) => [
        create('dt', { textContent: name }),
        create('dd', {}, secretHeaders.has(name) ? createMask(name, value) : value),
      ]),
    ),
  )

/** `label` names the body for screen readers. */
export const createBody = ({ text, base64, size, isCut }, label) => {
  if (size === 0) return [createQuiet('No body.')]
  const notes = isCut ? [createQuiet('Only the beginning of this body is kept.')] : []
  const createBlock = (...parts) =>
    create('pre', { tabIndex: 0, role: 'region', 'aria-label': label }, ...parts)
  if (text === undefined)
    return [...notes, createQuiet('This body is not text. As base64:'), createBlock(base64)]
  const block = createBlock(...createParts(isJson(text) ? indent(text) : text))
  const masks = [...block.querySelectorAll('.mask')]
  if (masks.length < 2) return [...notes, block]
  let isShown = false
  const all = createButton('Show all codes', () => {
    isShown = !isShown
    all.textContent = isShown ? 'Hide all codes' : 'Show all codes'
    for (const each of masks) each.show(isShown)
  })
  return [...notes, all, block]
}

const isJson = (text) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const createParts = (text) => {
  const parts = []
  let plain = ''
  for (const part of readTokens(text)) {
    if (!isSecret(part)) plain += part.token
    else {
      parts.push(plain, createMask(part.name, part.token))
      plain = ''
    }
  }
  return [...parts, plain]
}

/** Breaks JSON into lines. It changes no token, so that numbers stay as they were sent. */
const indent = (text) => {
  let written = ''
  let depth = 0
  const breakLine = () => `\n${'  '.repeat(depth)}`
  let wasOpening = false
  for (const { token } of readTokens(text)) {
    if (token.trim() === '') continue
    const isClosing = token === '}' || token === ']'
    if (isClosing) depth = Math.max(0, depth - 1)
    if (isClosing ? !wasOpening : wasOpening) written += breakLine()
    wasOpening = token === '{' || token === '['
    if (wasOpening) depth += 1
    written += token
    if (token === ',') written += breakLine()
    else if (token === ':') written += ' '
  }
  return written
}
