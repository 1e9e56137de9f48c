// The message about orders that may have spent money.
import { sanitize } from '../../ui/terminal/sanitize.ts'

const maxNamed = 5

export const describeUnknownOrders = (ids: readonly string[]): string => {
  const named = ids.slice(0, maxNamed).map(sanitize)
  const more = ids.length > named.length ? ` and ${ids.length - named.length} more` : ''
  const orders = ids.length === 1 ? 'the order' : `${ids.length} orders:`
  return `money may have been spent for ${orders} ${named.join(', ')}${more}`
}
