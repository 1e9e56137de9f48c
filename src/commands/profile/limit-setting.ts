// Who set a limit, and when.
import type { NamedActor } from '../../text/actor-name.ts'
import { isoTime } from '../shared/journal/entry-data.ts'

export const settingData = ({
  setAt,
  setBy,
}: {
  readonly setAt: number
  readonly setBy: NamedActor | undefined
}) => ({
  setBy: setBy?.role ?? setBy?.user ?? null,
  writtenBy: setBy?.writtenBy ?? null,
  setAt: isoTime(setAt),
})
