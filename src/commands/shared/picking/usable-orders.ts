// Which orders a command can work with.
import { isFinished, isVoid, journalOnlyStates } from '../../../journal/entry.ts'

/** By the name of the command. The state in the journal may be outdated. */
const usableStates = new Map<string, (state: string) => boolean>([
  ['confirm', (state) => state === 'created' || state === journalOnlyStates.unknown],
  ['watch', (state) => !isFinished(state)],
  ['reconcile', (state) => !isFinished(state)],
  ['redeem', (state) => !isVoid(state)],
])

/** Other commands work with every order. */
export const isUsable = (command: string, state: string): boolean =>
  usableStates.get(command)?.(state) ?? true
