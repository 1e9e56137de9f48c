// Shows a body. JSON, whole or broken, has colours, and its codes are hidden until they are clicked.
import { create, createButton, createFacts, createQuiet } from './dom.js'

const secretNames = new Set(['redeemCardCode', 'redeemLink', 'redeemPin', 'redeemSerialNumber'])
const secretHeaders = new Set(['authorization', 'cookie', 'proxy-authorization', 'set-cookie', 'x-api-key'])
const mask = '••••••••'

// A string may be cut off, so its closing quote is optional.
const tokenForm =
  /(?<key>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*"?)|[{}[\]:,]|(?<word>[^\s"{}[\]:,]+)|\s+/gs

/** Each token with its kind, and with the name of the field that it belongs to, if it is a value. */
function* readTokens(text) {
  // The field names of the surrounding objects. A list has the name of its own field.
  const names = []
  let name
  for (const { 0: token, groups } of text.matchAll(tokenForm)) {
    const kind = ['key', 'string', 'word'].find((each) => groups[each] !== undefined)
    if (token === '{' || token === '[') names.push(name)
    else if (token === '}' || token === ']') name = names.pop()
    else if (kind === 'key') name = token.slice(1, -1)
    else if (token === ',') name = names.at(-1)
    yield { token, kind, name: kind === 'key' ? undefined : name, owners: names }
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
    createFacts(
      headers.map(([name, value]) => [name, secretHeaders.has(name) ? createMask(name, value) : value]),
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
  const isDocument = isJson(text)
  const block = createBlock(...createParts(isDocument ? indent(text) : text, isDocument))
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

/** A text that is not JSON has no colours, but its tokens may be codes of broken JSON. */
const createParts = (text, hasColours) => {
  const parts = []
  let plain = ''
  for (const part of readTokens(text)) {
    const { token, kind, name } = part
    const isHidden = isSecret(part)
    if (!isHidden && (kind === undefined || !hasColours)) plain += token
    else {
      parts.push(
        plain,
        isHidden ? createMask(name, token) : create('span', { className: kind, textContent: token }),
      )
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
