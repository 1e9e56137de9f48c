// Steps that run while a command runs: `meanwhile at confirm`, `meanwhile in 5s` or `meanwhile at prompt`.
import { parseSessions, type Step } from './parse.ts'

type Deps = {
  readonly run: (step: Step) => Promise<readonly string[]>
  /** Calls a function once, at a moment of the next command. */
  readonly planAct: (moment: string, act: () => unknown) => void
  /** Holds the clock of the command. Returns the end of that. */
  readonly hold: () => () => void
  /** Returns a function that undoes changes of the surroundings. */
  readonly keepSurroundings: () => () => void
}

export const createMeanwhile = ({ run, planAct, hold, keepSurroundings }: Deps) => {
  const pending = new Set<() => Promise<void>>()
  const prompted: (() => Promise<void>)[] = []
  const begun: Promise<void>[] = []
  let running = 0
  let problem = ''
  const runSteps = async (steps: readonly Step[]): Promise<void> => {
    const ends = [keepSurroundings(), hold()]
    running += 1
    for (const step of steps) {
      const printed = (await run(step)).join('\n')
      if (printed !== step.output.join('\n')) problem ||= `${step.text}\n${printed}`
    }
    running -= 1
    for (const end of ends) end()
  }
  return {
    isRunning: (): boolean => running > 0,
    plan: (moment: string, { content }: Step): void => {
      const [session] = parseSessions(['== meanwhile', ...content].join('\n')).sessions
      const act = (): Promise<void> => {
        pending.delete(act)
        const ran = runSteps(session?.steps ?? [])
        begun.push(ran)
        return ran
      }
      pending.add(act)
      if (moment === 'at prompt') prompted.push(act)
      else planAct(moment, act)
    },
    atPrompt: async (): Promise<void> => prompted.shift()?.(),
    /** After the command. */
    end: async (): Promise<void> => {
      await Promise.all(begun)
      if (pending.size > 0) throw new Error('the command ended before the steps of meanwhile')
      if (problem !== '') throw new Error(`meanwhile ${problem}`)
    },
  }
}
