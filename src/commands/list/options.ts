// Reads the flags of `orderctl list` into typed options, once.
import type { Context } from '../../context.ts'
import type { Filter } from '../../journal/list-orders.ts'
import { createFlagReader } from '../shared/flag-reader.ts'
import { readOutputOptions, readSessionOptions } from '../shared/options.ts'
import { readMoment } from '../shared/read-moment.ts'
import type { ListFlags } from './flags.ts'

const defaultLimit = 30

export const readListOptions = (context: Context, flags: ListFlags) => {
  const reader = createFlagReader('list')
  const { readCount, addProblem, check } = reader
  const since = readMoment(reader, '--since', flags.since, context)
  const limit = readCount('--limit', flags.limit)
  if (flags.reveals === true) {
    for (const [flag, value] of [
      ['--state', flags.state],
      ['--reference', flags.reference],
      ['--batch', flags.batch],
      ['--unfinished', flags.unfinished],
      ['--refresh', flags.refresh],
      ['--all', flags.all],
    ] as const) {
      if (value !== undefined) addProblem(`${flag} cannot be used with --reveals`)
    }
  }
  const session = readSessionOptions(reader, flags)
  const output = readOutputOptions(reader, flags)
  check()
  const filter: Filter = {
    profile: flags.profile,
    state: flags.state,
    reference: flags.reference,
    since: since?.from,
    unfinished: flags.unfinished,
    hidesAttempts: flags.all !== true && flags.state === undefined && flags.unfinished !== true,
    limit: limit ?? defaultLimit,
  }
  const { profile, state, reference, batch, by, mine, unfinished } = flags
  const selecting = [profile, state, reference, flags.since, batch, by, mine, unfinished]
  return {
    session,
    output,
    filter,
    batch: flags.batch,
    isSelection: selecting.some((flag) => flag !== undefined),
    actors: { by: flags.by, isMine: flags.mine === true },
    isRefreshed: flags.refresh === true,
    listsReveals: flags.reveals === true,
  }
}
