// One question after another, and back.
import { back, backChoice, type Choice, type Question, type Search } from '../../../ui/prompts/asking.ts'

export type Went = 'on' | 'back' | 'left'

/** How one comes to a question. */
export type Way = {
  readonly came: 'on' | 'back'
  /** Whether there is a question before it. */
  readonly hasBefore: boolean
}

export type Step = {
  /** Passed over, in both directions, where it says no. */
  readonly isNeeded?: () => boolean
  readonly ask: (way: Way) => Promise<Went>
}

/** To the end of them, or back before the first; who came back begins with the last. */
export const walk = async (steps: readonly Step[], way: Way): Promise<Went> => {
  let came = way.came
  for (let at = came === 'on' ? 0 : steps.length - 1; at < steps.length; at += came === 'on' ? 1 : -1) {
    const step = steps[at]
    if (step === undefined) return 'back'
    if (step.isNeeded?.() === false) continue
    const hasBefore = way.hasBefore || steps.slice(0, at).some(({ isNeeded }) => isNeeded?.() !== false)
    const went = await step.ask({ came, hasBefore })
    if (went === 'left') return went
    came = went
  }
  return 'on'
}

/** The same question, to which one may also say that one wants back. */
export const orBack = <Asked extends Question>(question: Asked): Asked => ({
  ...question,
  check: (text: string) => (text.trim() === back ? undefined : question.check(text.trim())),
})

/** Where nothing could be chosen but the way back, Enter would take it. */
export const listOrBack = (question: Search, { hasBefore }: Way): Search => {
  const isListed = hasBefore && question.choices.some(({ unfit }) => unfit === undefined)
  return orBack({ ...question, choices: isListed ? [...question.choices, backChoice] : question.choices })
}

export const choicesOrBack = <Value>(choices: readonly Choice<Value>[]): Choice<Value | typeof back>[] => [
  ...choices,
  backChoice,
]

export const taken = (answer: string | undefined, keep: (text: string) => void): Went => {
  if (answer === undefined) return 'left'
  const text = answer.trim()
  if (text === back) return 'back'
  keep(text)
  return 'on'
}
