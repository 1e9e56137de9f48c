// Shortens a history that breaks a rule by leaving out steps.
import type { History, Run, Step } from './steps.ts'

/** The promise, without the details. */
export const kindOf = (wrong: string): string => wrong.slice(0, wrong.indexOf(':'))

export type Play = (history: History) => Promise<readonly string[]>

const simplerCommands = ({ command }: Run): Run['command'][] => {
  if (command.name !== 'create' && command.name !== 'confirm') return []
  const { timeout, ...rest } = command
  const plain = [
    ...(timeout === undefined ? [] : [rest]),
    ...(command.idempotent ? [{ ...command, idempotent: false }] : []),
    ...(command.allowDuplicate ? [{ ...command, allowDuplicate: false }] : []),
    ...(command.watch ? [{ ...command, watch: false }] : []),
  ]
  if (command.name === 'confirm')
    return [...plain, ...(command.acceptChanges ? [{ ...command, acceptChanges: false }] : [])]
  return [
    ...plain,
    ...(command.reveal ? [{ ...command, reveal: false }] : []),
    ...(command.product === 'GAME-US:25' ? [] : [{ ...command, product: 'GAME-US:25' }]),
    ...(command.reference === undefined || command.reference === 'r1'
      ? []
      : [{ ...command, reference: 'r1' }]),
  ]
}

const simplerRuns = (run: Run): Run[] => {
  const { kill, besideMs, ...rest } = run
  return [
    ...(kill === undefined ? [] : [{ ...rest, ...(besideMs === undefined ? {} : { besideMs }) }]),
    ...(besideMs === undefined ? [] : [{ ...rest, ...(kill === undefined ? {} : { kill }) }]),
    ...(Object.keys(run.as).length === 0 ? [] : [{ ...run, as: {} }]),
    ...(run.isElsewhere ? [{ ...run, isElsewhere: false }] : []),
    ...(run.output === 'json' ? [] : [{ ...run, output: 'json' as const }]),
    ...run.faults.map((_, at) => ({ ...run, faults: run.faults.toSpliced(at, 1) })),
    ...run.faults.flatMap((fault, at) => [
      ...(fault.responseMs === 0
        ? []
        : [{ ...run, faults: run.faults.with(at, { ...fault, responseMs: 0 }) }]),
      ...(fault.arrivesMs === 0 ? [] : [{ ...run, faults: run.faults.with(at, { ...fault, arrivesMs: 0 }) }]),
    ]),
    ...simplerCommands(run).map((command) => ({ ...run, command })),
  ]
}

const simpler = ({ steps, ...history }: History): History[] => {
  const replaced = (at: number, ...by: Step[]): History => ({
    ...history,
    steps: steps.toSpliced(at, 1, ...by),
  })
  return [
    ...steps.map((_, at) => replaced(at)),
    ...steps.flatMap((step, at) =>
      step.do === 'run' ? simplerRuns(step).map((each) => replaced(at, each)) : [],
    ),
    ...(history.isDated ? [] : [{ ...history, isDated: true, steps }]),
    ...Object.keys(history.habits).map((habit) => ({
      ...{ ...history, steps },
      habits: Object.fromEntries(Object.entries(history.habits).filter(([name]) => name !== habit)),
    })),
  ]
}

/** One that breaks the same promise, and nothing of it can be left out. */
export const shortenHistory = async (history: History, kind: string, playHistory: Play): Promise<History> => {
  for (const candidate of simpler(history)) {
    const problems = await playHistory(candidate)
    if (problems.some((wrong) => kindOf(wrong) === kind)) return shortenHistory(candidate, kind, playHistory)
  }
  return history
}
