// One question after another, and back.
import type { Question } from './asking.ts'

export type Went = 'on' | 'back' | 'left'

export type Step = {
  /** Passed over, in both directions, where it says no. */
  readonly isNeeded?: () => boolean
  readonly ask: () => Promise<Went>
}

/** To the end of them, or back before the first. */
export const walk = async (steps: readonly Step[]): Promise<Went> => {
  let direction = 1
  for (let at = 0; at < steps.length; at += direction) {
    const step = steps[at]
    if (step === undefined) return 'back'
    if (step.isNeeded?.() === false) continue
    const went = await step.ask()
    if (went === 'left') return went
    direction = went === 'on' ? 1 : -1
  }
  return 'on'
}

/** The answer to any question that is typed. */
const goBack = '<'

/** The same question, to which one may also say that one wants back. */
export const orBack = <Asked extends Question>(question: Asked): Asked => ({
  ...question,
  check: (text: string) => (text.trim() === goBack ? undefined : question.check(text.trim())),
})

export const taken = (answer: string | undefined, keep: (text: string) => void): Went => {
  if (answer === undefined) return 'left'
  const text = answer.trim()
  if (text === goBack) return 'back'
  keep(text)
  return 'on'
}
