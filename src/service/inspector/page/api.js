// Sends the page's own requests to serve-mock, with the token of the URL's fragment.

export const readToken = () => decodeFragment(location.hash.slice(1))

const decodeFragment = (text) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

export const fetchData = (path, options = {}) =>
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
