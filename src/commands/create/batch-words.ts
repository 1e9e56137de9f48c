// The command that buys the products of an order as a batch.
import type { Flags, Suggest } from '../../text/suggest.ts'

export type BatchCommand = {
  readonly action: 'run' | 'plan'
  readonly file?: string
  readonly flags: Flags
}

/** The words after the program's name. */
export const listBatchWords = ({ action, flags }: BatchCommand): readonly string[] => [
  ...['batch', action],
  ...Object.entries(flags).flatMap(([name, values]) =>
    [values].flat().flatMap((value) => {
      if (typeof value === 'string') return [`--${name}`, value]
      return value === true ? [`--${name}`] : []
    }),
  ),
]

/** For a shell. */
export const formatBatchCommand = (suggest: Suggest, { action, file, flags }: BatchCommand): string =>
  action === 'run' ? suggest`batch run ${file} ${flags}` : suggest`batch plan ${file} ${flags}`
