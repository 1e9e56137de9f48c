// Walks through questions, forwards and backwards.
import { back, backChoice, type Choice, type Question, type Search } from '../../../ui/prompts/asking.ts'

/** `left`: the user cancelled. */
export type StepResult = 'on' | 'back' | 'left'

/** How the user reached a question. */
export type Arrival = {
  readonly direction: 'on' | 'back'
  readonly hasPrevious: boolean
}

export type Step = {
  /** A step that is not needed is skipped in both directions. */
  readonly isNeeded?: () => boolean
  readonly ask: (arrival: Arrival) => Promise<StepResult>
}

/** Returns `on` after the last question, `back` before the first. Going back starts with the last question. */
export const walk = async (steps: readonly Step[], arrival: Arrival): Promise<StepResult> => {
  let { direction } = arrival
  for (
    let at = direction === 'on' ? 0 : steps.length - 1;
    at < steps.length;
    at += direction === 'on' ? 1 : -1
  ) {
    const step = steps[at]
    if (step === undefined) return 'back'
    if (step.isNeeded?.() === false) continue
    const hasPrevious =
      arrival.hasPrevious || steps.slice(0, at).some(({ isNeeded }) => isNeeded?.() !== false)
    const result = await step.ask({ direction, hasPrevious })
    if (result === 'left') return result
    direction = result
  }
  return 'on'
}

export const allowBack = <Asked extends Question>(question: Asked): Asked => ({
  ...question,
  check: (text: string) => (text.trim() === back ? undefined : question.check(text.trim())),
})

/** Lists `back` only beside an available choice. Otherwise Enter would choose it. */
export const allowBackInList = (question: Search, { hasPrevious }: Arrival): Search => {
  const isListed = hasPrevious && question.choices.some(({ disabled }) => disabled === undefined)
  return allowBack({
    ...question,
    choices: isListed ? [...question.choices, backChoice] : question.choices,
  })
}

export const addBack = <Value>(choices: readonly Choice<Value>[]): Choice<Value | typeof back>[] => [
  ...choices,
  backChoice,
]

export const takeAnswer = (answer: string | undefined, keep: (text: string) => void): StepResult => {
  if (answer === undefined) return 'left'
  const text = answer.trim()
  if (text === back) return 'back'
  keep(text)
  return 'on'
}
