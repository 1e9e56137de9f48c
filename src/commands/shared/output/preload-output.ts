// Loads the modules that print the outcome before money is spent, because an update may replace dist/ meanwhile.
import type { OutputOptions } from '../options.ts'

export const preloadOutput = async (
  { format }: OutputOptions,
  { isWatched }: { readonly isWatched: boolean },
): Promise<void> => {
  await Promise.all([
    import('../../../ui/screens/failure.ts'),
    ...(format === 'screen' ? [import('../../../ui/screens/order.ts')] : []),
    ...(isWatched ? [import('./watch-orders.ts')] : []),
  ])
}
