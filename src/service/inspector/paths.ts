// The paths of the inspector, and the web pages that may use them.

export const inspectorPath = '/_mock/ui'

export const isInspectorPath = (target: string): boolean =>
  target.startsWith(inspectorPath) && /^(?:[/?]|$)/.test(target.slice(inspectorPath.length))

/** Whether the request may come from the page itself. `host` must have passed the host check. */
export const isFromInspector = (target: string, origin: string, host: string): boolean =>
  isInspectorPath(target) && (origin === `http://${host}` || origin === `https://${host}`)
