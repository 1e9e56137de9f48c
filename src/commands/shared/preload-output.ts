// What tells of money that is spent, loaded before it is: afterwards nothing may be missing, though orderctl is
// replaced by a newer one meanwhile.
import type { ShowFlags } from './output.ts'

export const loadWhatTells = async ({
  json,
  quiet,
  watch,
}: Pick<ShowFlags, 'json' | 'quiet'> & { readonly watch: boolean }): Promise<void> => {
  await Promise.all([
    import('../../ui/screens/failure.ts'),
    ...(json === true || quiet === true ? [] : [import('./order-screen.ts')]),
    ...(watch ? [import('./watch-orders.ts')] : []),
  ])
}
