// Who set a limit, and when.
import type { Limit } from '../../journal/limits/limits.ts'
import { isoTime } from '../shared/journal/entry-data.ts'

export type LimitSetting = { readonly setAt: number; readonly setBy?: string }

/** The database role, or the login name in a file. */
export const readSetting = ({ setAt, setBy }: Pick<Limit, 'setAt' | 'setBy'>): LimitSetting =>
  setBy === undefined ? { setAt } : { setAt, setBy: setBy.role ?? setBy.user }

export const settingData = ({ setAt, setBy }: LimitSetting) => ({
  setBy: setBy ?? null,
  setAt: isoTime(setAt),
})
