// Talks to serve-mock, with the token of the URL's fragment: single requests, and the stream of server-sent events.

export const readToken = () => decodeFragment(location.hash.slice(1))

const decodeFragment = (text) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

const fetchData = (path, options = {}) =>
  fetch(`/_mock/ui/data${path}`, {
    ...options,
    cache: 'no-store',
    headers: { ...options.headers, 'x-inspector-token': readToken() },
  })

/** Returns the parsed response. Throws an error with the service's message. */
export const call = async (method, path, document, signal) => {
  const response = await fetchData(path, {
    method,
    signal,
    ...(document === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(document) }),
  }).catch((error) => {
    throw error.name === 'AbortError' ? error : new Error('serve-mock does not respond.')
  })
  const body = await response.json()
  if (!response.ok) throw new Error(body.message)
  return body
}

const maxWaitMs = 10_000

/**
 * Connects until the token is refused. `onEvent(name, data)` gets each event, and `onStatus(status)` one of
 * 'connected', 'disconnected' and 'refused'. A hidden page disconnects, because a browser has few connections.
 */
export const receiveEvents = async (onEvent, onStatus) => {
  for (let waitMs = 500; ; waitMs = Math.min(2 * waitMs, maxWaitMs)) {
    await untilVisible()
    const hidden = new AbortController()
    const abort = () => document.hidden && hidden.abort()
    document.addEventListener('visibilitychange', abort)
    try {
      const response = await fetchData('/events', { signal: hidden.signal })
      if (response.status === 401) return onStatus('refused')
      if (response.ok) {
        onStatus('connected')
        waitMs = 500
        await readEvents(response.body, onEvent)
      }
    } catch (error) {
      if (error.name !== 'AbortError' && !(error instanceof TypeError)) throw error
    } finally {
      document.removeEventListener('visibilitychange', abort)
    }
    onStatus('disconnected')
    if (!hidden.signal.aborted) await new Promise((resolve) => setTimeout(resolve, waitMs))
  }
}

const untilVisible = () =>
  new Promise((resolve) => {
    if (!document.hidden) return resolve()
    document.addEventListener('visibilitychange', () => resolve(), { once: true })
  })

const readEvents = async (body, onEvent) => {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let pending = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    const events = (pending + value).split('\n\n')
    pending = events.pop()
    for (const event of events) {
      const [, name, data] = /^event: (.*)\ndata: (.*)$/s.exec(event) ?? []
      if (name !== undefined) onEvent(name, JSON.parse(data))
    }
  }
}
